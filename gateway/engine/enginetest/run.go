package enginetest

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// Run holds an engine to what every engine must hold.
func Run(t *testing.T, c Case) {
	t.Helper()
	for _, one := range []struct {
		name string
		test func(*testing.T, Case)
	}{
		{"text comes as it is written", testText},
		{"thinking is told apart", testThinking},
		{"a picture comes with a message", testShown},
		{"what was said before is said again", testHistory},
		{"usage is told once for each request", testUsage},
		{"a refusal is a problem", testRefused},
		{"an answer that is too long is a problem", testFull},
		{"what nobody knows is passed over", testUnknown},

		{"a call is answered", testCall},
		{"calls are done in order", testCalls},
		{"what failed is told in words", testFailed},
		{"after a failure the rest isn't done", testStops},
		{"malformed arguments are answered", testMalformed},
		{"old pictures are forgotten, or nothing is", testAging},
		{"a picture that is the same isn't sent again", testSame},

		{"faults are problems in our words", testFaults},
		{"a busy place is asked again", testBusy},
		{"patience ends", testPatience},
		{"waiting for an hour isn't begun", testLongWait},
		{"a fault in the middle", testBroken},
		{"cut at every byte", testCut},
		{"nobody there", testNobody},
		{"the key goes into a header and nowhere else", testKey},
		{"nothing is sent elsewhere", testRedirect},

		{"stopped in the middle of an answer", testStopStream},
		{"stopped in a call", testStopCall},
		{"stopped while waiting for another try", testStopRetry},
		{"stopped before it began", testStopBefore},
		{"broken off after every event", testBreak},
	} {
		t.Run(one.name, func(t *testing.T) {
			leaks := goleak.IgnoreCurrent()
			logs := &logged{}
			before := slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(logs, nil)))
			t.Cleanup(func() { // after the server of the test is closed
				slog.SetDefault(before)
				if strings.Contains(logs.String(), theKey) {
					t.Error("the key is in a log")
				}
				goleak.VerifyNone(t, leaks)
			})
			one.test(t, c)
		})
	}
}

// logged is all that was logged.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

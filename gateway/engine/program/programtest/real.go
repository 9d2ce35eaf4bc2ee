package programtest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
	"conch/gateway/tool"
)

// realStopsIn is how long stopping a real program may take.
const realStopsIn = time.Second

// RealStops stops the real program in the middle of an answer, in the first of two calls, and while it waits for another
// try. The turn is over at once, the other call isn't made, and its provider hears nothing more.
func RealStops(t *testing.T, m engine.Model, provider func(testing.TB, enginetest.Brain) *Provider, open func(*testing.T, *Provider) engine.Engine) {
	t.Helper()
	says := enginetest.Answer{Text: strings.Repeat("So it goes on. ", 100)}
	calls := enginetest.Answer{Calls: []enginetest.Call{note("call_1", `{"text":"a"}`), note("call_2", `{"text":"b"}`)}}
	for _, one := range []struct {
		name   string
		answer enginetest.Answer
		cut    func(http.ResponseWriter, *http.Request, [][]byte)
		at     func(engine.Event) bool
		calls  int
	}{
		{"an answer", says, part, func(e engine.Event) bool { _, ok := e.(engine.Text); return ok }, 0},
		{"a batch", calls, nil, func(e engine.Event) bool { _, ok := e.(engine.ToolCall); return ok }, 1},
		{"another try", says, busy, func(e engine.Event) bool { d, ok := e.(engine.Doing); return ok && d.Say != "" }, 0},
	} {
		t.Run(one.name, func(t *testing.T) {
			p := provider(t, func(enginetest.Seen) enginetest.Answer { return one.answer })
			p.cut = one.cut
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var at time.Time
			asked := 0
			k := Drive(func(yield func(engine.Event, error) bool) {
				for e, err := range open(t, p).Turn(ctx, Turn(m, "Do it.")) {
					if at.IsZero() && err == nil && one.at(e) {
						at, asked = time.Now(), len(p.Requests())
						cancel(errStop)
					}
					if !yield(e, err) {
						return
					}
				}
			}, func(engine.ToolCall) tool.Result { return tool.Result{Text: "Noted."} })
			took := time.Since(at)
			t.Logf("over after %v", took)
			if !errors.Is(k.Err, errStop) || took > realStopsIn || len(k.Calls) != one.calls {
				t.Errorf("after %v: %+v", took, k)
			}
			p.CloseClientConnections()
			p.Close() // once whatever still asked was answered
			if n := len(p.Requests()); n != asked || asked == 0 {
				t.Errorf("%d requests before it was stopped, and %d in the end", asked, n)
			}
		})
	}
}

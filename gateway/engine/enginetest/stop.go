package enginetest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// errStop is why a turn is stopped.
var errStop = errors.New("stopped by the person")

// patience is how long a test waits for what must happen at once, before it fails instead of hanging.
const patience = 20 * time.Second

// stopsIn is how long stopping may take.
const stopsIn = 50 * time.Millisecond

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// stopped runs a turn, stops it once reached is closed, and waits for its end while nothing else moves: whoever holds
// the turn up lets go only because it was stopped. It returns how long that took.
func stopped(t *testing.T, r *rig, turn engine.Turn, reached <-chan struct{}, answer func(engine.ToolCall) tool.Result, onText func()) (took, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	done := make(chan took, 1)
	go func() {
		events := r.engine.Turn(ctx, turn)
		done <- drive(func(yield func(engine.Event, error) bool) {
			for e, err := range events {
				if _, ok := e.(engine.Text); ok && onText != nil {
					onText()
				}
				if !yield(e, err) {
					return
				}
			}
		}, answer)
	}()
	wait := time.After(patience)
	select {
	case <-reached:
	case k := <-done:
		t.Fatalf("it ended before it was stopped: %+v", k)
	case <-wait:
		t.Fatal("it never came to where it should be stopped")
	}
	asked, begun := r.requests(), time.Now()
	r.only = asked
	cancel(errStop)
	close(r.stopped)
	var k took
	select {
	case k = <-done:
	case <-wait:
		t.Fatal("it didn't stop")
	}
	after := time.Since(begun)
	if !errors.Is(k.err, errStop) {
		t.Errorf("a stopped turn ended with %v", k.err)
	}
	if n := r.requests(); n != asked {
		t.Errorf("%d requests were begun after it was stopped", n-asked)
	}
	return k, after
}

// quick fails the test when stopping was slow each time. A machine that has other things to do may make one slow.
func quick(t *testing.T, once func() time.Duration) {
	t.Helper()
	var all []time.Duration
	for range 5 {
		all = append(all, once())
		if all[len(all)-1] < stopsIn {
			return
		}
	}
	t.Errorf("stopping took %v", all)
}

func testStopStream(t *testing.T, c Case) {
	frames := c.Encode(Answer{Text: hello})
	if len(frames) < 2 {
		t.Fatal("the answer has one frame only")
	}
	// The first words have been shown and the rest doesn't come.
	quick(t, func() time.Duration {
		hung := make(chan struct{})
		r := newRig(t, c, holds(c, slices.Concat(frames[:len(frames)-1]...), nil, hung))
		reached := make(chan struct{})
		once := false
		k, d := stopped(t, r, c.turn("Hello."), reached, nil, func() {
			if !once {
				once = true
				close(reached)
			}
		})
		if len(k.calls) > 0 {
			t.Errorf("%+v", k)
		}
		<-hung // the provider was told too
		return d
	})
	// Nothing has come at all.
	quick(t, func() time.Duration {
		reached, hung := make(chan struct{}), make(chan struct{})
		r := newRig(t, c, holds(c, nil, reached, hung))
		_, d := stopped(t, r, c.turn("Hello."), reached, nil, nil)
		<-hung
		return d
	})
}

// holds sends the beginning of an answer and then nothing until the other side hangs up.
func holds(c Case, begin []byte, reached, hung chan<- struct{}) reply {
	return func(w http.ResponseWriter, r *http.Request) {
		if begin != nil {
			w.Header().Set("Content-Type", c.Type)
			_, _ = w.Write(begin)
			_ = http.NewResponseController(w).Flush()
		}
		if reached != nil {
			close(reached)
		}
		<-r.Context().Done()
		close(hung)
	}
}

func testStopCall(t *testing.T, c Case) {
	// In the first of a batch: neither the others nor another request.
	r := newRig(t, c, c.says(Answer{Calls: []Call{click(1), click(2), click(3)}}))
	reached := make(chan struct{})
	k, _ := stopped(t, r, c.turn("Click thrice."), reached, func(engine.ToolCall) tool.Result {
		close(reached) // a second call would close it again, and fail
		<-r.stopped    // a tool ends soon after it was told to
		return tool.Result{Text: "It was stopped.", Failed: true}
	}, nil)
	if len(k.calls) != 1 {
		t.Errorf("%d calls", len(k.calls))
	}
}

func testStopRetry(t *testing.T, c Case) {
	quick(t, func() time.Duration {
		reached := make(chan struct{})
		r := newRig(t, c, fails(c.Faults[engine.Busy].with("x")))
		r.sleep = func(ctx context.Context, _ time.Duration) error {
			close(reached)
			<-ctx.Done()
			return context.Cause(ctx)
		}
		_, d := stopped(t, r, c.turn("Hello."), reached, nil, nil)
		return d
	})
}

func testStopBefore(t *testing.T, c Case) {
	r := newRig(t, c) // which fails for any request
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	k := drive(r.engine.Turn(ctx, c.turn("Hello.")), nil)
	if !errors.Is(k.err, errStop) {
		t.Errorf("%+v", k)
	}
}

func testBreak(t *testing.T, c Case) {
	for n := 1; ; n++ {
		r := newRig(t, c,
			fails(c.Faults[engine.Busy].with("x")),
			c.says(Answer{Thinking: "Hm.", Text: "I click.", Calls: []Call{click(1), click(2)}, Usage: engine.Usage{In: 5, Out: 5}}),
			c.says(Answer{Text: "Done."}))
		seen, asked := 0, 0
		for event, err := range r.engine.Turn(t.Context(), c.turn("Click twice.")) {
			if err != nil {
				t.Fatal(err)
			}
			seen++
			asked = r.requests()
			if seen == n {
				break // a call is left without an answer
			}
			if e, ok := event.(engine.ToolCall); ok {
				e.Answer(tool.Result{Text: "Clicked."})
			}
		}
		r.only = asked
		if got := r.requests(); got != asked {
			t.Errorf("broken off after %d events, it asked %d times more", n, got-asked)
		}
		if seen < n {
			if n < 8 {
				t.Errorf("there were only %d events", seen)
			}
			return
		}
	}
}

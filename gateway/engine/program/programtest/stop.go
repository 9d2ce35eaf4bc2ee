package programtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
	"conch/gateway/tool"
)

// stopsIn is how long stopping may take.
const stopsIn = 50 * time.Millisecond

var errStop = errors.New("stopped by the person")

// quick fails the test when stopping was slow each time. A machine that has other things to do may make one slow.
func quick(t *testing.T, once func() time.Duration) {
	t.Helper()
	var all []time.Duration
	for range 8 {
		all = append(all, once())
		if all[len(all)-1] < stopsIn || t.Failed() {
			return
		}
	}
	t.Errorf("stopping took %v", all)
}

func testStopStream(t *testing.T, c Case) {
	answers := []enginetest.Answer{{Text: hello}}
	most := c.linesTo(t, Script{Answers: answers}, func(k Took) bool { return k.Text != "" })
	quick(t, func() time.Duration {
		r := c.NewRig(t, Script{Answers: answers, Hangs: true, Child: true, Most: most})
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var at time.Time
		k := Drive(func(yield func(engine.Event, error) bool) {
			for e, err := range r.Turn(ctx, Turn(c.Model, "Hello.")) {
				if !yield(e, err) {
					return
				}
				if _, ok := e.(engine.Text); ok && at.IsZero() {
					at = time.Now()
					cancel(errStop)
				}
			}
		}, nil)
		d := time.Since(at)
		if !errors.Is(k.Err, errStop) || at.IsZero() {
			t.Errorf("%+v", k)
		}
		return d
	})
}

// linesTo is how many lines of a script it takes until something is seen: after them the program may hang.
func (c Case) linesTo(t *testing.T, s Script, seen func(Took) bool) int {
	t.Helper()
	for s.Most = 1; s.Most < 60; s.Most++ {
		if seen(Drive(c.NewRig(t, s).Turn(t.Context(), Turn(c.Model, "Hello.")), nil)) {
			return s.Most
		}
	}
	t.Fatal("nothing is ever seen")
	return 0
}

func testStopRetry(t *testing.T, c Case) {
	s := Script{Fails: true, Fault: engine.Busy, Retries: true}
	s.Most = c.linesTo(t, s, func(k Took) bool { return len(k.Doing) > 0 })
	s.Hangs, s.Child = true, true
	quick(t, func() time.Duration {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var at time.Time
		k := Drive(func(yield func(engine.Event, error) bool) {
			for e, err := range c.NewRig(t, s).Turn(ctx, Turn(c.Model, "Hello.")) {
				if !yield(e, err) {
					return
				}
				if _, ok := e.(engine.Doing); ok && at.IsZero() {
					at = time.Now()
					cancel(errStop)
				}
			}
		}, nil)
		d := time.Since(at)
		if !errors.Is(k.Err, errStop) || at.IsZero() || k.Text != "" {
			t.Errorf("%+v", k)
		}
		return d
	})
}

func testStopCall(t *testing.T, c Case) {
	quick(t, func() time.Duration {
		r := c.NewRig(t, Script{Child: true, Answers: []enginetest.Answer{{Calls: []enginetest.Call{note("a", `{}`), note("b", `{}`)}}, {Text: "Done."}}})
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var at time.Time
		k := Drive(r.Turn(ctx, Turn(c.Model, "Note.")), func(engine.ToolCall) tool.Result {
			at = time.Now()
			cancel(errStop)
			return tool.Result{Text: "Noted."}
		})
		d := time.Since(at)
		if !errors.Is(k.Err, errStop) || len(k.Calls) != 1 || k.Text != "" || len(r.Report().Results) > 0 {
			t.Errorf("%+v, %+v", k, r.Report().Results)
		}
		return d
	})
}

func testStopBefore(t *testing.T, c Case) {
	r := c.NewRig(t, Script{Answers: []enginetest.Answer{{Text: "Hello."}}})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	if k := Drive(r.Turn(ctx, Turn(c.Model, "Hello.")), nil); !errors.Is(k.Err, errStop) || k.Text != "" || r.Report().Args != nil {
		t.Errorf("%+v", k)
	}
}

func testBreak(t *testing.T, c Case) {
	s := Script{Child: true, Answers: []enginetest.Answer{{Thinking: "Hm.", Text: "Hello.", Calls: []enginetest.Call{note("a", `{}`)}, Usage: engine.Usage{In: 1, Out: 1}}, {Text: "Done."}}}
	for most := 1; most < 50; most++ {
		n := 0
		for e, err := range c.NewRig(t, s).Turn(t.Context(), Turn(c.Model, "Hello.")) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == most {
				break
			}
			if call, ok := e.(engine.ToolCall); ok {
				call.Answer(tool.Result{Text: "Done."})
			}
		}
		if n < most {
			return // it was whole
		}
	}
	t.Error("it never ends")
}

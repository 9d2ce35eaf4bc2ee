package mcp

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"conch/gateway"
	"conch/gateway/tool"
)

// slowly is a gateway whose one tool takes as long as it is told. What it answers names the call.
type slowly struct {
	Gateway
	takes time.Duration
	made  int
	ended error
}

func (s *slowly) ClientCall(ctx context.Context, _ gateway.Client, _ string, _ []byte, step func(string)) (tool.Result, error) {
	s.made++
	n := s.made
	step("working")
	select {
	case <-time.After(s.takes):
		return tool.Result{Text: "call " + strconv.Itoa(n)}, nil
	case <-ctx.Done():
		s.ended = context.Cause(ctx)
		return tool.Result{}, s.ended
	}
}

var claude = gateway.Client{ID: "claude"}

// A call that takes longer than apps wait is answered before they give up, goes on, and is made once however often
// the app asks: the answer is for the same call, for ten minutes, once.
func TestSlowCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &slowly{takes: 70 * time.Second}
		cs := newCalls(gw, time.Now)
		begun := time.Now()
		_, waits, err := cs.make(t.Context(), claude, "computer", []byte(`{"a":1}`), func(string) {})
		if err != nil || waits == "" || time.Since(begun) != answerWithin {
			t.Fatalf("after %v: %q, %v", time.Since(begun), waits, err)
		}
		r, again, err := cs.make(t.Context(), claude, "computer", []byte(`{"a":1}`), func(string) {})
		if err != nil || again != "" || r.Text != "call 1" || time.Since(begun) != gw.takes {
			t.Errorf("asked again it is %q %q, %v after %v", r.Text, again, err, time.Since(begun))
		}
		gw.takes = time.Second
		if r, _, _ := cs.make(t.Context(), claude, "computer", []byte(`{"a":1}`), func(string) {}); r.Text != "call 2" {
			t.Errorf("the same call after its answer was given is %q", r.Text)
		}
		if r, _, _ := cs.make(t.Context(), gateway.Client{ID: "cursor"}, "computer", []byte(`{"a":1}`), func(string) {}); r.Text != "call 3" {
			t.Errorf("another app gets %q", r.Text)
		}
		if err := cs.close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestSlowAnswersAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &slowly{takes: 50 * time.Second}
		cs := newCalls(gw, time.Now)
		make := func(args string) tool.Result {
			r, _, err := cs.make(t.Context(), claude, "computer", []byte(args), func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		make("1")
		make("2") // the first is over by now
		time.Sleep(keptFor - time.Minute)
		if r := make("1"); r.Text != "call 1" {
			t.Errorf("within ten minutes it is %q", r.Text)
		}
		time.Sleep(2 * time.Minute)
		gw.takes = time.Second
		if r := make("2"); r.Text == "call 2" {
			t.Error("an answer is kept for ever")
		}
		if len(cs.slow) != 0 {
			t.Errorf("%d answers are kept", len(cs.slow))
		}
		if err := cs.close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// When the app hangs up before it was told to come back, the call stops and nothing is kept; afterwards it goes on.
func TestHangUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &slowly{takes: time.Hour}
		cs := newCalls(gw, time.Now)
		ctx, hangUp := context.WithTimeout(t.Context(), 10*time.Second)
		defer hangUp()
		if _, _, err := cs.make(ctx, claude, "computer", nil, func(string) {}); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(gw.ended, errHungUp) {
			t.Errorf("hung up: %v, %v", err, gw.ended)
		}
		gw.ended = nil
		if _, waits, _ := cs.make(t.Context(), claude, "computer", nil, func(string) {}); waits == "" {
			t.Fatal("it isn't told to come back")
		}
		if err := cs.close(t.Context()); err != nil || !errors.Is(gw.ended, errClosing) {
			t.Errorf("closing: %v, %v", err, gw.ended)
		}
		if _, _, err := cs.make(t.Context(), claude, "computer", nil, func(string) {}); !errors.Is(err, errClosing) {
			t.Errorf("after closing: %v", err)
		}
	})
}

// quick is a gateway whose one tool tells its step at once.
type quick struct{ Gateway }

func (quick) ClientCall(_ context.Context, _ gateway.Client, _ string, _ []byte, step func(string)) (tool.Result, error) {
	step("working")
	return tool.Result{}, nil
}

// A call's first step is told however soon it comes.
func TestFirstStepIsTold(t *testing.T) {
	cs := newCalls(quick{}, time.Now)
	for i := range 2000 {
		told := 0
		if _, _, err := cs.make(t.Context(), claude, "computer", []byte(strconv.Itoa(i)), func(string) { told++ }); err != nil || told != 1 {
			t.Fatalf("call %d told %d steps: %v", i, told, err)
		}
	}
	if err := cs.close(t.Context()); err != nil {
		t.Error(err)
	}
}

package ask

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

var errHungUp = errors.New("hung up")

// lateDesk is a desk whose questions linger unless they were answered.
func lateDesk() *Desk {
	return NewDesk(Options{
		Seen:    func(string) bool { return true },
		Lingers: func(c Change) bool { return c.Reason == Expired || errors.Is(c.Cause, errHungUp) },
	})
}

// give puts a question and hangs up once it waits.
func give(d *Desk, q Question) Choice {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	got := make(chan Choice, 1)
	go func() { got <- d.Put(ctx, q) }()
	synctest.Wait()
	cancel(errHungUp)
	return <-got
}

// An answer that comes late goes for the same call made again within ten minutes, once, and for no other.
func TestLate(t *testing.T) {
	q := Question{Chat: "c", Title: "Press “Send”?", Same: "send 1"}
	for name, c := range map[string]struct {
		answer  Choice
		wait    time.Duration
		again   Question
		through bool
	}{
		"the same call":            {Once, 9 * time.Minute, q, true},
		"after ten minutes":        {Once, 10 * time.Minute, q, false},
		"another call":             {Once, time.Minute, Question{Chat: "c", Same: "send 2"}, false},
		"the same of another chat": {Once, time.Minute, Question{Chat: "d", Same: "send 1"}, false},
		"no stays no":              {No, time.Minute, q, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := lateDesk()
				if got := give(d, q); got != No {
					t.Fatalf("hanging up is %s", got)
				}
				waiting := d.Lingering()
				if len(waiting) != 1 {
					t.Fatalf("%d questions can be answered late", len(waiting))
				}
				if !d.Answer(waiting[0].ID, c.answer) || d.Answer(waiting[0].ID, Once) {
					t.Fatal("a late answer counts once")
				}
				time.Sleep(c.wait)
				if got := give(d, c.again); (got == Once) != c.through {
					t.Fatalf("asked again it is %s", got)
				}
				if c.through {
					if got := give(d, c.again); got != No {
						t.Fatalf("and a third time it is %s", got)
					}
				}
			})
		})
	}
}

// A question that nobody may answer late is forgotten, and so is each after its time.
func TestLateIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := lateDesk()
		give(d, Question{Chat: "c", Title: "no name for it"})
		if len(d.Lingering()) != 0 {
			t.Error("a question that can't be told from others lingers")
		}
		give(d, Question{Chat: "c", Same: "x"})
		id := d.Lingering()[0].ID
		give(d, Question{Chat: "c", Same: "x"})
		if len(d.Lingering()) != 1 {
			t.Error("the same question lingers twice")
		}
		if d.Answer(id, Once) {
			t.Error("the older one of the same can still be answered")
		}
		time.Sleep(LateFor)
		if len(d.Lingering()) != 0 || d.Answer(id, Once) {
			t.Error("a question lingers too long")
		}
		for i := range 3 * maxLate {
			give(d, Question{Chat: "c", Same: string(rune('a' + i))})
		}
		if n := len(d.Lingering()); n != maxLate {
			t.Errorf("%d questions linger", n)
		}
	})
}

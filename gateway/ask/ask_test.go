package ask

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func everybody(string) bool { return true }

func TestSilenceIsNo(t *testing.T) {
	tests := map[string]struct {
		seen func(string) bool
		ctx  func() (context.Context, context.CancelFunc)
		want Reason
	}{
		"nobody asked whether anybody sees": {nil, background, Unseen},
		"nobody sees":                       {func(string) bool { return false }, background, Unseen},
		"expires":                           {everybody, background, Expired},
		"stopped": {everybody, func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), time.Second)
		}, Ended},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var last Change
				d := NewDesk(Options{Seen: tt.seen, Changed: func(c Change) { last = c }})
				ctx, cancel := tt.ctx()
				defer cancel()
				if got := d.Put(ctx, Question{ID: "q", Always: true, Keep: neverKept(t)}); got != No {
					t.Errorf("Put = %v, want no", got)
				}
				if last.Reason != tt.want || !last.Done {
					t.Errorf("last change %+v, want reason %v", last, tt.want)
				}
				if d.Answer("q", Always) {
					t.Error("an answer after the end counted")
				}
				if n := len(d.Waiting()); n != 0 {
					t.Errorf("%d still wait", n)
				}
			})
		})
	}
}

func TestZeroDeskRefuses(t *testing.T) {
	var none *Desk
	if got := none.Put(context.Background(), Question{}); got != No {
		t.Errorf("nil desk: %v", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := NewDesk(Options{Seen: everybody}).Put(ctx, Question{}); got != No {
		t.Errorf("ended turn: %v", got)
	}
}

func TestAlwaysIsKeptByTheWinner(t *testing.T) {
	full := errors.New("disk full")
	tests := map[string]struct {
		q    Question
		say  Choice
		want Choice
		kept bool
	}{
		"always":             {Question{Always: true, Keep: func() error { return nil }}, Always, Always, true},
		"once":               {Question{Always: true, Keep: neverKept(t)}, Once, Once, false},
		"no":                 {Question{Always: true, Keep: neverKept(t)}, No, No, false},
		"always not offered": {Question{Keep: neverKept(t)}, Always, Once, false},
		"nothing to keep":    {Question{Always: true}, Always, Once, false},
		"keep fails":         {Question{Always: true, Keep: func() error { return full }}, Always, Once, false},
		"keep panics":        {Question{Always: true, Keep: func() error { panic("oh") }}, Always, Once, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var last Change
				d := NewDesk(Options{Seen: everybody, Changed: func(c Change) { last = c }})
				tt.q.ID = "q"
				got := make(chan Choice)
				go func() { got <- d.Put(t.Context(), tt.q) }()
				synctest.Wait()
				if !d.Answer("q", tt.say) {
					t.Error("the only answer did not count")
				}
				if d.Answer("q", No) {
					t.Error("a second answer counted")
				}
				if c := <-got; c != tt.want {
					t.Errorf("Put = %v, want %v", c, tt.want)
				}
				wantErr := name == "keep fails" || name == "keep panics"
				if (last.KeepErr != nil) != wantErr {
					t.Errorf("KeepErr = %v, want one: %v", last.KeepErr, wantErr)
				}
			})
		})
	}
}

// TestRandomInterleavings lets many surfaces answer many questions while turns are stopped, and checks
// what must hold in every order: at most one answer counts, it is the one Put gives back (or the turn was
// over), and Keep ran exactly for a counted Always.
func TestRandomInterleavings(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) { oneInterleaving(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func oneInterleaving(t *testing.T, r *rand.Rand) {
	d := NewDesk(Options{Seen: everybody, Expiry: 50 * time.Millisecond})
	var wg sync.WaitGroup
	for q := range 4 {
		id := string(rune('a' + q))
		var kept, counted, countedAlways atomic.Int32
		var winner atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stopAt := time.Duration(r.IntN(120)) * time.Millisecond
		if r.IntN(2) == 0 {
			wg.Go(func() { time.Sleep(stopAt); cancel() })
		}
		var answers sync.WaitGroup
		for range 1 + r.IntN(5) {
			at, c := time.Duration(r.IntN(60))*time.Millisecond, Choice(r.IntN(3))
			answers.Go(func() {
				time.Sleep(at)
				if d.Answer(id, c) {
					counted.Add(1)
					winner.Store(int32(c))
					if c == Always {
						countedAlways.Add(1)
					}
				}
			})
		}
		wg.Go(func() {
			got := d.Put(ctx, Question{ID: id, Always: true, Keep: func() error { kept.Add(1); return nil }})
			over := ctx.Err() != nil
			answers.Wait()
			if counted.Load() > 1 {
				t.Errorf("%s: %d answers counted", id, counted.Load())
			}
			if kept.Load() != countedAlways.Load() {
				t.Errorf("%s: kept %d times for %d counted always", id, kept.Load(), countedAlways.Load())
			}
			want := No
			if counted.Load() == 1 && !over {
				want = Choice(winner.Load())
			}
			if got != want {
				t.Errorf("%s: Put = %v, want %v (over %v)", id, got, want, over)
			}
		})
	}
	wg.Wait()
	if n := len(d.Waiting()); n != 0 {
		t.Errorf("%d questions were left on the desk", n)
	}
}

func TestSameIDTwiceIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDesk(Options{Seen: everybody})
		got := make(chan Choice)
		go func() { got <- d.Put(t.Context(), Question{ID: "q"}) }()
		synctest.Wait()
		if c := d.Put(t.Context(), Question{ID: "q"}); c != No {
			t.Errorf("second question with the same id: %v", c)
		}
		d.Answer("q", Once)
		if c := <-got; c != Once {
			t.Errorf("first question: %v", c)
		}
	})
}

func background() (context.Context, context.CancelFunc) {
	return context.WithCancel(context.Background())
}

func neverKept(t *testing.T) func() error {
	return func() error { t.Error("Keep ran for an answer that did not count as always"); return nil }
}

package hub

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func drain(s *Sub) (got []Event) {
	for {
		e, ok, closed := s.take()
		if !ok || closed {
			return got
		}
		got = append(got, e)
	}
}

func TestTopicsAndAll(t *testing.T) {
	var h Hub
	a, all, both := h.Subscribe("a"), h.Subscribe(All), h.Subscribe("a", All)
	for _, topic := range []string{"a", "b", All} {
		h.Publish(Event{Topic: topic, Seq: 1})
	}
	for name, tt := range map[string]struct {
		s    *Sub
		want int
	}{"a": {a, 1}, "all": {all, 3}, "both": {both, 3}} {
		if got := len(drain(tt.s)); got != tt.want {
			t.Errorf("%s got %d events, want %d", name, got, tt.want)
		}
		tt.s.Close()
		tt.s.Close()
	}
	if len(h.subs) != 0 {
		t.Errorf("left: %v", h.subs)
	}
}

func TestLiveEventsReplaceEachOtherAndNeverOvertake(t *testing.T) {
	var h Hub
	s := h.Subscribe("a")
	defer s.Close()
	h.Publish(Event{Topic: "a", Key: "shot", Data: 1})
	h.Publish(Event{Topic: "a", Seq: 1, Data: "logged"})
	h.Publish(Event{Topic: "a", Key: "shot", Data: 2})
	h.Publish(Event{Topic: "a", Key: "text", Data: 3})
	var got []any
	for _, e := range drain(s) {
		got = append(got, e.Data)
	}
	if len(got) != 3 || got[0] != "logged" || got[1] != 2 || got[2] != 3 {
		t.Errorf("got %v", got)
	}
}

func TestSlowSubscriberCatchesUpAndBlocksNobody(t *testing.T) {
	var h Hub
	s := h.Subscribe("a")
	defer s.Close()
	for i := range uint64(10 * queueMax) {
		h.Publish(Event{Topic: "a", Seq: i + 1})
	}
	got := drain(s)
	if !got[0].Behind {
		t.Fatal("it wasn't told to catch up")
	}
	if len(got) > queueMax+1 || got[len(got)-1].Seq != 10*queueMax {
		t.Errorf("%d events, the last %d", len(got), got[len(got)-1].Seq)
	}
}

// TestNothingIsMissed lets a slow reader follow a fast writer: with the log read again whenever it is told
// that it is behind, it must see every logged event once and in order.
func TestNothingIsMissed(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			var h Hub
			var mu sync.Mutex
			var log []Event
			s := h.Subscribe("a")
			const total = 2000
			go func() {
				for i := range uint64(total) {
					e := Event{Topic: "a", Seq: i + 1}
					mu.Lock()
					log = append(log, e)
					mu.Unlock()
					h.Publish(e)
					h.Publish(Event{Topic: "a", Key: "live"})
					if r.IntN(5) == 0 {
						time.Sleep(time.Millisecond)
					}
				}
			}()
			slow := rand.New(rand.NewPCG(seed, 3))
			var seen uint64
			see := func(e Event) {
				if e.Seq <= seen {
					return // had from the log already
				}
				if e.Seq != seen+1 {
					t.Fatalf("after %d came %d", seen, e.Seq)
				}
				seen = e.Seq
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			for seen < total {
				e, ok := s.Next(ctx)
				if !ok {
					t.Fatalf("stuck after %d", seen)
				}
				if e.Behind {
					mu.Lock()
					missed := log[seen:len(log):len(log)]
					mu.Unlock()
					for _, e := range missed {
						see(e)
					}
				} else if e.Seq > 0 {
					see(e)
				}
				time.Sleep(time.Duration(slow.IntN(3)) * time.Millisecond)
			}
			s.Close()
			if _, ok := s.Next(ctx); ok {
				t.Error("an event after the end")
			}
		})
	}
}

func TestWatchIsToldFirstAndLast(t *testing.T) {
	var told []bool
	h := Hub{Watch: func(topic string, on bool) {
		if topic == "p" {
			told = append(told, on)
		}
	}}
	a, b := h.Subscribe("p", "x"), h.Subscribe("p")
	if h.Watching("p") != 2 {
		t.Error("two watch")
	}
	a.Close()
	b.Close()
	h.Subscribe("p").Close()
	if len(told) != 4 || !told[0] || told[1] || !told[2] || told[3] {
		t.Errorf("told %v", told)
	}
}

func TestCloseWakesTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h Hub
		s := h.Subscribe(All)
		done := make(chan bool)
		go func() { _, ok := s.Next(t.Context()); done <- ok }()
		synctest.Wait()
		s.Close()
		if <-done {
			t.Error("an event from nowhere")
		}
	})
}

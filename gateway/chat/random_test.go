package chat

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// TestRandomStartsAndStops lets several hands start, stop and close at random, and checks what must hold in
// every order: one turn at a time in a chat, each ends exactly once, nothing is written after its end, and its
// end says what Interrupt said.
func TestRandomStartsAndStops(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomRun(t, seed) })
	}
}

func randomRun(t *testing.T, seed uint64) {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(seed, 5))
	roll := func(n int) int { mu.Lock(); defer mu.Unlock(); return r.IntN(n) }
	nap := func(ctx context.Context) {
		timer := time.NewTimer(time.Duration(roll(3)) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	tl := tool.Tool{Name: "computer", Title: "Use", Run: func(ctx context.Context, c tool.Call) tool.Result {
		c.Step("Clicking")
		nap(ctx)
		if roll(20) == 0 {
			panic("oh")
		}
		return tool.Result{Text: "Clicked.", Failed: ctx.Err() != nil}
	}}
	f := newFixture(t, scripted(func(ctx context.Context, _ engine.Turn, yield func(engine.Event, error) bool) {
		for range roll(6) {
			nap(ctx)
			if !yield(engine.Text{Piece: "word "}, nil) {
				return
			}
			if roll(2) == 0 && !yield(engine.ToolCall{Name: "computer", Answer: func(tool.Result) {}}, nil) {
				return
			}
			if roll(25) == 0 {
				yield(nil, errors.New("broke off"))
				return
			}
		}
	}), tl)
	var chats []string
	for range 3 {
		c, err := f.store.NewChat(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		chats = append(chats, c.ID)
	}
	interrupted := map[string]bool{}
	var hands sync.WaitGroup
	for range 4 {
		hands.Go(func() {
			for range 25 {
				id := chats[roll(len(chats))]
				if roll(2) == 0 {
					_, err := f.Start(t.Context(), id, "go")
					var busy *BusyError
					if err != nil && !errors.As(err, &busy) && !errors.Is(err, ErrClosing) {
						t.Error(err)
					}
				} else if turn, ok := f.Running(id); ok {
					was, err := f.Interrupt(t.Context(), turn)
					if err != nil {
						t.Error(err)
					}
					if was {
						mu.Lock()
						interrupted[turn] = true
						mu.Unlock()
					}
				}
				nap(t.Context())
			}
		})
	}
	hands.Wait()
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkLog(t, f.seen(), interrupted)
}

func checkLog(t *testing.T, log []Event, interrupted map[string]bool) {
	t.Helper()
	open := map[string]string{} // the turn that runs, by chat
	ended := map[string]string{}
	for _, e := range log {
		switch {
		case e.Turn == "":
		case e.Kind == KindSaid:
			if open[e.Chat] != "" {
				t.Errorf("turn %s began while %s ran", e.Turn, open[e.Chat])
			}
			open[e.Chat] = e.Turn
		case open[e.Chat] != e.Turn:
			t.Errorf("%s of turn %s, which doesn't run", e.Kind, e.Turn)
		case e.Kind == KindEnded:
			open[e.Chat] = ""
			ended[e.Turn] = e.State
		}
	}
	for id, turn := range open {
		if turn != "" {
			t.Errorf("turn %s of %s never ended", turn, id)
		}
	}
	for turn := range interrupted {
		if s := ended[turn]; s != StateStopped && s != StateDone && s != StateFailed {
			t.Errorf("turn %s was interrupted and ended as %q", turn, s)
		}
	}
}

// writeForEver is the second process of TestKilledAtAnyMoment.
func writeForEver(path string) int {
	s, err := Open(context.Background(), path, nil, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c, err := s.NewChat(context.Background(), "x")
	if err != nil {
		return 1
	}
	for {
		turn := NewID()
		if err := s.beginTurn(context.Background(), c.ID, turn, "go"); err != nil {
			return 1
		}
		for i := range 5 {
			if _, err := s.Append(context.Background(), Event{Chat: c.ID, Turn: turn, Kind: KindStep, ID: fmt.Sprint(turn, i), Text: "Clicking"}); err != nil {
				return 1
			}
		}
		if err := s.endTurn(context.Background(), Event{Chat: c.ID, Turn: turn, State: StateDone}); err != nil {
			return 1
		}
	}
}

// TestKilledAtAnyMoment kills a process that writes, and opens its database: whole, and at most one turn cut off.
func TestKilledAtAnyMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	r := rand.New(rand.NewPCG(1, 6))
	for range 8 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "CHAT_TEST_WRITE="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		dead := time.NewTimer(time.Duration(50+r.IntN(150)) * time.Millisecond)
		<-dead.C // the moment is chance; nothing is waited for
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		s, err := Open(t.Context(), path, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var sound string
		if err := s.db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&sound); err != nil || sound != "ok" {
			t.Errorf("the database is %q, %v", sound, err)
		}
		if n, err := s.CutOff(t.Context()); err != nil || n > 1 {
			t.Errorf("%d turns were cut off, %v", n, err)
		}
		chats, err := s.Chats(t.Context(), 100)
		if err != nil {
			t.Error(err)
		}
		for _, c := range chats {
			if events, err := s.All(t.Context(), c.ID, 0); err != nil {
				t.Error(err)
			} else if n := len(events); n > 0 && events[n-1].Kind != KindEnded {
				t.Errorf("the log of %s ends with %s", c.ID, events[n-1].Kind)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

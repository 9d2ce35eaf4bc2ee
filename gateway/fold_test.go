package gateway

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"conch/gateway/chat"
	"conch/gateway/web"

	"github.com/google/go-cmp/cmp"
)

// randomLog is what turns could have left, cut at any place.
func randomLog(r *rand.Rand) []chat.Event {
	var log []chat.Event
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	add := func(e chat.Event) {
		e.Seq, e.Chat = uint64(len(log)+1), "c"
		at = at.Add(time.Duration(r.IntN(3000)) * time.Millisecond)
		e.At = at
		log = append(log, e)
	}
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	for turn := range 1 + r.IntN(4) {
		t := fmt.Sprintf("t%d", turn)
		add(chat.Event{Kind: chat.KindSaid, Turn: t, ID: t + "-said", Text: "do"})
		for n := range r.IntN(12) {
			id := fmt.Sprintf("%s-%d", t, n)
			switch r.IntN(6) {
			case 0:
				add(chat.Event{Kind: chat.KindText, Turn: t, ID: id, Text: "words"})
			case 1:
				add(chat.Event{Kind: chat.KindAsked, Turn: t, ID: id, Text: "May I?", Always: true})
				if r.IntN(3) > 0 {
					add(chat.Event{Kind: chat.KindAnswered, Turn: t, ID: id, State: pick("once", "always", "no", "expired"), More: pick("", "not kept")})
				}
			case 2:
				add(chat.Event{Kind: chat.KindTaint, Turn: t, Text: "the screen"})
			case 3:
				add(chat.Event{Kind: chat.KindAnswered, Turn: t, ID: "nobody", State: "once"})
			default:
				for range 1 + r.IntN(3) {
					add(chat.Event{Kind: chat.KindStep, Turn: t, ID: id, Tool: "computer", Text: pick("Looking", "Clicking")})
				}
				if r.IntN(4) > 0 {
					add(chat.Event{Kind: chat.KindStepDone, Turn: t, ID: id, Tool: "computer", Text: "Clicking", State: pick("done", "failed", "refused", "stopped", "cut")})
				}
			}
		}
		if r.IntN(4) > 0 {
			add(chat.Event{Kind: chat.KindEnded, Turn: t, State: pick("done", "stopped", "failed", "cut"), Text: "over"})
		}
	}
	return log
}

// screenOf is a page as its script keeps it: the elements of the stream, in order.
type screenOf struct{ parts []web.PartView }

func (s *screenOf) apply(t *testing.T, c change) {
	t.Helper()
	if step, ok := c.part.(web.Step); ok {
		s.step(t, step, c.to)
		return
	}
	i := slices.IndexFunc(s.parts, func(p web.PartView) bool { return p.ElementID() == c.part.ElementID() })
	switch {
	case i >= 0:
		s.parts[i] = c.part
	case c.to == web.IDStream:
		s.parts = append(s.parts, c.part)
	default:
		t.Fatalf("%s replaces nothing", c.part.ElementID())
	}
}

func (s *screenOf) step(t *testing.T, step web.Step, to string) {
	t.Helper()
	for i, p := range s.parts {
		steps, ok := p.(web.Steps)
		if !ok {
			continue
		}
		steps.Steps = slices.Clone(steps.Steps)
		if j := slices.IndexFunc(steps.Steps, func(o web.Step) bool { return o.ID == step.ID }); j >= 0 {
			steps.Steps[j] = step
		} else if to == web.StepsID(steps.Turn) {
			steps.Steps = append(steps.Steps, step)
		} else {
			continue
		}
		s.parts[i] = steps
		return
	}
	t.Fatalf("step %s has no place", step.ID)
}

// TestPushedIsWhatAFreshPageShows folds random logs: a page loaded at any place, then kept up to date, must
// show what a page loaded at the end shows.
func TestPushedIsWhatAFreshPageShows(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		log := randomLog(r)
		whole := newFold()
		for _, e := range log {
			whole.add(e)
		}
		cut := r.IntN(len(log) + 1)
		part := newFold()
		for _, e := range log[:cut] {
			part.add(e)
		}
		page := screenOf{parts: slices.Clone(part.items)}
		for _, e := range log[max(0, cut-3):] { // some are sent twice
			for _, c := range part.add(e) {
				page.apply(t, c)
			}
		}
		if diff := cmp.Diff(whole.items, page.parts, cmp.AllowUnexported(web.Steps{}, web.Step{})); diff != "" {
			t.Fatalf("seed %d, cut %d: %s", seed, cut, diff)
		}
	}
}

func TestDayName(t *testing.T) {
	now := time.Date(2026, 11, 30, 0, 30, 0, 0, time.Local) // a Monday
	for ago, want := range map[time.Duration]string{
		0: "Today", time.Hour: "Yesterday", 24 * time.Hour: "Yesterday", 25 * time.Hour: "Saturday",
		6 * 24 * time.Hour: "Tuesday", 7 * 24 * time.Hour: "23 November", 400 * 24 * time.Hour: "26 October 2025", -time.Hour: "Today",
	} {
		if got := dayName(now.Add(-ago), now); got != want {
			t.Errorf("%v ago: %q, want %q", ago, got, want)
		}
	}
}

func TestOwnPath(t *testing.T) {
	for in, want := range map[string]string{
		"": "/", "/settings": "/settings", "/chats/x?y=1": "/chats/x?y=1", "//evil.test": "/", "/\\evil.test": "/",
		"https://evil.test": "/", "settings": "/", "/a\nb": "/", "/a#here=x": "/", "javascript:alert(1)": "/",
	} {
		if got := ownPath(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

package mac

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"conch/driver"
)

// TestShield draws windows of any owners and any answers about them: what is kept away is left out by its app or
// by itself and never by both, what isn't stays, and our own process is always out.
func TestShield(t *testing.T) {
	roles := []string{"normal", "normal", "normal", "dialog", "menu", "dock", "desktop", "notification"}
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var ws []driver.Window
		for i := range r.IntN(12) {
			w := driver.Window{ID: driver.WindowID(i + 1), PID: r.IntN(5), Role: roles[r.IntN(len(roles))], App: "a"}
			if r.IntN(6) == 0 {
				w.App = bundleDock
			}
			if r.IntN(6) == 0 {
				w.App = ""
			}
			ws = append(ws, w)
		}
		keep := map[driver.WindowID]string{}
		for _, w := range ws {
			if r.IntN(3) == 0 {
				keep[w.ID] = fmt.Sprint("kept ", w.ID)
			}
		}
		asked := map[driver.WindowID]int{}
		s := newShield(ws, simSelf, func(w driver.Window) string { asked[w.ID]++; return keep[w.ID] })
		if !slices.Contains(s.leave.pids, simSelf) {
			t.Fatalf("seed %d: our own process is in the picture", seed)
		}
		for _, w := range ws {
			byApp := slices.Contains(s.leave.pids, w.PID)
			byItself := slices.Contains(s.leave.windows, uint32(w.ID))
			switch {
			case asked[w.ID] != 1:
				t.Fatalf("seed %d: asked %d times about window %d", seed, asked[w.ID], w.ID)
			case s.labels[w.ID] != keep[w.ID]:
				t.Fatalf("seed %d: window %d is labelled %q", seed, w.ID, s.labels[w.ID])
			case byApp && byItself:
				t.Fatalf("seed %d: window %d would be shown: it is excepted from an app that is left out", seed, w.ID)
			case keep[w.ID] != "" && !byApp && !byItself:
				t.Fatalf("seed %d: window %d is kept away and in the picture", seed, w.ID)
			case keep[w.ID] == "" && (byApp || byItself):
				t.Fatalf("seed %d: window %d is not kept away and left out", seed, w.ID)
			case byApp && (w.PID == 0 || ofSystem(w)):
				t.Fatalf("seed %d: all of %+v is left out", seed, w)
			}
		}
	}
}

func TestShieldOfNothing(t *testing.T) {
	s := newShield([]driver.Window{{ID: 1, PID: 2, App: "a"}}, simSelf, nil)
	if len(s.labels) != 0 || len(s.leave.windows) != 0 || !slices.Equal(s.leave.pids, []int{simSelf}) {
		t.Errorf("%+v", s)
	}
}

func TestSame(t *testing.T) {
	area := driver.ScreenRect{W: 100, H: 100}
	a := []driver.Window{
		{ID: 1, PID: 1, App: "a", Title: "x", Bounds: driver.ScreenRect{W: 10, H: 10}},
		{ID: 2, PID: 1, App: "a", Title: "y", Bounds: driver.ScreenRect{X: 200, W: 10, H: 10}},
	}
	change := func(f func([]driver.Window) []driver.Window) []driver.Window { return f(slices.Clone(a)) }
	for name, c := range map[string]struct {
		now  []driver.Window
		same bool
	}{
		"nothing":               {a, true},
		"a title outside":       {change(func(w []driver.Window) []driver.Window { w[1].Title = "z"; return w }), true},
		"one outside goes":      {a[:1], true},
		"a title":               {change(func(w []driver.Window) []driver.Window { w[0].Title = "secret"; return w }), false},
		"a move":                {change(func(w []driver.Window) []driver.Window { w[0].Bounds.X = 1; return w }), false},
		"one comes in":          {change(func(w []driver.Window) []driver.Window { w[1].Bounds.X = 50; return w }), false},
		"another in its place":  {change(func(w []driver.Window) []driver.Window { w[0].ID = 9; return w }), false},
		"another app's":         {change(func(w []driver.Window) []driver.Window { w[0].App = "b"; return w }), false},
		"focus and what's seen": {change(func(w []driver.Window) []driver.Window { w[0].Focused = true; return w }), true},
	} {
		if got := same(a, c.now, area); got != c.same {
			t.Errorf("%s: the same is %v", name, got)
		}
	}
}

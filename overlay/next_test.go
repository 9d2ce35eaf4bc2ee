package overlay

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"conch/driver"
)

func screens(n int) Screens {
	s := Screens{Blend: true}
	for i := range n {
		s.Displays = append(s.Displays, driver.Display{
			ID: fmt.Sprint("d", i), Bounds: driver.ScreenRect{X: float64(1280 * i), W: 1280, H: 800}, Main: i == 0, Scale: 1,
		})
	}
	return s
}

// world is what the effects did, and the promises that are checked after each event.
type world struct {
	held        bool
	shown       *Scene
	interrupted map[string]int
}

func (w *world) do(t *testing.T, m Model, effects []Effect) {
	t.Helper()
	for _, f := range effects {
		switch f := f.(type) {
		case Grab:
			if w.held {
				t.Fatal("the key is taken twice")
			}
			w.held = true
		case Ungrab:
			w.held = false
		case Paint:
			if f.Turn != m.Turn || f.Scene.Dark() && len(m.Screens.Displays) > 0 {
				t.Fatalf("painted for %q while %q is lit: %+v", f.Turn, m.Turn, f.Scene)
			}
			w.shown = &f.Scene
		case Clear:
			w.shown = nil
		case Interrupt:
			w.interrupted[f.Turn]++
			if n := w.interrupted[f.Turn]; n > 1 {
				t.Fatalf("turn %q is interrupted %d times", f.Turn, n)
			}
		}
	}
	if w.held != m.Lit() {
		t.Fatalf("the key is held: %v, lit: %v", w.held, m.Lit())
	}
	if !m.Lit() && w.shown != nil {
		t.Fatalf("dark, yet this is shown: %+v", w.shown)
	}
	if m.Shown && !m.Lit() {
		t.Fatal("shown, yet not lit")
	}
}

// TestRandomEvents drives Next with events in any order, as many sources send them at once.
func TestRandomEvents(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		m, w := Model{Screens: screens(1)}, &world{interrupted: map[string]int{}}
		newest := 0
		turn := func() string { return fmt.Sprint("t", max(0, newest-r.IntN(4))) }
		step := func(e Event) {
			before := m
			var effects []Effect
			m, effects = Next(m, e)
			w.do(t, m, effects)
			if end, ok := e.(Ended); ok && end.Turn != before.Turn {
				if len(effects) != 0 || !cmp.Equal(before, m, cmp.AllowUnexported(Model{}), cmpopts.EquateErrors()) {
					t.Fatalf("seed %d: a late end of %s changed something: %v", seed, end.Turn, effects)
				}
			}
			if _, ok := e.(StopPressed); ok && m.Lit() && w.interrupted[m.Turn] != 1 {
				t.Fatalf("seed %d: Stop was pressed and turn %s is not interrupted", seed, m.Turn)
			}
		}
		for range 60 {
			switch r.IntN(12) {
			case 0:
				newest++
				step(Began{turn(), "starts"})
			case 1:
				step(Began{turn(), "again"})
			case 2, 3:
				step(Step{turn(), fmt.Sprint("step ", r.IntN(3))})
			case 4:
				step(StopPressed{})
			case 5:
				step(Ended{turn()})
			case 6:
				step(ScreensChanged{screens(1 + r.IntN(2))})
			case 7:
				step(KeyChanged{Held{Key: "Super+Esc"}})
			case 8, 9:
				step(Painted{turn()})
			case 10:
				step(PaintFailed{turn(), errors.New("gone")})
			case 11:
				step(gaveUp{turn()})
			}
		}
		lit := m.Turn
		step(Ended{lit})
		if m.Lit() {
			t.Fatalf("seed %d: lit after the end of its turn", seed)
		}
	}
}

func TestAlwaysReachesDark(t *testing.T) {
	for name, last := range map[string]Event{
		"the end": Ended{"a"}, "the screen is lost": Lost{errors.New("gone")}, "Conch ends": Closed{},
		"painting fails": PaintFailed{"a", errors.New("no")},
	} {
		for _, before := range [][]Event{
			{Began{"a", ""}},
			{Began{"a", ""}, KeyChanged{}},
			{Began{"a", ""}, KeyChanged{}, Painted{"a"}},
			{Began{"a", ""}, KeyChanged{}, Painted{"a"}, StopPressed{}},
		} {
			m, w := Model{Screens: screens(1)}, &world{interrupted: map[string]int{}}
			for _, e := range append(before, last) {
				var effects []Effect
				m, effects = Next(m, e)
				w.do(t, m, effects)
			}
			if m.Lit() {
				t.Errorf("%s after %d events: still lit", name, len(before))
			}
		}
	}
}

func TestALostEdgeStopsItsTurn(t *testing.T) {
	m := lit(t, "a")
	_, effects := Next(m, PaintFailed{"a", errors.New("no")})
	if diff := cmp.Diff([]Effect{Interrupt{"a"}, Ungrab{}, Clear{}}, effects); diff != "" {
		t.Error(diff)
	}
	_, effects = Next(m, Began{"b", "next"})
	if len(effects) != 2 || effects[0] != (Interrupt{"a"}) {
		t.Errorf("another turn took the edge: %+v, want a to be interrupted", effects)
	}
}

func lit(t *testing.T, turn string) Model {
	t.Helper()
	m := Model{Screens: screens(2)}
	for _, e := range []Event{Began{turn, "Looking"}, KeyChanged{Held{Key: "Super+Esc"}}, Painted{turn}} {
		m, _ = Next(m, e)
	}
	if !m.Lit() || !m.Shown {
		t.Fatalf("not lit: %+v", m)
	}
	return m
}

func TestScene(t *testing.T) {
	m := lit(t, "a")
	s := m.Scene()
	if len(s.Edges) != 2 {
		t.Fatalf("%d edges, want one for each of two displays", len(s.Edges))
	}
	for _, e := range s.Edges {
		b := e.Display.Bounds
		covered := 0.0
		for i, r := range e.Strips {
			covered += r.W * r.H
			if r.Intersect(b) != r {
				t.Errorf("strip %d %v is outside its display %v", i, r, b)
			}
			for j := range i {
				if !r.Intersect(e.Strips[j]).Empty() {
					t.Errorf("strips %d and %d overlap", i, j)
				}
			}
		}
		if want := b.W*b.H - (b.W-2*e.Depth)*(b.H-2*e.Depth); covered != want {
			t.Errorf("the strips cover %v, want the rim of %v", covered, want)
		}
	}
	if s.Card.Bounds.W != 360 || s.Card.Bounds.H != 64 || s.Card.Bounds.X != 460 || s.Card.Key != "Super+Esc" {
		t.Errorf("the card is %+v, want 360×64 in the middle of the main display", s.Card)
	}
	if s.Card.Stop.Intersect(s.Card.Bounds) != s.Card.Stop || s.Card.Stop.H < 44 {
		t.Errorf("Stop is %+v, want it inside the card and at least 44 high", s.Card.Stop)
	}
	m.Screens.Blend = false
	if d := m.Scene().Edges[0].Depth; d != Core {
		t.Errorf("without blending a strip is %v deep, want %v", d, Core)
	}
	m.Screens.Displays[0].Bounds.W = 240 // narrower than the card
	if c := m.Scene().Card; c.Bounds.Intersect(m.Screens.Displays[0].Bounds) != c.Bounds {
		t.Errorf("the card %v reaches outside a small display", c.Bounds)
	}
	m.Screens.Displays = nil
	if !m.Scene().Dark() {
		t.Error("something is shown without a display")
	}
	if !(Model{}).Scene().Dark() {
		t.Error("the zero model shows something")
	}
}

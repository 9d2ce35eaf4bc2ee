package mac

import (
	"image/color"
	"slices"
	"testing"

	"conch/driver/drivertest"
)

// The desk of the suite.

func (s *sim) Open(_ testing.TB, spec drivertest.Win) drivertest.Fixture {
	defer s.lock()()
	w := &simWin{s: s, id: uint32(1000 + len(s.wins) + 10*s.captures + s.asked*100), pid: simOwner, alpha: 1, spec: spec, color: spec.Color}
	for slices.ContainsFunc(s.wins, func(o *simWin) bool { return o.id == w.id }) {
		w.id++
	}
	w.pid += int(w.id)
	if spec.Ours {
		w.pid = simSelf
		w.layer = 1000
	}
	s.wins = slices.Insert(s.wins, 0, w)
	s.change(w)
	return w
}

func (s *sim) Held(testing.TB) []string {
	defer s.lock()()
	var out []string
	for name := range s.down {
		out = append(out, name)
	}
	return out
}

func (s *sim) Resize(_ testing.TB, w, h int) bool {
	defer s.lock()()
	for i := range s.screens {
		if s.screens[i].main {
			s.screens[i].bounds.W, s.screens[i].bounds.H = float64(w), float64(h)
		}
	}
	return true
}

func (s *sim) Lose(testing.TB) bool { return false }

func (w *simWin) Text() string         { defer w.s.lock()(); return string(w.text) }
func (w *simWin) Clicks() int          { defer w.s.lock()(); return w.clicks }
func (w *simWin) Downs() int           { defer w.s.lock()(); return w.downs }
func (w *simWin) Ups() int             { defer w.s.lock()(); return w.ups }
func (w *simWin) Keys() int            { defer w.s.lock()(); return w.keys }
func (w *simWin) Scrolled() (int, int) { defer w.s.lock()(); return w.dx, w.dy }

func (w *simWin) Paint(_ testing.TB, c color.RGBA) {
	defer w.s.lock()()
	w.color = c
	w.s.change(w)
}

func (w *simWin) Raise(testing.TB) {
	defer w.s.lock()()
	i := slices.Index(w.s.wins, w)
	w.s.wins = slices.Insert(slices.Delete(w.s.wins, i, i+1), 0, w)
	w.s.change(w)
}

func (w *simWin) Close(testing.TB) {
	defer w.s.lock()()
	if i := slices.Index(w.s.wins, w); i >= 0 {
		w.s.wins = slices.Delete(w.s.wins, i, i+1)
	}
	w.s.change(w)
}

package drivertest

import (
	"context"
	"errors"
	"math"

	"conch/driver"
	"conch/driver/gesture"
	"conch/driver/key"
)

var pointerTests = map[string]func(*suite){
	"a click lands on the button, as the window reports": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		for n := 1; n <= 3; n++ {
			s.ok(gesture.Click(s.ctx(), s.d, middle(mainWin.Button), driver.Left, 1, 0, gesture.Unguarded))
			s.until("the button is clicked", func() bool { return w.Clicks() >= n })
		}
		s.ok(gesture.Click(s.ctx(), s.d, middle(mainWin.Button), driver.Left, 3, 0, gesture.Unguarded))
		s.until("three more clicks", func() bool { return w.Clicks() >= 6 })
		s.ok(gesture.Click(s.ctx(), s.d, middle(mainWin.Button), driver.Right, 1, 0, gesture.Unguarded))
		s.until("the right button too", func() bool { return w.Ups() >= 7 })
		s.same("clicks", 6, w.Clicks())
		s.same("presses", 7, w.Downs())
		s.nothingHeld()
	},
	"a click lands in the window in front": func(s *suite) {
		s.begin()
		back, front := s.Desk.Open(s, backWin), s.Desk.Open(s, mainWin)
		s.ok(gesture.Click(s.ctx(), s.d, overlap, driver.Left, 1, 0, gesture.Unguarded))
		s.until("the front window is clicked", func() bool { return front.Ups() == 1 })
		s.same("presses in the window behind", 0, back.Downs())
		back.Raise(s)
		s.ok(gesture.Click(s.ctx(), s.d, overlap, driver.Left, 1, 0, gesture.Unguarded))
		s.until("the other one is clicked", func() bool { return back.Ups() == 1 })
		s.same("presses in the window that is behind now", 1, front.Downs())
	},
	"the pointer goes where it is sent": func(s *suite) {
		displays, err := s.d.Displays(s.ctx())
		s.ok(err)
		for _, v := range displays {
			b := v.Bounds
			for _, p := range []driver.ScreenPoint{
				pt(b.X, b.Y), pt(b.X+b.W-1, b.Y), pt(b.X, b.Y+b.H-1), pt(b.X+b.W-1, b.Y+b.H-1), pt(b.X+b.W/3, b.Y+b.H/2),
			} {
				s.ok(s.d.Move(s.ctx(), p, driver.Anywhere))
				got, err := s.d.Pointer(s.ctx())
				s.ok(err)
				if math.Abs(got.X-p.X) > 1 || math.Abs(got.Y-p.Y) > 1 {
					s.Errorf("sent to %v, it is at %v", p, got)
				}
			}
		}
	},
	"the wheel turns by clicks": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		s.ok(gesture.Scroll(s.ctx(), s.d, middle(mainWin.Field), 3, -2, 0, gesture.Unguarded))
		s.until("both directions arrive", func() bool { dx, dy := w.Scrolled(); return dx == 3 && dy == -2 })
		s.ok(gesture.Scroll(s.ctx(), s.d, middle(mainWin.Field), -1, 14, key.ModShift, gesture.Unguarded))
		s.until("and back", func() bool { dx, dy := w.Scrolled(); return dx == 2 && dy == 12 })
		s.nothingHeld()
	},
	"a drag presses here and lifts there": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		to := middle(mainWin.Button)
		s.ok(gesture.Drag(s.ctx(), s.d, middle(mainWin.Field), to, driver.Left, 0, gesture.Unguarded))
		s.until("it ends", func() bool { return w.Ups() == 1 })
		s.same("presses", 1, w.Downs())
		s.same("clicks on the button that it was dropped on", 0, w.Clicks())
		got, err := s.d.Pointer(s.ctx())
		s.ok(err)
		s.same("where it ended", to, got)
		s.nothingHeld()
	},
	"a drag that is stopped lets go": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		ctx, cancel := context.WithCancel(s.ctx())
		defer cancel()
		asked, held := 0, 0
		err := gesture.Drag(ctx, s.d, middle(mainWin.Field), middle(mainWin.Button), driver.Left, key.ModControl, func(context.Context, *driver.ScreenPoint) (driver.Into, error) {
			if asked++; asked == 10 {
				held = len(s.Desk.Held(s))
				cancel()
			}
			return driver.Anywhere, nil
		})
		if !errors.Is(err, context.Canceled) {
			s.Errorf("it ended with %v", err)
		}
		s.same("keys and buttons held on the way", 2, held)
		s.nothingHeld()
		s.until("the window sees the button go up", func() bool { return w.Ups() == 1 })
	},
	"a button that is held is lifted": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		s.ok(s.d.Move(s.ctx(), middle(mainWin.Field), driver.Anywhere))
		for _, b := range []driver.Button{driver.Left, driver.Middle, driver.Right} {
			s.ok(s.d.Button(s.ctx(), b, true, driver.Anywhere))
			s.same("held", 1, len(s.Desk.Held(s)))
			s.ok(s.d.Release(s.ctx()))
			s.nothingHeld()
		}
		s.ok(s.d.Release(s.ctx())) // with nothing held
	},
}

// nothingHeld asks the system.
func (s *suite) nothingHeld() {
	s.Helper()
	if held := s.Desk.Held(s); len(held) > 0 {
		s.Errorf("still held: %v", held)
	}
}

package drivertest

import (
	"errors"

	"conch/driver"
	"conch/driver/gesture"
	"conch/driver/key"
)

// posts is every way in which a driver sends something that can do harm where it wasn't meant to land.
var posts = map[string]func(*suite, driver.Into) error{
	"Move":   func(s *suite, into driver.Into) error { return s.d.Move(s.ctx(), overlap, into) },
	"Button": func(s *suite, into driver.Into) error { return s.d.Button(s.ctx(), driver.Left, true, into) },
	"Scroll": func(s *suite, into driver.Into) error { return s.d.Scroll(s.ctx(), 1, 1, into) },
	"Key":    func(s *suite, into driver.Into) error { return s.d.Key(s.ctx(), "a", true, into) },
	"Text": func(s *suite, into driver.Into) error {
		n, err := s.d.Text(s.ctx(), "né👋 ", into)
		if err != nil && n != 0 {
			s.Errorf("%d characters were typed, and then %v", n, err)
		}
		return err
	},
}

var intoTests = map[string]func(*suite){
	"what is meant for another window isn't sent": func(s *suite) {
		s.begin()
		back, front := s.Desk.Open(s, backWin), s.Desk.Open(s, mainWin)
		s.ok(s.d.Move(s.ctx(), overlap, driver.Anywhere))
		for name, post := range posts {
			for what, into := range map[string]driver.Into{
				"the window behind": driver.IntoWindow(s.window(backWin)), "no window": driver.IntoWindow(0),
				"one that isn't there": driver.IntoWindow(0x7fff_fff1), "nowhere": {},
			} {
				if err := post(s, into); !errors.Is(err, driver.ErrElsewhere) {
					s.Errorf("%s into %s: %v", name, what, err)
				}
				s.nothingHeld()
			}
		}
		// One event that does arrive shows that none came before it.
		s.ok(gesture.Press(s.ctx(), s.d, key.Chord{Key: "z"}, 1, gesture.Unguarded))
		s.until("a later key arrives", func() bool { return front.Text() != "" })
		dx, dy := front.Scrolled()
		s.same("all that arrived", []any{"z", 0, 0, 0}, []any{front.Text(), front.Downs(), dx, dy})
		dx, dy = back.Scrolled()
		s.same("all that arrived behind", []any{"", 0, 0, 0}, []any{back.Text(), back.Downs(), dx, dy})
	},
	"what is meant for the window in front arrives there": func(s *suite) {
		s.begin()
		front := s.Desk.Open(s, mainWin)
		ours := s.Desk.Open(s, Win{Title: "Edge", App: "Conch", Bounds: mainWin.Bounds, Color: orange, Ours: true, Through: true})
		into := driver.IntoWindow(s.window(mainWin))
		for _, name := range []string{"Move", "Text", "Scroll", "Button", "Key"} {
			if err := posts[name](s, into); err != nil {
				s.Errorf("%s: %v", name, err)
			}
		}
		// Another window comes to the front: what goes down or drops there is refused, a key that is lifted is lifted.
		other := s.Desk.Open(s, backWin)
		if err := s.d.Key(s.ctx(), "b", true, into); !errors.Is(err, driver.ErrElsewhere) {
			s.Errorf("a key into the window that is behind now: %v", err)
		}
		if err := s.d.Button(s.ctx(), driver.Left, false, into); !errors.Is(err, driver.ErrElsewhere) {
			s.Errorf("a drop into the window that is behind now: %v", err)
		}
		s.same("held", 2, len(s.Desk.Held(s)))
		s.ok(s.d.Key(s.ctx(), "a", false, into), s.d.Button(s.ctx(), driver.Left, false, driver.Anywhere))
		s.nothingHeld()
		s.until("all of it arrives", func() bool { return front.Text() == "né👋 a" && front.Downs() == 1 })
		dx, dy := front.Scrolled()
		s.same("what was scrolled", []int{1, 1}, []int{dx, dy})
		s.same("presses in the other window", 0, other.Downs()+ours.Downs())
	},
}

// window finds a window of the desk in the driver's list.
func (s *suite) window(w Win) driver.WindowID {
	s.Helper()
	ws, err := s.d.Windows(s.ctx())
	s.ok(err)
	for _, v := range ws {
		if v.Title == w.Title {
			return v.ID
		}
	}
	s.Fatalf("%q isn't among %v", w.Title, ws)
	return 0
}

package drivertest

import (
	"context"
	"errors"
	"sync"
	"time"

	"conch/driver"
	"conch/driver/gesture"
)

var changeTests = map[string]func(*suite){
	"changes are counted": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		n := s.idle()
		for _, c := range []struct {
			what string
			do   func()
		}{
			{"painting", func() { w.Paint(s, teal) }},
			{"opening a window", func() { s.Desk.Open(s, backWin) }},
			{"raising one", func() { w.Raise(s) }},
			{"closing one", func() { w.Close(s) }},
		} {
			c.do()
			now, err := s.d.Changed(s.ctx(), n)
			if err != nil || now <= n {
				s.Fatalf("%s: %d changes, %d before, %v", c.what, now, n, err)
			}
			if n = s.idle(); n < now {
				s.Fatalf("%s: the count went from %d to %d", c.what, now, n)
			}
		}
	},
	"waiting for a change ends with its context": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		n := s.idle()
		ctx, cancel := context.WithTimeout(s.ctx(), 100*time.Millisecond)
		defer cancel()
		now, err := s.d.Changed(ctx, n)
		if !errors.Is(err, context.DeadlineExceeded) || now != n {
			s.Errorf("%d changes after %d, %v", now, n, err)
		}
	},
	"moving the pointer changes nothing": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		s.ok(s.d.Move(s.ctx(), pt(300, 250), driver.Anywhere))
		n := s.idle()
		for i := range 20 {
			s.ok(s.d.Move(s.ctx(), pt(300+float64(i), 250), driver.Anywhere))
		}
		s.same("changes", n, s.idle())
	},
	"a display that changes size makes pictures stale": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		s.idle()
		p := s.look(driver.Shot{})
		if !s.Desk.Resize(s, 720, 540) {
			s.Skip("this desk can't be resized")
		}
		s.until("the display has its new size", func() bool {
			b := s.mainDisplay().Bounds
			return b.W == 720 && b.H == 540
		})
		now, err := s.d.Displays(s.ctx())
		s.ok(err)
		var stale *driver.StaleError
		if err := p.Check(now); !errors.As(err, &stale) {
			s.Errorf("the picture from before: %v", err)
		}
		if _, err := s.d.Changed(s.ctx(), p.Change); err != nil {
			s.Error(err)
		}
		again := s.look(driver.Shot{})
		s.ok(again.Check(now))
		s.same("the new picture's area", s.mainDisplay().Bounds, again.Area)
	},
}

var lifeTests = map[string]func(*suite){
	"looking needs Begin": func(s *suite) {
		refused := func(when string) {
			s.Helper()
			if _, err := s.d.Look(s.ctx(), driver.Shot{}); !errors.Is(err, driver.ErrNotBegun) {
				s.Errorf("Look %s: %v", when, err)
			}
			if _, err := s.d.Changed(s.ctx(), 0); !errors.Is(err, driver.ErrNotBegun) {
				s.Errorf("Changed %s: %v", when, err)
			}
		}
		s.ok(s.d.Ready(s.ctx()))
		refused("before Begin")
		s.ok(s.d.End(s.ctx())) // free
		s.begin()
		s.ok(s.d.Begin(s.ctx()))
		w := s.Desk.Open(s, mainWin)
		s.idle()
		s.look(driver.Shot{})
		s.ok(s.d.End(s.ctx()))
		refused("after End")
		s.ok(s.d.End(s.ctx()))
		// What was painted in between is in the next picture, and the old one is not.
		w.Paint(s, orange)
		s.ok(s.d.Begin(s.ctx()))
		s.idle()
		p := s.look(driver.Shot{})
		s.same("pixels from before", 0, count(p, mainWin.Color))
		s.same("pixels from now", true, count(p, orange) > 10_000)
	},
	"End lifts what is held": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		s.ok(s.d.Key(s.ctx(), "F9", true, driver.Anywhere), s.d.Move(s.ctx(), middle(mainWin.Field), driver.Anywhere), s.d.Button(s.ctx(), driver.Left, true, driver.Anywhere))
		s.same("held", 2, len(s.Desk.Held(s)))
		s.ok(s.d.End(s.ctx()))
		s.nothingHeld()
	},
	"Close lifts what is held and ends it": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		s.ok(s.d.Key(s.ctx(), "F9", true, driver.Anywhere))
		s.ok(s.d.Close())
		s.nothingHeld()
		s.unusable()
		s.ok(s.d.Close())
	},
	"a lost display is said in a sentence": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		waiting := make(chan error, 1)
		ctx := s.ctx()
		go func() {
			n := uint64(0)
			for {
				now, err := s.d.Changed(ctx, n)
				if n = now; err != nil {
					waiting <- err
					return
				}
			}
		}()
		if !s.Desk.Lose(s) {
			s.ok(s.d.End(s.ctx()))
			if err := <-waiting; err == nil {
				s.Error("waiting for a change ends without a reason")
			}
			s.Skip("this desk can't lose its display")
		}
		if err := <-waiting; err == nil || errors.Is(err, context.DeadlineExceeded) {
			s.Errorf("whoever waited for a change learns %v", err)
		}
		s.unusable()
	},
	"several goroutines may use it": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		ctx := s.ctx()
		var all sync.WaitGroup
		for _, f := range []func() error{
			func() error { _, err := s.d.Look(ctx, driver.Shot{MaxW: 200}); return err },
			func() error { _, err := s.d.Windows(ctx); return err },
			func() error { _, err := s.d.Displays(ctx); return err },
			func() error { _, err := s.d.Pointer(ctx); return err },
			func() error {
				short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
				defer cancel()
				if _, err := s.d.Changed(short, 1<<60); !errors.Is(err, context.DeadlineExceeded) {
					return err
				}
				return nil
			},
			func() error { _, err := s.d.Text(ctx, "x", driver.Anywhere); return err },
		} {
			all.Go(func() {
				for range 12 {
					if err := f(); err != nil {
						s.Error(err)
					}
				}
			})
		}
		all.Wait()
		s.until("all that was typed arrives", func() bool { return w.Text() == "xxxxxxxxxxxx" })
	},
	"apps that aren't there can't be opened": func(s *suite) {
		s.begin()
		if err := s.d.Open(s.ctx(), "org.example.surely-not-installed"); !errors.Is(err, driver.ErrNoApp) {
			s.Errorf("it gives %v", err)
		}
		_, err := s.d.Apps(s.ctx())
		s.ok(err)
	},
}

// unusable asks everything of a driver without a display: each answers soon, with an error.
func (s *suite) unusable() {
	s.Helper()
	s.until("Ready says so", func() bool { return s.d.Ready(s.ctx()) != nil })
	var u *driver.Unready
	if err := s.d.Ready(s.ctx()); !errors.As(err, &u) || u.Say == "" || u.Why == driver.WhyUnknown {
		s.Errorf("Ready: %#v", err)
	}
	_, errLook := s.d.Look(s.ctx(), driver.Shot{})
	_, errWindows := s.d.Windows(s.ctx())
	_, errText := s.d.Text(s.ctx(), "x", driver.Anywhere)
	for name, err := range map[string]error{
		"Look": errLook, "Windows": errWindows, "Text": errText, "Begin": s.d.Begin(s.ctx()),
		"Move": s.d.Move(s.ctx(), pt(1, 1), driver.Anywhere), "Button": s.d.Button(s.ctx(), driver.Left, true, driver.Anywhere), "Key": s.d.Key(s.ctx(), "a", true, driver.Anywhere),
		"a click": gesture.Click(s.ctx(), s.d, pt(1, 1), driver.Left, 1, 0, gesture.Unguarded),
	} {
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			s.Errorf("%s: %v", name, err)
		}
	}
}

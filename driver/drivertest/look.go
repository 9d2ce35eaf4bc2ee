package drivertest

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"

	"conch/driver"
	"conch/driver/gesture"
)

var lookTests = map[string]func(*suite){
	"a picture and its frame agree": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		s.idle()
		whole := s.look(driver.Shot{})
		// Bare content, away from field, button and edges.
		bare := pt(mainWin.Bounds.X+mainWin.Bounds.W-30, mainWin.Bounds.Y+mainWin.Bounds.H-150)
		for name, shot := range map[string]driver.Shot{
			"the whole":   {},
			"a fit":       {MaxW: 500, MaxH: 500, MaxArea: 150_000},
			"a part":      {Area: mainWin.Bounds},
			"a part, fit": {Area: mainWin.Bounds, MaxW: 133},
		} {
			p := s.look(shot)
			if shot.MaxW > 0 && p.W > shot.MaxW || shot.MaxH > 0 && p.H > shot.MaxH || shot.MaxArea > 0 && p.W*p.H > shot.MaxArea {
				s.Errorf("%s is %d by %d", name, p.W, p.H)
			}
			if at, in := p.Pixel(bare); !in || p.Pix.RGBAAt(at.X, at.Y) != mainWin.Color {
				s.Errorf("%s shows %v at %v (%v), want %v", name, p.Pix.RGBAAt(at.X, at.Y), at, in, mainWin.Color)
			}
			if back, err := p.Place(driver.PicPoint{X: p.W - 1, Y: p.H - 1}); err != nil || !p.Area.Contains(back) {
				s.Errorf("%s: its last pixel is at %v, %v, outside %v", name, back, err, p.Area)
			}
			now, err := s.d.Displays(s.ctx())
			s.ok(err)
			s.ok(p.Check(now))
			if p.Taken.IsZero() || !p.Display.Main {
				s.Errorf("%s was taken at %v of %v", name, p.Taken, p.Display)
			}
		}
		if n := count(whole, mainWin.Color); n < 10_000 {
			s.Errorf("%d pixels of the window are seen", n)
		}
		for i := 3; i < len(whole.Pix.Pix); i += 4 {
			if whole.Pix.Pix[i] != 0xff {
				s.Fatal("the picture isn't opaque")
			}
		}
	},
	"a still desk gives the same picture": func(s *suite) {
		s.begin()
		s.Desk.Open(s, backWin)
		s.Desk.Open(s, mainWin)
		s.ok(s.d.Move(s.ctx(), pt(5, 5), driver.Anywhere))
		n := s.idle()
		a, b := s.look(driver.Shot{}), s.look(driver.Shot{})
		if !bytes.Equal(a.Pix.Pix, b.Pix.Pix) {
			s.Errorf("two pictures differ: %s", difference(a, b))
		}
		if a.Change < n {
			s.Errorf("the picture counts %d changes, %d were seen before", a.Change, n)
		}
	},
	"windows are listed front to back": func(s *suite) {
		s.begin()
		back, _ := s.Desk.Open(s, backWin), s.Desk.Open(s, mainWin)
		order := func() (titles []string, by map[string]driver.Window) {
			ws, err := s.d.Windows(s.ctx())
			s.ok(err)
			by = map[string]driver.Window{}
			for _, w := range ws {
				if w.Title == "Front" || w.Title == "Back" {
					titles = append(titles, w.Title)
					by[w.Title] = w
				}
			}
			return titles, by
		}
		titles, by := order()
		s.same("windows", []string{"Front", "Back"}, titles)
		for _, spec := range []Win{mainWin, backWin} {
			w := by[spec.Title]
			if w.Class != spec.App || w.PID == 0 || w.ID == 0 || w.Bounds.Intersect(spec.Bounds) != spec.Bounds {
				s.Errorf("%s is %+v", spec.Title, w)
			}
		}
		if !by["Front"].Focused || by["Back"].Focused {
			s.Error("the window in front hasn't the keys")
		}
		s.same("what of the front is seen at the overlap", true, seen(by["Front"], overlap))
		s.same("what of the back is seen at the overlap", false, seen(by["Back"], overlap))
		s.same("what of the back is seen beside it", true, seen(by["Back"], pt(60, 200)))
		back.Raise(s)
		titles, by = order()
		s.same("windows", []string{"Back", "Front"}, titles)
		s.same("what of the back is seen now", true, seen(by["Back"], overlap))
		p := s.look(driver.Shot{})
		ws, err := s.d.Windows(s.ctx())
		s.ok(err)
		s.same("the windows of a picture", ws, p.Windows)
		back.Close(s)
		titles, _ = order()
		s.same("windows", []string{"Front"}, titles)
	},
	"a covered window's pixels are nowhere": func(s *suite) {
		s.begin()
		back, front := s.Desk.Open(s, backWin), s.Desk.Open(s, mainWin)
		s.ok(s.d.Move(s.ctx(), pt(5, 5), driver.Anywhere))
		s.idle()
		asked := map[string]int{}
		shot := driver.Shot{Cover: func(w driver.Window) string {
			asked[w.Title]++
			if w.Title == "Back" {
				return "Backapp — kept away"
			}
			return ""
		}}
		fit := shot
		fit.MaxW = 333
		// A driver may cover more for a while: a new window may have begun as a copy of what was below it, until
		// its app draws.
		small, p := s.look(fit), s.look(shot)
		s.until("the window above the covered one is shown whole, and the picture is still", func() bool {
			front.Paint(s, mainWin.Color)
			before := p
			small, p = s.look(fit), s.look(shot)
			at, _ := p.Pixel(overlap)
			return p.Pix.RGBAAt(at.X, at.Y) == mainWin.Color && bytes.Equal(before.Pix.Pix, p.Pix.Pix)
		})
		clear(asked)
		s.look(fit)
		s.look(shot)
		w, _ := s.find("Back")
		s.same("covered", []driver.WindowID{w.ID}, p.Covered)
		s.same("how often each window was asked about, in two pictures", map[string]int{"Back": 2, "Front": 2},
			map[string]int{"Back": asked["Back"], "Front": asked["Front"]})
		if n := count(p, backWin.Color); n > 0 {
			s.Errorf("%d of its pixels are seen", n)
		}
		if n := count(p, mainWin.Color); n < 10_000 {
			s.Errorf("of the window above it %d pixels are seen", n)
		}
		for _, c := range []color.RGBA{orange, backWin.Color, teal} {
			back.Paint(s, c)
			s.idle()
			if again := s.look(shot); !bytes.Equal(again.Pix.Pix, p.Pix.Pix) {
				s.Errorf("what a covered window holds changes the picture: %s", difference(p, again))
			}
			if again := s.look(fit); !bytes.Equal(again.Pix.Pix, small.Pix.Pix) {
				s.Errorf("what a covered window holds changes the small picture: %s", difference(small, again))
			}
		}
		s.until("it is seen when it isn't covered", func() bool { return count(s.look(driver.Shot{}), teal) > 10_000 })
		front.Close(s)
		s.idle()
		if n := count(s.look(shot), teal); n > 0 {
			s.Errorf("%d of its pixels are seen after the window above it went", n)
		}
	},
	"windows of ours are nowhere": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		s.ok(s.d.Move(s.ctx(), pt(5, 5), driver.Anywhere))
		s.idle()
		before := s.look(driver.Shot{})
		n := s.idle()
		edge := s.Desk.Open(s, Win{Title: "Edge", App: "Conch", Bounds: mainWin.Bounds, Color: orange, Ours: true, Through: true})
		if _, there := s.find("Edge"); there {
			s.Error("a window of ours is in the list")
		}
		after := s.look(driver.Shot{})
		if !bytes.Equal(before.Pix.Pix, after.Pix.Pix) {
			s.Errorf("the picture has %d pixels of it, or has changed: %s", count(after, orange), difference(before, after))
		}
		edge.Paint(s, teal)
		s.same("changes while ours was shown and painted", n, s.idle())
		s.ok(gesture.Click(s.ctx(), s.d, middle(mainWin.Button), driver.Left, 1, 0, gesture.Unguarded))
		s.until("a click goes through it", func() bool { return w.Clicks() == 1 })
	},
	"a display that isn't there has no picture": func(s *suite) {
		s.begin()
		if p, err := s.d.Look(s.ctx(), driver.Shot{Display: "no such display"}); err == nil {
			s.Errorf("it has %v", p.Frame)
		}
		displays, err := s.d.Displays(s.ctx())
		s.ok(err)
		mains := 0
		for _, v := range displays {
			p := s.look(driver.Shot{Display: v.ID, MaxW: 100})
			s.same("the display of a picture", v, p.Display)
			if v.Main {
				mains++
			}
		}
		s.same("main displays", 1, mains)
	},
	"what is under a point is a control or nothing": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		c, err := s.d.Control(s.ctx(), middle(mainWin.Button))
		if err != nil && !errors.Is(err, driver.ErrNoControl) {
			s.Error(err)
		}
		if err == nil && (c.Role == "" || !c.Bounds.Contains(middle(mainWin.Button))) {
			s.Errorf("it is %+v", c)
		}
		found, err := s.d.Find(s.ctx(), "surely no control is called this")
		if len(found) > 0 || err != nil && !errors.Is(err, driver.ErrNoControl) {
			s.Errorf("%v, %v", found, err)
		}
	},
}

// difference says where two pictures differ.
func difference(a, b *driver.Picture) string {
	if a.Pix.Rect != b.Pix.Rect {
		return fmt.Sprintf("%v and %v", a.Pix.Rect, b.Pix.Rect)
	}
	n, where, first := 0, image.Rectangle{}, ""
	for y := range a.H {
		for x := range a.W {
			if was, is := a.Pix.RGBAAt(x, y), b.Pix.RGBAAt(x, y); was != is {
				if n++; n == 1 {
					first = fmt.Sprintf("%v instead of %v", is, was)
				}
				where = where.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return fmt.Sprintf("%d pixels within %v, the first is %s", n, where, first)
}

func seen(w driver.Window, p driver.ScreenPoint) bool {
	for _, r := range w.Visible {
		if r.Contains(p) {
			return true
		}
	}
	return false
}

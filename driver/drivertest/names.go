package drivertest

import (
	"context"
	"errors"

	"conch/driver"
)

// secretWin is a window with a password field, partly below mainWin when that is opened after it.
var secretWin = Win{
	Title: "Sign in", App: "Signapp", Bounds: rect(40, 60, 400, 300), Color: violet,
	Field: rect(60, 180, 300, 60), Button: rect(60, 300, 100, 40), Secure: true,
}

var nameTests = map[string]func(*suite){
	"what has the keys is the field or nothing": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		f, err := s.d.Focus(s.ctx())
		s.known(err)
		if err == nil && (f.Control.Bounds != mainWin.Field || f.Control.Secure || f.Control.Role != "textbox") {
			s.Errorf("the keys are in %+v", f)
		}
		s.Desk.Open(s, secretWin)
		f, err = s.d.Focus(s.ctx())
		s.known(err)
		if err == nil && (f.Control.Bounds != secretWin.Field || !f.Control.Secure) {
			s.Errorf("in a password field, the keys are in %+v", f)
		}
	},
	"a password field is known under the pointer": func(s *suite) {
		s.begin()
		s.Desk.Open(s, secretWin)
		c, err := s.d.Control(s.ctx(), middle(secretWin.Field))
		s.known(err)
		if err == nil && (!c.Secure || c.Bounds != secretWin.Field) {
			s.Errorf("it is %+v", c)
		}
	},
	"password fields are listed where they are seen": func(s *suite) {
		s.begin()
		under := s.Desk.Open(s, secretWin)
		s.secrets("alone", secretWin.Field)
		front := s.Desk.Open(s, mainWin)
		left := secretWin.Field
		left.W = mainWin.Bounds.X - left.X
		s.secrets("partly covered", left)
		front.Close(s)
		s.secrets("uncovered", secretWin.Field)
		under.Close(s)
		s.secrets("gone")
		ours := mainWin
		ours.Ours, ours.Secure = true, true
		s.Desk.Open(s, ours)
		s.secrets("ours alone")
	},
	"names are asked for on a context that has ended in vain": func(s *suite) {
		s.begin()
		s.Desk.Open(s, secretWin)
		over, cancel := context.WithCancel(s.ctx())
		cancel()
		_, first := s.d.Focus(over)
		_, second := s.d.Secrets(over)
		for _, err := range []error{first, second} {
			if !errors.Is(err, context.Canceled) {
				s.Errorf("it is %v", err)
			}
		}
	},
}

// known fails the test when a name could not be had where it has to be, or not in the way that is promised.
func (s *suite) known(err error) {
	s.Helper()
	if err != nil && (s.Named || !errors.Is(err, driver.ErrNoControl)) {
		s.Error(err)
	}
}

// secrets compares the places of password fields; where nothing can be named there are none.
func (s *suite) secrets(when string, want ...driver.ScreenRect) {
	s.Helper()
	got, err := s.d.Secrets(s.ctx())
	s.ok(err)
	if !s.Named {
		want = nil
	}
	area := func(rs []driver.ScreenRect) (all float64) {
		for _, r := range rs {
			all += r.W * r.H
		}
		return all
	}
	same := area(got) == area(want)
	for _, r := range got { // parts may be cut in any way
		inside := false
		for _, w := range want {
			inside = inside || r.Intersect(w) == r
		}
		same = same && inside
	}
	if !same {
		s.Errorf("%s: password fields at %v, want %v", when, got, want)
	}
}

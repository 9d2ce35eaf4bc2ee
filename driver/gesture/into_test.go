package gesture

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"conch/driver"
	"conch/driver/fake"
)

// What would land in another window than the guard said is judged anew, a few times, and never sent there.
func TestIntoAnotherWindow(t *testing.T) {
	for name, do := range all {
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(t, screen)
			if err := d.Apply(`window 9 "Cover" cover 0,0 1000x800 front { field cover 10,10 900x700 }`); err != nil {
				t.Fatal(err)
			}
			asked := 0
			err := do(t.Context(), d, func(context.Context, *driver.ScreenPoint) (driver.Into, error) {
				asked++
				return driver.IntoWindow(1), nil
			})
			if name == "mouse up" { // lifts what may have been pressed anywhere
				return
			}
			if !errors.Is(err, driver.ErrElsewhere) || len(d.Events()) > 0 || asked > mostAsked {
				t.Errorf("%s: %v after %d questions; %v were posted", name, err, asked, d.Events())
			}
		})
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(t, screen)
			err := do(t.Context(), d, func(context.Context, *driver.ScreenPoint) (driver.Into, error) { return driver.Into{}, nil })
			if name != "mouse up" && (!errors.Is(err, driver.ErrElsewhere) || len(d.Events()) > 0) {
				t.Errorf("%s by a guard that says nowhere: %v, %v", name, err, d.Events())
			}
		})
	}
}

// A text that is broken off by another window goes on right where it was, when the guard says that it may.
func TestTypeGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(t, screen+"-- after type body \"bc\" --\nfront 2\n")
		text := strings.Repeat("abcdé👋", 40)
		back := 0
		n, err := Type(t.Context(), d, text, func(context.Context, *driver.ScreenPoint) (driver.Into, error) {
			ws, err := d.Windows(t.Context())
			if err == nil && driver.IntoWindow(1).Keys(ws) != nil {
				back++
				err = d.Apply("front 1")
			}
			return driver.IntoWindow(1), err
		})
		if err != nil || n != 240 || d.Value("body") != text || back == 0 || len(d.Landed(2)) > 0 {
			t.Errorf("typed %d, %v, brought back %d times; the field holds %q, the other window got %v", n, err, back, d.Value("body"), d.Landed(2))
		}
		var short *ShortError
		n, err = Type(t.Context(), fake.New(t, screen+"-- after type body \"bc\" --\nfront 2\n"), text, func(context.Context, *driver.ScreenPoint) (driver.Into, error) {
			return driver.IntoWindow(1), nil
		})
		if n != 3 || !errors.As(err, &short) || !errors.Is(err, driver.ErrElsewhere) {
			t.Errorf("typed %d, %v", n, err)
		}
	})
}

// A drag drops what it has where it was told to, or where it took it: nothing is dropped half-way, whatever comes up
// before whichever event. Only where another window covers the beginning too, it lets go where it is.
func TestDragDropsNothingHalfWay(t *testing.T) {
	from, to := pt(150, 150), pt(850, 620)
	for what, cover := range map[string]string{"the end": "560,400 440x400", "the way": "300,200 440x600", "all of it": "0,0 1000x800"} {
		for n := 0; ; n++ {
			done := false
			synctest.Test(t, func(t *testing.T) {
				d := fake.New(t, screen)
				tr := &trap{Driver: d, left: n, before: true, spring: func() error {
					return d.Apply("window 9 \"Cover\" cover " + cover + " front")
				}}
				err := Drag(t.Context(), tr, from, to, driver.Left, 0, func(_ context.Context, p *driver.ScreenPoint) (driver.Into, error) {
					ws, err := d.Windows(t.Context())
					w, _ := driver.At(ws, *p)
					if w.ID == 9 {
						return driver.Into{}, errors.New("covered")
					}
					return driver.IntoWindow(w.ID), err
				})
				last := fake.Event{}
				if ev := d.Events(); len(ev) > 0 {
					last = ev[len(ev)-1]
				}
				switch {
				case err == nil:
					if !tr.sprung {
						done = true
					}
					if last.At != to || tr.sprung && what != "the way" {
						t.Errorf("%s, at event %d: dropped at %v", what, n, last.At)
					}
				case last.Kind == fake.Pressed && last.At != from && what != "all of it":
					t.Errorf("%s, at event %d: dropped half-way, at %v, since %v", what, n, last.At, err)
				}
				quiet(t, d, what, false)
			})
			if done {
				if n < dragPoints {
					t.Errorf("%s: only %d events", what, n)
				}
				break
			}
		}
	}
}

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

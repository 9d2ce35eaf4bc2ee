package gesture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"conch/driver"
	"conch/driver/fake"
	"conch/driver/key"
)

// trap lets n calls of a driver through and springs at the next: before the call, or after it.
type trap struct {
	driver.Driver
	left   int
	before bool
	spring func() error
	sprung bool
}

func (t *trap) around(do func() error) error {
	t.left--
	if t.left != -1 {
		return do()
	}
	t.sprung = true
	if t.before {
		if err := t.spring(); err != nil {
			return err
		}
		return do()
	}
	return errors.Join(do(), t.spring())
}

func (t *trap) Move(c context.Context, p driver.ScreenPoint, into driver.Into) error {
	return t.around(func() error { return t.Driver.Move(c, p, into) })
}

func (t *trap) Button(c context.Context, b driver.Button, down bool, into driver.Into) error {
	return t.around(func() error { return t.Driver.Button(c, b, down, into) })
}

func (t *trap) Scroll(c context.Context, dx, dy int, into driver.Into) error {
	return t.around(func() error { return t.Driver.Scroll(c, dx, dy, into) })
}

func (t *trap) Key(c context.Context, k key.Key, down bool, into driver.Into) error {
	return t.around(func() error { return t.Driver.Key(c, k, down, into) })
}

func (t *trap) Text(c context.Context, s string, into driver.Into) (n int, err error) {
	err = t.around(func() error { n, err = t.Driver.Text(c, s, into); return err })
	return n, err
}

// Whatever happens at whichever call, nothing is held afterwards and nothing more is posted.
func TestEveryWayOut(t *testing.T) {
	boom := errors.New("boom")
	for name, do := range all {
		for _, kind := range []string{"cancel", "error", "panic"} {
			for n := 0; ; n++ {
				sprung := false
				for _, before := range []bool{true, false} {
					synctest.Test(t, func(t *testing.T) {
						d := fake.New(t, screen)
						ctx, cancel := context.WithCancel(t.Context())
						defer cancel()
						tr := &trap{Driver: d, left: n, before: before, spring: map[string]func() error{
							"cancel": func() error { cancel(); return nil },
							"error":  func() error { return boom },
							"panic":  func() error { panic(boom) },
						}[kind]}
						at := fmt.Sprintf("%s, %s at call %d (before: %v)", name, kind, n, before)
						err, panicked := attempt(func() error { return do(ctx, tr, Unguarded) })
						if sprung = sprung || tr.sprung; !tr.sprung {
							return
						}
						// A cancel after the very last event comes too late to be noticed; all is lifted then.
						if err == nil && kind != "cancel" || kind == "panic" != panicked {
							t.Errorf("%s: %v, panicked %v", at, err, panicked)
						}
						quiet(t, d, at, err == nil && name == "mouse down")
					})
				}
				if !sprung {
					break
				}
			}
		}
	}
}

func attempt(f func() error) (err error, panicked bool) {
	defer func() {
		if r := recover(); r != nil {
			err, panicked = fmt.Errorf("%v", r), true
		}
	}()
	return f(), false
}

// quiet fails unless nothing is held and nothing more is posted.
func quiet(t *testing.T, d *fake.Driver, at string, mayHold bool) {
	t.Helper()
	if held := d.Held(); len(held) > 0 && !mayHold {
		t.Errorf("%s: %v held afterwards", at, held)
	}
	n := len(d.Events())
	time.Sleep(5 * time.Second) // of the bubble's clock
	if more := d.Events()[n:]; len(more) > 0 {
		t.Errorf("%s: %v came after it had returned", at, more)
	}
}

// A guard that refuses, fails or panics stops the gesture at once.
func TestGuardStops(t *testing.T) {
	refused := errors.New("refused")
	for name, do := range all {
		for n := 0; ; n++ {
			asked := 0
			synctest.Test(t, func(t *testing.T) {
				d := fake.New(t, screen)
				posted := 0
				err, panicked := attempt(func() error {
					return do(t.Context(), d, anywhere(func(context.Context, *driver.ScreenPoint) error {
						if asked++; asked <= n {
							return nil
						}
						posted = len(d.Events())
						if n%2 == 1 {
							panic(refused)
						}
						return refused
					}))
				})
				if asked <= n {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					return
				}
				at := fmt.Sprintf("%s, refused at question %d", name, n)
				if panicked != (n%2 == 1) || !panicked && !errors.Is(err, refused) {
					t.Errorf("%s: %v, panicked %v", at, err, panicked)
				}
				for _, e := range d.Events()[posted:] {
					if name == "drag" && e.Kind == fake.Moved && e.At == pt(150, 150) {
						continue // it goes back before it lets go
					}
					if e.Down || e.Kind != fake.Keyed && e.Kind != fake.Pressed {
						t.Errorf("%s: %v was posted", at, e)
					}
				}
				quiet(t, d, at, false)
			})
			if asked <= n {
				if n == 0 {
					t.Errorf("%s never asks its guard", name)
				}
				break
			}
		}
	}
}

// At any moment of a gesture a cancel ends it: the times are random, the clock isn't.
func TestCancelAtAnyMoment(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, do := range all {
		for range 60 {
			synctest.Test(t, func(t *testing.T) {
				d := fake.New(t, screen)
				if err := d.Apply("slow text 1ms\nslow key 3ms\nslow button 2ms\nslow move 1ms"); err != nil {
					t.Fatal(err)
				}
				after := time.Duration(r.IntN(500_000)) * time.Microsecond
				ctx, cancel := context.WithTimeout(t.Context(), after)
				defer cancel()
				start := time.Now()
				err := do(ctx, d, Unguarded)
				at := fmt.Sprintf("%s, cancelled after %v", name, after)
				if err != nil && (!errors.Is(err, context.DeadlineExceeded) || time.Since(start) > after) {
					t.Errorf("%s: %v after %v", at, err, time.Since(start))
				}
				quiet(t, d, at, err == nil && name == "mouse down")
			})
		}
	}
}

// A driver that can't lift what it holds is reported, and doesn't hold up Stop for long.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(t, screen)
		if err := d.Apply("hang release"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		err := Hold(ctx, d, key.Chord{Key: "a"}, time.Minute, Unguarded)
		var stuck *StuckError
		if !errors.As(err, &stuck) || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 50*time.Millisecond+releaseWithin {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// A held button survives the gestures between MouseDown and MouseUp, and no failure of one.
func TestMouseDownStaysDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(t, screen)
		ctx := t.Context()
		if err := MouseDown(ctx, d, nil, driver.Left, Unguarded); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"move", "scroll", "type", "press", "hold"} {
			if err := all[name](ctx, d, Unguarded); err != nil || len(d.Held()) != 1 {
				t.Errorf("%s: %v, held %v", name, err, d.Held())
			}
		}
		refuse := anywhere(func(context.Context, *driver.ScreenPoint) error { return errors.New("no") })
		if err := Move(ctx, d, pt(1, 1), refuse); err == nil || len(d.Held()) != 0 {
			t.Errorf("%v, held %v", err, d.Held())
		}
	})
}

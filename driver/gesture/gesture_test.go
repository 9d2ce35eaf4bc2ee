package gesture

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"conch/driver"
	"conch/driver/fake"
	"conch/driver/key"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const screen = `
-- screen --
display main 1000x800
window 1 "Editor" editor 100,100 600x400 { field body 120,120 400x300; button save "Save" 600,420 60x24 }
window 2 "Behind" behind 500,300 400x400 { button other "Other" 800,600 60x24 }
-- after click save --
window 3 "Saved" editor 550,380 200x100 front { button ok "OK" 600,420 60x24 }
`

func pt(x, y float64) driver.ScreenPoint { return driver.ScreenPoint{X: x, Y: y} }

// anywhere is a guard that only says yes or no.
func anywhere(f func(context.Context, *driver.ScreenPoint) error) Guard {
	return func(ctx context.Context, p *driver.ScreenPoint) (driver.Into, error) {
		return driver.Anywhere, f(ctx, p)
	}
}

func chord(t *testing.T, s string) key.Chord {
	t.Helper()
	c, err := key.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func events(d *fake.Driver) []string {
	var out []string
	for _, e := range d.Events() {
		out = append(out, e.String())
	}
	return out
}

// all is every gesture, each with something to hold.
var all = map[string]func(context.Context, driver.Driver, Guard) error{
	"move": func(c context.Context, d driver.Driver, g Guard) error { return Move(c, d, pt(150, 150), g) },
	"click": func(c context.Context, d driver.Driver, g Guard) error {
		return Click(c, d, pt(150, 150), driver.Left, 1, 0, g)
	},
	"triple click": func(c context.Context, d driver.Driver, g Guard) error {
		return Click(c, d, pt(620, 430), driver.Left, 3, key.ModControl|key.ModShift, g)
	},
	"drag": func(c context.Context, d driver.Driver, g Guard) error {
		return Drag(c, d, pt(150, 150), pt(850, 620), driver.Left, key.ModAlt, g)
	},
	"scroll": func(c context.Context, d driver.Driver, g Guard) error {
		return Scroll(c, d, pt(150, 150), -3, 25, key.ModControl, g)
	},
	"type": func(c context.Context, d driver.Driver, g Guard) error {
		_, err := Type(c, d, strings.Repeat("né👋", 50), g)
		return err
	},
	"press": func(c context.Context, d driver.Driver, g Guard) error {
		return Press(c, d, key.Chord{Mods: key.ModControl | key.ModSuper, Key: "F5"}, 3, g)
	},
	"hold": func(c context.Context, d driver.Driver, g Guard) error {
		return Hold(c, d, key.Chord{Mods: key.ModShift, Key: "Right"}, 450*time.Millisecond, g)
	},
	"mouse down": func(c context.Context, d driver.Driver, g Guard) error {
		p := pt(150, 150)
		return MouseDown(c, d, &p, driver.Left, g)
	},
	"mouse up": func(c context.Context, d driver.Driver, g Guard) error { return MouseUp(c, d, nil, driver.Left, g) },
}

func TestEvents(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(context.Context, driver.Driver) error
		want []string
	}{
		"double click with Ctrl": {
			func(c context.Context, d driver.Driver) error {
				return Click(c, d, pt(150, 150), driver.Right, 2, key.ModControl, Unguarded)
			},
			[]string{"move 150,150", "key Control_L down", "button right down", "button right up", "button right down", "button right up", "key Control_L up"},
		},
		"chord": {
			func(c context.Context, d driver.Driver) error {
				return Press(c, d, chord(t, "cmd+shift+t"), 2, Unguarded)
			},
			[]string{
				"key Shift_L down", "key Super_L down", "key t down", "key t up", "key Super_L up", "key Shift_L up",
				"key Shift_L down", "key Super_L down", "key t down", "key t up", "key Super_L up", "key Shift_L up",
			},
		},
		"modifier alone": {
			func(c context.Context, d driver.Driver) error { return Press(c, d, chord(t, "super"), 1, Unguarded) },
			[]string{"key Super_L down", "key Super_L up"},
		},
		"scroll in pieces": {
			func(c context.Context, d driver.Driver) error {
				return Scroll(c, d, pt(5, 5), 3, -25, key.ModShift, Unguarded)
			},
			[]string{"move 5,5", "key Shift_L down", "scroll 3,-10", "scroll 0,-10", "scroll 0,-5", "key Shift_L up"},
		},
		"mouse down and up": {
			func(c context.Context, d driver.Driver) error {
				p := pt(150, 150)
				return errors.Join(MouseDown(c, d, &p, driver.Left, Unguarded), Move(c, d, pt(200, 200), Unguarded),
					Press(c, d, chord(t, "esc"), 1, Unguarded), MouseUp(c, d, nil, driver.Left, Unguarded))
			},
			[]string{"move 150,150", "button left down", "move 200,200", "key Escape down", "key Escape up", "button left up"},
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(t, screen)
			if err := c.do(t.Context(), d); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(c.want, events(d)); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
		})
	}
}

func TestDragHasWayPoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(t, screen)
		var asked []driver.ScreenPoint
		start := time.Now()
		err := Drag(t.Context(), d, pt(150, 150), pt(850, 620), driver.Left, 0, anywhere(func(_ context.Context, p *driver.ScreenPoint) error {
			asked = append(asked, *p)
			*p = pt(1, 1) // a guard can't move a drag
			return nil
		}))
		ev := d.Events()
		if err != nil || len(ev) != 1+1+dragPoints+1 {
			t.Fatalf("%v, %d events", err, len(ev))
		}
		if got := time.Since(start); got != hover+2*dragRest+dragPoints*dragStep {
			t.Errorf("a drag takes %v", got)
		}
		if ev[1].String() != "button left down" || ev[1].At != pt(150, 150) || ev[22].String() != "button left up" || ev[22].At != pt(850, 620) {
			t.Errorf("pressed by %v at %v, lifted by %v at %v", ev[1], ev[1].At, ev[22], ev[22].At)
		}
		for i, e := range ev[2:22] {
			if e.Kind != fake.Moved || e.At != asked[i+2] {
				t.Errorf("way point %d is %v, the guard was asked about %v", i, e.At, asked[i+2])
			}
		}
	})
}

// A button stays down for a real while, and so does a key.
func TestHoldsAreReal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(t, screen)
		ctx := t.Context()
		if err := errors.Join(Click(ctx, d, pt(150, 150), driver.Left, 3, 0, Unguarded), Press(ctx, d, chord(t, "a"), 2, Unguarded),
			Hold(ctx, d, chord(t, "b"), 3*time.Second, Unguarded)); err != nil {
			t.Fatal(err)
		}
		down := map[string]time.Time{}
		var held []time.Duration
		for _, e := range d.Events() {
			what := fmt.Sprint(e.Button, e.Key)
			if e.Kind == fake.Moved {
				continue
			}
			if e.Down {
				down[what] = e.When
			} else {
				held = append(held, e.When.Sub(down[what]))
			}
		}
		want := []time.Duration{buttonHold, buttonHold, buttonHold, keyHold, keyHold, 3 * time.Second}
		if diff := cmp.Diff(want, held); diff != "" {
			t.Error(diff)
		}
	})
}

func TestType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(t, screen)
		asks := 0
		count := anywhere(func(_ context.Context, p *driver.ScreenPoint) error {
			if p != nil {
				t.Error("text has no point")
			}
			asks++
			return nil
		})
		family := "👨‍👩‍👧‍👦"
		text := strings.Repeat(family, 70) + "é\r\nб\rx\n"
		n, err := Type(t.Context(), d, text, count)
		want := strings.Repeat(family, 70) + "é\nб\nx\n"
		if err != nil || n != 76 || asks != 2 || d.Value("body") != want {
			t.Errorf("typed %d, %v, asked %d times, the field holds %q", n, err, asks, d.Value("body"))
		}
		var short *ShortError
		refused := errors.New("no")
		n, err = Type(t.Context(), d, strings.Repeat("a", 200), anywhere(func(context.Context, *driver.ScreenPoint) error {
			if asks++; asks == 5 {
				return refused
			}
			return nil
		}))
		if n != 128 || !errors.As(err, &short) || *short != (ShortError{128, 200, refused}) || !errors.Is(err, refused) {
			t.Errorf("typed %d, %v", n, err)
		}
		if n, err = Type(t.Context(), few{d}, "abcdef", Unguarded); n != 3 || !errors.As(err, &short) || short.Typed != 3 || short.Asked != 6 {
			t.Errorf("a driver that types less: %d, %v", n, err)
		}
		if n, err = Type(t.Context(), d, "a\xff", Unguarded); n != 0 || err == nil {
			t.Errorf("invalid text: %d, %v", n, err)
		}
		if n, err = Type(t.Context(), d, "", Unguarded); n != 0 || err != nil {
			t.Errorf("no text: %d, %v", n, err)
		}
	})
}

// few types half of what it is given and calls it done.
type few struct{ driver.Driver }

func (f few) Text(ctx context.Context, s string, into driver.Into) (int, error) {
	return f.Driver.Text(ctx, s[:len(s)/2], into)
}

func TestBadArguments(t *testing.T) {
	d := fake.New(t, screen)
	ctx, p := t.Context(), pt(150, 150)
	for name, err := range map[string]error{
		"no click":       Click(ctx, d, p, driver.Left, 0, 0, Unguarded),
		"four clicks":    Click(ctx, d, p, driver.Left, 4, 0, Unguarded),
		"much scrolling": Scroll(ctx, d, p, 0, 101, 0, Unguarded),
		"no press":       Press(ctx, d, chord(t, "a"), 0, Unguarded),
		"many presses":   Press(ctx, d, chord(t, "a"), 101, Unguarded),
		"no key":         Press(ctx, d, key.Chord{}, 1, Unguarded),
		"no such key":    Hold(ctx, d, key.Chord{Mods: key.ModControl, Key: "nope"}, time.Second, Unguarded),
		"twice Shift":    Press(ctx, d, key.Chord{Mods: key.ModShift, Key: key.Shift}, 1, Unguarded),
		"no time":        Hold(ctx, d, chord(t, "a"), 0, Unguarded),
	} {
		if err == nil {
			t.Errorf("%s went through", name)
		}
	}
	for name, do := range all {
		if err := do(ctx, d, nil); !errors.Is(err, ErrNoGuard) {
			t.Errorf("%s without a guard: %v", name, err)
		}
	}
	if len(d.Events()) != 0 {
		t.Errorf("posted %v", events(d))
	}
}

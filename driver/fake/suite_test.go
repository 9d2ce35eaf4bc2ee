package fake

import (
	"fmt"
	"image/color"
	"strings"
	"testing"
	"testing/synctest"

	"conch/driver"
	"conch/driver/drivertest"
)

func TestSuite(t *testing.T) {
	for _, display := range []string{"display main 1000x700", "display left 800x600 at -800,0\ndisplay main 1000x700 main", "display main 1000x700 @2"} {
		t.Run(strings.ReplaceAll(display, "\n", ","), func(t *testing.T) {
			drivertest.RunIn(t, func(t *testing.T) drivertest.Rig {
				d := New(t, "-- screen --\n"+display+"\n")
				return drivertest.Rig{Driver: d, Desk: &rig{d: d}, Named: true}
			}, synctest.Test)
		})
	}
}

type rig struct {
	d    *Driver
	next int
}

type fixture struct {
	*rig
	id driver.WindowID
}

func (r *rig) apply(t testing.TB, format string, a ...any) {
	t.Helper()
	if err := r.d.Apply(fmt.Sprintf(format, a...)); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) Open(t testing.TB, w drivertest.Win) drivertest.Fixture {
	t.Helper()
	r.next++
	at := func(b driver.ScreenRect) string { return fmt.Sprintf("%g,%g %gx%g", b.X, b.Y, b.W, b.H) }
	line := fmt.Sprintf("window %d %q org.example.%s %s color %s", r.next, w.Title, w.App, at(w.Bounds), hex(w.Color))
	if w.Ours {
		line += " ours"
	} else {
		line += " front"
	}
	if w.Through {
		line += " through"
	}
	line += " {"
	if !w.Field.Empty() {
		line += fmt.Sprintf(" field f%d %s", r.next, at(w.Field))
		if w.Secure {
			line += " secure"
		}
		line += ";"
	}
	if !w.Button.Empty() {
		line += fmt.Sprintf(" button b%d \"Press\" %s;", r.next, at(w.Button))
	}
	r.apply(t, "%s }", line)
	return &fixture{r, driver.WindowID(r.next)}
}

func hex(c color.RGBA) string { return fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B) }

func (r *rig) Held(testing.TB) []string { return r.d.Held() }

func (r *rig) Resize(t testing.TB, w, h int) bool {
	r.d.mu.Lock()
	id := ""
	for _, v := range r.d.desk.displays {
		if v.Main {
			id = v.ID
		}
	}
	r.d.mu.Unlock()
	r.apply(t, "display %s %dx%d", id, w, h)
	return true
}

func (r *rig) Lose(t testing.TB) bool {
	r.apply(t, "unready lost")
	return true
}

func (f *fixture) Text() string { return f.d.Value(fmt.Sprintf("f%d", f.id)) }
func (f *fixture) Clicks() int  { return f.d.Clicked(fmt.Sprintf("b%d", f.id)) }

func (f *fixture) landed(is func(Event) bool) int {
	n := 0
	for _, e := range f.d.Landed(f.id) {
		if is(e) {
			n++
		}
	}
	return n
}

func (f *fixture) Downs() int {
	return f.landed(func(e Event) bool { return e.Kind == Pressed && e.Down })
}

func (f *fixture) Ups() int {
	return f.landed(func(e Event) bool { return e.Kind == Pressed && !e.Down })
}

func (f *fixture) Keys() int {
	return f.landed(func(e Event) bool { return e.Kind == Keyed && e.Down || e.Kind == Typed })
}

func (f *fixture) Scrolled() (dx, dy int) {
	f.landed(func(e Event) bool { dx, dy = dx+e.DX, dy+e.DY; return true })
	return dx, dy
}

func (f *fixture) Paint(t testing.TB, c color.RGBA) {
	f.apply(t, "color %d %s", f.id, hex(c))
}

func (f *fixture) Raise(t testing.TB) { f.apply(t, "front %d", f.id) }
func (f *fixture) Close(t testing.TB) { f.apply(t, "close %d", f.id) }

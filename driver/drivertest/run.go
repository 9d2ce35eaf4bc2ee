package drivertest

import (
	"context"
	"image/color"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/driver"
	"conch/driver/gesture"
)

// Run asks everything of a driver, each on a desk of its own. open opens a rig and takes it down when its test
// ends.
func Run(t *testing.T, open func(t *testing.T) Rig) {
	RunIn(t, open, func(t *testing.T, test func(*testing.T)) { test(t) })
}

// RunIn is Run with each test inside something, such as synctest.Test for a driver that has no other clock.
func RunIn(t *testing.T, open func(t *testing.T) Rig, in func(*testing.T, func(*testing.T))) {
	for _, group := range []map[string]func(*suite){pointerTests, keyTests, intoTests, lookTests, nameTests, changeTests, lifeTests} {
		for name, test := range group {
			t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
				in(t, func(t *testing.T) {
					s := &suite{T: t, Rig: open(t)}
					s.d = s.Driver
					test(s)
				})
			})
		}
	}
}

// suite is one test with its desk.
type suite struct {
	*testing.T
	Rig
	d driver.Driver
}

// patience is how long something may take that has to happen. It is long: only a failing test waits for it.
const patience = 15 * time.Second

// ctx ends with the test, or when the driver hangs.
func (s *suite) ctx() context.Context {
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	s.Cleanup(cancel)
	return ctx
}

func (s *suite) begin() {
	s.Helper()
	s.ok(s.d.Begin(s.ctx()))
	s.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = s.d.End(ctx) // fails where the test took the display away
	})
}

func (s *suite) ok(errs ...error) {
	s.Helper()
	for _, err := range errs {
		if err != nil {
			s.Fatal(err)
		}
	}
}

// until waits until something is so.
func (s *suite) until(what string, is func() bool) {
	s.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !is() {
		select {
		case <-again.C:
		case <-end.C:
			s.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}

// same fails the test unless got is want.
func (s *suite) same(what string, want, got any) {
	s.Helper()
	if d := cmp.Diff(want, got); d != "" {
		s.Errorf("%s (want -, got +):\n%s", what, d)
	}
}

// idle waits until nothing changes on the desk any more, and returns the count of changes.
func (s *suite) idle() uint64 {
	s.Helper()
	still, n, err := gesture.Settle(s.ctx(), s.d, 0, 150*time.Millisecond, patience/2)
	s.ok(err)
	if !still {
		s.Fatal("the desk never gets still")
	}
	return n
}

// mainDisplay returns the main display.
func (s *suite) mainDisplay() driver.Display {
	s.Helper()
	all, err := s.d.Displays(s.ctx())
	s.ok(err)
	for _, v := range all {
		if v.Main {
			return v
		}
	}
	s.Fatalf("none of %v is the main display", all)
	return driver.Display{}
}

func (s *suite) look(shot driver.Shot) *driver.Picture {
	s.Helper()
	p, err := s.d.Look(s.ctx(), shot)
	s.ok(err)
	if p.Pix.Rect.Dx() != p.W || p.Pix.Rect.Dy() != p.H {
		s.Fatalf("the picture says %d by %d and has %v", p.W, p.H, p.Pix.Rect)
	}
	return p
}

// count is how many pixels of a picture have a colour.
func count(p *driver.Picture, c color.RGBA) int {
	n := 0
	for i := 0; i+3 < len(p.Pix.Pix); i += 4 {
		if (color.RGBA{p.Pix.Pix[i], p.Pix.Pix[i+1], p.Pix.Pix[i+2], p.Pix.Pix[i+3]}) == c {
			n++
		}
	}
	return n
}

func middle(r driver.ScreenRect) driver.ScreenPoint {
	return driver.ScreenPoint{X: r.X + r.W/2, Y: r.Y + r.H/2}
}

func pt(x, y float64) driver.ScreenPoint { return driver.ScreenPoint{X: x, Y: y} }

// Colours that nothing else on a desk has.
var (
	green  = color.RGBA{0x2f, 0xb1, 0x4e, 0xff}
	violet = color.RGBA{0xb0, 0x1f, 0xd3, 0xff}
	orange = color.RGBA{0xe8, 0x7a, 0x11, 0xff}
	teal   = color.RGBA{0x0e, 0x97, 0x9b, 0xff}
)

// Two windows that overlap: back with the larger part to the left, front with a field and a button.
var (
	backWin = Win{Title: "Back", App: "Backapp", Bounds: rect(40, 60, 400, 300), Color: violet}
	mainWin = Win{
		Title: "Front", App: "Frontapp", Bounds: rect(240, 160, 400, 300), Color: green,
		Field: rect(260, 180, 300, 120), Button: rect(500, 400, 100, 40),
	}
	// overlap lies in both, outside field and button.
	overlap = pt(420, 330)
)

func rect(x, y, w, h float64) driver.ScreenRect { return driver.ScreenRect{X: x, Y: y, W: w, H: h} }

// find returns a window of the list by its title.
func (s *suite) find(title string) (driver.Window, bool) {
	s.Helper()
	ws, err := s.d.Windows(s.ctx())
	s.ok(err)
	for _, w := range ws {
		if w.Title == title {
			return w, true
		}
	}
	return driver.Window{}, false
}

//go:build linux

package x11

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	"conch/driver"
	"conch/driver/drivertest"
	"conch/driver/x11/xconn"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"

	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"
)

// The suite that every driver passes, on a bare screen: a window manager's own ways are asked about elsewhere.
func TestSuite(t *testing.T) {
	drivertest.Run(t, func(t *testing.T) drivertest.Rig {
		r := &rig{x: xtest.Start(t, xserver.Options{Width: 1000, Height: 700, Background: 0x3a5a6a})}
		var err error
		if r.conn, err = xconn.Dial(t.Context(), "", r.x.Getenv); err != nil {
			t.Fatal(err)
		}
		pumped := make(chan struct{})
		go func() {
			defer close(pumped)
			for {
				if ev, err := r.conn.WaitForEvent(); ev == nil && err == nil {
					return
				}
			}
		}()
		t.Cleanup(func() { r.conn.Close(); <-pumped })
		if r.app, err = xfixture.Start(r.x.Env()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.app.Close() })
		d, err := Open(t.Context(), Options{Env: r.x.Env(), Own: func(w driver.Window) bool { return w.Class == "Conch" }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return drivertest.Rig{Driver: d, Desk: r}
	})
}

// rig is a private desktop with a program of another process on it.
type rig struct {
	x    *xserver.Server
	conn *xconn.Conn
	app  *xfixture.Program
}

type fixture struct {
	*xfixture.Window
	t    testing.TB
	spec drivertest.Win
}

func check(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func rgb(c color.RGBA) uint32 { return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B) }

func (r *rig) Open(t testing.TB, s drivertest.Win) drivertest.Fixture {
	t.Helper()
	w, err := r.app.Open(xfixture.Spec{
		X: int(s.Bounds.X), Y: int(s.Bounds.Y), W: int(s.Bounds.W), H: int(s.Bounds.H), Title: s.Title, Class: s.App,
		Color: rgb(s.Color), Ping: true, ClickFocus: !s.Ours, Override: s.Ours, NoInput: s.Ours,
	})
	check(t, err)
	if s.Through {
		check(t, shape.RectanglesChecked(r.conn.Conn, shape.SoSet, shape.SkInput, xproto.ClipOrderingUnsorted, xproto.Window(w.ID), 0, 0, nil).Check())
	}
	if !s.Ours {
		check(t, w.Focus())
	}
	return &fixture{w, t, s}
}

// Held asks the server for the keys and buttons that are down.
func (r *rig) Held(t testing.TB) []string {
	t.Helper()
	keys, err := xproto.QueryKeymap(r.conn.Conn).Reply()
	check(t, err)
	pointer, err := xproto.QueryPointer(r.conn.Conn, r.conn.Screen.Root).Reply()
	check(t, err)
	var held []string
	for code := range 256 {
		if keys.Keys[code/8]&(1<<(code%8)) != 0 {
			held = append(held, fmt.Sprintf("key code %d", code))
		}
	}
	for b := range 5 {
		if pointer.Mask&(xproto.KeyButMaskButton1<<b) != 0 {
			held = append(held, fmt.Sprintf("button %d", b+1))
		}
	}
	return held
}

func (r *rig) Resize(t testing.TB, w, h int) bool {
	t.Helper()
	cmd := r.x.Command("xrandr", "--fb", fmt.Sprintf("%dx%d", w, h))
	out, _ := cmd.CombinedOutput() // it complains about the CRTC of a virtual screen, and the screen shrinks all the same
	t.Logf("xrandr: %s", strings.TrimSpace(string(out)))
	return true
}

func (r *rig) Lose(t testing.TB) bool {
	t.Helper()
	check(t, r.x.KillX())
	return true
}

func (f *fixture) Text() string {
	s, err := f.Window.Text()
	if err != nil {
		f.t.Error(err)
	}
	return s
}

func (f *fixture) events(is func(xfixture.Event)) {
	all, err := f.Window.Events()
	if err != nil {
		f.t.Error(err)
	}
	for _, e := range all {
		is(e)
	}
}

func (f *fixture) count(kind string, most int) int {
	n := 0
	f.events(func(e xfixture.Event) {
		if e.Kind == kind && e.Button <= most {
			n++
		}
	})
	return n
}

func (f *fixture) Downs() int { return f.count("press", 3) }
func (f *fixture) Ups() int   { return f.count("release", 3) }
func (f *fixture) Keys() int  { return f.count("keydown", 0) }

func (f *fixture) Clicks() int {
	n, inside := 0, false
	f.events(func(e xfixture.Event) {
		in := e.Button == 1 && f.spec.Button.Contains(driver.ScreenPoint{X: float64(e.RootX), Y: float64(e.RootY)})
		switch e.Kind {
		case "press":
			inside = in
		case "release":
			if in && inside {
				n++
			}
		}
	})
	return n
}

func (f *fixture) Scrolled() (dx, dy int) {
	f.events(func(e xfixture.Event) {
		if e.Kind != "press" {
			return
		}
		switch e.Button {
		case 4:
			dy--
		case 5:
			dy++
		case 6:
			dx--
		case 7:
			dx++
		}
	})
	return dx, dy
}

func (f *fixture) Paint(t testing.TB, c color.RGBA) {
	t.Helper()
	check(t, f.Window.Paint(rgb(c)))
}

func (f *fixture) Raise(t testing.TB) {
	t.Helper()
	check(t, f.Window.Raise())
}

func (f *fixture) Close(t testing.TB) {
	t.Helper()
	check(t, f.Window.Close())
}

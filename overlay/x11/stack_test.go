//go:build linux

package x11

import (
	"context"
	"encoding/binary"
	"errors"
	"image/color"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"conch/driver"
	"conch/driver/x11/xserver"
)

func TestStaysOnTop(t *testing.T) {
	everywhere(t, func(t *testing.T, o xserver.Options) {
		r := newRig(t, o)
		r.light("a", "Looking")
		// A panel comes up over the top of the screen, and a window over its left side, both after us.
		r.newApp(0, 0, 1280, 60, true)
		r.newApp(0, 100, 300, 500, false)
		until(t, "the edge is on top again", func() bool { return r.rimShown(0, 0, 1280, 800) })
	})
}

// holdKeyboard does what a lock screen and an open menu do.
func (r *rig) holdKeyboard(w xproto.Window) {
	r.t.Helper()
	g, err := xproto.GrabKeyboard(r.other, false, w, xproto.TimeCurrentTime, xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
	if err != nil || g.Status != xproto.GrabStatusSuccess {
		r.t.Fatalf("hold the keyboard: %+v, %v", g, err)
	}
}

// lookAgain looks at the stacking as if half a second had gone by.
func (r *rig) lookAgain() {
	r.t.Helper()
	err := r.desk.call(within(r.t), func() error {
		if r.desk.later != nil {
			r.desk.later.Stop()
		}
		r.desk.lastRun, r.desk.later = time.Time{}, nil
		r.desk.keepAbove()
		return r.desk.sync()
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func TestNeverOverALockScreen(t *testing.T) {
	r := newRig(t, xserver.Options{WindowManager: "openbox"})
	r.light("a", "Looking")
	first := r.newApp(200, 200, 100, 100, true)
	r.holdKeyboard(first.window) // before its window is up, as lock screens do
	lock := r.newApp(0, 0, 1280, 800, true)
	for range 3 {
		r.lookAgain()
		if c := r.pixel(400, 1); c != (color.RGBA{0x44, 0x55, 0x66, 255}) {
			t.Fatalf("the rim shows %v over a lock screen", c)
		}
	}
	r.over.Dark("a")
	var locked *driver.Unready
	if err := r.over.Light(within(t), "b", ""); !errors.As(err, &locked) || locked.Why != driver.WhyLocked {
		t.Errorf("lit on a locked screen: %v", err)
	}
	if n := len(r.ourWindows()); n != 0 {
		t.Errorf("%d windows over a lock screen", n)
	}
	xproto.UngrabKeyboard(r.other, xproto.TimeCurrentTime)
	if err := xproto.UnmapWindowChecked(r.other, lock.window).Check(); err != nil {
		t.Fatal(err)
	}
	r.light("c", "Looking")
}

// TestWhatIsNoLockScreen: each of these has something of one.
func TestWhatIsNoLockScreen(t *testing.T) {
	for name, make := range map[string]func(*rig){
		"a wallpaper window": func(r *rig) { r.newApp(0, 0, 1280, 800, true) },
		"a menu on a wallpaper window, with an app": func(r *rig) {
			paper := r.newApp(0, 0, 1280, 800, true)
			xproto.ConfigureWindow(r.other, paper.window, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeBelow})
			r.newApp(100, 100, 400, 300, false)
			r.holdKeyboard(r.newApp(200, 200, 100, 200, true).window)
		},
		"a menu in a full-screen app": func(r *rig) {
			r.newApp(0, 0, 1280, 800, false)
			r.holdKeyboard(r.newApp(200, 200, 100, 200, true).window)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, wm := range []string{"openbox", ""} {
				if wm == "" && strings.Contains(name, "app") {
					continue // without a window manager nothing tells an app's window
				}
				r := newRig(t, xserver.Options{WindowManager: wm})
				make(r)
				r.light("a", "Looking")
				r.over.Dark("a")
			}
			r := newRig(t, xserver.Options{WindowManager: "openbox"})
			r.light("a", "Looking")
			make(r)
			until(t, "the edge is on top", func() bool { return r.rimShown(0, 0, 1280, 800) })
		})
	}
}

func TestHoldsStill(t *testing.T) {
	for _, still := range []bool{false, true} {
		r := newRig(t, xserver.Options{}, Motion(func(context.Context) (bool, bool) { return still, true }))
		r.light("a", "Looking")
		first := r.pixel(300, 1)
		var turning bool
		_ = r.desk.call(within(t), func() error { turning = r.desk.ticker != nil; return nil })
		if turning == still {
			t.Errorf("still %v, and the spectrum turns: %v", still, turning)
		}
		if !still {
			until(t, "the spectrum turns", func() bool { return r.pixel(300, 1) != first })
		}
		r.over.Dark("a")
		_ = r.desk.call(within(t), func() error { turning = r.desk.ticker != nil; return nil })
		if turning {
			t.Error("frames go on in the dark")
		}
	}
}

func TestServerGone(t *testing.T) {
	r := newRig(t, xserver.Options{})
	r.light("a", "Looking")
	if err := r.srv.KillX(); err != nil {
		t.Fatal(err)
	}
	r.wantStop("a") // nothing goes on without its edge
	until(t, "the overlay is dark", func() bool { return !r.over.Status().Lit })
	var gone *driver.Unready
	if err := r.over.Light(within(t), "b", ""); !errors.As(err, &gone) || gone.Why != driver.WhyLost {
		t.Errorf("light after the end of the server: %v", err)
	}
}

func TestNoDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	for _, display := range []string{"", ":54321", "nonsense"} {
		var un *driver.Unready
		d, err := Open(within(t), display)
		if !errors.As(err, &un) || un.Why != driver.WhyNoDisplay || un.Next == "" {
			t.Errorf("Open(%q) = %v, %v; want why and what to do", display, d, err)
		}
	}
}

func TestZoom(t *testing.T) {
	for in, want := range map[string]float64{
		"": 1, "Xft.dpi:\t192\n": 2, "Xft.antialias: 1\nXft.dpi: 144\n": 1.5, "Xft.dpi: 72": 1, "Xft.dpi: junk": 1, "Xft.dpi: 1e9": 1,
	} {
		if got := zoomFrom(in); got != want {
			t.Errorf("zoomFrom(%q) = %v, want %v", in, got, want)
		}
	}
}

// setting is one entry of an XSETTINGS property.
func setting(kind byte, name string, value []byte) []byte {
	b := []byte{kind, 0}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(name)))
	b = append(b, name...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return append(append(b, 0, 0, 0, 0), value...)
}

func settings(all ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 8), uint32(len(all)))
	for _, s := range all {
		b = append(b, s...)
	}
	return b
}

func TestAnimations(t *testing.T) {
	theme := setting(1, "Net/ThemeName", []byte("\x05\x00\x00\x00Plain\x00\x00\x00"))
	colour := setting(2, "Some/Colour", make([]byte, 8))
	off, on := setting(0, "Gtk/EnableAnimations", []byte{0, 0, 0, 0}), setting(0, "Gtk/EnableAnimations", []byte{1, 0, 0, 0})
	for name, c := range map[string]struct {
		prop      []byte
		on, known bool
	}{
		"off": {settings(theme, colour, off), false, true}, "on": {settings(on), true, true},
		"not set": {settings(theme, colour), false, false}, "nothing": {nil, false, false},
		"cut short": {settings(theme, off)[:40], false, false},
	} {
		if on, known := animations(c.prop); on != c.on || known != c.known {
			t.Errorf("%s: %v, %v; want %v, %v", name, on, known, c.on, c.known)
		}
	}
}

func FuzzAnimations(f *testing.F) {
	f.Add(settings(setting(1, "Net/ThemeName", []byte("\x05\x00\x00\x00Plain\x00\x00\x00")), setting(0, "Gtk/EnableAnimations", []byte{0, 0, 0, 0})))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if on, known := animations(b); on && !known {
			t.Error("on, and not known")
		}
		zoomFrom(string(b))
	})
}

// TestSettingsManager is a settings manager that switches animations off.
func TestSettingsManager(t *testing.T) {
	r := newRig(t, xserver.Options{}, Motion(func(context.Context) (bool, bool) { return false, false }))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:") // no portal
	if r.desk.reducedMotion(within(t)) {
		t.Error("still, without anybody having asked for it")
	}
	a := r.newApp(0, 0, 10, 10, true)
	atom := func(n string) xproto.Atom {
		p, err := xproto.InternAtom(r.other, false, uint16(len(n)), n).Reply()
		if err != nil {
			t.Fatal(err)
		}
		return p.Atom
	}
	prop := atom("_XSETTINGS_SETTINGS")
	data := settings(setting(0, "Gtk/EnableAnimations", []byte{0, 0, 0, 0}))
	xproto.ChangeProperty(r.other, xproto.PropModeReplace, a.window, prop, prop, 8, uint32(len(data)), data)
	if err := xproto.SetSelectionOwnerChecked(r.other, a.window, atom("_XSETTINGS_S0"), xproto.TimeCurrentTime).Check(); err != nil {
		t.Fatal(err)
	}
	if !r.desk.reducedMotion(within(t)) {
		t.Error("turning, though animations are switched off")
	}
}

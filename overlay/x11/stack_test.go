//go:build linux

package x11

import (
	"context"
	"encoding/binary"
	"errors"
	"image/color"
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

func TestNeverOverALockScreen(t *testing.T) {
	r := newRig(t, xserver.Options{})
	r.light("a", "Looking")
	r.newApp(0, 0, 1280, 800, true)
	locked := color.RGBA{0x44, 0x55, 0x66, 255}
	for range 3 {
		// As if half a second had gone by.
		err := r.desk.call(within(t), func() error {
			r.desk.lastRun, r.desk.later = time.Time{}, nil
			r.desk.keepAbove()
			return r.desk.sync()
		})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.pixel(400, 1); c != locked {
			t.Fatalf("the rim shows %v over a lock screen", c)
		}
	}
	// Lit while locked, the edge would come up over the lock screen: it is put on top once, and is seen. So
	// the driver refuses a locked screen first; see driver.Ready.
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

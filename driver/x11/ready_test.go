//go:build linux

package x11

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"conch/driver"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"

	"github.com/godbus/dbus/v5"
	"github.com/jezek/xgb/dpms"
	"github.com/jezek/xgb/screensaver"
	"github.com/jezek/xgb/xproto"
)

func TestSessionsThatCanNotBeUsed(t *testing.T) {
	for name, c := range map[string]struct {
		env []string
		why driver.Why
	}{
		"no display":             {[]string{"HOME=/nowhere"}, driver.WhyNoDisplay},
		"nothing answers":        {[]string{"DISPLAY=:4711"}, driver.WhyNoDisplay},
		"not a display":          {[]string{"DISPLAY=here"}, driver.WhyNoDisplay},
		"wayland":                {[]string{"WAYLAND_DISPLAY=wayland-0", "DISPLAY=:0"}, driver.WhyWayland},
		"wayland by type":        {[]string{"XDG_SESSION_TYPE=wayland", "DISPLAY=:0"}, driver.WhyWayland},
		"wayland without X":      {[]string{"XDG_SESSION_TYPE=wayland"}, driver.WhyWayland},
		"the last of two counts": {[]string{"DISPLAY=:0", "DISPLAY="}, driver.WhyNoDisplay},
	} {
		d, err := Open(t.Context(), Options{Env: c.env})
		if d != nil || !isWhy(err, c.why) {
			t.Errorf("%s: %v, %v", name, d, err)
		}
		if err != nil && strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s: more than a sentence: %v", name, err)
		}
	}
}

func TestStrangersCookieIsUsed(t *testing.T) {
	k := newDesk(t, xserver.Options{Auth: true})
	if err := k.d.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	env := append(k.x.Env(), "XAUTHORITY=/dev/null")
	if _, err := Open(t.Context(), Options{Env: env}); !isWhy(err, driver.WhyNoDisplay) {
		t.Errorf("without the cookie: %v", err)
	}
}

// as starts a program of another process that runs under the file name exe.
func (k *desk) as(exe string) *xfixture.Program {
	k.t.Helper()
	self, err := os.Executable()
	if err != nil {
		k.t.Fatal(err)
	}
	to := filepath.Join(k.t.TempDir(), exe)
	b, err := os.ReadFile(self)
	k.try(err)
	k.try(os.WriteFile(to, b, 0o700))
	p, err := xfixture.StartAs(to, k.x.Env())
	k.try(err)
	k.t.Cleanup(func() { _ = p.Close() })
	return p
}

func TestLockedScreen(t *testing.T) {
	k := newDesk(t, xserver.Options{WindowManager: "openbox"})
	a := newArtist(k)
	ready := func() error { return k.d.Ready(t.Context()) }
	hold := func() {
		eventually(t, "the keyboard can be held", func() bool { // the window manager has it for moments
			r, err := xproto.GrabKeyboard(a.conn.Conn, false, a.conn.Screen.Root, 0, xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
			k.try(err)
			return r.Status == xproto.GrabStatusSuccess
		})
	}
	letGo := func() {
		xproto.UngrabKeyboard(a.conn.Conn, 0)
		a.sync()
	}
	full := xfixture.Spec{W: 1280, H: 800, Override: true, Class: "Full"}
	if err := ready(); err != nil {
		t.Fatal(err)
	}
	hold() // as an open menu does
	if err := ready(); err != nil {
		t.Errorf("with a menu open: %v", err)
	}
	game, err := k.app.Open(full)
	k.try(err)
	if err := ready(); err != nil {
		t.Errorf("with a game over the whole screen: %v", err)
	}
	k.try(game.Close())
	lock, err := k.as("i3lock").Open(full)
	k.try(err)
	if err := ready(); !isWhy(err, driver.WhyLocked) {
		t.Errorf("with a locker that holds the keyboard: %v", err)
	}
	letGo()
	if err := ready(); err != nil {
		t.Errorf("with a locker's window that holds nothing: %v", err)
	}
	hold()
	k.try(lock.Move(-700, 0))
	if err := ready(); err != nil {
		t.Errorf("with a locker's window that hides half the screen: %v", err)
	}
	letGo()
	k.try(lock.Close())
	status := func(v byte) {
		r, err := xproto.InternAtom(a.conn.Conn, false, 19, "_SCREENSAVER_STATUS").Reply()
		k.try(err)
		k.try(xproto.ChangePropertyChecked(a.conn.Conn, xproto.PropModeReplace, a.conn.Screen.Root, r.Atom,
			xproto.AtomInteger, 32, 3, []byte{v, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}).Check())
	}
	status(1)
	if err := ready(); !isWhy(err, driver.WhyLocked) {
		t.Errorf("with xscreensaver's word for locked: %v", err)
	}
	status(0)
	if err := ready(); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// Xvfb has neither DPMS nor a screen saver, so what they say is judged without a server, and a server without
// them is awake (every other test).
func TestSleepingDisplay(t *testing.T) {
	on := func(state bool, level uint16) *dpms.InfoReply {
		return &dpms.InfoReply{State: state, PowerLevel: level}
	}
	saver := func(state byte) *screensaver.QueryInfoReply { return &screensaver.QueryInfoReply{State: state} }
	for name, c := range map[string]struct {
		power *dpms.InfoReply
		saver *screensaver.QueryInfoReply
		dark  bool
	}{
		"neither":                 {nil, nil, false},
		"on":                      {on(true, dpms.DPMSModeOn), saver(screensaver.StateOff), false},
		"standby":                 {on(true, dpms.DPMSModeStandby), nil, true},
		"suspended":               {on(true, dpms.DPMSModeSuspend), nil, true},
		"off":                     {on(true, dpms.DPMSModeOff), nil, true},
		"DPMS is disabled":        {on(false, dpms.DPMSModeOff), nil, false},
		"the saver shows":         {nil, saver(screensaver.StateOn), true},
		"the saver is disabled":   {nil, saver(screensaver.StateDisabled), false},
		"an outside saver's turn": {nil, saver(screensaver.StateCycle), false},
	} {
		if dark(c.power, c.saver) != c.dark {
			t.Errorf("%s: dark is %v", name, !c.dark)
		}
	}
	if !isWhy(asleep(), driver.WhyAsleep) {
		t.Error("asleep says something else")
	}
}

// saver is a screen saver that says on the bus whether it is on.
type saver struct{ on atomic.Bool }

func (s *saver) GetActive() (bool, *dbus.Error) { return s.on.Load(), nil }

func TestLockedDesktopSaysSoOnItsBus(t *testing.T) {
	k := newDesk(t, xserver.Options{Bus: true})
	if err := k.d.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	bus, err := dbus.Connect(k.x.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	k.try(err)
	defer bus.Close()
	var s saver
	k.try(bus.Export(&s, "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver"))
	_, err = bus.RequestName("org.freedesktop.ScreenSaver", 0)
	k.try(err)
	for _, on := range []bool{false, true, false} {
		s.on.Store(on)
		if err := k.d.Ready(t.Context()); isWhy(err, driver.WhyLocked) != on {
			t.Errorf("the saver says %v, and Ready %v", on, err)
		}
	}
	_ = bus.Close()
	if err := k.d.Ready(t.Context()); err != nil {
		t.Errorf("with the saver gone: %v", err)
	}
}

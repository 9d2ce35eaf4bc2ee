//go:build linux

package x11

import (
	"context"
	"image"
	"path/filepath"
	"strings"

	"conch/driver"

	"github.com/jezek/xgb/dpms"
	"github.com/jezek/xgb/screensaver"
	"github.com/jezek/xgb/xproto"
)

// Ready says whether the screen can be seen and used right now. The error is a *driver.Unready.
func (d *Driver) Ready(ctx context.Context) error {
	for _, look := range []func(context.Context) (struct{}, error){d.unlocked, d.awake} {
		if _, err := run(ctx, d, look); err != nil {
			return err
		}
	}
	if d.lock.locked(ctx) {
		return locked()
	}
	return ctx.Err()
}

// session says what the environment alone tells: no display at all, or one that X11 only visits. A program on
// a Wayland session sees other windows' pixels and reaches other windows only where they are X11's own, so a
// half-working driver would say that it clicked where it did not.
func (e environ) session() error {
	if e.get("WAYLAND_DISPLAY") != "" || e.get("XDG_SESSION_TYPE") == "wayland" {
		return wayland()
	}
	if e.get("DISPLAY") == "" {
		return noDisplay("", nil)
	}
	return nil
}

func wayland() error {
	return &driver.Unready{
		Why: driver.WhyWayland, Say: "This is a Wayland session, where one app can't see or use another.",
		Next: "Sign out and choose an X11 (Xorg) session, or try the practice desktop.",
	}
}

func noDisplay(name string, err error) error {
	say := "There is no screen here: DISPLAY is not set."
	if name != "" {
		say = "There is no screen here: nothing answers at DISPLAY " + name + "."
	}
	return &driver.Unready{
		Why: driver.WhyNoDisplay, Say: say,
		Next: "Start Conch from a desktop session, or try the practice desktop.", Err: err,
	}
}

func locked() error {
	return &driver.Unready{Why: driver.WhyLocked, Say: "The screen is locked.", Next: "Unlock it, then try again."}
}

// awake asks the server whether it has turned the display off, or shows its own screen saver.
func (d *Driver) awake(context.Context) (struct{}, error) {
	var none struct{}
	x := d.conn.Conn
	var power *dpms.InfoReply
	var saver *screensaver.QueryInfoReply
	if d.conn.Has("DPMS") {
		if r, err := dpms.Info(x).Reply(); err == nil {
			power = r
		} else if d.isLost() {
			return none, err
		}
	}
	if d.conn.Has("MIT-SCREEN-SAVER") {
		if r, err := screensaver.QueryInfo(x, xproto.Drawable(d.conn.Screen.Root)).Reply(); err == nil {
			saver = r
		} else if d.isLost() {
			return none, err
		}
	}
	if dark(power, saver) {
		return none, asleep()
	}
	return none, nil
}

// dark judges what DPMS and the screen saver say; nil is what the server doesn't have.
func dark(power *dpms.InfoReply, saver *screensaver.QueryInfoReply) bool {
	return power != nil && power.State && power.PowerLevel != dpms.DPMSModeOn || saver != nil && saver.State == screensaver.StateOn
}

func asleep() error {
	return &driver.Unready{Why: driver.WhyAsleep, Say: "The display is asleep.", Next: "Wake it, then try again."}
}

// unlocked looks for a locker's window. Lockers of all kinds put one over everything that no window manager
// touches, and hold the keyboard; an open menu holds it too, so it takes both, and a name.
func (d *Driver) unlocked(context.Context) (struct{}, error) {
	var none struct{}
	status, screens := d.askProp(d.conn.Screen.Root, d.atoms.lockStatus, 1), d.askDisplays()
	t, err := d.readTops()
	if err != nil {
		return none, err
	}
	ds, err := screens.read(d)
	if err != nil {
		return none, err
	}
	if v := status.card32(); len(v) > 0 && v[0] != 0 {
		return none, locked() // xscreensaver's own word for blanked or locked
	}
	for i := len(t.tops) - 1; i >= 0; i-- {
		w := t.tops[i]
		if !w.override || !coversOne(w.rect, ds) {
			continue
		}
		if isLocker(exeOf(w.pid)) && d.keyboardHeld() {
			return none, locked()
		}
	}
	return none, nil
}

// coversOne says whether r hides a whole display: some lockers have one window for each.
func coversOne(r image.Rectangle, ds []driver.Display) bool {
	for _, d := range ds {
		if screenRect(r).Intersect(d.Bounds) == d.Bounds {
			return true
		}
	}
	return false
}

// lockers are programs whose full-screen window is a lock screen, by the file name of what they run.
var lockers = map[string]bool{
	"i3lock": true, "i3lock-color": true, "slock": true, "xlock": true, "xsecurelock": true, "xtrlock": true,
	"xscreensaver": true, "xscreensaver-gfx": true, "xscreensaver-auth": true, "light-locker": true, "sxlock": true,
	"gnome-screensaver": true, "gnome-screensaver-dialog": true, "mate-screensaver": true, "mate-screensaver-dialog": true,
	"cinnamon-screensaver": true, "cs-backup-locker": true, "xfce4-screensaver": true, "xfce4-screensaver-dialog": true,
	"kscreenlocker_greet": true, "metalock": true, "alock": true, "vlock": true, "pyxtrlock": true,
	"saver_blank": true, "auth_x11": true, "auth_x11_pam": true, "dimmer": true,
}

func isLocker(exe string) bool {
	return exe != "" && lockers[strings.ToLower(filepath.Base(exe))]
}

// keyboardHeld tries to hold the keyboard for an instant: only when some other program has it does that fail.
func (d *Driver) keyboardHeld() bool {
	r, err := xproto.GrabKeyboard(d.conn.Conn, false, d.conn.Screen.Root, xproto.TimeCurrentTime,
		xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
	if err != nil {
		return false
	}
	if r.Status == xproto.GrabStatusSuccess {
		xproto.UngrabKeyboard(d.conn.Conn, xproto.TimeCurrentTime)
	}
	return r.Status == xproto.GrabStatusAlreadyGrabbed || r.Status == xproto.GrabStatusFrozen
}

func rectOf(g *xproto.GetGeometryReply) image.Rectangle {
	w, h := int(g.Width)+2*int(g.BorderWidth), int(g.Height)+2*int(g.BorderWidth)
	return image.Rect(0, 0, w, h).Add(image.Pt(int(g.X), int(g.Y)))
}

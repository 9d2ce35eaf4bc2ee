//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"

	"conch/driver"
	"conch/driver/key"
	"conch/driver/x11/xconn"

	"github.com/jezek/xgb/xproto"
)

// Options says which display to use and how. The zero value is the display of this process's environment.
type Options struct {
	// Env is the whole environment (NAME=value) that leads to the display, its cookie, the session bus and
	// the installed applications; nil is this process's own.
	Env []string
	// Own says which windows are ours, to be left out of pictures and lists. nil means those of this process
	// as the X server sees it, which no other program can claim.
	Own func(driver.Window) bool
	Log *slog.Logger // nil is slog's default
	// Guardian is a command that runs GuardianMain with what is added to it: this very program under a
	// sub-command. It runs from Begin to End, and lifts what is held when this process is killed. Without one
	// the next start does that.
	Guardian []string
}

// Driver is one X11 display. Its methods may be called from several goroutines.
type Driver struct {
	env     environ
	own     func(driver.Window) bool
	log     *slog.Logger
	conn    *xconn.Conn
	atoms   atoms
	formats formats
	self    uint32        // our process id as the server sees it
	lost    chan struct{} // closed when the connection has ended
	pumped  chan struct{} // closed when the event reader has ended

	guardian []string // its command

	hands *hands
	apps  *apps
	a11y  *a11y
	lock  lockBus

	names   sync.Map // xproto.Atom to string
	events  listeners
	fences  fences
	follow  follower
	looking chan struct{} // holds one token; whoever has it may use canvas
	canvas  canvas

	closing sync.Once
}

var _ driver.Driver = (*Driver)(nil)

// Open connects to the display. A *driver.Unready says why that can't be: no display, a Wayland session, or a
// server that lacks what a picture needs.
func Open(ctx context.Context, o Options) (d *Driver, err error) {
	env := environ(o.Env)
	if o.Env == nil {
		env = os.Environ()
	}
	if err := env.session(); err != nil {
		return nil, err
	}
	conn, err := xconn.Dial(ctx, "", env.get)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, noDisplay(env.get("DISPLAY"), err)
	}
	d = &Driver{
		env: env, lock: lockBus{env: env}, own: o.Own, log: o.Log, conn: conn, guardian: o.Guardian,
		lost: make(chan struct{}), pumped: make(chan struct{}), looking: make(chan struct{}, 1),
		follow: follower{windows: map[xproto.Window]*watch{}},
	}
	if d.log == nil {
		d.log = slog.Default()
	}
	go d.pump()
	if _, err := run(ctx, d, d.prepare); err != nil {
		d.disconnect()
		return nil, err
	}
	d.apps = newApps(env, d.raise, d.Windows)
	if d.hands, err = newHands(ctx, conn.Display, env.get); err != nil {
		d.disconnect()
		return nil, fmt.Errorf("get mouse and keyboard ready: %w", err)
	}
	d.a11y = newA11y(env)
	return d, nil
}

// Close ends the driver for good: it lifts what is held, forgets every pixel and ends the connection.
func (d *Driver) Close() error {
	var err error
	d.closing.Do(func() {
		ctx := context.Background()
		err = d.End(ctx)
		if lostServer(err) {
			err = nil // it has lifted and forgotten all by going away
		}
		d.apps.close()
		d.lock.close()
		err = errors.Join(err, d.hands.close(), d.a11y.close())
		d.disconnect()
	})
	return err
}

// disconnect ends the connection and waits until its goroutines have gone.
func (d *Driver) disconnect() {
	d.conn.Close()
	<-d.pumped
}

// environ is a list of NAME=value.
type environ []string

func (e environ) get(name string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(e[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// Apps lists the installed apps, and which of them run.
func (d *Driver) Apps(ctx context.Context) ([]driver.App, error) { return d.apps.Apps(ctx) }

// Open starts an app or brings it to the front.
func (d *Driver) Open(ctx context.Context, id driver.AppID) error { return d.apps.Open(ctx, id) }

// Control says what is under p.
func (d *Driver) Control(ctx context.Context, p driver.ScreenPoint) (driver.Control, error) {
	ws, err := d.Windows(ctx)
	if err != nil {
		return driver.Control{}, err
	}
	w, ok := driver.At(ws, p)
	if !ok {
		return driver.Control{}, driver.ErrNoControl
	}
	return d.a11y.Control(ctx, p, w)
}

// Focus says what has the keys.
func (d *Driver) Focus(ctx context.Context) (driver.Focus, error) {
	ws, err := d.Windows(ctx)
	if err != nil {
		return driver.Focus{}, err
	}
	w, ok := driver.Focused(ws)
	if !ok {
		return driver.Focus{}, driver.ErrNoControl
	}
	return d.a11y.Focus(ctx, w)
}

// Secrets lists the parts of password fields that can be seen.
func (d *Driver) Secrets(ctx context.Context) ([]driver.ScreenRect, error) {
	tops, err := run(ctx, d, func(context.Context) ([]*top, error) {
		t, err := d.readTree()
		if err != nil {
			return nil, err
		}
		return t.tops, nil
	})
	if err != nil {
		return nil, err
	}
	var ws []drawnWindow
	for _, w := range tops {
		if !w.own && w.win.PID != 0 && len(w.visible) > 0 && w.win.Role != "desktop" {
			ws = append(ws, drawnWindow{w.win, d.follow.drawn(w.id)})
		}
	}
	return d.a11y.Secrets(ctx, ws)
}

// Find lists the controls of the window in front whose name matches, best first.
func (d *Driver) Find(ctx context.Context, name string) ([]driver.Control, error) {
	ws, err := d.Windows(ctx)
	if err != nil {
		return nil, err
	}
	front, ok := inFront(ws)
	if !ok {
		return nil, driver.ErrNoControl
	}
	return d.a11y.Find(ctx, front, name)
}

// inFront picks the window that a person would call the one in front: that with the keys, or the topmost.
func inFront(ws []driver.Window) (driver.Window, bool) {
	for _, w := range ws {
		if w.Focused {
			return w, true
		}
	}
	for _, w := range ws {
		if (w.Role == "normal" || w.Role == "dialog") && len(w.Visible) > 0 {
			return w, true
		}
	}
	return driver.Window{}, false
}

// Answers returns once the app that has the keyboard has taken what was sent to it.
func (d *Driver) Answers(ctx context.Context) error { return d.hands.Answers(ctx) }

// Move puts the pointer at p.
func (d *Driver) Move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	return d.hands.Move(ctx, p, into)
}

// Button presses or lifts a mouse button.
func (d *Driver) Button(ctx context.Context, b driver.Button, down bool, into driver.Into) error {
	return d.hands.Button(ctx, b, down, into)
}

// Scroll turns the wheel.
func (d *Driver) Scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	return d.hands.Scroll(ctx, dx, dy, into)
}

// Key presses or lifts one key.
func (d *Driver) Key(ctx context.Context, k key.Key, down bool, into driver.Into) error {
	return d.hands.Key(ctx, k, down, into)
}

// Text types s by character.
func (d *Driver) Text(ctx context.Context, s string, into driver.Into) (int, error) {
	return d.hands.Text(ctx, s, into)
}

// Release lifts all that is held.
func (d *Driver) Release(ctx context.Context) error { return d.hands.Release(ctx) }

package mac

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"conch/driver"
	"conch/driver/key"
)

// Driver is one Mac's screen, mouse and keyboard. Its methods may be called from several goroutines.
type Driver struct {
	sys   system
	log   *slog.Logger
	tried func(Permission, Tried)
	now   func() time.Time
	apps  *apps
	hands *hands

	looking chan struct{} // holds one token: one picture at a time
	follow  follower
	secrets secrets

	closed    chan struct{}
	closing   sync.Once
	closeErr  error
	beginning chan struct{} // holds one token: Begin, End and Close don't cross
}

var _ driver.Driver = (*Driver)(nil)

// Options says how the driver is opened.
type Options struct {
	Log *slog.Logger // nil is slog's default
	// Tried hears how it went each time that a permission was needed for real and macOS says that we have it. It
	// is called in the middle of things, from any goroutine, so it must not wait. nil is nobody.
	Tried func(Permission, Tried)
}

// newDriver makes a driver over what macOS answers.
func newDriver(sys system, files appFiles, o Options, now func() time.Time) *Driver {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Tried == nil {
		o.Tried = func(Permission, Tried) {}
	}
	d := &Driver{
		sys: sys, log: o.Log, tried: o.Tried, now: now, closed: make(chan struct{}),
		looking: make(chan struct{}, 1), beginning: make(chan struct{}, 1),
	}
	d.apps = &apps{sys: sys, files: files}
	d.hands = newHands(sys, d.desk, now)
	return d
}

// closedError is what a driver says that was closed.
func closedError() error {
	return &driver.Unready{Why: driver.WhyLost, Say: "Conch has let go of this screen.", Next: "Start Conch again."}
}

// open says whether the driver can still be used.
func (d *Driver) open(ctx context.Context) error {
	select {
	case <-d.closed:
		return closedError()
	default:
		return ctx.Err()
	}
}

// take gets the token of c.
func take(ctx context.Context, c chan struct{}) error {
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Begin starts following changes of the screen.
func (d *Driver) Begin(ctx context.Context) error {
	if err := take(ctx, d.beginning); err != nil {
		return err
	}
	defer func() { <-d.beginning }()
	if err := d.Ready(ctx); err != nil {
		return err
	}
	return d.lookError(d.follow.begin(ctx, d.sys, d.log))
}

// End stops following, and lifts all that is held.
func (d *Driver) End(ctx context.Context) error {
	if err := take(ctx, d.beginning); err != nil {
		return err
	}
	defer func() { <-d.beginning }()
	d.follow.end()
	d.secrets.forget()
	return d.hands.release(ctx)
}

// Close ends the driver for good. A Begin that is under way is waited for, and one that comes later finds it closed.
func (d *Driver) Close() error {
	d.closing.Do(func() {
		close(d.closed)
		d.closeErr = d.End(context.Background())
	})
	return d.closeErr
}

// Changed returns how often the screen changed since Begin, once that is more than seen.
func (d *Driver) Changed(ctx context.Context, seen uint64) (uint64, error) {
	return d.follow.changed(ctx, seen)
}

// Answers returns at once: nothing on a Mac says that an app has taken its events without waiting for its
// accessibility, which Control and Find do with limits of their own.
func (d *Driver) Answers(ctx context.Context) error { return ctx.Err() }

// Pointer says where the pointer is.
func (d *Driver) Pointer(ctx context.Context) (driver.ScreenPoint, error) {
	if err := d.open(ctx); err != nil {
		return driver.ScreenPoint{}, err
	}
	return d.sys.pointer(), nil
}

// Apps lists the installed apps, and which of them run.
func (d *Driver) Apps(ctx context.Context) ([]driver.App, error) {
	if err := d.open(ctx); err != nil {
		return nil, err
	}
	return d.apps.list(ctx)
}

// openWithin bounds how long macOS may take to start an app.
const openWithin = 10 * time.Second

// Open starts an app by its bundle id, or brings it to the front.
func (d *Driver) Open(ctx context.Context, id driver.AppID) error {
	if err := d.open(ctx); err != nil {
		return err
	}
	if !bundleID(string(id)) {
		return driver.ErrNoApp
	}
	limit, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	err := d.sys.openApp(limit, id)
	switch {
	case errors.Is(err, errGone):
		return driver.ErrNoApp
	case err != nil && ctx.Err() == nil && limit.Err() != nil:
		return errors.New("the app did not open within 10 seconds")
	}
	return err
}

// Move puts the pointer at p and makes sure that it is there.
func (d *Driver) Move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	if err := d.open(ctx); err != nil {
		return err
	}
	return d.hands.move(ctx, p, into)
}

// Button presses or lifts a mouse button.
func (d *Driver) Button(ctx context.Context, b driver.Button, down bool, into driver.Into) error {
	if err := d.open(ctx); err != nil {
		return err
	}
	return d.hands.button(ctx, b, down, into)
}

// Scroll turns the wheel.
func (d *Driver) Scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	if err := d.open(ctx); err != nil {
		return err
	}
	return d.hands.scroll(ctx, dx, dy, into)
}

// Key presses or lifts one key by the active layout.
func (d *Driver) Key(ctx context.Context, k key.Key, down bool, into driver.Into) error {
	if err := d.open(ctx); err != nil {
		return err
	}
	return d.hands.press(ctx, k, down, into)
}

// Text types s by character, as Unicode.
func (d *Driver) Text(ctx context.Context, s string, into driver.Into) (int, error) {
	if err := d.open(ctx); err != nil {
		return 0, err
	}
	return d.hands.text(ctx, s, into)
}

// Release lifts all that is held.
func (d *Driver) Release(ctx context.Context) error { return d.hands.release(ctx) }

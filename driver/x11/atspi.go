//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"conch/driver"

	"github.com/godbus/dbus/v5"
)

// a11y asks the accessibility bus (AT-SPI 2) what the things on the screen are called. It reads roles, names,
// states and places, never the text in a field, and changes nothing.
type a11y struct {
	address string // of the session bus; empty without one

	mu    sync.Mutex
	conn  *dbus.Conn
	again time.Time // after a failure: not asked before this

	lastMu sync.Mutex
	last   lastFocus

	secrets secretFields
}

// How long a question may take. An app that hangs must not hold up what is done to another one.
const (
	a11ySearch = 1500 * time.Millisecond
	a11yRetry  = 5 * time.Second
)

// newA11y prepares to ask the accessibility bus of the session that env names. It never fails and never waits.
func newA11y(env environ) *a11y {
	return &a11y{address: sessionBus(env)}
}

func (a *a11y) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conn == nil {
		return nil
	}
	conn := a.conn
	a.conn = nil
	return conn.Close()
}

// bus returns the connection to the accessibility bus, made at its first use.
func (a *a11y) bus(ctx context.Context) (*dbus.Conn, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conn != nil && a.conn.Connected() {
		return a.conn, nil
	}
	if a.address == "" || time.Now().Before(a.again) {
		return nil, driver.ErrNoControl
	}
	a.again = time.Now().Add(a11yRetry)
	session, err := dialBus(ctx, a.address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	var address string
	err = session.Object("org.a11y.Bus", "/org/a11y/bus").CallWithContext(ctx, "org.a11y.Bus.GetAddress", 0).Store(&address)
	if err != nil {
		return nil, err
	}
	if a.conn, err = dialBus(ctx, address); err != nil {
		return nil, err
	}
	a.again = time.Time{}
	return a.conn, nil
}

var errBusAddress = errors.New("a D-Bus address that names no local socket")

// dialBus connects to the first local socket of an address and says hello, all before ctx ends. An address can
// also name a program to run or another computer; those are not followed.
func dialBus(ctx context.Context, address string) (*dbus.Conn, error) {
	err := errBusAddress
	for _, one := range strings.Split(address, ";") {
		path, ok := socketPath(one)
		if !ok {
			continue
		}
		var c *dbus.Conn
		if c, err = helloBus(ctx, path); err == nil {
			return c, nil
		}
	}
	return nil, err
}

func socketPath(address string) (string, bool) {
	rest, ok := strings.CutPrefix(address, "unix:")
	if !ok {
		return "", false
	}
	for _, kv := range strings.Split(rest, ",") {
		k, v, _ := strings.Cut(kv, "=")
		v, err := dbus.UnescapeBusAddressValue(v)
		switch {
		case err != nil:
		case k == "path":
			return v, true
		case k == "abstract":
			return "@" + v, true
		}
	}
	return "", false
}

func helloBus(ctx context.Context, path string) (*dbus.Conn, error) {
	var d net.Dialer
	s, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.SetDeadline(time.Unix(1, 0)) })
	c, err := dbus.DialUnix(s.(*net.UnixConn))
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	if err = c.Auth(nil); err == nil {
		err = c.Hello()
	}
	if !stop() {
		err = errors.Join(ctx.Err(), err)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// ask runs a question with its time limit. Whatever goes wrong in it means that nothing is known; the end of
// the caller's own context is said as such.
func ask[T any](ctx context.Context, a *a11y, limit time.Duration, f func(context.Context, *tongue) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	short, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, err := a.bus(short)
	if err == nil {
		var v T
		if v, err = f(short, &tongue{conn}); err == nil {
			return v, nil
		}
	}
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	if errors.Is(err, driver.ErrNoControl) {
		return none, driver.ErrNoControl
	}
	return none, fmt.Errorf("%w: %w", driver.ErrNoControl, err)
}

// Control says what is at p in the window w, which is the one that is seen there.
func (a *a11y) Control(ctx context.Context, p driver.ScreenPoint, w driver.Window) (driver.Control, error) {
	return ask(ctx, a, driver.LookUp, func(ctx context.Context, t *tongue) (driver.Control, error) {
		tops, err := t.frames(ctx, w)
		if err != nil {
			return driver.Control{}, err
		}
		for _, top := range tops {
			if c, ok := t.at(ctx, top, p); ok {
				c.Window = w.ID
				return c, ctx.Err()
			}
		}
		return driver.Control{}, driver.ErrNoControl
	})
}

// Find looks for a name in the window front, and returns what fits best first.
func (a *a11y) Find(ctx context.Context, front driver.Window, name string) ([]driver.Control, error) {
	return ask(ctx, a, a11ySearch, func(ctx context.Context, t *tongue) ([]driver.Control, error) {
		tops, err := t.frames(ctx, front)
		if err != nil {
			return nil, err
		}
		s := search{want: driver.PlainName(name)}
		if s.want == "" {
			return nil, driver.ErrNoControl
		}
		for _, top := range tops {
			s.walk(ctx, t, top)
		}
		found := s.best(front.ID)
		if len(found) == 0 {
			return nil, driver.ErrNoControl
		}
		return found, nil
	})
}

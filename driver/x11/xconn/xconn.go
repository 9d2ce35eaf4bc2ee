//go:build linux

package xconn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"conch/driver/x11/xgbvars"
	"conch/driver/x11/xraw"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/render"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// Conn is a connection with its extensions ready.
type Conn struct {
	*xgb.Conn
	Setup   *xproto.SetupInfo
	Screen  *xproto.ScreenInfo
	Display string // as it was asked for
	exts    map[string]*xproto.QueryExtensionReply
	closed  sync.Once
}

// The extensions that are made ready where the server has them, by the names that xgb looks them up with.
var known = []string{
	"Composite", "DAMAGE", "MIT-SHM", "RANDR", "RENDER", "SHAPE", "XFIXES", "XTEST", "X-Resource",
}

// probed are only asked for, or asked whether the display is dark.
var probed = []string{"XWAYLAND", "DPMS", "MIT-SCREEN-SAVER"}

// Dial connects to display ("" is getenv's DISPLAY) with the cookie that getenv's XAUTHORITY or HOME leads to.
// The caller must read WaitForEvent until it returns nothing, and end the connection with Close.
func Dial(ctx context.Context, display string, getenv func(string) string) (*Conn, error) {
	xgbvars.Set()
	if display == "" {
		display = getenv("DISPLAY")
	}
	nc, hello, screen, err := xraw.Open(ctx, display, getenv)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Unix(1, 0)) })
	s := newSocket(nc, hello)
	c, err := greet(s, screen)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		if c != nil {
			c.Close()
		}
		_ = s.Close()
		return nil, fmt.Errorf("connect to X display %s: %w", display, err)
	}
	c.Display = display
	return c, nil
}

func greet(s *socket, screen int) (c *Conn, err error) {
	x, err := xgb.NewConnNet(s)
	if err != nil {
		return nil, err
	}
	c = &Conn{Conn: x, exts: map[string]*xproto.QueryExtensionReply{}}
	if c.Setup = xproto.Setup(x); screen >= len(c.Setup.Roots) {
		return c, fmt.Errorf("the X server has %d screens, and number %d is asked for", len(c.Setup.Roots), screen)
	}
	x.DefaultScreen = screen
	c.Screen = &c.Setup.Roots[screen]
	if err := c.extensions(); err != nil {
		return c, err
	}
	return c, c.versions()
}

func (c *Conn) extensions() error {
	names := append(append([]string(nil), known...), probed...)
	cookies := make([]xproto.QueryExtensionCookie, len(names))
	for i, n := range names {
		cookies[i] = xproto.QueryExtension(c.Conn, uint16(len(n)), n)
	}
	for i, n := range names {
		r, err := cookies[i].Reply()
		if err != nil {
			return err
		}
		if !r.Present {
			continue
		}
		c.exts[n] = r
		c.ExtLock.Lock()
		c.Extensions[n] = r.MajorOpcode
		c.ExtLock.Unlock()
	}
	return nil
}

// versions says which version of each extension we speak, which most servers insist on before anything else.
func (c *Conn) versions() error {
	var errs []error
	ask := func(name string, f func() error) {
		if c.Has(name) {
			if err := f(); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	x := c.Conn
	ask("Composite", func() error { _, err := composite.QueryVersion(x, 0, 4).Reply(); return err })
	ask("DAMAGE", func() error { _, err := damage.QueryVersion(x, 1, 1).Reply(); return err })
	ask("MIT-SHM", func() error { _, err := shm.QueryVersion(x).Reply(); return err })
	ask("RANDR", func() error { _, err := randr.QueryVersion(x, 1, 5).Reply(); return err })
	ask("RENDER", func() error { _, err := render.QueryVersion(x, 0, 11).Reply(); return err })
	ask("SHAPE", func() error { _, err := shape.QueryVersion(x).Reply(); return err })
	ask("XFIXES", func() error { _, err := xfixes.QueryVersion(x, 5, 0).Reply(); return err })
	ask("XTEST", func() error { _, err := xtest.GetVersion(x, 2, 2).Reply(); return err })
	ask("X-Resource", func() error { _, err := res.QueryVersion(x, 1, 2).Reply(); return err })
	return errors.Join(errs...)
}

// Has says whether the server has an extension ("DAMAGE").
func (c *Conn) Has(name string) bool { return c.exts[name] != nil }

// Close ends the connection. Calling it again is free.
func (c *Conn) Close() { c.closed.Do(c.Conn.Close) }

//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"

	"conch/driver"

	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/xproto"
)

// Begin gets ready to look: every window gets pixels of its own, also where others cover it, and changes of the
// screen are followed. Calling it again is free.
func (d *Driver) Begin(ctx context.Context) error {
	if d.follow.on() && !d.isLost() {
		return nil
	}
	_, err := run(ctx, d, func(ctx context.Context) (struct{}, error) {
		var none struct{}
		select {
		case d.looking <- struct{}{}:
			defer func() { <-d.looking }()
		case <-ctx.Done():
			return none, ctx.Err()
		}
		if d.follow.on() {
			return none, nil
		}
		return none, d.begin()
	})
	if err == nil {
		d.guardHands(ctx)
	}
	return err
}

// guardHands starts the guardian of what is held, where there is one. Without it the next start puts right what
// a kill leaves, so its absence stops nobody.
func (d *Driver) guardHands(ctx context.Context) {
	if len(d.guardian) == 0 {
		return
	}
	if err := d.hands.watch(ctx, d.guardian, d.env); err != nil && ctx.Err() == nil {
		d.log.Warn("x11", "error", err)
	}
}

// begun returns an error unless the screen is followed: looking never starts that by itself, so that a late
// question after End doesn't take hold of every window again.
func (d *Driver) begun(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case d.isLost():
		return d.lostError(nil)
	case !d.follow.on():
		return driver.ErrNotBegun
	}
	return nil
}

func (d *Driver) begin() error {
	x, root := d.conn.Conn, d.conn.Screen.Root
	if err := composite.RedirectSubwindowsChecked(x, root, composite.RedirectAutomatic).Check(); err != nil {
		return fmt.Errorf("get ready to see the windows: %w", err)
	}
	return d.follow.start(d)
}

// End stops following, lifts all that is held, and forgets every pixel. Calling it again is free.
func (d *Driver) End(ctx context.Context) error {
	err := errors.Join(d.hands.Release(ctx), d.hands.unwatch(ctx))
	_, ended := run(ctx, d, func(ctx context.Context) (struct{}, error) {
		var none struct{}
		select {
		case d.looking <- struct{}{}:
			defer func() { <-d.looking }()
		case <-ctx.Done():
			return none, ctx.Err()
		}
		if !d.follow.on() {
			return none, nil
		}
		return none, d.end()
	})
	if d.isLost() {
		d.looking <- struct{}{} // whoever has it ends with the connection
		ended = errors.Join(ended, d.canvas.shm.free(d))
		<-d.looking
	}
	return errors.Join(err, ended)
}

func (d *Driver) end() error {
	x, root := d.conn.Conn, d.conn.Screen.Root
	d.a11y.forget()
	d.follow.stop(d)
	err := d.canvas.forget(d)
	composite.UnredirectSubwindows(x, root, composite.RedirectAutomatic)
	_, sync := xproto.GetInputFocus(x).Reply() // so that it has happened when we return
	return errors.Join(err, sync)
}

//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"time"

	"conch/driver/x11/xraw"

	"github.com/jezek/xgb/dpms"
	"github.com/jezek/xgb/xproto"
)

// Stuck counts the keys and buttons that a program holds down through XTEST, this one included. What a person holds
// is on devices of their own and doesn't count. Call it while no turn uses the computer.
func (d *Driver) Stuck(ctx context.Context) (n int, err error) {
	err = d.hands.each(ctx, func(keys, buttons []byte) error {
		n += len(keys) + len(buttons)
		return nil
	})
	return n, err
}

// Lift lifts them.
func (d *Driver) Lift(ctx context.Context) error {
	if err := d.hands.Release(ctx); err != nil {
		return err
	}
	return d.hands.each(ctx, func(keys, buttons []byte) error {
		h := d.hands
		for _, code := range keys {
			h.queue(h.fake(fakeKeyUp, code, 0, 0))
		}
		for _, button := range buttons {
			h.queue(h.fake(fakeButtonUp, button, 0, 0))
		}
		return h.settle(ctx)
	})
}

// each tells what is down on each device that XTEST presses on, with the turn to act.
func (h *hands) each(ctx context.Context, do func(keys, buttons []byte) error) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	xi, err := h.conn.XI(ctx)
	if err != nil {
		return h.gone(err)
	}
	devices, err := xi.Devices(ctx, xraw.AllDevices)
	if err != nil {
		return h.gone(err)
	}
	for _, dev := range devices {
		if !dev.Synthetic() {
			continue
		}
		keys, buttons, err := xi.Down(ctx, dev.ID)
		if err == nil {
			err = do(keys, buttons)
		}
		if err != nil {
			return h.gone(err)
		}
	}
	return nil
}

// Wake turns the display on and ends the server's own screen saver. A locked screen stays locked.
func (d *Driver) Wake(ctx context.Context) error {
	_, err := run(ctx, d, func(context.Context) (struct{}, error) {
		x := d.conn.Conn
		var err error
		if d.conn.Has("DPMS") {
			if info, infoErr := dpms.Info(x).Reply(); infoErr == nil && info.State {
				err = dpms.ForceLevelChecked(x, dpms.DPMSModeOn).Check()
			}
		}
		return struct{}{}, errors.Join(err, xproto.ForceScreenSaverChecked(x, xproto.ScreenSaverReset).Check())
	})
	if err != nil {
		return fmt.Errorf("wake the display: %w", err)
	}
	return nil
}

// ErrNoBus says that this session has no bus on which apps could tell what their controls are called.
var ErrNoBus = errors.New("this session has no session bus, and so no accessibility bus")

// NamesAnswer says why nothing tells what things on the screen are called; nil when the accessibility bus is there.
func (d *Driver) NamesAnswer(ctx context.Context) error {
	if d.a11y.address == "" {
		return ErrNoBus
	}
	_, err := d.a11y.bus(ctx)
	if errors.Is(err, errBusAddress) {
		return ErrNoBus
	}
	return err
}

// NamesAgain connects to the accessibility bus anew, and starts it where the session can.
func (d *Driver) NamesAgain(ctx context.Context) error {
	a := d.a11y
	a.mu.Lock()
	if a.conn != nil {
		_ = a.conn.Close()
		a.conn = nil
	}
	a.again = time.Time{}
	a.mu.Unlock()
	return d.NamesAnswer(ctx)
}

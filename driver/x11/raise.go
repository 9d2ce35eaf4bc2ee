//go:build linux

package x11

import (
	"context"
	"fmt"
	"time"

	"conch/driver"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// raiseLimit is how long a window manager may take to bring a window to the front.
const raiseLimit = 2 * time.Second

// raise brings a window to the front with the keys, and returns once that can be seen.
func (d *Driver) raise(ctx context.Context, w driver.Window) error {
	ctx, cancel := context.WithTimeout(ctx, raiseLimit)
	defer cancel()
	moved := make(chan struct{}, 1)
	defer d.events.listen(func(xgb.Event) {
		select {
		case moved <- struct{}{}:
		default:
		}
	})()
	if _, err := run(ctx, d, func(context.Context) (struct{}, error) { return struct{}{}, d.askToRaise(w) }); err != nil {
		return err
	}
	again := time.NewTicker(50 * time.Millisecond) // focus alone brings no event on the root
	defer again.Stop()
	for {
		ws, err := d.Windows(ctx)
		if err == nil && isFront(ws, w.ID) {
			return nil
		}
		select {
		case <-moved:
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("bring “%s” to the front: the window did not come: %w", w.AppName, ctx.Err())
		}
	}
}

// askToRaise asks the window manager, as a taskbar would; without one it does it.
func (d *Driver) askToRaise(w driver.Window) error {
	x, root, id := d.conn.Conn, d.conn.Screen.Root, xproto.Window(w.ID)
	if d.askProp(root, d.atoms.supporting, 1).window() != xproto.WindowNone {
		const fromPager = 2
		ev := xproto.ClientMessageEvent{
			Format: 32, Window: id, Type: d.atoms.active,
			Data: xproto.ClientMessageDataUnionData32New([]uint32{fromPager, xproto.TimeCurrentTime, 0, 0, 0}),
		}
		return xproto.SendEventChecked(x, false, root,
			xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, string(ev.Bytes())).Check()
	}
	if err := xproto.ConfigureWindowChecked(x, id, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove}).Check(); err != nil {
		return fmt.Errorf("raise the window: %w", err)
	}
	if err := xproto.SetInputFocusChecked(x, xproto.InputFocusParent, id, xproto.TimeCurrentTime).Check(); err != nil {
		return fmt.Errorf("give the window the keyboard: %w", err)
	}
	return nil
}

func isFront(ws []driver.Window, id driver.WindowID) bool {
	for _, w := range ws {
		if w.ID == id {
			return w.Focused
		}
	}
	return false
}

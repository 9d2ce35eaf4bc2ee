//go:build linux

package x11

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"conch/overlay"
)

// Left counts the windows of an edge or a card that are on the screen and that nothing needs: of a connection that
// has ended and left its windows behind, or of this one while nothing is lit. An edge that another living program
// shows is that program's.
func (d *Desktop) Left(ctx context.Context) (int, error) {
	return ask(ctx, d, func() (int, error) {
		left, err := d.left()
		return len(left), err
	})
}

// ClearLeft takes them away.
func (d *Desktop) ClearLeft(ctx context.Context) error {
	return d.call(ctx, func() error {
		left, err := d.left()
		for _, w := range left {
			if d.ours(w) {
				xproto.DestroyWindow(d.conn, w)
				continue
			}
			// Where its client has ended this removes all that it left behind.
			if killErr := xproto.KillClientChecked(d.conn, uint32(w)).Check(); killErr != nil {
				err = errors.Join(err, fmt.Errorf("take away a window that was left: %w", killErr))
			}
		}
		return errors.Join(err, d.sync())
	})
}

func (d *Desktop) left() (out []xproto.Window, err error) {
	if !d.scene.Dark() || d.lit {
		return nil, nil // a turn's own edge is among them
	}
	tree, err := xproto.QueryTree(d.conn, d.screen.Root).Reply()
	if err != nil {
		return nil, fmt.Errorf("list the windows on the screen: %w", err)
	}
	for _, w := range tree.Children {
		if d.probe != nil && w == d.probe.window || !d.looksLikeOurs(w) {
			continue
		}
		if d.ours(w) || d.ownerGone(w) {
			out = append(out, w)
		}
	}
	return out, nil
}

// looksLikeOurs says whether a window is on the screen as the edge's and the card's are. A window that has gone
// meanwhile isn't.
func (d *Desktop) looksLikeOurs(w xproto.Window) bool {
	at, class := xproto.GetWindowAttributes(d.conn, w), xproto.GetProperty(d.conn, false, w, xproto.AtomWmClass, xproto.AtomString, 0, 16)
	a, aErr := at.Reply()
	c, cErr := class.Reply()
	return aErr == nil && cErr == nil && a.OverrideRedirect && a.MapState != xproto.MapStateUnmapped && bytes.Equal(c.Value, ourClass)
}

// ourClass is the WM_CLASS of our windows, see describe.
var ourClass = []byte("conch\x00Conch\x00")

// ownerGone says whether the program that made a window has ended, as the server knows it. One that the server
// can't name counts as living.
func (d *Desktop) ownerGone(w xproto.Window) bool {
	if !d.x.Has("X-Resource") {
		return false
	}
	r, err := res.QueryClientIds(d.conn, 1, []res.ClientIdSpec{{Client: uint32(w), Mask: res.ClientIdMaskLocalClientPID}}).Reply()
	if err != nil {
		return false
	}
	for _, id := range r.Ids {
		if id.Spec.Mask&res.ClientIdMaskLocalClientPID != 0 && len(id.Value) > 0 {
			return gone(int(id.Value[0]), os.Getpid(), alive)
		}
	}
	return false
}

// gone judges the owner of a window that isn't this connection's. Another connection of this very process is an
// edge that was given up: there is one at a time.
func gone(pid, self int, alive func(int) bool) bool { return pid > 0 && (pid == self || !alive(pid)) }

func alive(pid int) bool {
	_, err := os.Stat("/proc/" + strconv.Itoa(pid))
	return err == nil
}

// TryKey says which Stop key would be had now, and gives it back at once. While a turn is lit it is the one that is
// held.
func (d *Desktop) TryKey(ctx context.Context) (overlay.Held, error) {
	return ask(ctx, d, func() (overlay.Held, error) {
		if d.lit {
			return d.held, nil
		}
		if err := d.readKeymap(); err != nil {
			return overlay.Held{}, err
		}
		held := d.grabFirst()
		d.ungrab(d.grabbed)
		d.grabbed = nil
		return held, d.sync()
	})
}

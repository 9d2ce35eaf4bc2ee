//go:build linux

package x11

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/jezek/xgb/xproto"
)

// reducedMotion says whether the glow should hold still: by the Motion option, the desktop portal, or the
// settings manager (XSETTINGS, "Gtk/EnableAnimations"), whichever knows first. Where none does, it turns.
func (d *Desktop) reducedMotion(ctx context.Context) bool {
	if d.opts.still != nil {
		if still, known := d.opts.still(ctx); known {
			return still
		}
	}
	if still, known := portalMotion(ctx, d.opts.getenv); known {
		return still
	}
	still, _ := ask(ctx, d, func() (bool, error) { // where it can't be asked, it turns
		on, known := animations(d.settings())
		return known && !on, nil
	})
	return still
}

// portalMotion asks a desktop portal that is running already; it starts none, and no bus either.
func portalMotion(ctx context.Context, getenv func(string) string) (still, known bool) {
	address := getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" {
		socket := filepath.Join(getenv("XDG_RUNTIME_DIR"), "bus")
		if _, err := os.Stat(socket); err != nil {
			return false, false
		}
		address = "unix:path=" + socket
	}
	if !strings.HasPrefix(address, "unix:") {
		return false, false
	}
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	bus, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return false, false
	}
	defer func() { _ = bus.Close() }()
	portal := bus.Object("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
	var v dbus.Variant
	err = portal.CallWithContext(ctx, "org.freedesktop.portal.Settings.Read", dbus.FlagNoAutoStart,
		"org.freedesktop.appearance", "reduced-motion").Store(&v)
	if err != nil {
		return false, false
	}
	inner := v.Value()
	if w, ok := inner.(dbus.Variant); ok { // Read wraps its answer twice
		inner = w.Value()
	}
	u, ok := inner.(uint32)
	return u == 1, ok
}

// settings returns the settings manager's property, or nil where none runs.
func (d *Desktop) settings() []byte {
	owner, err := xproto.GetSelectionOwner(d.conn, d.atoms[d.settingsName()]).Reply()
	if err != nil || owner.Owner == xproto.WindowNone {
		return nil
	}
	prop := d.atoms["_XSETTINGS_SETTINGS"]
	r, err := xproto.GetProperty(d.conn, false, owner.Owner, prop, prop, 0, 1<<16).Reply()
	if err != nil {
		return nil
	}
	return r.Value
}

// animations reads Gtk/EnableAnimations from an _XSETTINGS_SETTINGS property (XSETTINGS 0.5): a header of
// 12 bytes, then per setting type, name, serial and value, each padded to four.
func animations(b []byte) (on, known bool) {
	if len(b) < 12 {
		return false, false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 1 {
		order = binary.BigEndian
	}
	count := order.Uint32(b[8:])
	b = b[12:]
	take := func(n int) []byte {
		n = (n + 3) &^ 3
		if n < 0 || n > len(b) {
			return nil
		}
		f := b[:n]
		b = b[n:]
		return f
	}
	for range count {
		head := take(4)
		if head == nil {
			return false, false
		}
		size := int(order.Uint16(head[2:]))
		name := take(size)
		if name == nil && size > 0 || take(4) == nil {
			return false, false
		}
		var value []byte
		switch head[0] {
		case 0: // integer
			value = take(4)
		case 1: // string
			n := take(4)
			if n == nil {
				return false, false
			}
			value = take(int(order.Uint32(n)))
			if value == nil && order.Uint32(n) > 0 {
				return false, false
			}
			continue
		case 2: // colour
			value = take(8)
		}
		if value == nil {
			return false, false
		}
		if head[0] == 0 && string(name[:size]) == "Gtk/EnableAnimations" {
			return order.Uint32(value) != 0, true
		}
	}
	return false, false
}

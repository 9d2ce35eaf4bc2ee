//go:build linux

package xconn

import (
	"conch/driver/x11/xgbvars"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xfixes"
)

// raw is an extension's event as it came.
type raw = xgbvars.Raw

// Error is an extension's error as it came.
type Error = xgbvars.Error

// Decode turns an event of WaitForEvent into the type that xgb has for it: core events pass through, those of
// DAMAGE, RANDR and XFIXES are read by this server's numbers, and others stay as they came.
func (c *Conn) Decode(ev xgb.Event) xgb.Event {
	r, is := ev.(raw)
	if !is {
		return ev
	}
	n := r[0] & 0x7f
	at := func(name string, offset byte) bool {
		e := c.exts[name]
		return e != nil && n == e.FirstEvent+offset
	}
	switch {
	case at("DAMAGE", damage.Notify):
		return damage.NotifyEventNew(r)
	case at("RANDR", randr.ScreenChangeNotify):
		return randr.ScreenChangeNotifyEventNew(r)
	case at("RANDR", randr.Notify):
		return randr.NotifyEventNew(r)
	case at("XFIXES", xfixes.CursorNotify):
		return xfixes.CursorNotifyEventNew(r)
	case at("XFIXES", xfixes.SelectionNotify):
		return xfixes.SelectionNotifyEventNew(r)
	}
	return ev
}

//go:build linux

package xconn

import (
	"fmt"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xfixes"
)

// raw is an extension's event as it came.
type raw []byte

func (r raw) Bytes() []byte  { return r }
func (r raw) String() string { return fmt.Sprintf("event %d", r[0]&0x7f) }

// Error is an extension's error as it came.
type Error []byte

// SequenceId is the number of the request.
func (e Error) SequenceId() uint16 { return xgb.Get16(e[2:]) } //nolint:revive // xgb's name

// BadId is the resource that the error is about.
func (e Error) BadId() uint32 { return xgb.Get32(e[4:]) } //nolint:revive // xgb's name

func (e Error) Error() string {
	return fmt.Sprintf("X error %d on request %d.%d (0x%x)", e[1], e[10], xgb.Get16(e[8:]), e.BadId())
}

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

//go:build linux

package x11

import (
	"fmt"
	"image"
	"os"

	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"
)

// window makes one window of ours, not yet shown. It is override-redirect: no window manager frames, moves or
// focuses it. back is what the server paints it with by itself.
func (d *Desktop) window(k kind, at image.Rectangle, name string, back xproto.Pixmap) (xproto.Window, error) {
	id, err := xproto.NewWindowId(d.conn)
	if err != nil {
		return 0, fmt.Errorf("make a window: %w", err)
	}
	mask := uint32(xproto.CwBackPixmap | xproto.CwBorderPixel | xproto.CwOverrideRedirect | xproto.CwEventMask | xproto.CwColormap)
	values := []uint32{
		uint32(back), 0, 1, xproto.EventMaskExposure | xproto.EventMaskVisibilityChange, uint32(k.colormap),
	}
	err = xproto.CreateWindowChecked(d.conn, k.depth, id, d.screen.Root, int16(at.Min.X), int16(at.Min.Y),
		uint16(at.Dx()), uint16(at.Dy()), 0, xproto.WindowClassInputOutput, k.visual, mask, values).Check()
	if err != nil {
		return 0, fmt.Errorf("make a window at %v: %w", at, err)
	}
	d.describe(id, name)
	return id, nil
}

// describe says what the window is, for compositors (no shadow, no fade) and for a person with xprop.
func (d *Desktop) describe(w xproto.Window, name string) {
	set := func(prop, typ xproto.Atom, format byte, data []byte) {
		xproto.ChangeProperty(d.conn, xproto.PropModeReplace, w, prop, typ, format, uint32(len(data)*8/int(format)), data)
	}
	long := func(v uint32) []byte {
		b := make([]byte, 4)
		if d.visual.big {
			b[0], b[1], b[2], b[3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
		} else {
			b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
		}
		return b
	}
	set(xproto.AtomWmName, xproto.AtomString, 8, []byte(name))
	set(d.atoms["_NET_WM_NAME"], d.atoms["UTF8_STRING"], 8, []byte(name))
	set(xproto.AtomWmClass, xproto.AtomString, 8, []byte("conch\x00Conch\x00"))
	set(d.atoms["_NET_WM_PID"], xproto.AtomCardinal, 32, long(uint32(os.Getpid())))
	set(d.atoms["_NET_WM_WINDOW_TYPE"], xproto.AtomAtom, 32, long(uint32(d.atoms["_NET_WM_WINDOW_TYPE_NOTIFICATION"])))
	set(d.atoms["_NET_WM_STATE"], xproto.AtomAtom, 32, long(uint32(d.atoms["_NET_WM_STATE_ABOVE"])))
	set(d.atoms["_COMPTON_SHADOW"], xproto.AtomCardinal, 32, long(0))
}

// letThrough makes a window not be there for the pointer: an empty list of rectangles. (An input shape of None
// would mean the whole window.)
func (d *Desktop) letThrough(w xproto.Window) {
	shape.Rectangles(d.conn, shape.SoSet, shape.SkInput, xproto.ClipOrderingUnsorted, w, 0, 0, nil)
}

// takeInput makes only a part of a window be there for the pointer.
func (d *Desktop) takeInput(w xproto.Window, part image.Rectangle) {
	shape.Rectangles(d.conn, shape.SoSet, shape.SkInput, xproto.ClipOrderingUnsorted, w, 0, 0, []xproto.Rectangle{{
		X: int16(part.Min.X), Y: int16(part.Min.Y), Width: uint16(part.Dx()), Height: uint16(part.Dy()),
	}})
}

// ours says whether this connection made the window.
func (d *Desktop) ours(w xproto.Window) bool {
	s := xproto.Setup(d.conn)
	return uint32(w)&^s.ResourceIdMask == s.ResourceIdBase
}

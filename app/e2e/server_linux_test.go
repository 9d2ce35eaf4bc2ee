package e2e

import (
	"fmt"
	"image"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"
)

// What the X server itself says, asked from outside.

// held says whether any key or button is down.
func (d *desk) held() bool {
	d.t.Helper()
	keys, err := xproto.QueryKeymap(d.conn.Conn).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	for _, b := range keys.Keys {
		if b != 0 {
			return true
		}
	}
	return d.button()
}

const anyButton = xproto.KeyButMaskButton1 | xproto.KeyButMaskButton2 | xproto.KeyButMaskButton3 |
	xproto.KeyButMaskButton4 | xproto.KeyButMaskButton5

func (d *desk) button() bool {
	d.t.Helper()
	p, err := xproto.QueryPointer(d.conn.Conn, d.root).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	return p.Mask&anyButton != 0
}

// keymap is what all key codes mean now.
func (d *desk) keymap() string {
	d.t.Helper()
	s := d.conn.Setup
	m, err := xproto.GetKeyboardMapping(d.conn.Conn, s.MinKeycode, byte(s.MaxKeycode-s.MinKeycode+1)).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	return fmt.Sprint(m.KeysymsPerKeycode, m.Keysyms)
}

// edge counts the windows of Conch that a person sees: four strips and the card while it is lit. The one that
// is as large as the screen shows nothing: it lies below all others and is redirected.
func (d *desk) edge() (n int) {
	d.t.Helper()
	for _, r := range d.windows(d.PID) {
		if r.Dx() < int(d.conn.Screen.WidthInPixels) || r.Dy() < int(d.conn.Screen.HeightInPixels) {
			n++
		}
	}
	return n
}

// windows are where a process has windows on the screen. The server itself says whose each one is, so no
// property can hide one.
func (d *desk) windows(pid int) (out []image.Rectangle) {
	d.t.Helper()
	tree, err := xproto.QueryTree(d.conn.Conn, d.root).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	specs := make([]res.ClientIdSpec, len(tree.Children))
	for i, w := range tree.Children {
		specs[i] = res.ClientIdSpec{Client: uint32(w), Mask: res.ClientIdMaskLocalClientPID}
	}
	r, err := res.QueryClientIds(d.conn.Conn, uint32(len(specs)), specs).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	theirs := map[uint32]bool{}
	for _, v := range r.Ids {
		theirs[v.Spec.Client] = len(v.Value) > 0 && int(v.Value[0]) == pid
	}
	for _, w := range tree.Children {
		if !theirs[uint32(w)&^d.conn.Setup.ResourceIdMask] {
			continue
		}
		a, err := xproto.GetWindowAttributes(d.conn.Conn, w).Reply()
		if err != nil || a.MapState != xproto.MapStateViewable {
			continue
		}
		if g, err := xproto.GetGeometry(d.conn.Conn, xproto.Drawable(w)).Reply(); err == nil {
			out = append(out, image.Rect(int(g.X), int(g.Y), int(g.X)+int(g.Width), int(g.Y)+int(g.Height)))
		}
	}
	return out
}

// grab is what the screen itself shows, pixel for pixel.
func (d *desk) grab() *image.RGBA {
	d.t.Helper()
	w, h := d.conn.Screen.WidthInPixels, d.conn.Screen.HeightInPixels
	r, err := xproto.GetImage(d.conn.Conn, xproto.ImageFormatZPixmap, xproto.Drawable(d.root), 0, 0, w, h, 0xffffffff).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	m := image.NewRGBA(image.Rect(0, 0, int(w), int(h)))
	for i := 0; i < len(r.Data); i += 4 {
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = r.Data[i+2], r.Data[i+1], r.Data[i], 255
	}
	return m
}

// gone waits until nothing of Conch is left on the desktop: no key held, no window, no key code lent.
func (d *desk) gone(keymap string) {
	d.t.Helper()
	d.untilSaid(func() string {
		return fmt.Sprintf("nothing is left (held %v, windows %v, key codes as before %v)", d.held(), d.windows(d.PID), d.keymap() == keymap)
	}, func() bool { return !d.held() && len(d.windows(d.PID)) == 0 && d.keymap() == keymap })
}

//go:build linux

package x11

import (
	"image"
	"testing"

	"conch/driver/x11/xconn"

	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"
)

// artist makes windows of this very process, as the edge and the Stop card are, on a connection of its own.
type artist struct {
	t    testing.TB
	conn *xconn.Conn
	gc   xproto.Gcontext
	cmap xproto.Colormap
	argb xproto.Visualid
}

func newArtist(k *desk) *artist {
	k.t.Helper()
	c, err := xconn.Dial(k.t.Context(), "", environ(k.x.Env()).get)
	if err != nil {
		k.t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for {
			if ev, err := c.WaitForEvent(); ev == nil && err == nil {
				return
			}
		}
	}()
	k.t.Cleanup(func() {
		c.Close()
		<-read
	})
	a := &artist{t: k.t, conn: c}
	for _, d := range c.Screen.AllowedDepths {
		if d.Depth == 32 && len(d.Visuals) > 0 {
			a.argb = d.Visuals[0].VisualId
		}
	}
	a.cmap, _ = xproto.NewColormapId(c.Conn)
	a.must(xproto.CreateColormapChecked(c.Conn, xproto.ColormapAllocNone, a.cmap, c.Screen.Root, a.argb).Check())
	return a
}

func (a *artist) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *artist) sync() {
	a.t.Helper()
	_, err := xproto.GetInputFocus(a.conn.Conn).Reply()
	a.must(err)
}

// hidden makes a window that is never shown.
func (a *artist) hidden() xproto.Window {
	a.t.Helper()
	id, err := xproto.NewWindowId(a.conn.Conn)
	a.must(err)
	a.must(xproto.CreateWindowChecked(a.conn.Conn, 0, id, a.conn.Screen.Root, 0, 0, 1, 1, 0,
		xproto.WindowClassInputOutput, xproto.WindowClassCopyFromParent, xproto.CwOverrideRedirect, []uint32{1}).Check())
	return id
}

// moveTo gives a window another parent, as a window manager does that comes or goes.
func (a *artist) moveTo(w, parent xproto.Window, at image.Point) {
	a.t.Helper()
	a.must(xproto.ReparentWindowChecked(a.conn.Conn, w, parent, int16(at.X), int16(at.Y)).Check())
}

// strip shows an override-redirect window of one colour on top of all: 0xAARRGGBB when alpha.
func (a *artist) strip(r image.Rectangle, color uint32, alpha bool) xproto.Window {
	a.t.Helper()
	id, err := xproto.NewWindowId(a.conn.Conn)
	a.must(err)
	depth, visual, cmap := a.conn.Screen.RootDepth, a.conn.Screen.RootVisual, a.conn.Screen.DefaultColormap
	if alpha {
		depth, visual, cmap = 32, a.argb, a.cmap
	}
	a.must(xproto.CreateWindowChecked(a.conn.Conn, depth, id, a.conn.Screen.Root, int16(r.Min.X), int16(r.Min.Y),
		uint16(r.Dx()), uint16(r.Dy()), 0, xproto.WindowClassInputOutput, visual,
		xproto.CwBackPixel|xproto.CwBorderPixel|xproto.CwOverrideRedirect|xproto.CwColormap,
		[]uint32{color, 0, 1, uint32(cmap)}).Check())
	a.must(xproto.MapWindowChecked(a.conn.Conn, id).Check())
	return id
}

// through lets clicks go through a window.
func (a *artist) through(id xproto.Window) {
	a.must(shape.RectanglesChecked(a.conn.Conn, shape.SoSet, shape.SkInput, 0, id, 0, 0, nil).Check())
}

func (a *artist) outline(id xproto.Window, rs ...image.Rectangle) {
	var out []xproto.Rectangle
	for _, r := range rs {
		out = append(out, rect16(r))
	}
	a.must(shape.RectanglesChecked(a.conn.Conn, shape.SoSet, shape.SkBounding, 0, id, 0, 0, out).Check())
}

func (a *artist) fill(id xproto.Window, color uint32) {
	a.must(xproto.ChangeWindowAttributesChecked(a.conn.Conn, id, xproto.CwBackPixel, []uint32{color}).Check())
	a.must(xproto.ClearAreaChecked(a.conn.Conn, false, id, 0, 0, 0, 0).Check())
}

func (a *artist) place(id xproto.Window, r image.Rectangle) {
	a.must(xproto.ConfigureWindowChecked(a.conn.Conn, id,
		xproto.ConfigWindowX|xproto.ConfigWindowY|xproto.ConfigWindowWidth|xproto.ConfigWindowHeight,
		[]uint32{uint32(int32(r.Min.X)), uint32(int32(r.Min.Y)), uint32(r.Dx()), uint32(r.Dy())}).Check())
}

func (a *artist) close(id xproto.Window) {
	a.must(xproto.DestroyWindowChecked(a.conn.Conn, id).Check())
}

// wallpaper leaves a picture of checks for the root, as wallpaper programs do.
func (a *artist) wallpaper() {
	x, root := a.conn.Conn, a.conn.Screen.Root
	id, err := xproto.NewPixmapId(x)
	a.must(err)
	gc, err := xproto.NewGcontextId(x)
	a.must(err)
	const side = 96
	a.must(xproto.CreatePixmapChecked(x, a.conn.Screen.RootDepth, id, xproto.Drawable(root), side, side).Check())
	a.must(xproto.CreateGCChecked(x, gc, xproto.Drawable(id), 0, nil).Check())
	for i := range side / 8 {
		xproto.ChangeGC(x, gc, xproto.GcForeground, []uint32{uint32(0x104020 * (i % 7))})
		xproto.PolyFillRectangle(x, xproto.Drawable(id), gc, []xproto.Rectangle{{X: int16(8 * i), Y: int16(5 * i), Width: 40, Height: 31}})
	}
	xproto.ChangeWindowAttributes(x, root, xproto.CwBackPixmap, []uint32{uint32(id)})
	for _, n := range []string{"_XROOTPMAP_ID", "ESETROOT_PMAP_ID"} {
		r, err := xproto.InternAtom(x, false, uint16(len(n)), n).Reply()
		a.must(err)
		b := []byte{byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)}
		a.must(xproto.ChangePropertyChecked(x, xproto.PropModeReplace, root, r.Atom, xproto.AtomPixmap, 32, 1, b).Check())
	}
	a.must(xproto.ClearAreaChecked(x, false, root, 0, 0, 0, 0).Check())
}

// named says whether the server has given a window pixels of its own.
func (a *artist) named(id xproto.Window) bool {
	pm, err := xproto.NewPixmapId(a.conn.Conn)
	a.must(err)
	if composite.NameWindowPixmapChecked(a.conn.Conn, id, pm).Check() != nil {
		return false
	}
	xproto.FreePixmap(a.conn.Conn, pm)
	return true
}

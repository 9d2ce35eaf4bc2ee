//go:build linux

package x11

import (
	"image"
	"image/color"

	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/render"
	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"
)

// behind is what a compositor without a wallpaper is taken to show.
var behind = color.RGBA{0x80, 0x80, 0x80, 0xff}

// background draws parts of what is below all windows. The root's own background can't be asked for, only the
// picture that wallpaper programs leave a name of; the rest is seen through a window that shows it (see makeBack).
func (c *canvas) background(d *Driver, t *tree, area image.Rectangle, parts region) {
	x := d.conn.Conn
	if t.wallpaper != 0 {
		if format, ok := d.pixmapFormat(t.wallpaper); ok {
			render.CreatePicture(x, c.src, xproto.Drawable(t.wallpaper), format, render.CpRepeat, []uint32{render.RepeatNormal})
			for _, p := range parts {
				at := p.Min.Sub(area.Min)
				render.Composite(x, render.PictOpSrc, c.src, 0, c.dst, int16(p.Min.X), int16(p.Min.Y), 0, 0,
					int16(at.X), int16(at.Y), uint16(p.Dx()), uint16(p.Dy()))
			}
			render.FreePicture(x, c.src)
			return
		}
	}
	if t.compositor {
		for _, p := range parts {
			render.FillRectangles(x, render.PictOpSrc, c.dst, renderColor(behind), []xproto.Rectangle{rect16(p.Sub(area.Min))})
		}
		return
	}
	c.makeBack(d, t.root.Size())
	for _, p := range parts {
		xproto.ClearArea(x, false, c.back, int16(p.Min.X), int16(p.Min.Y), uint16(p.Dx()), uint16(p.Dy()))
	}
	c.window(d, t, &top{id: c.back, rect: t.root, visual: d.conn.Screen.RootVisual, opacity: opaque32}, area, parts)
}

// pixmapFormat asks whether a wallpaper is still there: programs end and leave its name behind.
func (d *Driver) pixmapFormat(p xproto.Pixmap) (render.Pictformat, bool) {
	g, err := xproto.GetGeometry(d.conn.Conn, xproto.Drawable(p)).Reply()
	if err != nil {
		return 0, false
	}
	if g.Depth == d.conn.Screen.RootDepth {
		f, ok := d.formats.visual[d.conn.Screen.RootVisual]
		return f, ok
	}
	return d.formats.rgb, g.Depth == 24
}

// makeBack makes a window below all others that shows what the root shows: its background is its parent's. It
// is redirected, by us alone, so it has those pixels and the screen never shows it, and clicks pass through.
func (c *canvas) makeBack(d *Driver, size image.Point) {
	x := d.conn.Conn
	if c.backOn && c.backFor == size {
		return
	}
	if c.backOn {
		xproto.DestroyWindow(x, c.back)
	}
	c.backOn, c.backFor = true, size
	xproto.CreateWindow(x, 0, c.back, d.conn.Screen.Root, 0, 0, uint16(size.X), uint16(size.Y), 0,
		xproto.WindowClassInputOutput, 0, xproto.CwBackPixmap|xproto.CwOverrideRedirect,
		[]uint32{xproto.BackPixmapParentRelative, 1})
	xproto.ConfigureWindow(x, c.back, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeBelow})
	shape.Rectangles(x, shape.SoSet, shape.SkInput, 0, c.back, 0, 0, nil)
	composite.RedirectWindow(x, c.back, composite.RedirectManual)
	xproto.MapWindow(x, c.back)
}

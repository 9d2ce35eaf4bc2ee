//go:build linux

package x11

import (
	"image"
	"image/color"

	"conch/driver/raster"

	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/render"
	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"
)

// canvas is what pictures are drawn on, in the server. xgb never gives an id a second time and has about two
// million, so each is taken once and named anew for every window of every picture.
type canvas struct {
	helper xproto.Window // ours, never mapped: fences come back through it
	back   xproto.Window // shows what the bare root would show; see makeBack
	named  xproto.Pixmap
	pixmap xproto.Pixmap
	dst    render.Picture // on pixmap
	src    render.Picture // on named
	mask   render.Picture
	region xfixes.Region

	size    image.Point // of pixmap; zero when there is none
	backOn  bool
	backFor image.Point // the size that back was made for
	shm     segment
}

// prepare takes the ids and makes the helper window. Nothing of the screen is held yet.
func (c *canvas) prepare(d *Driver) error {
	x := d.conn.Conn
	for _, id := range []*uint32{
		(*uint32)(&c.helper), (*uint32)(&c.back), (*uint32)(&c.named), (*uint32)(&c.pixmap),
		(*uint32)(&c.dst), (*uint32)(&c.src), (*uint32)(&c.mask), (*uint32)(&c.region), (*uint32)(&c.shm.id),
	} {
		var err error
		if *id, err = x.NewId(); err != nil {
			return err
		}
	}
	return xproto.CreateWindowChecked(x, 0, c.helper, d.conn.Screen.Root, -1, -1, 1, 1, 0,
		xproto.WindowClassInputOnly, xproto.WindowClassCopyFromParent, xproto.CwOverrideRedirect, []uint32{1}).Check()
}

// fit makes the canvas at least w by h.
func (c *canvas) fit(d *Driver, size image.Point) {
	if size.X <= c.size.X && size.Y <= c.size.Y {
		return
	}
	c.drop(d)
	x := d.conn.Conn
	c.size = size
	xproto.CreatePixmap(x, 24, c.pixmap, xproto.Drawable(d.conn.Screen.Root), uint16(size.X), uint16(size.Y))
	render.CreatePicture(x, c.dst, xproto.Drawable(c.pixmap), d.formats.rgb, 0, nil)
}

// drop gives back the canvas itself.
func (c *canvas) drop(d *Driver) {
	if c.size == (image.Point{}) {
		return
	}
	render.FreePicture(d.conn.Conn, c.dst)
	xproto.FreePixmap(d.conn.Conn, c.pixmap)
	c.size = image.Point{}
}

// forget drops every pixel.
func (c *canvas) forget(d *Driver) error {
	c.drop(d)
	if c.backOn {
		xproto.DestroyWindow(d.conn.Conn, c.back)
		c.backOn = false
	}
	return c.shm.free(d)
}

// draw draws area of the root onto the canvas, window by window from the bottom, as a person sees it: without
// our own, and with a plain box in place of each hidden one. What lies wholly below others is not drawn at all. It
// returns windows that are seen and could not be drawn whole, since a part of them may be a hidden one's.
func (c *canvas) draw(d *Driver, t *tree, area image.Rectangle, hidden map[*top]bool) (doubtful []xproto.Window) {
	c.fit(d, area.Size())
	seen := make([]region, len(t.tops))
	left := region{area} // of the area, what no window so far fills
	for i := len(t.tops) - 1; i >= 0; i-- {
		w := t.tops[i]
		if w.own {
			continue
		}
		seen[i] = left.clip(w.rect)
		if w.shape == nil && (hidden[w] || d.fills(t, w)) {
			left = left.minus(w.rect)
		}
	}
	if !left.empty() {
		c.background(d, t, area, left.within(maxPieces))
	}
	for i, w := range t.tops {
		if seen[i].empty() {
			continue
		}
		c.clipped(d, w, area, func() {
			if hidden[w] {
				c.box(d, w.rect, area)
				return
			}
			c.window(d, t, w, area, seen[i].within(maxPieces))
			part, all := d.follow.stained(w)
			if all && len(hidden) > 0 {
				part = region{w.rect}
			}
			for _, r := range part {
				c.box(d, r, area)
			}
			if !part.and(seen[i]).empty() {
				doubtful = append(doubtful, w.id)
			}
		})
	}
	return doubtful
}

// maxPieces is how many requests a window is drawn in; beyond, drawing the parts that others cover is cheaper.
const maxPieces = 8

// fills says that nothing of what is below a window shines through, by what the server itself knows: an app's
// word for it would leave the canvas as it was there.
func (d *Driver) fills(t *tree, w *top) bool {
	_, known := d.formats.visual[w.visual]
	return known && (!t.compositor || (w.depth != 32 && w.opacity == opaque32))
}

// clipped runs f with the canvas cut to w's outline. The server cuts: an outline may have any number of pieces.
func (c *canvas) clipped(d *Driver, w *top, area image.Rectangle, f func()) {
	at := w.rect.Min.Add(image.Pt(w.border, w.border)).Sub(area.Min)
	if w.shape == nil || !fits16(at) {
		f()
		return
	}
	x := d.conn.Conn
	xfixes.CreateRegionFromWindow(x, c.region, w.id, shape.SkBounding)
	xfixes.SetPictureClipRegion(x, c.dst, c.region, int16(at.X), int16(at.Y))
	f()
	xfixes.SetPictureClipRegion(x, c.dst, 0, 0, 0)
	xfixes.DestroyRegion(x, c.region)
}

func fits16(p image.Point) bool { return p.X == int(int16(p.X)) && p.Y == int(int16(p.Y)) }

// box paints the place of a window that is kept away. Its pixels are never asked for.
func (c *canvas) box(d *Driver, r, area image.Rectangle) {
	r = r.Intersect(area).Sub(area.Min)
	if r.Empty() {
		return
	}
	render.FillRectangles(d.conn.Conn, render.PictOpSrc, c.dst, renderColor(raster.CoverFill), []xproto.Rectangle{rect16(r)})
}

func rect16(r image.Rectangle) xproto.Rectangle {
	return xproto.Rectangle{X: int16(r.Min.X), Y: int16(r.Min.Y), Width: uint16(r.Dx()), Height: uint16(r.Dy())}
}

func renderColor(c color.RGBA) render.Color {
	return render.Color{Red: uint16(c.R) * 257, Green: uint16(c.G) * 257, Blue: uint16(c.B) * 257, Alpha: 0xffff}
}

// window draws parts of w's own pixels, border included. Without a compositor nobody blends, so alpha must not either.
// A window that went this very moment has no pixmap: the server says so in an error nobody waits for, and
// nothing is drawn.
func (c *canvas) window(d *Driver, t *tree, w *top, area image.Rectangle, parts region) {
	format, ok := d.formats.visual[w.visual]
	if !ok {
		c.box(d, w.rect, area) // pixels nobody could name the colours of
		return
	}
	x := d.conn.Conn
	composite.NameWindowPixmap(x, w.id, c.named)
	render.CreatePicture(x, c.src, xproto.Drawable(c.named), format, 0, nil)
	op, mask := byte(render.PictOpSrc), render.Picture(0)
	if t.compositor {
		op = render.PictOpOver
		if w.opacity != opaque32 {
			mask = c.mask
			render.CreateSolidFill(x, mask, render.Color{Alpha: uint16(w.opacity >> 16)})
		}
	}
	for _, to := range parts {
		from, at := to.Min.Sub(w.rect.Min), to.Min.Sub(area.Min)
		render.Composite(x, op, c.src, mask, c.dst, int16(from.X), int16(from.Y), 0, 0,
			int16(at.X), int16(at.Y), uint16(to.Dx()), uint16(to.Dy()))
	}
	if mask != 0 {
		render.FreePicture(x, mask)
	}
	render.FreePicture(x, c.src)
	xproto.FreePixmap(x, c.named)
}

//go:build linux

package x11

import (
	"errors"
	"fmt"
	"image"

	"github.com/jezek/xgb/render"
	"github.com/jezek/xgb/xproto"
)

// kind is one sort of window pixels: translucent or opaque.
type kind struct {
	depth    byte
	visual   xproto.Visualid
	colormap xproto.Colormap
	format   render.Pictformat
}

type visuals struct {
	blend kind // depth 32, for a compositor
	plain kind // depth 24
	mask  render.Pictformat
	big   bool // the server wants the most significant byte first
}

var errColours = errors.New("the X screen doesn't have the 24-bit colours that the glowing edge needs")

// findVisuals picks a true-colour visual of each depth and makes a colour map for it, so that the screen's own
// depth (30 on some) doesn't matter.
func (d *Desktop) findVisuals() (visuals, error) {
	setup := xproto.Setup(d.conn)
	v := visuals{big: setup.ImageByteOrder == xproto.ImageOrderMSBFirst}
	formats, err := render.QueryPictFormats(d.conn).Reply()
	if err != nil {
		return v, fmt.Errorf("ask for picture formats: %w", err)
	}
	for _, f := range formats.Formats {
		c := f.Direct
		rgb := c.RedMask == 255 && c.RedShift == 16 && c.GreenShift == 8 && c.BlueShift == 0
		switch {
		case f.Depth == 32 && rgb && c.AlphaMask == 255 && v.blend.format == 0:
			v.blend.format = f.Id
		case f.Depth == 24 && rgb && c.AlphaMask == 0 && v.plain.format == 0:
			v.plain.format = f.Id
		case f.Depth == 8 && c.AlphaMask == 255 && v.mask == 0:
			v.mask = f.Id
		}
	}
	for _, depth := range d.screen.AllowedDepths {
		for _, vis := range depth.Visuals {
			if vis.Class != xproto.VisualClassTrueColor || vis.RedMask != 0xff0000 || vis.BlueMask != 0xff {
				continue
			}
			k := kind{depth: depth.Depth, visual: vis.VisualId}
			switch {
			case k.depth == 32 && v.blend.visual == 0:
				v.blend.depth, v.blend.visual = k.depth, k.visual
			case k.depth == 24 && v.plain.visual == 0:
				v.plain.depth, v.plain.visual = k.depth, k.visual
			}
		}
	}
	if v.plain.visual == 0 || v.plain.format == 0 || v.mask == 0 {
		return v, errColours
	}
	if v.blend.visual == 0 || v.blend.format == 0 {
		v.blend = v.plain // no compositor can run here either
	}
	for _, k := range []*kind{&v.blend, &v.plain} {
		if k.colormap, err = xproto.NewColormapId(d.conn); err != nil {
			return v, fmt.Errorf("make a colour map: %w", err)
		}
		if err := xproto.CreateColormapChecked(d.conn, xproto.ColormapAllocNone, k.colormap, d.screen.Root, k.visual).Check(); err != nil {
			return v, fmt.Errorf("make a colour map: %w", err)
		}
	}
	return v, nil
}

func (d *Desktop) kind(blend bool) kind {
	if blend {
		return d.visual.blend
	}
	return d.visual.plain
}

// putLimit keeps one PutImage below the 256 kB that a request may have without BIG-REQUESTS.
const putLimit = 200 << 10

// pixmap uploads an image. The caller frees it.
func (d *Desktop) pixmap(k kind, img *image.RGBA) (xproto.Pixmap, error) {
	return d.upload(k.depth, img.Rect.Dx(), img.Rect.Dy(), 4*img.Rect.Dx(), func(row []byte, y int) {
		src := img.Pix[y*img.Stride:]
		for i := 0; i < len(row); i += 4 {
			if d.visual.big {
				row[i], row[i+1], row[i+2], row[i+3] = src[i+3], src[i], src[i+1], src[i+2]
			} else {
				row[i], row[i+1], row[i+2], row[i+3] = src[i+2], src[i+1], src[i], src[i+3]
			}
		}
	})
}

func (d *Desktop) maskPixmap(m *image.Alpha) (xproto.Pixmap, error) {
	stride := (m.Rect.Dx() + 3) &^ 3
	return d.upload(8, m.Rect.Dx(), m.Rect.Dy(), stride, func(row []byte, y int) {
		copy(row, m.Pix[y*m.Stride:y*m.Stride+m.Rect.Dx()])
	})
}

func (d *Desktop) upload(depth byte, w, h, stride int, fill func(row []byte, y int)) (xproto.Pixmap, error) {
	id, err := xproto.NewPixmapId(d.conn)
	if err != nil {
		return 0, fmt.Errorf("make a pixmap: %w", err)
	}
	if err := xproto.CreatePixmapChecked(d.conn, depth, id, xproto.Drawable(d.screen.Root), uint16(w), uint16(h)).Check(); err != nil {
		return 0, fmt.Errorf("make a pixmap of %d×%d: %w", w, h, err)
	}
	gc, err := d.newGC(xproto.Drawable(id))
	if err != nil {
		return 0, err
	}
	defer xproto.FreeGC(d.conn, gc)
	rows := max(1, putLimit/stride)
	for y := 0; y < h; y += rows {
		n := min(rows, h-y)
		data := make([]byte, n*stride)
		for i := range n {
			fill(data[i*stride:(i+1)*stride], y+i)
		}
		xproto.PutImage(d.conn, xproto.ImageFormatZPixmap, xproto.Drawable(id), gc, uint16(w), uint16(n), 0, int16(y), 0, depth, data)
	}
	return id, nil
}

func (d *Desktop) newGC(on xproto.Drawable) (xproto.Gcontext, error) {
	gc, err := xproto.NewGcontextId(d.conn)
	if err != nil {
		return 0, fmt.Errorf("make a graphics context: %w", err)
	}
	// No GraphicsExpose or NoExpose events: a copy from a pixmap is always whole.
	xproto.CreateGC(d.conn, gc, on, xproto.GcGraphicsExposures, []uint32{0})
	return gc, nil
}

// picture wraps a drawable for RENDER; repeat makes it endless.
func (d *Desktop) picture(on xproto.Drawable, f render.Pictformat, repeat bool) (render.Picture, error) {
	id, err := render.NewPictureId(d.conn)
	if err != nil {
		return 0, fmt.Errorf("make a picture: %w", err)
	}
	if repeat {
		render.CreatePicture(d.conn, id, on, f, render.CpRepeat, []uint32{render.RepeatNormal})
	} else {
		render.CreatePicture(d.conn, id, on, f, 0, nil)
	}
	return id, nil
}

// sync returns once the server has done all that was asked of it.
func (d *Desktop) sync() error {
	if _, err := xproto.GetInputFocus(d.conn).Reply(); err != nil {
		return fmt.Errorf("ask the X server: %w", err)
	}
	return nil
}

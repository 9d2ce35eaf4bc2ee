//go:build linux

package x11

import (
	"fmt"
	"image"
	"time"

	"github.com/jezek/xgb/render"
	"github.com/jezek/xgb/xproto"

	"conch/driver"
	"conch/overlay"
	"conch/overlay/draw"
)

const (
	turnTime = 24 * time.Second // for one turn of the spectrum
	// The spectrum moves by about a hundredth of its length per frame, which can't be told from more frames.
	frameTime = time.Second / 12
)

// ring is the edge of one monitor: four windows, and the textures that they show parts of.
type ring struct {
	draw   draw.Ring
	strips [4]strip
	freed  []func()
}

type strip struct {
	window  xproto.Window
	at      image.Rectangle
	gc      xproto.Gcontext
	texture xproto.Pixmap
	// For the corners at both ends of a top or bottom strip; 0 for left and right.
	target, bar render.Picture
	corner      [2]render.Picture // 0: opaque
}

func rect(r driver.ScreenRect) image.Rectangle {
	return image.Rect(int(r.X), int(r.Y), int(r.X+r.W), int(r.Y+r.H))
}

// newRing makes the windows of one edge and everything to draw them with. They are not shown yet.
func (d *Desktop) newRing(e overlay.Edge, blend bool) (r *ring, err error) {
	r = &ring{draw: draw.RingOf(e, blend)}
	defer func() {
		if err != nil {
			r.free()
		}
	}()
	k := d.kind(blend)
	for s := range r.strips {
		if err := d.newStrip(r, overlay.Side(s), rect(e.Strips[s]), k); err != nil {
			return r, fmt.Errorf("draw the glowing edge: %w", err)
		}
	}
	return r, nil
}

func (d *Desktop) newStrip(r *ring, side overlay.Side, at image.Rectangle, k kind) error {
	s := &r.strips[side]
	s.at = at
	// What the server paints by itself when the window appears, so nothing else ever shows in it.
	texture := r.draw.Texture(side)
	first, err := d.pixmap(k, r.draw.Strip(side, texture, d.turn))
	if err != nil {
		return err
	}
	defer xproto.FreePixmap(d.conn, first)
	if s.window, err = d.window(k, at, "Conch edge", first); err != nil {
		return err
	}
	r.freed = append(r.freed, func() { xproto.DestroyWindow(d.conn, s.window) })
	d.letThrough(s.window)
	if s.texture, err = d.pixmap(k, texture); err != nil {
		return err
	}
	r.freed = append(r.freed, func() { xproto.FreePixmap(d.conn, s.texture) })
	if s.gc, err = d.newGC(xproto.Drawable(s.window)); err != nil {
		return err
	}
	r.freed = append(r.freed, func() { xproto.FreeGC(d.conn, s.gc) })
	if side == overlay.Left || side == overlay.Right {
		return nil
	}
	return d.newCorners(r, side, k, texture)
}

func (d *Desktop) newCorners(r *ring, side overlay.Side, k kind, texture *image.RGBA) error {
	s := &r.strips[side]
	keep := func(p render.Picture) {
		r.freed = append(r.freed, func() { render.FreePicture(d.conn, p) })
	}
	var err error
	if s.target, err = d.picture(xproto.Drawable(s.window), k.format, false); err != nil {
		return err
	}
	keep(s.target)
	bar, err := d.pixmap(k, r.draw.Bar(side, texture))
	if err != nil {
		return err
	}
	defer xproto.FreePixmap(d.conn, bar) // the picture keeps it
	if s.bar, err = d.picture(xproto.Drawable(bar), k.format, true); err != nil {
		return err
	}
	keep(s.bar)
	if !r.draw.Blend {
		return nil
	}
	for i := range s.corner {
		m, err := d.maskPixmap(r.draw.Corner(side, i == 1))
		if err != nil {
			return err
		}
		s.corner[i], err = d.picture(xproto.Drawable(m), d.visual.mask, false)
		xproto.FreePixmap(d.conn, m)
		if err != nil {
			return err
		}
		keep(s.corner[i])
	}
	return nil
}

func (r *ring) free() {
	for i := len(r.freed) - 1; i >= 0; i-- {
		r.freed[i]()
	}
	r.freed = nil
}

func (r *ring) windows() []xproto.Window {
	out := make([]xproto.Window, 0, len(r.strips))
	for _, s := range r.strips {
		out = append(out, s.window)
	}
	return out
}

// drawRing shows the spectrum as it is at the present turn: one copy per strip and one small blend per corner,
// all of it on the server.
func (d *Desktop) drawRing(r *ring) {
	depth := r.draw.Depth
	for side := range r.strips {
		s := &r.strips[side]
		o := r.draw.Origin(overlay.Side(side), d.turn)
		x, w := 0, s.at.Dx()
		if s.target != 0 {
			x, w = depth, w-2*depth
		}
		xproto.CopyArea(d.conn, xproto.Drawable(s.texture), xproto.Drawable(s.window), s.gc,
			int16(o.X+x), int16(o.Y), int16(x), 0, uint16(w), uint16(s.at.Dy()))
		if s.target == 0 {
			continue
		}
		for i, cx := range [2]int{0, s.at.Dx() - depth} {
			render.Composite(d.conn, render.PictOpSrc, s.bar, s.corner[i], s.target,
				int16(o.X+cx), 0, 0, 0, int16(cx), 0, uint16(depth), uint16(depth))
		}
	}
}

// frame turns the spectrum on by the time that has gone by.
func (d *Desktop) frame(now time.Time) {
	step := now.Sub(d.turned)
	d.turned = now
	if step > time.Second { // the machine slept: go on from where it was
		step = frameTime
	}
	d.turn += float64(step) / float64(turnTime)
	d.turn -= float64(int(d.turn))
	for _, r := range d.rings {
		d.drawRing(r)
	}
}

// exposed draws again what the server had to paint with an older turn.
func (d *Desktop) exposed(w xproto.Window) {
	for _, r := range d.rings {
		for _, s := range r.strips {
			if s.window == w {
				d.drawRing(r)
				return
			}
		}
	}
}

// setTurning starts or stops the frames; still, nothing runs at all.
func (d *Desktop) setTurning(on bool) {
	switch {
	case on && d.ticker == nil:
		d.ticker, d.turned = time.NewTicker(frameTime), time.Now()
	case !on && d.ticker != nil:
		d.ticker.Stop()
		d.ticker = nil
	}
}

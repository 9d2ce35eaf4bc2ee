package draw

import (
	"image"
	"image/draw"
	"math"

	"conch/overlay"
)

// Look is how the card is drawn apart from what it says.
type Look struct {
	Blend   bool // it casts a shadow around itself, and its corners are smooth
	Hover   bool // the pointer is on Stop
	Pressed bool // Stop is being pressed
}

// Margin is how far a card's shadow reaches out of it, in pixels.
func Margin(c overlay.Card, l Look) int {
	if !l.Blend {
		return 0
	}
	return int(math.Ceil(26 * zoom(c)))
}

func zoom(c overlay.Card) float64 {
	if c.Zoom > 0 {
		return c.Zoom
	}
	return 1
}

// Radius is the radius of a card's corners in pixels.
func Radius(c overlay.Card) float64 { return math.Round(12 * zoom(c)) }

// CornerInset is how many pixels a card's row y lies in from the side, where corners are cut out of a window
// and no pixel can be translucent; 0 from row Radius on.
func CornerInset(c overlay.Card, y int) int {
	r := Radius(c)
	if float64(y) >= r {
		return 0
	}
	dy := r - float64(y) - .5
	return int(math.Round(r - math.Sqrt(r*r-dy*dy)))
}

// Card draws the card with Margin around it. Without Blend it fills its box, and the corners are to be cut off
// by CornerInset.
func (p *Pen) Card(c overlay.Card, l Look) *image.RGBA {
	z, m := zoom(c), float64(Margin(c, l))
	h := c.Bounds.H
	base := p.base(c, l.Blend)
	img := image.NewRGBA(base.Rect)
	copy(img.Pix, base.Pix)

	icon := math.Round(34 * z)
	left := m + math.Round(13*z)
	at := image.Pt(int(left), int(m+math.Floor((h-icon)/2)))
	shell := p.mark(icon)
	draw.Draw(img, shell.Rect.Add(at), shell, image.Point{}, draw.Over)

	text := left + icon + math.Round(9*z)
	stopX := m + c.Stop.X - c.Bounds.X
	room := stopX - text - math.Round(10*z)
	const titleSize, stepSize = 13.5, 12.5
	mid := m + h/2
	title := p.fit(c.Title, room, medium, titleSize*z)
	if step := p.fit(c.Step, room, regular, stepSize*z); step != "" && step != "…" {
		p.text(img, title, text, math.Round(mid-5*z), medium, titleSize*z, ink)
		p.text(img, step, text, math.Round(mid+13*z), regular, stepSize*z, muted)
	} else {
		p.text(img, title, text, math.Round(mid+4.5*z), medium, titleSize*z, ink)
	}
	p.stop(img, c, l, stopX, m+c.Stop.Y-c.Bounds.Y)
	return img
}

// base is the empty card: its shadow, border and surface. It is drawn once for each size.
func (p *Pen) base(c overlay.Card, blend bool) *image.RGBA {
	key := baseKey{c.Bounds.W, c.Bounds.H, zoom(c), blend}
	if img := p.bases[key]; img != nil {
		return img
	}
	z, m := zoom(c), float64(Margin(c, Look{Blend: blend}))
	w, h, r := c.Bounds.W, c.Bounds.H, Radius(c)
	img := image.NewRGBA(image.Rect(0, 0, int(w+2*m), int(h+2*m)))
	line := math.Max(1, math.Round(z))
	if blend {
		shadow(img, m, m, w, h, r, math.Round(6*z), int(math.Round(6*z)), .26)
		shadow(img, m, m, w, h, r, line, int(line), .22)
		pill(img, m, m, w, h, r, image.NewUniform(border))
	} else {
		draw.Draw(img, img.Rect, image.NewUniform(border), image.Point{}, draw.Src)
	}
	pill(img, m+line, m+line, w-2*line, h-2*line, r-line, image.NewUniform(surface))
	p.bases[key] = img
	return img
}

type baseKey struct {
	w, h, zoom float64
	blend      bool
}

// stop draws the button.
func (p *Pen) stop(img *image.RGBA, c overlay.Card, l Look, x, y float64) {
	z := zoom(c)
	fill, on := stopFill, onStop
	switch {
	case c.Stopping:
		fill, on = stopIdle, muted
	case l.Pressed:
		fill = stopDown
	case l.Hover:
		fill = stopHover
	}
	w, h, r := c.Stop.W, c.Stop.H, math.Round(9*z)
	pill(img, x, y, w, h, r, image.NewUniform(fill.rgb()))
	if !c.Stopping && !l.Pressed { // one pixel of light at its upper rim, as on every raised surface
		top := fill
		top.l += .07
		line := math.Max(1, math.Round(z))
		pill(img, x, y, w, h, r, image.NewUniform(top.rgb()))
		pill(img, x, y+line, w, h-line, r, image.NewUniform(fill.rgb()))
	}
	centre := func(s string, wt weight, size, base float64, a float64) {
		sw := float64(p.width(s, wt, size)) / 64
		p.text(img, s, x+math.Round((w-sw)/2), base, wt, size, alpha(on, a))
	}
	mid := y + h/2
	key := p.fit(c.Key, w-math.Round(8*z), regular, 10.5*z)
	if key == "" || c.Stopping {
		centre("Stop", medium, 14*z, math.Round(mid+5*z), 1)
		return
	}
	centre("Stop", medium, 14*z, math.Round(mid-2*z), 1)
	centre(key, regular, 10.5*z, math.Round(mid+13*z), .92)
}

// The mark: a conch, the same outline and spiral as the pages' shell.
const (
	shellBody = "M12.11 18.16C10.51 18.15 8.80 17.49 7.51 16.20C6.21 14.90 5.36 12.97 5.37 10.87C5.37 8.77 6.24 6.52 7.95 4.82C9.65 3.12 12.19 2.00 14.95 2.00C17.72 2.01 20.68 3.16 22.92 5.40C25.16 7.65 26.64 10.98 26.63 14.62C26.63 18.26 25.11 22.16 22.16 25.11C19.20 28.06 14.81 30.00 10.02 29.99Z"
	shellTurn = "M14.37 11.65C14.60 11.97 14.70 12.41 14.60 12.85C14.51 13.29 14.20 13.73 13.74 13.98C13.28 14.23 12.67 14.30 12.09 14.09C11.52 13.88 10.99 13.40 10.74 12.74C10.48 12.08 10.49 11.26 10.87 10.53C11.24 9.80 11.97 9.18 12.89 8.94C13.82 8.71 14.92 8.87 15.83 9.49C16.74 10.11 17.44 11.19 17.60 12.46C17.76 13.73 17.36 15.18 16.38 16.29C15.39 17.40 13.83 18.16 12.11 18.16"
	shellBox  = 32.0
	shellLine = 1.9
)

// Mark draws the shell, size pixels high and wide, for who lays the card out by other means. The picture is
// the Pen's: don't change it.
func (p *Pen) Mark(size float64) *image.RGBA { return p.mark(math.Round(size)) }

// mark draws the shell once for each size.
func (p *Pen) mark(size float64) *image.RGBA {
	if img := p.marks[size]; img != nil {
		return img
	}
	img := image.NewRGBA(image.Rect(0, 0, int(size), int(size)))
	k := size / shellBox
	body := slope{
		p: [2]float64{5 * k, 2 * k}, q: [2]float64{27 * k, 30 * k},
		stops: []lab{lch{.84, .085, 35}.lab(), lch{.66, .155, 32}.lab(), lch{.55, .15, 15}.lab()},
		at:    []float64{0, .55, 1},
	}
	fillPath(img, parsePath(shellBody), k, body)
	// The spiral is one mask of round dots, so that where they overlap it isn't denser.
	line := image.NewRGBA(img.Rect)
	for _, d := range dots(parsePath(shellTurn)) {
		r := shellLine / 2 * k
		pill(line, d[0]*k-r, d[1]*k-r, 2*r, 2*r, r, image.Opaque)
	}
	pale := slope{
		p: [2]float64{10 * k, 18 * k}, q: [2]float64{18 * k, 8 * k},
		stops: []lab{lch{.93, .05, 195}.lab(), lch{.98, .012, 50}.lab(), lch{.9, .06, 300}.lab()},
		at:    []float64{0, .5, 1},
	}
	draw.DrawMask(img, img.Rect, pale, image.Point{}, line, image.Point{}, draw.Over)
	p.marks[size] = img
	return img
}

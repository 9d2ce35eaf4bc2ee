package draw

import (
	"image"
	"image/draw"
	"math"

	"conch/overlay"
)

// RingOf is the ring of a scene's edge.
func RingOf(e overlay.Edge, blend bool) Ring {
	return Ring{W: int(e.Display.Bounds.W), H: int(e.Display.Bounds.H), Depth: int(e.Depth), Blend: blend}
}

// Scene draws a whole scene over dst, whose (0, 0) is the desktop's, with the spectrum turned by turn.
func (p *Pen) Scene(dst *image.RGBA, s overlay.Scene, l Look, turn float64) {
	for _, e := range s.Edges {
		r := RingOf(e, s.Blend)
		for side, at := range e.Strips {
			box := pixels(at.X, at.Y, at.W, at.H)
			strip := r.Strip(overlay.Side(side), r.Texture(overlay.Side(side)), turn)
			draw.Draw(dst, box, strip, image.Point{}, draw.Over)
		}
	}
	if s.Dark() {
		return
	}
	l.Blend = s.Blend
	card, m := p.Card(s.Card, l), Margin(s.Card, l)
	b := s.Card.Bounds
	box := pixels(b.X, b.Y, b.W, b.H).Inset(-m)
	for y := range box.Dy() {
		in := 0
		if !s.Blend {
			in = CornerInset(s.Card, min(y, box.Dy()-1-y))
		}
		row := image.Rect(box.Min.X+in, box.Min.Y+y, box.Max.X-in, box.Min.Y+y+1)
		draw.Draw(dst, row, card, image.Pt(in, y), draw.Over)
	}
}

// Strip cuts one strip from its texture as it is with the spectrum turned by turn, corners and all.
func (r Ring) Strip(s overlay.Side, texture *image.RGBA, turn float64) *image.RGBA {
	from := r.Origin(s, turn)
	img := image.NewRGBA(image.Rectangle{Max: r.size(s)})
	draw.Draw(img, img.Rect, texture, from, draw.Src)
	if s == overlay.Left || s == overlay.Right {
		return img
	}
	bar := r.Bar(s, texture)
	for _, right := range []bool{false, true} {
		x := 0
		if right {
			x = r.W - r.Depth
		}
		square := image.Rect(x, 0, x+r.Depth, r.Depth)
		mask := r.Corner(s, right)
		draw.Draw(img, square, image.Transparent, image.Point{}, draw.Src)
		for y := range r.Depth {
			row := image.Rect(x, y, x+r.Depth, y+1)
			draw.DrawMask(img, row, bar, image.Pt(from.X+x, 0), mask, image.Pt(0, y), draw.Over)
		}
	}
	return img
}

func pixels(x, y, w, h float64) image.Rectangle {
	x0, y0 := int(math.Round(x)), int(math.Round(y))
	return image.Rect(x0, y0, x0+int(math.Round(w)), y0+int(math.Round(h)))
}

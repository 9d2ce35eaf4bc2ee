package draw

import (
	"image"
	"image/color"
	"math"

	"conch/overlay"
)

// Turns is how often the whole spectrum comes on the way around a screen.
const Turns = 2

// Ring draws the edge of one display. A strip's texture is longer than the strip by one period, so the
// spectrum turns by showing another part of it: Origin says which part.
type Ring struct {
	W, H  int  // of the display, in pixels
	Depth int  // of a strip
	Blend bool // fades inwards; otherwise opaque
}

// Period is the length of one spectrum along a side, in pixels. Along top and bottom it is half the way
// around the screen. The corners belong to these, with one colour down each, so left and right carry what
// is left of the way on a shorter strip, and the spectrum closes around the screen without a seam.
func (r Ring) Period(s overlay.Side) int {
	p := (2*r.W + 2*r.H) / Turns
	if s == overlay.Top || s == overlay.Bottom {
		return p
	}
	return max(1, int(math.Round(float64(p)*float64(r.H-2*r.Depth)/float64(r.H))))
}

// size is the size of a side's strip.
func (r Ring) size(s overlay.Side) image.Point {
	if s == overlay.Top || s == overlay.Bottom {
		return image.Pt(r.W, r.Depth)
	}
	return image.Pt(r.Depth, r.H-2*r.Depth)
}

// Texture draws what a side's strip is cut from.
func (r Ring) Texture(s overlay.Side) *image.RGBA {
	size := r.size(s)
	period := r.Period(s)
	along := func(u int) float64 { // where on the way around, clockwise from the top left, in periods
		w, round := float64(r.W)/float64(r.Period(overlay.Top)), (float64(u)+.5)/float64(period)
		switch s {
		case overlay.Top:
			return round
		case overlay.Right:
			return w + round
		case overlay.Bottom:
			return Turns - float64(r.H)/float64(r.Period(overlay.Top)) - round
		default:
			return Turns - round
		}
	}
	horizontal := s == overlay.Top || s == overlay.Bottom
	length := size.Y + period
	if horizontal {
		length = size.X + period
	}
	img := image.NewRGBA(image.Rect(0, 0, r.Depth, length))
	if horizontal {
		img = image.NewRGBA(image.Rect(0, 0, length, r.Depth))
	}
	// From the rim inwards: where the next pixel is, and how opaque.
	first, inwards, onwards := 0, 4, img.Stride
	switch s {
	case overlay.Top:
		inwards, onwards = img.Stride, 4
	case overlay.Bottom:
		first, inwards, onwards = (r.Depth-1)*img.Stride, -img.Stride, 4
	case overlay.Right:
		first, inwards = (r.Depth-1)*4, -4
	}
	fade := r.fade()
	for u := range length {
		c := pearlAt(along(u))
		px, inner := c.rgb(), c.rgb()
		if !r.Blend {
			inner = lab{c.l - .14, c.a, c.b}.rgb()
		}
		at := first + u*onwards
		for d, a := range fade {
			if d == r.Depth-1 {
				px = inner
			}
			p := img.Pix[at+d*inwards:][:4:4]
			p[0], p[1], p[2], p[3] = times(px.R, a), times(px.G, a), times(px.B, a), a
		}
	}
	return img
}

// times multiplies two parts of 255.
func times(v, a uint8) uint8 { return uint8((uint32(v)*uint32(a) + 127) / 255) }

// fade is how opaque the edge is at each pixel from the rim inwards. Without Blend it is opaque all through,
// and the innermost pixel is deeper instead, so that the rim stands off a light window.
func (r Ring) fade() []uint8 {
	f := make([]uint8, r.Depth)
	for d := range f {
		f[d] = uint8(math.Round(255 * r.opacity(float64(d)+.5)))
	}
	return f
}

// Origin is where in the side's texture its strip starts when the spectrum has turned by turn, 0–1.
func (r Ring) Origin(s overlay.Side, turn float64) image.Point {
	p := r.Period(s)
	o := int(math.Round((turn-math.Floor(turn))*float64(p))) % p
	switch s {
	case overlay.Top:
		return image.Pt((p-o)%p, 0)
	case overlay.Right:
		return image.Pt(0, (p-o)%p)
	case overlay.Bottom:
		return image.Pt(o, 0)
	default:
		return image.Pt(0, o)
	}
}

// Bar is the outermost line of the top or bottom texture, opaque: the colours for the corners, which can't
// be cut from a texture because they fade towards two sides.
func (r Ring) Bar(s overlay.Side, texture *image.RGBA) *image.RGBA {
	y := 0
	if s == overlay.Bottom {
		y = r.Depth - 1
	}
	bar := image.NewRGBA(image.Rect(0, 0, texture.Rect.Dx(), 1))
	copy(bar.Pix, texture.Pix[y*texture.Stride:(y+1)*texture.Stride])
	return bar
}

// Corner is how opaque the corner square is that a top or bottom strip has at its left or right end.
func (r Ring) Corner(s overlay.Side, right bool) *image.Alpha {
	m := image.NewAlpha(image.Rect(0, 0, r.Depth, r.Depth))
	depth := float64(r.Depth)
	for y := range r.Depth {
		for x := range r.Depth {
			// How far into each side's strip; together they round the inner corner.
			ax, ay := depth-float64(x)-.5, depth-float64(y)-.5
			d := depth - math.Min(depth, math.Hypot(ax, ay))
			px, py := x, y
			if right {
				px = r.Depth - 1 - x
			}
			if s == overlay.Bottom {
				py = r.Depth - 1 - y
			}
			m.SetAlpha(px, py, color.Alpha{A: uint8(math.Round(255 * r.opacity(d)))})
		}
	}
	return m
}

// Opacity is how opaque the edge is d pixels from the screen's rim, 0–1.
func (r Ring) Opacity(d float64) float64 { return math.Min(1, r.opacity(d)) }

// opacity is how opaque the edge is d pixels from the screen's rim: solid over the core, then fading.
func (r Ring) opacity(d float64) float64 {
	if !r.Blend || d <= 0 {
		return 1
	}
	core := float64(r.Depth) * overlay.Core / (overlay.Core + overlay.Fade)
	t := (d - core) / (float64(r.Depth) - core)
	switch {
	case t >= 1:
		return 0
	case t > 0:
		return .86 * math.Pow(1-t, 1.9)
	}
	// The last two pixels of the core softens, so that it doesn't end in a hard line.
	return .86 + .14*smooth((core-d)/2)
}

func smooth(t float64) float64 {
	t = math.Max(0, math.Min(1, t))
	return t * t * (3 - 2*t)
}

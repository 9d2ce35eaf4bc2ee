//go:build linux

package x11

import (
	"image"

	"conch/driver"
)

// region is an area of the root window: rectangles, no two overlapping.
type region []image.Rectangle

// maxRects bounds a region: a shape drawn pixel by pixel would otherwise make every list quadratic.
const maxRects = 512

// raggedRects is how many pieces a window's outline may have and still count as hiding what is below.
const raggedRects = 64

func (r region) empty() bool { return len(r) == 0 }

// clip returns the part of r inside c.
func (r region) clip(c image.Rectangle) region {
	var out region
	for _, p := range r {
		if p = p.Intersect(c); !p.Empty() {
			out = append(out, p)
		}
	}
	return out
}

// minus returns r without c.
func (r region) minus(c image.Rectangle) region {
	if !r.overlaps(c) {
		return r
	}
	out := make(region, 0, len(r)+3)
	for _, p := range r {
		i := p.Intersect(c)
		if i.Empty() {
			out = append(out, p)
			continue
		}
		for _, q := range [4]image.Rectangle{
			image.Rect(p.Min.X, p.Min.Y, p.Max.X, i.Min.Y), image.Rect(p.Min.X, i.Max.Y, p.Max.X, p.Max.Y),
			image.Rect(p.Min.X, i.Min.Y, i.Min.X, i.Max.Y), image.Rect(i.Max.X, i.Min.Y, p.Max.X, i.Max.Y),
		} {
			if !q.Empty() {
				out = append(out, q)
			}
		}
	}
	return out
}

func (r region) without(o region) region {
	for _, c := range o {
		if r = r.minus(c); r.empty() {
			return nil
		}
	}
	return r
}

// and returns what r and o share.
func (r region) and(o region) region {
	var out region
	for _, c := range o {
		out = append(out, r.clip(c)...)
	}
	return out
}

func (r region) overlaps(c image.Rectangle) bool {
	for _, p := range r {
		if p.Overlaps(c) {
			return true
		}
	}
	return false
}

func (r region) bounds() (b image.Rectangle) {
	for _, p := range r {
		b = b.Union(p)
	}
	return b
}

func (r region) moved(by image.Point) region {
	out := make(region, len(r))
	for i, p := range r {
		out[i] = p.Add(by)
	}
	return out
}

func (r region) screen() []driver.ScreenRect {
	if len(r) == 0 {
		return nil
	}
	out := make([]driver.ScreenRect, len(r))
	for i, p := range r {
		out[i] = screenRect(p)
	}
	return out
}

func screenRect(r image.Rectangle) driver.ScreenRect {
	return driver.ScreenRect{X: float64(r.Min.X), Y: float64(r.Min.Y), W: float64(r.Dx()), H: float64(r.Dy())}
}

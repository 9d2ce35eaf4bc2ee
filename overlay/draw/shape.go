package draw

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/vector"
)

// kappa makes a cubic curve follow a quarter of a circle.
const kappa = 0.5522847498

// canvas is a rasterizer for one part of a picture.
type canvas struct {
	z    *vector.Rasterizer
	box  image.Rectangle
	x, y float64 // taken off every point
}

// newCanvas makes one for what lies within the given bounds: its cost is by area.
func newCanvas(dst *image.RGBA, x0, y0, x1, y1 float64) canvas {
	box := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1))).Intersect(dst.Rect)
	return canvas{vector.NewRasterizer(box.Dx(), box.Dy()), box, float64(box.Min.X), float64(box.Min.Y)}
}

func (c canvas) at(x, y float64) (float32, float32) { return float32(x - c.x), float32(y - c.y) }
func (c canvas) move(x, y float64)                  { c.z.MoveTo(c.at(x, y)) }
func (c canvas) line(x, y float64)                  { c.z.LineTo(c.at(x, y)) }

func (c canvas) curve(ax, ay, bx, by, x, y float64) {
	px, py := c.at(ax, ay)
	qx, qy := c.at(bx, by)
	ex, ey := c.at(x, y)
	c.z.CubeTo(px, py, qx, qy, ex, ey)
}

func (c canvas) fill(dst *image.RGBA, src image.Image) {
	if !c.box.Empty() {
		c.z.Draw(dst, c.box, src, c.box.Min)
	}
}

// pill fills a box with round corners.
func pill(dst *image.RGBA, x, y, w, h, r float64, src image.Image) {
	x1, y1, k := x+w, y+h, r*(1-kappa)
	c := newCanvas(dst, x, y, x1, y1)
	c.move(x+r, y)
	c.line(x1-r, y)
	c.curve(x1-k, y, x1, y+k, x1, y+r)
	c.line(x1, y1-r)
	c.curve(x1, y1-k, x1-k, y1, x1-r, y1)
	c.line(x+r, y1)
	c.curve(x+k, y1, x, y1-k, x, y1-r)
	c.line(x, y+r)
	c.curve(x, y+k, x+k, y, x+r, y)
	c.z.ClosePath()
	c.fill(dst, src)
}

// step is one command of a path: a move, a line or a cubic curve, with absolute points.
type step struct {
	op byte // M, L, C or Z
	p  [6]float64
}

// parsePath reads the few SVG path commands that the mark uses: M, L, C and Z, absolute. It is for our own
// constant only, so what it can't read is a mistake of ours that the golden image shows.
func parsePath(d string) []step {
	var out []step
	for d = strings.TrimSpace(d); d != ""; {
		s := step{op: d[0]}
		next := strings.IndexAny(d[1:], "MLCZ")
		args := d[1:]
		if next >= 0 {
			args, d = d[1:1+next], d[1+next:]
		} else {
			d = ""
		}
		for i, f := range strings.Fields(strings.ReplaceAll(args, ",", " ")) {
			if i < len(s.p) {
				s.p[i], _ = strconv.ParseFloat(f, 64)
			}
		}
		out = append(out, s)
	}
	return out
}

// fillPath fills a path, scaled.
func fillPath(dst *image.RGBA, path []step, scale float64, src image.Image) {
	b := dst.Rect
	c := newCanvas(dst, float64(b.Min.X), float64(b.Min.Y), float64(b.Max.X), float64(b.Max.Y))
	for _, s := range path {
		p := s.p
		for i := range p {
			p[i] *= scale
		}
		switch s.op {
		case 'M':
			c.move(p[0], p[1])
		case 'L':
			c.line(p[0], p[1])
		case 'C':
			c.curve(p[0], p[1], p[2], p[3], p[4], p[5])
		case 'Z':
			c.z.ClosePath()
		}
	}
	c.fill(dst, src)
}

// dots returns points along a path, close enough together that round dots on them make a smooth line.
func dots(path []step) [][2]float64 {
	var out [][2]float64
	var at [2]float64
	for _, s := range path {
		switch s.op {
		case 'M':
			at = [2]float64{s.p[0], s.p[1]}
		case 'C':
			const n = 24
			for i := range n {
				t := float64(i) / n
				u := 1 - t
				var q [2]float64
				for k := range q {
					q[k] = u*u*u*at[k] + 3*u*u*t*s.p[k] + 3*u*t*t*s.p[2+k] + t*t*t*s.p[4+k]
				}
				out = append(out, q)
			}
			at = [2]float64{s.p[4], s.p[5]}
		}
	}
	return append(out, at)
}

// slope is a linear gradient as an image: colours at equal or given places along the line from p to q.
type slope struct {
	p, q  [2]float64
	stops []lab
	at    []float64
}

func (g slope) ColorModel() color.Model { return color.RGBAModel }
func (g slope) Bounds() image.Rectangle { return image.Rect(-1e6, -1e6, 1e6, 1e6) }

func (g slope) At(x, y int) color.Color {
	dx, dy := g.q[0]-g.p[0], g.q[1]-g.p[1]
	t := ((float64(x)+.5-g.p[0])*dx + (float64(y)+.5-g.p[1])*dy) / (dx*dx + dy*dy)
	for i := 1; i < len(g.stops); i++ {
		if t <= g.at[i] || i == len(g.stops)-1 {
			u := (t - g.at[i-1]) / (g.at[i] - g.at[i-1])
			return mix(g.stops[i-1], g.stops[i], max(0, min(1, u))).rgb()
		}
	}
	return g.stops[0].rgb()
}

// soften blurs a mask three times with a box, which is close to a Gaussian of about r/1.2.
func soften(m *image.Alpha, r int) {
	if r < 1 {
		return
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	line := make([]uint8, max(w, h))
	blur := func(start, stride, n int) {
		sum := 0
		px := func(i int) int {
			if i < 0 || i >= n {
				return 0
			}
			return int(m.Pix[start+i*stride])
		}
		for i := -r; i <= r; i++ {
			sum += px(i)
		}
		for i := range n {
			line[i] = uint8(sum / (2*r + 1))
			sum += px(i+r+1) - px(i-r)
		}
		for i := range n {
			m.Pix[start+i*stride] = line[i]
		}
	}
	for range 3 {
		for y := range h {
			blur(y*m.Stride, 1, w)
		}
		for x := range w {
			blur(x, m.Stride, h)
		}
	}
}

// shadow lays a soft shadow of a round box, moved down by dy, under what will be drawn.
func shadow(dst *image.RGBA, x, y, w, h, r, dy float64, blur int, strength float64) {
	mask := image.NewRGBA(dst.Bounds())
	pill(mask, x, y+dy, w, h, r, image.Opaque)
	a := image.NewAlpha(dst.Bounds())
	for i := range a.Pix {
		a.Pix[i] = mask.Pix[4*i+3]
	}
	soften(a, blur)
	draw.DrawMask(dst, dst.Bounds(), image.NewUniform(alpha(shade, strength)), image.Point{}, a, image.Point{}, draw.Over)
}

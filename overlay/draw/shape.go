package draw

import (
	"image"
	"image/color"
	"image/draw"
	"strconv"
	"strings"

	"golang.org/x/image/vector"
)

// kappa makes a cubic curve follow a quarter of a circle.
const kappa = 0.5522847498

// pill fills a box with round corners.
func pill(dst *image.RGBA, x, y, w, h, r float64, src image.Image) {
	b := dst.Bounds()
	z := vector.NewRasterizer(b.Dx(), b.Dy())
	f := func(v float64) float32 { return float32(v) }
	k := r * (1 - kappa)
	x1, y1 := x+w, y+h
	z.MoveTo(f(x+r), f(y))
	z.LineTo(f(x1-r), f(y))
	z.CubeTo(f(x1-k), f(y), f(x1), f(y+k), f(x1), f(y+r))
	z.LineTo(f(x1), f(y1-r))
	z.CubeTo(f(x1), f(y1-k), f(x1-k), f(y1), f(x1-r), f(y1))
	z.LineTo(f(x+r), f(y1))
	z.CubeTo(f(x+k), f(y1), f(x), f(y1-k), f(x), f(y1-r))
	z.LineTo(f(x), f(y+r))
	z.CubeTo(f(x), f(y+k), f(x+k), f(y), f(x+r), f(y))
	z.ClosePath()
	z.Draw(dst, b, src, image.Point{})
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

// fillPath fills a path, moved by (x, y) and scaled.
func fillPath(dst *image.RGBA, path []step, x, y, scale float64, src image.Image) {
	b := dst.Bounds()
	z := vector.NewRasterizer(b.Dx(), b.Dy())
	at := func(p [6]float64, i int) (float32, float32) {
		return float32(x + p[i]*scale), float32(y + p[i+1]*scale)
	}
	for _, s := range path {
		ax, ay := at(s.p, 0)
		switch s.op {
		case 'M':
			z.MoveTo(ax, ay)
		case 'L':
			z.LineTo(ax, ay)
		case 'C':
			bx, by := at(s.p, 2)
			cx, cy := at(s.p, 4)
			z.CubeTo(ax, ay, bx, by, cx, cy)
		case 'Z':
			z.ClosePath()
		}
	}
	z.Draw(dst, b, src, image.Point{})
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

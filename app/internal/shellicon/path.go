package shellicon

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/vector"
)

// The shell as gateway/web/static/shell.svg draws it, in a square of 32: a test holds the two together.
const (
	outline = "M19.2 21.0C18.9 22.9 17.7 24.6 16.0 25.8C14.2 27.0 11.9 27.5 9.6 27.0C7.3 26.5 5.1 25.1 3.6 22.9C2.1 20.7 1.5 17.7 2.1 14.8C2.7 11.9 4.5 9.0 7.3 7.2C10.1 5.4 13.8 4.5 17.5 5.3C21.2 6.0 24.8 8.4 27.1 11.9C29.5 15.4 30.5 20.1 29.6 24.8Q25.0 21.4 19.2 21.0Z"
	ridges  = "M25.8 11.2Q22.4 11.8 20.1 14.4M17.2 5.8Q15.2 8.3 15.2 11.4M8.1 7.3Q8.2 10.1 10.1 12.2M2.9 13.6Q4.6 15.5 7.1 15.8M3.1 21.0Q5.4 21.3 7.2 20.0M7.6 25.9Q9.3 24.7 9.8 22.8M13.5 26.5Q13.9 24.8 13.1 23.1"
	spiral  = "M11.8 19.8C11.3 19.5 11.0 19.0 11.0 18.4C11.0 17.8 11.4 17.1 12.0 16.8C12.6 16.5 13.5 16.5 14.2 16.9C14.9 17.4 15.3 18.3 15.3 19.2C15.2 20.2 14.5 21.2 13.5 21.7C12.5 22.1 11.1 22.0 10.0 21.3C9.0 20.5 8.3 19.0 8.5 17.4C8.7 15.9 9.8 14.3 11.6 13.7C13.3 13.0 15.5 13.3 17.1 14.7C18.8 16.1 19.7 18.6 19.2 21.0"
	square  = 32
)

type point struct{ x, y float64 }

// lines turns a path of M, C, Q and Z into runs of points, close enough together for any size here.
func lines(path string) ([][]point, error) {
	var runs [][]point
	for rest := path; rest != ""; {
		op := rest[0]
		end := strings.IndexAny(rest[1:], "MCQZ") + 1
		if end == 0 {
			end = len(rest)
		}
		n, err := numbers(rest[1:end])
		if err != nil {
			return nil, err
		}
		rest = rest[end:]
		if op == 'M' && len(n) == 2 {
			runs = append(runs, []point{{n[0], n[1]}})
			continue
		}
		if len(runs) == 0 {
			return nil, fmt.Errorf("the path begins with %c", op)
		}
		run := &runs[len(runs)-1]
		from := (*run)[len(*run)-1]
		switch {
		case op == 'C' && len(n) == 6:
			*run = append(*run, cubic(from, point{n[0], n[1]}, point{n[2], n[3]}, point{n[4], n[5]})...)
		case op == 'Q' && len(n) == 4:
			c, to := point{n[0], n[1]}, point{n[2], n[3]}
			toward := func(a, b point) point { return point{a.x + 2*(b.x-a.x)/3, a.y + 2*(b.y-a.y)/3} }
			*run = append(*run, cubic(from, toward(from, c), toward(to, c), to)...)
		case op == 'Z' && len(n) == 0:
			*run = append(*run, (*run)[0])
		default:
			return nil, fmt.Errorf("%c with %d numbers", op, len(n))
		}
	}
	return runs, nil
}

func numbers(s string) (out []float64, err error) {
	for _, word := range strings.Fields(s) {
		f, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

const pieces = 24 // of one curve

func cubic(a, b, c, d point) []point {
	out := make([]point, 0, pieces)
	for i := 1; i <= pieces; i++ {
		t := float64(i) / pieces
		u := 1 - t
		k := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
		out = append(out, point{
			k[0]*a.x + k[1]*b.x + k[2]*c.x + k[3]*d.x, k[0]*a.y + k[1]*b.y + k[2]*c.y + k[3]*d.y,
		})
	}
	return out
}

// place puts the square of 32 into a picture.
type place struct{ scale, dx, dy float64 }

func (p place) at(q point) (x, y float32) {
	return float32(q.x*p.scale + p.dx), float32(q.y*p.scale + p.dy)
}

func fill(r *vector.Rasterizer, p place, runs [][]point) {
	for _, run := range runs {
		for i, q := range run {
			x, y := p.at(q)
			if i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
}

// stroke draws runs with round ends and joins. All pieces turn the same way, so where they overlap nothing is
// taken out again.
func stroke(r *vector.Rasterizer, p place, runs [][]point, width float64) {
	half := width / 2
	polygon := func(points ...point) { fill(r, p, [][]point{points}) }
	for _, run := range runs {
		for i, q := range run {
			var round []point
			for k := range 16 {
				s, c := math.Sincos(2 * math.Pi * float64(k) / 16)
				round = append(round, point{q.x + half*c, q.y + half*s})
			}
			polygon(round...)
			if i == 0 {
				continue
			}
			a := run[i-1]
			length := math.Hypot(q.x-a.x, q.y-a.y)
			if length == 0 {
				continue
			}
			nx, ny := -(q.y-a.y)/length*half, (q.x-a.x)/length*half
			polygon(point{a.x - nx, a.y - ny}, point{q.x - nx, q.y - ny}, point{q.x + nx, q.y + ny}, point{a.x + nx, a.y + ny})
		}
	}
}

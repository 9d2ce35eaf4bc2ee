package driver

import (
	"fmt"
	"math"
)

// ScreenPoint is a place on the desktop: X right, Y down, in the platform's own points (X11: pixels; a
// Mac: points of the global display space). The main display's top left is (0, 0) on a Mac, and displays
// to the left or above have negative coordinates there.
type ScreenPoint struct{ X, Y float64 }

// ScreenRect is an area of the desktop in the same space as ScreenPoint.
type ScreenRect struct{ X, Y, W, H float64 }

// PicPoint is a pixel of one picture. It becomes a ScreenPoint only through that picture's Frame.
type PicPoint struct{ X, Y int }

// PicRect is an area of one picture: X0, Y0 inside, X1, Y1 just outside.
type PicRect struct{ X0, Y0, X1, Y1 int }

// Contains says whether p lies in r. The right and bottom edges are outside.
func (r ScreenRect) Contains(p ScreenPoint) bool {
	return p.X >= r.X && p.Y >= r.Y && p.X < r.X+r.W && p.Y < r.Y+r.H
}

// Empty says whether r has no area.
func (r ScreenRect) Empty() bool { return !(r.W > 0 && r.H > 0) }

// Intersect returns what r and o share; it is empty when they share nothing.
func (r ScreenRect) Intersect(o ScreenRect) ScreenRect {
	x0, y0 := math.Max(r.X, o.X), math.Max(r.Y, o.Y)
	x1, y1 := math.Min(r.X+r.W, o.X+o.W), math.Min(r.Y+r.H, o.Y+o.H)
	if x1 <= x0 || y1 <= y0 {
		return ScreenRect{}
	}
	return ScreenRect{x0, y0, x1 - x0, y1 - y0}
}

// Subtract returns the parts of r that o does not cover: at most four, none overlapping another.
func (r ScreenRect) Subtract(o ScreenRect) []ScreenRect {
	c := r.Intersect(o)
	if c.Empty() {
		if r.Empty() {
			return nil
		}
		return []ScreenRect{r}
	}
	var out []ScreenRect
	add := func(p ScreenRect) {
		if !p.Empty() {
			out = append(out, p)
		}
	}
	add(ScreenRect{r.X, r.Y, r.W, c.Y - r.Y})
	add(ScreenRect{r.X, c.Y + c.H, r.W, r.Y + r.H - c.Y - c.H})
	add(ScreenRect{r.X, c.Y, c.X - r.X, c.H})
	add(ScreenRect{c.X + c.W, c.Y, r.X + r.W - c.X - c.W, c.H})
	return out
}

// Display is one screen.
type Display struct {
	ID     string     // stable while it is plugged in: RandR output name, CGDirectDisplayID
	Name   string     // for a person
	Bounds ScreenRect // where it is on the desktop
	Scale  float64    // device pixels per point: 1 on X11, 2 on most Macs
	Main   bool
}

// Frame is how a picture and the desktop relate: which display, which part of it, at what size. It is the
// only thing in Conch that turns a point of a picture into a point of the screen, and it is a plain value
// without pixels, so it can be kept after the picture is gone.
type Frame struct {
	Display Display    // as it was when the picture was taken
	Area    ScreenRect // the part of the desktop that the picture shows
	W, H    int        // the picture's size in pixels
}

// OutsideError says that a point is not in the picture it was given for.
type OutsideError struct {
	At   PicPoint
	W, H int
}

func (e *OutsideError) Error() string {
	return fmt.Sprintf("the point %d,%d is outside the picture, which is %d by %d pixels", e.At.X, e.At.Y, e.W, e.H)
}

// StaleError says that the display has another size or place than when the picture was taken.
type StaleError struct{ Was, Now Display }

func (e *StaleError) Error() string {
	return "the screen changed size or place since the last picture"
}

// Place returns the middle of what the pixel p shows of the display, or an *OutsideError. It never clamps. At the edge
// of a display whose points aren't whole pixels, the last pixel shows a part that no point can reach.
func (f Frame) Place(p PicPoint) (ScreenPoint, error) {
	if p.X < 0 || p.Y < 0 || p.X >= f.W || p.Y >= f.H {
		return ScreenPoint{}, &OutsideError{At: p, W: f.W, H: f.H}
	}
	b := f.Display.Bounds
	return ScreenPoint{
		X: middle(f.Area.X, f.Area.W/float64(f.W), p.X, b.X+b.W),
		Y: middle(f.Area.Y, f.Area.H/float64(f.H), p.Y, b.Y+b.H),
	}, nil
}

// middle is where the middle of the nth pixel is on one axis, from start at size a pixel. A pixel that reaches over end
// counts up to there.
func middle(start, size float64, n int, end float64) float64 {
	from, to := start+float64(n)*size, start+float64(n+1)*size
	if from < end && end < to {
		return (from + end) / 2
	}
	return start + (float64(n)+0.5)*size
}

// Pixel returns the pixel that shows p, and whether the picture shows it at all.
func (f Frame) Pixel(p ScreenPoint) (PicPoint, bool) {
	if f.W <= 0 || f.H <= 0 || !f.Area.Contains(p) {
		return PicPoint{}, false
	}
	x := int(math.Floor((p.X - f.Area.X) * float64(f.W) / f.Area.W))
	y := int(math.Floor((p.Y - f.Area.Y) * float64(f.H) / f.Area.H))
	return PicPoint{min(x, f.W-1), min(y, f.H-1)}, true
}

// Part returns the area of the desktop that r shows, or an *OutsideError when r is empty or reaches outside.
func (f Frame) Part(r PicRect) (ScreenRect, error) {
	for _, p := range []PicPoint{{r.X0, r.Y0}, {r.X1 - 1, r.Y1 - 1}} {
		if p.X < 0 || p.Y < 0 || p.X >= f.W || p.Y >= f.H || r.X1 <= r.X0 || r.Y1 <= r.Y0 {
			return ScreenRect{}, &OutsideError{At: p, W: f.W, H: f.H}
		}
	}
	sx, sy := f.Area.W/float64(f.W), f.Area.H/float64(f.H)
	return ScreenRect{
		f.Area.X + float64(r.X0)*sx, f.Area.Y + float64(r.Y0)*sy,
		float64(r.X1-r.X0) * sx, float64(r.Y1-r.Y0) * sy,
	}, nil
}

// Check returns a *StaleError unless now still has the frame's display, same size, place and scale.
func (f Frame) Check(now []Display) error {
	for _, d := range now {
		if d.ID != f.Display.ID {
			continue
		}
		if d.Bounds == f.Display.Bounds && d.Scale == f.Display.Scale {
			return nil
		}
		return &StaleError{Was: f.Display, Now: d}
	}
	return &StaleError{Was: f.Display}
}

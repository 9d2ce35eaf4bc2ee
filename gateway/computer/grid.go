package computer

import (
	"strings"

	"conch/driver"
	"conch/gateway/tool"
)

// inCells turns what a model is told of points into cells of a grid. Many models that see were trained to name points
// so (Qwen3-VL, GLM-4.5V and later of both), and go on to whatever a tool says of pixels.
var inCells = strings.NewReplacer(
	"points are pixels [x, y] of the last picture you were given",
	"points are cells [x, y] of a grid of 1000 by 1000 over the last picture you were given, whatever its size: [0, 0] is its top left, [999, 999] its bottom right",
	"in pixels of the last picture",
	"in cells of a grid of 1000 by 1000 over the last picture, 0 to 999",
)

// fromCells is a step whose points are pixels of the chat's last picture. A point outside the grid is refused, never
// moved, but for the far edge, which models count as well.
func fromCells(act Action, f driver.Frame) (Action, error) {
	if f.W <= 0 || f.H <= 0 {
		return act, nil // there was no picture, which is said where the point would be used
	}
	var err error
	at := func(p driver.PicPoint) driver.PicPoint {
		for _, n := range []int{p.X, p.Y} {
			if n > tool.Grid {
				err = bad("Points are cells of a grid over the picture, 0 to %d, so %d isn't one.", tool.Grid-1, n)
			}
		}
		return driver.PicPoint{X: tool.CellPixel(min(p.X, tool.Grid-1), f.W), Y: tool.CellPixel(min(p.Y, tool.Grid-1), f.H)}
	}
	maybe := func(p *driver.PicPoint) *driver.PicPoint {
		if p == nil {
			return nil
		}
		q := at(*p)
		return &q
	}
	switch a := act.(type) {
	case Click:
		a.At = maybe(a.At)
		act = a
	case Move:
		a.At = at(a.At)
		act = a
	case Drag:
		a.From, a.To = maybe(a.From), at(a.To)
		act = a
	case Button:
		a.At = maybe(a.At)
		act = a
	case Scroll:
		a.At = maybe(a.At)
		act = a
	case Zoom:
		// The corners are the outer ones of the cells that they name.
		from, to := at(driver.PicPoint{X: a.Region.X0, Y: a.Region.Y0}), at(driver.PicPoint{X: a.Region.X1 - 1, Y: a.Region.Y1 - 1})
		act = Zoom{driver.PicRect{X0: from.X, Y0: from.Y, X1: to.X + 1, Y1: to.Y + 1}}
	case Screenshot, Type, Keys, Hold, Wait, Cursor, Open, List, Find: // without a point
	}
	return act, err
}

// pointFor is a point of a picture as the model names points.
func (s *step) pointFor(p driver.PicPoint, f driver.Frame) driver.PicPoint {
	if !s.onGrid || f.W <= 0 || f.H <= 0 {
		return p
	}
	return driver.PicPoint{X: tool.PixelCell(p.X, f.W), Y: tool.PixelCell(p.Y, f.H)}
}

package driver

import (
	"image"
	"math"
)

// Visible sets Visible of each window of a list, front to back: what no window before it covers, clipped to
// the displays. All windows count as opaque.
func Visible(windows []Window, displays []Display) {
	for i := range windows {
		var parts []ScreenRect
		for _, d := range displays {
			if p := windows[i].Bounds.Intersect(d.Bounds); !p.Empty() {
				parts = append(parts, subtractAll(p, displays, d)...)
			}
		}
		for _, above := range windows[:i] {
			parts = cut(parts, above.Bounds)
		}
		windows[i].Visible = parts
	}
}

// subtractAll takes what displays before d already show away from p: mirrored displays overlap.
func subtractAll(p ScreenRect, displays []Display, d Display) []ScreenRect {
	parts := []ScreenRect{p}
	for _, o := range displays {
		if o.ID == d.ID {
			break
		}
		parts = cut(parts, o.Bounds)
	}
	return parts
}

func cut(parts []ScreenRect, by ScreenRect) []ScreenRect {
	var out []ScreenRect
	for _, p := range parts {
		out = append(out, p.Subtract(by)...)
	}
	return out
}

// At returns the window of a list, front to back, that a click at p lands in: the topmost whose bounds contain
// p and that is seen there. A window may have holes that clicks go through, as a round one has around it; so a
// point in its bounds, with nothing of the list in front of it and yet not in its visible parts, is a hole.
func At(windows []Window, p ScreenPoint) (Window, bool) {
	for _, w := range windows {
		if w.Bounds.Contains(p) && (len(w.Visible) == 0 || anyContains(w.Visible, p)) {
			return w, true
		}
	}
	return Window{}, false
}

func anyContains(rs []ScreenRect, p ScreenPoint) bool {
	for _, r := range rs {
		if r.Contains(p) {
			return true
		}
	}
	return false
}

// Focused returns the window of a list that has the keys.
func Focused(windows []Window) (Window, bool) {
	for _, w := range windows {
		if w.Focused {
			return w, true
		}
	}
	return Window{}, false
}

// Around returns the pixels that show any of r, cut to the picture: an edge inside a pixel takes the whole
// pixel. It is empty when the picture shows nothing of r.
func (f Frame) Around(r ScreenRect) image.Rectangle {
	r = r.Intersect(f.Area)
	if r.Empty() || f.W <= 0 || f.H <= 0 {
		return image.Rectangle{}
	}
	sx, sy := float64(f.W)/f.Area.W, float64(f.H)/f.Area.H
	const slack = 1e-9 // keeps an edge that lies on a pixel's edge from taking the next one
	out := image.Rect(
		int(math.Floor((r.X-f.Area.X)*sx+slack)), int(math.Floor((r.Y-f.Area.Y)*sy+slack)),
		int(math.Ceil((r.X+r.W-f.Area.X)*sx-slack)), int(math.Ceil((r.Y+r.H-f.Area.Y)*sy-slack)),
	)
	return out.Intersect(image.Rect(0, 0, f.W, f.H))
}

// Within returns the pixels that show nothing but r, cut to the picture.
func (f Frame) Within(r ScreenRect) image.Rectangle {
	r = r.Intersect(f.Area)
	if r.Empty() || f.W <= 0 || f.H <= 0 {
		return image.Rectangle{}
	}
	sx, sy := float64(f.W)/f.Area.W, float64(f.H)/f.Area.H
	const slack = 1e-9
	x0, y0 := int(math.Ceil((r.X-f.Area.X)*sx-slack)), int(math.Ceil((r.Y-f.Area.Y)*sy-slack))
	x1, y1 := int(math.Floor((r.X+r.W-f.Area.X)*sx+slack)), int(math.Floor((r.Y+r.H-f.Area.Y)*sy+slack))
	if x1 <= x0 || y1 <= y0 {
		return image.Rectangle{}
	}
	return image.Rect(x0, y0, x1, y1).Intersect(image.Rect(0, 0, f.W, f.H))
}

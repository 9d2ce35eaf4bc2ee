package computer

import (
	"context"
	"math"

	"conch/driver"
	"conch/driver/raster"
	"conch/gateway/tool"
)

// shot asks for a picture that whoever looks at the answer can take: of the main display, or of a part of one.
func (s *step) shot(ctx context.Context, display string, area driver.ScreenRect) (driver.Shot, error) {
	shot := bounded(s.limits)
	shot.Display, shot.Area = display, area
	if s.limits.Tile <= 0 || s.limits.Tiles <= 0 {
		return shot, nil
	}
	all, err := s.c.drv.Displays(ctx)
	if err != nil {
		return shot, err
	}
	for _, d := range all {
		if d.ID != display && !(display == "" && d.Main) {
			continue
		}
		if area.Empty() {
			area = d.Bounds
		}
		w, h := area.W*d.Scale, area.H*d.Scale
		slack := 0
		if w != math.Trunc(w) || h != math.Trunc(h) || area != d.Bounds {
			slack = 1 // a driver may take a pixel that is shown in part, or leave it
		}
		return tiled(shot, s.limits, int(math.Ceil(w)), int(math.Ceil(h)), slack), nil
	}
	return shot, nil // the display is gone, and the driver says so
}

// bounded is a picture of any shape within limits, and never more than pictures have anyway.
func bounded(l tool.Limits) driver.Shot {
	edge, area := MaxEdge, MaxArea
	if l.Edge > 0 {
		edge = min(edge, l.Edge)
	}
	if l.Area > 0 {
		area = min(area, l.Area)
	}
	return driver.Shot{MaxW: edge, MaxH: edge, MaxArea: area}
}

// tiled makes the box of a shot as much smaller as it takes for a screen of w by h pixels to have few enough tiles,
// also when each edge comes out slack pixels longer.
func tiled(shot driver.Shot, l tool.Limits, w, h, slack int) driver.Shot {
	along := func(n int) int { return (n + slack + l.Tile - 1) / l.Tile }
	for {
		pw, ph := raster.Fit(w, h, shot.MaxW, shot.MaxH, shot.MaxArea)
		edge := max(pw, ph) - 1
		if along(pw)*along(ph) <= l.Tiles || edge < 1 {
			return shot
		}
		shot.MaxW, shot.MaxH = edge, edge
	}
}

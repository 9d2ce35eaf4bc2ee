package mac

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"time"

	"conch/driver"
	"conch/driver/raster"
)

// Bounds of one picture.
const (
	captureWithin = 5 * time.Second // the callback sometimes never comes
	captureTries  = 2
	// A picture is taken again while windows move or change under it.
	stillTries = 3
)

// errNoArea says that a part was asked for that is not on the display.
var errNoArea = errors.New("that part is not on the screen")

// Look takes a picture.
func (d *Driver) Look(ctx context.Context, s driver.Shot) (*driver.Picture, error) {
	if err := d.open(ctx); err != nil {
		return nil, err
	}
	if !d.follow.on() {
		return nil, driver.ErrNotBegun
	}
	if err := take(ctx, d.looking); err != nil {
		return nil, err
	}
	defer func() { <-d.looking }()
	d.follow.sharpen(ctx)
	e, err := d.expose(ctx, s)
	if err != nil {
		return nil, d.lookError(err)
	}
	defer e.pixels.free()
	d.tried(SeeScreen, Tried{})
	return e.develop(s), nil
}

// lookError says what it means when macOS refuses to show the screen. Where it says all the same that we may, the
// switch is on and refused, which nothing but a try can find out.
func (d *Driver) lookError(err error) error {
	if errors.Is(err, errDenied) {
		if d.sys.maySee() {
			d.tried(SeeScreen, Tried{Refused: true})
		}
		return &driver.Unready{
			Why: driver.WhyPermission, Err: err, Say: "macOS refuses to show Conch the screen.",
			Next: "Turn off See the screen in System Settings, remove Conch there with −, add it again, then reopen Conch.",
		}
	}
	return err
}

// exposure is what was read for one picture.
type exposure struct {
	frame  driver.Frame
	desk   desk
	shield shield
	change uint64
	taken  time.Time
	pixels *rawPixels
	were   []was
}

// was is where a kept-away window was a moment before.
type was struct {
	visible []driver.ScreenRect
	label   string
}

// expose takes a picture between two lists of windows that are the same. Where they never are, since a window
// moves all the time, the later list is asked about and covered too: a window that came in between is painted over.
func (d *Driver) expose(ctx context.Context, s driver.Shot) (*exposure, error) {
	before, err := d.desk()
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		e := &exposure{desk: before, change: d.follow.count()}
		if e.frame, err = frame(before.displays, s); err != nil {
			return nil, err
		}
		e.shield = newShield(before.windows, d.sys.self(), s.Cover)
		if e.pixels, err = d.capture(ctx, e); err != nil {
			return nil, err
		}
		e.taken = d.now()
		after, err := d.desk()
		if err != nil {
			e.pixels.free()
			return nil, err
		}
		if err := e.frame.Check(after.displays); err == nil {
			switch {
			case same(before.windows, after.windows, e.frame.Area):
				return e, nil
			case try == stillTries:
				e.also(after, s.Cover)
				return e, nil
			}
		}
		e.pixels.free()
		if try == stillTries {
			return nil, errors.New("the displays keep changing, so no picture could be taken")
		}
		before = after
	}
}

// also covers what a later list has to be covered, and goes on covering what the earlier one had, where it was:
// macOS may have left it out there.
func (e *exposure) also(after desk, cover func(driver.Window) string) {
	for _, w := range e.desk.windows {
		if label := e.shield.labels[w.ID]; label != "" {
			e.were = append(e.were, was{w.Visible, label})
		}
	}
	e.desk.windows = after.windows
	e.shield.labels = newShield(after.windows, 0, cover).labels
}

// frame picks the display and cuts the asked area to it, in whole device pixels.
func frame(ds []driver.Display, s driver.Shot) (driver.Frame, error) {
	for _, v := range ds {
		if s.Display != v.ID && (s.Display != "" || !v.Main) {
			continue
		}
		area := v.Bounds
		if s.Area != (driver.ScreenRect{}) {
			if area = area.Intersect(s.Area); area.Empty() {
				return driver.Frame{}, errNoArea
			}
		}
		x0 := math.Floor((area.X-v.Bounds.X)*v.Scale + 1e-9)
		y0 := math.Floor((area.Y-v.Bounds.Y)*v.Scale + 1e-9)
		x1 := math.Ceil((area.X+area.W-v.Bounds.X)*v.Scale - 1e-9)
		y1 := math.Ceil((area.Y+area.H-v.Bounds.Y)*v.Scale - 1e-9)
		area = driver.ScreenRect{X: v.Bounds.X + x0/v.Scale, Y: v.Bounds.Y + y0/v.Scale, W: (x1 - x0) / v.Scale, H: (y1 - y0) / v.Scale}
		return driver.Frame{Display: v, Area: area, W: int(x1 - x0), H: int(y1 - y0)}, nil
	}
	return driver.Frame{}, fmt.Errorf("there is no display %q", s.Display)
}

// capture asks macOS for the picture, and once more when no answer comes.
func (d *Driver) capture(ctx context.Context, e *exposure) (*rawPixels, error) {
	f := e.frame
	id, err := parseDisplay(f.Display.ID)
	if err != nil {
		return nil, err
	}
	s := rawShot{
		display: id, w: f.W, h: f.H, leave: e.shield.leave,
		area: driver.ScreenRect{X: f.Area.X - f.Display.Bounds.X, Y: f.Area.Y - f.Display.Bounds.Y, W: f.Area.W, H: f.Area.H},
	}
	for try := 1; ; try++ {
		limit, cancel := context.WithTimeout(ctx, captureWithin)
		px, err := d.sys.capture(limit, s)
		cancel()
		switch {
		case err == nil:
			if px.w < 1 || px.h < 1 || px.stride < 4*px.w || len(px.data) < px.stride*px.h {
				px.free()
				return nil, errors.New("macOS gave a picture without pixels")
			}
			if px.missing > 0 {
				d.log.Debug("mac: not everything that is left out was in macOS's list", "missing", px.missing)
			}
			return px, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, errDenied) || try == captureTries:
			if errors.Is(err, context.DeadlineExceeded) {
				return nil, errors.New("macOS gave no picture within 10 seconds")
			}
			return nil, fmt.Errorf("take a picture: %w", err)
		}
		d.log.Debug("mac: no picture, trying again", "error", err)
	}
}

// develop scales the picture and paints over what is kept away: macOS left it out, so that there is what lies
// behind, which a click would not reach.
func (e *exposure) develop(s driver.Shot) *driver.Picture {
	f := e.frame
	f.W, f.H = raster.Fit(e.pixels.w, e.pixels.h, s.MaxW, s.MaxH, s.MaxArea)
	p := &driver.Picture{Frame: f, Pix: raster.New(f.W, f.H), Windows: e.desk.windows, Change: e.change, Taken: e.taken}
	raster.ScaleBGRX(p.Pix, e.pixels.data, e.pixels.stride, e.pixels.w, e.pixels.h)
	for _, w := range e.were {
		raster.Cover(p.Pix, pixels(f, w.visible), w.label)
	}
	for _, w := range e.desk.windows {
		label := e.shield.labels[w.ID]
		if label == "" {
			continue
		}
		if parts := pixels(f, w.Visible); len(parts) > 0 {
			p.Covered = append(p.Covered, w.ID)
			raster.Cover(p.Pix, parts, label)
		}
	}
	return p
}

// pixels are those that show any of some parts of the desktop.
func pixels(f driver.Frame, parts []driver.ScreenRect) []image.Rectangle {
	var out []image.Rectangle
	for _, v := range parts {
		if r := f.Around(v); !r.Empty() {
			out = append(out, r)
		}
	}
	return out
}

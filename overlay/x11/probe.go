//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"time"

	"github.com/jezek/xgb/xproto"

	"conch/driver"
	"conch/overlay"
)

// probeWindow is the panel that tests pictures, while it is shown.
type probeWindow struct {
	window xproto.Window
	at     image.Rectangle
	shows  overlay.Probe
}

// ShowProbe shows p in a window that is made in the same way as the edge's, and returns once the screen has been
// read back and shows it.
func (d *Desktop) ShowProbe(ctx context.Context, p overlay.Probe) (at driver.ScreenRect, err error) {
	at, err = ask(ctx, d, func() (driver.ScreenRect, error) { return d.showProbe(p) })
	if err != nil {
		return driver.ScreenRect{}, err
	}
	look := time.NewTicker(8 * time.Millisecond)
	defer look.Stop()
	for {
		seen, err := ask(ctx, d, d.probeSeen)
		if seen {
			return at, nil
		}
		if err == nil {
			select {
			case <-look.C:
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("%w (%w)", errUnseen, ctx.Err())
		}
		return driver.ScreenRect{}, err
	}
}

func (d *Desktop) showProbe(p overlay.Probe) (driver.ScreenRect, error) {
	displays, err := d.monitors()
	if err != nil {
		return driver.ScreenRect{}, err
	}
	at := overlay.ProbeBounds(displays)
	if at.Empty() {
		return at, overlay.ErrNoScreen
	}
	d.hideProbe()
	w := &probeWindow{at: rect(at), shows: p}
	blend := d.composited() // as the edge is
	pm, err := d.pixmap(d.kind(blend), w.picture())
	if err != nil {
		return at, err
	}
	defer xproto.FreePixmap(d.conn, pm) // the window keeps it
	if w.window, err = d.window(d.kind(blend), w.at, "Conch edge", pm); err != nil {
		return at, err
	}
	d.letThrough(w.window)
	xproto.MapWindow(d.conn, w.window)
	xproto.ConfigureWindow(d.conn, w.window, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
	d.probe = w
	return at, d.sync()
}

func (w *probeWindow) picture() *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: w.at.Size()})
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			img.SetRGBA(x, y, w.colour(x/overlay.ProbeCell, y/overlay.ProbeCell))
		}
	}
	return img
}

func (w *probeWindow) colour(x, y int) color.RGBA {
	if w.shows.White(x, y) {
		return color.RGBA{255, 255, 255, 255}
	}
	return color.RGBA{0, 0, 0, 255}
}

// probeSeen says whether the screen shows the whole panel, as far as one cell in a row and column tells.
func (d *Desktop) probeSeen() (bool, error) {
	w := d.probe
	if w == nil {
		return false, errors.New("the panel that tests pictures was taken away")
	}
	const half = overlay.ProbeCell / 2
	for x := range overlay.ProbeW {
		y := x % overlay.ProbeH
		got, err := d.pixel(w.at.Min.X+x*overlay.ProbeCell+half, w.at.Min.Y+y*overlay.ProbeCell+half)
		if err != nil {
			return false, err
		}
		if want := w.colour(x, y); int(got.R)-int(want.R) > 40 || int(want.R)-int(got.R) > 40 || got.A == 0 {
			return false, nil
		}
	}
	return true, nil
}

// HideProbe takes the panel away.
func (d *Desktop) HideProbe(ctx context.Context) error {
	return d.call(ctx, func() error {
		d.hideProbe()
		return d.sync()
	})
}

func (d *Desktop) hideProbe() {
	if d.probe != nil {
		xproto.DestroyWindow(d.conn, d.probe.window)
		d.probe = nil
	}
}

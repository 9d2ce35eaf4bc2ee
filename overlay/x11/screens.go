//go:build linux

package x11

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"conch/driver"
	"conch/overlay"
)

// Screens says what monitors there are, whether windows can be translucent, and how the person wants it.
func (d *Desktop) Screens(ctx context.Context) (overlay.Screens, error) {
	// Asking the desktop's settings goes over another bus, so it doesn't hold up the loop.
	still := d.reducedMotion(ctx)
	return ask(ctx, d, func() (overlay.Screens, error) {
		d.still = still
		return d.screensNow()
	})
}

func (d *Desktop) screensNow() (overlay.Screens, error) {
	displays, err := d.monitors()
	if err != nil {
		return overlay.Screens{}, err
	}
	return overlay.Screens{Displays: displays, Blend: d.composited(), Still: d.still, Zoom: d.zoom()}, nil
}

// monitors lists the monitors; one that shows exactly what another shows is left out.
func (d *Desktop) monitors() ([]driver.Display, error) {
	r, err := randr.GetMonitors(d.conn, d.screen.Root, true).Reply()
	if err != nil || len(r.Monitors) == 0 {
		g, err := xproto.GetGeometry(d.conn, xproto.Drawable(d.screen.Root)).Reply()
		if err != nil {
			return nil, fmt.Errorf("ask for the screen's size: %w", err)
		}
		bounds := driver.ScreenRect{W: float64(g.Width), H: float64(g.Height)}
		return []driver.Display{{ID: "screen", Bounds: bounds, Scale: 1, Main: true}}, nil
	}
	var out []driver.Display
	primary := false
next:
	for _, m := range r.Monitors {
		b := driver.ScreenRect{X: float64(m.X), Y: float64(m.Y), W: float64(m.Width), H: float64(m.Height)}
		for i := range out {
			if out[i].Bounds == b {
				out[i].Main = out[i].Main || m.Primary
				continue next
			}
		}
		name := ""
		if a, err := xproto.GetAtomName(d.conn, m.Name).Reply(); err == nil {
			name = a.Name
		}
		out = append(out, driver.Display{ID: name, Name: name, Bounds: b, Scale: 1, Main: m.Primary})
		primary = primary || m.Primary
	}
	if !primary {
		out[0].Main = true
	}
	return out, nil
}

// composited says whether a compositor runs: without one the server ignores how opaque a pixel is.
func (d *Desktop) composited() bool {
	r, err := xproto.GetSelectionOwner(d.conn, d.compositorAtom()).Reply()
	return err == nil && r.Owner != xproto.WindowNone
}

// zoom reads how large the person has text: Xft.dpi, which desktops set to 96 times their scale.
func (d *Desktop) zoom() float64 {
	r, err := xproto.GetProperty(d.conn, false, d.screen.Root, xproto.AtomResourceManager, xproto.AtomString, 0, 1<<14).Reply()
	if err != nil {
		return 1
	}
	return zoomFrom(string(r.Value))
}

func zoomFrom(resources string) float64 {
	for line := range strings.Lines(resources) {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) != "Xft.dpi" {
			continue
		}
		if dpi, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && dpi >= 96 && dpi <= 96*4 {
			return dpi / 96
		}
	}
	return 1
}

// screensMoved tells the overlay what there is to paint on, while something is painted.
func (d *Desktop) screensMoved() {
	if d.scene.Dark() || d.lost != nil {
		return
	}
	s, err := d.screensNow()
	if err != nil {
		return // the server is going; the loss is told on its own
	}
	d.emit(overlay.ScreensChanged{Screens: s})
}

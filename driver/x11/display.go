//go:build linux

package x11

import (
	"context"
	"fmt"
	"image"
	"slices"

	"conch/driver"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
)

// Displays lists the monitors, the main one first. Two that show the same are one.
func (d *Driver) Displays(ctx context.Context) ([]driver.Display, error) {
	return run(ctx, d, func(context.Context) ([]driver.Display, error) {
		return d.askDisplays().read(d)
	})
}

// displayAsk is a question that is under way, so that it can share a round trip.
type displayAsk struct {
	root     xproto.GetGeometryCookie
	monitors randr.GetMonitorsCookie
}

func (d *Driver) askDisplays() displayAsk {
	x, root := d.conn.Conn, d.conn.Screen.Root
	return displayAsk{xproto.GetGeometry(x, xproto.Drawable(root)), randr.GetMonitors(x, root, true)}
}

func (a displayAsk) read(d *Driver) ([]driver.Display, error) {
	g, err := a.root.Reply()
	if err != nil {
		return nil, fmt.Errorf("read the screen's size: %w", err)
	}
	m, err := a.monitors.Reply()
	if err != nil {
		return nil, fmt.Errorf("read the monitors: %w", err)
	}
	root := image.Rect(0, 0, int(g.Width), int(g.Height))
	var ms []monitor
	for _, i := range m.Monitors {
		r := image.Rect(0, 0, int(i.Width), int(i.Height)).Add(image.Pt(int(i.X), int(i.Y)))
		ms = append(ms, monitor{name: d.atomName(i.Name), rect: r, primary: i.Primary})
	}
	return displays(root, ms), nil
}

// monitor is one as RandR has it.
type monitor struct {
	name    string
	rect    image.Rectangle
	primary bool
}

// displays turns monitors into displays: cut to the root (which may be smaller for a moment, or for good where
// the server was told so), a mirrored one dropped, the main one first. No monitor at all is the root as one.
func displays(root image.Rectangle, ms []monitor) []driver.Display {
	kept := make([]monitor, 0, len(ms))
	for _, m := range ms {
		if m.rect = m.rect.Intersect(root); !m.rect.Empty() {
			kept = append(kept, m)
		}
	}
	// Of two that mirror each other the larger shows all that can be seen; of equals, the primary.
	slices.SortStableFunc(kept, func(a, b monitor) int {
		if by := b.rect.Dx()*b.rect.Dy() - a.rect.Dx()*a.rect.Dy(); by != 0 || a.primary == b.primary {
			return by
		}
		if a.primary {
			return -1
		}
		return 1
	})
	var out []monitor
	for _, m := range kept {
		i := slices.IndexFunc(out, func(o monitor) bool { return m.rect.In(o.rect) })
		if i < 0 {
			out = append(out, m)
			continue
		}
		out[i].primary = out[i].primary || m.primary
	}
	if len(out) == 0 {
		out = []monitor{{name: "screen", rect: root}}
	}
	main := 0
	for i, m := range out {
		if m.primary || (!out[main].primary && m.rect.Min == (image.Point{})) {
			main = i
			break
		}
	}
	out[0], out[main] = out[main], out[0]
	rest := out[1:]
	slices.SortStableFunc(rest, func(a, b monitor) int {
		if a.rect.Min.X != b.rect.Min.X {
			return a.rect.Min.X - b.rect.Min.X
		}
		return a.rect.Min.Y - b.rect.Min.Y
	})
	ds := make([]driver.Display, len(out))
	for i, m := range out {
		ds[i] = driver.Display{ID: m.name, Name: m.name, Bounds: screenRect(m.rect), Scale: 1, Main: i == 0}
	}
	return ds
}

// atomName asks once for each atom: a name never changes.
func (d *Driver) atomName(a xproto.Atom) string {
	if n, ok := d.names.Load(a); ok {
		return n.(string)
	}
	r, err := xproto.GetAtomName(d.conn.Conn, a).Reply()
	if err != nil {
		return fmt.Sprintf("screen-%d", a)
	}
	d.names.Store(a, r.Name)
	return r.Name
}

// pick finds the display that a picture is asked of; "" is the main one.
func pick(ds []driver.Display, id string) (driver.Display, error) {
	for _, disp := range ds {
		if disp.ID == id || (id == "" && disp.Main) {
			return disp, nil
		}
	}
	return driver.Display{}, &NoScreenError{ID: id}
}

// NoScreenError says that no display has this ID, perhaps no longer.
type NoScreenError struct{ ID string }

func (e *NoScreenError) Error() string {
	return fmt.Sprintf("there is no screen %q; it may have been unplugged", e.ID)
}

package fake

import (
	"context"

	"conch/driver"
)

// Control says what is under p.
func (d *Driver) Control(ctx context.Context, p driver.ScreenPoint) (driver.Control, error) {
	if err := d.enter(ctx, "control"); err != nil {
		return driver.Control{}, err
	}
	defer d.mu.Unlock()
	for _, w := range d.desk.windows {
		if w.ours || !w.Bounds.Contains(p) {
			continue
		}
		if c := w.controlAt(p); c != nil {
			return c.describe(w), nil
		}
		break
	}
	return driver.Control{}, driver.ErrNoControl
}

// Focus says what has the keys.
func (d *Driver) Focus(ctx context.Context) (driver.Focus, error) {
	if err := d.enter(ctx, "focus"); err != nil {
		return driver.Focus{}, err
	}
	defer d.mu.Unlock()
	var f driver.Focus
	w := d.desk.focused()
	if w == nil {
		return f, driver.ErrNoControl
	}
	if c := w.keys(); c != nil {
		f.Control, f.Lines = c.describe(w), c.lines
	}
	if c := w.standard(); c != nil {
		f.Default = c.describe(w)
	}
	if f == (driver.Focus{}) {
		return f, driver.ErrNoControl
	}
	return f, nil
}

// Secrets lists where password fields can be seen.
func (d *Driver) Secrets(ctx context.Context) ([]driver.ScreenRect, error) {
	if err := d.enter(ctx, "secrets"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	var out []driver.ScreenRect
	for _, v := range d.desk.list() {
		for _, c := range d.desk.window(v.ID).controls {
			if !c.secure {
				continue
			}
			for _, part := range v.Visible {
				if r := part.Intersect(c.bounds); !r.Empty() {
					out = append(out, r)
				}
			}
		}
	}
	return out, nil
}

// Find lists the controls of the window that has the keys whose name may be meant, best first.
func (d *Driver) Find(ctx context.Context, name string) ([]driver.Control, error) {
	if err := d.enter(ctx, "find"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	var all []driver.Control
	if w := d.desk.focused(); w != nil {
		for _, c := range w.controls {
			all = append(all, c.describe(w))
		}
	}
	out := driver.BestControls(all, name)
	if len(out) == 0 {
		return nil, driver.ErrNoControl
	}
	return out, nil
}

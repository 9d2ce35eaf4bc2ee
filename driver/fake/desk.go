package fake

import (
	"image/color"
	"slices"
	"time"

	"conch/driver"
)

// desk is what the screen is like at one moment. The driver's lock guards it.
type desk struct {
	displays    []driver.Display
	windows     []*window // front to back
	apps        []driver.App
	pointer     driver.ScreenPoint
	unready     *driver.Unready
	faults      map[string]fault
	personHolds bool
	focus       driver.WindowID

	starting bool      // the screen file is being read: windows come front to back
	changed  bool      // something that can be seen changed since the driver last asked
	drawing  []*window // windows that began to draw by themselves
}

type window struct {
	driver.Window // Visible and Focused are worked out when asked
	ours, through bool
	fill          *color.RGBA
	paint         uint64 // how often its content was painted anew
	draws         time.Duration
	controls      []*control
}

type control struct {
	role, name, label string
	secure, focused   bool
	lines, standard   bool // a field of several lines; a button that Return presses
	bounds            driver.ScreenRect
	text              string
	selected          bool // all of its text
}

func newDesk() *desk { return &desk{faults: map[string]fault{}} }

func (d *desk) window(id driver.WindowID) *window {
	for _, w := range d.windows {
		if w.ID == id {
			return w
		}
	}
	return nil
}

// edit changes a window; one that was closed meanwhile is left alone.
func (d *desk) edit(id driver.WindowID, change func(*window)) {
	w := d.window(id)
	if w == nil {
		return
	}
	change(w)
	d.touched(w)
}

// touched says that a window looks different. Windows of ours don't count.
func (d *desk) touched(w *window) {
	if w.draws > 0 {
		d.drawing = append(d.drawing, w)
	}
	d.changed = d.changed || !w.ours
}

func (d *desk) plug(v driver.Display, placed bool) {
	d.changed = true
	for i, old := range d.displays {
		if old.ID == v.ID {
			if !placed {
				v.Bounds.X, v.Bounds.Y = old.Bounds.X, old.Bounds.Y
			}
			v.Main = v.Main || old.Main
			d.displays[i] = v
			return
		}
	}
	d.displays = append(d.displays, v)
	d.oneMain(v)
}

// oneMain keeps exactly one display the main one: the last that was called so, else the first.
func (d *desk) oneMain(last driver.Display) {
	main := 0
	for i, v := range d.displays {
		if v.Main && (v.ID == last.ID || !last.Main) {
			main = i
		}
	}
	for i := range d.displays {
		d.displays[i].Main = i == main
	}
}

func (d *desk) unplug(id string) {
	d.displays = slices.DeleteFunc(d.displays, func(v driver.Display) bool { return v.ID == id })
	d.oneMain(driver.Display{})
	d.changed = true
}

// show adds a window or changes the one with its ID, keeping what that holds where nothing new was written.
func (d *desk) show(set window, place string) {
	w := d.window(set.ID)
	if w == nil {
		w = &set
		w.controls = cloneControls(set.controls)
		if d.starting {
			d.windows = append(d.windows, w)
		} else {
			d.windows = slices.Insert(d.windows, 0, w)
		}
	} else {
		keep, bounds, paint := w.controls, w.Bounds, w.paint
		*w = set
		w.paint = paint + 1
		if w.controls = cloneControls(set.controls); set.controls == nil {
			w.controls, w.Bounds = keep, bounds
			w.moveTo(set.Bounds.X, set.Bounds.Y, set.Bounds.W, set.Bounds.H)
		}
	}
	if place != "" {
		d.arrange(place, set.ID)
	}
	d.touched(w)
}

func cloneControls(in []*control) []*control {
	out := make([]*control, len(in))
	for i, c := range in {
		v := *c
		out[i] = &v
	}
	return out
}

func (d *desk) arrange(verb string, id driver.WindowID) {
	i := slices.IndexFunc(d.windows, func(w *window) bool { return w.ID == id })
	if i < 0 {
		return
	}
	w := d.windows[i]
	switch verb {
	case "repaint":
		w.paint++
	case "focus":
		d.focus = id
	case "close":
		d.windows = slices.Delete(d.windows, i, i+1)
	case "front", "back":
		d.windows = slices.Delete(d.windows, i, i+1)
		at := 0
		if verb == "back" {
			at = len(d.windows)
		}
		d.windows = slices.Insert(d.windows, at, w)
		if verb == "front" && !w.ours {
			d.focus = id
		}
	}
	d.changed = d.changed || !w.ours
}

// focused returns the window that has the keys: the one that was given them, while it is there, else the
// first that takes keys.
func (d *desk) focused() *window {
	if w := d.window(d.focus); w != nil {
		return w
	}
	for _, w := range d.windows {
		if !w.ours && !w.through && w.Role != "desktop" && w.Role != "dock" && w.Role != "notification" {
			return w
		}
	}
	return nil
}

// at returns the window that takes a click at p.
func (d *desk) at(p driver.ScreenPoint) *window {
	for _, w := range d.windows {
		if !w.through && w.Bounds.Contains(p) {
			return w
		}
	}
	return nil
}

// list is what Windows gives: front to back, without ours.
func (d *desk) list() []driver.Window {
	var out []driver.Window
	focus := d.focused()
	for _, w := range d.windows {
		if w.ours {
			continue
		}
		v := w.Window
		v.Focused = w == focus
		out = append(out, v)
	}
	driver.Visible(out, d.displays)
	return out
}

func (d *desk) install(a driver.App) {
	for i, old := range d.apps {
		if old.ID == a.ID {
			d.apps[i] = a
			return
		}
	}
	d.apps = append(d.apps, a)
}

// running lists the apps that were written down and those that have a window.
func (d *desk) running() []driver.App {
	out := slices.Clone(d.apps)
	for _, w := range d.windows {
		if w.ours {
			continue
		}
		i := slices.IndexFunc(out, func(a driver.App) bool { return a.ID == w.App })
		if i < 0 {
			i = len(out)
			out = append(out, driver.App{ID: w.App, Name: w.AppName, Exe: w.Exe})
		}
		out[i].Running = true
	}
	return out
}

func (w *window) moveTo(x, y, width, height float64) {
	dx, dy := x-w.Bounds.X, y-w.Bounds.Y
	w.Bounds = driver.ScreenRect{X: x, Y: y, W: width, H: height}
	for _, c := range w.controls {
		c.bounds.X, c.bounds.Y = c.bounds.X+dx, c.bounds.Y+dy
	}
}

// field returns the field that gets what is typed.
func (w *window) field() *control {
	if c := w.keys(); c != nil && c.role == "textbox" {
		return c
	}
	return nil
}

// keys returns the control that has the keys while the window has them: the one written so, else the first field.
func (w *window) keys() *control {
	var first *control
	for _, c := range w.controls {
		if c.focused {
			return c
		}
		if first == nil && c.role == "textbox" {
			first = c
		}
	}
	return first
}

// standard returns the button that Return presses wherever else the keys are.
func (w *window) standard() *control {
	for _, c := range w.controls {
		if c.standard {
			return c
		}
	}
	return nil
}

// pressed returns what a key presses as a click would, or nil.
func (w *window) pressed(k string) *control {
	c := w.keys()
	switch {
	case c != nil && c.role != "textbox" && (k == "Return" || k == "space"):
		return c
	case k == "Return" && (c == nil || !c.lines):
		return w.standard()
	}
	return nil
}

// giveKeys lets a control have the keys of its window.
func (d *desk) giveKeys(name string) {
	w, c := d.find(name)
	if c == nil {
		return
	}
	for _, o := range w.controls {
		o.focused = o == c
	}
	d.touched(w)
}

// find finds a control by its written name, in the frontmost window that has one.
func (d *desk) find(name string) (*window, *control) {
	for _, w := range d.windows {
		for _, c := range w.controls {
			if c.name == name {
				return w, c
			}
		}
	}
	return nil, nil
}

// controlAt returns the last written control at p: it lies over those before it.
func (w *window) controlAt(p driver.ScreenPoint) *control {
	for _, c := range slices.Backward(w.controls) {
		if c.bounds.Contains(p) {
			return c
		}
	}
	return nil
}

func (c *control) describe(w *window) driver.Control {
	name := c.label
	if name == "" && c.role == "textbox" {
		name = c.name
	}
	return driver.Control{
		Role: c.role, Name: name, Secure: c.secure, Dialog: w.Role == "dialog", Default: c.standard, Bounds: c.bounds, Window: w.ID,
	}
}

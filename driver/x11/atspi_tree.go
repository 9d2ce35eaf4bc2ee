//go:build linux

package x11

import (
	"context"
	"math"

	"conch/driver"

	"github.com/godbus/dbus/v5"
)

// Names of the AT-SPI 2 protocol (at-spi2-core, xml/*.xml).
const (
	ifAccessible = "org.a11y.atspi.Accessible."
	ifComponent  = "org.a11y.atspi.Component."
	registryName = "org.a11y.atspi.Registry"
	rootPath     = dbus.ObjectPath("/org/a11y/atspi/accessible/root")
	nullPath     = dbus.ObjectPath("/org/a11y/atspi/null")

	coordScreen = uint32(0)
	labelledBy  = uint32(2)
)

// tongue speaks the protocol.
type tongue struct{ conn *dbus.Conn }

// node is an accessible object.
type node struct {
	Bus  string
	Path dbus.ObjectPath
}

func (n node) isNull() bool { return n.Bus == "" || n.Path == nullPath || !n.Path.IsValid() }

// frame is an app's window as the bus knows it.
type frame struct {
	node
	scale float64 // device pixels to one of the app's: GTK counts in its own when it is scaled
}

func (t *tongue) call(ctx context.Context, n node, method string, args ...any) *dbus.Call {
	// No program is started for a question.
	return t.conn.Object(n.Bus, n.Path).CallWithContext(ctx, method, dbus.FlagNoAutoStart, args...)
}

func (t *tongue) send(ctx context.Context, n node, method string, args ...any) *dbus.Call {
	return t.conn.Object(n.Bus, n.Path).GoWithContext(ctx, method, dbus.FlagNoAutoStart, make(chan *dbus.Call, 1), args...)
}

// answer waits for a call that was sent.
func answer(c *dbus.Call, into ...any) bool {
	return (<-c.Done).Store(into...) == nil
}

func (t *tongue) sendName(ctx context.Context, n node) *dbus.Call {
	return t.send(ctx, n, "org.freedesktop.DBus.Properties.Get", "org.a11y.atspi.Accessible", "Name")
}

func answerName(c *dbus.Call) string {
	var v dbus.Variant
	if !answer(c, &v) {
		return ""
	}
	s, _ := v.Value().(string)
	return s
}

// extents is a place in the app's own screen coordinates.
type extents struct{ X, Y, W, H int32 }

func (e extents) rect(scale float64) driver.ScreenRect {
	return driver.ScreenRect{X: float64(e.X) * scale, Y: float64(e.Y) * scale, W: float64(e.W) * scale, H: float64(e.H) * scale}
}

// most is how many apps and how many windows of one are looked at.
const (
	mostApps    = 200
	mostWindows = 60
)

// frames finds what the bus knows of a window: the app is the one with the window's process id as the bus itself
// saw it, its windows are those that overlap with w, the one with w's title first.
func (t *tongue) frames(ctx context.Context, w driver.Window) ([]frame, error) {
	if w.PID == 0 {
		return nil, driver.ErrNoControl
	}
	apps, err := t.apps(ctx)
	if err != nil {
		return nil, err
	}
	return t.framesOf(ctx, apps[w.PID], w)
}

// apps lists the apps on the bus by process id, as the bus itself saw it.
func (t *tongue) apps(ctx context.Context) (map[int][]node, error) {
	var apps []node
	if err := t.call(ctx, node{registryName, rootPath}, ifAccessible+"GetChildren").Store(&apps); err != nil {
		return nil, err
	}
	apps = apps[:min(len(apps), mostApps)]
	pids := make([]*dbus.Call, len(apps))
	for i, app := range apps {
		pids[i] = t.conn.BusObject().GoWithContext(ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0, make(chan *dbus.Call, 1), app.Bus)
	}
	out := map[int][]node{}
	for i, app := range apps {
		var pid uint32
		if answer(pids[i], &pid) {
			out[int(pid)] = append(out[int(pid)], app)
		}
	}
	return out, nil
}

// framesOf finds what apps say of the window w.
func (t *tongue) framesOf(ctx context.Context, apps []node, w driver.Window) ([]frame, error) {
	var titled, others []frame
	for _, app := range apps {
		var windows []node
		if t.call(ctx, app, ifAccessible+"GetChildren").Store(&windows) != nil {
			continue
		}
		for _, n := range windows[:min(len(windows), mostWindows)] {
			name, place := t.sendName(ctx, n), t.send(ctx, n, ifComponent+"GetExtents", coordScreen)
			title := answerName(name)
			var e extents
			if !answer(place, &e) || e.W <= 0 || e.H <= 0 {
				continue
			}
			p := frame{n, scaleOf(w.Bounds, e)}
			switch {
			case title == w.Title && title != "":
				titled = append(titled, p)
			case !e.rect(p.scale).Intersect(w.Bounds).Empty():
				others = append(others, p)
			}
		}
	}
	if tops := append(titled, others...); len(tops) > 0 {
		return tops, nil
	}
	return nil, driver.ErrNoControl
}

// scaleOf compares a window's size with what its app says: an app that is scaled by the toolkit says half or a
// third, while the pointer counts in real pixels.
func scaleOf(real driver.ScreenRect, said extents) float64 {
	rw, rh := real.W/float64(said.W), real.H/float64(said.H)
	n := math.Round(rw)
	const near = 0.15 // a frame and its shadow
	if n >= 2 && n <= 4 && math.Abs(rw-n) < near && math.Abs(rh-n) < 2*near {
		return n
	}
	return 1
}

// deepest is how far down a tree anything is looked for.
const deepest = 40

// at goes down to the innermost thing at p that can be named.
func (t *tongue) at(ctx context.Context, in frame, p driver.ScreenPoint) (driver.Control, bool) {
	x, y := int32(math.Floor(p.X/in.scale)), int32(math.Floor(p.Y/in.scale))
	n := in.node
	var best driver.Control
	found, dialog := false, false
	if c, _, ok := t.describe(ctx, n, in.scale); ok {
		dialog = isDialog(c.Role)
	}
	for range deepest {
		var child node
		err := t.call(ctx, n, ifComponent+"GetAccessibleAtPoint", x, y, coordScreen).Store(&child)
		if err != nil || child.isNull() || child == n {
			break
		}
		n = child
		c, _, ok := t.describe(ctx, n, in.scale)
		dialog = dialog || ok && isDialog(c.Role)
		if !ok || !c.Bounds.Contains(p) {
			continue
		}
		// What can be used is better than the words in it or the box around it.
		if !found || driver.Usable(c.Role) || !driver.Usable(best.Role) {
			best, found = c, true
		}
	}
	if found && best.Name == "" {
		best.Name = t.label(ctx, n)
	}
	best.Dialog = dialog
	return best, found
}

// State bits (AtspiStateType).
const (
	stateShowing = 25
	stateVisible = 30
)

// describe asks everything about one object at once.
func (t *tongue) describe(ctx context.Context, n node, scale float64) (c driver.Control, bits stateBits, ok bool) {
	role := t.send(ctx, n, ifAccessible+"GetRole")
	name := t.sendName(ctx, n)
	state := t.send(ctx, n, ifAccessible+"GetState")
	place := t.send(ctx, n, ifComponent+"GetExtents", coordScreen)
	var number uint32
	var e extents
	ok = answer(role, &number)
	c.Name = answerName(name)
	ok = answer(state, &bits) && ok
	if answer(place, &e) {
		c.Bounds = e.rect(scale)
	}
	c.Role, c.Secure, c.Default = roleOf(number), number == rolePassword, bits.has(stateDefault)
	return c, bits, ok
}

// label is the name of what labels an object that has none of its own.
func (t *tongue) label(ctx context.Context, n node) string {
	var relations []struct {
		Type uint32
		To   []node
	}
	if t.call(ctx, n, ifAccessible+"GetRelationSet").Store(&relations) != nil {
		return ""
	}
	for _, r := range relations {
		if r.Type == labelledBy && len(r.To) > 0 {
			return answerName(t.sendName(ctx, r.To[0]))
		}
	}
	return ""
}

// children are an object's children, or none.
func (t *tongue) children(ctx context.Context, n node) []node {
	var out []node
	_ = t.call(ctx, n, ifAccessible+"GetChildren").Store(&out)
	return out
}

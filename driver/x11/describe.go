//go:build linux

package x11

import (
	"errors"
	"image"
	"io"
	"slices"

	"conch/driver"

	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"
)

// readTree lists the top-level windows with all that pictures and rules need to know of them.
func (d *Driver) readTree() (*tree, error) {
	t, err := d.readTops()
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(slices.Clone(t.tops), func(w *top) bool { return w.own })
	if err := d.findClients(t, others); err != nil {
		return nil, err
	}
	if err := d.readFacts(t, others); err != nil {
		return nil, err
	}
	if err := d.readShapes(t, others); err != nil {
		return nil, err
	}
	if err := d.findFocus(t, others); err != nil {
		return nil, err
	}
	t.see()
	return t, nil
}

// Longest title and class that are read, in four-byte units.
const textWords = 512

// readFacts fills in what a person and the rules know a window by.
func (d *Driver) readFacts(t *tree, tops []*top) error {
	type asked struct {
		class, net, name, kind, transient, opacity, opaque propAsk
		at                                                 xproto.TranslateCoordinatesCookie
	}
	asks := make([]asked, len(tops))
	clients := make([]xproto.Window, len(tops))
	for i, w := range tops {
		c := w.client
		clients[i] = c
		asks[i] = asked{
			class: d.askProp(c, d.atoms.wmClass, textWords), net: d.askProp(c, d.atoms.netName, textWords),
			name: d.askProp(c, d.atoms.wmName, textWords), kind: d.askProp(c, d.atoms.winType, 16),
			transient: d.askProp(c, d.atoms.transient, 1),
		}
		if t.compositor {
			asks[i].opacity = d.askProp(w.id, d.atoms.opacity, 1)
			asks[i].opaque = d.askProp(c, d.atoms.opaque, 4*maxRects)
			asks[i].at = xproto.TranslateCoordinates(d.conn.Conn, c, d.conn.Screen.Root, 0, 0)
		}
	}
	pids, err := d.pids(clients)
	if err != nil {
		return err
	}
	exes := map[uint32]string{}
	for i, w := range tops {
		a, pid := asks[i], pids[i]
		if _, ok := exes[pid]; !ok {
			exes[pid] = exeOf(pid)
		}
		w.win = driver.Window{
			ID: driver.WindowID(w.client), PID: int(pid), Exe: exes[pid],
			Transient: driver.WindowID(a.transient.window()),
		}
		w.win.Instance, w.win.Class = class(a.class.bytes())
		net, name := a.net.bytes(), a.name.bytes()
		if w.win.Title = text(net); net == nil {
			w.win.Title = text(name)
		}
		w.win.Role = d.role(w, a.kind.card32())
		w.win.App, w.win.AppName = d.identify(&w.win)
		w.own = w.own || (d.own != nil && d.own(w.win))
		if t.compositor {
			if v := a.opacity.card32(); len(v) > 0 {
				w.opacity = v[0]
			}
			w.solid = rects32(a.opaque.card32())
			if r, err := a.at.Reply(); err == nil {
				w.clientAt = image.Pt(int(r.DstX), int(r.DstY))
			}
		}
	}
	return nil
}

// role reads the first window type that we know. A window without one is what the ICCCM makes of it.
func (d *Driver) role(w *top, types []uint32) string {
	for _, a := range types {
		if r := d.atoms.types[xproto.Atom(a)]; r != "" {
			return r
		}
	}
	switch {
	case w.client == w.id && w.override:
		return "menu"
	case w.win.Transient != 0:
		return "dialog"
	}
	return "normal"
}

// identify names the app by an installed application's entry. Without one there is only the class, which is the
// window's own word: a name to show, not an identity.
func (d *Driver) identify(w *driver.Window) (driver.AppID, string) {
	if d.apps != nil {
		if id, name := d.apps.lookup(w.Exe, w.Class, w.Instance); id != "" {
			return id, name
		}
	}
	return "", w.Class
}

// rects32 reads a list of x, y, width, height.
func rects32(v []uint32) region {
	var out region
	for ; len(v) >= 4; v = v[4:] {
		x, y, w, h := int(int32(v[0])), int(int32(v[1])), int(int32(v[2])), int(int32(v[3]))
		if r := image.Rect(x, y, x+w, y+h); w > 0 && h > 0 {
			out = append(out, r)
		}
	}
	return out
}

// readShapes asks for outlines and for where clicks pass through.
func (d *Driver) readShapes(t *tree, tops []*top) error {
	x := d.conn.Conn
	extents := make([]shape.QueryExtentsCookie, len(tops))
	inputs := make([]shape.GetRectanglesCookie, len(tops))
	for i, w := range tops {
		extents[i] = shape.QueryExtents(x, w.id)
		inputs[i] = shape.GetRectangles(x, w.id, shape.SkInput)
	}
	outlines := make([]*shape.GetRectanglesCookie, len(tops))
	for i, w := range tops {
		e, err := extents[i].Reply()
		if errors.Is(err, io.EOF) {
			return err
		}
		if err == nil && e.BoundingShaped {
			c := shape.GetRectangles(x, w.id, shape.SkBounding)
			outlines[i] = &c
		}
	}
	for i, w := range tops {
		in, err := inputs[i].Reply()
		if errors.Is(err, io.EOF) {
			return err
		}
		inner := w.rect.Min.Add(image.Pt(w.border, w.border))
		if outlines[i] != nil {
			if r, err := outlines[i].Reply(); err == nil {
				w.shape, w.framed = disjoint(r.Rectangles).moved(inner).clip(w.rect), len(r.Rectangles) > maxRects
			}
		}
		w.hits = w.outline()
		if err == nil && !unshapedInput(w, in.Rectangles) {
			w.hits = w.hits.and(disjoint(in.Rectangles).moved(inner))
		}
		// What lets clicks through is no window to a click: a shadow is not part of its bounds.
		w.win.Bounds = screenRect(w.hits.bounds())
		w.hits = w.hits.clip(t.root)
		w.solid = w.solidPart(t.compositor)
	}
	return nil
}

// unshapedInput says that a window has no input shape: the server then answers with the window itself, but it
// forgets the right and bottom border (ProcShapeGetRectangles).
func unshapedInput(w *top, rs []xproto.Rectangle) bool {
	return len(rs) == 1 && int(rs[0].X) == -w.border && int(rs[0].Y) == -w.border &&
		int(rs[0].Width) >= w.rect.Dx()-w.border && int(rs[0].Height) >= w.rect.Dy()-w.border
}

// disjoint turns the server's rectangles, which never overlap (SHAPE keeps them banded), into a region. One
// with more than can be handled becomes its frame.
func disjoint(rs []xproto.Rectangle) region {
	out := make(region, len(rs))
	for i, r := range rs {
		out[i] = image.Rect(0, 0, int(r.Width), int(r.Height)).Add(image.Pt(int(r.X), int(r.Y)))
	}
	if len(out) > maxRects {
		return region{out.bounds()}
	}
	return out
}

// solidPart is where nothing below can be seen. Alpha counts only where something blends it, and a window that
// lets clicks through must not hide what they land in. w.solid comes in as the app's own word, which a
// compositor also goes by. A ragged outline hides nothing: too many pieces to be worth it.
func (t *top) solidPart(compositor bool) region {
	var out region
	switch {
	case compositor && t.opacity != opaque32:
		return nil
	case compositor && t.depth == 32:
		out = t.hits.and(t.solid.moved(t.clientAt))
	default:
		out = t.hits
	}
	if len(out) > raggedRects || t.framed {
		return nil
	}
	return out
}

// see works out the visible parts, from the top down.
func (t *tree) see() {
	var covered region
	for i := len(t.tops) - 1; i >= 0; i-- {
		w := t.tops[i]
		if w.own {
			continue
		}
		w.visible = w.hits.without(covered)
		w.win.Visible = w.visible.screen()
		covered = append(covered, w.solid...)
	}
}

// windows is the list as the driver gives it: front to back, ours left out, and those that are on no screen,
// where apps and window managers keep helpers, unless keys go there.
func (t *tree) windows() []driver.Window {
	out := make([]driver.Window, 0, len(t.tops))
	for i := len(t.tops) - 1; i >= 0; i-- {
		if w := t.tops[i]; !w.own && (w.win.Focused || w.rect.Overlaps(t.root)) {
			out = append(out, w.win)
		}
	}
	return out
}

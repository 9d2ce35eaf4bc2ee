//go:build linux

package x11

import (
	"errors"
	"io"
	"slices"

	"github.com/jezek/xgb/xproto"
)

// findClients finds in each frame the app's own window. First by the window manager's list, up from each app's
// window; then, for frames that leaves, down from the frame.
func (d *Driver) findClients(t *tree, tops []*top) error {
	found, err := d.climb(t.clients, tops)
	if err != nil {
		return err
	}
	return d.search(slices.DeleteFunc(slices.Clone(tops), func(w *top) bool { return found[w] }))
}

// climb goes from each listed window up to its frame. The list is only a hint, for any program can write it: a
// listed window must have WM_STATE as well, and a frame that holds two is left to the search.
func (d *Driver) climb(listed []uint32, tops []*top) (map[*top]bool, error) {
	type place struct{ client, at xproto.Window }
	level, states := make([]place, len(listed)), make([]propAsk, len(listed))
	for i, w := range listed {
		level[i] = place{xproto.Window(w), xproto.Window(w)}
		states[i] = d.askProp(xproto.Window(w), d.atoms.wmState, 1)
	}
	managed := map[xproto.Window]bool{}
	for i, w := range listed {
		managed[xproto.Window(w)] = states[i].managed()
	}
	ids := make(map[xproto.Window]*top, len(tops))
	for _, w := range tops {
		ids[w.id] = w
	}
	found, twice := map[*top]bool{}, map[*top]bool{}
	for up := 0; up <= frameDepth && len(level) > 0; up++ {
		level = slices.DeleteFunc(level, func(p place) bool {
			w := ids[p.at]
			if w == nil {
				return !managed[p.client]
			}
			if managed[p.client] {
				twice[w], found[w], w.client = found[w], true, p.client
			}
			return true
		})
		parents := make([]xproto.QueryTreeCookie, len(level))
		for i, p := range level {
			parents[i] = xproto.QueryTree(d.conn.Conn, p.at)
		}
		for i := range level {
			q, err := parents[i].Reply()
			if errors.Is(err, io.EOF) {
				return nil, err
			}
			if level[i].at = xproto.WindowNone; err == nil {
				level[i].at = q.Parent
			}
		}
		level = slices.DeleteFunc(level, func(p place) bool { return p.at == xproto.WindowNone || p.at == d.conn.Screen.Root })
	}
	for w, two := range twice {
		if two {
			delete(found, w)
			w.client = w.id
		}
	}
	return found, nil
}

// Bounds of the search for an app's window in one frame: window managers put it one to three deep, beside up to
// some sixty windows of their own (openbox), and an app without a frame may have hundreds.
const (
	frameDepth = 3
	frameWidth = 256
)

// search looks in each frame for the window that has WM_STATE (ICCCM 4.1.3.1). Where several are in one frame,
// as tabs, the topmost is the one that is seen.
func (d *Driver) search(tops []*top) error {
	type place struct {
		of *top
		w  xproto.Window
	}
	level := make([]place, len(tops))
	for i, t := range tops {
		level[i] = place{t, t.id}
	}
	found := map[*top]bool{}
	for depth := 0; depth <= frameDepth && len(level) > 0; depth++ {
		states := make([]propAsk, len(level))
		kids := make([]xproto.QueryTreeCookie, len(level))
		for i, p := range level {
			states[i] = d.askProp(p.w, d.atoms.wmState, 1)
			if depth < frameDepth {
				kids[i] = xproto.QueryTree(d.conn.Conn, p.w)
			}
		}
		var below []place
		width := map[*top]int{}
		for i, p := range level {
			if states[i].managed() {
				p.of.client, found[p.of] = p.w, true
			}
			if depth == frameDepth {
				continue
			}
			q, err := kids[i].Reply()
			if errors.Is(err, io.EOF) {
				return err
			}
			if err == nil {
				width[p.of] += len(q.Children)
				for _, w := range q.Children {
					below = append(below, place{p.of, w})
				}
			}
		}
		level = slices.DeleteFunc(below, func(p place) bool { return found[p.of] || width[p.of] > frameWidth })
	}
	return nil
}

// managed reads WM_STATE: a window manager took the window on.
func (p propAsk) managed() bool {
	const withdrawn = 0
	v := p.card32()
	return len(v) > 0 && v[0] != withdrawn
}

// findFocus marks the window that keys go to: the one that holds the focused window, however deep. Some apps
// focus a window that is not on the screen; then it is the app's window that the window manager calls active,
// or any other of the same program. Keys that go to a program without a window go to no window.
func (d *Driver) findFocus(t *tree, tops []*top) error {
	at := t.focus
	if at == xproto.InputFocusPointerRoot {
		p, err := xproto.QueryPointer(d.conn.Conn, d.conn.Screen.Root).Reply()
		if err != nil {
			return err
		}
		at = p.Child
	}
	first := at
	for range 32 {
		if at == xproto.WindowNone || at == d.conn.Screen.Root {
			break
		}
		for _, w := range tops {
			if w.id == at || w.client == at {
				w.win.Focused = true
				return nil
			}
		}
		q, err := xproto.QueryTree(d.conn.Conn, at).Reply()
		if errors.Is(err, io.EOF) {
			return err
		}
		if err != nil {
			break
		}
		at = q.Parent
	}
	if first == xproto.WindowNone || first == d.conn.Screen.Root {
		return nil
	}
	pids, err := d.pids([]xproto.Window{first})
	if err != nil || pids[0] == 0 {
		return err
	}
	same := func(w *top) bool { return w.win.PID == int(pids[0]) }
	i := slices.IndexFunc(tops, func(w *top) bool { return same(w) && w.client == t.active })
	for j := len(tops) - 1; i < 0 && j >= 0; j-- {
		if same(tops[j]) {
			i = j
		}
	}
	if i >= 0 {
		tops[i].win.Focused = true
	}
	return nil
}

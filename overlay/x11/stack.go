//go:build linux

package x11

import (
	"fmt"
	"image"
	"time"

	"github.com/jezek/xgb/xproto"

	"conch/overlay"
)

// raiseEvery is how often ours are put on top at most: with another program that wants to be on top as much,
// neither may win by racing.
const raiseEvery = 500 * time.Millisecond

// raise puts the strips and then the card on top of everything.
func (d *Desktop) raise(rings []*ring, card *cardWindow) {
	top := func(w xproto.Window) {
		xproto.ConfigureWindow(d.conn, w, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
	}
	for _, r := range rings {
		for _, w := range r.windows() {
			top(w)
		}
	}
	if card != nil {
		top(card.window)
	}
}

// keepAbove puts ours on top again when something lies over them, unless that is a lock screen. Visibility
// events alone don't tell: with a compositor the server thinks that everything is visible.
func (d *Desktop) keepAbove() {
	if d.scene.Dark() || d.later != nil {
		return
	}
	if wait := raiseEvery - time.Since(d.lastRun); wait > 0 {
		d.later = time.NewTimer(wait)
		return
	}
	d.lastRun = time.Now()
	stack, err := d.stacking()
	if err != nil {
		return
	}
	for _, s := range stack {
		if d.covers(s.box) && !d.locked(d.scene.Edges, stack) {
			d.raise(d.rings, d.stop)
			return
		}
	}
}

// stacked is a window of another program that is shown.
type stacked struct {
	window   xproto.Window
	box      image.Rectangle
	override bool // no window manager has a say in it
}

// stacking lists what other programs show above the lowest of ours, or everything when ours aren't shown,
// from the top down.
func (d *Desktop) stacking() ([]stacked, error) {
	tree, err := xproto.QueryTree(d.conn, d.screen.Root).Reply()
	if err != nil {
		return nil, fmt.Errorf("ask what lies on top: %w", err)
	}
	above := tree.Children // bottom to top
	for i, w := range above {
		if d.ours(w) {
			above = above[i:]
			break
		}
	}
	attrs := make([]xproto.GetWindowAttributesCookie, len(above))
	geoms := make([]xproto.GetGeometryCookie, len(above))
	for i, w := range above {
		attrs[i] = xproto.GetWindowAttributes(d.conn, w)
		geoms[i] = xproto.GetGeometry(d.conn, xproto.Drawable(w))
	}
	var out []stacked
	for i := len(above) - 1; i >= 0; i-- {
		a, aerr := attrs[i].Reply()
		g, gerr := geoms[i].Reply()
		if aerr != nil || gerr != nil || a.MapState != xproto.MapStateViewable ||
			a.Class != xproto.WindowClassInputOutput || d.ours(above[i]) || d.server(above[i]) {
			continue // gone since, hidden, ours, or a compositor's
		}
		b := 2 * int(g.BorderWidth)
		box := image.Rect(int(g.X), int(g.Y), int(g.X)+int(g.Width)+b, int(g.Y)+int(g.Height)+b)
		out = append(out, stacked{above[i], box, a.OverrideRedirect})
	}
	return out, nil
}

// covers says whether a box lies over any part of ours.
func (d *Desktop) covers(box image.Rectangle) bool {
	for _, e := range d.scene.Edges {
		for _, s := range e.Strips {
			if box.Overlaps(rect(s)) {
				return true
			}
		}
	}
	return box.Overlaps(rect(d.scene.Card.Bounds))
}

// locked says whether a lock screen is up: a window over a whole monitor that no window manager knows, with
// no window of an app above it, while someone holds the keyboard. A wallpaper window, a full-screen app and an
// open menu each have some of these, never all.
func (d *Desktop) locked(edges []overlay.Edge, stack []stacked) bool {
	for _, s := range stack {
		whole := false
		for _, e := range edges {
			whole = whole || rect(e.Display.Bounds).In(s.box)
		}
		switch {
		case d.managed(s.window, 2):
			return false
		case whole && s.override:
			return d.keyboardHeld()
		}
	}
	return false
}

// managed says whether a window, or one a few levels inside it, is known to a window manager.
func (d *Desktop) managed(w xproto.Window, levels int) bool {
	state := d.atoms["WM_STATE"]
	p, err := xproto.GetProperty(d.conn, false, w, state, state, 0, 1).Reply()
	if err != nil {
		return false
	}
	if p.Format != 0 {
		return true
	}
	tree, err := xproto.QueryTree(d.conn, w).Reply()
	if err != nil || levels == 0 {
		return false
	}
	for _, c := range tree.Children {
		if d.managed(c, levels-1) {
			return true
		}
	}
	return false
}

// keyboardHeld says whether another program holds the keyboard. There is no way to ask but to try to hold it.
func (d *Desktop) keyboardHeld() bool {
	g, err := xproto.GrabKeyboard(d.conn, true, d.screen.Root, xproto.TimeCurrentTime, xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
	if err != nil {
		return true // unknown: as if locked
	}
	if g.Status == xproto.GrabStatusSuccess {
		xproto.UngrabKeyboard(d.conn, xproto.TimeCurrentTime)
		return false
	}
	return g.Status == xproto.GrabStatusAlreadyGrabbed
}

// server says whether the server itself made the window, as it makes a compositor's overlay window, which is
// on top of everything by its nature.
func (d *Desktop) server(w xproto.Window) bool {
	return uint32(w)&^xproto.Setup(d.conn).ResourceIdMask == 0
}

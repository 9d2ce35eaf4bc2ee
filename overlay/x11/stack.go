//go:build linux

package x11

import (
	"image"
	"time"

	"github.com/jezek/xgb/xproto"
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
	tree, err := xproto.QueryTree(d.conn, d.screen.Root).Reply()
	if err != nil {
		return
	}
	lowest := -1
	var over []xproto.Window
	for i, w := range tree.Children { // bottom to top
		switch {
		case d.ours(w) && lowest < 0:
			lowest = i
		case !d.ours(w) && lowest >= 0 && !d.server(w):
			over = append(over, w)
		}
	}
	if len(over) == 0 {
		return
	}
	if covered, locked := d.judge(over); covered && !locked {
		d.raise(d.rings, d.stop)
	}
}

// server says whether the server itself made the window, as it makes a compositor's overlay window, which is
// on top of everything by its nature.
func (d *Desktop) server(w xproto.Window) bool {
	return uint32(w)&^xproto.Setup(d.conn).ResourceIdMask == 0
}

// judge says of the windows above the lowest of ours whether one covers any of ours, and whether one looks like
// a lock screen: a window over a whole monitor that no window manager has a say in.
func (d *Desktop) judge(over []xproto.Window) (covered, locked bool) {
	attrs := make([]xproto.GetWindowAttributesCookie, len(over))
	geoms := make([]xproto.GetGeometryCookie, len(over))
	for i, w := range over {
		attrs[i] = xproto.GetWindowAttributes(d.conn, w)
		geoms[i] = xproto.GetGeometry(d.conn, xproto.Drawable(w))
	}
	for i := range over {
		a, aerr := attrs[i].Reply()
		g, gerr := geoms[i].Reply()
		if aerr != nil || gerr != nil || a.MapState != xproto.MapStateViewable || a.Class != xproto.WindowClassInputOutput {
			continue
		}
		b := 2 * int(g.BorderWidth)
		box := image.Rect(int(g.X), int(g.Y), int(g.X)+int(g.Width)+b, int(g.Y)+int(g.Height)+b)
		for _, e := range d.scene.Edges {
			if a.OverrideRedirect && rect(e.Display.Bounds).In(box) {
				locked = true
			}
			for _, s := range e.Strips {
				covered = covered || box.Overlaps(rect(s))
			}
		}
		covered = covered || box.Overlaps(rect(d.scene.Card.Bounds))
	}
	return covered, locked
}

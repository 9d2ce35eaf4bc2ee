//go:build linux

package x11

import (
	"context"
	"time"

	"github.com/jezek/xgb/xproto"
)

// judged notes which windows are kept away in a picture that is being made, and returns those that must not be
// read for it. Once kept away, a window is a source of stains for the session: another may show what it was.
// And two more kinds are not read, since they may still show the pixels of what was kept away there:
// a window that just stopped being that (a browser's title changes before its page does), and a frame whose app's
// window has gone, which is about to go as well.
func (f *follower) judged(d *Driver, t *tree, keptAway func(*top) bool) map[*top]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now, hidden := time.Now(), map[*top]bool{}
	for _, p := range t.tops {
		w := f.windows[p.id]
		if p.own {
			continue
		}
		hide := keptAway(p)
		if w != nil {
			w.asked, w.keptAway = true, w.keptAway || hide
			if hide {
				w.keptUntil = now
			}
			f.heed(w, !hide)
			empty := w.framed && p.client == p.id
			w.framed = w.framed || p.client != p.id
			hide = hide || empty || now.Sub(w.keptUntil) < wetTime
		}
		if hide {
			hidden[p] = true
		}
	}
	f.tend(d)
	return hidden
}

// heed says whether a window's drawing is of interest. That of a kept-away one is not: no picture shows it, a
// terminal that scrolls would keep the screen from ever being still, and its events would cost us a tenth of a
// processor. The lock is held.
func (f *follower) heed(w *watch, yes bool) {
	switch {
	case !yes && w.damage != 0:
		delete(f.damages, w.damage)
		f.ends = append(f.ends, w.damage)
		w.damage = 0
	case yes && w.damage == 0 && !w.ours:
		f.creates = append(f.creates, w)
	}
}

// stained returns the part of a window, on the root, that may still show a kept-away one. A window that nobody
// has judged, because it came and went between two pictures, counts as kept away. all says that the whole
// window is in doubt: it is newer than what is known, or not where it is known to be.
func (f *follower) stained(p *top) (part region, all bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.windows[p.id]
	if w == nil || !w.placed || w.rect != p.rect {
		return nil, true
	}
	for _, s := range w.wetStains() {
		if !s.of.asked || s.of.keptAway {
			part = append(part, s.left...)
		}
	}
	return part.moved(w.rect.Min), false
}

// doubtful says whether w still has a stain of a kept-away window. The lock is held.
func (w *watch) doubtful() bool {
	for _, s := range w.wetStains() {
		if (!s.of.asked || s.of.keptAway) && !s.left.empty() {
			return true
		}
	}
	return false
}

// redrawTime is how long an app may take to draw again when it is asked to.
const redrawTime = 150 * time.Millisecond

// redraw gives windows whose stains were painted over the time to draw themselves, and then asks those that did
// not to draw again: one whose background the server painted has no other reason to. It says whether another
// picture may show more. A window is asked once for the pixels it has, so one that hangs is waited for once.
func (d *Driver) redraw(ctx context.Context, ids []xproto.Window) (bool, error) {
	f := &d.follow
	wait, worth := f.drying(ids)
	if !worth {
		return false, nil
	}
	patience := time.NewTimer(wait)
	defer patience.Stop()
	select {
	case <-patience.C:
	case <-ctx.Done():
		return false, ctx.Err()
	case <-d.lost:
		return false, d.lostError(nil)
	}
	ids = f.unasked(ids)
	if len(ids) == 0 {
		return true, nil
	}
	if _, err := run(ctx, d, func(context.Context) (struct{}, error) { return struct{}{}, d.urge(ids) }); err != nil {
		return false, err
	}
	short, cancel := context.WithTimeout(ctx, redrawTime)
	defer cancel()
	err := f.await(short, d, func() (bool, error) {
		for _, id := range ids {
			if w := f.windows[id]; w != nil && w.doubtful() {
				return false, nil
			}
		}
		return true, nil
	})
	if ctx.Err() == nil && short.Err() != nil {
		err = nil
	}
	return true, err
}

// drying says how long until no stain counts just for being new, and whether waiting is of use.
func (f *follower) drying(ids []xproto.Window) (wait time.Duration, worth bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		if w := f.windows[id]; w != nil {
			left := wetTime - time.Since(w.born)
			wait, worth = max(wait, left), worth || left > 0 || !w.urged
		}
	}
	return wait, worth
}

// unasked returns those that are still in doubt and have not been asked to draw again yet.
func (f *follower) unasked(ids []xproto.Window) (out []xproto.Window) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		if w := f.windows[id]; w != nil && !w.urged && w.doubtful() {
			w.urged = true
			out = append(out, id)
		}
	}
	return out
}

// maxUrged bounds how many windows inside one are asked to draw.
const maxUrged = 512

// urge asks windows and all inside them to draw: the server paints their backgrounds, where they have one, and
// tells the app that they were uncovered. Nothing about them changes.
func (d *Driver) urge(ids []xproto.Window) error {
	x := d.conn.Conn
	for level := ids; len(level) > 0; {
		trees := make([]xproto.QueryTreeCookie, len(level))
		for i, id := range level {
			xproto.ClearArea(x, true, id, 0, 0, 0, 0)
			trees[i] = xproto.QueryTree(x, id)
		}
		var below []xproto.Window
		for _, t := range trees {
			if q, err := t.Reply(); err == nil {
				below = append(below, q.Children...)
			} else if d.isLost() {
				return err
			}
		}
		level = below[:min(len(below), maxUrged)]
	}
	return nil
}

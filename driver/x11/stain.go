//go:build linux

package x11

import (
	"context"
	"image"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"
)

// A window that is mapped or resized without a background of its own starts as a copy of the screen below it,
// and one that is redirected as a copy of the screen where others covered it. So until an app has drawn there,
// an allowed window may show a kept-away one's pixels. A stain is that part: where one window's pixels may
// still be another's. It is painted over in pictures when the other is kept away.
type stain struct {
	of   *watch // whose pixels they may be
	all  region // where, from the window's own top left corner
	left region // what has not been drawn on since
}

const (
	// wetTime is how long a part counts as not drawn on, whatever was: apps draw in several goes.
	wetTime = 300 * time.Millisecond
	// settleTime is how long the first picture waits at most for windows to draw what others had covered.
	settleTime = 300 * time.Millisecond
	// maxStain bounds the pieces of one stain; beyond, their frame stands for them.
	maxStain = 64
	// maxStains bounds the stains of one window, as of one that grows under many others while nobody looks.
	maxStains = 64
)

// structural says whether windows on the root changed place. The server then reports damage of its own: its copy
// into new pixels, the whole of a window that moved, and, where no compositor runs, every part that comes into
// sight, which it has to put on the screen itself. Nothing in such a report tells it from an app's drawing.
func (d *Driver) structural(ev xgb.Event) bool {
	switch ev.(type) {
	case xproto.MapNotifyEvent, xproto.UnmapNotifyEvent, xproto.ConfigureNotifyEvent, xproto.CirculateNotifyEvent,
		xproto.DestroyNotifyEvent, xproto.ReparentNotifyEvent, xfixes.SelectionNotifyEvent:
		return true
	}
	return false
}

// roughen stops drawing from counting until a fence that is put behind the event has passed, by which time the
// server has sent its own reports. An app that is quick enough to draw in between is drawn over until it draws
// again. The lock is held.
func (f *follower) roughen(d *Driver) {
	f.rough = true
	if f.smoothing {
		f.again = true
		return
	}
	f.smoothing, f.again = true, false
	f.busy.Go(func() {
		d.fences.raise(d, d.canvas.helper, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.smoothing = false
			if !f.begun {
				return
			}
			if f.again {
				f.roughen(d)
				return
			}
			f.rough = false
		})
	})
}

// inside is where a window's own drawing goes: the server itself draws the border.
func (w *watch) inside() image.Rectangle { return w.rect.Inset(w.border) }

// reborn notes that w has new pixels: copies of whatever was on the screen there. The lock is held.
func (f *follower) reborn(w *watch) {
	w.renew(time.Now())
	for _, o := range f.windows {
		if o != w && o.mapped && !o.ours {
			w.copies(o, o.rect)
		}
	}
	f.fade()
	for _, g := range f.ghosts {
		if g.of != w {
			w.copies(g.of, g.rect)
		}
	}
}

// placed takes a window's place from a list when no event told it. If it was mapped meanwhile, nobody can tell any
// more what its pixels are copies of. The lock is held.
func (f *follower) placed(w *watch, p *top) {
	if w.placed {
		return
	}
	w.place(p.rect, p.border)
	if w.mapped {
		f.reborn(w)
		w.stainBy(&watch{}, region{w.inside()})
	}
}

// copies notes that w may hold what o showed while it was at rect: its own pixels and what it was stained with.
func (w *watch) copies(o *watch, rect image.Rectangle) {
	w.stainBy(o, region{w.inside()}.clip(rect))
	for _, s := range o.wetStains() {
		w.stainBy(s.of, s.left.moved(rect.Min).clip(rect).clip(w.inside()))
	}
}

// wetStains are the stains that count now, with left as the part that does. Those that don't are forgotten.
func (w *watch) wetStains() []stain {
	wet := time.Since(w.born) < wetTime
	w.stains = slices.DeleteFunc(w.stains, func(s stain) bool { return !wet && s.left.empty() })
	out := slices.Clone(w.stains)
	for i := range out {
		if wet {
			out[i].left = out[i].all
		}
	}
	return out
}

// A ghost is where a window was until a moment ago. The screen lags behind the windows, most of all under a
// compositor, so a copy of the screen may hold one that is gone from there.
type ghost struct {
	of   *watch
	rect image.Rectangle
	at   time.Time
}

const (
	ghostTime = 500 * time.Millisecond // what a loaded compositor may lag
	maxGhosts = 256
)

// left notes that w is no longer at rect. The lock is held.
func (f *follower) left(w *watch, rect image.Rectangle) {
	if w.ours || rect.Empty() {
		return
	}
	f.fade()
	f.ghosts = append(f.ghosts, ghost{w, rect, time.Now()})
	f.uncovered(w, rect)
}

// shared says that windows have no pixels of their own but share the screen's: where one leaves, its pixels stay
// until what was below draws. The lock is held.
func (f *follower) shared() bool { return !f.begun && !f.composited }

// setComposited notes that a compositor came or went. When it goes and windows share the screen again, each of them
// begins as what the compositor had left there. The lock is held.
func (f *follower) setComposited(yes bool) {
	was := f.composited
	f.composited = yes
	if !was || !f.shared() {
		return
	}
	for _, w := range f.windows {
		if w.mapped && !w.ours {
			f.reborn(w)
		}
	}
}

// uncovered notes, where windows share the screen, that those that were below w at rect may show it still. The lock
// is held.
func (f *follower) uncovered(w *watch, rect image.Rectangle) {
	if !f.shared() {
		return
	}
	for _, o := range f.windows {
		if o != w && o.mapped && !o.ours {
			o.copies(w, rect)
		}
	}
}

// fade forgets ghosts that no screen shows any more.
func (f *follower) fade() {
	old := 0
	for old < len(f.ghosts) && (time.Since(f.ghosts[old].at) > ghostTime || len(f.ghosts)-old >= maxGhosts) {
		if of := f.ghosts[old].of; f.windows[of.id] != of {
			of.stains = nil // nothing can be a copy of it any more
		}
		old++
	}
	f.ghosts = slices.Delete(f.ghosts, 0, old)
}

func (w *watch) stainBy(o *watch, where region) {
	if where.empty() {
		return
	}
	where = where.moved(image.Point{}.Sub(w.rect.Min))
	for i := range w.stains {
		if s := &w.stains[i]; s.of == o {
			s.all = append(s.left.without(where), where...).within(maxStain)
			s.left = s.all
			return
		}
	}
	if len(w.stains) >= maxStains {
		w.merge()
	}
	w.stains = append(w.stains, stain{of: o, all: where, left: where})
}

// merge makes one stain of all, of a window that nobody has judged and so counts as kept away.
func (w *watch) merge() {
	var all region
	for _, s := range w.stains {
		all = append(all, s.all...)
	}
	all = region{all.bounds()}
	w.stains = append(w.stains[:0], stain{of: &watch{}, all: all, left: all})
}

// redirected notes what Begin did: without a compositor every window got pixels of its own just now, and those
// that others covered are theirs. The lock is held.
func (f *follower) redirected(t *tree) {
	now := time.Now()
	if f.composited {
		f.settled = now // it had redirected them all along
	}
	for i, p := range t.tops {
		w := f.windows[p.id]
		if w.born.IsZero() {
			w.born = now.Add(-wetTime)
		}
		if w.ours || f.composited {
			continue
		}
		for _, over := range t.tops[i+1:] {
			if part := (region{w.inside()}).clip(over.rect); !part.empty() {
				w.renew(now)
				w.stainBy(f.windows[over.id], part)
			}
		}
	}
}

// renew notes that w has new pixels. What was drawn in the old ones stays drawn.
func (w *watch) renew(at time.Time) {
	w.stains = w.wetStains()
	for i := range w.stains {
		w.stains[i].all = w.stains[i].left
	}
	w.born, w.urged = at, false
}

// painted notes that the app drew on area, which counts from the window's inside.
func (w *watch) painted(area image.Rectangle) {
	if len(w.stains) == 0 {
		return
	}
	area = area.Add(image.Pt(w.border, w.border))
	for i := range w.stains {
		w.stains[i].left = w.stains[i].left.minus(area).within(maxStain)
	}
}

// within keeps a region's pieces few.
func (r region) within(n int) region {
	if len(r) <= n {
		return r
	}
	return region{r.bounds()}
}

// settle waits, in a session's first pictures, until windows have drawn what others covered when Begin gave
// them pixels of their own, but not for ever: a window that hangs never will.
func (f *follower) settle(ctx context.Context, d *Driver) error {
	f.mu.Lock()
	until := f.settled
	f.mu.Unlock()
	wait := time.Until(until)
	if wait <= 0 {
		return nil
	}
	short, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	err := f.await(short, d, func() (bool, error) {
		for _, w := range f.windows {
			if w.ours || w.born.Before(f.since) {
				continue
			}
			for _, s := range w.stains {
				if !s.left.empty() {
					return false, nil
				}
			}
		}
		return true, nil
	})
	if ctx.Err() == nil && short.Err() != nil {
		return nil
	}
	return err
}

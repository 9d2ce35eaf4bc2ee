//go:build linux

package x11

import (
	"context"
	"image"
	"sync"
	"time"

	"conch/driver"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"
)

// follower counts changes of the screen between Begin and End, and knows of each top-level window how old its
// pixels are and of whose they may be copies (see stain.go). Where windows are it knows at all times: one that
// opened over a kept-away window an hour before Begin may show it still.
//
// Between Begin and End each top-level window but ours has an XDamage object, never the root: our own edge turns
// on it all the time. The level is raw rectangles: one event for each drawing request. The other levels keep silent
// about what was drawn where something had been drawn before, until they are answered; so they lose the drawing
// between the server's own copy into a new window and the answer, which is just what a stain waits for.
type follower struct {
	mu      sync.Mutex // guards all below
	begun   bool
	n       uint64
	since   time.Time     // when it began
	wake    chan struct{} // closed at the next event; nil when nobody waits
	windows map[xproto.Window]*watch
	damages map[damage.Damage]*watch
	spare   []damage.Damage // ids that can be used again
	settled time.Time       // when pictures may be taken at the latest
	creates []*watch        // wait for their damage object
	ends    []damage.Damage // wait to be ended
	tending bool            // a goroutine tends creates and unknown windows
	unknown bool            // some window's owner is not known yet

	ghosts []ghost // what the screen may still show

	composited bool // a compositor runs
	rough      bool // windows were just moved about: damage need not be drawing, see stain.go
	smoothing  bool // a fence is under way that may end that…
	again      bool // …unless they were moved once more

	sending sync.Mutex     // held while the requests for creates are sent
	busy    sync.WaitGroup // goroutines of this session
}

// watch is one top-level window.
type watch struct {
	id       xproto.Window
	damage   damage.Damage // 0 none
	fresh    bool          // its first report is not in yet: that is the whole window, drawn on or not
	rect     image.Rectangle
	border   int
	placed   bool // rect is where it is: an event told, or a list that was read while nothing could move
	mapped   bool
	known    bool // whose it is has been asked
	ours     bool
	changed  bool      // it changed while that was unknown
	drawn    time.Time // when it changed last
	caret    caret
	born     time.Time // when it got the pixels it has: mapped, resized, redirected
	stains   []stain
	asked    bool // a rule has said whether it is kept away…
	keptAway bool // …and it was, in some picture of this session

	keptUntil time.Time // the last picture that it was kept away in
	framed    bool      // a frame: it held an app's window
	urged     bool      // asked to draw the pixels it has again
}

func (f *follower) on() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.begun
}

func (f *follower) count() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// Changed returns how often the screen changed, once that is more than seen, or ctx's error and the count so far.
func (d *Driver) Changed(ctx context.Context, seen uint64) (uint64, error) {
	if err := d.begun(ctx); err != nil {
		return d.follow.count(), err
	}
	n := uint64(0)
	err := d.follow.await(ctx, d, func() (bool, error) {
		n = d.follow.n
		if n > seen {
			return true, nil
		}
		if !d.follow.begun {
			return false, driver.ErrNotBegun
		}
		return false, nil
	})
	return n, err
}

// await returns once is, which is asked under the lock after each event, says yes or fails.
func (f *follower) await(ctx context.Context, d *Driver, is func() (bool, error)) error {
	for {
		f.mu.Lock()
		done, err := is()
		if f.wake == nil {
			f.wake = make(chan struct{})
		}
		wake := f.wake
		f.mu.Unlock()
		if done || err != nil {
			return err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		case <-d.lost:
			return d.lostError(nil)
		}
	}
}

// drawn is when a window changed last, as far as is known; the zero value when nothing is.
func (f *follower) drawn(id xproto.Window) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.windows[id]
	switch {
	case w == nil || !f.begun:
		return time.Time{}
	case w.drawn.Before(f.since):
		return f.since
	}
	return w.drawn
}

// stir wakes whoever waits. The lock is held.
func (f *follower) stir() {
	if f.wake != nil {
		close(f.wake)
		f.wake = nil
	}
}

// touch counts a change of w. The lock is held.
func (f *follower) touch(w *watch) {
	w.drawn = time.Now()
	switch {
	case !w.known:
		w.changed = true
	case !w.ours:
		f.n++
	}
	f.stir()
}

// event takes one event from the reader. It sends nothing: the reader must never wait for the server.
func (f *follower) event(d *Driver, ev xgb.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.begun && d.structural(ev) {
		f.roughen(d)
	}
	root := d.conn.Screen.Root
	switch ev := ev.(type) {
	case damage.NotifyEvent:
		f.damaged(ev)
	case xproto.CreateNotifyEvent:
		if ev.Parent == root {
			f.add(d, ev.Window).place(outer(ev.X, ev.Y, ev.Width, ev.Height, ev.BorderWidth), int(ev.BorderWidth))
		}
	case xproto.MapNotifyEvent:
		f.mapped(d, ev.Window)
	case xproto.UnmapNotifyEvent:
		if w := f.windows[ev.Window]; w != nil && w.mapped {
			f.left(w, w.rect)
			w.mapped = false
			f.touch(w)
		}
	case xproto.ConfigureNotifyEvent:
		f.configured(root, ev)
	case xproto.CirculateNotifyEvent:
		if w := f.windows[ev.Window]; w != nil && w.mapped {
			if f.shared() {
				f.reborn(w)
			}
			f.uncovered(w, w.rect)
			f.touch(w)
		}
	case xproto.ReparentNotifyEvent:
		if ev.Parent == root {
			f.add(d, ev.Window) // how large it is, no event says
		} else {
			f.remove(d, ev.Window, true)
			if w := f.windows[ev.Parent]; w != nil {
				w.framed = true
			}
		}
	case xproto.DestroyNotifyEvent:
		f.remove(d, ev.Window, false)
	case xproto.PropertyNotifyEvent:
		if ev.Window == root && (ev.Atom == d.atoms.rootPixmap || ev.Atom == d.atoms.esetroot) {
			f.n++
			f.stir()
		}
	case xfixes.SelectionNotifyEvent:
		if ev.Selection == d.atoms.compositor {
			f.setComposited(ev.Subtype == xfixes.SelectionEventSetSelectionOwner && ev.Owner != xproto.WindowNone)
			f.n++
			f.stir()
		}
	case randr.ScreenChangeNotifyEvent, randr.NotifyEvent:
		f.n++
		f.stir()
	}
}

func outer(x, y int16, w, h, border uint16) image.Rectangle {
	return image.Rect(0, 0, int(w)+2*int(border), int(h)+2*int(border)).Add(image.Pt(int(x), int(y)))
}

// add starts watching a window. Its damage object is made before it is mapped where that can be, so that the
// first thing it draws is seen. The lock is held.
func (f *follower) add(d *Driver, id xproto.Window) *watch {
	w := f.windows[id]
	if w == nil {
		w = &watch{id: id}
		f.windows[id] = w
		if f.begun {
			f.creates = append(f.creates, w)
			f.tend(d)
		}
	}
	return w
}

func (f *follower) mapped(d *Driver, id xproto.Window) {
	w := f.windows[id]
	if w == nil {
		return // some deeper window of ours
	}
	w.mapped = true
	f.reborn(w)
	f.touch(w)
	if !w.known {
		f.unknown = true
		f.tend(d)
	}
}

func (f *follower) configured(root xproto.Window, ev xproto.ConfigureNotifyEvent) {
	if ev.Window == root {
		f.n++
		f.stir()
		return
	}
	w := f.windows[ev.Window]
	if w == nil {
		return
	}
	old, placed := w.rect, w.placed
	w.place(outer(ev.X, ev.Y, ev.Width, ev.Height, ev.BorderWidth), int(ev.BorderWidth))
	if !w.mapped {
		return
	}
	if old != w.rect {
		f.left(w, old)
	}
	if !placed || old.Size() != w.rect.Size() || f.shared() {
		f.reborn(w) // or raised, which uncovers it as well
	}
	f.uncovered(w, w.rect) // or lowered
	f.touch(w)
}

// remove stops watching a window; alive says that it only went elsewhere, as into a frame. The lock is held.
func (f *follower) remove(d *Driver, id xproto.Window, alive bool) {
	w := f.windows[id]
	if w == nil {
		return
	}
	delete(f.windows, id)
	if w.mapped {
		f.left(w, w.rect)
		w.mapped = false
		f.touch(w)
	}
	if w.damage == 0 {
		return
	}
	delete(f.damages, w.damage)
	if alive {
		f.ends = append(f.ends, w.damage)
		f.tend(d)
	} else {
		f.spare = append(f.spare, w.damage) // the server ended it with the window
	}
	w.damage = 0
}

func (w *watch) place(rect image.Rectangle, border int) {
	w.rect, w.border, w.placed = rect, border, true
}

// damaged takes note of something drawn. The lock is held.
func (f *follower) damaged(ev damage.NotifyEvent) {
	w := f.damages[ev.Damage]
	if w == nil || w.fresh {
		return
	}
	area := image.Rect(0, 0, int(ev.Area.Width), int(ev.Area.Height)).Add(image.Pt(int(ev.Area.X), int(ev.Area.Y)))
	if w.caret.blinks(area, time.Now()) {
		return
	}
	if !f.rough {
		w.painted(area)
	}
	f.touch(w)
}

// caret is the last small rectangle of a window that changed.
type caret struct {
	spot     image.Rectangle
	at       time.Time
	blinking bool
}

const (
	caretWidth  = 24
	caretHeight = 64
	blinkAtMost = 250 * time.Millisecond // no caret blinks faster
	oneBlink    = 50 * time.Millisecond  // the requests that draw one blink come within this
)

// blinks says whether a change is a caret at work: the very same small place as last time, after a while. The
// first time counts, since a character that was typed looks the same.
func (c *caret) blinks(area image.Rectangle, now time.Time) bool {
	if !small(area) {
		return false
	}
	gap, same := now.Sub(c.at), area.In(c.spot)
	switch {
	case same && gap >= blinkAtMost:
		c.at, c.blinking = now, true
	case same && gap < oneBlink:
	case gap < oneBlink && small(c.spot.Union(area)):
		c.spot, c.blinking = c.spot.Union(area), false
	default:
		*c = caret{spot: area, at: now}
	}
	return c.blinking
}

func small(r image.Rectangle) bool { return r.Dx() <= caretWidth && r.Dy() <= caretHeight }

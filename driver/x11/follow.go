//go:build linux

package x11

import (
	"context"
	"errors"
	"image"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
)

// follower counts changes of the screen between Begin and End, and knows of each top-level window how old its
// pixels are (see stain.go).
//
// Each top-level window but ours has an XDamage object, never the root: our own edge turns on it all the time.
// The level is delta rectangles: one event for each part that was not damaged yet, then silence until it is
// subtracted. So a window that draws without pause costs at most one answer each pace, where raw rectangles
// would send one for every drawing request, and a blinking caret still comes as the same small rectangle
// each time, which a bounding box would hide.
type follower struct {
	mu      sync.Mutex // guards all below
	begun   bool
	n       uint64
	wake    chan struct{} // closed at the next event; nil when nobody waits
	windows map[xproto.Window]*watch
	damages map[damage.Damage]*watch
	spare   []damage.Damage // ids that can be used again
	settled time.Time       // when pictures may be taken at the latest
	creates []*watch        // wait for their damage object
	owed    []*watch        // wait for their damage to be subtracted
	flushed bool            // a timer for owed runs
	tending bool            // a goroutine tends creates and unknown windows
	unknown bool            // some window's owner is not known yet

	sending sync.Mutex     // held while requests that were taken from creates or owed are sent
	busy    sync.WaitGroup // goroutines of this session
}

// watch is one top-level window.
type watch struct {
	id       xproto.Window
	damage   damage.Damage // 0 none
	rect     image.Rectangle
	border   int
	mapped   bool
	known    bool // whose it is has been asked
	ours     bool
	changed  bool // it changed while that was unknown
	owed     bool
	caret    image.Rectangle
	caretAt  time.Time
	born     time.Time // when it got the pixels it has: mapped, resized, redirected
	stains   []stain
	asked    bool // a rule has said whether it is kept away…
	keptAway bool // …and it was, in some picture of this session
}

// pace is the least time between two answers to one window's damage: twice the rate of a usual screen.
const pace = 8 * time.Millisecond

var errEnded = errors.New("the screen is no longer followed")

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
	if err := d.Begin(ctx); err != nil {
		return d.follow.count(), err
	}
	n := uint64(0)
	err := d.follow.await(ctx, d, func() (bool, error) {
		n = d.follow.n
		if n > seen {
			return true, nil
		}
		if !d.follow.begun {
			return false, errEnded
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

// stir wakes whoever waits. The lock is held.
func (f *follower) stir() {
	if f.wake != nil {
		close(f.wake)
		f.wake = nil
	}
}

// touch counts a change of w. The lock is held.
func (f *follower) touch(w *watch) {
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
	if !f.begun {
		return
	}
	root := d.conn.Screen.Root
	switch ev := ev.(type) {
	case damage.NotifyEvent:
		f.damaged(d, ev)
	case xproto.CreateNotifyEvent:
		if ev.Parent == root {
			f.add(d, ev.Window, outer(ev.X, ev.Y, ev.Width, ev.Height, ev.BorderWidth), int(ev.BorderWidth))
		}
	case xproto.MapNotifyEvent:
		f.mapped(d, ev.Window)
	case xproto.UnmapNotifyEvent:
		if w := f.windows[ev.Window]; w != nil && w.mapped {
			w.mapped = false
			f.touch(w)
		}
	case xproto.ConfigureNotifyEvent:
		f.configured(root, ev)
	case xproto.CirculateNotifyEvent:
		if w := f.windows[ev.Window]; w != nil && w.mapped {
			f.touch(w)
		}
	case xproto.ReparentNotifyEvent:
		if ev.Parent == root {
			f.add(d, ev.Window, image.Rectangle{}, 0) // its place comes with the map
		} else {
			f.remove(ev.Window, true)
		}
	case xproto.DestroyNotifyEvent:
		f.remove(ev.Window, false)
	case xproto.PropertyNotifyEvent:
		if ev.Window == root && (ev.Atom == d.atoms.rootPixmap || ev.Atom == d.atoms.esetroot) {
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
func (f *follower) add(d *Driver, id xproto.Window, rect image.Rectangle, border int) *watch {
	w := f.windows[id]
	if w == nil {
		w = &watch{id: id, rect: rect, border: border}
		f.windows[id] = w
		f.creates = append(f.creates, w)
		f.tend(d)
	}
	return w
}

func (f *follower) mapped(d *Driver, id xproto.Window) {
	w := f.windows[id]
	if w == nil {
		return // some deeper window of ours
	}
	w.mapped = true
	f.reborn(w, image.Rectangle{})
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
	old := w.rect
	w.rect, w.border = outer(ev.X, ev.Y, ev.Width, ev.Height, ev.BorderWidth), int(ev.BorderWidth)
	if !w.mapped {
		return
	}
	if old.Size() != w.rect.Size() {
		f.reborn(w, old)
	}
	f.touch(w)
}

// remove stops watching a window; alive says that it only went elsewhere. The lock is held.
func (f *follower) remove(id xproto.Window, alive bool) {
	w := f.windows[id]
	if w == nil {
		return
	}
	delete(f.windows, id)
	if w.mapped {
		w.mapped = false
		f.touch(w)
	}
	if w.damage != 0 && !alive {
		// The server has ended it with the window. One that lives on keeps reporting to nobody until End.
		delete(f.damages, w.damage)
		f.spare = append(f.spare, w.damage)
		w.damage = 0
	}
}

// damaged takes note of something drawn. The lock is held.
func (f *follower) damaged(d *Driver, ev damage.NotifyEvent) {
	w := f.damages[ev.Damage]
	if w == nil {
		return
	}
	now := time.Now()
	if !w.owed {
		w.owed = true
		f.owed = append(f.owed, w)
		if !f.flushed {
			f.flushed = true
			f.busy.Add(1)
			time.AfterFunc(pace, func() {
				defer f.busy.Done()
				f.flush(d)
			})
		}
	}
	area := image.Rect(0, 0, int(ev.Area.Width), int(ev.Area.Height)).Add(image.Pt(int(ev.Area.X), int(ev.Area.Y)))
	if w.blinks(area, now) {
		return
	}
	w.painted(area)
	f.touch(w)
}

// A caret is a small rectangle that is drawn over and over at the same place, no faster than this.
const (
	caretWidth  = 24
	caretHeight = 64
	blinkAtMost = 250 * time.Millisecond
)

// blinks says whether a change is a caret at work: the very same small rectangle as last time, after a while.
// The first time counts, since a character that was typed looks the same.
func (w *watch) blinks(area image.Rectangle, now time.Time) bool {
	if area.Dx() > caretWidth || area.Dy() > caretHeight {
		return false
	}
	same := w.caret == area && now.Sub(w.caretAt) >= blinkAtMost
	w.caret, w.caretAt = area, now
	return same
}

// flush subtracts what is owed, so that the next drawing is told again.
func (f *follower) flush(d *Driver) {
	f.sending.Lock()
	defer f.sending.Unlock()
	f.mu.Lock()
	f.flushed = false
	var ids []damage.Damage
	for _, w := range f.owed {
		w.owed = false
		if w.damage != 0 {
			ids = append(ids, w.damage)
		}
	}
	f.owed = f.owed[:0]
	f.mu.Unlock()
	for _, id := range ids {
		damage.Subtract(d.conn.Conn, id, 0, 0)
	}
}

// sync answers all damage that has been counted, and returns the count: whatever is drawn after that is told,
// so a picture that is taken now can be compared with a later count.
func (f *follower) sync(d *Driver) uint64 {
	f.flush(d)
	return f.count()
}

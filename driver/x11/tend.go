//go:build linux

package x11

import (
	"io"
	"maps"
	"slices"
	"time"

	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/xproto"
)

// start begins a session: drawing in every window there is gets watched.
func (f *follower) start(d *Driver) error {
	err := f.listHeld(d, func(t *tree) {
		f.begun, f.since = true, time.Now()
		f.damages = map[damage.Damage]*watch{}
		f.settled = time.Now().Add(settleTime)
		f.creates = f.creates[:0]
		for _, w := range f.windows {
			w.fresh, w.changed, w.urged, w.caret = false, false, false, caret{}
			f.creates = append(f.creates, w)
		}
		f.meet(t)
		f.redirected(t)
		f.n++ // whatever was known of the screen before is old
	})
	if err != nil {
		f.stop(d)
		return err
	}
	f.create(d)
	return d.pass(d.fence()) // the first reports are in
}

// open learns which windows there are, from when on events tell. Their first event may already be in.
func (f *follower) open(d *Driver) error { return f.listHeld(d, f.meet) }

// listHeld lists the windows and calls then, under the lock. The server is held until the list is read, so that it
// and what events tell fit together: all that happened before it is in f, and nothing that comes after.
func (f *follower) listHeld(d *Driver, then func(*tree)) error {
	x := d.conn.Conn
	xproto.GrabServer(x)
	defer xproto.UngrabServer(x)
	fence := d.fence()
	kids := xproto.QueryTree(x, d.conn.Screen.Root)
	t, err := d.readTree()
	if err != nil {
		return err
	}
	q, err := kids.Reply()
	if err != nil {
		return err
	}
	if err := d.pass(fence); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.composited = t.compositor
	maps.DeleteFunc(f.windows, func(id xproto.Window, _ *watch) bool { return !slices.Contains(q.Children, id) })
	for _, id := range q.Children {
		f.add(d, id)
	}
	for _, p := range t.tops {
		w := f.windows[p.id]
		if w == nil {
			continue // it went between the two lists, which a held server rules out
		}
		f.placed(w, p)
		w.mapped = true
	}
	then(t)
	return nil
}

// pass waits for a fence.
func (d *Driver) pass(fence <-chan struct{}) error {
	select {
	case <-fence:
		return nil
	case <-d.lost:
		return io.EOF
	}
}

// stop ends the session and everything that was made for it. Where windows are and what they may show stays known.
func (f *follower) stop(d *Driver) {
	f.mu.Lock()
	f.begun = false
	for id, w := range f.damages {
		f.ends, w.damage = append(f.ends, id), 0
	}
	f.damages, f.creates, f.unknown = nil, nil, false
	f.stir()
	f.mu.Unlock()
	f.busy.Wait()
	f.create(d)
}

// meet learns from a list of windows whose they are. One that is not watched any more has gone since the list
// was made. Nor does the list count for where the others are, since they may have moved since: events tell that.
// It only stands in where none did; an event that is still under way then corrects it. The lock is held.
func (f *follower) meet(t *tree) {
	for _, p := range t.tops {
		w := f.windows[p.id]
		if w == nil {
			continue
		}
		w.known = true
		f.placed(w, p)
		if w.ours = p.own; w.ours {
			f.heed(w, false)
		}
		if w.changed {
			w.changed = false
			f.touch(w)
		}
	}
}

// tend makes damage objects and asks whose new windows are, on a goroutine of its own: the reader that finds
// out about them must not wait. The lock is held.
func (f *follower) tend(d *Driver) {
	if f.tending || !f.begun || (len(f.creates) == 0 && len(f.ends) == 0 && !f.unknown) {
		return
	}
	f.tending = true
	f.busy.Go(func() {
		for f.tendOnce(d) {
		}
	})
}

func (f *follower) tendOnce(d *Driver) (more bool) {
	f.create(d)
	f.mu.Lock()
	ask := f.unknown && f.begun
	f.unknown = false
	f.mu.Unlock()
	if ask {
		t, err := d.readTree()
		f.mu.Lock()
		if err == nil && f.begun {
			f.meet(t)
		}
		f.mu.Unlock()
	}
	f.create(d)
	f.mu.Lock()
	defer f.mu.Unlock()
	more = f.begun && !d.isLost() && (len(f.creates) > 0 || len(f.ends) > 0 || f.unknown)
	f.tending = more
	return more
}

// create makes the damage objects that are waited for, and ends those that nobody needs any more.
func (f *follower) create(d *Driver) {
	f.sending.Lock()
	defer f.sending.Unlock()
	f.mu.Lock()
	made, ids := f.take(d)
	ended := f.ends
	f.ends = nil
	f.mu.Unlock()
	for i, w := range made {
		damage.Create(d.conn.Conn, ids[i], xproto.Drawable(w.id), damage.ReportLevelRawRectangles)
	}
	if len(made) > 0 {
		d.fences.raise(d, d.canvas.helper, func() { f.reported(made) })
	}
	for _, id := range ended {
		damage.Destroy(d.conn.Conn, id)
	}
	f.mu.Lock()
	f.spare = append(f.spare, ended...)
	f.mu.Unlock()
}

// take gives an id to each window that waits for a damage object. The lock is held.
func (f *follower) take(d *Driver) (made []*watch, ids []damage.Damage) {
	for _, w := range f.creates {
		if f.windows[w.id] != w || w.ours || w.damage != 0 {
			continue
		}
		id := damage.Damage(0)
		if n := len(f.spare); n > 0 {
			id, f.spare = f.spare[n-1], f.spare[:n-1]
		} else if id, _ = damage.NewDamageId(d.conn.Conn); id == 0 {
			continue // the connection is going
		}
		w.damage, w.fresh = id, true
		f.damages[id] = w
		made, ids = append(made, w), append(ids, id)
	}
	f.creates = f.creates[:0]
	return made, ids
}

// reported notes that the first reports of new damage objects are in. Each is the whole window, whether or not
// anything was drawn, so what was drawn meanwhile can't be told from it, and counts as one change.
func (f *follower) reported(made []*watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range made {
		w.fresh = false
		if w.mapped && f.begun && f.windows[w.id] == w {
			f.touch(w) // for what was drawn before
		}
	}
}

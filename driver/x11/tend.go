//go:build linux

package x11

import (
	"time"

	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/xproto"
)

// start begins a session: every window there is gets watched.
func (f *follower) start(d *Driver) error {
	f.mu.Lock()
	f.begun = true
	f.windows, f.damages = map[xproto.Window]*watch{}, map[damage.Damage]*watch{}
	f.settled = time.Now().Add(settleTime)
	f.mu.Unlock()
	t, err := d.readTree()
	if err != nil {
		f.stop(d)
		return err
	}
	f.mu.Lock()
	f.meet(t)
	f.redirected(t)
	f.n++ // whatever was known of the screen before is old
	f.mu.Unlock()
	f.create(d)
	select {
	case <-d.fence(): // the first reports are in
	case <-d.lost:
	}
	return nil
}

// stop ends the session and everything that was made for it.
func (f *follower) stop(d *Driver) {
	f.mu.Lock()
	f.begun = false
	gone := f.damages
	f.windows, f.damages, f.creates, f.unknown = nil, nil, nil, false
	f.stir()
	f.mu.Unlock()
	f.busy.Wait()
	f.sending.Lock()
	defer f.sending.Unlock()
	for id := range gone {
		damage.Destroy(d.conn.Conn, id)
		f.spare = append(f.spare, id)
	}
}

// meet learns from a list of windows whose they are. The lock is held.
func (f *follower) meet(t *tree) {
	for _, p := range t.tops {
		w := f.windows[p.id]
		if w == nil {
			w = &watch{id: p.id}
			f.windows[p.id] = w
			f.creates = append(f.creates, w)
		}
		if !w.mapped || !w.known {
			w.rect, w.border, w.mapped = p.rect, p.border, true
		}
		w.ours = p.own
		if !w.known {
			w.known = true
			if w.changed {
				w.changed = false
				f.touch(w)
			}
		}
	}
}

// tend makes damage objects and asks whose new windows are, on a goroutine of its own: the reader that finds
// out about them must not wait. The lock is held.
func (f *follower) tend(d *Driver) {
	if f.tending || !f.begun || (len(f.creates) == 0 && !f.unknown) {
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
	more = f.begun && !d.isLost() && (len(f.creates) > 0 || f.unknown)
	f.tending = more
	return more
}

// create makes the damage objects that are waited for, and ends those of windows that turned out to be ours.
func (f *follower) create(d *Driver) {
	f.sending.Lock()
	defer f.sending.Unlock()
	var made, ended []*watch
	f.mu.Lock()
	for _, w := range f.creates {
		if f.windows[w.id] != w || w.ours || w.damage != 0 {
			continue
		}
		if len(f.spare) > 0 {
			w.damage, f.spare = f.spare[len(f.spare)-1], f.spare[:len(f.spare)-1]
		} else if id, err := damage.NewDamageId(d.conn.Conn); err == nil {
			w.damage = id
		} else {
			continue
		}
		f.damages[w.damage], w.fresh = w, true
		made = append(made, w)
	}
	f.creates = f.creates[:0]
	for id, w := range f.damages {
		if w.ours {
			delete(f.damages, id)
			ended = append(ended, w)
		}
	}
	f.mu.Unlock()
	for _, w := range made {
		damage.Create(d.conn.Conn, w.damage, xproto.Drawable(w.id), damage.ReportLevelRawRectangles)
	}
	if len(made) > 0 {
		d.fences.raise(d, d.canvas.helper, func() { f.reported(made) })
	}
	for _, w := range ended {
		damage.Destroy(d.conn.Conn, w.damage)
		f.mu.Lock()
		f.spare = append(f.spare, w.damage)
		w.damage = 0
		f.mu.Unlock()
	}
}

// reported notes that the first reports of new damage objects are in. Each is the whole window, whether or not
// anything was drawn, so what was drawn meanwhile can't be told from it, and counts as one change.
func (f *follower) reported(made []*watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range made {
		w.fresh, w.copied = false, false
		if w.mapped && f.begun && f.windows[w.id] == w {
			f.touch(w)
		}
	}
}

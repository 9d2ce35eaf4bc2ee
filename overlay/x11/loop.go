//go:build linux

package x11

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"

	"conch/driver"
	"conch/driver/x11/xraw"
	"conch/overlay"
)

// inbox holds what the connections heard until the loop gets to it. Adding never blocks: a connection whose
// events nobody takes would hold up its answers too.
type inbox struct {
	mu   sync.Mutex
	all  []any
	wake chan struct{}
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// add appends an event. One that only says that something changed is left out when the last one waiting says
// the same, and a newer place of the pointer replaces an older one.
func (i *inbox) add(e any) {
	i.mu.Lock()
	n := len(i.all)
	switch now := e.(type) {
	case stackMoved, screenMoved, keymapMoved, devicesMoved:
		if n == 0 || i.all[n-1] != e {
			i.all = append(i.all, e)
		}
	case heard:
		if last, ok := lastHeard(i.all); ok && now.Type == xraw.Motion && last.Type == xraw.Motion {
			i.all[n-1] = e
			break
		}
		i.all = append(i.all, e)
	default:
		i.all = append(i.all, e)
	}
	i.mu.Unlock()
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

func lastHeard(all []any) (heard, bool) {
	if len(all) == 0 {
		return heard{}, false
	}
	h, ok := all[len(all)-1].(heard)
	return h, ok
}

func (i *inbox) take() []any {
	i.mu.Lock()
	defer i.mu.Unlock()
	all := i.all
	i.all = nil
	return all
}

// What the inbox carries, apart from heard (input.go).
type (
	stackMoved   struct{} // some window may lie above ours now
	screenMoved  struct{} // monitors, the root's size or the compositor changed
	keymapMoved  struct{}
	exposed      struct{ window xproto.Window }
	grabPressed  struct{ time xproto.Timestamp } // the passive grab fired
	devicesMoved struct{}
	connLost     struct{ err error }
)

// pump turns the connection's events into the inbox's until the connection ends.
func (d *Desktop) pump() {
	for {
		ev, xerr := d.conn.WaitForEvent()
		if ev == nil && xerr == nil {
			d.in.add(connLost{errors.New("the X server has closed the connection")})
			return
		}
		if e := d.translate(d.x.Decode(ev)); e != nil {
			d.in.add(e)
		}
	}
}

func (d *Desktop) translate(ev xgb.Event) any {
	root := d.screen.Root
	switch e := ev.(type) {
	case xproto.ExposeEvent:
		if e.Count == 0 {
			return exposed{e.Window}
		}
	case xproto.VisibilityNotifyEvent:
		if e.State != xproto.VisibilityUnobscured {
			return stackMoved{}
		}
	case xproto.ConfigureNotifyEvent:
		if e.Window == root {
			return screenMoved{}
		}
		if !d.ours(e.Window) {
			return stackMoved{}
		}
	case xproto.MapNotifyEvent:
		if !d.ours(e.Window) {
			return stackMoved{}
		}
	case xproto.ReparentNotifyEvent, xproto.CirculateNotifyEvent:
		return stackMoved{}
	case xproto.MappingNotifyEvent:
		if e.Request != xproto.MappingPointer {
			return keymapMoved{}
		}
	case xproto.KeyPressEvent:
		return grabPressed{e.Time}
	case randr.ScreenChangeNotifyEvent, randr.NotifyEvent, xfixes.SelectionNotifyEvent:
		return screenMoved{}
	}
	return nil
}

// loop owns all of loopState. It ends on quit.
func (d *Desktop) loop() {
	defer close(d.done)
	defer d.drop()
	defer d.stopTimers()
	for d.lost == nil {
		var out chan<- overlay.Event
		var first overlay.Event
		if len(d.pending) > 0 {
			out, first = d.events, d.pending[0]
		}
		var tick, later <-chan time.Time
		if d.ticker != nil {
			tick = d.ticker.C
		}
		if d.later != nil {
			later = d.later.C
		}
		select {
		case <-d.quit:
			return
		case f := <-d.calls:
			f()
		case out <- first:
			d.pending = d.pending[1:]
		case <-d.in.wake:
			for _, e := range d.in.take() {
				d.handle(e)
			}
		case <-d.raw.Done():
			d.handle(connLost{d.raw.Err()})
		case now := <-tick:
			d.frame(now)
		case <-later:
			d.later = nil
			d.keepAbove()
		}
	}
	// If only one of the two connections broke, nothing may stay on the screen through the other.
	d.x.Close()
	d.waitForQuit()
}

// waitForQuit answers every call with the loss once the server is gone, and still tells of it.
func (d *Desktop) waitForQuit() {
	for {
		var out chan<- overlay.Event
		var first overlay.Event
		if len(d.pending) > 0 {
			out, first = d.events, d.pending[0]
		}
		select {
		case <-d.quit:
			return
		case f := <-d.calls:
			f()
		case out <- first:
			d.pending = d.pending[1:]
		}
	}
}

func (d *Desktop) stopTimers() {
	if d.ticker != nil {
		d.ticker.Stop()
	}
	if d.later != nil {
		d.later.Stop()
	}
}

func (d *Desktop) handle(e any) {
	switch e := e.(type) {
	case stackMoved:
		d.keepAbove()
	case screenMoved:
		d.screensMoved()
	case keymapMoved:
		d.keymapMoved()
	case exposed:
		d.exposed(e.window)
	case grabPressed:
		d.grabPressed(e.time)
	case devicesMoved:
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_ = d.learnDevices(ctx) // the old list stands: an unknown device counts as a person's
		cancel()
	case heard:
		d.heard(e)
	case connLost:
		if d.lost == nil {
			d.lost = &driver.Unready{
				Why: driver.WhyLost, Say: "The screen went away.", Next: "Open Conch again once your desktop is back.", Err: e.err,
			}
			d.emit(overlay.Lost{Err: d.lost})
		}
	}
}

// emit queues an event for the overlay.
func (d *Desktop) emit(e overlay.Event) { d.pending = overlay.Queue(d.pending, e) }

// Events brings what the person does to the card and the Stop key, and what happens to the screen.
func (d *Desktop) Events() <-chan overlay.Event { return d.events }

var errClosed = errors.New("the X display is closed")

// ask runs f on the loop's goroutine and returns what it returns, or when ctx ends; f may run even so, which is
// why its answer comes through a channel and not through a variable of the caller's.
func ask[T any](ctx context.Context, d *Desktop, f func() (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	var none T
	out := make(chan answer, 1)
	select {
	case d.calls <- func() {
		if d.lost != nil {
			out <- answer{none, d.lost}
			return
		}
		v, err := f()
		out <- answer{v, err}
	}:
	case <-d.done:
		return none, errClosed
	case <-ctx.Done():
		return none, ctx.Err()
	}
	select {
	case a := <-out:
		return a.v, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// call is ask for what has no answer.
func (d *Desktop) call(ctx context.Context, f func() error) error {
	_, err := ask(ctx, d, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

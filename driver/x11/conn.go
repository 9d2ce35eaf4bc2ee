//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"conch/driver"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// run does f, which talks to the server, and returns when it is done, ctx ends or the server is gone. A server
// that some program holds does not answer; then f's goroutine stays until the server goes on or we hang up.
func run[T any](ctx context.Context, d *Driver, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if d.isLost() {
		return none, d.lostError(nil)
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("x11: %v\n%s", p, debug.Stack())
			}
			done <- r
		}()
		r.v, r.err = f(ctx)
	}()
	select {
	case r := <-done:
		if r.err != nil && (errors.Is(r.err, io.EOF) || d.isLost()) {
			return r.v, d.lostError(r.err)
		}
		return r.v, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

func (d *Driver) isLost() bool {
	select {
	case <-d.lost:
		return true
	default:
		return false
	}
}

func (d *Driver) lostError(err error) error { return serverGone(err) }

// serverGone says for a person that the display server has ended.
func serverGone(err error) error {
	var u *driver.Unready
	if errors.As(err, &u) {
		return err
	}
	return &driver.Unready{
		Why: driver.WhyLost, Say: "The screen went away: its display server ended.",
		Next: "Sign in again, then start Conch again.", Err: err,
	}
}

func lostServer(err error) bool {
	var u *driver.Unready
	return errors.As(err, &u) && u.Why == driver.WhyLost
}

// pump reads every event, always: xgb's queue holds up all answers once it is full.
func (d *Driver) pump() {
	defer close(d.pumped)
	defer close(d.lost)
	for {
		ev, xerr := d.conn.WaitForEvent()
		if ev == nil && xerr == nil {
			return
		}
		if xerr != nil {
			// Windows come and go between two requests, so an unchecked request that missed is no news.
			d.log.Debug("x11", "error", xerr.Error())
			continue
		}
		d.take(d.conn.Decode(ev))
	}
}

// take hands one event on. A fault in one listener must not end the reader, which all answers depend on.
func (d *Driver) take(ev xgb.Event) {
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("x11: event", "panic", p, "event", fmt.Sprintf("%T", ev))
		}
	}()
	if m, is := ev.(xproto.ClientMessageEvent); is && m.Type == d.atoms.fence {
		d.fences.pass(m.Data.Data32[0])
		return
	}
	d.follow.event(d, ev)
	d.events.tell(ev)
}

// listeners are told each event, from the reader's goroutine: they must not wait for the server.
type listeners struct {
	mu   sync.Mutex
	next int
	all  map[int]func(xgb.Event)
}

// listen calls f for each event until the returned function is called.
func (l *listeners) listen(f func(xgb.Event)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[int]func(xgb.Event){}
	}
	n := l.next
	l.next++
	l.all[n] = f
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.all, n)
	}
}

func (l *listeners) tell(ev xgb.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.all {
		f(ev)
	}
}

// fences tell when every event that the server had sent up to some moment has been taken: an event of our own
// is put behind them, and comes back last.
type fences struct {
	mu   sync.Mutex
	next uint32
	wait map[uint32]func()
}

// raise sends the event to window, which must be ours. passed is called from the reader's goroutine once it has
// come back; it must not wait for the server.
func (f *fences) raise(d *Driver, window xproto.Window, passed func()) {
	f.mu.Lock()
	f.next++
	n := f.next
	if f.wait == nil {
		f.wait = map[uint32]func(){}
	}
	f.wait[n] = passed
	f.mu.Unlock()
	ev := xproto.ClientMessageEvent{
		Format: 32, Window: window, Type: d.atoms.fence,
		Data: xproto.ClientMessageDataUnionData32New([]uint32{n, 0, 0, 0, 0}),
	}
	xproto.SendEvent(d.conn.Conn, false, window, 0, string(ev.Bytes()))
}

// fence is raise as a channel that closes.
func (d *Driver) fence() <-chan struct{} {
	passed := make(chan struct{})
	d.fences.raise(d, d.canvas.helper, func() { close(passed) })
	return passed
}

func (f *fences) pass(n uint32) {
	f.mu.Lock()
	passed := f.wait[n]
	delete(f.wait, n)
	f.mu.Unlock()
	if passed != nil {
		passed()
	}
}

//go:build linux

package x11

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"conch/driver/x11/xraw"
)

// pinger waits for an answer to _NET_WM_PING. An app that answers has taken every key that was sent before:
// it is how we know that a key code may get another meaning, and that the app keeps up.
type pinger struct {
	mu    sync.Mutex
	atom  uint32
	base  uint32    // the server's time, in milliseconds,
	since time.Time // and ours at the same moment
	timed chan struct{}
	stamp uint32    // of the last ping
	want  [2]uint32 // time stamp and window of the ping that is out
	came  chan struct{}
}

const (
	propertyNotify = 28
	clientMessage  = 33
)

// start asks the server what time it is: apps may look at the time of a ping.
func (p *pinger) start(ctx context.Context, h *hands) error {
	p.mu.Lock()
	p.atom, p.timed = h.atoms.ping, make(chan struct{})
	timed := p.timed
	p.mu.Unlock()
	h.queue(setCards(h.own, h.atoms.ping))
	if err := h.flush(); err != nil {
		return err
	}
	select {
	case <-timed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-h.conn.Done():
		return h.conn.Err()
	}
}

func (p *pinger) event(e xraw.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Code() == propertyNotify && p.timed != nil {
		p.base, p.since = u32(e, 12), time.Now()
		close(p.timed)
		p.timed = nil
	}
	if e.Code() != clientMessage || e[1] != 32 || u32(e, 12) != p.atom {
		return
	}
	if p.came != nil && p.want == [2]uint32{u32(e, 16), u32(e, 20)} {
		close(p.came)
		p.came = nil
	}
}

// expect gets ready for the answer to the next ping and returns its time stamp: the server's time, and never
// the same twice.
func (p *pinger) expect(window uint32) (stamp uint32, came <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.base + uint32(time.Since(p.since).Milliseconds())
	if int32(now-p.stamp) <= 0 {
		now = p.stamp + 1
	}
	p.stamp = now
	p.want, p.came = [2]uint32{now, window}, make(chan struct{})
	return now, p.came
}

// target is where keys go.
type target struct {
	focus  uint32 // what has the input focus
	window uint32 // the window around it that answers pings; 0 none
	pid    int    // without one: the process behind it; 0 unknown
	pulse  uint64 // and how often that is woken anyway
}

var (
	errNoFocus = errors.New("no window takes keys now: click into the one that should")
	errHung    = errors.New("the app in front has stopped taking keys: it did not answer for 5 seconds")
)

// The focus can also be one of these.
const (
	focusNone    = 0
	focusPointer = 1 // the window under the pointer
)

// focus finds where keys go now.
func (h *hands) focus(ctx context.Context) (uint32, error) {
	got, err := h.conn.Request(ctx, request(opGetInputFocus, 0))
	if err != nil {
		return 0, err
	}
	w := u32(got, 8)
	if w == focusNone {
		return 0, errNoFocus
	}
	if w != focusPointer {
		return w, nil
	}
	w = h.root
	for { // down to the innermost window under the pointer
		got, err := h.conn.Request(ctx, request(opQueryPointer, 0, w))
		if err != nil {
			return 0, err
		}
		child := u32(got, 12)
		if child == 0 {
			break
		}
		w = child
	}
	if w == h.root {
		return 0, errNoFocus
	}
	return w, nil
}

// aim finds where keys go now and who there answers pings. When that is another place than before, the old one
// gets a moment to take what it was sent, since a key code may mean another thing soon.
func (h *hands) aim(ctx context.Context) error {
	w, err := h.focus(ctx)
	if err != nil || w == h.to.focus {
		return err
	}
	if h.to.window != 0 && !h.last.IsZero() {
		short, cancel := context.WithTimeout(ctx, pingLook)
		err := h.ping(short)
		cancel()
		if ctx.Err() != nil {
			return err
		}
	}
	h.to = target{focus: w}
	for w != h.root && w != 0 {
		protocols, err := cards(ctx, h.conn, w, h.atoms.protocols)
		if err == nil && slices.Contains(protocols, h.atoms.ping) {
			h.to.window = w
			return nil
		}
		var got []byte
		if err == nil {
			got, err = h.conn.Request(ctx, request(opQueryTree, 0, w))
		}
		if gone(err) {
			h.to = target{} // it went while we looked; the next aim finds its heir
			return nil
		}
		if err != nil {
			return err
		}
		w = u32(got, 12)
	}
	h.to.pid = h.owner(ctx, h.to.focus)
	h.to.pulse, err = h.pulse(ctx, h.to.pid)
	return err
}

// gone says that the window a request was about isn't there any more.
func gone(err error) bool {
	const badWindow, badDrawable = 3, 9
	var e *xraw.Error
	return errors.As(err, &e) && (e.Code == badWindow || e.Code == badDrawable)
}

// How long an app may take to answer, and how often we look whether its window is still there.
const (
	pingLimit = 5 * time.Second
	pingLook  = 250 * time.Millisecond
)

// ping returns once the target has taken all keys sent so far. Its window going away answers that too.
func (h *hands) ping(ctx context.Context) error {
	window := h.to.window
	stamp, came := h.pings.expect(window)
	const toOwner = 0 // no event mask: the event goes to whoever made the window
	msg := append(request(opSendEvent, 0, window, toOwner), clientMessage, 32, 0, 0)
	msg = append(msg, request(0, 0, window, h.atoms.protocols, h.atoms.ping, stamp, window, 0, 0)[4:]...)
	h.queue(msg)
	if err := h.flush(); err != nil {
		return err
	}
	late := time.NewTimer(pingLimit)
	defer late.Stop()
	look := time.NewTicker(pingLook)
	defer look.Stop()
	for {
		select {
		case <-came:
			h.taken()
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-h.conn.Done():
			return h.conn.Err()
		case <-late.C:
			return errHung
		case <-look.C:
			if _, err := h.conn.Request(ctx, request(opGetGeometry, 0, window)); gone(err) {
				h.taken()
				return nil
			}
		}
	}
}

// Answers returns once the app that has the keyboard has answered a ping, which it does in turn with its own
// events; at once where it answers none, as xterm, or where no window has the keyboard.
func (h *hands) Answers(ctx context.Context) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	err := h.aim(ctx)
	if err == nil && h.to.window != 0 {
		err = h.ping(ctx)
	}
	if errors.Is(err, errNoFocus) {
		return nil
	}
	return h.gone(err)
}

// Waits for programs of which nothing can be known, as those on another computer: how long after the last key
// it counts as taken, between two meanings of a key code and before the borrowed codes are given back.
const (
	quietBetween = 20 * time.Millisecond
	quietAtEnd   = 50 * time.Millisecond
)

// taken notes that all keys sent so far have been taken.
func (h *hands) taken() {
	h.last = time.Time{}
	h.spare.taken()
}

// drain returns once the keys sent so far have been taken, as far as that can be known.
func (h *hands) drain(ctx context.Context, quiet time.Duration) error {
	if h.last.IsZero() {
		return nil
	}
	if h.to.window != 0 {
		return h.ping(ctx)
	}
	if err := h.settle(ctx); err != nil {
		return err
	}
	if rests, err := h.rest(ctx); err != nil || rests {
		if rests {
			h.taken()
		}
		return err
	}
	timer := time.NewTimer(quiet - time.Since(h.last))
	defer timer.Stop()
	select {
	case <-timer.C:
		h.taken()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-h.conn.Done():
		return h.conn.Err()
	}
}

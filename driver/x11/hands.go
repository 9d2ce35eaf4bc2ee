//go:build linux

package x11

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"conch/driver"
	"conch/driver/x11/xkb"
	"conch/driver/x11/xraw"
)

// hands press keys and buttons and move the pointer, by XTEST on a connection of their own.
//
// All that is held is in one place: codes and buttons that are down, key codes that are borrowed for
// characters, and the lock that Caps Lock had. It is written to a property of the root window before it
// happens, so that whoever comes after a kill -9 can put it right (record.go, guardian.go).
type hands struct {
	conn  *xraw.Conn
	kb    *xkb.Keyboard
	heard atomic.Pointer[xkb.Keyboard] // kb, for the connection's reader
	test  byte                         // XTEST's opcode
	res   byte                         // X-Resource's opcode; 0 without it
	root  uint32                       // the root window
	own   uint32                       // a window of ours that is never shown: it lives exactly as long as the connection
	atoms handAtoms
	pings *pinger
	guard *guard // nil without one

	news atomic.Uint64 // how often the keyboard map has changed
	turn chan struct{} // holds one token; whoever has it may act and touch all below

	keyboard keyboard
	spare    spares
	rec      record
	slot     int // which of the root's record properties is ours

	out     [][]byte  // requests to go out in one piece
	grabbed bool      // other programs wait for us
	landed  landing   // the last that said yes
	down    [256]int  // how many of our presses want a key code down
	keys    []heldKey // in the order in which they were pressed
	to      target    // where the last keys went
	last    time.Time // when that was; zero when all of them are known to have been taken
}

type handAtoms struct {
	protocols, ping uint32
	record          [recordSlots]uint32
}

// Requests of the core protocol.
const (
	opCreateWindow      = 1
	opGetGeometry       = 14
	opQueryTree         = 15
	opInternAtom        = 16
	opChangeProperty    = 18
	opDeleteProperty    = 19
	opGetProperty       = 20
	opSendEvent         = 25
	opSelectEvents      = 2 // ChangeWindowAttributes
	opQueryPointer      = 38
	opGetInputFocus     = 43
	opQueryKeymap       = 44
	opGetPointerMapping = 117
)

// Atoms that every server has.
const (
	atomAtom     = 4
	atomCardinal = 6
)

// Longest wait for the server to work through what was sent after ctx had ended: keys must be known to be up.
const afterLimit = time.Second

// newHands connects to display with the environment that getenv reads, and cleans up after a predecessor that
// was killed.
func newHands(ctx context.Context, display string, getenv func(string) string) (*hands, error) {
	h, err := dialHands(ctx, display, getenv)
	if err != nil {
		return nil, err
	}
	if err := h.claim(ctx); err != nil {
		_ = h.conn.Close()
		return nil, err
	}
	return h, nil
}

func dialHands(ctx context.Context, display string, getenv func(string) string) (_ *hands, err error) {
	h := &hands{turn: make(chan struct{}, 1), pings: &pinger{}}
	if h.conn, err = xraw.DialEnv(ctx, display, getenv, h.event); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = h.conn.Close()
		}
	}()
	setup := h.conn.Setup()
	h.root, h.own = setup.Root, setup.IDBase|1
	ext, err := h.conn.Extension(ctx, "XTEST")
	if err != nil {
		return nil, err
	}
	h.test, h.res = ext.Major, openResource(ctx, h.conn)
	if h.kb, err = xkb.Open(ctx, h.conn); err != nil {
		return nil, err
	}
	h.heard.Store(h.kb)
	if err := h.prepare(ctx); err != nil {
		return nil, err
	}
	h.turn <- struct{}{}
	return h, nil
}

func (h *hands) prepare(ctx context.Context) error {
	for name, to := range map[string]*uint32{"WM_PROTOCOLS": &h.atoms.protocols, "_NET_WM_PING": &h.atoms.ping} {
		a, err := intern(ctx, h.conn, name)
		if err != nil {
			return err
		}
		*to = a
	}
	const inputOnly = 2
	const eventMask, propertyNews = 1 << 11, 1 << 22
	err := h.conn.Do(ctx, request(opCreateWindow, 0, h.own, h.root, 0, 1|1<<16, inputOnly<<16, 0, eventMask, propertyNews))
	if err != nil {
		return fmt.Errorf("make a window: %w", err)
	}
	// Answers to _NET_WM_PING come to the root; Qt sends them so that only StructureNotify gets them.
	const notify = 1<<17 | 1<<19
	if err := h.conn.Do(ctx, request(opSelectEvents, 0, h.root, eventMask, notify)); err != nil {
		return fmt.Errorf("follow the root window: %w", err)
	}
	return h.pings.start(ctx, h)
}

// event runs on the connection's reader.
func (h *hands) event(e xraw.Event) {
	if kb := h.heard.Load(); kb != nil && kb.Changed(e) {
		h.news.Add(1)
		return
	}
	h.pings.event(e)
}

// take waits for the turn to act.
func (h *hands) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-h.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-h.conn.Done():
		return h.gone(h.conn.Err())
	}
}

func (h *hands) give() { h.turn <- struct{}{} }

// gone gives the loss of the server the form that a person can read.
func (h *hands) gone(err error) error {
	if err == nil || h.conn.Err() == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(h.conn.Err(), xraw.ErrClosed) {
		return err
	}
	return serverGone(err)
}

// queue adds requests to the next piece that goes out.
func (h *hands) queue(reqs ...[]byte) { h.out = append(h.out, reqs...) }

// flush sends what is queued in one write, so that it happens as a whole or not at all.
func (h *hands) flush() error {
	if len(h.out) == 0 {
		return nil
	}
	out := h.out
	h.out = h.out[:0]
	return h.conn.Post(out...)
}

// settle sends what is queued, lets other programs go on, and returns when the server has done it: after that no
// event comes of it. When ctx has ended it still waits for that, briefly.
func (h *hands) settle(ctx context.Context) error {
	if err := h.letGo(); err != nil {
		return err
	}
	err := h.conn.Sync(ctx)
	if ctx.Err() == nil {
		return err
	}
	fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterLimit)
	defer cancel()
	return errors.Join(ctx.Err(), h.conn.Sync(fresh))
}

// close lifts all that is held and ends the connection.
func (h *hands) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := h.take(ctx)
	if err == nil {
		defer h.give()
		err = h.gone(errors.Join(h.release(ctx, true), h.unclaim(ctx)))
	}
	var lost *driver.Unready
	if errors.As(err, &lost) {
		err = nil // nothing is held on a server that is gone
	}
	return errors.Join(err, h.conn.Close(), h.guard.end())
}

// request builds one of the core protocol: opcode, the byte beside it, and words.
func request(op, data byte, words ...uint32) []byte {
	b := []byte{op, data, 0, 0}
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func u16(b []byte, at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

func intern(ctx context.Context, c *xraw.Conn, name string) (uint32, error) {
	got, err := c.Request(ctx, append(request(opInternAtom, 0, uint32(len(name))), name...))
	if err != nil {
		return 0, fmt.Errorf("name %s: %w", name, err)
	}
	return u32(got, 8), nil
}

// cards reads a property of numbers; nil where there is none.
func cards(ctx context.Context, c *xraw.Conn, window, property uint32) ([]uint32, error) {
	const most = 4096 // words
	got, err := c.Request(ctx, request(opGetProperty, 0, window, property, 0, 0, most))
	if err != nil || got[1] != 32 {
		return nil, err
	}
	n := min(int(u32(got, 16)), (len(got)-32)/4)
	out := make([]uint32, n)
	for i := range out {
		out[i] = u32(got, 32+4*i)
	}
	return out, nil
}

func setCards(window, property uint32, v ...uint32) []byte {
	const replace = 0
	return append(request(opChangeProperty, replace, window, property, atomCardinal, 32, uint32(len(v))), request(0, 0, v...)[4:]...)
}

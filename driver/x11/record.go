//go:build linux

package x11

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"conch/driver/x11/xkb"
)

// record is what would have to be put right if we were killed now. It stands in a property of the root window,
// written before each thing in it happens.
type record struct {
	window  uint32 // of the connection it belongs to; it has the nonce in the same property while that lives
	nonce   uint32
	state   *lockedState  // what was locked before we changed it
	lent    []lentCode    // key codes with the symbols they have, and those they had if that was just changed
	touched codes         // key codes that may be down
	buttons map[byte]byte // what is down: the button as apps see it, and as the mouse has it
}

type lockedState struct {
	caps  xkb.Mods // Lock or nothing
	group int
}

type lentCode struct {
	code byte
	a, b uint32
}

// codes is a set of key codes.
type codes []byte

func (c codes) has(code byte) bool { return slices.Contains(c, code) }
func (c *codes) add(code byte)     { *c = append(*c, code) }

// Several drivers can be on one display, each with a property of its own.
const recordSlots = 8

const recordVersion = 1

func recordName(slot int) string { return fmt.Sprintf("_CONCH_HANDS_%d", slot) }

func (r *record) encode() []uint32 {
	out := []uint32{recordVersion, r.window, r.nonce, 0, 0, 0}
	if r.state != nil {
		out[3], out[4], out[5] = 1, uint32(r.state.caps), uint32(r.state.group)
	}
	out = append(out, uint32(len(r.lent)))
	for _, l := range r.lent {
		out = append(out, uint32(l.code), l.a, l.b)
	}
	out = append(out, uint32(len(r.touched)))
	for _, c := range r.touched {
		out = append(out, uint32(c))
	}
	out = append(out, uint32(len(r.buttons)))
	for logical, physical := range r.buttons {
		out = append(out, uint32(logical), uint32(physical))
	}
	return out
}

var errRecord = errors.New("the record of held keys is damaged")

// parseRecord reads what encode wrote. Any program can write that property, so every number is checked.
func parseRecord(v []uint32) (*record, error) {
	next := func() uint32 {
		if len(v) == 0 {
			return 0
		}
		x := v[0]
		v = v[1:]
		return x
	}
	small := func() byte { return byte(min(next(), 255)) }
	count := func(size int) int { return min(int(min(next(), 256)), len(v)/size) }
	if next() != recordVersion || len(v) < 8 {
		return nil, errRecord
	}
	r := &record{window: next(), nonce: next(), buttons: map[byte]byte{}}
	if has, caps, group := next(), next(), next(); has != 0 {
		r.state = &lockedState{caps: xkb.Mods(caps) & xkb.Lock, group: int(group & 3)}
	}
	for range count(3) {
		r.lent = append(r.lent, lentCode{small(), next(), next()})
	}
	for range count(1) {
		r.touched.add(small())
	}
	for range count(2) {
		logical, physical := small(), small()
		r.buttons[logical] = physical
	}
	return r, nil
}

// save queues the record as it is now.
func (h *hands) save() {
	h.queue(setCards(h.root, h.atoms.record[h.slot], h.rec.encode()...))
}

// claim cleans up after predecessors that were killed, and takes a property for our own record.
func (h *hands) claim(ctx context.Context) error {
	for i := range h.atoms.record {
		a, err := intern(ctx, h.conn, recordName(i))
		if err != nil {
			return err
		}
		h.atoms.record[i] = a
	}
	mine := -1
	for i, a := range h.atoms.record {
		v, err := cards(ctx, h.conn, h.root, a)
		if err != nil {
			return err
		}
		r, err := parseRecord(v)
		if err == nil && h.lives(ctx, r, a) {
			continue
		}
		if err == nil {
			if err := h.mend(ctx, r); err != nil {
				return fmt.Errorf("clean up after a Conch that was killed: %w", err)
			}
		}
		if len(v) > 0 {
			h.queue(request(opDeleteProperty, 0, h.root, a))
		}
		if mine < 0 {
			mine = i
		}
	}
	if mine < 0 {
		return errors.New("too many programs steer this screen already")
	}
	var nonce [4]byte
	_, _ = rand.Read(nonce[:])
	h.slot = mine
	h.rec = record{window: h.own, nonce: binary.LittleEndian.Uint32(nonce[:]), buttons: map[byte]byte{}}
	h.queue(setCards(h.own, h.atoms.record[mine], h.rec.nonce))
	h.save()
	return h.settle(ctx)
}

// lives says whether the connection that wrote a record is still there.
func (h *hands) lives(ctx context.Context, r *record, property uint32) bool {
	v, err := cards(ctx, h.conn, r.window, property)
	return err == nil && len(v) == 1 && v[0] == r.nonce
}

func (h *hands) unclaim(ctx context.Context) error {
	h.queue(request(opDeleteProperty, 0, h.root, h.atoms.record[h.slot]))
	return h.settle(ctx)
}

// mend puts right what a record says: keys and buttons go up, lent key codes become free, and what was locked
// is locked again. It touches only what the record names and what is still as the record says.
func (h *hands) mend(ctx context.Context, r *record) error {
	keys, err := h.conn.Request(ctx, request(opQueryKeymap, 0))
	if err != nil {
		return err
	}
	for _, code := range r.touched {
		if keys[8+code/8]&(1<<(code%8)) != 0 {
			h.queue(h.fake(fakeKeyUp, code, 0, 0))
		}
	}
	at, err := h.pointer(ctx)
	if err != nil {
		return err
	}
	for logical, physical := range r.buttons {
		if logical >= 1 && logical <= 5 && at.mask&(1<<(buttonBits+logical-1)) != 0 {
			h.queue(h.fake(fakeButtonUp, physical, 0, 0))
		}
	}
	if r.state != nil {
		h.queue(h.kb.Lock(xkb.Lock, r.state.caps, r.state.group))
	}
	if err := h.settle(ctx); err != nil {
		return err
	}
	return h.free(ctx, r.lent)
}

// free empties the codes that still have the symbols they were lent for.
func (h *hands) free(ctx context.Context, lent []lentCode) error {
	if len(lent) == 0 {
		return nil
	}
	m, err := h.kb.Read(ctx)
	if err != nil {
		return err
	}
	first, last := 256, -1
	for _, l := range lent {
		k := m.Keys[l.code]
		if k.Empty() || k.Groups() != 1 || k.Width != 2 || k.Sym(0, 0) != l.a || k.Sym(0, 1) != l.b {
			continue
		}
		m.Keys[l.code] = xkb.Key{}
		first, last = min(first, int(l.code)), max(last, int(l.code))
	}
	if last < 0 {
		return nil
	}
	return h.kb.SetSyms(ctx, m, byte(first), m.Keys[first:last+1])
}

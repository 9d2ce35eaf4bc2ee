//go:build linux

package x11

import (
	"context"
	"errors"
	"slices"

	"conch/driver"
	"conch/driver/x11/xkb"
)

// spares are the key codes that the layout leaves free, lent to symbols that it lacks. Each code has room for
// two, without and with Shift.
type spares struct {
	codes []byte // in rising order
	slots []lent // the first of each code, then the second of each
	blank map[byte]xkb.Key
	at    map[uint32]int // symbol to slot
}

// lent is a place for one symbol; 0 is free.
type lent struct {
	sym  uint32
	used bool // pressed since all keys were last known to be taken
}

// find looks for the free codes of a map that was just read. What is lent stays lent, unless another keyboard
// map has taken its code over. In m, lent codes are made to look free.
func (s *spares) find(m *xkb.Map) {
	old, oldCodes := s.slots, s.codes
	blank := map[byte]xkb.Key{}
	var codes []byte
	var firsts, seconds []lent
	for code := int(m.Min) + 1; code <= int(m.Max); code++ { // the lowest is code 0 of the kernel: no key at all
		k := m.Keys[code]
		if m.Mods[code] != 0 {
			continue
		}
		var a, b lent
		i := slices.Index(oldCodes, byte(code))
		switch {
		case k.Empty():
			blank[byte(code)] = k
		case i >= 0 && k.Sym(0, 0) == old[i].sym && k.Sym(0, 1) == old[i+len(oldCodes)].sym:
			a, b = old[i], old[i+len(oldCodes)]
			blank[byte(code)] = s.blank[byte(code)]
			m.Keys[code] = s.blank[byte(code)]
		default:
			continue
		}
		codes, firsts, seconds = append(codes, byte(code)), append(firsts, a), append(seconds, b)
	}
	*s = spares{codes: codes, slots: append(firsts, seconds...), blank: blank}
	s.index()
}

func (s *spares) index() {
	s.at = map[uint32]int{}
	for i, l := range s.slots {
		if l.sym != 0 {
			s.at[l.sym] = i
		}
	}
}

func (s *spares) has(code byte) bool {
	_, found := slices.BinarySearch(s.codes, code)
	return found
}

// lent lists what each code in use stands for.
func (s *spares) lent() []lentCode {
	var out []lentCode
	for i, code := range s.codes {
		if a, b := s.slots[i].sym, s.slots[i+len(s.codes)].sym; a != 0 || b != 0 {
			out = append(out, lentCode{code, a, b})
		}
	}
	return out
}

// mark notes that a stroke was used; taken, that all of them have been taken.
func (s *spares) mark(st xkb.Stroke) {
	i, found := slices.BinarySearch(s.codes, st.Code)
	if !found {
		return
	}
	if st.Mods&xkb.Shift != 0 {
		i += len(s.codes)
	}
	s.slots[i].used = true
}

func (s *spares) taken() {
	for i := range s.slots {
		s.slots[i].used = false
	}
}

// stroke says how a symbol that has been lent a place is made.
func (s *spares) stroke(sym uint32) (xkb.Stroke, bool) {
	i, ok := s.at[sym]
	if !ok {
		return xkb.Stroke{}, false
	}
	st := xkb.Stroke{Code: s.codes[i%len(s.codes)], Group: -1}
	if i >= len(s.codes) {
		st.Mods = xkb.Shift
	}
	return st, true
}

// plan finds places for want, the first of them being the most wanted. It takes free places first; when those
// don't do, it takes over all that are not in want, apart from those of keys that are down. It returns the new
// slots, and whether a place that was pressed lately changes its meaning; nil when not even one finds room.
func (s *spares) plan(want []uint32, down func(code byte) bool) (slots []lent, hasty bool) {
	slots = slices.Clone(s.slots)
	var free, missing []int
	for i, l := range slots {
		if l.sym == 0 && !down(s.codes[i%len(s.codes)]) {
			free = append(free, i)
		}
	}
	for i, sym := range want {
		if _, have := s.at[sym]; !have {
			missing = append(missing, i)
		}
	}
	if len(free) < len(missing) {
		for i, l := range slots {
			if l.sym == 0 || slices.Contains(want, l.sym) || down(s.codes[i%len(s.codes)]) {
				continue
			}
			hasty = hasty || l.used
			slots[i] = lent{}
			free = append(free, i)
		}
		slices.Sort(free)
	}
	if len(missing) > 0 && len(free) == 0 {
		return nil, false
	}
	for i, w := range missing {
		if i == len(free) {
			break
		}
		slots[free[i]] = lent{sym: want[w]}
	}
	return slots, hasty
}

// keys are the map's records from the first spare code to the last: those in use, and all between as they are.
func (s *spares) keys(m *xkb.Map, slots []lent) (first byte, keys []xkb.Key) {
	first = s.codes[0]
	for code := int(first); code <= int(s.codes[len(s.codes)-1]); code++ {
		keys = append(keys, m.Keys[code])
	}
	for i, code := range s.codes {
		a, b := slots[i].sym, slots[i+len(s.codes)].sym
		if a == 0 && b == 0 {
			keys[code-first] = s.blank[code]
			continue
		}
		keys[code-first] = lentKey(a, b)
	}
	return first, keys
}

// lentKey is a key with one group of two levels. Every map has TWO_LEVEL as its second type (XKB protocol,
// 7.2.1); it looks at Shift alone, so Caps Lock and Num Lock change nothing.
func lentKey(a, b uint32) xkb.Key {
	const twoLevel = 1
	return xkb.Key{Types: [4]byte{twoLevel}, GroupInfo: 1, Width: 2, Syms: []uint32{a, b}}
}

// lend gives each symbol of want a place, or as many from the front as there is room for. Keys that were sent
// before are taken first where a place changes its meaning: apps look a code up when they handle its event.
func (h *hands) lend(ctx context.Context, want []uint32) error {
	s := &h.spare
	if len(s.codes) == 0 {
		return nil
	}
	slots, hasty := s.plan(want, func(code byte) bool { return h.down[code] > 0 })
	if slots == nil {
		return nil
	}
	if hasty {
		if err := h.drain(ctx, quietBetween); err != nil {
			return err
		}
	}
	return h.setSlots(ctx, slots)
}

func (h *hands) setSlots(ctx context.Context, slots []lent) error {
	s := &h.spare
	first, keys := s.keys(h.keyboard.m, slots)
	before := s.lent()
	s.slots = slots
	s.index()
	// A kill may come before or after the change, so both are written down.
	h.rec.lent = append(before, s.lent()...)
	h.save()
	if err := h.flush(); err != nil {
		return err
	}
	news := h.news.Load()
	if err := h.kb.SetSyms(ctx, h.keyboard.m, first, keys); err != nil {
		h.keyboard.m = nil // whatever it is now, read it again
		return err
	}
	// One piece of news is this change itself. The next read would find only what we know.
	if now := h.news.Load(); now == news+1 && h.keyboard.seen == news {
		h.keyboard.seen = now
	}
	return nil
}

// giveBack makes the lent codes free again. An app that takes no keys at the moment keeps them until the end,
// because it would read what it was sent wrongly.
func (h *hands) giveBack(ctx context.Context, final bool) error {
	if len(h.rec.lent) == 0 || len(h.spare.codes) == 0 {
		return nil
	}
	if err := h.drain(ctx, quietAtEnd); errors.Is(err, errHung) && !final {
		return nil
	} else if err != nil && !final {
		return err
	}
	st, err := h.kb.State(ctx)
	if err != nil {
		return err
	}
	if err := h.refresh(ctx, st.Locked); err != nil {
		return err
	}
	if len(h.spare.codes) > 0 {
		if err := h.setSlots(ctx, make([]lent, len(h.spare.slots))); err != nil {
			return err
		}
	}
	h.rec.lent = nil
	h.save()
	return nil
}

// noKey says which character can't be typed.
func noKey(cluster string) error { return &driver.NoKeyError{Name: cluster} }

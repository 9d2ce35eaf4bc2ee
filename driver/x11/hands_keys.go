//go:build linux

package x11

import (
	"context"
	"errors"
	"slices"
	"time"

	"conch/driver"
	"conch/driver/key"
	"conch/driver/x11/xkb"
)

// heldKey is a key that was pressed for Key, with the codes that are down for it: modifiers first, itself last.
type heldKey struct {
	key   key.Key
	codes []byte
}

// keyboard is what is known of the keyboard's map.
type keyboard struct {
	m      *xkb.Map
	layout *xkb.Layout
	locked xkb.Mods // what the layout was worked out for
	seen   uint64   // hands.news when the map was read
}

// refresh reads the map again when it has changed, and works out the strokes.
func (h *hands) refresh(ctx context.Context, locked xkb.Mods) error {
	k := &h.keyboard
	news := h.news.Load()
	if k.m == nil || k.seen != news {
		m, err := h.kb.Read(ctx)
		if err != nil {
			return err
		}
		k.m, k.layout, k.seen = m, nil, news
		h.spare.find(m)
	}
	if locked &^= xkb.Lock; k.layout == nil || k.locked != locked {
		k.layout, k.locked = xkb.NewLayout(k.m, locked, h.spare.has), locked
	}
	return nil
}

// The modifiers that a person holds to make a key mean another thing. Caps Lock and Num Lock are not held.
const heldMods = xkb.Shift | xkb.Control | xkb.Mod1 | xkb.Mod3 | xkb.Mod4 | xkb.Mod5

// personKeys refuses while a modifier is down that is none of ours.
func (h *hands) personKeys(ctx context.Context) error {
	if h.keyboard.m == nil {
		if err := h.refresh(ctx, 0); err != nil {
			return err
		}
	}
	got, err := h.conn.Request(ctx, request(opQueryKeymap, 0))
	if err != nil {
		return err
	}
	m := h.keyboard.m
	for code := int(m.Min); code <= int(m.Max); code++ {
		if got[8+code/8]&(1<<(code%8)) == 0 || h.down[code] > 0 {
			continue
		}
		if mods := m.Mods[code]; mods&heldMods != 0 && mods&xkb.Lock == 0 {
			return driver.ErrHeldByPerson
		}
	}
	return nil
}

// press queues a key going down, after the record that says so.
func (h *hands) press(code byte) {
	if h.down[code]++; h.down[code] > 1 {
		return
	}
	if !h.rec.touched.has(code) {
		h.rec.touched.add(code)
		h.save()
	}
	h.queue(h.fake(fakeKeyDown, code, 0, 0))
	h.last = time.Now()
}

func (h *hands) lift(code byte) {
	if h.down[code] == 0 {
		return
	}
	if h.down[code]--; h.down[code] == 0 {
		h.queue(h.fake(fakeKeyUp, code, 0, 0))
	}
}

// Key presses or lifts one key by the active layout.
func (h *hands) Key(ctx context.Context, k key.Key, down bool, into driver.Into) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	i := slices.IndexFunc(h.keys, func(held heldKey) bool { return held.key == k })
	if down == (i >= 0) {
		return nil
	}
	if down {
		return h.gone(h.keyDown(ctx, k, into))
	}
	h.keyUp(i)
	return h.gone(h.settle(ctx))
}

func (h *hands) keyDown(ctx context.Context, k key.Key, into driver.Into) error {
	sym, ok := key.Keysym(k)
	if !ok {
		return &driver.NoKeyError{Name: string(k)}
	}
	st, err := h.kb.State(ctx)
	if err != nil {
		return err
	}
	if err := h.refresh(ctx, st.Locked); err != nil {
		return err
	}
	if err := h.personKeys(ctx); err != nil {
		return err
	}
	if err := h.aim(ctx); err != nil && !errors.Is(err, errNoFocus) { // a shortcut of the desktop needs no window
		return err
	}
	s, err := h.stroke(ctx, sym, k, st.Group)
	if err != nil {
		return err
	}
	if err := h.hold(ctx, into, h.keysLand); err != nil {
		return err
	}
	if s.Caps && st.Locked&xkb.Lock != 0 {
		h.lockState(st, xkb.Lock, -1)
	}
	if s.Group >= 0 && s.Group != st.Group {
		h.lockState(st, 0, s.Group)
	}
	held := heldKey{key: k}
	for mod := range xkb.Each(s.Mods &^ h.ourMods()) {
		if code, ok := h.keyboard.layout.ModKey(mod); ok {
			held.codes = append(held.codes, code)
		}
	}
	held.codes = append(held.codes, s.Code)
	for _, code := range held.codes {
		h.press(code)
	}
	h.keys = append(h.keys, held)
	return h.settle(ctx)
}

// stroke finds how to make a key: with the layout, or with a borrowed key code.
func (h *hands) stroke(ctx context.Context, sym uint32, k key.Key, group int) (xkb.Stroke, error) {
	if s, ok := h.keyboard.layout.Sym(sym, group); ok {
		return s, nil
	}
	if r, ok := k.Rune(); ok {
		if s, ok := h.keyboard.layout.Rune(r, group); ok {
			return s, nil
		}
	}
	if _, ok := h.spare.stroke(sym); !ok {
		if err := h.lend(ctx, []uint32{sym}); err != nil {
			return xkb.Stroke{}, err
		}
	}
	s, ok := h.spare.stroke(sym)
	if !ok {
		return s, &driver.NoKeyError{Name: string(k)}
	}
	return s, nil
}

// keyUp queues the lifting of the i-th held key; what was locked for it is put back with the last.
func (h *hands) keyUp(i int) {
	for _, code := range slices.Backward(h.keys[i].codes) {
		h.lift(code)
	}
	h.keys = slices.Delete(h.keys, i, i+1)
	if len(h.keys) == 0 {
		h.unlockState()
	}
}

// ourMods are the modifiers of the keys that we hold.
func (h *hands) ourMods() xkb.Mods {
	var mods xkb.Mods
	for code, n := range h.down {
		if n > 0 {
			mods |= h.keyboard.m.Mods[code]
		}
	}
	return mods
}

// lockState queues the unlocking of modifiers, and the locking of a group unless it is negative. What they
// were is put back by unlockState.
func (h *hands) lockState(was xkb.State, off xkb.Mods, group int) {
	if h.rec.state == nil {
		h.rec.state = &lockedState{caps: was.Locked & xkb.Lock, group: was.Lock}
		h.save()
	}
	h.queue(h.kb.Lock(off, 0, group))
}

func (h *hands) unlockState() {
	if s := h.rec.state; s != nil {
		h.queue(h.kb.Lock(xkb.Lock, s.caps, s.group))
		h.rec.state = nil
		h.save()
	}
}

// Release lifts every key and button that is held and gives the borrowed key codes back.
func (h *hands) Release(ctx context.Context) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	return h.gone(h.release(ctx, false))
}

func (h *hands) release(ctx context.Context, final bool) error {
	for len(h.keys) > 0 {
		h.keyUp(len(h.keys) - 1)
	}
	for code, n := range h.down { // nothing is left here unless a step broke off
		for range n {
			h.lift(byte(code))
		}
	}
	for logical := range h.rec.buttons {
		h.liftButton(logical)
	}
	h.unlockState()
	if len(h.out) > 0 {
		if err := h.settle(ctx); err != nil {
			return err
		}
	}
	err := h.giveBack(ctx, final)
	if len(h.rec.touched) > 0 {
		h.rec.touched = nil
		h.save()
	}
	return errors.Join(err, h.flush())
}

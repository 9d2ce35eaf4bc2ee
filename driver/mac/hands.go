package mac

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf16"

	"conch/driver"
	"conch/driver/key"
)

// hands are mouse and keyboard. One thing is done at a time.
type hands struct {
	sys  system
	desk func() (desk, error)
	now  func() time.Time
	turn chan struct{} // holds one token

	// Whoever has the token may touch these.
	keys    []heldKey
	buttons []driver.Button // in the order in which they went down
	clicks  clicks
	counts  map[driver.Button]int // which click of a row each held button's is
}

// heldKey is a key that was pressed for Key: the modifiers that were pressed for it, then itself.
type heldKey struct {
	key   key.Key
	extra []modifier
	code  uint16
	flag  uint64   // its own, when it is a modifier
	units []uint16 // the text that it carries instead of a code
}

func newHands(sys system, look func() (desk, error), now func() time.Time) *hands {
	return &hands{sys: sys, desk: look, now: now, turn: make(chan struct{}, 1), counts: map[driver.Button]int{}}
}

func (h *hands) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return take(ctx, h.turn)
}

func (h *hands) give() { <-h.turn }

// flags are the modifiers that we hold.
func (h *hands) flags() uint64 {
	var f uint64
	for _, k := range h.keys {
		f |= k.flag
		for _, m := range k.extra {
			f |= m.flag
		}
	}
	return f
}

// buttonNumbers are macOS's (CGMouseButton).
var buttonNumbers = map[driver.Button]int{driver.Left: 0, driver.Right: 1, driver.Middle: 2}

// person refuses while the person holds a modifier or a mouse button: what we do would come out as another thing.
func (h *hands) person(buttons bool) error {
	flags, down := h.sys.held()
	if flags&flagsHeld&^h.flags() != 0 {
		return driver.ErrHeldByPerson
	}
	for _, b := range h.buttons {
		down &^= 1 << buttonNumbers[b]
	}
	if buttons && down != 0 {
		return driver.ErrHeldByPerson
	}
	return nil
}

// keysLand and pointLands look once more, as close before an event as macOS lets us, whether it goes where it may.
func (h *hands) keysLand(into driver.Into) error {
	return h.lands(into, func(k desk) error { return into.Keys(k.windows) })
}

func (h *hands) pointLands(into driver.Into, p driver.ScreenPoint) error {
	return h.lands(into, func(k desk) error { return into.Pointer(k.windows, p) })
}

func (h *hands) lands(into driver.Into, check func(desk) error) error {
	if into.Anywhere() {
		return nil
	}
	k, err := h.desk()
	if err != nil {
		return err
	}
	return check(k)
}

const (
	// arriveWithin is how long the pointer may take to be where it was sent.
	arriveWithin = 200 * time.Millisecond
	arriveEach   = 2 * time.Millisecond
)

func (h *hands) move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	ds, err := h.sys.displays()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(ds, func(d rawDisplay) bool { return d.bounds.Contains(p) }) {
		return fmt.Errorf("the point %v,%v is on no display", p.X, p.Y)
	}
	m := mouseEvent{kind: mouseMove, at: p, flags: h.flags()}
	if len(h.buttons) > 0 { // an app learns of a drag by its own kind of event only
		m.kind, m.button = mouseDrag, buttonNumbers[h.buttons[0]]
	}
	if err := h.pointLands(into, p); err != nil {
		return err
	}
	if m.kind == mouseDrag {
		h.clicks.moved(p)
	}
	if err := h.sys.mouse(m); err != nil {
		return err
	}
	for end := h.now().Add(arriveWithin); ; {
		at := h.sys.pointer()
		if math.Abs(at.X-p.X) <= 1 && math.Abs(at.Y-p.Y) <= 1 {
			return nil
		}
		if !h.now().Before(end) {
			return fmt.Errorf("the pointer is at %v,%v instead of %v,%v: something else moves it or keeps it there", at.X, at.Y, p.X, p.Y)
		}
		if err := pause(ctx, arriveEach); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *hands) button(ctx context.Context, b driver.Button, down bool, into driver.Into) error {
	n, ok := buttonNumbers[b]
	if !ok {
		return fmt.Errorf("there is no mouse button %d", b)
	}
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	i := slices.Index(h.buttons, b)
	if down == (i >= 0) {
		return nil
	}
	if !down {
		if err := h.pointLands(into, h.sys.pointer()); err != nil {
			return err
		}
		return h.lift(i)
	}
	if err := h.person(true); err != nil {
		return err
	}
	at := h.sys.pointer()
	if err := h.pointLands(into, at); err != nil {
		return err
	}
	count := h.clicks.press(b, at, h.now(), h.sys.doubleClick())
	h.buttons, h.counts[b] = append(h.buttons, b), count // first: what may be down is lifted
	return h.sys.mouse(mouseEvent{kind: mouseDown, at: at, button: n, count: count, flags: h.flags()})
}

// lift lets go of the i-th held button.
func (h *hands) lift(i int) error {
	b := h.buttons[i]
	err := h.sys.mouse(mouseEvent{kind: mouseUp, at: h.sys.pointer(), button: buttonNumbers[b], count: h.counts[b], flags: h.flags()})
	if err == nil {
		h.buttons = slices.Delete(h.buttons, i, i+1)
	}
	return err
}

// linesPerClick is how far one click of the wheel goes: what macOS moves a list by at its middle speed.
const linesPerClick = 3

func (h *hands) scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	if err := h.person(true); err != nil {
		return err
	}
	// One event a click and direction: an app may round what one event says.
	for _, step := range []struct{ n, dx, dy int }{{dy, 0, 1}, {dx, 1, 0}} {
		sign := 1
		if step.n < 0 {
			sign = -1
		}
		for range sign * step.n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := h.pointLands(into, h.sys.pointer()); err != nil {
				return err
			}
			if err := h.sys.scroll(sign*step.dx*linesPerClick, sign*step.dy*linesPerClick, h.flags()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *hands) press(ctx context.Context, k key.Key, down bool, into driver.Into) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	i := slices.IndexFunc(h.keys, func(held heldKey) bool { return held.key == k })
	if down == (i >= 0) {
		return nil
	}
	if !down {
		return h.keyUp(i)
	}
	if err := secureInput(h.sys.session()); err != nil {
		return err
	}
	if err := h.person(false); err != nil {
		return err
	}
	held, err := h.find(k)
	if err != nil {
		return err
	}
	if err := h.keysLand(into); err != nil {
		return err
	}
	return h.keyDown(held)
}

// find says how a key is made now.
func (h *hands) find(k key.Key) (heldKey, error) {
	if m, ok := modifiers[k]; ok {
		return heldKey{key: k, code: m.code, flag: m.flag}, nil
	}
	if code, ok := codes[k]; ok {
		return heldKey{key: k, code: code}, nil
	}
	r, ok := k.Rune()
	if !ok {
		return heldKey{}, &driver.NoKeyError{Name: string(k)}
	}
	active, err := h.sys.layout(false)
	if err != nil {
		return heldKey{}, fmt.Errorf("read the keyboard's layout: %w", err)
	}
	latin, err := h.sys.layout(true)
	if err != nil {
		latin = nil
	}
	s, ok := char(r, h.flags(), active, latin)
	if !ok && h.flags()&(flagCommand|flagControl) != 0 {
		return heldKey{}, &driver.NoKeyError{Name: string(k)} // as text beside Command it would be another shortcut
	}
	if !ok {
		return heldKey{key: k, code: noCode, units: utf16.Encode([]rune{r})}, nil
	}
	held := heldKey{key: k, code: s.code}
	for _, m := range []modifier{{codeShift, flagShift}, {codeOption, flagOption}} {
		if s.flags&m.flag != 0 && h.flags()&m.flag == 0 {
			held.extra = append(held.extra, m)
		}
	}
	return held, nil
}

// noCode is no key of any keyboard.
const noCode = 0xffff

func (h *hands) post(k heldKey, down bool) error {
	if k.units != nil {
		return h.sys.unicode(k.units, down, h.flags())
	}
	return h.sys.key(k.code, down, h.flags())
}

// keyDown presses a key. It is noted before each event, so that whatever may be down is lifted at the end.
func (h *hands) keyDown(k heldKey) error {
	extra := k.extra
	k.extra = nil
	h.keys = append(h.keys, k)
	at := len(h.keys) - 1
	for _, m := range extra {
		h.keys[at].extra = append(h.keys[at].extra, m)
		if err := h.sys.key(m.code, true, h.flags()); err != nil {
			return err
		}
	}
	return h.post(k, true)
}

// holders is how many held keys have a code down, for themselves or beside them.
func (h *hands) holders(code uint16) int {
	n := 0
	for _, k := range h.keys {
		if k.code == code && k.units == nil {
			n++
		}
		for _, m := range k.extra {
			if m.code == code {
				n++
			}
		}
	}
	return n
}

// keyUp lifts the i-th held key, and then what was held for it, unless another held key needs it too.
func (h *hands) keyUp(i int) error {
	k := h.keys[i]
	if k.units != nil || h.holders(k.code) == 1 {
		h.keys[i].flag = 0 // a modifier that goes up is no longer among the flags
		if err := h.post(k, false); err != nil {
			h.keys[i].flag = k.flag
			return err
		}
	}
	for n := len(k.extra) - 1; n >= 0; n-- {
		last := h.holders(k.extra[n].code) == 1
		h.keys[i].extra = k.extra[:n]
		if !last {
			continue
		}
		if err := h.sys.key(k.extra[n].code, false, h.flags()); err != nil {
			h.keys[i].extra = k.extra[:n+1]
			return err
		}
	}
	h.keys = slices.Delete(h.keys, i, i+1)
	return nil
}

// release lifts all that is held, the last first.
func (h *hands) release(ctx context.Context) error {
	if err := take(ctx, h.turn); err != nil {
		return err
	}
	defer h.give()
	var errs []error
	for i := len(h.buttons) - 1; i >= 0; i-- {
		errs = append(errs, h.lift(i))
	}
	for i := len(h.keys) - 1; i >= 0; i-- {
		errs = append(errs, h.keyUp(i))
	}
	h.clicks = clicks{}
	return errors.Join(errs...)
}

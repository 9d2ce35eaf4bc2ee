//go:build linux

package x11

import (
	"context"
	"fmt"
	"math"

	"conch/driver"
)

// Event types as XTEST takes them, which are the core protocol's.
const (
	fakeKeyDown    = 2
	fakeKeyUp      = 3
	fakeButtonDown = 4
	fakeButtonUp   = 5
	fakeMotion     = 6
)

// fake is XTEST's FakeInput.
func (h *hands) fake(kind, detail byte, x, y int) []byte {
	const now = 0
	xy := uint32(uint16(int16(x))) | uint32(uint16(int16(y)))<<16
	return append(request(h.test, 2, uint32(kind)|uint32(detail)<<8, now, h.root, 0, 0, xy, 0), 0, 0, 0, 0)
}

// pointerState is where the pointer is, and which buttons and modifiers are down (core state bits).
type pointerState struct {
	x, y int
	mask uint16
}

func (h *hands) pointer(ctx context.Context) (pointerState, error) {
	got, err := h.conn.Request(ctx, request(opQueryPointer, 0, h.root))
	if err != nil {
		return pointerState{}, err
	}
	return pointerState{int(int16(u16(got, 16))), int(int16(u16(got, 18))), u16(got, 24)}, nil
}

// Move puts the pointer at p and makes sure that it is there.
func (h *hands) Move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	size, err := h.conn.Request(ctx, request(opGetGeometry, 0, h.root))
	if err != nil {
		return h.gone(err)
	}
	w, ht := float64(u16(size, 16)), float64(u16(size, 18))
	if !(p.X >= 0 && p.Y >= 0 && p.X < w && p.Y < ht) {
		return fmt.Errorf("the point %v,%v is outside the screen, which is %v by %v", p.X, p.Y, w, ht)
	}
	x, y := int(math.Floor(p.X)), int(math.Floor(p.Y))
	if err := h.hold(ctx, into, h.pointLands(x, y)); err != nil {
		return h.gone(err)
	}
	h.queue(h.fake(fakeMotion, 0, x, y))
	if err := h.letGo(); err != nil {
		return h.gone(err)
	}
	// Asking where it is waits for the server too, so that each way point of a drag is one event of its own.
	at, err := h.pointer(ctx)
	if err != nil {
		return h.gone(err)
	}
	if at.x != x || at.y != y {
		return fmt.Errorf("the pointer is at %d,%d instead of %d,%d: something else moves it or keeps it there", at.x, at.y, x, y)
	}
	return nil
}

// core numbers of the buttons.
var buttonNumbers = map[driver.Button]byte{driver.Left: 1, driver.Middle: 2, driver.Right: 3}

// wheel buttons, as the core protocol's clients read them.
const (
	wheelUp    = 4
	wheelDown  = 5
	wheelLeft  = 6
	wheelRight = 7
)

// physical finds the button that comes out as logical: a left-handed person has 1 and 3 swapped, and natural
// scrolling swaps 4 and 5.
func (h *hands) physical(ctx context.Context, logical byte) (byte, error) {
	got, err := h.conn.Request(ctx, request(opGetPointerMapping, 0))
	if err != nil {
		return 0, err
	}
	for i, l := range got[32:min(32+int(got[1]), len(got))] {
		if l == logical {
			return byte(i + 1), nil
		}
	}
	return 0, fmt.Errorf("this mouse has button %d switched off", logical)
}

// Button presses or lifts a mouse button.
func (h *hands) Button(ctx context.Context, b driver.Button, down bool, into driver.Into) error {
	logical, ok := buttonNumbers[b]
	if !ok {
		return fmt.Errorf("there is no mouse button %d", b)
	}
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	if !down {
		if _, held := h.rec.buttons[logical]; !held {
			return nil
		}
		if err := h.hold(ctx, into, h.pointerLands); err != nil {
			return h.gone(err)
		}
		h.liftButton(logical)
		return h.gone(h.settle(ctx))
	}
	if _, held := h.rec.buttons[logical]; held {
		return nil
	}
	if err := h.person(ctx); err != nil {
		return h.gone(err)
	}
	n, err := h.physical(ctx, logical)
	if err != nil {
		return h.gone(err)
	}
	if err := h.hold(ctx, into, h.pointerLands); err != nil {
		return h.gone(err)
	}
	h.rec.buttons[logical] = n
	h.save()
	h.queue(h.fake(fakeButtonDown, n, 0, 0))
	return h.gone(h.settle(ctx))
}

func (h *hands) liftButton(logical byte) {
	h.queue(h.fake(fakeButtonUp, h.rec.buttons[logical], 0, 0))
	delete(h.rec.buttons, logical)
}

// Scroll turns the wheel, down and right being positive, one click after another.
func (h *hands) Scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	if err := h.person(ctx); err != nil {
		return h.gone(err)
	}
	if err := h.turnWheel(ctx, dy, wheelUp, wheelDown, into); err != nil {
		return h.gone(err)
	}
	return h.gone(h.turnWheel(ctx, dx, wheelLeft, wheelRight, into))
}

func (h *hands) turnWheel(ctx context.Context, n int, back, forth byte, into driver.Into) error {
	logical := forth
	if n < 0 {
		logical = back
	}
	if n == 0 {
		return nil
	}
	button, err := h.physical(ctx, logical)
	if err != nil {
		return err
	}
	for range abs(n) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := h.hold(ctx, into, h.pointerLands); err != nil {
			return err
		}
		// Down and up go out as one piece: nothing to record, nothing that can stay down.
		h.queue(h.fake(fakeButtonDown, button, 0, 0), h.fake(fakeButtonUp, button, 0, 0))
		if err := h.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// Bits of the core state that say which button is down: button 1 is the lowest of five.
const buttonBits = 8

// person refuses while the person holds a modifier or a mouse button: what we do would come out as another
// thing. It can't tell the person from a third program that sends input, and need not.
func (h *hands) person(ctx context.Context) error {
	if err := h.personKeys(ctx); err != nil {
		return err
	}
	at, err := h.pointer(ctx)
	if err != nil {
		return err
	}
	for b := byte(1); b <= 3; b++ {
		if _, ours := h.rec.buttons[b]; !ours && at.mask&(1<<(buttonBits+b-1)) != 0 {
			return driver.ErrHeldByPerson
		}
	}
	return nil
}

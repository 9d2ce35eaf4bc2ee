package gesture

import (
	"context"

	"conch/driver"
	"conch/driver/key"
)

// Move moves the pointer. A button that MouseDown holds stays down.
func Move(ctx context.Context, d driver.Driver, at driver.ScreenPoint, g Guard) error {
	return run(ctx, d, g, func(h *hand) error {
		return steps(
			func() error { return h.ask(&at) },
			func() error { return h.move(at) },
		)
	})
}

// Click clicks 1 to 3 times at a point while mods are held.
func Click(ctx context.Context, d driver.Driver, at driver.ScreenPoint, b driver.Button, times int, mods key.Mods, g Guard) error {
	if err := between("the number of clicks", times, 1, 3); err != nil {
		return err
	}
	return run(ctx, d, g, func(h *hand) error {
		if err := h.arrive(at, mods); err != nil {
			return err
		}
		for i := range times {
			if i > 0 {
				if err := h.wait(clickGap); err != nil {
					return err
				}
			}
			err := steps(
				func() error { return h.ask(&at) },
				func() error { return h.button(b, true) },
				func() error { return h.wait(buttonHold) },
				func() error { return h.unclick(b) },
			)
			if err != nil {
				return err
			}
		}
		return h.lift()
	})
}

// arrive moves to a point and then holds mods.
func (h *hand) arrive(at driver.ScreenPoint, mods key.Mods) error {
	return steps(
		func() error { return h.ask(&at) },
		func() error { return h.move(at) },
		func() error { return h.wait(hover) },
		func() error {
			if mods == 0 {
				return nil
			}
			return h.ask(&at)
		},
		func() error { return h.press(mods) },
	)
}

// Drag presses at from, moves to the other point by way points in a straight line, and lifts there. The guard
// is asked about each of them. A drag that may not go on goes back to where it began before it lets go, so that
// nothing is dropped half-way; one that is stopped lets go where it is, as nothing moves after Stop.
func Drag(ctx context.Context, d driver.Driver, from, to driver.ScreenPoint, b driver.Button, mods key.Mods, g Guard) error {
	return run(ctx, d, g, func(h *hand) error {
		err := steps(
			func() error { return h.arrive(from, mods) },
			func() error { return h.ask(&from) },
			func() error { return h.button(b, true) },
		)
		if err != nil {
			return err
		}
		began := h.into
		if err = h.drag(from, to, b); err != nil && ctx.Err() == nil {
			_ = d.Move(ctx, from, began) // not where another window is by now; what is held is lifted in any case
		}
		return err
	})
}

// drag moves what was taken at from, and drops it.
func (h *hand) drag(from, to driver.ScreenPoint, b driver.Button) error {
	if err := h.wait(dragRest); err != nil {
		return err
	}
	for i := 1; i <= dragPoints; i++ {
		p := along(from, to, i)
		err := steps(
			func() error { return h.ask(&p) },
			func() error { return h.move(p) },
			func() error { return h.wait(dragStep) },
		)
		if err != nil {
			return err
		}
	}
	return steps(
		func() error { return h.wait(dragRest) },
		func() error { return h.ask(&to) },
		func() error { return h.button(b, false) },
		h.lift,
	)
}

// along is the i-th way point; the last is exactly to.
func along(from, to driver.ScreenPoint, i int) driver.ScreenPoint {
	if i == dragPoints {
		return to
	}
	t := float64(i) / dragPoints
	return driver.ScreenPoint{X: from.X + t*(to.X-from.X), Y: from.Y + t*(to.Y-from.Y)}
}

// MouseDown presses a button and leaves it down, where the pointer is or, when at is given, there. Whoever
// calls it owes a MouseUp, or a Release at the end of the turn.
func MouseDown(ctx context.Context, d driver.Driver, at *driver.ScreenPoint, b driver.Button, g Guard) error {
	return mouse(ctx, d, at, b, true, g)
}

// MouseUp lifts a button that MouseDown pressed.
func MouseUp(ctx context.Context, d driver.Driver, at *driver.ScreenPoint, b driver.Button, g Guard) error {
	return mouse(ctx, d, at, b, false, g)
}

func mouse(ctx context.Context, d driver.Driver, at *driver.ScreenPoint, b driver.Button, down bool, g Guard) error {
	return run(ctx, d, g, func(h *hand) error {
		if at != nil {
			if err := h.arrive(*at, 0); err != nil {
				return err
			}
		}
		// Where the pointer really is: the person may have moved it.
		p, err := d.Pointer(ctx)
		if err != nil {
			return err
		}
		return steps(
			func() error { return h.ask(&p) },
			func() error { return h.button(b, down) },
		)
	})
}

// maxScroll is the most clicks of the wheel in one gesture, and scrollPiece the most between two questions to
// the guard.
const (
	maxScroll   = 100
	scrollPiece = 10
)

// Scroll turns the wheel at a point while mods are held: dx clicks to the right and dy down, each -100 to 100.
func Scroll(ctx context.Context, d driver.Driver, at driver.ScreenPoint, dx, dy int, mods key.Mods, g Guard) error {
	for _, n := range []int{dx, dy} {
		if err := between("the scrolling", n, -maxScroll, maxScroll); err != nil {
			return err
		}
	}
	return run(ctx, d, g, func(h *hand) error {
		if err := h.arrive(at, mods); err != nil {
			return err
		}
		for dx != 0 || dy != 0 {
			x, y := piece(dx), piece(dy)
			err := steps(
				func() error { return h.ask(&at) },
				func() error { return h.scroll(x, y) },
			)
			if err != nil {
				return err
			}
			dx, dy = dx-x, dy-y
		}
		return h.lift()
	})
}

func piece(n int) int { return max(-scrollPiece, min(scrollPiece, n)) }

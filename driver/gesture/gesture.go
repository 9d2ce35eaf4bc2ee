// Package gesture composes what a person's hand does (a click, a drag, typing, a chord) out of a driver's
// single events, once for every platform.
//
// Each gesture asks its Guard right before each group of events that belong together, sends them only into what
// the guard said, and looks at its context between every two events. On any way out that isn't success (a refusal, a cancel, an error, a
// panic) it lifts everything that the driver holds, on a context of its own. It never decides what may be
// clicked, and never waits for an app to react: that is Settle, which is asked for by itself.
package gesture

import (
	"context"
	"errors"
	"fmt"
	"time"

	"conch/driver"
	"conch/driver/key"
)

// Guard is asked right before events are posted, and says into what they may go. next is the point that the
// pointer is at or goes to, nil for keys and text, which go to the focused window. An error stops the gesture,
// lifts all that is held, and is returned as it is (by Type inside a ShortError).
type Guard func(ctx context.Context, next *driver.ScreenPoint) (driver.Into, error)

// Unguarded lets everything through: for fixtures and measurements on a desk of one's own.
func Unguarded(context.Context, *driver.ScreenPoint) (driver.Into, error) {
	return driver.Anywhere, nil
}

// ErrNoGuard says that a gesture was asked for without a Guard. It posts nothing.
var ErrNoGuard = errors.New("gesture: no guard was given")

// StuckError says that something may still be held: the driver couldn't lift it.
type StuckError struct{ Err error }

func (e *StuckError) Error() string {
	return "a key or button may still be down: " + e.Err.Error()
}

func (e *StuckError) Unwrap() error { return e.Err }

// Times that apps need; measured for X11 in a browser and two toolkits.
const (
	// keyHold and buttonHold are how long a key or button stays down: apps that poll miss a shorter press. One
	// frame at 60 Hz is 17 ms.
	keyHold    = 20 * time.Millisecond
	buttonHold = 20 * time.Millisecond
	// clickGap is between the clicks of a double click, well below the shortest double-click time in use (200 ms).
	clickGap = 40 * time.Millisecond
	// repeatGap is between two presses of a repeated chord.
	repeatGap = 10 * time.Millisecond
	// hover lets a window see the pointer before the press.
	hover = 10 * time.Millisecond
	// A drag is taken by every drop target that was tried with these; with fewer or faster points some lose it.
	dragPoints = 20
	dragStep   = 8 * time.Millisecond
	dragRest   = 60 * time.Millisecond
	// releaseWithin bounds the lifting at the end: Stop waits for it.
	releaseWithin = 2 * time.Second
)

// hand is one gesture under way.
type hand struct {
	ctx   context.Context
	d     driver.Driver
	guard Guard
	next  *driver.ScreenPoint // what the guard was last asked about,
	into  driver.Into         // and what it said
	down  []key.Key           // modifiers that this gesture holds
}

// run does a gesture, and lifts all that is held unless it succeeded. After a success nothing of the gesture
// is down (it lifted what it pressed), and what an earlier MouseDown holds stays held.
func run(ctx context.Context, d driver.Driver, g Guard, do func(*hand) error) (err error) {
	if g == nil {
		return ErrNoGuard
	}
	done := false
	defer func() {
		if done {
			return
		}
		release, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
		defer cancel()
		if stuck := d.Release(release); stuck != nil {
			err = errors.Join(err, &StuckError{stuck})
		}
	}()
	err = do(&hand{ctx: ctx, d: d, guard: g})
	done = err == nil
	return err
}

// ask asks the guard.
func (h *hand) ask(next *driver.ScreenPoint) error {
	if next != nil {
		at := *next
		next = &at
	}
	h.next = next
	return h.askAgain()
}

func (h *hand) askAgain() error {
	h.into = driver.Into{}
	if err := h.ctx.Err(); err != nil {
		return err
	}
	next := h.next
	if next != nil {
		at := *next // a guard can't move the click
		next = &at
	}
	into, err := h.guard(h.ctx, next)
	if err != nil {
		return err
	}
	h.into = into
	return h.ctx.Err()
}

// mostAsked is how often the guard is asked about the same event, while windows come and go faster than it answers.
const mostAsked = 5

// post sends an event into what the guard said. When another window has come there since, the guard is asked about
// that one.
func (h *hand) post(event func(driver.Into) error) error {
	for asked := 1; ; asked++ {
		if err := h.ctx.Err(); err != nil {
			return err
		}
		err := event(h.into)
		if !errors.Is(err, driver.ErrElsewhere) || asked == mostAsked {
			return err
		}
		if err := h.askAgain(); err != nil {
			return err
		}
	}
}

// wait lets time pass.
func (h *hand) wait(t time.Duration) error { return sleep(h.ctx, t) }

func sleep(ctx context.Context, t time.Duration) error {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *hand) move(to driver.ScreenPoint) error {
	return h.post(func(into driver.Into) error { return h.d.Move(h.ctx, to, into) })
}

func (h *hand) button(b driver.Button, down bool) error {
	return h.post(func(into driver.Into) error { return h.d.Button(h.ctx, b, down, into) })
}

// unclick lifts the button of a click: the window that was pressed gets it, wherever the pointer is by now.
func (h *hand) unclick(b driver.Button) error {
	if err := h.ctx.Err(); err != nil {
		return err
	}
	return h.d.Button(h.ctx, b, false, driver.Anywhere)
}

// scroll isn't tried again: some of it may have been done.
func (h *hand) scroll(dx, dy int) error {
	if err := h.ctx.Err(); err != nil {
		return err
	}
	return h.d.Scroll(h.ctx, dx, dy, h.into)
}

func (h *hand) key(k key.Key, down bool) error {
	return h.post(func(into driver.Into) error { return h.d.Key(h.ctx, k, down, into) })
}

// press holds modifiers.
func (h *hand) press(m key.Mods) error {
	for _, k := range m.Keys() {
		if err := h.key(k, true); err != nil {
			return err
		}
		h.down = append(h.down, k)
	}
	return nil
}

// lift lets go of the modifiers, the last first.
func (h *hand) lift() error {
	for len(h.down) > 0 {
		last := len(h.down) - 1
		if err := h.key(h.down[last], false); err != nil {
			return err
		}
		h.down = h.down[:last]
	}
	return nil
}

// steps runs one after another until one fails.
func steps(all ...func() error) error {
	for _, f := range all {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// between returns an error unless n is in lo…hi.
func between(what string, n, lo, hi int) error {
	if n < lo || n > hi {
		return fmt.Errorf("%s is %d; it has to be %d to %d", what, n, lo, hi)
	}
	return nil
}

package overlay

import (
	"context"
	"sync"

	"conch/driver"
)

// Aside makes the card give way to Conch's own presses, which are meant for the app beneath it.
type Aside interface {
	// Aside lets presses at p through, at once; away from the card it does nothing.
	Aside(ctx context.Context, p driver.ScreenPoint) error
	// Back ends that.
	Back()
}

// Behind returns d with the card out of the way of what d presses: a picture doesn't show the card, so the app
// that it shows there must be what a click reaches. A person's press on Stop counts all the while.
func Behind(d driver.Driver, a Aside) driver.Driver { return &behind{Driver: d, aside: a} }

type behind struct {
	driver.Driver
	aside Aside

	mu   sync.Mutex
	down int // buttons that d holds
}

// Watch hears the person by what shows the card, where that can hear them, since it must listen for Stop anyway;
// otherwise by the driver.
func (b *behind) Watch(ctx context.Context) (<-chan driver.PersonEvent, error) {
	for _, from := range []any{b.aside, b.Driver} {
		if w, ok := from.(driver.Watcher); ok {
			return w.Watch(ctx)
		}
	}
	return nil, driver.ErrNoWatch
}

func (b *behind) held(change int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = max(0, b.down+change)
	return b.down
}

// giveWay asks where the pointer really is: the person may have moved it since.
func (b *behind) giveWay(ctx context.Context) error {
	p, err := b.Pointer(ctx)
	if err != nil {
		return err
	}
	return b.aside.Aside(ctx, p)
}

func (b *behind) Button(ctx context.Context, which driver.Button, down bool, into driver.Into) error {
	if down {
		if err := b.giveWay(ctx); err != nil {
			return err
		}
		if err := b.Driver.Button(ctx, which, true, into); err != nil {
			if b.held(0) == 0 {
				b.aside.Back()
			}
			return err
		}
		b.held(1)
		return nil
	}
	err := b.Driver.Button(ctx, which, false, into)
	if b.held(-1) == 0 {
		b.aside.Back()
	}
	return err
}

// Move gives way while a button is down: what is dragged may be dropped on what lies beneath the card.
func (b *behind) Move(ctx context.Context, to driver.ScreenPoint, into driver.Into) error {
	if b.held(0) > 0 {
		if err := b.aside.Aside(ctx, to); err != nil {
			return err
		}
	}
	return b.Driver.Move(ctx, to, into)
}

func (b *behind) Scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	if err := b.giveWay(ctx); err != nil {
		return err
	}
	err := b.Driver.Scroll(ctx, dx, dy, into)
	if b.held(0) == 0 {
		b.aside.Back()
	}
	return err
}

func (b *behind) Release(ctx context.Context) error {
	err := b.Driver.Release(ctx)
	b.mu.Lock()
	b.down = 0
	b.mu.Unlock()
	b.aside.Back()
	return err
}

func (b *behind) End(ctx context.Context) error {
	err := b.Driver.End(ctx)
	b.mu.Lock()
	b.down = 0
	b.mu.Unlock()
	b.aside.Back()
	return err
}

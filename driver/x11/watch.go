//go:build linux

package x11

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"conch/driver"
	"conch/driver/x11/xraw"
)

var _ driver.Watcher = (*Driver)(nil)

// watchEvery is how often a pointer on the move is asked where it is: a mouse makes a thousand events a second.
const watchEvery = 30 * time.Millisecond

// Watch brings what the person does from now on until ctx ends. What comes by XTEST is not heard, since Conch's own
// input comes that way: a person who is there through x11vnc isn't heard either.
func (d *Driver) Watch(ctx context.Context) (<-chan driver.PersonEvent, error) {
	w := &personWatch{
		raw: make(chan xraw.Input, 256), out: make(chan driver.PersonEvent, 64),
	}
	var err error
	if w.conn, err = xraw.DialEnv(ctx, d.conn.Display, d.env.get, w.hear); err != nil {
		return nil, fmt.Errorf("listen for the person: %w", err)
	}
	if err := w.start(ctx); err != nil {
		_ = w.conn.Close()
		return nil, fmt.Errorf("listen for the person: %w", err)
	}
	go w.run(ctx)
	return w.out, nil
}

// personWatch listens on a connection of its own, which ends with it.
type personWatch struct {
	conn *xraw.Conn
	xi   atomic.Pointer[xraw.XI] // for the connection's reader
	raw  chan xraw.Input
	out  chan driver.PersonEvent

	moved atomic.Bool // the list of devices has changed
	mu    sync.Mutex
	made  map[uint16]bool // devices of XTEST

	stride driver.Stride
	asked  time.Time // when the pointer was asked for last
}

func (w *personWatch) start(ctx context.Context) error {
	xi, err := w.conn.XI(ctx)
	if err != nil {
		return err
	}
	w.xi.Store(xi)
	if err := w.learn(ctx); err != nil {
		return err
	}
	root := w.conn.Setup().Root
	if err := xi.Select(ctx, root, xraw.AllDevices, xraw.HierarchyChanged); err != nil {
		return err
	}
	return xi.Select(ctx, root, xraw.AllMasterDevices, xraw.RawKeyPress, xraw.RawButtonPress, xraw.RawMotion)
}

// learn finds out which devices XTEST's made-up events come from. Any other counts as a person's.
func (w *personWatch) learn(ctx context.Context) error {
	devices, err := w.xi.Load().Devices(ctx, xraw.AllDevices)
	if err != nil {
		return err
	}
	made := map[uint16]bool{}
	for _, v := range devices {
		made[v.ID] = v.Synthetic()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made = made
	return nil
}

func (w *personWatch) isMade(device uint16) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made[device]
}

// hear runs on the connection's reader: while Conch types there are thousands of events a second, and all of its
// own end here.
func (w *personWatch) hear(e xraw.Event) {
	xi := w.xi.Load()
	if xi == nil {
		return
	}
	in, ok := xi.Input(e)
	if !ok {
		return
	}
	switch in.Type {
	case xraw.HierarchyChanged:
		w.moved.Store(true) // asked about before the next event is told, which may come of a new device
		return
	case xraw.RawKeyPress, xraw.RawButtonPress, xraw.RawMotion:
		if w.isMade(in.Source) {
			return
		}
	default:
		return
	}
	select {
	case w.raw <- in:
	default: // hundreds wait, which say as much
	}
}

func (w *personWatch) run(ctx context.Context) {
	defer close(w.out)
	defer func() { _ = w.conn.Close() }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.conn.Done():
			return
		case in := <-w.raw:
			w.tell(ctx, in)
		}
	}
}

func (w *personWatch) tell(ctx context.Context, in xraw.Input) {
	if w.moved.Swap(false) {
		_ = w.learn(ctx) // if it can't be, the old list stands: an unknown device counts as a person's
	}
	if w.isMade(in.Source) {
		return
	}
	did := driver.PersonEvent{Deed: deedOf(in), At: time.Now()}
	if did.Deed == driver.DeedMove {
		if did.At.Sub(w.asked) < watchEvery {
			return
		}
		w.asked = did.At
		// A raw event has the device's own units, and of a tablet they are no distance: the server knows the place.
		at, err := w.pointer(ctx)
		if err != nil {
			return
		}
		did.Move = w.stride.To(at, did.At)
	}
	select {
	case w.out <- did:
	default: // the reader is behind, and has enough to go by
	}
}

// deedOf says what a person does who makes that raw event.
func deedOf(in xraw.Input) driver.Deed {
	switch {
	case in.Type == xraw.RawKeyPress:
		return driver.DeedKey
	case in.Type == xraw.RawMotion:
		return driver.DeedMove
	case in.Detail >= 4 && in.Detail <= 7: // the wheel's buttons
		return driver.DeedScroll
	}
	return driver.DeedButton
}

func (w *personWatch) pointer(ctx context.Context) (driver.ScreenPoint, error) {
	got, err := w.conn.Request(ctx, request(opQueryPointer, 0, w.conn.Setup().Root))
	if err != nil {
		return driver.ScreenPoint{}, err
	}
	return driver.ScreenPoint{X: float64(int16(u16(got, 16))), Y: float64(int16(u16(got, 18)))}, nil
}

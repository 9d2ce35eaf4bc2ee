package mac

import (
	"context"
	"time"

	"conch/driver"
	"conch/overlay"
)

// Grab takes the Stop keys and starts to listen. It never fails where any way to press Stop is left.
func (d *Desktop) Grab(ctx context.Context) (overlay.Held, error) {
	d.keys.Lock()
	defer d.keys.Unlock()
	if d.on {
		return held(d.now), nil
	}
	r, err := askMain(ctx, func() (reach, error) {
		return reach{system: systemKeys(), registered: registerKeys()}, nil
	})
	if err != nil {
		soon(unregisterKeys) // it may still be done, and nobody would give them back
		return overlay.Held{}, err
	}
	r.tap = startTap()
	d.on, d.now = true, r
	return held(r), nil
}

// Ungrab gives the Stop keys back and stops listening.
func (d *Desktop) Ungrab(ctx context.Context) error {
	d.keys.Lock()
	defer d.keys.Unlock()
	if !d.on {
		return nil
	}
	stopTap()
	d.on, d.now = false, reach{}
	return onMain(ctx, unregisterKeys)
}

// tapLost says which key is left when macOS took the permission to listen away.
func (d *Desktop) tapLost() {
	d.keys.Lock()
	defer d.keys.Unlock()
	if !d.on || !d.now.tap {
		return
	}
	stopTap()
	d.now.tap = false
	d.emit(overlay.KeyChanged{Held: held(d.now)})
}

// person passes on what a person did. A press where Stop is counts also while the card is aside for a press of
// Conch's own.
func (d *Desktop) person(r record) {
	d.mu.Lock()
	did, ok := d.ear.hear(r, time.Now())
	if ok {
		for w := range d.watches {
			select {
			case w <- did:
			default: // it is behind, and has enough to go by
			}
		}
	}
	d.mu.Unlock()
	if at := d.aside.Load(); ok && at != nil && did.Deed == driver.DeedButton && at.Contains(r.at) {
		d.emit(overlay.StopPressed{})
	}
}

// Watch brings what the person does while the Stop keys are held, which is while the edge is lit.
func (d *Desktop) Watch(ctx context.Context) (<-chan driver.PersonEvent, error) {
	w := make(chan driver.PersonEvent, 64)
	d.mu.Lock()
	d.watches[w] = struct{}{}
	d.mu.Unlock()
	context.AfterFunc(ctx, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if _, there := d.watches[w]; there {
			delete(d.watches, w)
			close(w)
		}
	})
	return w, nil
}

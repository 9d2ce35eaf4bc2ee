package mac

// #include "stopkeys_darwin.h"
import "C"

import (
	"context"
	"time"

	"conch/driver"
	"conch/overlay"
)

// cChords are the chords as C has them; their ids are their places in the list, from 1.
func cChords() []C.cn_chord {
	out := make([]C.cn_chord, len(chords))
	for i, c := range chords {
		out[i] = C.cn_chord{id: C.uint32_t(i + 1), code: escape, carbon: C.uint32_t(c.carbon), flags: C.uint64_t(c.flags)}
	}
	return out
}

// Grab takes the Stop keys and starts to listen. It never fails where any way to press Stop is left.
func (d *Desktop) Grab(ctx context.Context) (overlay.Held, error) {
	d.keys.Lock()
	defer d.keys.Unlock()
	if d.on {
		return held(d.now), nil
	}
	list := cChords()
	var r reach
	err := onMain(ctx, func() error {
		r.system = systemKeys()
		C.cn_hotkeys_on(&list[0], C.int(len(list)))
		return nil
	})
	if err != nil {
		return overlay.Held{}, err
	}
	for _, c := range list {
		r.registered = append(r.registered, c.status == 0)
	}
	r.tap = C.cn_tap_on(&list[0], C.int(len(list))) == 0
	d.on, d.now = true, r
	return held(r), nil
}

// systemKeys are the keys that macOS has for itself; nil when it doesn't say. On the main thread only.
func systemKeys() []symbolic {
	var list [512]C.cn_symbolic // macOS has about 200
	n := int(C.cn_symbolic_keys(&list[0], C.int(len(list))))
	var out []symbolic
	for _, k := range list[:max(0, n)] {
		out = append(out, symbolic{uint32(k.code), uint32(k.carbon), k.enabled != 0})
	}
	return out
}

// Ungrab gives the Stop keys back and stops listening.
func (d *Desktop) Ungrab(ctx context.Context) error {
	d.keys.Lock()
	defer d.keys.Unlock()
	if !d.on {
		return nil
	}
	C.cn_tap_off()
	d.on, d.now = false, reach{}
	return onMain(ctx, func() error {
		C.cn_hotkeys_off()
		return nil
	})
}

// tapLost says which key is left when macOS took the permission to listen away.
func (d *Desktop) tapLost() {
	d.keys.Lock()
	defer d.keys.Unlock()
	if !d.on || !d.now.tap {
		return
	}
	C.cn_tap_off()
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

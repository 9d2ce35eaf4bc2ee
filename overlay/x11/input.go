//go:build linux

package x11

import (
	"context"
	"image"
	"slices"
	"sync"

	"github.com/jezek/xgb/xproto"

	"conch/driver/x11/xraw"
	"conch/overlay"
)

// heard is an XInput2 event that the loop must see.
type heard struct {
	xraw.Input
	stop bool // a raw press of Escape while Super was down
}

// listener is what xraw's goroutine needs to sift raw events: while Conch types there are thousands a second,
// and all but the Stop key's end here.
type listener struct {
	mu     sync.Mutex
	escape []byte
	super  []byte
	down   map[byte]bool // which of super are down
	fakes  []uint32      // server times of the last presses of Escape by XTEST
}

func (l *listener) learn(escape, super []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.escape, l.super = escape, super
	for code := range l.down { // what the person holds stays held
		if !slices.Contains(super, code) {
			delete(l.down, code)
		}
	}
}

// start sets which keys are down before any raw event has been heard.
func (l *listener) start(keys []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down, l.fakes = map[byte]bool{}, nil
	for _, c := range l.super {
		if int(c/8) < len(keys) && keys[c/8]&(1<<(c%8)) != 0 {
			l.down[c] = true
		}
	}
}

// key takes in a raw key event and says whether it is the Stop key.
func (l *listener) key(in xraw.Input, synthetic bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	code := byte(in.Detail)
	if slices.Contains(l.super, code) {
		if in.Type == xraw.RawKeyPress {
			l.down[code] = true
		} else {
			delete(l.down, code)
		}
		return false
	}
	if in.Type != xraw.RawKeyPress || !slices.Contains(l.escape, code) {
		return false
	}
	if synthetic {
		const keep = 32
		l.fakes = append(l.fakes, in.Time)
		if len(l.fakes) > keep {
			l.fakes = l.fakes[1:]
		}
	}
	return len(l.down) > 0
}

// faked says whether Escape was pressed by XTEST at that time.
func (l *listener) faked(at uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.fakes, at)
}

// hear is called by xraw for each event, in order; it must not block.
func (d *Desktop) hear(e xraw.Event) {
	xi := d.xi.Load()
	if xi == nil {
		return
	}
	in, ok := xi.Input(e)
	if !ok {
		return
	}
	switch in.Type {
	case xraw.HierarchyChanged:
		d.in.add(devicesMoved{})
	case xraw.RawKeyPress, xraw.RawKeyRelease:
		if d.listen.key(in, d.isSynthetic(in.Source)) {
			d.in.add(heard{in, true})
		}
	case xraw.RawButtonPress:
		if in.Detail == 1 {
			d.in.add(heard{in, false})
		}
	case xraw.ButtonPress, xraw.ButtonRelease, xraw.Motion, xraw.Enter, xraw.Leave:
		d.in.add(heard{in, false})
	}
}

// learnDevices finds out which devices XTEST's made-up events come from.
func (d *Desktop) learnDevices(ctx context.Context) error {
	devices, err := d.xi.Load().Devices(ctx, xraw.AllDevices)
	if err != nil {
		return err
	}
	made := map[uint16]bool{}
	for _, v := range devices {
		if v.Synthetic() {
			made[v.ID] = true
		}
	}
	d.synthetic.Store(&made)
	return nil
}

func (d *Desktop) isSynthetic(source uint16) bool {
	made := d.synthetic.Load()
	return made != nil && (*made)[source]
}

// heard acts on an XInput2 event.
func (d *Desktop) heard(h heard) {
	made := d.isSynthetic(h.Source)
	ignore := made && !d.opts.hearOthers
	switch {
	case h.stop:
		if d.lit && !ignore {
			d.emit(overlay.StopPressed{})
		}
	case h.Type == xraw.RawButtonPress:
		// While the card is aside for Conch's own press, a person's press on Stop still counts.
		if d.aside && !made && d.pointerOnStop() {
			d.emit(overlay.StopPressed{})
		}
	case d.stop == nil || xproto.Window(h.Window) != d.stop.window:
	case ignore && h.Type != xraw.Leave:
	default:
		d.stop.pointed(h.Input)
	}
}

func (d *Desktop) pointerOnStop() bool {
	if d.stop == nil {
		return false
	}
	p, err := xproto.QueryPointer(d.conn, d.screen.Root).Reply()
	if err != nil {
		return false
	}
	return image.Pt(int(p.RootX), int(p.RootY)).In(d.stop.stop.Add(d.stop.at.Min))
}

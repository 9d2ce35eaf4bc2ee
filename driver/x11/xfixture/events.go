//go:build linux

package xfixture

import (
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// follow handles the X events one after another until the connection ends.
func (p *program) follow() {
	for {
		ev, xerr := p.conn.WaitForEvent()
		if ev == nil && xerr == nil {
			return
		}
		if k, ok := ev.(xproto.KeyPressEvent); ok {
			p.dawdle(k.Event)
		}
		p.mu.Lock()
		p.handle(ev)
		p.mu.Unlock()
		p.changed.Broadcast()
	}
}

// dawdle is how a busy app is late: it still handles each event in its order.
func (p *program) dawdle(id xproto.Window) {
	p.mu.Lock()
	w := p.windows[id]
	p.mu.Unlock()
	if w != nil && w.spec.SlowMS > 0 {
		time.Sleep(time.Duration(w.spec.SlowMS) * time.Millisecond)
	}
}

func (p *program) handle(ev xgb.Event) {
	switch e := ev.(type) {
	case xproto.MappingNotifyEvent:
		p.keys.stale = true
	case xproto.ClientMessageEvent:
		p.message(e)
	case xproto.MapNotifyEvent:
		if w := p.windows[e.Window]; w != nil {
			w.shown = true
		}
	case xproto.UnmapNotifyEvent:
		if w := p.windows[e.Window]; w != nil {
			w.shown = false
		}
	case xproto.ConfigureNotifyEvent:
		if w := p.windows[e.Window]; w != nil {
			grew := w.spec.W != int(e.Width) || w.spec.H != int(e.Height)
			w.spec.W, w.spec.H = int(e.Width), int(e.Height)
			if grew && w.spec.Checks {
				_ = p.paint(w)
			}
		}
	case xproto.ExposeEvent:
		if w := p.windows[e.Window]; w != nil && w.spec.Checks && e.Count == 0 {
			_ = p.paint(w)
		}
	default:
		p.input(ev)
	}
}

// message answers a ping as the Extended Window Manager Hints say: the same message, sent to the root.
func (p *program) message(e xproto.ClientMessageEvent) {
	w := p.windows[e.Window]
	if w == nil || e.Type != p.atom("WM_PROTOCOLS") || e.Format != 32 {
		return
	}
	switch xproto.Atom(e.Data.Data32[0]) {
	case p.atom("_NET_WM_PING"):
		e.Window = p.scr.Root
		xproto.SendEvent(p.conn, false, p.scr.Root,
			xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(e.Bytes()))
	case p.atom("WM_DELETE_WINDOW"):
		w.add(Event{Kind: "close"})
	}
}

func (w *window) add(e Event) {
	const most = 200_000 // a test that floods it must not eat the machine
	if len(w.events) < most {
		w.events = append(w.events, e)
	}
}

func (p *program) input(ev xgb.Event) {
	switch e := ev.(type) {
	case xproto.KeyPressEvent:
		p.key(e, "keydown")
	case xproto.KeyReleaseEvent:
		p.key(xproto.KeyPressEvent(e), "keyup")
	case xproto.ButtonPressEvent:
		p.button(e, "press")
		if w := p.windows[e.Event]; w != nil && w.spec.ClickFocus {
			xproto.SetInputFocus(p.conn, xproto.InputFocusParent, w.id, e.Time)
		}
	case xproto.ButtonReleaseEvent:
		p.button(xproto.ButtonPressEvent(e), "release")
	case xproto.MotionNotifyEvent:
		p.button(xproto.ButtonPressEvent{
			Time: e.Time, Event: e.Event, State: e.State, EventX: e.EventX, EventY: e.EventY, RootX: e.RootX, RootY: e.RootY,
		}, "motion")
	case xproto.FocusInEvent:
		p.focus(e.Event, e.Mode, e.Detail, true)
	case xproto.FocusOutEvent:
		p.focus(e.Event, e.Mode, e.Detail, false)
	}
}

func (p *program) button(e xproto.ButtonPressEvent, kind string) {
	if w := p.windows[e.Event]; w != nil {
		w.add(Event{
			Kind: kind, X: int(e.EventX), Y: int(e.EventY), RootX: int(e.RootX), RootY: int(e.RootY),
			Button: int(e.Detail), State: e.State, Time: uint32(e.Time),
		})
	}
}

func (p *program) focus(id xproto.Window, mode, detail byte, in bool) {
	w := p.windows[id]
	if w == nil || mode == xproto.NotifyModeGrab || mode == xproto.NotifyModeUngrab || detail == xproto.NotifyDetailPointer {
		return
	}
	w.focused = in
	kind := "focusout"
	if in {
		kind = "focusin"
	}
	w.add(Event{Kind: kind})
}

func (p *program) key(e xproto.KeyPressEvent, kind string) {
	w := p.windows[e.Event]
	if w == nil {
		return
	}
	sym := p.keys.translate(e.Detail, e.State)
	w.add(Event{
		Kind: kind, X: int(e.EventX), Y: int(e.EventY), RootX: int(e.RootX), RootY: int(e.RootY),
		Code: int(e.Detail), Sym: sym, State: e.State, Time: uint32(e.Time),
	})
	if kind != "keydown" {
		return
	}
	// As Xt does: text is what a key makes without Control or Alt.
	if e.State&(xproto.ModMaskControl|xproto.ModMask1) != 0 {
		return
	}
	switch r := symRune(sym); {
	case r == '\b':
		w.text = w.text[:max(0, len(w.text)-1)]
	case r != 0:
		w.text = append(w.text, r)
	}
}

//go:build linux

package xfixture

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// program is the inside of the fixture. One goroutine reads requests, one reads X events in their order.
type program struct {
	conn *xgb.Conn
	scr  *xproto.ScreenInfo

	mu      sync.Mutex
	windows map[xproto.Window]*window
	changed *sync.Cond // mapped, focused: anything a request waits for
	keys    keymap
	atoms   map[string]xproto.Atom
}

type window struct {
	id      xproto.Window
	spec    Spec
	colors  [2]uint32
	gc      xproto.Gcontext
	shown   bool
	focused bool
	text    []rune
	events  []Event
	blinks  int
	stop    chan struct{} // ends the blinking; nil when it does not
}

func serve(in io.Reader, out io.Writer) error {
	xgb.Logger = log.New(io.Discard, "", 0)
	conn, err := xgb.NewConn()
	if err != nil {
		return err
	}
	p := &program{conn: conn, scr: xproto.Setup(conn).DefaultScreen(conn), windows: map[xproto.Window]*window{}, atoms: map[string]xproto.Atom{}}
	p.changed = sync.NewCond(&p.mu)
	p.keys = keymap{conn: conn, stale: true}
	go p.follow()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	enc := json.NewEncoder(out)
	for lines.Scan() {
		var q request
		r := reply{}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			r.Err = err.Error()
		} else if r, err = p.answer(q); err != nil {
			r.Err = err.Error()
		}
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	conn.Close()
	return lines.Err()
}

func (p *program) answer(q request) (reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch q.Do {
	case "hello":
		return reply{}, nil
	case "open":
		id, err := p.open(q.Spec)
		return reply{ID: uint32(id)}, err
	}
	w := p.windows[xproto.Window(q.ID)]
	if w == nil {
		return reply{}, fmt.Errorf("no window %d", q.ID)
	}
	switch q.Do {
	case "text":
		return reply{Text: string(w.text)}, nil
	case "events":
		return reply{Events: append([]Event{}, w.events[min(max(q.X, 0), len(w.events)):]...)}, nil
	case "count":
		return reply{Count: len(w.events)}, nil
	case "blinks":
		return reply{Count: w.blinks}, nil
	}
	if err := p.change(w, q); err != nil {
		return reply{}, err
	}
	// Whoever asked may look at once: the server has done it by now.
	_, err := xproto.GetInputFocus(p.conn).Reply()
	return reply{}, err
}

func (p *program) change(w *window, q request) error {
	configure := func(mask uint16, v ...uint32) error {
		return xproto.ConfigureWindowChecked(p.conn, w.id, mask, v).Check()
	}
	switch q.Do {
	case "raise":
		return configure(xproto.ConfigWindowStackMode, xproto.StackModeAbove)
	case "lower":
		return configure(xproto.ConfigWindowStackMode, xproto.StackModeBelow)
	case "move":
		return configure(xproto.ConfigWindowX|xproto.ConfigWindowY, uint32(int32(q.X)), uint32(int32(q.Y)))
	case "resize":
		return configure(xproto.ConfigWindowWidth|xproto.ConfigWindowHeight, uint32(q.X), uint32(q.Y))
	case "focus":
		if err := xproto.SetInputFocusChecked(p.conn, xproto.InputFocusParent, w.id, xproto.TimeCurrentTime).Check(); err != nil {
			return err
		}
		return p.await(func() bool { return w.focused }, "the focus")
	case "paint":
		w.spec.Checks = false
		w.colors = [2]uint32{q.Color, q.Color}
		return p.paint(w)
	case "blink":
		p.blink(w, q.MS)
	case "title":
		return p.setTitle(w.id, q.Spec.Title)
	case "hide":
		w.shown = false
		return xproto.UnmapWindowChecked(p.conn, w.id).Check()
	case "show":
		return p.show(w)
	case "close":
		p.blink(w, 0)
		delete(p.windows, w.id)
		return xproto.DestroyWindowChecked(p.conn, w.id).Check()
	case "forget":
		w.text, w.events = nil, nil
	default:
		return fmt.Errorf("no such request %q", q.Do)
	}
	return nil
}

// await waits, with mu held, until is says yes. A fixture that can't get there says so rather than hang.
func (p *program) await(is func() bool, what string) error {
	late := false
	t := time.AfterFunc(10*time.Second, func() {
		p.mu.Lock()
		late = true
		p.mu.Unlock()
		p.changed.Broadcast()
	})
	defer t.Stop()
	defer p.nudge()()
	for !is() {
		if late {
			return fmt.Errorf("the window did not get %s in 10 seconds", what)
		}
		p.changed.Wait()
	}
	return nil
}

// nudge keeps the window manager awake until the returned function is called. openbox forgets an event that
// arrives while it waits for an answer of the server (as it does after each change of the keymap) until the
// next one arrives; at a desk with a person the pointer's movement is that.
func (p *program) nudge() (stop func()) {
	name := p.atom("_CONCH_NUDGE")
	tick, done := time.NewTicker(100*time.Millisecond), make(chan struct{})
	go func() {
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				xproto.ChangeProperty(p.conn, xproto.PropModeReplace, p.scr.Root, name, xproto.AtomCardinal, 32, 0, nil)
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}

func (p *program) show(w *window) error {
	if err := xproto.MapWindowChecked(p.conn, w.id).Check(); err != nil {
		return err
	}
	return p.await(func() bool { return w.shown }, "shown")
}

func (p *program) blink(w *window, ms int) {
	if w.stop != nil {
		close(w.stop)
		w.stop = nil
	}
	if ms <= 0 {
		return
	}
	stop := make(chan struct{})
	w.stop = stop
	go func() {
		tick := time.NewTicker(time.Duration(ms) * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			p.mu.Lock()
			if w.stop == stop {
				w.colors[0], w.colors[1] = w.colors[1], w.colors[0]
				w.blinks++
				_ = p.paint(w)
			}
			p.mu.Unlock()
		}
	}()
}

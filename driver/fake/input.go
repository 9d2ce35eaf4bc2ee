package fake

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"conch/driver"
	"conch/driver/key"
)

// Kind is what an Event was.
type Kind string

// Kinds of events.
const (
	Moved    Kind = "move"
	Pressed  Kind = "button"
	Scrolled Kind = "scroll"
	Keyed    Kind = "key"
	Typed    Kind = "text"
	Opened   Kind = "open"
)

// Event is one physical event that the driver posted, and where it arrived.
type Event struct {
	Kind   Kind
	At     driver.ScreenPoint // the pointer, then
	Key    key.Key
	Button driver.Button
	Down   bool
	DX, DY int
	Text   string // one grapheme
	App    driver.AppID
	Window driver.WindowID // that got it; 0 none
	When   time.Time
}

// String writes an event as tests compare it: "move 10,20", "button left down", "key Return up", `text "é"`.
func (e Event) String() string {
	way := map[bool]string{true: "down", false: "up"}[e.Down]
	switch e.Kind {
	case Moved:
		return fmt.Sprintf("move %g,%g", e.At.X, e.At.Y)
	case Pressed:
		return "button " + buttonName(e.Button) + " " + way
	case Keyed:
		return "key " + string(e.Key) + " " + way
	case Scrolled:
		return fmt.Sprintf("scroll %d,%d", e.DX, e.DY)
	case Typed:
		return "text " + strconv.Quote(e.Text)
	}
	return "open " + string(e.App)
}

func buttonName(b driver.Button) string {
	return map[driver.Button]string{driver.Left: "left", driver.Middle: "middle", driver.Right: "right"}[b]
}

// record keeps an event. The lock is held.
func (d *Driver) record(e Event) {
	e.At, e.When = d.desk.pointer, time.Now()
	d.events = append(d.events, e)
}

// under is the window of an app that the pointer is over at p. Windows of ours are looked through.
func (d *Driver) under(p driver.ScreenPoint) driver.WindowID {
	for _, w := range d.desk.windows {
		if !w.ours && !w.through && w.Bounds.Contains(p) {
			return w.ID
		}
	}
	return 0
}

// Move moves the pointer to a place on some display.
func (d *Driver) Move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	if err := d.enter(ctx, "move"); err != nil {
		return err
	}
	defer d.mu.Unlock()
	on := slices.ContainsFunc(d.desk.displays, func(v driver.Display) bool { return v.Bounds.Contains(p) })
	if !on {
		return fmt.Errorf("move the pointer to %g,%g: no display is there", p.X, p.Y)
	}
	if !into.Takes(d.under(p)) {
		return driver.ErrElsewhere
	}
	d.desk.pointer = p
	d.record(Event{Kind: Moved, Window: idOf(d.desk.at(p))})
	return nil
}

func idOf(w *window) driver.WindowID {
	if w == nil {
		return 0
	}
	return w.ID
}

// Button presses or lifts a mouse button where the pointer is.
func (d *Driver) Button(ctx context.Context, b driver.Button, down bool, into driver.Into) error {
	if err := d.enter(ctx, "button"); err != nil {
		return err
	}
	defer d.mu.Unlock()
	if buttonName(b) == "" {
		return fmt.Errorf("there is no mouse button %d", b)
	}
	in := input{button: b}
	if down == slices.Contains(d.held, in) {
		return nil // already so
	}
	if !into.Takes(d.under(d.desk.pointer)) {
		return driver.ErrElsewhere
	}
	if down {
		d.held = append(d.held, in)
	} else {
		d.held = slices.DeleteFunc(d.held, func(h input) bool { return h == in })
	}
	d.click(b, down)
	d.settle()
	return nil
}

// click gives a press to the window under the pointer, which comes to the front and takes the keys, and
// lifts it again where it was pressed.
func (d *Driver) click(b driver.Button, down bool) {
	w := d.desk.at(d.desk.pointer)
	if !down && d.press != nil {
		w = d.press.window // the window that saw the press has the pointer until the button goes up
	}
	d.record(Event{Kind: Pressed, Button: b, Down: down, Window: idOf(w)})
	if w == nil {
		return
	}
	c := w.controlAt(d.desk.pointer)
	if down {
		d.press = &press{w, c}
		if !w.ours {
			if w.Role == "normal" || w.Role == "dialog" {
				d.desk.arrange("front", w.ID)
			}
			if c != nil && c.role == "textbox" {
				for _, o := range w.controls {
					o.focused, o.selected = o == c, false
				}
			}
		}
		return
	}
	was := d.press
	d.press = nil
	if was == nil || b != driver.Left || was.control != c {
		return
	}
	d.after("click", strconv.FormatUint(uint64(w.ID), 10))
	if c != nil {
		d.clicked(c)
	}
}

// clicked is what pressing a control does. The lock is held.
func (d *Driver) clicked(c *control) {
	d.clicks[c.name]++
	d.after("click", c.name)
}

// Scroll turns the wheel over the window under the pointer.
func (d *Driver) Scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	if err := d.enter(ctx, "scroll"); err != nil {
		return err
	}
	defer d.mu.Unlock()
	if !into.Takes(d.under(d.desk.pointer)) {
		return driver.ErrElsewhere
	}
	w := d.desk.at(d.desk.pointer)
	d.record(Event{Kind: Scrolled, DX: dx, DY: dy, Window: idOf(w)})
	if w != nil && (dx != 0 || dy != 0) {
		w.paint++
		d.desk.touched(w)
		d.after("scroll", strconv.FormatUint(uint64(w.ID), 10))
	}
	d.settle()
	return nil
}

// Key presses or lifts a key.
func (d *Driver) Key(ctx context.Context, k key.Key, down bool, into driver.Into) error {
	if err := d.enter(ctx, "key"); err != nil {
		return err
	}
	defer d.mu.Unlock()
	if !k.Known() {
		return &driver.NoKeyError{Name: string(k)}
	}
	in := input{key: k}
	if down == slices.Contains(d.held, in) {
		return nil // already so: a fake key doesn't repeat
	}
	if down && d.desk.personHolds {
		return driver.ErrHeldByPerson
	}
	if down && !into.Takes(idOf(d.desk.focused())) {
		return driver.ErrElsewhere
	}
	if down {
		d.held = append(d.held, in)
	} else {
		d.held = slices.DeleteFunc(d.held, func(h input) bool { return h == in })
	}
	w := d.desk.focused()
	d.record(Event{Kind: Keyed, Key: k, Down: down, Window: idOf(w)})
	if down {
		c := key.Chord{Mods: d.mods(), Key: k}
		if m := k.Mod(); m != 0 {
			c.Mods &^= m
		}
		d.stroke(w, c)
		d.after("key", c.String())
	}
	d.settle()
	return nil
}

// mods are the modifiers that are held.
func (d *Driver) mods() key.Mods {
	var m key.Mods
	for _, h := range d.held {
		m |= h.key.Mod()
	}
	return m
}

// stroke is what a key does to the field that has the keys.
func (d *Driver) stroke(w *window, c key.Chord) {
	if w == nil || c.Key.Mod() != 0 {
		return
	}
	if p := w.pressed(string(c.Key.Plain())); p != nil && c.Mods&^key.ModShift == 0 {
		d.clicked(p)
		return
	}
	f := w.field()
	if f == nil {
		return
	}
	switch r, char := c.Key.Rune(); {
	case c.Key == "a" && (c.Mods == key.ModControl || c.Mods == key.ModSuper):
		f.selected = true
		d.desk.touched(w)
	case c.Mods&^key.ModShift != 0:
	case c.Key == "Return":
		d.enterText(w, "\n")
	case c.Key == "Tab":
		d.enterText(w, "\t")
	case c.Key == "BackSpace" || c.Key == "Delete":
		if g := graphemes(f.text); f.selected {
			f.text, f.selected = "", false
		} else if c.Key == "BackSpace" && len(g) > 0 {
			f.text = strings.Join(g[:len(g)-1], "")
		}
		d.desk.touched(w)
	case char && c.Mods == key.ModShift:
		d.enterText(w, strings.ToUpper(string(r)))
	case char:
		d.enterText(w, string(r))
	}
}

// character is what a typed grapheme does.
func (d *Driver) character(w *window, g string) {
	if w == nil {
		return
	}
	if p := w.pressed(map[string]string{"\n": "Return", " ": "space"}[g]); p != nil {
		d.clicked(p)
	} else if w.field() != nil {
		d.enterText(w, g)
	}
}

// enterText puts text into the field that has the keys.
func (d *Driver) enterText(w *window, s string) {
	f := w.field()
	if f.selected {
		f.text, f.selected = "", false
	}
	before := f.text
	f.text += s
	d.desk.touched(w)
	for _, sc := range d.scripts {
		if sc.on == "type" && sc.what == f.name && (sc.words == "" || strings.Contains(f.text, sc.words) && !strings.Contains(before, sc.words)) {
			d.run(sc.steps)
		}
	}
}

// Text types by grapheme into the field that has the keys.
func (d *Driver) Text(ctx context.Context, s string, into driver.Into) (int, error) {
	if err := d.enter(ctx, "text"); err != nil {
		return 0, err
	}
	typed := 0
	for i, g := range graphemes(s) {
		if i > 0 {
			d.mu.Lock()
		}
		f := d.desk.faults["text"]
		if f.slow > 0 {
			d.mu.Unlock()
			if err := d.pause(ctx, f); err != nil {
				return typed, err
			}
			d.mu.Lock()
		}
		err := ctx.Err()
		if err == nil {
			err = d.usable("text")
		}
		if err == nil && d.desk.personHolds {
			err = driver.ErrHeldByPerson
		}
		if err == nil && !into.Takes(idOf(d.desk.focused())) {
			err = driver.ErrElsewhere
		}
		if err != nil {
			d.mu.Unlock()
			return typed, err
		}
		w := d.desk.focused()
		d.record(Event{Kind: Typed, Text: g, Window: idOf(w)})
		d.character(w, strings.ReplaceAll(g, "\r\n", "\n"))
		d.settle()
		typed++
		d.mu.Unlock()
	}
	if typed == 0 {
		d.mu.Unlock()
	}
	return typed, nil
}

// releaseAll lifts what is held, the last first. The lock is held.
func (d *Driver) releaseAll() {
	for len(d.held) > 0 {
		h := d.held[len(d.held)-1]
		d.held = d.held[:len(d.held)-1]
		if h.button != 0 {
			d.click(h.button, false)
		} else {
			d.record(Event{Kind: Keyed, Key: h.key, Window: idOf(d.desk.focused())})
		}
	}
	d.settle()
}

// after runs the scripts for what happened. The lock is held.
func (d *Driver) after(on, what string) {
	for _, sc := range d.scripts {
		if sc.on == on && sc.what == what {
			d.run(sc.steps)
		}
	}
}

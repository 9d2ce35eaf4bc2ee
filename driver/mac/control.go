package mac

import (
	"context"
	"errors"
	"strings"
	"time"

	"conch/driver"
)

// Control says what is under p. The app whose window is there is asked, not the system: a panel of ours that
// clicks go through would answer for itself.
func (d *Driver) Control(ctx context.Context, p driver.ScreenPoint) (driver.Control, error) {
	if err := d.open(ctx); err != nil {
		return driver.Control{}, err
	}
	k, err := d.desk()
	if err != nil {
		return driver.Control{}, err
	}
	w, ok := driver.At(k.windows, p)
	if !ok || w.PID == 0 {
		return driver.Control{}, driver.ErrNoControl
	}
	a := d.asker(ctx)
	e, err := a.element(func() (element, error) { return d.sys.controlAt(w.PID, p) })
	if err != nil {
		return driver.Control{}, err
	}
	defer d.sys.letGo(e)
	raw, err := a.describe(e)
	if err != nil {
		return driver.Control{}, err
	}
	c := control(raw, w.ID)
	if raw.role == "" || c.Bounds.Empty() || !c.Bounds.Contains(p) { // a control that isn't at p was not hit
		return driver.Control{}, driver.ErrNoControl
	}
	var standard driver.Control
	c.Dialog, standard = a.window(e)
	c.Default = standard.Role != "" && standard.Bounds == c.Bounds
	return c, nil
}

// controlError: an app that answers nothing has no control to name; only a missing permission is worth a word. Where
// macOS says all the same that we have it, the switch is on and refused.
func (d *Driver) controlError(err error) error {
	if !errors.Is(err, errDenied) {
		return driver.ErrNoControl
	}
	const say = "macOS refuses to name what is on the screen."
	if !d.sys.mayClick() {
		return permission(say, "Turn on Click and type in Settings.")
	}
	d.tried(ClickAndType, Tried{Refused: true})
	return permission(say, "Remove Conch from Accessibility in System Settings with −, then add it again.")
}

func control(raw rawControl, w driver.WindowID) driver.Control {
	return driver.Control{Role: ariaRole(raw.role, raw.subrole), Name: name(raw), Secure: raw.secure, Bounds: raw.bounds, Window: w}
}

// name is what a person would call a control: what it says on it, what it is described as, what stands beside
// it, or its words where it is nothing but words. Never what was typed into it.
func name(raw rawControl) string {
	for _, s := range []string{raw.title, raw.description, raw.label} {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	if raw.secure {
		return ""
	}
	return strings.TrimSpace(raw.text)
}

// Find lists the controls of the window in front whose name matches, best first.
func (d *Driver) Find(ctx context.Context, name string) ([]driver.Control, error) {
	if err := d.open(ctx); err != nil {
		return nil, err
	}
	s := search{sys: d.sys, want: driver.PlainName(name), until: d.now().Add(findWithin), now: d.now}
	k, err := d.desk()
	if err != nil {
		return nil, err
	}
	front, ok := inFront(k.windows)
	if !ok || s.want == "" {
		return nil, driver.ErrNoControl
	}
	top, err := d.sys.frontWindow(front.PID)
	if err != nil {
		return nil, d.controlError(err)
	}
	d.tried(ClickAndType, Tried{})
	s.visible = front.Bounds
	s.walk(ctx, top)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(s.hits) == 0 {
		return nil, driver.ErrNoControl
	}
	return s.best(front.ID), nil
}

// inFront picks the window that a person would call the one in front: that with the keys, or the topmost.
func inFront(ws []driver.Window) (driver.Window, bool) {
	for _, w := range ws {
		if w.Focused {
			return w, true
		}
	}
	for _, w := range ws {
		if (w.Role == "normal" || w.Role == "dialog") && len(w.Visible) > 0 {
			return w, true
		}
	}
	return driver.Window{}, false
}

// Bounds of a search: a page in a browser can have a hundred thousand objects, and each question takes an app
// up to a tenth of a second.
const (
	findWithin   = 3 * time.Second
	mostNodes    = 4000
	mostChildren = 500
	mostHits     = 50
	deepest      = 40
	mostBusy     = 3 // questions in a row that an app leaves without an answer
)

// search looks for a name in what is shown of a window.
type search struct {
	sys     system
	want    string
	until   time.Time
	now     func() time.Time
	visible driver.ScreenRect

	seen, busy int
	hits       []driver.Control
}

// walk goes through a window level by level, until the time or the bounds are reached. What was found by then
// counts. It lets go of every element it was given, top too.
func (s *search) walk(ctx context.Context, top element) {
	level := []element{top}
	for depth := 0; depth < deepest && len(level) > 0; depth++ {
		var next []element
		for i, e := range level {
			if s.over(ctx) {
				s.sys.letGo(level[i:]...)
				s.sys.letGo(next...)
				return
			}
			next = append(next, s.look(e, depth)...)
			s.sys.letGo(e)
		}
		level = next
	}
	s.sys.letGo(level...)
}

func (s *search) over(ctx context.Context) bool {
	s.seen++
	return s.seen > mostNodes || len(s.hits) >= mostHits || s.busy >= mostBusy || ctx.Err() != nil || !s.now().Before(s.until)
}

// look weighs one element and returns what is in it.
func (s *search) look(e element, depth int) []element {
	raw, err := s.sys.describe(e)
	if errors.Is(err, errBusy) {
		s.busy++
	}
	if err != nil {
		return nil
	}
	s.busy = 0
	shown := !raw.hidden && (raw.bounds.Empty() || !raw.bounds.Intersect(s.visible).Empty())
	if !shown && depth > 0 {
		return nil
	}
	if depth > 0 {
		s.weigh(raw)
	}
	kids, err := s.sys.children(e, mostChildren)
	if errors.Is(err, errBusy) {
		s.busy++
	}
	return kids
}

func (s *search) weigh(raw rawControl) {
	c := control(raw, 0)
	if c.Bounds.Empty() {
		return
	}
	if _, ok := driver.NameFits(c.Name, s.want); ok {
		s.hits = append(s.hits, c)
	}
}

// best puts the hits in order, as controls of the window w.
func (s *search) best(w driver.WindowID) []driver.Control {
	out := driver.BestControls(s.hits, s.want)
	for i := range out {
		out[i].Window = w
	}
	return out
}

package mac

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"conch/driver"
	"conch/driver/gesture"
	"conch/driver/key"
)

// TestCodes: each key of the table is one that the parser can give, and each modifier has its own code.
func TestCodes(t *testing.T) {
	for k := range codes {
		if !k.Known() {
			t.Errorf("%q is no key", k)
		}
	}
	seen := map[uint16]key.Key{}
	for k, m := range modifiers {
		if !k.Known() || seen[m.code] != "" || m.flag&flagsHeld == 0 {
			t.Errorf("%q: %+v, its code is %q's", k, m, seen[m.code])
		}
		seen[m.code] = k
	}
	for k, want := range map[key.Key]uint16{"F1": 122, "F12": 111, "F20": 90, "KP_0": 82, "KP_9": 92, "Left": 123, "KP_Left": 123, "Delete": 117, "BackSpace": 51} {
		if codes[k] != want {
			t.Errorf("%s is %d, want %d", k, codes[k], want)
		}
	}
}

func TestChar(t *testing.T) {
	us := usLayout()
	russian := &layout{}
	russian.unit[1] = 'ы'
	russian.unit[columnCommand*codesPerColumn+1] = 'ы'
	dvorakQwerty := &layout{} // Dvorak, with QWERTY while Command is held
	dvorakQwerty.unit[41] = 's'
	dvorakQwerty.unit[columnCommand*codesPerColumn+1] = 's'
	for name, c := range map[string]struct {
		r      rune
		held   uint64
		active *layout
		latin  *layout
		want   stroke
		ok     bool
	}{
		"plain":                       {'s', 0, us, us, stroke{1, 0}, true},
		"shifted":                     {'+', 0, us, us, stroke{24, flagShift}, true},
		"option":                      {'ß', 0, us, us, stroke{1, flagOption}, true},
		"not the keypad":              {'1', 0, us, us, stroke{18, 0}, true},
		"command":                     {'s', flagCommand, us, us, stroke{1, 0}, true},
		"another script":              {'ы', 0, russian, us, stroke{1, 0}, true},
		"a Latin letter there":        {'s', 0, russian, us, stroke{}, false},
		"a shortcut there":            {'s', flagCommand, russian, us, stroke{1, 0}, true},
		"with Control":                {'s', flagControl, russian, us, stroke{1, 0}, true},
		"a layout of its own for ⌘":   {'s', flagCommand, dvorakQwerty, us, stroke{1, 0}, true},
		"and without":                 {'s', 0, dvorakQwerty, us, stroke{41, 0}, true},
		"nowhere":                     {'ж', flagCommand, us, us, stroke{}, false},
		"outside the basic plane":     {'𝔘', 0, us, us, stroke{}, false},
		"no Latin layout can be read": {'s', flagCommand, russian, nil, stroke{}, false},
	} {
		got, ok := char(c.r, c.held, c.active, c.latin)
		if got != c.want || ok != c.ok {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}

// TestHeldByPerson: what we do while the person holds a modifier or button would come out as another thing.
func TestHeldByPerson(t *testing.T) {
	s := small()
	w := s.Open(t, win("A", 0, 0, blue))
	d := begun(t, s)
	ctx := t.Context()
	try := func(want error) {
		t.Helper()
		_, err := d.Text(ctx, "x", driver.Anywhere)
		for name, err := range map[string]error{
			"Text": err, "Key": d.Key(ctx, "a", true, driver.Anywhere), "Button": d.Button(ctx, driver.Left, true, driver.Anywhere), "Scroll": d.Scroll(ctx, 0, 1, driver.Anywhere),
		} {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
		if err := d.Release(ctx); err != nil {
			t.Error(err)
		}
	}
	s.flags = flagOption
	try(driver.ErrHeldByPerson)
	if w.Text() != "" || w.Downs() != 0 {
		t.Errorf("%q, %d presses", w.Text(), w.Downs())
	}
	s.flags = 0x100 | 0x10000 // Caps Lock is not held
	try(nil)
	s.flags = 0
	s.buttons = 1 << 1
	if err := d.Button(ctx, driver.Left, true, driver.Anywhere); !errors.Is(err, driver.ErrHeldByPerson) {
		t.Errorf("beside the person's button: %v", err)
	}
	s.buttons = 0
	// Our own Shift and button are not the person's.
	if err := errors.Join(d.Key(ctx, key.Shift, true, driver.Anywhere), d.Button(ctx, driver.Left, true, driver.Anywhere)); err != nil {
		t.Fatal(err)
	}
	s.flags, s.buttons = flagShift, 1
	if err := errors.Join(d.Key(ctx, "a", true, driver.Anywhere), d.Button(ctx, driver.Right, true, driver.Anywhere)); err != nil {
		t.Errorf("beside our own: %v", err)
	}
	if err := d.Release(ctx); err != nil || len(s.Held(t)) != 0 {
		t.Errorf("%v, still held: %v", err, s.Held(t))
	}
}

// TestSecureInput: nothing is typed while an app hears a password, and the sentence says whose.
func TestSecureInput(t *testing.T) {
	s := small()
	w := s.Open(t, win("A", 0, 0, blue))
	d := begun(t, s)
	s.sess.secure, s.sess.secureName = true, "1Password"
	typed, err := d.Text(t.Context(), "x", driver.Anywhere)
	for _, err := range []error{err, d.Key(t.Context(), "Return", true, driver.Anywhere)} {
		var no *driver.Unready
		if !errors.As(err, &no) || no.Why != driver.WhySecureInput || no.Say != "1Password is waiting for a password, so Conch doesn't type." {
			t.Errorf("%v", err)
		}
	}
	if typed != 0 || w.Text() != "" || w.Keys() != 0 {
		t.Errorf("typed %d: %q", typed, w.Text())
	}
	if err := d.Button(t.Context(), driver.Left, true, driver.Anywhere); err != nil { // a click away from it is right
		t.Error(err)
	}
	s.sess.secureName = ""
	if err := d.Key(t.Context(), "a", true, driver.Anywhere); err == nil || err.Error()[:6] != "An app" {
		t.Errorf("%v", err)
	}
}

// TestPasswordFieldWhileTyping: what was typed before is counted.
func TestPasswordFieldWhileTyping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := small()
		w := s.Open(t, win("A", 0, 0, blue))
		d := begun(t, s)
		go func() {
			time.Sleep(3*typePause + typePause/2)
			s.mu.Lock()
			s.sess.secure = true
			s.mu.Unlock()
		}()
		typed, err := d.Text(t.Context(), "one line of text\nanother\nand more\nand more\nand more", driver.Anywhere)
		var no *driver.Unready
		if !errors.As(err, &no) || typed != len(w.Text()) || typed != len("one line of text\nanother\n") {
			t.Errorf("typed %d of %q: %v", typed, w.Text(), err)
		}
	})
}

func TestClicks(t *testing.T) {
	now := time.Unix(1000, 0)
	var c clicks
	within := 500 * time.Millisecond
	for i, step := range []struct {
		b     driver.Button
		x     float64
		after time.Duration
		want  int
	}{
		{driver.Left, 10, 0, 1},
		{driver.Left, 11, 100 * time.Millisecond, 2},
		{driver.Left, 12, 100 * time.Millisecond, 3},
		{driver.Left, 12, 501 * time.Millisecond, 1}, // too late
		{driver.Left, 12, within, 2},                 // just in time
		{driver.Left, 20, 10 * time.Millisecond, 1},  // too far
		{driver.Right, 20, 10 * time.Millisecond, 1}, // another button
		{driver.Left, 20, 10 * time.Millisecond, 1},
	} {
		now = now.Add(step.after)
		if got := c.press(step.b, driver.ScreenPoint{X: step.x}, now, within); got != step.want {
			t.Errorf("step %d is click %d of a row, want %d", i, got, step.want)
		}
	}
	c.moved(driver.ScreenPoint{X: 22})
	if got := c.press(driver.Left, driver.ScreenPoint{X: 20}, now, within); got != 2 {
		t.Errorf("after a trembling hand: %d", got)
	}
	c.moved(driver.ScreenPoint{X: 90})
	if got := c.press(driver.Left, driver.ScreenPoint{X: 20}, now, within); got != 1 {
		t.Errorf("after a drag: %d", got)
	}
}

// TestEventsOfADrag: apps learn of a drag by drag events only, and of a double click by the count.
func TestEventsOfADrag(t *testing.T) {
	s := small()
	s.Open(t, win("A", 0, 0, blue))
	d := begun(t, s)
	p, q := driver.ScreenPoint{X: 10, Y: 10}, driver.ScreenPoint{X: 80, Y: 90}
	if err := gesture.Drag(t.Context(), d, p, q, driver.Left, 0, gesture.Unguarded); err != nil || s.drags < 5 {
		t.Errorf("%d drag events, %v", s.drags, err)
	}
	drags := s.drags
	s.counts = nil
	if err := gesture.Click(t.Context(), d, p, driver.Left, 3, 0, gesture.Unguarded); err != nil || !slices.Equal(s.counts, []int{1, 2, 3}) {
		t.Errorf("clicks are counted %v, %v", s.counts, err)
	}
	if s.drags != drags {
		t.Error("a move without a button is a drag")
	}
	if err := d.Move(t.Context(), driver.ScreenPoint{X: 5000}, driver.Anywhere); err == nil {
		t.Error("moved off every display")
	}
}

// failing breaks a sim's posting at any event.
type failing struct {
	*sim
	left int // events until all fail; negative never
}

func (f *failing) fail() error {
	if f.left == 0 {
		return errFailed
	}
	f.left--
	return nil
}

func (f *failing) key(code uint16, down bool, flags uint64) error {
	if err := f.fail(); err != nil {
		return err
	}
	return f.sim.key(code, down, flags)
}

func (f *failing) mouse(m mouseEvent) error {
	if err := f.fail(); err != nil {
		return err
	}
	return f.sim.mouse(m)
}

// TestRandomHands presses and lifts anything in any order, with faults: what the flags say is what is held, and
// after a Release that succeeds nothing is down.
func TestRandomHands(t *testing.T) {
	all := []key.Key{key.Shift, key.Control, key.Alt, key.Super, "a", "A", "plus", "=", "é", "ж", "F5", "Return", "KP_1", "ISO_Level3_Shift"}
	for i, k := range all {
		if c, err := key.Parse(string(k)); err == nil && c.Mods == 0 {
			all[i] = c.Key
		}
	}
	buttons := []driver.Button{driver.Left, driver.Middle, driver.Right}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		f := &failing{sim: small(), left: -1}
		f.Open(t, win("A", 0, 0, blue))
		h := newHands(f, nil, time.Now) // all of it goes anywhere
		ctx := context.Background()
		var did []string
		for range 40 {
			if r.IntN(8) == 0 {
				f.left = r.IntN(3)
			} else {
				f.left = -1
			}
			var err error
			if r.IntN(4) == 0 {
				b, down := buttons[r.IntN(3)], r.IntN(2) == 0
				did = append(did, fmt.Sprint("button ", b, down))
				err = h.button(ctx, b, down, driver.Anywhere)
			} else {
				k, down := all[r.IntN(len(all))], r.IntN(2) == 0
				did = append(did, fmt.Sprint(k, down))
				err = h.press(ctx, k, down, driver.Anywhere)
			}
			var no *driver.NoKeyError
			if err != nil && !errors.Is(err, errFailed) && !errors.As(err, &no) {
				t.Fatalf("seed %d: %v: %v", seed, did, err)
			}
		}
		f.left = -1
		if err := h.release(ctx); err != nil || len(f.Held(t)) != 0 || h.flags() != 0 || len(h.keys)+len(h.buttons) != 0 {
			t.Fatalf("seed %d: after %v still held: %v, flags %#x, %v", seed, did, f.Held(t), h.flags(), err)
		}
	}
}

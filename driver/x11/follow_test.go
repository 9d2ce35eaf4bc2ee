//go:build linux

package x11

import (
	"context"
	"errors"
	"image"
	"slices"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"

	"github.com/jezek/xgb/xproto"
)

// still waits until nothing has changed for a while, and returns the count.
func (k *desk) still() uint64 {
	k.t.Helper()
	k.try(k.d.Begin(k.t.Context()))
	n, err := k.d.Changed(k.t.Context(), 0)
	if err != nil {
		k.t.Fatal(err)
	}
	for {
		ctx, cancel := context.WithTimeout(k.t.Context(), 150*time.Millisecond)
		next, err := k.d.Changed(ctx, n)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return n
		}
		if err != nil {
			k.t.Fatal(err)
		}
		n = next
	}
}

// change does f and returns the count once it is more than before, or before itself after a while.
func (k *desk) change(f func()) (before, after uint64) {
	k.t.Helper()
	before = k.still()
	f()
	ctx, cancel := context.WithTimeout(k.t.Context(), 2*time.Second)
	defer cancel()
	after, err := k.d.Changed(ctx, before)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		k.t.Fatal(err)
	}
	return before, after
}

func TestWhatCountsAsAChange(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		a := newArtist(k)
		if err := k.d.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := k.window(xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "One", Color: 0xff0000})
		over := k.window(xfixture.Spec{X: 120, Y: 120, W: 300, H: 200, Class: "Two", Color: 0xff00})
		var menu *xfixture.Window
		for _, c := range []struct {
			what string
			do   func()
		}{
			{"a window draws", func() { k.try(w.Paint(0x00ff00)) }},
			{"it draws again where it drew before", func() { k.try(w.Paint(0x0000ff)) }},
			{"a window moves", func() { k.try(over.Move(200, 200)) }},
			{"a window grows", func() { k.try(over.Resize(350, 250)) }},
			{"a window is raised", func() { k.try(w.Raise()) }},
			{"a window opens", func() {
				menu = k.window(xfixture.Spec{X: 10, Y: 10, W: 50, H: 50, Class: "Menu", Override: true})
			}},
			{"it draws", func() { k.try(menu.Paint(0x123456)) }},
			{"it closes", func() { k.try(menu.Close()) }},
			{"a window hides", func() { k.try(over.Hide()) }},
			{"and shows again", func() { k.try(over.Show()) }},
			{"the wallpaper changes", a.wallpaper},
		} {
			if before, after := k.change(c.do); after <= before {
				t.Errorf("%s: not counted", c.what)
			}
		}
	})
}

func TestWhatDoesNotCountAsAChange(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		a := newArtist(k)
		if err := k.d.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		k.window(xfixture.Spec{X: 100, Y: 100, W: 600, H: 500, Class: "One", Color: 0xff0000})
		ours := a.strip(image.Rect(0, 0, 1280, 24), 0xff80c0, false)
		a.sync()
		before := k.still()
		for i := range 30 {
			a.fill(ours, uint32(i*0x010203))
			a.place(ours, image.Rect(0, i%2, 1280, 24+i%2))
			xproto.WarpPointer(a.conn.Conn, 0, a.conn.Screen.Root, 0, 0, 0, 0, int16(200+10*i), int16(200+5*i))
		}
		a.close(ours)
		a.sync()
		if after := k.still(); after != before {
			t.Errorf("our own window and the pointer count %d times", after-before)
		}
	})
}

func TestCaretIsNotAChange(t *testing.T) {
	base := time.Unix(1000, 0)
	at := func(ms int) time.Time { return base.Add(time.Duration(ms) * time.Millisecond) }
	caretAt, beside := image.Rect(50, 20, 52, 38), image.Rect(52, 20, 60, 38)
	type step struct {
		ms     int
		area   image.Rectangle
		blinks bool
	}
	for name, steps := range map[string][]step{
		"blinks at one place": {{0, caretAt, false}, {600, caretAt, true}, {1200, caretAt, true}, {1700, caretAt, true}},
		"two requests a blink": {
			{0, caretAt, false}, {1, caretAt, false}, {500, caretAt, true}, {501, caretAt, true}, {1000, caretAt, true}, {1001, caretAt, true},
		},
		"typing moves it": {
			{0, caretAt, false}, {100, beside, false}, {101, caretAt, false}, {200, beside.Add(image.Pt(8, 0)), false},
		},
		"typing beside a blinking one": {{0, caretAt, false}, {500, caretAt, true}, {510, beside, false}},
		"a small thing that spins":     {{0, caretAt, false}, {80, caretAt, false}, {160, caretAt, false}, {240, caretAt, false}},
		"a large thing":                {{0, image.Rect(0, 0, 100, 100), false}, {600, image.Rect(0, 0, 100, 100), false}},
	} {
		var c caret
		for i, s := range steps {
			if got := c.blinks(s.area, at(s.ms)); got != s.blinks {
				t.Errorf("%s: step %d: blinks is %v", name, i, got)
			}
		}
	}
}

func TestWaitersAllWake(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	w := k.window(xfixture.Spec{X: 0, Y: 0, W: 100, H: 100, Class: "One"})
	n := k.still()
	type answer struct {
		n   uint64
		err error
	}
	got := make(chan answer)
	const waiters = 20
	for range waiters {
		go func() {
			m, err := k.d.Changed(t.Context(), n)
			got <- answer{m, err}
		}()
	}
	k.try(w.Paint(0x00ff00))
	for range waiters {
		if a := <-got; a.err != nil || a.n <= n {
			t.Errorf("a waiter got %d, %v after %d", a.n, a.err, n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	n = k.still()
	cancel()
	if m, err := k.d.Changed(ctx, n); !errors.Is(err, context.Canceled) || m != n {
		t.Errorf("Changed after a cancel is %d, %v; %d was seen", m, err, n)
	}
}

// A picture's own count tells later whether it is still true.
func TestPictureKnowsItsChange(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	w := k.window(xfixture.Spec{X: 0, Y: 0, W: 100, H: 100, Class: "One", Color: 0x101010})
	k.still()
	for i := range 50 {
		c := uint32(0x030201 * (i + 10))
		k.try(w.Paint(c))
		p := k.look(driver.Shot{})
		if got := p.Pix.RGBAAt(50, 90); uint32(got.R)<<16|uint32(got.G)<<8|uint32(got.B) != c {
			t.Fatalf("the picture shows %v, painted %06x", got, c)
		}
		k.try(w.Paint(c + 1))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		if _, err := k.d.Changed(ctx, p.Change); err != nil {
			t.Fatalf("the window changed after the picture, and Changed says %v", err)
		}
		cancel()
	}
}

// What a kept-away window draws can't be seen, so it must not keep the screen from being still.
func TestKeptAwayDrawingIsNoChange(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	busy := k.window(xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "Secret", Color: secretA, Other: secretB, BlinkMS: 2})
	k.look(driver.Shot{Cover: cover("Secret")})
	n := k.still() // it would never come
	if before, after := k.change(func() { k.try(busy.Move(150, 150)) }); after <= before {
		t.Error("that it moved does not count")
	}
	if err := k.d.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.try(k.d.Begin(t.Context()))
	k.look(driver.Shot{}) // nobody covers it now
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for want := n + 20; n < want; {
		var err error
		if n, err = k.d.Changed(ctx, n); err != nil {
			t.Fatalf("seen again, its drawing does not count: %v", err)
		}
	}
}

// TestALateListMovesNothing: a list of windows is read while they move. What events told since counts, not the list.
func TestALateListMovesNothing(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		k.try(k.d.Begin(t.Context()))
		k.window(xfixture.Spec{X: 300, Y: 100, W: 200, H: 200, Class: "Secret", Color: secretA})
		w := k.window(xfixture.Spec{X: 250, Y: 150, W: 120, H: 40, Class: "Hollow", NoBack: true, Override: true})
		late, err := k.d.readTree()
		k.try(err)
		k.try(w.Move(500, 400))
		eventually(t, "the list says where it is", func() bool {
			return slices.ContainsFunc(k.windows(), func(w driver.Window) bool { return w.Class == "Hollow" && w.Bounds.X == 500 })
		})
		k.try(k.d.pass(k.d.fence()))
		f := &k.d.follow
		f.mu.Lock()
		f.windows[xproto.Window(w.ID)].known = false
		f.meet(late)
		at := f.windows[xproto.Window(w.ID)].rect.Min
		f.mu.Unlock()
		if at != image.Pt(500, 400) {
			t.Errorf("the late list put the window back to %v", at)
		}
		p := k.look(driver.Shot{Cover: func(w driver.Window) string {
			if w.Class == "Secret" {
				return "Kept away"
			}
			return ""
		}})
		if n, where := secrets(p.Pix); n > 0 {
			t.Errorf("%d pixels of a kept-away window in %v", n, where)
		}
	})
}

// TestCompositorGoes: between sessions a window that draws nothing shows, once the compositor has gone, what that had
// left on the screen, be it another window's.
func TestCompositorGoes(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	a := newArtist(k)
	owner, f := a.hidden(), &k.d.follow
	composited := func(is bool, w xproto.Window) {
		a.must(xproto.SetSelectionOwnerChecked(a.conn.Conn, w, k.d.atoms.compositor, xproto.TimeCurrentTime).Check())
		eventually(t, "who composites is known", func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.composited == is
		})
	}
	composited(true, owner)
	below := k.window(xfixture.Spec{X: 100, Y: 100, W: 200, H: 200, Class: "Below", Color: 0xff0000})
	above := k.window(xfixture.Spec{X: 150, Y: 150, W: 200, H: 200, Class: "Secret", Color: secretA})
	stained := func() bool {
		k.try(k.d.pass(k.d.fence()))
		f.mu.Lock()
		defer f.mu.Unlock()
		return slices.ContainsFunc(f.windows[xproto.Window(below.ID)].stains, func(s stain) bool { return s.of.id == xproto.Window(above.ID) })
	}
	if stained() {
		t.Fatal("what came later is taken for what the window shows")
	}
	composited(false, xproto.WindowNone)
	if !stained() {
		t.Error("what the compositor left there isn't thought of")
	}
}

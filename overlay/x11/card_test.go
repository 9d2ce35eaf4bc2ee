//go:build linux

package x11

import (
	"testing"

	"github.com/jezek/xgb/xproto"

	"conch/driver"
	"conch/driver/x11/xserver"
)

// Where Stop is on a screen of 1280×800, and a place on the card beside it.
const (
	stopX, stopY = 768, 50
	textX, textY = 600, 50
)

func TestStopOnTheCard(t *testing.T) {
	everywhere(t, func(t *testing.T, o xserver.Options) {
		r := newRig(t, o, HearOthers())
		a := r.newApp(0, 0, 1280, 800, true)
		r.setFocus(a.window)
		r.light("a", "Typing")
		r.click(textX, textY) // the card takes it, and nothing comes of it
		r.wantNoStop()
		r.click(stopX, stopY)
		r.wantStop("a")
		if f := r.focus(); f != a.window {
			t.Errorf("the focus is on 0x%x, want it left on the app's 0x%x", f, a.window)
		}
		until(t, "it is lit and stopping until the turn ends", func() bool {
			st := r.over.Status()
			return st.Lit && st.Stopping
		})
		r.click(stopX, stopY) // once is enough
		r.wantNoStop()
		r.over.Dark("a")
		r.click(stopX, stopY)
		if x, y := a.pressed(t); x != stopX || y != stopY {
			t.Errorf("the app's first press is at %d,%d, want the one after the card was gone", x, y)
		}
	})
}

func (r *rig) setFocus(w xproto.Window) {
	r.t.Helper()
	if err := xproto.SetInputFocusChecked(r.other, xproto.InputFocusParent, w, xproto.TimeCurrentTime).Check(); err != nil {
		r.t.Fatal(err)
	}
	until(r.t, "the app has the focus", func() bool { return r.focus() == w })
}

// TestMadeUpInputIsIgnored sends by XTEST, as Conch's own input comes. TestStopOnTheCard and TestStopKey send
// the same with HearOthers, where it stops: so it is the source that decides here.
func TestMadeUpInputIsIgnored(t *testing.T) {
	r := newRig(t, xserver.Options{})
	r.light("a", "Typing")
	r.click(stopX, stopY)
	r.wantNoStop()
	r.chord(codeSuper, codeEscape)
	r.wantNoStop()
	if st := r.over.Status(); st.Stopping {
		t.Errorf("status %+v", st)
	}
}

func TestOwnPressesGoBehindTheCard(t *testing.T) {
	r := newRig(t, xserver.Options{}, HearOthers())
	a := r.newApp(0, 0, 1280, 800, true)
	r.light("a", "Clicking what lies under the card")
	ctx := within(t)
	at := driver.ScreenPoint{X: stopX, Y: stopY}
	for range 3 {
		if err := r.desk.Aside(ctx, at); err != nil {
			t.Fatal(err)
		}
		r.click(stopX, stopY)
		if x, y := a.pressed(t); x != stopX || y != stopY {
			t.Errorf("the app got a press at %d,%d", x, y)
		}
		r.desk.Back()
	}
	r.wantNoStop()
	if err := r.desk.Aside(ctx, driver.ScreenPoint{X: 10, Y: 10}); err != nil || r.desk.asideNow.Load() {
		t.Errorf("gave way far from the card: %v", err)
	}
	r.click(stopX, stopY)
	r.wantStop("a")
	r.over.Dark("a")
	if err := r.desk.Aside(ctx, at); err != nil {
		t.Error(err)
	}
	r.desk.Back()
}

func TestHoverShows(t *testing.T) {
	r := newRig(t, xserver.Options{Compositor: true}, HearOthers())
	r.light("a", "Waiting")
	look := func() (hover, pressed bool) {
		_ = r.desk.call(within(t), func() error {
			hover, pressed = r.desk.stop.look.Hover, r.desk.stop.look.Pressed
			return nil
		})
		return
	}
	plain := r.pixel(stopX-30, stopY)
	r.move(stopX, stopY)
	until(t, "Stop lights up under the pointer", func() bool {
		h, _ := look()
		return h && r.pixel(stopX-30, stopY) != plain
	})
	r.fake(xproto.ButtonPress, 1, 0, 0)
	until(t, "Stop is drawn pressed", func() bool { _, p := look(); return p })
	r.wantStop("a")
	r.fake(xproto.ButtonRelease, 1, 0, 0)
	r.move(100, 400)
	until(t, "Stop is plain again", func() bool { h, p := look(); return !h && !p })
}

//go:build linux

package x11

import (
	"context"
	"fmt"
	"image/color"
	"os"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	xgbtest "github.com/jezek/xgb/xtest"
	"go.uber.org/goleak"

	"conch/driver/x11/xconn"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
	"conch/overlay"
)

func TestMain(m *testing.M) {
	if display := os.Getenv(childEnv); display != "" {
		child(display)
		return
	}
	goleak.VerifyTestMain(m)
}

const limit = 20 * time.Second

func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

// until asks again until is says yes.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	ctx := within(t)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: not within %v", what, limit)
		}
	}
}

// rig is a private desktop with the overlay on it, and another program's connection beside it.
type rig struct {
	t       testing.TB
	srv     *xserver.Server
	desk    *Desktop
	over    *overlay.Overlay
	stopped chan string
	other   *xgb.Conn
	root    xproto.Window
}

// newRig starts one. Presses come by XTEST here, as Xvfb has no hardware, so tests of what Stop does open it
// with HearOthers, and the test that made-up input is ignored opens it without.
func newRig(t testing.TB, o xserver.Options, opts ...Option) *rig {
	t.Helper()
	r := &rig{t: t, srv: xtest.Start(t, o), stopped: make(chan string, 16)}
	// The tests' own desktop may have settings; they must not decide.
	opts = append([]Option{Motion(func(context.Context) (bool, bool) { return false, true })}, opts...)
	desk, err := Open(within(t), r.srv.Display(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	r.desk = desk
	r.over = overlay.New(overlay.Config{Painter: desk, Keys: desk, Stop: func(turn string) { r.stopped <- turn }})
	t.Cleanup(func() { _ = r.over.Close() })
	r.other = r.connect()
	r.root = xproto.Setup(r.other).DefaultScreen(r.other).Root
	return r
}

func (r *rig) connect() *xgb.Conn {
	r.t.Helper()
	c, err := xconn.Dial(within(r.t), r.srv.Display(), r.srv.Getenv)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c.Conn
}

func (r *rig) light(turn, label string) {
	r.t.Helper()
	if err := r.over.Light(within(r.t), turn, label); err != nil {
		r.t.Fatalf("light: %v", err)
	}
}

// fake sends one XTEST event and waits until the server has taken it.
func (r *rig) fake(kind byte, detail byte, x, y int) {
	r.t.Helper()
	if err := xgbtest.FakeInputChecked(r.other, kind, detail, 0, r.root, int16(x), int16(y), 0).Check(); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) move(x, y int) { r.t.Helper(); r.fake(xproto.MotionNotify, 0, x, y) }

func (r *rig) click(x, y int) {
	r.t.Helper()
	r.move(x, y)
	r.fake(xproto.ButtonPress, 1, 0, 0)
	r.fake(xproto.ButtonRelease, 1, 0, 0)
}

// chord presses keys in order and lifts them in reverse.
func (r *rig) chord(codes ...byte) {
	r.t.Helper()
	for _, c := range codes {
		r.fake(xproto.KeyPress, c, 0, 0)
	}
	for i := len(codes) - 1; i >= 0; i-- {
		r.fake(xproto.KeyRelease, codes[i], 0, 0)
	}
}

// Key codes of Xvfb's keyboard (evdev).
const (
	codeEscape   = 9
	codeControl  = 37
	codeCapsLock = 66
	codeNumLock  = 77
	codeSuper    = 133
)

func (r *rig) wantStop(turn string) {
	r.t.Helper()
	select {
	case got := <-r.stopped:
		if got != turn {
			r.t.Fatalf("stopped %q, want %q", got, turn)
		}
	case <-time.After(limit):
		r.t.Fatalf("turn %q was not stopped", turn)
	}
}

// wantNoStop proves that what was sent so far stopped nothing: once the desktop's loop has answered after
// both of its connections have, an event that was to come has come.
func (r *rig) wantNoStop() {
	r.t.Helper()
	ctx := within(r.t)
	if err := r.desk.raw.Sync(ctx); err != nil {
		r.t.Fatal(err)
	}
	quiet := func() bool {
		var left int
		err := r.desk.call(ctx, func() error {
			if err := r.desk.sync(); err != nil {
				return err
			}
			left = len(r.desk.pending)
			return nil
		})
		return err == nil && left == 0 && !r.desk.in.waiting()
	}
	until(r.t, "the desktop's events are worked through", quiet)
	r.over.Dark("no such turn") // the overlay has worked through its own
	select {
	case turn := <-r.stopped:
		r.t.Fatalf("turn %q was stopped", turn)
	default:
	}
}

func (i *inbox) waiting() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.all) > 0
}

// pixel reads the screen as another program sees it.
func (r *rig) pixel(x, y int) color.RGBA {
	r.t.Helper()
	g, err := xproto.GetImage(r.other, xproto.ImageFormatZPixmap, xproto.Drawable(r.root), int16(x), int16(y), 1, 1, 0xffffffff).Reply()
	if err != nil {
		r.t.Fatal(err)
	}
	return color.RGBA{g.Data[2], g.Data[1], g.Data[0], 255}
}

// focus is where keys go.
func (r *rig) focus() xproto.Window {
	r.t.Helper()
	f, err := xproto.GetInputFocus(r.other).Reply()
	if err != nil {
		r.t.Fatal(err)
	}
	return f.Focus
}

// app is another program's window that counts what it receives.
type app struct {
	window xproto.Window
	events chan xgb.Event
}

// newApp shows a window at a place and waits until it is there. override keeps a window manager out of it.
func (r *rig) newApp(x, y, w, h int, override bool) *app {
	r.t.Helper()
	c := r.connect()
	id, err := xproto.NewWindowId(c)
	if err != nil {
		r.t.Fatal(err)
	}
	or := uint32(0)
	if override {
		or = 1
	}
	screen := xproto.Setup(c).DefaultScreen(c)
	err = xproto.CreateWindowChecked(c, screen.RootDepth, id, screen.Root, int16(x), int16(y), uint16(w), uint16(h), 0,
		xproto.WindowClassInputOutput, screen.RootVisual,
		xproto.CwBackPixel|xproto.CwOverrideRedirect|xproto.CwEventMask,
		[]uint32{0x445566, or, xproto.EventMaskButtonPress | xproto.EventMaskKeyPress | xproto.EventMaskStructureNotify},
	).Check()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := xproto.MapWindowChecked(c, id).Check(); err != nil {
		r.t.Fatal(err)
	}
	a := &app{id, make(chan xgb.Event, 1000)}
	go func() {
		for {
			ev, err := c.WaitForEvent()
			if ev == nil && err == nil {
				return
			}
			if ev != nil {
				a.events <- ev
			}
		}
	}()
	name := "_CONCH_NUDGE"
	nudge, err := xproto.InternAtom(r.other, false, uint16(len(name)), name).Reply()
	if err != nil {
		r.t.Fatal(err)
	}
	until(r.t, "the other program's window is there", func() bool {
		// openbox forgets an event that comes while it waits for an answer, until the next one comes.
		xproto.ChangeProperty(r.other, xproto.PropModeReplace, r.root, nudge.Atom, xproto.AtomCardinal, 32, 0, nil)
		at, err := xproto.GetWindowAttributes(r.other, id).Reply()
		return err == nil && at.MapState == xproto.MapStateViewable
	})
	return a
}

// pressed waits for a button press and returns where on the screen it was.
func (a *app) pressed(t testing.TB) (x, y int) {
	t.Helper()
	deadline := time.After(limit)
	for {
		select {
		case ev := <-a.events:
			if b, ok := ev.(xproto.ButtonPressEvent); ok {
				return int(b.RootX), int(b.RootY)
			}
		case <-deadline:
			t.Fatal("the window got no press")
		}
	}
}

// everywhere runs a test on each kind of desktop.
func everywhere(t *testing.T, f func(t *testing.T, o xserver.Options)) {
	for _, wm := range []string{"", "openbox"} {
		for _, comp := range []bool{false, true} {
			name := fmt.Sprintf("wm=%v,compositor=%v", wm != "", comp)
			t.Run(name, func(t *testing.T) {
				f(t, xserver.Options{WindowManager: wm, Compositor: comp, Background: 0x8090a0})
			})
		}
	}
}

const childEnv = "CONCH_TEST_OVERLAY_CHILD"

// child lights the edge on a display, says so on its output, and waits to be killed.
func child(display string) {
	ctx := context.Background()
	desk, err := Open(ctx, display)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	over := overlay.New(overlay.Config{Painter: desk, Keys: desk})
	if err := over.Light(ctx, "a", "Waiting to be killed"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("lit")
	select {}
}

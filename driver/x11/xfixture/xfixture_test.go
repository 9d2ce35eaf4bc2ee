//go:build linux

package xfixture_test

import (
	"testing"
	"time"

	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	xfixture.Main()
	goleak.VerifyTestMain(m)
}

func start(t *testing.T, s *xserver.Server) *xfixture.Program {
	t.Helper()
	p, err := xfixture.Start(s.Env())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// eventually polls until is says yes.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); !is(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("not within 10 seconds: %s", what)
		}
	}
}

// xdotool is another program than the one under test, so it can't share its mistakes.
func xdotool(t *testing.T, s *xserver.Server, args ...string) {
	t.Helper()
	if err := xserver.Have("xdotool"); err != nil {
		xtest.Missing(t, err)
	}
	if out, err := s.Command("xdotool", args...).CombinedOutput(); err != nil {
		t.Fatalf("xdotool %v: %v: %s", args, err, out)
	}
}

func TestWindowReportsWhatItGot(t *testing.T) {
	for _, wm := range []string{"", "openbox"} {
		t.Run("wm="+wm, func(t *testing.T) {
			s := xtest.Start(t, xserver.Options{WindowManager: wm, Layout: "us"})
			p := start(t, s)
			w, err := p.Open(xfixture.Spec{X: 100, Y: 120, W: 300, H: 200, Title: "Sink", Class: "Sink", Color: 0x336699, Ping: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Focus(); err != nil {
				t.Fatal(err)
			}
			xdotool(t, s, "type", "--delay", "12", "Hello, World!")
			eventually(t, "the text", func() bool { s, err := w.Text(); return err == nil && s == "Hello, World!" })
			if err := w.Forget(); err != nil {
				t.Fatal(err)
			}
			xdotool(t, s, "mousemove", "150", "200", "click", "3")
			eventually(t, "the click", func() bool {
				evs, err := w.Events()
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range evs {
					if e.Kind == "release" && e.Button == 3 && e.RootX == 150 && e.RootY == 200 {
						return true
					}
				}
				return false
			})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestWindowChanges(t *testing.T) {
	s := xtest.Start(t, xserver.Options{})
	p := start(t, s)
	for _, spec := range []xfixture.Spec{
		{W: 50, H: 50, Color: 0xff0000, Override: true},
		{X: 20, W: 50, H: 50, Color: 0x8000ff00, Alpha: true, Override: true},
		{X: 40, W: 640, H: 480, Color: 0xffffff, Other: 0, Checks: true, Border: 6},
		{X: 60, W: 50, H: 50, NoBack: true, Kind: "dialog", BlinkMS: 5, Other: 0xff},
	} {
		w, err := p.Open(spec)
		if err != nil {
			t.Fatalf("%+v: %v", spec, err)
		}
		for name, do := range map[string]func() error{
			"raise": w.Raise, "lower": w.Lower, "hide": w.Hide, "show": w.Show,
			"move": func() error { return w.Move(5, 7) }, "resize": func() error { return w.Resize(80, 60) },
			"paint": func() error { return w.Paint(0x123456) }, "title": func() error { return w.Title("two") },
		} {
			if err := do(); err != nil {
				t.Errorf("%+v: %s: %v", spec, name, err)
			}
		}
		if err := w.Show(); err != nil {
			t.Error(err)
		}
		if err := w.Focus(); err != nil { // a hidden window can't have it, so not before
			t.Error(err)
		}
		if spec.BlinkMS > 0 {
			eventually(t, "a blink", func() bool { n, err := w.Blinks(); return err == nil && n > 2 })
		}
	}
	if _, err := p.Open(xfixture.Spec{}); err != nil {
		t.Errorf("the zero window: %v", err)
	}
}

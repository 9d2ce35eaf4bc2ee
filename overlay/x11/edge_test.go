//go:build linux

package x11

import (
	"bufio"
	"image/color"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/jezek/xgb/xproto"

	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
)

// rimShown says whether all four sides of a box on the screen show the spectrum.
func (r *rig) rimShown(x, y, w, h int) bool {
	for _, p := range [][2]int{{x + w/3, y + 1}, {x + w - 2, y + h/3}, {x + w/3, y + h - 2}, {x + 1, y + h/3}} {
		if !pearly(r.pixel(p[0], p[1])) {
			return false
		}
	}
	return true
}

func TestEdgeIsShownAndGone(t *testing.T) {
	everywhere(t, func(t *testing.T, o xserver.Options) {
		r := newRig(t, o)
		if r.rimShown(0, 0, 1280, 800) {
			t.Fatal("the edge is there before anything is lit")
		}
		r.newApp(500, 300, 300, 200, true)
		until(t, "the app is on the screen", func() bool { return r.pixel(640, 400) == color.RGBA{0x44, 0x55, 0x66, 255} })
		r.light("a", "Looking at the screen")
		if !r.rimShown(0, 0, 1280, 800) {
			t.Error("Light returned, and the edge isn't on the screen")
		}
		if c := r.pixel(640, 400); c != (color.RGBA{0x44, 0x55, 0x66, 255}) {
			t.Error("the middle of the screen changed")
		}
		r.noLargeWindow()
		r.over.Dark("a")
		until(t, "the edge is gone", func() bool { return !r.rimShown(0, 0, 1280, 800) })
		if n := len(r.ourWindows()); n != 0 {
			t.Errorf("%d windows are left", n)
		}
	})
}

// ourWindows lists the overlay's windows as another program finds them.
func (r *rig) ourWindows() []xproto.Window {
	r.t.Helper()
	tree, err := xproto.QueryTree(r.other, r.root).Reply()
	if err != nil {
		r.t.Fatal(err)
	}
	var out []xproto.Window
	for _, w := range tree.Children {
		if r.desk.ours(w) {
			out = append(out, w)
		}
	}
	return out
}

// noLargeWindow fails when a window of ours covers more than a strip or the card needs.
func (r *rig) noLargeWindow() {
	r.t.Helper()
	windows := r.ourWindows()
	if len(windows) != 5 {
		r.t.Errorf("%d windows, want four strips and the card", len(windows))
	}
	for _, w := range windows {
		g, err := xproto.GetGeometry(r.other, xproto.Drawable(w)).Reply()
		if err != nil {
			r.t.Fatal(err)
		}
		if area := int(g.Width) * int(g.Height); area > 1280*800/15 {
			r.t.Errorf("a window of %d×%d", g.Width, g.Height)
		}
	}
}

func TestPressesPassThroughTheEdge(t *testing.T) {
	everywhere(t, func(t *testing.T, o xserver.Options) {
		r := newRig(t, o)
		a := r.newApp(0, 0, 1280, 800, true)
		r.light("a", "Clicking")
		for _, p := range [][2]int{{2, 2}, {200, 3}, {1277, 3}, {1278, 400}, {1278, 798}, {700, 797}, {2, 797}, {3, 300}, {30, 300}, {640, 95}} {
			r.click(p[0], p[1])
			if x, y := a.pressed(t); x != p[0] || y != p[1] {
				t.Errorf("the window got a press at %d,%d, want %v", x, y, p)
			}
			q, err := xproto.QueryPointer(r.other, r.root).Reply()
			if err != nil {
				t.Fatal(err)
			}
			if r.desk.ours(q.Child) {
				t.Errorf("at %v the pointer is on a window of ours", p)
			}
		}
		r.wantNoStop()
	})
}

func TestKilledProcessLeavesNothing(t *testing.T) {
	srv := xtest.Start(t, xserver.Options{})
	r := &rig{t: t, srv: srv}
	r.other = r.connect()
	r.root = xproto.Setup(r.other).DefaultScreen(r.other).Root
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(srv.Env(), childEnv+"="+srv.Display())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "lit\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	if !r.rimShown(0, 0, 1280, 800) {
		t.Error("the child's edge isn't shown")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	until(t, "the edge is gone with its process", func() bool {
		tree, err := xproto.QueryTree(r.other, r.root).Reply()
		return err == nil && len(tree.Children) == 0 && !r.rimShown(0, 0, 1280, 800)
	})
	// The Stop key is free again: another program can take it.
	if err := xproto.GrabKeyChecked(r.other, false, r.root, xproto.ModMask4, codeEscape, xproto.GrabModeAsync, xproto.GrabModeAsync).Check(); err != nil {
		t.Errorf("the Stop key is still taken: %v", err)
	}
}

func TestTwoMonitors(t *testing.T) {
	everywhere(t, func(t *testing.T, o xserver.Options) {
		r := newRig(t, o)
		r.light("a", "Looking")
		// The screen becomes two monitors side by side, of different heights, while lit.
		r.run("xrandr", "--setmonitor", "left", "500/130x800/210+0+0", "screen")
		r.run("xrandr", "--setmonitor", "right", "780/200x600/160+500+0", "none")
		until(t, "both monitors have an edge", func() bool {
			return r.rimShown(0, 0, 500, 800) && r.rimShown(500, 0, 780, 600)
		})
		r.over.Dark("a")
		r.light("b", "Looking")
		if !r.rimShown(0, 0, 500, 800) || !r.rimShown(500, 0, 780, 600) {
			t.Error("lit afresh, one monitor has no edge")
		}
	})
}

func (r *rig) run(program string, args ...string) {
	r.t.Helper()
	if err := xserver.Have(program); err != nil {
		xtest.Missing(r.t, err)
	}
	if out, err := r.srv.Command(program, args...).CombinedOutput(); err != nil {
		r.t.Fatalf("%s %v: %v: %s", program, args, err, out)
	}
}

func TestCompositorComesAndGoes(t *testing.T) {
	r := newRig(t, xserver.Options{Background: 0x8090a0})
	r.light("a", "Looking")
	depth := func() int {
		var n int
		_ = r.desk.call(within(t), func() error { n = r.desk.rings[0].draw.Depth; return nil })
		return n
	}
	if depth() != 6 {
		t.Errorf("without a compositor a strip is %d deep, want 6", depth())
	}
	for range 2 {
		if err := xserver.Have("picom"); err != nil {
			xtest.Missing(t, err)
		}
		picom, err := r.srv.Run("picom", "--backend", "xrender", "--config", "/dev/null")
		if err != nil {
			t.Fatal(err)
		}
		until(t, "the edge fades", func() bool {
			c := r.pixel(20, 400) // within the fading: neither the spectrum nor the desktop
			return depth() == 34 && r.rimShown(0, 0, 1280, 800) && !pearly(c) && (c.R != 0x80 || c.G != 0x90 || c.B != 0xa0)
		})
		if err := syscall.Kill(picom, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		until(t, "the edge is plain", func() bool {
			c := r.pixel(20, 400)
			return depth() == 6 && r.rimShown(0, 0, 1280, 800) && c.R == 0x80
		})
	}
	if s := r.over.Status(); !s.Lit || s.Fault != "" {
		t.Errorf("status %+v", s)
	}
	r.wantNoStop()
}

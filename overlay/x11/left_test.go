//go:build linux

package x11

import (
	"bufio"
	"image"
	"os"
	"os/exec"
	"testing"

	"github.com/jezek/xgb/xproto"

	"conch/driver/x11/xserver"
)

// TestWindowsThatWereLeft makes the two kinds of windows that can be left, and has them taken away.
func TestWindowsThatWereLeft(t *testing.T) {
	r := newRig(t, xserver.Options{}, HearOthers())
	left := func(want int) {
		t.Helper()
		if n, err := r.desk.Left(within(t)); err != nil || n != want {
			t.Errorf("%d are left, want %d (%v)", n, want, err)
		}
	}
	left(0)
	r.light("a", "Typing")
	left(0) // a turn's own
	r.over.Dark("a")
	left(0)

	// One of our own that nobody remembers.
	err := r.desk.call(within(t), func() error {
		w, err := r.desk.window(r.desk.kind(false), image.Rect(10, 10, 60, 60), "Conch edge", 0)
		if err == nil {
			xproto.MapWindow(r.desk.conn, w)
			err = r.desk.sync()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	left(1)

	// One whose program has ended and told the server to keep what it made.
	old := r.connect()
	xproto.SetCloseDownMode(old, xproto.CloseDownRetainPermanent)
	id, err := xproto.NewWindowId(old)
	if err != nil {
		t.Fatal(err)
	}
	s := xproto.Setup(old).DefaultScreen(old)
	xproto.CreateWindow(old, s.RootDepth, id, r.root, 0, 0, 100, 6, 0, xproto.WindowClassInputOutput, s.RootVisual,
		xproto.CwOverrideRedirect, []uint32{1})
	xproto.ChangeProperty(old, xproto.PropModeReplace, id, xproto.AtomWmClass, xproto.AtomString, 8, uint32(len(ourClass)), ourClass)
	if err := xproto.MapWindowChecked(old, id).Check(); err != nil {
		t.Fatal(err)
	}
	old.Close()
	left(2)
	if err := r.desk.ClearLeft(within(t)); err != nil {
		t.Error(err)
	}
	left(0)
	if _, err := xproto.GetGeometry(r.other, xproto.Drawable(id)).Reply(); err == nil {
		t.Error("the window of the ended program is still there")
	}
}

// TestAnotherProgramsEdgeIsItsOwn has another Conch show its edge on the same screen.
func TestAnotherProgramsEdgeIsItsOwn(t *testing.T) {
	r := newRig(t, xserver.Options{}, HearOthers())
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(r.srv.Env(), childEnv+"="+r.srv.Display())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "lit\n" {
		t.Fatalf("%q %v", line, err)
	}
	if n, err := r.desk.Left(within(t)); err != nil || n != 0 {
		t.Errorf("%d of a living program count as left (%v)", n, err)
	}
}

func TestWhoIsGone(t *testing.T) {
	living := func(pid int) bool { return pid == 7 || pid == 9 }
	for pid, want := range map[int]bool{0: false, 7: false, 8: true, 9: true} {
		if got := gone(pid, 9, living); got != want {
			t.Errorf("the owner %d is gone: %v", pid, got)
		}
	}
}

// TestTryKey asks for the Stop key while nothing is lit, while something is, and while another program has it.
func TestTryKey(t *testing.T) {
	r := newRig(t, xserver.Options{}, HearOthers())
	try := func(key string, why bool) {
		t.Helper()
		got, err := r.desk.TryKey(within(t))
		if err != nil || got.Key != key || (got.Why != "") != why {
			t.Errorf("%+v, %v; want %q", got, err, key)
		}
	}
	try("Super+Esc", false)
	// It was given back: another program can have it.
	err := xproto.GrabKeyChecked(r.other, false, r.root, xproto.ModMask4, codeEscape, xproto.GrabModeAsync, xproto.GrabModeAsync).Check()
	if err != nil {
		t.Fatal(err)
	}
	try("Ctrl+Super+Esc", true)
	xproto.UngrabKey(r.other, codeEscape, r.root, xproto.ModMask4)
	r.light("a", "Typing")
	try("Super+Esc", false)
	r.chord(codeSuper, codeEscape) // and trying didn't take it from the turn
	r.wantStop("a")
}

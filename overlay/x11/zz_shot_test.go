//go:build linux

package x11

import (
	"os"
	"testing"

	"conch/driver/x11/xserver"
)

func TestZZShot(t *testing.T) {
	if os.Getenv("SHOT") == "" {
		t.Skip()
	}
	for _, comp := range []bool{false, true} {
		r := newRig(t, xserver.Options{WindowManager: "openbox", Compositor: comp, Background: 0x30455f, Width: 1280, Height: 800}, HearOthers())
		r.srv.Run("xterm", "-geometry", "80x20+30+300")
		r.srv.Run("mousepad")
		r.srv.Run("galculator")
		r.run("sleep", "4")
		r.light("a", "Typing in Mousepad · step 7 of 60")
		r.move(820, 50)
		r.run("sleep", "1")
		name := "/tmp/shot-plain.png"
		if comp {
			name = "/tmp/shot-comp.png"
		}
		r.run("scrot", "-o", name)
	}
}

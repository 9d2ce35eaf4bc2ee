//go:build linux

package x11

import (
	"fmt"
	"testing"

	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
)

// TestManyFrames: a window manager puts dozens of windows of its own into each frame. However many frames
// there are, each window is known by its app and never by the window manager.
func TestManyFrames(t *testing.T) {
	k := newDesk(t, xserver.Options{WindowManager: "openbox"})
	const n = 12
	for i := range n {
		k.window(xfixture.Spec{X: 20 * i, Y: 20 * i, W: 300, H: 200, Class: fmt.Sprintf("App%d", i), Title: fmt.Sprint(i)})
	}
	eventually(t, "all frames are up", func() bool { return len(k.windows()) >= n })
	seen := map[string]int{}
	for _, w := range k.windows() {
		if len(w.Visible) == 0 {
			continue // openbox's own, beside the screen
		}
		if w.PID != k.app.PID() {
			t.Errorf("%q (%s) belongs to process %d, want %d", w.Title, w.Class, w.PID, k.app.PID())
		}
		seen[w.Class]++
	}
	for i := range n {
		if class := fmt.Sprintf("App%d", i); seen[class] != 1 {
			t.Errorf("%s is there %d times, want once", class, seen[class])
		}
	}
}

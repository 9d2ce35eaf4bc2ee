package heap

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPercent(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 2300}, {1 * mb, 2300}, {4 * mb, 500}, {8 * mb, 200}, {12 * mb, 100}, {13 * mb, 100}, {500 * mb, 100},
	} {
		if got := percent(24*mb, c.live); got != c.want {
			t.Errorf("%d MB live: %d%%, want %d%%", c.live/mb, got, c.want)
		}
	}
}

var kept []byte

// TestFloor: the collector goes by the floor while little is kept, and by Go's own rule once that is much.
func TestFloor(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(usual)
	t.Cleanup(func() { kept = nil; debug.SetGCPercent(before) })
	Floor(64 << 20)
	holds := func() int {
		p := debug.SetGCPercent(usual)
		debug.SetGCPercent(p)
		return p
	}
	if p := holds(); p <= usual {
		t.Fatalf("it holds %d%%", p)
	}
	kept = make([]byte, 100<<20)
	for i := 0; holds() != usual; i++ {
		if i > 1000 {
			t.Fatalf("with 100 MB kept it is still %d%%", holds())
		}
		runtime.GC() // the cleanup runs on a goroutine of its own, so which collection it follows isn't known
		runtime.Gosched()
	}
}

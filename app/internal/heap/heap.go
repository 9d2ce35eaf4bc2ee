// Package heap keeps the garbage collector from working all the time in a program that keeps little. Go collects
// whenever the heap has doubled; where only a few megabytes are kept, a busy door or a picture doubles that dozens of
// times a second, and each time every call waits. Above the floor Go's own rule holds. The package never limits memory.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Conch is the floor that Conch runs with, in bytes. Measured with eight apps calling at once, the slowest call in a
// hundred took a quarter less time; more made little difference.
const Conch = 24 << 20

// usual is Go's own setting: collect when the heap has doubled.
const usual = 100

// floor is a size of the heap below which nothing is collected.
type floor struct {
	bytes uint64
	now   int // the percentage that holds
}

// Floor has the collector leave the heap alone below bytes, from now on. Where the person set GOGC, that holds instead.
func Floor(bytes uint64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	f := &floor{bytes: bytes, now: usual}
	f.adjust()
	f.watch()
}

// watch adjusts after each collection: what nothing refers to is cleaned up by it.
func (f *floor) watch() {
	runtime.AddCleanup(new([16]byte), func(f *floor) {
		f.adjust()
		f.watch()
	}, f)
}

func (f *floor) adjust() {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	if p := percent(f.bytes, s[0].Value.Uint64()); p != f.now {
		debug.SetGCPercent(p)
		f.now = p
	}
}

// percent is by how much the heap may grow when live of it is in use.
func percent(floor, live uint64) int {
	const least = 1 << 20 // before the first collection nothing counts as live
	live = max(live, least)
	if floor/2 <= live {
		return usual
	}
	return int((floor - live) * 100 / live)
}

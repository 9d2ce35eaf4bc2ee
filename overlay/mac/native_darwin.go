package mac

// #cgo CFLAGS: -fobjc-arc -Wall -Wno-unused-parameter
// #cgo LDFLAGS: -framework AppKit -framework ApplicationServices -framework Carbon
// #include "button_darwin.h"
// #include "stopkeys_darwin.h"
import "C"

import (
	"syscall"
	"unsafe"
)

// All calls into our C are here, with nothing else, so that they are checked against the headers on any machine.

// openEvents makes the pipe that C tells of events through and returns the descriptor to read from.
func openEvents(mark int64) (fd uintptr, err error) {
	n := C.cn_events_open(C.int64_t(mark))
	if n < 0 {
		return 0, syscall.Errno(-n)
	}
	return uintptr(n), nil
}

func closeEvents() { C.cn_events_close() }

// cChords are the chords as C has them; their ids are their places in the list, from 1.
func cChords() []C.cn_chord {
	out := make([]C.cn_chord, len(chords))
	for i, c := range chords {
		out[i] = C.cn_chord{id: C.uint32_t(i + 1), code: escape, carbon: C.uint32_t(c.carbon), flags: C.uint64_t(c.flags)}
	}
	return out
}

// registerKeys registers the chords and says which of them are ours now. On the main thread only.
func registerKeys() []bool {
	list := cChords()
	C.cn_hotkeys_on(&list[0], C.int(len(list)))
	out := make([]bool, len(list))
	for i, c := range list {
		out[i] = c.status == 0
	}
	return out
}

// unregisterKeys gives them back. On the main thread only.
func unregisterKeys() { C.cn_hotkeys_off() }

// startTap listens from now on, and says whether macOS lets us.
func startTap() bool {
	list := cChords()
	return C.cn_tap_on(&list[0], C.int(len(list))) == 0
}

// stopTap returns once nothing listens any more.
func stopTap() { C.cn_tap_off() }

// systemKeys are the keys that macOS has for itself; nil when it doesn't say. On the main thread only.
func systemKeys() []symbolic {
	var list [512]C.cn_symbolic // macOS has about 200
	n := int(C.cn_symbolic_keys(&list[0], C.int(len(list))))
	var out []symbolic
	for _, k := range list[:max(0, n)] {
		out = append(out, symbolic{uint32(k.code), uint32(k.carbon), k.enabled != 0})
	}
	return out
}

// observe has changes of the displays and of the wish for reduced motion told. On the main thread only.
func observe() { C.cn_observe() }

// unobserve ends that. On the main thread only.
func unobserve() { C.cn_unobserve() }

// newButton makes the button that takes the press on Stop, retained. On the main thread only.
func newButton(width, height float64) unsafe.Pointer {
	return C.cn_button_new(C.double(width), C.double(height))
}

// panelsShown says how many of these windows the window server has on the screen.
func panelsShown(numbers []uint32) int {
	if len(numbers) == 0 {
		return 0
	}
	list := make([]C.uint32_t, len(numbers))
	for i, n := range numbers {
		list[i] = C.uint32_t(n)
	}
	return int(C.cn_panels_shown(&list[0], C.int(len(list))))
}

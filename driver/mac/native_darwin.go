package mac

/*
#cgo CFLAGS: -fobjc-arc -fblocks -Wall
#cgo LDFLAGS: -framework AppKit -framework ApplicationServices -framework Carbon -framework CoreGraphics
#cgo LDFLAGS: -framework CoreMedia -framework Foundation -framework LocalAuthentication -framework ScreenCaptureKit
#cgo LDFLAGS: -framework Security -framework ServiceManagement -framework UserNotifications
#include <stdlib.h>
#include "mac.h"
*/
import "C"

import (
	"context"
	"errors"
	"os"
	"time"
	"unsafe"

	"conch/driver"
)

// Open makes the driver of this Mac. It asks for no permission: Ready says what is missing.
func Open(ctx context.Context, o Options) (*Driver, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	C.cn_mark(C.int64_t(driver.EventMark))
	files := appFiles{root: os.DirFS("/"), folders: standardFolders(home)}
	return newDriver(native{}, files, o, time.Now), nil
}

// native answers system through mac.h.
type native struct{}

var _ system = native{}

// The blocks of macOS know Go only by numbers, which lead here. With noticePressed, this is the one state of the
// package: an exported function has no other way to its caller.
var (
	waiting  tickets
	watchers hearers
)

//export cn_answer
func cn_answer(ticket C.uint64_t, code C.int32_t, say *C.char) { //nolint:revive // C knows it by this name
	waiting.answer(uint64(ticket), answer{code: int(code), say: C.GoString(say)})
}

//export cn_pixels
func cn_pixels(ticket C.uint64_t, code C.int32_t, bgra unsafe.Pointer, stride C.int64_t, w, h, missing C.int32_t, say *C.char) { //nolint:revive // C knows it by this name
	a := answer{code: int(code), say: C.GoString(say)}
	if bgra != nil {
		data := unsafe.Slice((*byte)(bgra), int(stride)*int(h))
		a.pixels = &rawPixels{data: data, stride: int(stride), w: int(w), h: int(h), missing: int(missing)}
		a.pixels.free = func() {
			clear(data) // nothing of a screen outlives its picture
			C.cn_free(bgra)
		}
	}
	if !waiting.answer(uint64(ticket), a) && a.pixels != nil {
		a.pixels.free()
	}
}

//export cn_changed
func cn_changed(watch C.uint64_t, stopped C.int32_t) { //nolint:revive // C knows it by this name
	watchers.tell(uint64(watch), watched{stopped: stopped != 0})
}

// failure is what a code of mac.h means.
func failure(code int, say string) error {
	var err error
	switch code {
	case C.CN_OK:
		return nil
	case C.CN_LATE:
		err = errLate
	case C.CN_DENIED:
		err = errDenied
	case C.CN_GONE:
		err = errGone
	case C.CN_CANCELLED:
		err = errCancelled
	case C.CN_BUSY:
		err = errBusy
	default:
		err = errFailed
	}
	if say != "" {
		return &saidError{say, err}
	}
	return err
}

func said(code C.int32_t) error { return failure(int(code), "") }

// saidError is a failure in macOS's own words.
type saidError struct {
	say string
	err error
}

func (e *saidError) Error() string { return e.say }
func (e *saidError) Unwrap() error { return e.err }

func rect(r C.struct_cn_rect) driver.ScreenRect {
	return driver.ScreenRect{X: float64(r.x), Y: float64(r.y), W: float64(r.w), H: float64(r.h)}
}

func point(p driver.ScreenPoint) C.struct_cn_point {
	return C.struct_cn_point{x: C.double(p.X), y: C.double(p.Y)}
}

func (native) self() int { return os.Getpid() }

func (native) displays() ([]rawDisplay, error) {
	var n C.int32_t
	list := C.cn_displays(&n)
	if list == nil {
		return nil, nil
	}
	defer C.cn_free(unsafe.Pointer(list))
	var out []rawDisplay
	all := unsafe.Slice(list, int(n))
	for i := range all {
		d := &all[i]
		out = append(out, rawDisplay{
			id: uint32(d.id), name: C.GoString(&d.name[0]), main: d.main != 0, asleep: d.asleep != 0,
			scale: float64(d.scale), bounds: rect(d.bounds), known: d.known != 0, visible: driver.AppKitRect(rect(d.visible)),
		})
	}
	return out, nil
}

func (native) windows() ([]rawWindow, error) {
	var n C.int32_t
	list := C.cn_windows(&n)
	if list == nil {
		return nil, errors.New("macOS gave no list of windows")
	}
	defer C.cn_free(unsafe.Pointer(list))
	var out []rawWindow
	all := unsafe.Slice(list, int(n))
	for i := range all {
		w := &all[i]
		out = append(out, rawWindow{
			id: uint32(w.id), pid: int(w.pid), layer: int(w.layer), alpha: float64(w.alpha), bounds: rect(w.bounds),
			title: C.GoString(&w.title[0]), owner: C.GoString(&w.owner[0]), bundle: C.GoString(&w.bundle[0]), exe: C.GoString(&w.exe[0]),
		})
	}
	return out, nil
}

func (native) focus() (rawFocus, error) {
	var pid C.int32_t
	var window C.struct_cn_rect
	if err := said(C.cn_focus(&pid, &window)); err != nil {
		return rawFocus{}, err
	}
	return rawFocus{int(pid), rect(window)}, nil
}

func (native) pointer() driver.ScreenPoint {
	p := C.cn_pointer()
	return driver.ScreenPoint{X: float64(p.x), Y: float64(p.y)}
}

func (native) capture(ctx context.Context, s rawShot) (*rawPixels, error) {
	pids := make([]C.int32_t, len(s.leave.pids))
	for i, p := range s.leave.pids {
		pids[i] = C.int32_t(p)
	}
	windows := make([]C.uint32_t, len(s.leave.windows))
	for i, w := range s.leave.windows {
		windows[i] = C.uint32_t(w)
	}
	area := C.struct_cn_rect{x: C.double(s.area.X), y: C.double(s.area.Y), w: C.double(s.area.W), h: C.double(s.area.H)}
	a, err := waiting.ask(ctx, func(ticket uint64) {
		C.cn_capture(C.uint64_t(ticket), C.uint32_t(s.display), area, C.int32_t(s.w), C.int32_t(s.h),
			unsafe.SliceData(pids), C.int32_t(len(pids)), unsafe.SliceData(windows), C.int32_t(len(windows)))
	}, nil)
	if err != nil {
		return nil, err
	}
	if a.pixels == nil {
		if err := failure(a.code, a.say); err != nil {
			return nil, err
		}
		return nil, errFailed
	}
	return a.pixels, nil
}

func (native) watch(ctx context.Context, displays []uint32, told chan watched) (*watching, error) {
	ids := make([]C.uint32_t, len(displays))
	for i, d := range displays {
		ids[i] = C.uint32_t(d)
	}
	watch := watchers.add(told)
	stop := func() {
		watchers.remove(watch)
		C.cn_unwatch(C.uint64_t(watch))
	}
	a, err := waiting.ask(ctx, func(ticket uint64) {
		C.cn_watch(C.uint64_t(ticket), C.uint64_t(watch), unsafe.SliceData(ids), C.int32_t(len(ids)))
	}, nil)
	if err == nil && a.code != C.CN_GONE {
		err = failure(a.code, a.say)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return &watching{stop: stop, blur: a.code == C.CN_GONE}, nil
}

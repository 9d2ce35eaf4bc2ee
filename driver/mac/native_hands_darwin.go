package mac

// #include "mac.h"
import "C"

import (
	"context"
	"errors"
	"time"
	"unsafe"

	"conch/driver"
)

func (native) mouse(m mouseEvent) error {
	return said(C.cn_mouse(C.int32_t(m.kind), point(m.at), C.int32_t(m.button), C.int32_t(m.count), C.uint64_t(m.flags)))
}

func (native) scroll(right, down int, flags uint64) error {
	return said(C.cn_scroll(C.int32_t(right), C.int32_t(down), C.uint64_t(flags)))
}

func (native) key(code uint16, down bool, flags uint64) error {
	return said(C.cn_key(C.uint16_t(code), flag(down), C.uint64_t(flags)))
}

func flag(on bool) C.int32_t {
	if on {
		return 1
	}
	return 0
}

func (native) unicode(units []uint16, down bool, flags uint64) error {
	if len(units) == 0 || len(units) > mostUnits {
		return errors.New("a piece of text has 1 to 20 UTF-16 units")
	}
	return said(C.cn_type((*C.uint16_t)(unsafe.SliceData(units)), C.int32_t(len(units)), flag(down), C.uint64_t(flags)))
}

func (native) held() (flags uint64, buttons uint32) {
	var f C.uint64_t
	var b C.uint32_t
	C.cn_held(&f, &b)
	return uint64(f), uint32(b)
}

func (native) doubleClick() time.Duration {
	return time.Duration(float64(C.cn_double_click()) * float64(time.Second))
}

func (native) layout(ascii bool) (*layout, error) {
	var raw C.struct_cn_layout
	if err := said(C.cn_read_layout(flag(ascii), &raw)); err != nil {
		return nil, err
	}
	l := &layout{id: C.GoString(&raw.id[0])}
	for i := range l.unit {
		l.unit[i] = uint16(raw.unit[i])
	}
	return l, nil
}

func (native) controlAt(pid int, at driver.ScreenPoint) (element, error) {
	var e C.uint64_t
	if err := said(C.cn_control_at(C.int32_t(pid), point(at), &e)); err != nil {
		return 0, err
	}
	return element(e), nil
}

func (native) frontWindow(pid int) (element, error) {
	var e C.uint64_t
	if err := said(C.cn_front_window(C.int32_t(pid), &e)); err != nil {
		return 0, err
	}
	return element(e), nil
}

func (native) wholeApp(pid int) (element, error) {
	var e C.uint64_t
	if err := said(C.cn_whole_app(C.int32_t(pid), &e)); err != nil {
		return 0, err
	}
	return element(e), nil
}

func (native) focusedControl(pid int) (element, error) {
	var e C.uint64_t
	if err := said(C.cn_focused_control(C.int32_t(pid), &e)); err != nil {
		return 0, err
	}
	return element(e), nil
}

func (native) defaultButton(window element) (element, error) {
	var e C.uint64_t
	if err := said(C.cn_default_button(C.uint64_t(window), &e)); err != nil {
		return 0, err
	}
	return element(e), nil
}

func (native) windowOf(control element) (element, error) {
	var e C.uint64_t
	if err := said(C.cn_window_of(C.uint64_t(control), &e)); err != nil {
		return 0, err
	}
	return element(e), nil
}

func (native) describe(e element) (rawControl, error) {
	var c C.struct_cn_control
	if err := said(C.cn_describe(C.uint64_t(e), &c)); err != nil {
		return rawControl{}, err
	}
	return rawControl{
		pid: int(c.pid), secure: c.secure != 0, hidden: c.hidden != 0, bounds: rect(c.bounds),
		role: C.GoString(&c.role[0]), subrole: C.GoString(&c.subrole[0]), title: C.GoString(&c.title[0]),
		description: C.GoString(&c.description[0]), label: C.GoString(&c.label[0]), text: C.GoString(&c.text[0]),
	}, nil
}

func (native) children(e element, most int) ([]element, error) {
	if most < 1 {
		return nil, nil
	}
	var n C.int32_t
	raw := make([]C.uint64_t, most)
	if err := said(C.cn_children(C.uint64_t(e), unsafe.SliceData(raw), C.int32_t(most), &n)); err != nil {
		return nil, err
	}
	out := make([]element, int(n))
	for i := range out {
		out[i] = element(raw[i])
	}
	return out, nil
}

func (native) letGo(es ...element) {
	for _, e := range es {
		raw := C.uint64_t(e)
		C.cn_let_go(&raw, 1)
	}
}

func toApp(a *C.struct_cn_app) rawApp {
	return rawApp{
		pid: int(a.pid), regular: a.regular != 0, bundle: C.GoString(&a.bundle[0]), name: C.GoString(&a.name[0]),
		english: C.GoString(&a.english[0]), exe: C.GoString(&a.exe[0]), path: C.GoString(&a.path[0]),
	}
}

func (native) running() ([]rawApp, error) {
	var n C.int32_t
	list := C.cn_running(&n)
	if n < 0 {
		return nil, errLate
	}
	defer C.cn_free(unsafe.Pointer(list))
	var out []rawApp
	all := unsafe.Slice(list, int(n))
	for i := range all {
		out = append(out, toApp(&all[i]))
	}
	return out, nil
}

func (native) bundle(path string) (rawApp, bool) {
	p := C.CString(path)
	defer C.cn_free(unsafe.Pointer(p))
	var a C.struct_cn_app
	if said(C.cn_bundle(p, &a)) != nil {
		return rawApp{}, false
	}
	return toApp(&a), true
}

func (native) openApp(ctx context.Context, id driver.AppID) error {
	p := C.CString(string(id))
	defer C.cn_free(unsafe.Pointer(p))
	a, err := waiting.ask(ctx, func(ticket uint64) { C.cn_open_app(C.uint64_t(ticket), p) }, nil)
	if err != nil {
		return err
	}
	return failure(a.code, a.say)
}

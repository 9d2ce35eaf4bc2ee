package mac

// #include "mac.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"unsafe"
)

// noticePressed is told of presses on the notification; one that waits says as much as several.
var noticePressed = make(chan struct{}, 1)

//export cn_notice_pressed
func cn_notice_pressed() { //nolint:revive // C knows it by this name
	select {
	case noticePressed <- struct{}{}:
	default:
	}
}

// CanNotify says whether this process can show notifications at all, which only an app in a bundle can.
func CanNotify() bool { return C.cn_notice_can() != 0 }

// MayNotify asks the person, the first time, whether Conch may show notifications, and says ErrNoNotices when it may
// not. It takes as long as the person does, and ends with ctx. This and all below need CanNotify, and a running main
// loop.
func MayNotify(ctx context.Context) error {
	a, err := waiting.ask(ctx, func(ticket uint64) { C.cn_notice_ask(C.uint64_t(ticket)) }, nil)
	if err != nil {
		return err
	}
	switch err := failure(a.code, a.say); {
	case errors.Is(err, errDenied):
		return fmt.Errorf("%w: %w", ErrNoNotices, err)
	default:
		return err
	}
}

// Notify shows a notification in place of the one that is shown.
func Notify(ctx context.Context, title, text string) error {
	head, body := C.CString(title), C.CString(text)
	defer C.cn_free(unsafe.Pointer(head))
	defer C.cn_free(unsafe.Pointer(body))
	a, err := waiting.ask(ctx, func(ticket uint64) { C.cn_notice_show(C.uint64_t(ticket), head, body) }, nil)
	if err != nil {
		return err
	}
	return failure(a.code, a.say)
}

// Unnotify takes away what is shown, also one that an earlier Conch left.
func Unnotify() { C.cn_notice_hide() }

// NoticePressed is told of presses on the notification. There is one channel in a process.
func NoticePressed() <-chan struct{} { return noticePressed }

package mac

// #include "mac.h"
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
	"unsafe"
)

func (native) session() rawSession {
	var s C.struct_cn_session
	C.cn_session_now(&s)
	return rawSession{
		known: s.known != 0, onConsole: s.on_console != 0, locked: s.locked != 0, secure: s.secure != 0,
		secureName: C.GoString(&s.secure_name[0]),
	}
}

func (native) maySee() bool { return C.cn_may_see() != 0 }

// mayClick goes by Accessibility, which lets post events too. Where macOS dropped them all the same, a Move would
// find that the pointer isn't where it was sent.
func (native) mayClick() bool { return C.cn_may_click() != 0 }

// May says what this process hears about a permission. Of SeeScreen macOS tells a process only once in its
// life: see Fresh.
func May(p Permission) bool {
	if p == SeeScreen {
		return native{}.maySee()
	}
	return native{}.mayClick()
}

// Ask makes macOS ask the person for a permission, and puts Conch on its list. A window of the system comes up, so
// this is for a person's press only.
func Ask(p Permission) {
	if p == SeeScreen {
		C.cn_ask_see()
		return
	}
	C.cn_ask_click()
}

// OpenSettings opens the page of System Settings with the permission's switch.
func OpenSettings(p Permission) error {
	page := C.CString(p.SettingsPage())
	defer C.cn_free(unsafe.Pointer(page))
	return said(C.cn_open_url(page))
}

// FreshMain says what a process that just started hears, for Fresh. It returns the code to exit with.
func FreshMain(out io.Writer) int {
	if writeLook(out, May(SeeScreen), May(ClickAndType)) != nil {
		return 1
	}
	return 0
}

// freshWithin bounds the short child.
const freshWithin = 5 * time.Second

// Fresh starts this program (exe) for a moment with FreshArg, and returns what it hears.
func Fresh(ctx context.Context, exe string) (see, click Look, err error) {
	ctx, cancel := context.WithTimeout(ctx, freshWithin)
	defer cancel()
	out, err := exec.CommandContext(ctx, exe, FreshArg).Output()
	if err != nil {
		return NoLook, NoLook, fmt.Errorf("look at the permissions anew: %w", err)
	}
	see, click = readLook(bytes.NewReader(out))
	return see, click, nil
}

// WhoAmI says whom macOS charges permissions to, and what stands in the way of keeping them.
func WhoAmI() Identity {
	var n C.int32_t
	list := C.cn_ancestors(&n)
	var chain []Program
	if list != nil {
		defer C.cn_free(unsafe.Pointer(list))
		all := unsafe.Slice(list, int(n))
		for i := range all {
			p := &all[i]
			chain = append(chain, Program{int(p.pid), C.GoString(&p.exe[0]), C.GoString(&p.bundle[0]), C.GoString(&p.name[0])})
		}
	}
	var s C.struct_cn_signature
	C.cn_own_signature(&s)
	return identify(chain, Signature{
		Signed: s.signed_ != 0, Adhoc: s.adhoc != 0, Valid: s.valid != 0, Identifier: C.GoString(&s.identifier[0]),
		Team: C.GoString(&s.team[0]), Bundle: C.GoString(&s.bundle_path[0]),
	})
}

// Confirm asks the person to show that it's them, with Touch ID, a watch or the login password. reason says what
// will change; macOS writes it after the app's name ("Conch is trying to …"). It ends with ctx. ErrCancelled and
// ErrNotYou say how it went otherwise.
func Confirm(ctx context.Context, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	r := C.CString(reason)
	defer C.cn_free(unsafe.Pointer(r))
	a, err := waiting.ask(ctx, func(ticket uint64) { C.cn_confirm(C.uint64_t(ticket), r) },
		func(ticket uint64) { C.cn_confirm_cancel(C.uint64_t(ticket)) })
	if err != nil {
		return err
	}
	switch err := failure(a.code, a.say); {
	case errors.Is(err, errCancelled):
		return ErrCancelled
	case errors.Is(err, errDenied):
		return ErrNotYou
	case err != nil:
		return fmt.Errorf("macOS couldn't ask whether it's you: %w", err)
	}
	return nil
}

// LoginItem says whether Conch starts at login.
func LoginItem() LoginState { return loginState(int(C.cn_login_status())) }

// SetLoginItem makes Conch start at login, or not. It needs a signed app; the error is for a person.
func SetLoginItem(on bool) error {
	var say [512]C.char
	if C.cn_login_set(flag(on), &say[0], C.int32_t(len(say))) != C.CN_OK {
		return loginError(C.GoString(&say[0]))
	}
	return nil
}

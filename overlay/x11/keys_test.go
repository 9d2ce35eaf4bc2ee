//go:build linux

package x11

import (
	"strings"
	"testing"

	"github.com/jezek/xgb/xproto"

	"conch/driver/x11/xserver"
)

func TestStopKey(t *testing.T) {
	r := newRig(t, xserver.Options{}, HearOthers())
	a := r.newApp(100, 100, 400, 300, true)
	r.setFocus(a.window)
	for i, locks := range [][]byte{{}, {codeNumLock}, {codeCapsLock}, {codeNumLock, codeCapsLock}} {
		turn := string(rune('a' + i))
		for _, l := range locks {
			r.chord(l)
		}
		r.light(turn, "Typing")
		r.chord(codeSuper, codeEscape)
		r.wantStop(turn)
		r.over.Dark(turn)
		for _, l := range locks {
			r.chord(l)
		}
	}
	r.wantNoStop()
	// The app in front got none of these, and gets the next, now that nothing is lit.
	r.chord(codeEscape)
	until(t, "the app gets Escape when nothing is lit", func() bool {
		n := 0
		for len(a.events) > 0 {
			if k, ok := (<-a.events).(xproto.KeyPressEvent); ok && k.Detail == codeEscape {
				if k.State&xproto.ModMask4 != 0 {
					t.Error("the app got Super+Escape while Conch held it")
				}
				n++
			}
		}
		return n == 1
	})
}

// TestStopKeyWhileAMenuIsOpen holds the keyboard and the pointer as an open menu does: a passive grab is dead
// then.
func TestStopKeyWhileAMenuIsOpen(t *testing.T) {
	r := newRig(t, xserver.Options{}, HearOthers())
	a := r.newApp(100, 100, 400, 300, true)
	r.light("a", "Opening a menu")
	k, err := xproto.GrabKeyboard(r.other, false, a.window, xproto.TimeCurrentTime, xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
	if err != nil || k.Status != xproto.GrabStatusSuccess {
		t.Fatalf("grab the keyboard: %v %v", k, err)
	}
	p, err := xproto.GrabPointer(r.other, false, a.window, xproto.EventMaskButtonPress, xproto.GrabModeAsync, xproto.GrabModeAsync,
		0, 0, xproto.TimeCurrentTime).Reply()
	if err != nil || p.Status != xproto.GrabStatusSuccess {
		t.Fatalf("grab the pointer: %v %v", p, err)
	}
	r.chord(codeEscape) // closes a menu, and is nothing to us
	r.wantNoStop()
	r.chord(codeSuper, codeEscape)
	r.wantStop("a")
}

func (r *rig) take(mods uint16) error {
	return xproto.GrabKeyChecked(r.other, false, r.root, mods, codeEscape, xproto.GrabModeAsync, xproto.GrabModeAsync).Check()
}

func TestStopKeyIsHeldOnlyWhileLit(t *testing.T) {
	r := newRig(t, xserver.Options{}, HearOthers())
	if err := r.take(xproto.ModMask4); err != nil {
		t.Fatalf("before: %v", err)
	}
	xproto.UngrabKey(r.other, codeEscape, r.root, xproto.ModMask4)
	r.light("a", "Typing")
	if err := r.take(xproto.ModMask4); err == nil {
		t.Error("another program could take the Stop key while lit")
	}
	r.over.Dark("a")
	if err := r.take(xproto.ModMask4); err != nil {
		t.Errorf("after: %v", err)
	}
	r.chord(codeSuper, codeEscape)
	r.wantNoStop()
}

func TestStopKeyIsTaken(t *testing.T) {
	r := newRig(t, xserver.Options{}, HearOthers())
	// Another program has it, with Num Lock on only: that is enough for it not to be ours.
	if err := r.take(xproto.ModMask4 | xproto.ModMask2); err != nil {
		t.Fatal(err)
	}
	r.light("a", "Typing")
	st := r.over.Status()
	if st.Key != "Ctrl+Super+Esc" || !st.Second || !strings.Contains(st.Why, "Super+Esc") {
		t.Errorf("status %+v, want the second key and why", st)
	}
	var says string
	_ = r.desk.call(within(t), func() error { says = r.desk.stop.says.Key; return nil })
	if says != "Ctrl+Super+Esc" {
		t.Errorf("the card says %q", says)
	}
	r.chord(codeControl, codeSuper, codeEscape)
	r.wantStop("a")
	r.over.Dark("a")

	r.light("b", "Typing")
	r.chord(codeSuper, codeEscape) // the usual one is heard all the same
	r.wantStop("b")
	r.over.Dark("b")

	for _, more := range []uint16{0, xproto.ModMaskControl, xproto.ModMaskShift, xproto.ModMask1} {
		_ = r.take(xproto.ModMask4 | more)
	}
	r.light("c", "Typing")
	if st := r.over.Status(); st.Key != "Super+Esc" || st.Why == "" {
		t.Errorf("with every key taken: %+v", st)
	}
	r.chord(codeSuper, codeEscape)
	r.wantStop("c")
}

func TestStopKeyFollowsTheLayout(t *testing.T) {
	r := newRig(t, xserver.Options{}, HearOthers())
	r.light("a", "Typing")
	// Caps Lock becomes Escape, as many have it, and Escape becomes something else.
	set := func(code xproto.Keycode, sym xproto.Keysym) {
		if err := xproto.ChangeKeyboardMappingChecked(r.other, 1, code, 1, []xproto.Keysym{sym}).Check(); err != nil {
			t.Fatal(err)
		}
	}
	set(codeEscape, 'a')
	set(codeCapsLock, symEscape)
	until(t, "the Stop key is where Escape is now", func() bool {
		var codes string
		_ = r.desk.call(within(t), func() error { codes = string(r.desk.keymap.escape); return nil })
		return codes == string(rune(codeCapsLock))
	})
	r.chord(codeSuper, codeEscape)
	r.wantNoStop()
	r.chord(codeSuper, codeCapsLock)
	r.wantStop("a")
	if st := r.over.Status(); st.Key != "Super+Esc" {
		t.Errorf("status %+v", st)
	}
}

func TestKeymapFrom(t *testing.T) {
	// Four keys of two levels each: Escape, one with Escape on Shift only, Super, Num Lock.
	syms := []uint32{symEscape, 0, 'a', symEscape, symSuperL, 0, symNumLock, 0}
	mods := make([]byte, 16)
	mods[2*6], mods[2*4] = 12, 13 // Super is Mod4, Num Lock is Mod2
	k := keymapFrom(10, 2, syms, 2, mods)
	if string(k.escape) != "\x0a" || k.super != xproto.ModMask4 || string(k.superKeys) != "\x0c" {
		t.Errorf("got %+v", k)
	}
	if n := len(k.lockSets()); n != 4 {
		t.Errorf("%d combinations of locks, want 4", n)
	}
	if k := keymapFrom(8, 0, nil, 0, nil); k.super != 0 || k.escape != nil {
		t.Errorf("of nothing: %+v", k)
	}
}

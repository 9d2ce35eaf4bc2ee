//go:build linux

package x11

import (
	"testing"

	"conch/driver/x11/xraw"
)

// TestListener is the Stop key as raw events tell it: keys by code, in the order they come, of any device.
func TestListener(t *testing.T) {
	const left, right, other = codeSuper, 134, 38
	press := func(code uint32) xraw.Input { return xraw.Input{Type: xraw.RawKeyPress, Detail: code, Time: code} }
	lift := func(code uint32) xraw.Input { return xraw.Input{Type: xraw.RawKeyRelease, Detail: code} }
	for name, c := range map[string]struct {
		keys []xraw.Input
		want int
	}{
		"Super, Escape":            {[]xraw.Input{press(left), press(codeEscape)}, 1},
		"the other Super":          {[]xraw.Input{press(right), press(codeEscape)}, 1},
		"Escape alone":             {[]xraw.Input{press(codeEscape), lift(codeEscape)}, 0},
		"after Super was lifted":   {[]xraw.Input{press(left), lift(left), press(codeEscape)}, 0},
		"one of two is still down": {[]xraw.Input{press(left), press(right), lift(left), press(codeEscape)}, 1},
		"with another key between": {[]xraw.Input{press(left), press(other), lift(other), press(codeEscape)}, 1},
		"lifting Escape":           {[]xraw.Input{press(left), lift(codeEscape)}, 0},
	} {
		l := &listener{}
		l.learn([]byte{codeEscape}, []byte{left, right})
		l.start(make([]byte, 32))
		got := 0
		for _, k := range c.keys {
			if l.key(k, false) {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%s: %d presses of Stop, want %d", name, got, c.want)
		}
	}

	l := &listener{}
	l.learn([]byte{codeEscape}, []byte{left, right})
	down := make([]byte, 32)
	down[left/8] |= 1 << (left % 8)
	l.start(down)
	if !l.key(press(codeEscape), true) {
		t.Error("Super was down before listening began, and Escape is not Stop")
	}
	if !l.faked(codeEscape) || l.faked(1) {
		t.Error("the time of a made-up press is not remembered")
	}
	l.learn([]byte{codeCapsLock}, []byte{left}) // the layout changes while Super is held
	if !l.key(press(codeCapsLock), false) {
		t.Error("Super is forgotten when the layout changes")
	}
	for range 100 {
		l.key(press(codeCapsLock), true)
	}
	if len(l.fakes) > 32 {
		t.Errorf("%d times are kept", len(l.fakes))
	}
}

func TestInboxKeepsOneOfAKind(t *testing.T) {
	i := newInbox()
	move := func(x int) heard { return heard{xraw.Input{Type: xraw.Motion, X: x}, false} }
	for _, e := range []any{
		stackMoved{},
		stackMoved{},
		screenMoved{},
		stackMoved{},
		move(1), move(2), move(3),
		heard{xraw.Input{Type: xraw.ButtonPress}, false},
		heard{xraw.Input{Type: xraw.ButtonPress}, false},
		move(4),
		connLost{},
		connLost{},
	} {
		i.add(e)
	}
	if got := i.take(); len(got) != 9 || got[3] != move(3) {
		t.Errorf("%d events: %+v", len(got), got)
	}
}

//go:build linux

package xperson

import (
	"encoding/binary"
	"testing"

	"conch/driver/x11/xraw"
	"conch/driver/x11/xserver"
)

// Person is a person at a desktop. XTEST can make events of any device of XInput.
type Person struct {
	t         testing.TB
	conn      *xraw.Conn
	test, xi  xraw.Extension
	mouse, kb uint16
}

// New sits down at a private desktop, until the test ends.
func New(t testing.TB, x *xserver.Server) *Person {
	t.Helper()
	ctx := t.Context()
	h := &Person{t: t}
	var err error
	if h.conn, err = xraw.DialEnv(ctx, "", x.Getenv, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.conn.Close() })
	if h.test, err = h.conn.Extension(ctx, "XTEST"); err != nil {
		t.Fatal(err)
	}
	if h.xi, err = h.conn.Extension(ctx, "XInputExtension"); err != nil {
		t.Fatal(err)
	}
	xi, err := h.conn.XI(ctx)
	if err != nil {
		t.Fatal(err)
	}
	devices, err := xi.Devices(ctx, xraw.AllDevices)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		switch {
		case d.Synthetic():
		case d.Use == xraw.SlavePointer:
			h.mouse = d.ID
		case d.Use == xraw.SlaveKeyboard:
			h.kb = d.ID
		}
	}
	if h.mouse == 0 || h.kb == 0 {
		t.Fatalf("the server has no devices of its own: %+v", devices)
	}
	return h
}

// Kinds of XInput events, counted from the extension's first (XIproto.h).
const (
	xiKeyPress = 1 + iota
	xiKeyRelease
	xiButtonPress
	xiButtonRelease
	xiMotion
)

func (h *Person) do(device uint16, kind, detail byte, place ...int) {
	h.t.Helper()
	req := make([]byte, 36, 68)
	req[0], req[1] = h.test.Major, 2 // FakeInput
	req[4], req[5], req[35] = h.xi.FirstEvent+kind, detail, byte(device)
	if len(place) > 0 { // a second event carries where to
		v := make([]byte, 32)
		v[0], v[1] = h.xi.FirstEvent, byte(device)
		v[6] = byte(len(place))
		for i, p := range place {
			binary.LittleEndian.PutUint32(v[8+4*i:], uint32(int32(p)))
		}
		req = append(req, v...)
	}
	if err := h.conn.Do(h.t.Context(), req); err != nil {
		h.t.Fatal(err)
	}
}

// Key presses and lifts a key by its code.
func (h *Person) Key(code byte) { h.do(h.kb, xiKeyPress, code); h.do(h.kb, xiKeyRelease, code) }

// Click presses and lifts a mouse button, 1 to 3.
func (h *Person) Click(n byte) { h.do(h.mouse, xiButtonPress, n); h.do(h.mouse, xiButtonRelease, n) }

// Move puts the pointer at a place.
func (h *Person) Move(x, y int) { h.do(h.mouse, xiMotion, 0, x, y) }

//go:build linux

package x11

import (
	"context"
	"encoding/binary"
	"math"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/key"
	"conch/driver/x11/xraw"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
)

// hardware makes events come from the server's own devices, as from a person's mouse and keyboard, which XTEST can
// do for devices of XInput.
type hardware struct {
	t         *testing.T
	conn      *xraw.Conn
	test, xi  xraw.Extension
	mouse, kb uint16
}

func newHardware(t *testing.T, x *xserver.Server) *hardware {
	t.Helper()
	ctx := t.Context()
	h := &hardware{t: t}
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

func (h *hardware) do(device uint16, kind, detail byte, place ...int) {
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

func (h *hardware) key(code byte) { h.do(h.kb, xiKeyPress, code); h.do(h.kb, xiKeyRelease, code) }
func (h *hardware) button(n byte) { h.do(h.mouse, xiButtonPress, n); h.do(h.mouse, xiButtonRelease, n) }
func (h *hardware) move(x, y int) { h.do(h.mouse, xiMotion, 0, x, y) }
func (h *hardware) next(w <-chan driver.PersonEvent) driver.PersonEvent {
	h.t.Helper()
	select {
	case e, ok := <-w:
		if !ok {
			h.t.Fatal("nothing more is heard")
		}
		return e
	case <-time.After(10 * time.Second):
		h.t.Fatal("nothing was heard")
	}
	return driver.PersonEvent{}
}

// TestWatch hears a person's mouse and keyboard, and none of what the driver does itself.
func TestWatch(t *testing.T) {
	x := xtest.Start(t, xserver.Options{Width: 800, Height: 600})
	d, err := Open(t.Context(), Options{Env: x.Env()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	h := newHardware(t, x)
	ctx, cancel := context.WithCancel(t.Context())
	heard, err := d.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	own := func() {
		t.Helper()
		for _, err := range []error{
			d.Move(ctx, driver.ScreenPoint{X: 500, Y: 400}),
			d.Button(ctx, driver.Left, true), d.Button(ctx, driver.Left, false), d.Scroll(ctx, 0, 3),
			d.Key(ctx, key.Key("a"), true), d.Key(ctx, key.Key("a"), false),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	own()
	h.key(38)
	if e := h.next(heard); e.Deed != driver.DeedKey {
		t.Errorf("a key is heard as %+v", e)
	}
	own()
	h.button(1)
	if e := h.next(heard); e.Deed != driver.DeedButton {
		t.Errorf("a click is heard as %+v", e)
	}
	own()
	h.move(100, 100)
	if e := h.next(heard); e.Deed != driver.DeedMove || e.Move != 0 {
		t.Errorf("the first movement is heard as %+v", e)
	}
	far, at := 0.0, 100
	for deadline := time.Now().Add(10 * time.Second); far < 50; at = at%500 + 7 {
		if time.Now().After(deadline) {
			t.Fatalf("a long movement is heard as one of %v points", far)
		}
		h.move(at, 100)
		select {
		case e := <-heard:
			if e.Deed != driver.DeedMove || math.IsNaN(e.Move) {
				t.Fatalf("a movement is heard as %+v", e)
			}
			far += e.Move
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	for range heard { // ends: it is closed
	}
}

func TestDeedOf(t *testing.T) {
	for in, want := range map[xraw.Input]driver.Deed{
		{Type: xraw.RawKeyPress, Detail: 5}: driver.DeedKey, {Type: xraw.RawMotion}: driver.DeedMove,
		{Type: xraw.RawButtonPress, Detail: 1}: driver.DeedButton, {Type: xraw.RawButtonPress, Detail: 3}: driver.DeedButton,
		{Type: xraw.RawButtonPress, Detail: 4}: driver.DeedScroll, {Type: xraw.RawButtonPress, Detail: 7}: driver.DeedScroll,
		{Type: xraw.RawButtonPress, Detail: 8}: driver.DeedButton,
	} {
		if got := deedOf(in); got != want {
			t.Errorf("%+v is deed %d, want %d", in, got, want)
		}
	}
}

// TestWatchEndsWithTheServer: whoever ranges over what is heard comes to an end.
func TestWatchEndsWithTheServer(t *testing.T) {
	x := xtest.Start(t, xserver.Options{Width: 300, Height: 200})
	d, err := Open(t.Context(), Options{Env: x.Env()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	heard, err := d.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for range heard { // ends
	}
	if w, err := d.Watch(t.Context()); err == nil {
		t.Errorf("a server that is gone is listened to: %v", w)
	}
}

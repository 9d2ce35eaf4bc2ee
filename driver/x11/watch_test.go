//go:build linux

package x11

import (
	"context"
	"math"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/key"
	"conch/driver/x11/xraw"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xperson"
	"conch/driver/x11/xserver/xtest"
)

func next(t *testing.T, w <-chan driver.PersonEvent) driver.PersonEvent {
	t.Helper()
	select {
	case e, ok := <-w:
		if !ok {
			t.Fatal("nothing more is heard")
		}
		return e
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was heard")
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
	p := xperson.New(t, x)
	ctx, cancel := context.WithCancel(t.Context())
	heard, err := d.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	own := func() {
		t.Helper()
		for _, err := range []error{
			d.Move(ctx, driver.ScreenPoint{X: 500, Y: 400}, driver.Anywhere),
			d.Button(ctx, driver.Left, true, driver.Anywhere), d.Button(ctx, driver.Left, false, driver.Anywhere), d.Scroll(ctx, 0, 3, driver.Anywhere),
			d.Key(ctx, key.Key("a"), true, driver.Anywhere), d.Key(ctx, key.Key("a"), false, driver.Anywhere),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	own()
	p.Key(38)
	if e := next(t, heard); e.Deed != driver.DeedKey {
		t.Errorf("a key is heard as %+v", e)
	}
	own()
	p.Click(1)
	if e := next(t, heard); e.Deed != driver.DeedButton {
		t.Errorf("a click is heard as %+v", e)
	}
	own()
	p.Move(100, 100)
	if e := next(t, heard); e.Deed != driver.DeedMove || e.Move != 0 {
		t.Errorf("the first movement is heard as %+v", e)
	}
	far, at := 0.0, 100
	for deadline := time.Now().Add(10 * time.Second); far < 50; at = at%500 + 7 {
		if time.Now().After(deadline) {
			t.Fatalf("a long movement is heard as one of %v points", far)
		}
		p.Move(at, 100)
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

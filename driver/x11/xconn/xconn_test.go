//go:build linux

package xconn_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"conch/driver/x11/xconn"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"

	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func dial(t *testing.T, x *xserver.Server) (c *xconn.Conn, ended <-chan struct{}, events <-chan any) {
	t.Helper()
	c, err := xconn.Dial(t.Context(), "", x.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	end, evs := make(chan struct{}), make(chan any, 1000)
	go func() {
		defer close(end)
		for {
			ev, xerr := c.WaitForEvent()
			if ev == nil && xerr == nil {
				return
			}
			if ev != nil {
				evs <- c.Decode(ev)
			} else {
				evs <- xerr
			}
		}
	}()
	t.Cleanup(func() {
		c.Close()
		<-end
	})
	return c, end, evs
}

// Several parts of one process have a connection each, and get their own events by their own server's numbers.
func TestManyAtOnce(t *testing.T) {
	x := xtest.Start(t, xserver.Options{Auth: true})
	var all sync.WaitGroup
	for i := range 8 {
		c, _, events := dial(t, x)
		all.Go(func() {
			id, _ := xproto.NewWindowId(c.Conn)
			dmg, _ := damage.NewDamageId(c.Conn)
			xproto.CreateWindow(c.Conn, 0, id, c.Screen.Root, int16(20*i), 0, 10, 10, 0, xproto.WindowClassInputOutput, 0,
				xproto.CwBackPixel|xproto.CwOverrideRedirect, []uint32{1, 1})
			damage.Create(c.Conn, dmg, xproto.Drawable(id), damage.ReportLevelRawRectangles)
			randr.SelectInput(c.Conn, c.Screen.Root, randr.NotifyMaskScreenChange)
			xproto.MapWindow(c.Conn, id)
			for n := range 3000 { // more than xgb's queue of requests
				xproto.ChangeWindowAttributes(c.Conn, id, xproto.CwBackPixel, []uint32{uint32(n)})
			}
			if err := xproto.ClearAreaChecked(c.Conn, false, id, 0, 0, 5, 5).Check(); err != nil {
				t.Error(err)
			}
			for ev := range events {
				if d, is := ev.(damage.NotifyEvent); is && d.Damage == dmg && d.Area.Width == 5 {
					return
				}
			}
		})
	}
	all.Wait()
}

func TestExtensionErrorIsAnError(t *testing.T) {
	x := xtest.Start(t, xserver.Options{})
	c, _, _ := dial(t, x)
	err := damage.DestroyChecked(c.Conn, 4711).Check()
	if e := xconn.Error(nil); !errors.As(err, &e) || e.BadId() != 4711 {
		t.Errorf("a bad damage object is %v", err)
	}
}

func TestKilledServerEndsIt(t *testing.T) {
	x := xtest.Start(t, xserver.Options{})
	c, ended, _ := dial(t, x)
	var busy sync.WaitGroup
	for range 4 {
		busy.Go(func() {
			for {
				if _, err := xproto.GetInputFocus(c.Conn).Reply(); err != nil {
					if !errors.Is(err, io.EOF) {
						t.Errorf("a question at a dead server: %v", err)
					}
					return
				}
			}
		})
	}
	if err := x.KillX(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Fatal("the connection did not notice")
	}
	busy.Wait()
}

func TestDialEndsWithContext(t *testing.T) {
	x := xtest.Start(t, xserver.Options{Auth: true})
	stranger := func(name string) string {
		if name == "XAUTHORITY" {
			return "/dev/null"
		}
		return x.Getenv(name)
	}
	if _, err := xconn.Dial(t.Context(), "", stranger); err == nil {
		t.Error("the server let a stranger in")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := xconn.Dial(ctx, "", x.Getenv); err == nil {
		c.Close()
		t.Error("it dialled after a cancel")
	}
	for _, bad := range []string{":4711", "nonsense", ":0.7"} {
		if _, err := xconn.Dial(t.Context(), bad, x.Getenv); err == nil {
			t.Errorf("%q was reached", bad)
		}
	}
	if _, err := xconn.Dial(t.Context(), x.Display()+".5", x.Getenv); err == nil {
		t.Error("a screen that is not there was reached")
	}
}

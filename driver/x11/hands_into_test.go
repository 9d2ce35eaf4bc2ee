//go:build linux

package x11

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/x11/xconn"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"

	"github.com/jezek/xgb/xproto"
)

// rival is another program that gives the keys to one window and the other by turns, and raises that one, as fast as
// the server lets it.
func (k *desk) rival(ws ...*xfixture.Window) (stop func()) {
	k.t.Helper()
	c, err := xconn.Dial(k.t.Context(), "", k.x.Getenv)
	if err != nil {
		k.t.Fatal(err)
	}
	var all sync.WaitGroup
	end := make(chan struct{})
	all.Go(func() {
		defer c.Close()
		for i := 0; ; i++ {
			select {
			case <-end:
				return
			default:
			}
			w := xproto.Window(ws[i%len(ws)].ID)
			xproto.ConfigureWindow(c.Conn, w, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
			xproto.SetInputFocus(c.Conn, xproto.InputFocusParent, w, xproto.TimeCurrentTime)
			if _, err := xproto.GetInputFocus(c.Conn).Reply(); err != nil {
				k.t.Errorf("the rival: %v", err)
				return
			}
		}
	})
	return sync.OnceFunc(func() { close(end); all.Wait() })
}

// got counts a window's events of one kind.
func (k *desk) got(w *xfixture.Window, kind string) (n int) {
	k.t.Helper()
	for _, e := range k.events(w) {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// However fast another program raises its window and takes the keys, nothing that is meant for ours lands there.
func TestNothingComesBetween(t *testing.T) {
	const rounds = 150
	for name, c := range map[string]struct {
		kind string
		per  int // events of that kind for one that was sent
		send func(*desk, driver.Into) error
	}{
		"text": {"keydown", 6, func(k *desk, into driver.Into) error {
			n, err := k.d.Text(k.t.Context(), "secret", into)
			if errors.Is(err, driver.ErrElsewhere) && n != 0 { // six keys go out as one piece
				t.Errorf("%d of 6 characters were typed, and then: %v", n, err)
			}
			return err
		}},
		"key": {"keydown", 1, func(k *desk, into driver.Into) error {
			err := k.d.Key(k.t.Context(), "a", true, into)
			return errors.Join(err, k.d.Key(k.t.Context(), "a", false, into))
		}},
		"button": {"press", 1, func(k *desk, into driver.Into) error {
			err := k.d.Button(k.t.Context(), driver.Left, true, into)
			return errors.Join(err, k.d.Button(k.t.Context(), driver.Left, false, into))
		}},
		"wheel": {"press", 1, func(k *desk, into driver.Into) error { return k.d.Scroll(k.t.Context(), 0, 1, into) }},
	} {
		t.Run(name, func(t *testing.T) {
			k := newDesk(t, xserver.Options{})
			other := k.window(xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Title: "Vault", Class: "Vault"})
			mine := k.sink(xfixture.Spec{})
			k.try(k.d.Move(t.Context(), driver.ScreenPoint{X: 200, Y: 150}, driver.Anywhere))
			stop := k.rival(mine, other)
			defer stop()

			// Without saying where, it does land there: the rival is fast enough.
			until(t, func() string { return "the rival gets something" }, func() bool {
				k.try(c.send(k, driver.Anywhere))
				return k.got(other, c.kind) > 0
			})
			k.try(errors.Join(k.d.Release(t.Context()), mine.Forget(), other.Forget()))

			sent, refused := 0, 0
			for end := time.Now().Add(20 * time.Second); sent < rounds || refused == 0; {
				err := c.send(k, driver.IntoWindow(driver.WindowID(mine.ID)))
				switch {
				case err == nil:
					sent++
				case errors.Is(err, driver.ErrElsewhere):
					refused++
				default:
					t.Fatal(err)
				}
				if time.Now().After(end) {
					t.Fatalf("sent %d, refused %d", sent, refused)
				}
			}
			stop()
			until(t, func() string { return "all of it arrives" }, func() bool { return k.got(mine, c.kind) >= c.per*sent })
			if n, m := k.got(other, c.kind), k.got(mine, c.kind); n != 0 || m != c.per*sent {
				t.Errorf("%d were sent: %d events in their window, %d in the other", sent, m, n)
			}
			if name == "text" {
				if got, err := mine.Text(); err != nil || got != strings.Repeat("secret", sent) {
					t.Errorf("the window holds %q (%v)", got, err)
				}
			}
			k.release()
			k.nothingHeld()
		})
	}
}

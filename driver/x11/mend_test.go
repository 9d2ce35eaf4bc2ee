//go:build linux

package x11

import (
	"errors"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/key"
	"conch/driver/x11/xconn"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xperson"

	"github.com/jezek/xgb/xproto"
	xgbtest "github.com/jezek/xgb/xtest"
)

// TestStuckKeysAreLifted has a program press a key and a button and die, as XTEST lets it.
func TestStuckKeysAreLifted(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	stuck := func(want int) {
		t.Helper()
		if n, err := k.d.Stuck(t.Context()); err != nil || n != want {
			t.Errorf("%d are stuck, want %d (%v)", n, want, err)
		}
	}
	stuck(0)
	xperson.New(t, k.x).Key(38) // a person's own keyboard is none of it
	stuck(0)
	k.try(k.d.Key(t.Context(), key.Shift, true, driver.Anywhere)) // one of ours
	stuck(1)
	other, err := xconn.Dial(t.Context(), k.x.Display(), k.x.Getenv)
	k.try(err)
	const down, press = 2, 4
	k.try(xgbtest.FakeInputChecked(other.Conn, down, 52, 0, other.Screen.Root, 0, 0, 0).Check())
	k.try(xgbtest.FakeInputChecked(other.Conn, press, 3, 0, other.Screen.Root, 0, 0, 0).Check())
	other.Close()
	stuck(3)
	k.try(k.d.Lift(t.Context()))
	stuck(0)
	keys, err := xproto.QueryKeymap(k.d.conn.Conn).Reply()
	k.try(err)
	for code, b := range keys.Keys {
		if b != 0 {
			t.Errorf("of the codes from %d some are down: %b", code*8, b)
		}
	}
}

func TestWake(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	k.try(k.d.Wake(t.Context())) // awake already
	k.try(xproto.ForceScreenSaverChecked(k.d.conn.Conn, xproto.ScreenSaverActive).Check())
	if err := k.d.Ready(t.Context()); !isWhy(err, driver.WhyAsleep) {
		t.Fatalf("asleep: %v", err)
	}
	k.try(k.d.Wake(t.Context()))
	if err := k.d.Ready(t.Context()); err != nil {
		t.Errorf("awake: %v", err)
	}
}

func TestNamesAnswer(t *testing.T) {
	without := newDesk(t, xserver.Options{})
	if err := without.d.NamesAnswer(t.Context()); !errors.Is(err, ErrNoBus) {
		t.Errorf("without a bus: %v", err)
	}
	k := newDesk(t, xserver.Options{Bus: true})
	if err := k.d.NamesAgain(t.Context()); err != nil {
		t.Skipf("no accessibility bus can be started here: %v", err)
	}
	k.try(k.d.NamesAnswer(t.Context()))
	k.try(k.d.a11y.conn.Close()) // as when the bus ends
	k.d.a11y.again = time.Now().Add(time.Hour)
	if err := k.d.NamesAnswer(t.Context()); err == nil {
		t.Error("it answers although the connection is gone")
	}
	k.try(k.d.NamesAgain(t.Context()))
	k.try(k.d.NamesAnswer(t.Context()))
}

//go:build linux

package x11

import (
	"context"
	"testing"

	"github.com/godbus/dbus/v5"

	"conch/driver/x11/xserver"
)

// portal answers as a desktop portal does, with its answer wrapped twice.
type portal struct{ value uint32 }

func (p portal) Read(space, name string) (dbus.Variant, *dbus.Error) {
	if space != "org.freedesktop.appearance" || name != "reduced-motion" {
		return dbus.Variant{}, dbus.NewError("org.freedesktop.portal.Error.NotFound", nil)
	}
	return dbus.MakeVariant(dbus.MakeVariant(p.value)), nil
}

func TestPortal(t *testing.T) {
	nobody := Motion(func(context.Context) (bool, bool) { return false, false })
	r := newRig(t, xserver.Options{Bus: true}, nobody)
	r.desk.opts.getenv = r.srv.Getenv
	if r.desk.reducedMotion(within(t)) {
		t.Error("still, without a portal")
	}
	bus, err := dbus.Connect(r.srv.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	for value, want := range map[uint32]bool{0: false, 1: true} {
		if err := bus.Export(portal{value}, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings"); err != nil {
			t.Fatal(err)
		}
		if _, err := bus.RequestName("org.freedesktop.portal.Desktop", dbus.NameFlagReplaceExisting); err != nil {
			t.Fatal(err)
		}
		if got := r.desk.reducedMotion(within(t)); got != want {
			t.Errorf("reduced-motion %d: still %v", value, got)
		}
	}
}

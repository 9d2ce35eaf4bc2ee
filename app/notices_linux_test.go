package main

import (
	"errors"
	"testing"

	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
	"conch/gateway"

	"github.com/godbus/dbus/v5"
)

// wall stands in for a desktop's notifications.
type wall struct {
	shown  chan [2]string
	closed chan uint32
}

func (w wall) Notify(_ string, _ uint32, _, title, text string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	w.shown <- [2]string{title, text}
	return 7, nil
}

func (w wall) CloseNotification(id uint32) *dbus.Error {
	w.closed <- id
	return nil
}

// A question is shown by the desktop, a press on it opens Conch, and it goes when the question does.
func TestNotices(t *testing.T) {
	if err := xserver.Have("Xvfb", "dbus-daemon"); err != nil {
		xtest.Missing(t, err)
	}
	desktop := xtest.Start(t, xserver.Options{Bus: true})
	bus := desktop.Getenv("DBUS_SESSION_BUS_ADDRESS")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus)
	conn, err := dbus.Connect(bus)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w := wall{make(chan [2]string, 1), make(chan uint32, 1)}
	if err := conn.Export(w, noticesPath, noticesName); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(noticesName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	by, err := newNotifier(t.Context(), desktop.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	defer by.Close()
	n := noticeOf(gateway.Status{State: gateway.Asking, Client: "Cursor", Say: "Use <b>Mousepad</b> & more?"})
	if err := by.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if got := soon(t, w.shown); got != [2]string{"Cursor needs your OK", "Use &lt;b&gt;Mousepad&lt;/b&gt; &amp; more?"} {
		t.Errorf("it shows %q", got)
	}
	for _, id := range []uint32{8, 7} { // another program's, then ours
		if err := conn.Emit(noticesPath, noticesName+".ActionInvoked", id, "default"); err != nil {
			t.Fatal(err)
		}
	}
	soon(t, by.Pressed())
	select {
	case <-by.Pressed():
		t.Error("a press on another program's notification counts")
	default:
	}
	if err := by.Notify(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if id := soon(t, w.closed); id != 7 {
		t.Errorf("it takes away %d", id)
	}
}

func TestNoNotices(t *testing.T) {
	if _, err := newNotifier(t.Context(), func(string) string { return "disabled:" }); !errors.Is(err, errNoNotices) {
		t.Errorf("without a bus: %v", err)
	}
}

// A desktop with a bus and no program that shows notifications is told from one that fails.
func TestNobodyShowsNotices(t *testing.T) {
	if err := xserver.Have("Xvfb", "dbus-daemon"); err != nil {
		xtest.Missing(t, err)
	}
	desktop := xtest.Start(t, xserver.Options{Bus: true})
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", desktop.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	by, err := newNotifier(t.Context(), desktop.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	defer by.Close()
	for range 2 {
		n := noticeOf(gateway.Status{State: gateway.Asking, Say: "Use Mousepad?"})
		if err := by.Notify(t.Context(), n); !errors.Is(err, errNoNotices) {
			t.Errorf("it says %v", err)
		}
	}
	if err := by.Notify(t.Context(), nil); err != nil {
		t.Errorf("nothing was shown, and taking it away says %v", err)
	}
}

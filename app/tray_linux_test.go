package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"

	"github.com/godbus/dbus/v5"
)

// watcher stands in for a desktop's panel: icons register with it.
type watcher struct{ items chan string }

func (w watcher) RegisterStatusNotifierItem(item string, sender dbus.Sender) *dbus.Error {
	w.items <- string(sender)
	return nil
}

// node is one entry of a menu as com.canonical.dbusmenu has it.
type node struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

// panel is a desktop's panel on a bus of its own.
type panel struct {
	watcher
	conn *dbus.Conn
}

func startPanel(t *testing.T) (p *panel, bus string) {
	t.Helper()
	desktop := xtest.Start(t, xserver.Options{Bus: true})
	bus = desktop.Getenv("DBUS_SESSION_BUS_ADDRESS")
	conn, err := dbus.Connect(bus)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	p = &panel{watcher{items: make(chan string, 1)}, conn}
	if err := conn.Export(p.watcher, "/StatusNotifierWatcher", "org.kde.StatusNotifierWatcher"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("org.kde.StatusNotifierWatcher", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return p, bus
}

// TestTrayStops follows a real turn in the menu, on the practice desktop, and ends it there.
func TestTrayStops(t *testing.T) {
	if err := xserver.Have("Xvfb", "openbox", "dbus-daemon", "mousepad"); err != nil {
		xtest.Missing(t, err)
	}
	panel, bus := startPanel(t)
	c := startConch(t, "DBUS_SESSION_BUS_ADDRESS="+bus)
	menu := panel.conn.Object(soon(t, panel.items), "/StatusNotifierItem/menu")
	peer, err := c.peer()
	if err != nil {
		t.Fatal(err)
	}
	var code struct {
		Code string `json:"code"`
	}
	if err := peer.ask(t.Context(), http.MethodPost, "/api/here/codes", struct{}{}, &code); err != nil {
		t.Fatal(err)
	}
	page, err := newBrowser(peer.Port, code.Code)
	if err != nil {
		t.Fatal(err)
	}
	var chat struct {
		Chat string `json:"chat"`
	}
	if err := errors.Join(page.post("/api/computer-use", `{"on":true}`), page.ask("/api/chats", `{"text":"hello"}`, &chat)); err != nil {
		t.Fatal(err)
	}
	rest := []string{"", "Open Conch", "Use your apps…", "Other apps", "Security checkup…", "Repair everything", "", "Start at login [ ]", "", "Quit Conch"}
	awaitLabels(t, menu, append([]string{"Idle (off)", "Stop (off)"}, rest...))
	long := fmt.Sprintf(`{"text":%q}`, `open Mousepad then type "`+strings.Repeat("Stop is one press away. ", 400)+`"`)
	if err := page.post("/api/chats/"+chat.Chat+"/mode", `{"mode":"trust"}`); err != nil {
		t.Fatal(err)
	}
	// The menu is idle before the first message is worked on, too.
	if err := eventually(patience, func() error { return page.post("/api/chats/"+chat.Chat+"/messages", long) }); err != nil {
		t.Fatal(err)
	}
	awaitLabels(t, menu, append([]string{"Using Mousepad for “hello” (off)", "Stop  Super+Esc"}, rest...))
	press(t, menu, "Stop  Super+Esc")
	awaitLabels(t, menu, append([]string{"Idle (off)", "Stop (off)"}, rest...))
}

// TestTray runs the real program beside a panel on a private bus. It is built without the race detector,
// which finds a race inside the library (its menu's version number, read and written without its lock).
func TestTray(t *testing.T) {
	panel, bus := startPanel(t)
	c := startConch(t, "DISPLAY=:9999", "DBUS_SESSION_BUS_ADDRESS="+bus)
	name := soon(t, panel.items)
	menu := panel.conn.Object(name, "/StatusNotifierItem/menu")
	awaitLabels(t, menu, []string{
		"Idle. Using your apps is off (off)", "Stop (off)", "", "Open Conch", "Use your apps…", "Other apps", "Security checkup…", "Repair everything", "", "Start at login [ ]", "", "Quit Conch",
	})

	key := c.dir() + "/home/here/key"
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	for label, page := range map[string]string{
		"Open Conch": "/#here=", "Use your apps…": "/settings/computer#here=", "Security checkup…": "/settings/checkup#here=",
		"Repair everything": "/settings/repair#here=",
	} {
		press(t, menu, label)
		if err := eventually(patience, func() error {
			text, err := os.ReadFile(c.opened)
			if err == nil && !strings.Contains(string(text), page) {
				err = fmt.Errorf("it opened %s", text)
			}
			return err
		}); err != nil {
			t.Errorf("pressing %q: %v", label, err)
		}
	}

	// The page of a repair comes with the repair itself.
	if err := eventually(patience, func() error {
		info, err := os.Stat(key)
		if err == nil && info.Mode().Perm() != 0o600 {
			err = fmt.Errorf("the key's mode is %v", info.Mode())
		}
		return err
	}); err != nil {
		t.Error(err)
	}

	// Start at login is a file of the desktop's own, and the tick says what is there.
	entry := c.dir() + "/.config/autostart/conch.desktop"
	ticked := func(mark string) []string {
		return []string{
			"Idle. Using your apps is off (off)", "Stop (off)", "", "Open Conch", "Use your apps…", "Other apps", "Security checkup…", "Repair everything", "", "Start at login " + mark, "", "Quit Conch",
		}
	}
	press(t, menu, "Start at login")
	awaitLabels(t, menu, ticked("[x]"))
	if text, err := os.ReadFile(entry); err != nil || !strings.Contains(string(text), c.program) {
		t.Errorf("the autostart file: %v\n%s", err, text)
	}
	press(t, menu, "Start at login")
	awaitLabels(t, menu, ticked("[ ]"))
	if _, err := os.Stat(entry); !os.IsNotExist(err) {
		t.Errorf("the autostart file stays: %v", err)
	}

	press(t, menu, "Quit Conch")
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }()
	if err := soon(t, ended); err != nil {
		t.Errorf("after Quit: %v", err)
	}
	var owned bool
	if err := panel.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned); err != nil || owned {
		t.Errorf("the icon is still on the bus after the end: %v, %v", owned, err)
	}
}

func press(t *testing.T, menu dbus.BusObject, label string) {
	t.Helper()
	for _, n := range readMenu(t, menu) {
		if n.Properties["label"].Value() == label {
			if call := menu.Call("com.canonical.dbusmenu.Event", 0, n.ID, "clicked", dbus.MakeVariant(0), uint32(0)); call.Err != nil {
				t.Fatal(call.Err)
			}
			return
		}
	}
	t.Fatalf("the menu has no %q", label)
}

func readMenu(t *testing.T, menu dbus.BusObject) []node {
	t.Helper()
	var revision uint32
	var top node
	if err := menu.Call("com.canonical.dbusmenu.GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &top); err != nil {
		t.Fatal(err)
	}
	var all []node
	for _, child := range top.Children {
		var n node
		if err := dbus.Store([]any{child.Value()}, &n); err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

func awaitLabels(t *testing.T, menu dbus.BusObject, want []string) {
	t.Helper()
	if err := eventually(patience, func() error {
		var got []string
		for _, n := range readMenu(t, menu) {
			label, _ := n.Properties["label"].Value().(string)
			if enabled, ok := n.Properties["enabled"].Value().(bool); ok && !enabled {
				label += " (off)"
			}
			switch {
			case n.Properties["toggle-type"].Value() != "checkmark":
			case n.Properties["toggle-state"].Value() == int32(1):
				label += " [x]"
			default:
				label += " [ ]"
			}
			got = append(got, label)
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("the menu is %q, want %q", got, want)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func soon[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// Without a bus there is no icon, nothing panics, and no bus is started just for us.
func TestNoBus(t *testing.T) {
	for _, address := range []string{"", "disabled:", "autolaunch:", "unix:path=" + t.TempDir() + "/nobody"} {
		t.Run(strings.SplitN(address, "/", 2)[0], func(t *testing.T) {
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
			env := map[string]string{"DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": t.TempDir()}
			stop := startTray(t.Context(), quiet(), func(name string) string { return env[name] }, menuDo{})
			stop()
		})
	}
}

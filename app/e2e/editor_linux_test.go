package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// editor is Mousepad with a file open, read from outside over the accessibility bus.
type editor struct {
	d    *desk
	file string
	bus  *dbus.Conn
	text dbus.BusObject
}

const atspi = "org.a11y.atspi."

// newEditor starts Mousepad on a desktop that has a bus, and waits until its text can be read.
func newEditor(d *desk) *editor {
	d.t.Helper()
	e := &editor{d: d, file: filepath.Join(d.t.TempDir(), "note.txt")}
	if err := os.WriteFile(e.file, nil, 0o600); err != nil {
		d.t.Fatal(err)
	}
	if err := d.x.Start(d.x.Command("mousepad", e.file)); err != nil {
		d.t.Fatal(err)
	}
	e.bus = accessibility(d, d.x.Getenv)
	why := error(nil)
	d.untilSaid(func() string { return fmt.Sprintf("Mousepad on the accessibility bus (%v)", why) }, func() bool {
		e.text, why = find(e.bus, "mousepad", "text")
		return why == nil
	})
	return e
}

// accessibility connects to a desktop's accessibility bus.
func accessibility(d *desk, getenv func(string) string) *dbus.Conn {
	d.t.Helper()
	session, err := dbus.Connect(getenv("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	var address string
	if err := session.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&address); err != nil {
		d.t.Fatal(err)
	}
	bus, err := dbus.Connect(address)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = bus.Close() })
	return bus
}

// find looks through an application's controls for the first of a role.
func find(bus *dbus.Conn, app, role string) (dbus.BusObject, error) {
	next := []ref{{"org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"}}
	for depth := 0; len(next) > 0 && depth < 5000; depth++ {
		at := bus.Object(next[0].Name, next[0].Path)
		next = next[1:]
		var kids []ref
		if err := at.Call(atspi+"Accessible.GetChildren", 0).Store(&kids); err != nil {
			return nil, err
		}
		if depth == 0 {
			kids = slices.DeleteFunc(kids, func(r ref) bool {
				name, err := bus.Object(r.Name, r.Path).GetProperty(atspi + "Accessible.Name")
				return err != nil || !strings.EqualFold(strings.Trim(name.String(), `"`), app)
			})
		}
		next = append(next, kids...)
		var is string
		if err := at.Call(atspi+"Accessible.GetRoleName", 0).Store(&is); err == nil && is == role {
			return at, nil
		}
	}
	return nil, fmt.Errorf("no %s in %s", role, app)
}

type ref struct {
	Name string
	Path dbus.ObjectPath
}

// read is all that the editor holds.
func (e *editor) read() string {
	e.d.t.Helper()
	var s string
	if err := e.text.Call(atspi+"Text.GetText", 0, int32(0), int32(-1)).Store(&s); err != nil {
		e.d.t.Fatal(err)
	}
	return s
}

// selected is what is selected in it.
func (e *editor) selected() string {
	e.d.t.Helper()
	var n, from, to int32
	if err := e.text.Call(atspi+"Text.GetNSelections", 0).Store(&n); err != nil || n == 0 {
		return ""
	}
	if err := e.text.Call(atspi+"Text.GetSelection", 0, int32(0)).Store(&from, &to); err != nil {
		e.d.t.Fatal(err)
	}
	return string([]rune(e.read())[from:to])
}

// holds waits until the editor has a text, and no other one.
func (e *editor) holds(want string) {
	e.d.t.Helper()
	e.d.untilSaid(func() string { return fmt.Sprintf("%.80q in the editor, which has %.80q", want, e.read()) },
		func() bool { return e.read() == want })
}

// saved waits until the file has a text.
func (e *editor) saved(want string) {
	e.d.t.Helper()
	read := func() string {
		b, err := os.ReadFile(e.file)
		if err != nil {
			e.d.t.Fatal(err)
		}
		return strings.TrimSuffix(string(b), "\n")
	}
	e.d.untilSaid(func() string { return fmt.Sprintf("%q in the file, which has %q", want, read()) }, func() bool { return read() == want })
}

// long is text that shows where it was cut off.
func long(words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "%05d ", i)
	}
	return strings.TrimSpace(b.String())
}

// cutOff waits until the editor has handled all it got and says how much that was: a beginning of the text.
func (e *editor) cutOff(whole string) int {
	e.d.t.Helper()
	last := "\x00"
	e.d.until("the editor is done", func() bool {
		was := last
		last = e.read()
		return last == was
	})
	if !strings.HasPrefix(whole, last) {
		e.d.t.Errorf("the editor has no beginning of the text: it ends in %q", last[max(0, len(last)-60):])
	}
	if len(last) == len(whole) {
		e.d.t.Error("the whole text was typed before it was stopped")
	}
	return len(last)
}

func TestLong(t *testing.T) {
	if got := long(3); got != "00000 00001 00002" {
		t.Errorf("%q", got)
	}
}

//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
)

// form is a GTK window as people meet them. Its field's text goes to the file in $OUT at each change.
const form = `
import os, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk, GLib
w = Gtk.Window(title="Form")
w.set_default_size(500, 400)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
w.add(box)
bar = Gtk.MenuBar(); box.pack_start(bar, False, False, 0)
item = Gtk.MenuItem.new_with_mnemonic("_File"); bar.append(item)
sub = Gtk.Menu(); item.set_submenu(sub)
sub.append(Gtk.MenuItem.new_with_mnemonic("_Quit"))
row = Gtk.Box(); box.pack_start(row, False, False, 6)
label = Gtk.Label.new_with_mnemonic("Your _name:"); row.pack_start(label, False, False, 0)
entry = Gtk.Entry(); entry.set_max_length(0); row.pack_start(entry, True, True, 0)
label.set_mnemonic_widget(entry)
secret = Gtk.Entry(); secret.set_visibility(False); secret.set_text("hunter2"); box.pack_start(secret, False, False, 6)
secret.get_accessible().set_name("Password")
b1 = Gtk.Button.new_with_mnemonic("_Save"); box.pack_start(b1, False, False, 6)
b2 = Gtk.Button.new_with_mnemonic("Save _as…"); box.pack_start(b2, False, False, 6)
box.pack_start(Gtk.CheckButton(label="Autosave"), False, False, 6)
hidden = Gtk.Button(label="Save hidden")
out = os.environ["OUT"]
def write(text):
    with open(out + ".new", "w") as f: f.write(text)
    os.rename(out + ".new", out)
entry.connect("changed", lambda e: write(e.get_text()))
w.connect("destroy", Gtk.main_quit)
w.show_all()
entry.grab_focus()
GLib.idle_add(lambda: write(""))
Gtk.main()
`

// gtkForm starts the form and waits for its window. It returns the file with the field's text.
func (k *desk) gtkForm(env ...string) (file string, w driver.Window) {
	k.t.Helper()
	k.needGTK()
	file = filepath.Join(k.t.TempDir(), "text")
	cmd := k.x.Command("/usr/bin/python3", "-c", form)
	cmd.Env = append(append(cmd.Env, "OUT="+file), env...)
	if err := k.x.Start(cmd); err != nil {
		k.t.Fatal(err)
	}
	return file, k.comes("Form", file)
}

func (k *desk) needGTK() {
	k.t.Helper()
	if out, err := exec.Command("/usr/bin/python3", "-c", `import gi; gi.require_version("Gtk", "3.0")`).CombinedOutput(); err != nil {
		xtest.Missing(k.t, fmt.Errorf("python3-gi and gir1.2-gtk-3.0: %w: %s", err, out))
	}
}

// comes waits until a window has the keys and its program has made a file.
func (k *desk) comes(title, file string) (w driver.Window) {
	k.t.Helper()
	until(k.t, func() string { return "a window " + title + " with the keys" }, func() bool {
		ws, err := k.d.Windows(k.t.Context())
		if err != nil {
			k.t.Fatal(err)
		}
		for _, x := range ws {
			if x.Title == title && x.Focused {
				w = x
			}
		}
		_, err = os.Stat(file)
		return w.ID != 0 && err == nil
	})
	return w
}

func centre(r driver.ScreenRect) driver.ScreenPoint {
	return driver.ScreenPoint{X: r.X + r.W/2, Y: r.Y + r.H/2}
}

func TestControlsOfAGTKWindow(t *testing.T) {
	for _, scale := range []string{"1", "2"} {
		t.Run("scale="+scale, func(t *testing.T) {
			k := newDesk(t, xserver.Options{WindowManager: "openbox", Bus: true})
			_, w := k.gtkForm("GDK_SCALE=" + scale)
			find := func(name string) (c []driver.Control) {
				t.Helper()
				until(t, func() string { return "find " + name }, func() bool {
					var err error
					c, err = k.d.Find(t.Context(), name)
					if err != nil && !errors.Is(err, driver.ErrNoControl) {
						t.Fatal(err)
					}
					return err == nil
				})
				return c
			}
			for name, role := range map[string]string{
				"save": "button", "SAVE": "button", "Save as": "button", "save as...": "button", "autos": "checkbox",
				"your name": "textbox", "password": "textbox", "file": "menuitem",
			} {
				c := find(name)[0]
				if c.Role != role || c.Window != w.ID || c.Bounds.Intersect(w.Bounds) != c.Bounds {
					t.Errorf("%q is %+v, which is no %s inside %v", name, c, role, w.Bounds)
				}
				// What is found is what is there.
				at, err := k.d.Control(t.Context(), centre(c.Bounds))
				if err != nil || at.Role != c.Role || at.Bounds != c.Bounds || at.Name != c.Name || at.Secure != (name == "password") {
					t.Errorf("at %v for %q: %+v, %v; found was %+v", centre(c.Bounds), name, at, err, c)
				}
			}
			if c := find("save"); len(c) < 3 || c[0].Name != "Save" || !strings.HasPrefix(c[1].Name, "Save as") || c[2].Name != "Autosave" {
				t.Errorf("save, best first: %+v", c)
			}
			for _, none := range []string{"quit", "save hidden", "hunter2", "", "_"} {
				if c, err := k.d.Find(t.Context(), none); !errors.Is(err, driver.ErrNoControl) {
					t.Errorf("%q: %+v, %v", none, c, err)
				}
			}
			all := fmt.Sprintf("%+v", find("a"))
			if strings.Contains(all, "hunter2") {
				t.Errorf("a password came out: %s", all)
			}
			// A click on what was found opens the menu, and then its entry is found.
			if err := errors.Join(
				k.d.Move(t.Context(), centre(find("file")[0].Bounds), driver.Anywhere),
				k.d.Button(t.Context(), driver.Left, true, driver.Anywhere), k.d.Button(t.Context(), driver.Left, false, driver.Anywhere),
			); err != nil {
				t.Fatal(err)
			}
			if c := find("quit")[0]; c.Role != "menuitem" {
				t.Errorf("the menu's entry: %+v", c)
			}
			k.release()
		})
	}
}

func TestNoAccessibilityIsSaidAtOnce(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	w := k.sink(xfixture.Spec{})
	_ = w
	start := time.Now()
	if c, err := k.d.Control(t.Context(), driver.ScreenPoint{X: 150, Y: 150}); !errors.Is(err, driver.ErrNoControl) {
		t.Errorf("control: %+v, %v", c, err)
	}
	if c, err := k.d.Find(t.Context(), "Save"); !errors.Is(err, driver.ErrNoControl) {
		t.Errorf("find: %+v, %v", c, err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("it took %v to know nothing", d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.d.Find(ctx, "Save"); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

// A bus that accepts and then says nothing, as a hung one does.
func TestHungBusHasALimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	a := newA11y(environ{"DBUS_SESSION_BUS_ADDRESS=unix:path=" + path})
	start := time.Now()
	if _, err := a.Control(t.Context(), driver.ScreenPoint{}, driver.Window{PID: 1}); !errors.Is(err, driver.ErrNoControl) {
		t.Error(err)
	}
	if d := time.Since(start); d > 2*driver.LookUp {
		t.Errorf("took %v", d)
	}
	if err := a.close(); err != nil {
		t.Error(err)
	}
	for _, address := range []string{"unixexec:path=/bin/false", "tcp:host=localhost,port=1", "disabled:", "autolaunch:", "nonsense"} {
		if _, err := dialBus(t.Context(), address); err == nil {
			t.Errorf("followed %q", address)
		}
	}
}

func TestPlainName(t *testing.T) {
	for in, want := range map[string]string{"_Save  As…": "save as", "&Open...": "open", "Your _name:": "your name", " \t": ""} {
		if got := driver.PlainName(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

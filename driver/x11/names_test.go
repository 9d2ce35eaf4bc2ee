//go:build linux

package x11

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
)

// Two sign-in windows and a question, in the two toolkits. A line on the input does something: "field", "secret",
// "lines" and "other" give that the keys, "ask" opens a dialog, "name X" calls its button X.
const signInGTK = `
import os, sys, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk, GLib
w = Gtk.Window(title="Sign in"); w.set_default_size(420, 320)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL); w.add(box)
user = Gtk.Entry(); user.get_accessible().set_name("User"); box.pack_start(user, False, False, 4)
secret = Gtk.Entry(); secret.set_visibility(False); secret.set_input_purpose(Gtk.InputPurpose.PASSWORD); secret.get_accessible().set_name("Password"); box.pack_start(secret, False, False, 4)
lines = Gtk.TextView(); lines.set_size_request(200, 60); lines.get_accessible().set_name("Note"); box.pack_start(lines, False, False, 4)
other = Gtk.Button(label="Help"); box.pack_start(other, False, False, 4)
go = Gtk.Button(label="Send"); go.set_can_default(True); box.pack_start(go, False, False, 4)
w.set_default(go)
parts = {"field": user, "secret": secret, "lines": lines, "other": other}
dialogs = []
def line(f, c):
    words = f.readline().split(" ", 1)
    what = words[0].strip()
    if what == "": Gtk.main_quit(); return False
    if what in parts: parts[what].grab_focus()
    if what == "name": go.set_label(words[1].strip())
    if what == "ask":
        d = Gtk.Dialog(title="Sure", transient_for=w); d.set_default_size(300, 120)
        d.add_button("Keep", 1); d.add_button("Delete", 2); d.set_default_response(2); d.show_all(); dialogs.append(d)
    return True
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, line)
w.connect("destroy", Gtk.main_quit); w.show_all(); user.grab_focus(); Gtk.main()
`

const signInQt = `
import os, sys
from PyQt5.QtCore import QSocketNotifier
from PyQt5.QtWidgets import *
a = QApplication(["signin"])
w = QDialog(); w.setWindowTitle("Sign in"); w.resize(420, 320)
box = QVBoxLayout(w)
user = QLineEdit(); user.setAccessibleName("User")
secret = QLineEdit(); secret.setEchoMode(QLineEdit.Password); secret.setAccessibleName("Password")
lines = QPlainTextEdit(); lines.setAccessibleName("Note")
other = QPushButton("Help"); other.setAutoDefault(False)
go = QPushButton("Send"); go.setDefault(True)
for p in (user, secret, lines, other, go): box.addWidget(p)
parts = {"field": user, "secret": secret, "lines": lines, "other": other}
dialogs = []
def line():
    words = sys.stdin.readline().split(" ", 1)
    what = words[0].strip()
    if what == "": a.quit(); return
    if what in parts: parts[what].setFocus()
    if what == "name": go.setText(words[1].strip())
    if what == "ask":
        d = QMessageBox(QMessageBox.Question, "Sure", "Sure?", parent=w)
        keep = d.addButton("Keep", QMessageBox.RejectRole); gone = d.addButton("Delete", QMessageBox.AcceptRole)
        d.setDefaultButton(gone); d.show(); dialogs.append(d)
n = QSocketNotifier(0, QSocketNotifier.Read); n.activated.connect(line)
w.show(); user.setFocus(); a.exec_()
`

// signIn is such a window.
type signIn struct {
	*desk
	pid int
	w   driver.Window
	in  *os.File
}

func newSignIn(t *testing.T, program, needs string) *signIn {
	t.Helper()
	k := newDesk(t, xserver.Options{WindowManager: "openbox", Bus: true})
	if out, err := exec.Command("/usr/bin/python3", "-c", needs).CombinedOutput(); err != nil {
		xtest.Missing(t, errors.New("python3-gi, gir1.2-gtk-3.0 and python3-pyqt5: "+string(out)))
	}
	r, in, err := os.Pipe()
	k.try(err)
	cmd := k.x.Command("/usr/bin/python3", "-c", program)
	cmd.Env = append(cmd.Env, "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1")
	cmd.Stdin = r
	k.try(k.x.Start(cmd))
	k.try(r.Close())
	t.Cleanup(func() { _ = in.Close() })
	s := &signIn{desk: k, pid: cmd.Process.Pid, in: in}
	s.w = k.comes("Sign in", filepath.Join(t.TempDir()))
	return s
}

func (s *signIn) do(line string) {
	s.t.Helper()
	_, err := s.in.WriteString(line + "\n")
	s.try(err)
}

// focusIs waits until the driver says so.
func (s *signIn) focusIs(what string, is func(driver.Focus) bool) (f driver.Focus) {
	s.t.Helper()
	until(s.t, func() string { return fmt.Sprintf("%s, but it is %+v", what, f) }, func() bool {
		var err error
		f, err = s.d.Focus(s.t.Context())
		if err != nil && !errors.Is(err, driver.ErrNoControl) {
			s.t.Fatal(err)
		}
		return err == nil && is(f)
	})
	return f
}

var signIns = map[string]struct{ program, needs string }{
	"GTK": {signInGTK, `import gi; gi.require_version("Gtk", "3.0")`},
	"Qt":  {signInQt, `import PyQt5.QtWidgets`},
}

func TestWhatHasTheKeys(t *testing.T) {
	for name, p := range signIns {
		t.Run(name, func(t *testing.T) {
			s := newSignIn(t, p.program, p.needs)
			f := s.focusIs("the keys are in User", func(f driver.Focus) bool { return f.Control.Name == "User" })
			if f.Control.Role != "textbox" || f.Control.Secure || f.Lines || f.Control.Window != s.w.ID {
				t.Errorf("%+v", f)
			}
			if f.Default.Name != "Send" || f.Default.Role != "button" || !f.Default.Default {
				t.Errorf("the button that Return presses: %+v", f.Default)
			}
			s.do("secret")
			f = s.focusIs("the keys are in Password", func(f driver.Focus) bool { return f.Control.Name == "Password" })
			if !f.Control.Secure {
				t.Errorf("%+v", f.Control)
			}
			s.do("lines")
			f = s.focusIs("the keys are in Note", func(f driver.Focus) bool { return f.Control.Name == "Note" })
			if !f.Lines || f.Control.Secure {
				t.Errorf("%+v", f)
			}
			s.do("other")
			s.focusIs("the keys are on Help", func(f driver.Focus) bool {
				// GTK counts the focused button as the one that Return presses, and so names no other.
				return f.Control.Name == "Help" && f.Control.Role == "button" && (name == "GTK" || f.Default.Name == "Send")
			})
			s.do("field")
			s.focusIs("the keys are in User again", func(f driver.Focus) bool { return f.Control.Name == "User" && f.Default.Name == "Send" })
			s.do("name Delete")
			s.focusIs("the button has another name", func(f driver.Focus) bool { return f.Default.Name == "Delete" })
			s.do("ask")
			s.comes("Sure", t.TempDir())
			f = s.focusIs("a dialog's button", func(f driver.Focus) bool { return f.Default.Name == "Delete" && f.Default.Dialog })
			c, err := s.d.Control(t.Context(), centre(f.Default.Bounds))
			if err != nil || c.Name != "Delete" || !c.Dialog || !c.Default || c.Role != "button" {
				t.Errorf("under the pointer: %+v, %v", c, err)
			}
		})
	}
}

func TestPasswordFieldsAreKnown(t *testing.T) {
	for name, p := range signIns {
		t.Run(name, func(t *testing.T) {
			s := newSignIn(t, p.program, p.needs)
			s.try(s.d.Begin(t.Context()))
			find := func(name string) (c driver.Control) {
				until(t, func() string { return "find " + name }, func() bool {
					cs, err := s.d.Find(t.Context(), name)
					if err == nil {
						c = cs[0]
					}
					return err == nil
				})
				return c
			}
			want := find("Password").Bounds
			var got []driver.ScreenRect
			is := func(want ...driver.ScreenRect) func() bool {
				return func() bool {
					var err error
					got, err = s.d.Secrets(t.Context())
					s.try(err)
					return slices.Equal(got, want)
				}
			}
			eventually(t, "the password field is listed", is(want))
			// An answer that counts is given again without asking, and moves with its window.
			eventually(t, "it counts", func() bool {
				if !is(want)() {
					return false
				}
				w := s.tops()[s.w.ID]
				s.d.a11y.secrets.mu.Lock()
				defer s.d.a11y.secrets.mu.Unlock()
				return s.d.a11y.secrets.known[s.w.ID].counts(w, time.Now())
			})
			s.try(syscall.Kill(s.pid, syscall.SIGSTOP))
			defer func() { _ = syscall.Kill(s.pid, syscall.SIGCONT) }()
			start := time.Now()
			if !is(want)() {
				t.Errorf("of a window that stayed as it was: %v, want %v", got, want)
			}
			if d := time.Since(start); d > driver.LookUp {
				t.Errorf("it was asked again, which took %v", d)
			}
		})
	}
}

// tops are the windows as Secrets is given them.
func (k *desk) tops() map[driver.WindowID]drawnWindow {
	k.t.Helper()
	t, err := k.d.readTree()
	k.try(err)
	out := map[driver.WindowID]drawnWindow{}
	for _, w := range t.tops {
		out[w.win.ID] = drawnWindow{w.win, k.d.follow.drawn(w.id)}
	}
	return out
}

// TestHungAppHasALimit: an app that hangs holds no look-up beyond its limit, in any of its windows, and none at
// another app.
func TestHungAppHasALimit(t *testing.T) {
	for name, p := range signIns {
		t.Run(name, func(t *testing.T) {
			s := newSignIn(t, p.program, p.needs)
			s.focusIs("the keys are in User", func(f driver.Focus) bool { return f.Control.Name == "User" })
			s.try(syscall.Kill(s.pid, syscall.SIGSTOP))
			defer func() { _ = syscall.Kill(s.pid, syscall.SIGCONT) }()
			const slack = 200 * time.Millisecond // of a machine that is busy; an idle one takes 2 ms
			for what, ask := range map[string]func() error{
				"Control": func() error { _, err := s.d.Control(t.Context(), centre(s.w.Bounds)); return err },
				"Focus":   func() error { _, err := s.d.Focus(t.Context()); return err },
				"Secrets": func() error {
					_, err := s.d.Secrets(t.Context())
					return errors.Join(err, driver.ErrNoControl)
				},
			} {
				start := time.Now()
				err := ask()
				took := time.Since(start)
				t.Logf("%s of an app that hangs: %v", what, took.Round(time.Millisecond))
				if !errors.Is(err, driver.ErrNoControl) {
					t.Errorf("%s: %v", what, err)
				}
				if took > driver.LookUp+slack || took < driver.LookUp/2 {
					t.Errorf("%s took %v", what, took)
				}
			}
			start := time.Now() // it rests now
			if _, err := s.d.Secrets(t.Context()); err != nil || time.Since(start) > driver.LookUp/2 {
				t.Errorf("asked again at once: %v, %v", time.Since(start), err)
			}
		})
	}
}

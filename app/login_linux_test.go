package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/driver/x11/desktopfile"
)

func TestAutostart(t *testing.T) {
	home := t.TempDir()
	a := newAutostart(func(name string) string { return map[string]string{"HOME": home}[name] })
	if want := filepath.Join(home, ".config/autostart/conch.desktop"); a.path() != want {
		t.Fatalf("the file is %s, want %s", a.path(), want)
	}
	want := func(s loginState, when string) {
		t.Helper()
		if got := a.State(); got != s {
			t.Errorf("%s: %v, want %v", when, got, s)
		}
	}
	set := func(on bool) {
		t.Helper()
		if err := a.Set(on); err != nil {
			t.Fatal(err)
		}
	}
	want(loginOff, "at first")
	set(false) // nothing there to take away is no mistake
	set(true)
	want(loginOn, "turned on")
	set(true)
	text, err := os.ReadFile(a.path())
	if err != nil {
		t.Fatal(err)
	}
	for old, fresh := range map[string]string{
		"X-GNOME-Autostart-enabled=true": "X-GNOME-Autostart-enabled=false",
		"Terminal=false":                 "Hidden=true",
		"Exec=":                          "Exec=/moved",
		"[Desktop Entry]":                "[Other]",
	} {
		edited := strings.Replace(string(text), old, fresh, 1)
		if err := os.WriteFile(a.path(), []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		want(loginOff, fresh)
		set(true) // a press puts it right again
		want(loginOn, "after "+fresh)
	}
	set(false)
	want(loginOff, "turned off")
	left, err := os.ReadDir(a.dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAutostartNowhere(t *testing.T) {
	a := newAutostart(func(string) string { return "" })
	if a.State() != loginUnknown || a.Set(true) == nil {
		t.Error("without a home folder it seems to work")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a = newAutostart(func(name string) string { return map[string]string{"XDG_CONFIG_HOME": file}[name] })
	if err := a.Set(true); err == nil || a.State() == loginOn {
		t.Errorf("in a folder that is a file: %v", err)
	}
}

// A desktop reads the line back as this very program, whatever its folder is called.
func TestAutostartQuoting(t *testing.T) {
	for _, exe := range []string{"/usr/bin/conch", "/home/a b/conch", `/x/"q"/co\nch`, "/x/$HOME/`id`/%f%%u", "/ü/тест/👋", "/a\tb"} {
		e, err := desktopfile.Parse(strings.NewReader(autostartEntry(exe)), nil)
		if err != nil {
			t.Errorf("%q: %v", exe, err)
			continue
		}
		argv, err := e.Argv()
		if err != nil || len(argv) != 2 || argv[0] != exe || argv[1] != "--no-open" {
			t.Errorf("%q: %q, %v", exe, argv, err)
		}
	}
	if tool, err := exec.LookPath("desktop-file-validate"); err == nil {
		file := filepath.Join(t.TempDir(), autostartName)
		if err := os.WriteFile(file, []byte(autostartEntry("/usr/bin/conch")), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(tool, file).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}

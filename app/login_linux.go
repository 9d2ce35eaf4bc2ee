package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"conch/driver/x11/desktopfile"
)

// autostart is the person's own autostart folder: a desktop starts what a file there names when it comes up.
type autostart struct {
	dir string // empty: it isn't known where that would be
	exe string // this program
}

// autostartName is the file that is Conch's own.
const autostartName = "conch.desktop"

func newAutostart(getenv func(string) string) autostart {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the specification has relative ones ignored
		dir = ""
		if home := getenv("HOME"); filepath.IsAbs(home) {
			dir = filepath.Join(home, ".config")
		}
	}
	a := autostart{}
	if dir != "" {
		a.dir = filepath.Join(dir, "autostart")
	}
	if exe, err := os.Executable(); err == nil {
		a.exe = exe
	}
	return a
}

func (a autostart) path() string { return filepath.Join(a.dir, autostartName) }

// State is on only when the file starts this very program: one that names a Conch that was moved or removed
// starts nothing.
func (a autostart) State() loginState {
	if a.dir == "" || a.exe == "" {
		return loginUnknown
	}
	text, err := os.ReadFile(a.path())
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return loginOff
		}
		return loginUnknown
	}
	e, err := desktopfile.Parse(strings.NewReader(string(text)), nil)
	if err != nil || e.Hidden || disabled(string(text)) {
		return loginOff
	}
	if argv, err := e.Argv(); err != nil || argv[0] != a.exe {
		return loginOff
	}
	return loginOn
}

// disabled says whether a settings panel turned the entry off in its own way.
func disabled(text string) bool {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if strings.TrimSpace(key) == "X-GNOME-Autostart-enabled" && strings.TrimSpace(value) == "false" {
			return true
		}
	}
	return false
}

// Set writes the file whole or takes it away, then looks.
func (a autostart) Set(on bool) error {
	if a.dir == "" || a.exe == "" {
		return &said{Say: "Conch can’t find your autostart folder.", Next: "Add Conch to what your desktop starts by hand."}
	}
	if err := a.write(on); err != nil {
		return &said{Say: "Start at login could not be changed: " + err.Error() + ".", Next: "Look at " + a.path() + ".", Err: err}
	}
	if want := map[bool]loginState{true: loginOn, false: loginOff}[on]; a.State() != want {
		return &said{Say: "Start at login was changed, but it reads as it was.", Next: "Look at " + a.path() + "."}
	}
	return nil
}

func (a autostart) write(on bool) error {
	if !on {
		if err := os.Remove(a.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(a.dir, ".conch-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(autostartEntry(a.exe))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), a.path())
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// autostartEntry starts exe in the background: nobody asked for a page at that moment.
func autostartEntry(exe string) string {
	// A quoted argument has its own escapes, "%" is a code in any, and the value of a key has escapes again.
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", `$`, `\$`, `%`, `%%`).Replace(exe)
	value := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(`"` + quoted + `" --no-open`)
	return fmt.Sprintf(`[Desktop Entry]
Type=Application
Name=Conch
Comment=Your assistant can use the apps on your computer, while you watch
Exec=%s
Terminal=false
X-GNOME-Autostart-enabled=true
`, value)
}

//go:build linux

package x11

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"conch/driver"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
)

// install puts a .desktop file into the home of the desk's programs.
func install(t *testing.T, home, id, text string) {
	t.Helper()
	dir := filepath.Join(home, ".local", "share", "applications")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, id+".desktop"), []byte("[Desktop Entry]\nType=Application\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAppsAreListedOpenedAndBroughtToTheFront(t *testing.T) {
	if err := xserver.Have("xmessage", "openbox"); err != nil {
		xtest.Missing(t, err)
	}
	home := t.TempDir()
	mark := filepath.Join(home, "seen")
	install(t, home, "org.test.One", "Name=One\nExec=xmessage -name one -xrm *input:True \"a  b\" $HOME\nStartupWMClass=One\n")
	install(t, home, "probe", fmt.Sprintf("Name=Probe\nExec=sh -c \"env > %s.new; echo \\\\$PPID >> %s.new; mv %s.new %s; exec sleep 60\"\n", mark, mark, mark, mark))
	install(t, home, "quick", "Name=Quick\nExec=true\n")
	install(t, home, "bad", "Name=Bad\nExec="+filepath.Join(home, "bad")+"\n")
	if err := os.WriteFile(filepath.Join(home, "bad"), []byte("not a program"), 0o700); err != nil {
		t.Fatal(err)
	}
	install(t, home, "term", "Name=Top\nExec=top\nTerminal=true\n")
	install(t, home, "hidden", "Name=Hidden\nExec=sh\nNoDisplay=true\n")
	install(t, home, "kde", "Name=Elsewhere\nExec=sh\nOnlyShowIn=KDE;\n")
	install(t, home, "lost", "Name=Lost\nExec=no-such-program-here\n")
	install(t, home, "tried", "Name=Tried\nExec=sh\nTryExec=no-such-program-here\n")
	k := newDesk(t, xserver.Options{
		WindowManager: "openbox", Home: home,
		ExtraEnv: []string{"CONCH_SECRET=x", "SOME_API_KEY=y"},
	})
	list, err := k.d.Apps(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	for _, n := range []string{"Top", "Hidden", "Elsewhere", "Lost", "Tried"} {
		if slices.Contains(names, n) {
			t.Errorf("%s is offered: %q", n, names)
		}
	}
	for _, n := range []string{"One", "Probe", "Quick"} {
		if !slices.Contains(names, n) {
			t.Errorf("%s is not offered: %q", n, names)
		}
	}
	open := func(id driver.AppID) error { return k.d.Open(t.Context(), id) }
	if err := open("nothing"); !errors.Is(err, driver.ErrNoApp) {
		t.Errorf("an app that isn't there: %v", err)
	}
	for id, says := range map[driver.AppID]string{"term": "terminal", "lost": "install", "bad": "did not start"} {
		if err := open(id); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want a word about %q", id, err, says)
		}
	}
	if err := open("probe"); err != nil {
		t.Fatal(err)
	}
	var seen string
	until(t, func() string { return "the probe's report" }, func() bool {
		b, err := os.ReadFile(mark)
		seen = string(b)
		return err == nil
	})
	for _, secret := range []string{"CONCH_", "API_KEY"} {
		if strings.Contains(seen, secret) {
			t.Errorf("the app was told %s: %s", secret, seen)
		}
	}
	if !strings.Contains(seen, "DISPLAY="+k.x.Display()) || !strings.Contains(seen, "HOME="+home) {
		t.Errorf("the app lacks its display or home: %s", seen)
	}
	if err := open("quick"); err != nil {
		t.Fatal(err)
	}
	until(t, func() string { return "a zombie stays: " + zombies() }, func() bool { return zombies() == "" })
	if err := open("org.test.One"); err != nil {
		t.Fatal(err)
	}
	one := func() (found []driver.Window) {
		ws, err := k.d.Windows(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range ws {
			if w.App == "org.test.One" {
				found = append(found, w)
			}
		}
		return found
	}
	until(t, func() string { return "the app's window" }, func() bool { return len(one()) == 1 })
	k.sink(xfixture.Spec{})
	if one()[0].Focused {
		t.Fatal("the app is in front all the same")
	}
	if err := open("org.test.One"); err != nil {
		t.Fatal(err)
	}
	if ws := one(); len(ws) != 1 || !ws[0].Focused {
		t.Errorf("opened again: %+v", ws)
	}
	list, err = k.d.Apps(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		if a.Running != (a.ID == "org.test.One") {
			t.Errorf("%s runs: %t", a.ID, a.Running)
		}
	}
}

// zombies lists our ended children that nobody waited for.
func zombies() string {
	out := ""
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range stats {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		rest := strings.Fields(string(b)[strings.LastIndexByte(string(b), ')')+1:])
		if len(rest) > 1 && rest[0] == "Z" && rest[1] == strconv.Itoa(os.Getpid()) {
			out += string(b)
		}
	}
	return out
}

func TestStartedAppsSurviveUsInASessionOfTheirOwn(t *testing.T) {
	home := t.TempDir()
	mark := filepath.Join(home, "pid")
	install(t, home, "long", fmt.Sprintf("Name=Long\nExec=sh -c \"echo \\\\$\\\\$ > %s.new; mv %s.new %s; exec sleep 60\"\n", mark, mark, mark))
	k := newDesk(t, xserver.Options{Home: home, ExtraEnv: []string{"XDG_DATA_DIRS=" + home}})
	d, err := Open(t.Context(), Options{Env: k.x.Env()})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Open(t.Context(), "long"); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	until(t, func() string { return "the app's pid" }, func() bool {
		b, err := os.ReadFile(mark)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil && pid > 0
	})
	sid, err := getsid(pid)
	if err != nil || sid != pid {
		t.Errorf("the session of %d is %d (%v)", pid, sid, err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	_, _ = syscall.Wait4(pid, nil, 0, nil)
}

func getsid(pid int) (int, error) {
	r, _, e := syscall.RawSyscall(syscall.SYS_GETSID, uintptr(pid), 0, 0)
	if e != 0 {
		return 0, e
	}
	return int(r), nil
}

func TestLookupTrustsTheProgramMoreThanTheClass(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"editor": "\x7fELF", "evil": "\x7fELF", "wrapper": "#!/bin/sh\n", "office": "\x7fELF"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(bin, "editor"), filepath.Join(bin, "ed")); err != nil {
		t.Fatal(err)
	}
	install(t, home, "org.test.editor", "Name=Editor\nExec=ed %U\n")
	install(t, home, "browser", "Name=Browser\nExec=wrapper\nStartupWMClass=Browser-x\n")
	install(t, home, "writer", "Name=Writer\nExec=office --writer\nStartupWMClass=office-writer\n")
	install(t, home, "calc", "Name=Calc\nExec=env A=b office --calc\nStartupWMClass=office-calc\n")
	install(t, home, "term", "Name=T\nExec=editor\nTerminal=true\n")
	a := newApps(environ{"HOME=" + home, "PATH=" + bin + ":/usr/bin", "XDG_DATA_DIRS=" + home}, nil, nil)
	p := func(n string) string { return filepath.Join(bin, n) }
	for _, c := range []struct {
		exe, class, instance string
		want                 driver.AppID
	}{
		{p("editor"), "Whatever", "x", "org.test.editor"},
		{p("editor") + " (deleted)", "", "", "org.test.editor"},
		{p("evil"), "Editor", "editor", ""}, // claims a class, but the entry's program is known to be another
		{p("evil"), "org.test.editor", "", ""},
		{"", "Editor", "editor", "org.test.editor"},
		{"/usr/lib/browser/browser", "Browser-x", "browser", "browser"}, // a script starts it
		{p("office"), "office-calc", "", "calc"},
		{p("office"), "office-writer", "", "writer"},
		{"/usr/bin/python3.11", "nobody", "", ""},
		{"", "", "", ""},
	} {
		if id, _ := a.lookup(c.exe, c.class, c.instance); id != c.want {
			t.Errorf("%+v: %q", c, id)
		}
	}
}

//go:build linux

package x11

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"conch/driver"
	"conch/driver/x11/desktopfile"
)

// apps knows the installed applications.
type apps struct {
	env     environ
	raise   func(context.Context, driver.Window) error
	windows func(context.Context) ([]driver.Window, error)
	now     func() time.Time
	starter starter

	mu    sync.Mutex
	all   []installed
	read  time.Time // when all was read
	asked time.Time // when the folders were last looked at
	stamp string    // what they looked like
}

// installed is an application with the program it starts.
type installed struct {
	desktopfile.Entry
	argv    []string
	program string // the program's path; empty when it isn't there
	real    string // that path with its links followed, as the kernel names it
	script  bool   // the program is a script, so a window's executable is another one
}

// How long the list is trusted before the folders are looked at, and at most. Window lists ask for each
// window, and installing an app is rare.
const (
	appsTrust = 2 * time.Second
	appsKeep  = time.Minute
)

// newApps reads the applications that env (NAME=value) leads to. windows lists what is open, and raise brings
// one to the front.
func newApps(env environ, raise func(context.Context, driver.Window) error, windows func(context.Context) ([]driver.Window, error)) *apps {
	return &apps{env: env, raise: raise, windows: windows, now: time.Now}
}

// list returns the entries as they are now.
func (a *apps) list() []installed {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if a.all != nil && now.Sub(a.asked) < appsTrust {
		return a.all
	}
	a.asked = now
	dirs := desktopfile.Dirs(a.env.get)
	stamp := ""
	for _, d := range dirs {
		if i, err := os.Stat(d); err == nil {
			stamp += i.ModTime().String() + "\n"
		} else {
			stamp += "none\n"
		}
	}
	if a.all != nil && stamp == a.stamp && now.Sub(a.read) < appsKeep {
		return a.all
	}
	all := []installed{}
	for _, e := range desktopfile.Read(dirs, desktopfile.Locales(a.locale())) {
		if !e.Hidden && !a.missing(e.TryExec) {
			all = append(all, a.resolve(e))
		}
	}
	a.all, a.read, a.stamp = all, now, stamp
	return all
}

func (a *apps) locale() string {
	for _, n := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := a.env.get(n); v != "" {
			return v
		}
	}
	return ""
}

// missing says whether an entry asks for a program that isn't there.
func (a *apps) missing(try string) bool { return try != "" && a.which(try) == "" }

// which finds a program as the app's own environment would. A relative path is not looked up: what it means
// depends on where we happen to be.
func (a *apps) which(name string) string {
	if strings.ContainsRune(name, '/') {
		if filepath.IsAbs(name) && runnable(name) {
			return name
		}
		return ""
	}
	for _, dir := range filepath.SplitList(a.env.get("PATH")) {
		if p := filepath.Join(dir, name); filepath.IsAbs(dir) && runnable(p) {
			return p
		}
	}
	return ""
}

func runnable(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.Mode().IsRegular() && i.Mode()&0o111 != 0
}

func (a *apps) resolve(e desktopfile.Entry) installed {
	in := installed{Entry: e}
	argv, err := e.Argv()
	if err != nil {
		return in
	}
	in.argv, in.program = argv, a.which(argv[0])
	main := in.program
	if filepath.Base(argv[0]) == "env" { // env NAME=value program
		for _, arg := range argv[1:] {
			if !strings.Contains(arg, "=") && !strings.HasPrefix(arg, "-") {
				main = a.which(arg)
				break
			}
		}
	}
	if real, err := filepath.EvalSymlinks(main); err == nil && main != "" {
		in.real, in.script = real, isScript(real)
	}
	return in
}

func isScript(path string) bool {
	f, err := os.Open(path) // #nosec G304 -- a program of the person's
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	var b [2]byte
	_, err = f.Read(b[:])
	return err == nil && string(b[:]) == "#!"
}

// offered says whether a person would find the app in a menu and we can start it.
func (a *apps) offered(in installed) bool {
	return in.Shown(a.env.get("XDG_CURRENT_DESKTOP")) && in.program != "" && !in.Terminal
}

// Apps lists the installed apps, those with a window marked as running.
func (a *apps) Apps(ctx context.Context) ([]driver.App, error) {
	ws, err := a.windows(ctx)
	if err != nil {
		return nil, err
	}
	running := map[driver.AppID]bool{}
	for _, w := range ws {
		running[w.App] = true
	}
	var out []driver.App
	for _, in := range a.list() {
		id := driver.AppID(in.ID)
		if !a.offered(in) {
			continue
		}
		app := driver.App{ID: id, Name: in.Name, Exe: in.real, Running: running[id]}
		for _, n := range []string{in.GenericName, in.English} {
			if n != "" && n != in.Name {
				app.Also = append(app.Also, n)
			}
		}
		out = append(out, app)
	}
	slices.SortStableFunc(out, func(x, y driver.App) int { return strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)) })
	return out, nil
}

// Open brings an app's window to the front, or starts the app.
func (a *apps) Open(ctx context.Context, id driver.AppID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	all := a.list()
	i := slices.IndexFunc(all, func(in installed) bool { return in.ID == string(id) })
	if i < 0 {
		return fmt.Errorf("open %q: %w", id, driver.ErrNoApp)
	}
	in := all[i]
	if in.Terminal {
		return fmt.Errorf("%s runs in a terminal, and Conch keeps away from terminals: start it yourself", in.Name)
	}
	ws, err := a.windows(ctx)
	if err != nil {
		return err
	}
	if w, ok := frontOf(ws, id); ok {
		return a.raise(ctx, w)
	}
	if in.program == "" {
		if _, err := in.Argv(); err != nil {
			return fmt.Errorf("open %s: %w", in.Name, err)
		}
		return fmt.Errorf("open %s: its program %q is not there; install the app again", in.Name, in.argv[0])
	}
	return a.start(in)
}

// frontOf picks the window of an app that a person would be shown: the topmost one that isn't a menu or panel.
func frontOf(ws []driver.Window, id driver.AppID) (driver.Window, bool) {
	for _, w := range ws {
		if w.App == id && (w.Role == "normal" || w.Role == "dialog") {
			return w, true
		}
	}
	return driver.Window{}, false
}

// Programs that run others: which one is behind a window can't be told by them.
var runners = []string{
	"bash", "dash", "electron", "env", "flatpak", "gjs", "gjs-console", "java", "node", "perl", "ruby", "sh", "snap", "wine",
}

func isRunner(path string) bool {
	base := filepath.Base(path)
	return slices.Contains(runners, base) || strings.HasPrefix(base, "python")
}

// lookup finds the app behind a window: by its program, which the system vouches for, and where programs can't
// tell (a script, or one program for several apps) by the class that the window gives itself.
func (a *apps) lookup(exe, class, instance string) (driver.AppID, string) {
	exe = strings.TrimSuffix(exe, " (deleted)") // an update while it runs
	all := a.list()
	var same []installed
	if exe != "" && !isRunner(exe) {
		for _, in := range all {
			if in.real == exe && !in.Terminal {
				same = append(same, in)
			}
		}
	}
	if len(same) == 0 {
		for _, in := range all {
			if !in.Terminal && in.mayRunAs(exe) && in.called(class, instance) {
				same = append(same, in)
			}
		}
	}
	if len(same) == 0 {
		return "", ""
	}
	best := same[0]
	for _, in := range same[1:] {
		if a.fits(in, class, instance) > a.fits(best, class, instance) {
			best = in
		}
	}
	return driver.AppID(best.ID), best.Name
}

func (a *apps) fits(in installed, class, instance string) int {
	n := 0
	if in.called(class, instance) {
		n += 2
	}
	if a.offered(in) {
		n++
	}
	return n
}

// mayRunAs says whether the entry's program can turn out to be exe. A class alone proves nothing: a window can
// claim any.
func (in installed) mayRunAs(exe string) bool {
	return exe == "" || in.real == "" || in.real == exe || in.script || isRunner(in.real)
}

// called says whether the entry goes by a window's class.
func (in installed) called(class, instance string) bool {
	last := in.ID[strings.LastIndexByte(in.ID, '.')+1:]
	for _, c := range []string{class, instance} {
		if c != "" && (strings.EqualFold(c, in.Class) || strings.EqualFold(c, in.ID) || strings.EqualFold(c, last)) {
			return true
		}
	}
	return false
}

func (a *apps) close() { a.starter.close() }

// Package apps is the table of the programs that Conch can be connected to: where each keeps its settings,
// what an entry for a server looks like there, how to tell that the program is on this computer, and what a
// person does afterwards. It is a table: it reads no settings and writes nothing.
package apps

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conch/mcp/connect/splice"
)

// The operating systems of the table, as Go names them.
const (
	Mac   = "darwin"
	Linux = "linux"
)

// Env is the computer and the person's account on it.
type Env struct {
	OS       string // Mac or Linux
	Home     string
	Getenv   func(string) string
	LookPath func(string) (string, error)
	// Bundles are the folders that hold apps on a Mac. Empty means /Applications and the person's own.
	Bundles []string
	// Processes tells what runs; nil is that it can't be known.
	Processes Processes
}

// Entry is what an app is told to start.
type Entry struct {
	Name    string // the server's name in the app
	Command string // absolute path
	Args    []string
}

// App is one row. The zero row is no app.
type App struct {
	ID   string // for addresses and records: never changes
	Name string // for people
	// Syntax and Parent say how the settings file is written and which table holds the entries.
	Syntax splice.Syntax
	Parent string
	// Command and Args are the names of those members of an entry.
	Command, Args string
	// Off is a member that, set to true, or to false when OffIs is "false", switches the entry off.
	Off, OffIs string
	// Rewrites says that the app writes its settings from memory while it runs or when it quits.
	Rewrites bool
	// Locks says that the app makes a folder beside the file, called like the file with .lock, while it writes.
	Locks bool
	// Restart says that the app only sees the entry when it starts anew, and Next is the one sentence for that,
	// or for what else is to be done.
	Restart bool
	Next    string

	fields   func(Entry) []splice.Field
	files    func(Env) []string // the settings file, best guess first
	folders  func(Env) []string // one of them is there when the app was used
	bundle   string             // on a Mac
	programs []string
	runs     []string // what is in the path of its program while it runs, where that isn't called like one of programs
	link     func(Entry) string
}

// All is every app, in the order in which people see them.
func All() []App { return slices.Clone(table) }

// ByID finds a row.
func ByID(id string) (App, bool) {
	i := slices.IndexFunc(table, func(a App) bool { return a.ID == id })
	if i < 0 {
		return App{}, false
	}
	return table[i], true
}

// Fields are the members of an entry, in the app's own shape.
func (a App) Fields(e Entry) []splice.Field { return a.fields(e) }

// Files are all places where the app's settings may be.
func (a App) Files(env Env) []string {
	var out []string
	for _, f := range a.files(env) {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// File is the app's settings file: the first candidate that is there, else the first whose folder is there,
// else the first. It needn't exist.
func (a App) File(env Env) string {
	files := a.Files(env)
	if len(files) == 0 {
		return ""
	}
	for _, f := range files {
		if there(f) {
			return f
		}
	}
	for _, f := range files {
		if there(filepath.Dir(f)) {
			return f
		}
	}
	return files[0]
}

// Found says whether the app is on this computer: its settings, its bundle, or its program.
func (a App) Found(env Env) bool {
	for _, f := range slices.Concat(a.files(env), a.folders(env)) {
		if there(f) {
			return true
		}
	}
	if env.OS == Mac && a.bundle != "" {
		for _, dir := range env.bundles() {
			if there(filepath.Join(dir, a.bundle)) {
				return true
			}
		}
	}
	for _, p := range a.programs {
		if _, err := env.LookPath(p); err == nil {
			return true
		}
	}
	return false
}

// Link is an address that makes the app offer the entry itself, or "" when it has none.
func (a App) Link(e Entry) string {
	if a.link == nil {
		return ""
	}
	return a.link(e)
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (e Env) home(parts ...string) string {
	return filepath.Join(append([]string{e.Home}, parts...)...)
}

// config is a folder under the person's configuration folder, which on a Mac is Application Support.
func (e Env) config(parts ...string) string {
	if e.OS == Mac {
		return e.home(append([]string{"Library", "Application Support"}, parts...)...)
	}
	return e.xdg(parts...)
}

// xdg is a folder under ~/.config, on a Mac too: some apps don't use Application Support. Only on Linux may
// the environment move it.
func (e Env) xdg(parts ...string) string {
	if dir := e.absolute("XDG_CONFIG_HOME"); dir != "" && e.OS == Linux {
		return filepath.Join(append([]string{dir}, parts...)...)
	}
	return e.home(append([]string{".config"}, parts...)...)
}

// absolute is a folder from the environment; a relative one would depend on where a program was started.
func (e Env) absolute(name string) string {
	dir := e.Getenv(name)
	if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return ""
	}
	return dir
}

// or is a file in the folder that name says, or else in the folder under home.
func (e Env) or(name, folder, file string) string {
	if dir := e.absolute(name); dir != "" {
		return filepath.Join(dir, file)
	}
	return e.home(folder, file)
}

func (e Env) bundles() []string {
	if len(e.Bundles) > 0 {
		return e.Bundles
	}
	return []string{"/Applications", e.home("Applications")}
}

func one(f func(Env) string) func(Env) []string {
	return func(e Env) []string { return []string{f(e)} }
}

// beside is the folder of the first settings file.
func beside(f func(Env) []string) func(Env) []string {
	return func(e Env) []string {
		var out []string
		for _, file := range f(e) {
			out = append(out, filepath.Dir(file))
		}
		return out
	}
}

func none(Env) []string { return nil }

package policy

import (
	"slices"
	"strings"

	"conch/driver"
)

// Kind is why something is kept away.
type Kind int

// The kinds. The zero value is "not kept away".
const (
	NotKept Kind = iota
	Conch
	Prompt
	Lock
	Passwords
	Money
	Terminal
	Settings
	Disks
	Launcher
	Notice
	OwnFiles
)

var kindNames = [...]string{"not kept", "conch", "prompt", "lock", "passwords", "money", "terminal", "settings", "disks", "launcher", "notice", "own files"}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// Kept says that a window or app is kept away, what it is, and what to say about it.
type Kept struct {
	Kind Kind
	Name string // for a person: "KeePassXC", or "this page"
	By   string // the mark that decided: "id", "program", "class", "name", "title", "role", "owner"; for Activity
	Say  string // what is said when it would have been touched
}

// Label is what is painted in the window's place. It never holds the window's title.
func (k Kept) Label() string {
	if k.Kind == NotKept {
		return ""
	}
	return k.Name + " is kept away"
}

// KeptAway says whether a window is kept away, in every mode: never seen, clicked or typed into. Any one mark
// is enough: bundle or desktop id, program, WM_CLASS, the app's name, the role, and a browser's title.
func KeptAway(w driver.Window) (Kept, bool) {
	var found Kept
	ms := marks(w)
	for _, m := range ms {
		if k, ok := lookup(m.value, m.by); ok {
			found = first(found, k)
		}
	}
	for _, v := range spellings(w.AppName) {
		if k, ok := named[v]; ok {
			k.By = "name"
			found = first(found, k)
		}
	}
	if fold(w.Role) == "notification" {
		found = first(found, kept(Notice, "A notification", "role"))
	}
	if k, ok := byDialog(w, ms); ok {
		found = first(found, k)
	}
	if k, ok := byTitle(w, ms); ok {
		found = first(found, k)
	}
	return found, found.Kind != NotKept
}

// KeptApp says whether an app is kept away and so never opened. It reads the same tables as KeptAway.
func KeptApp(a driver.App) (Kept, bool) {
	return KeptAway(driver.Window{App: a.ID, AppName: a.Name, Exe: a.Exe})
}

// KeptAmong judges every window of one list, front to back. Beside KeptAway it keeps away what belongs to a
// kept-away window: a dialog of it, and a menu of the same program right above it, which has no name or title
// of its own.
func KeptAmong(windows []driver.Window) map[driver.WindowID]Kept { return keptAmong(windows, KeptAway) }

func keptAmong(windows []driver.Window, keptAway func(driver.Window) (Kept, bool)) map[driver.WindowID]Kept {
	out := make(map[driver.WindowID]Kept)
	at := make(map[driver.WindowID]int, len(windows))
	for i, w := range windows {
		at[w.ID] = i
		if k, ok := keptAway(w); ok {
			out[w.ID] = k
		}
	}
	for i, w := range windows {
		if _, ok := out[w.ID]; ok {
			continue
		}
		owner := Owner(windows, i)
		for range windows { // a chain of dialogs, however the system tells it, ends
			if owner < 0 {
				break
			}
			if k, ok := out[windows[owner].ID]; ok {
				k.By = "owner"
				out[w.ID] = k
				break
			}
			owner = Owner(windows, owner)
		}
	}
	return out
}

// Owner returns the index of the window that windows[i] belongs to, or -1: the one it is transient for, or
// for a menu the window of the same process that is next below it.
func Owner(windows []driver.Window, i int) int {
	w := windows[i]
	if w.Transient != 0 && w.Transient != w.ID {
		for j := range windows {
			if windows[j].ID == w.Transient {
				return j
			}
		}
	}
	if w.PID == 0 || !loose(w) {
		return -1
	}
	for j := i + 1; j < len(windows); j++ {
		if windows[j].PID == w.PID && !loose(windows[j]) {
			return j
		}
	}
	return -1
}

// loose says whether a window is a menu, a tooltip or another window without a name of its own.
func loose(w driver.Window) bool {
	switch w.Role {
	case "menu", "tooltip", "combo":
		return true
	}
	return w.Title == "" && w.Role != "desktop" && w.Role != "dock"
}

func first(a, b Kept) Kept {
	if a.Kind == NotKept || b.Kind != NotKept && b.Kind < a.Kind {
		return b
	}
	return a
}

func kept(k Kind, name, by string) Kept {
	return Kept{Kind: k, Name: name, By: by, Say: kindSay[k]}
}

// idMarks returns what an id or class may be matched as: whole, and its last part.
func idMarks(id string) []string {
	out := spellings(id)
	for _, s := range out {
		if last := lastPart(s); last != s {
			out = append(out, spellings(last)...)
		}
	}
	return out
}

// A mark is one name that a window's program may be known by.
type mark struct{ by, value string }

// marks returns all that a window's program may be called, each once.
func marks(w driver.Window) []mark {
	var out []mark
	for _, m := range []struct {
		by     string
		values []string
	}{
		{"id", idMarks(string(w.App))}, {"program", programs(w.Exe)}, {"class", idMarks(w.Class)}, {"class", idMarks(w.Instance)},
	} {
		for _, v := range m.values {
			if !slices.ContainsFunc(out, func(have mark) bool { return have.value == v }) {
				out = append(out, mark{m.by, v})
			}
		}
	}
	return out
}

func byDialog(w driver.Window, ms []mark) (Kept, bool) {
	title := fold(w.Title)
	for _, d := range foldedDialogs {
		if !d.titles.match(title) {
			continue
		}
		for _, m := range ms {
			if d.programs.match(m.value) {
				return kept(d.kind, d.name, "title"), true
			}
		}
	}
	return Kept{}, false
}

// A glob is a folded pattern with a * in it, which stands for any run of characters; cut once.
type glob struct {
	head  string
	parts []string // between the first * and the last, in order
	tail  string
}

func newGlob(pattern string) glob {
	p := strings.Split(pattern, "*")
	return glob{p[0], p[1 : len(p)-1], p[len(p)-1]}
}

func (g glob) match(s string) bool {
	if len(s) < len(g.head)+len(g.tail) || !strings.HasPrefix(s, g.head) || !strings.HasSuffix(s, g.tail) {
		return false
	}
	s = s[len(g.head) : len(s)-len(g.tail)]
	for _, p := range g.parts {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return true
}

// A matcher holds folded names, those with a * apart.
type matcher struct {
	exact map[string]bool
	globs []glob
}

func newMatcher(names []string) matcher {
	m := matcher{exact: make(map[string]bool, len(names))}
	for _, n := range names {
		n = fold(n)
		if strings.Contains(n, "*") {
			m.globs = append(m.globs, newGlob(n))
		} else {
			m.exact[n] = true
		}
	}
	return m
}

func (m matcher) match(s string) bool {
	if m.exact[s] {
		return true
	}
	for _, g := range m.globs {
		if g.match(s) {
			return true
		}
	}
	return false
}

type keptGlob struct {
	glob
	kept Kept
}

// The tables, folded once. They are never written again.
var (
	kindSay             = sayings()
	exact, globs, named = index()
	foldedDialogs       = foldDialogs()
)

func sayings() map[Kind]string {
	out := make(map[Kind]string, len(kinds))
	for _, k := range kinds {
		out[k.kind] = k.say
	}
	return out
}

func index() (exact map[string]Kept, globs []keptGlob, names map[string]Kept) {
	exact, names = make(map[string]Kept), make(map[string]Kept)
	put := func(m map[string]Kept, key string, k Kept) { m[key] = first(m[key], k) }
	for _, kind := range kinds {
		for _, rows := range kind.rows {
			for _, r := range rows {
				k := kept(kind.kind, r.name, "")
				for _, mark := range strings.Fields(r.ids + " " + r.programs) {
					if mark = fold(mark); strings.Contains(mark, "*") {
						globs = append(globs, keptGlob{newGlob(mark), k})
					} else {
						put(exact, mark, k)
					}
				}
				put(names, fold(r.name), k)
				for _, n := range strings.Split(r.names, "|") {
					if n = fold(n); n != "" {
						put(names, n, k)
					}
				}
			}
		}
	}
	return exact, globs, names
}

// lookup finds a folded mark in the tables.
func lookup(mark, by string) (Kept, bool) {
	found := exact[mark]
	for _, g := range globs {
		if g.match(mark) {
			found = first(found, g.kept)
		}
	}
	found.By = by
	return found, found.Kind != NotKept
}

type foldedDialog struct {
	programs matcher
	titles   matcher
	kind     Kind
	name     string
}

func foldDialogs() []foldedDialog {
	out := make([]foldedDialog, 0, len(dialogs))
	for _, d := range dialogs {
		out = append(out, foldedDialog{newMatcher(strings.Fields(d.programs)), newMatcher(d.titles), d.kind, d.name})
	}
	return out
}

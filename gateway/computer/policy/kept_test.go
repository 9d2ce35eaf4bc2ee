package policy

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode"

	"conch/driver"
)

func TestKeptAway(t *testing.T) {
	data, err := os.ReadFile("testdata/windows.txt")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[Kind]bool{}
	n := 0
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); {
		line := sc.Text()
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) < 7 {
			t.Fatalf("%q has %d columns, want 7 or 8", line, len(f))
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		w := driver.Window{App: driver.AppID(f[1]), AppName: f[2], Exe: f[3], Class: f[4], Instance: f[5]}
		w.Title = strings.Join(f[6:], " | ")
		if last := f[len(f)-1]; len(f) > 7 && (last == "notification" || last == "dock") {
			w.Title, w.Role = strings.Join(f[6:len(f)-1], " | "), last
		}
		k, ok := KeptAway(w)
		want := f[0]
		if want == "-" {
			want = NotKept.String()
		}
		if k.Kind.String() != want || ok != (k.Kind != NotKept) {
			t.Errorf("%s\n\tkind %v by %q (%s), want %s", line, k.Kind, k.By, k.Name, want)
		}
		if ok && (k.Say == "" || k.Name == "" || k.By == "" || k.Label() == "") {
			t.Errorf("%s: nothing to say: %+v", line, k)
		}
		if !ok && k.Label() != "" {
			t.Errorf("%s: a label for a window that isn't kept away", line)
		}
		kinds[k.Kind] = true
		n++
	}
	for k := NotKept; k <= Notice; k++ {
		if !kinds[k] {
			t.Errorf("no window of kind %v in testdata", k)
		}
	}
	if n < 80 {
		t.Errorf("only %d windows read", n)
	}
}

// Every mark of every row keeps away a window that has only this mark, however it is written and packaged.
func TestEveryMark(t *testing.T) {
	n := 0
	for _, kind := range kinds {
		if kind.say == "" || kind.what == "" {
			t.Errorf("kind %v says nothing", kind.kind)
		}
		for _, rows := range kind.rows {
			for _, r := range rows {
				for _, id := range strings.Fields(r.ids) {
					id = strings.ReplaceAll(id, "*", "x1")
					for _, s := range []string{id, strings.ToUpper(id), id + ".desktop"} {
						must(t, kind.kind, driver.Window{App: driver.AppID(s)})
						must(t, kind.kind, driver.Window{Class: s})
					}
					n++
				}
				for _, p := range strings.Fields(r.programs) {
					p = strings.ReplaceAll(p, "*", "x1")
					for _, w := range []driver.Window{
						{Class: p},
						{Instance: p},
						{Class: capital(p)},
						{Exe: "/usr/bin/" + p},
						{Exe: "/usr/bin/" + p + "-bin"},
						{Exe: "/app/bin/." + p + "-wrapped"},
						{Exe: "/snap/x/current/" + p + " (deleted)"},
						{App: driver.AppID("org.example." + p)},
						{App: driver.AppID(p + ".desktop")},
						{Exe: "/Applications/" + p + ".app/Contents/MacOS/main"},
					} {
						must(t, kind.kind, w)
					}
					n++
				}
				for _, name := range append(strings.Split(r.names, "|"), r.name) {
					if name == "" {
						continue
					}
					for _, s := range []string{name, strings.ToUpper(name), " " + name + " ", name + " 7.1"} {
						must(t, kind.kind, driver.Window{AppName: s})
						if k, ok := KeptApp(driver.App{Name: s}); !ok || k.Kind > kind.kind {
							t.Errorf("app %q may be opened", s)
						}
					}
					n++
				}
			}
		}
	}
	if n < 700 {
		t.Errorf("only %d marks tried", n)
	}
}

// A mark may stand for two kinds; the more telling one wins, so the kind found is never a later one.
func must(t *testing.T, want Kind, w driver.Window) {
	t.Helper()
	if k, ok := KeptAway(w); !ok || k.Kind > want {
		t.Errorf("%+v is %v, want %v", w, k.Kind, want)
	}
}

func capital(s string) string {
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

func TestKeptAmong(t *testing.T) {
	bank := driver.Window{ID: 1, PID: 10, Class: "Chromium", Title: "PayPal - Chromium", Role: "normal"}
	page := driver.Window{ID: 2, PID: 10, Class: "Chromium", Title: "News - Chromium", Role: "normal"}
	menu := driver.Window{ID: 3, PID: 10, Role: "menu"}
	vault := driver.Window{ID: 4, PID: 20, Class: "KeePassXC", Title: "x", Role: "normal"}
	dialog := driver.Window{ID: 5, PID: 30, Title: "Open", Role: "dialog", Transient: 4}
	inner := driver.Window{ID: 6, PID: 31, Title: "Sure?", Role: "dialog", Transient: 5}
	loop := driver.Window{ID: 7, Title: "x", Transient: 8}
	back := driver.Window{ID: 8, Title: "y", Transient: 7}
	stray := driver.Window{ID: 9, Role: "menu"}
	for _, c := range []struct {
		name string
		list []driver.Window
		want map[driver.WindowID]bool
	}{
		{"a menu over its bank", []driver.Window{menu, bank, page}, map[driver.WindowID]bool{1: true, 3: true}},
		{"a menu over another page", []driver.Window{menu, page, bank}, map[driver.WindowID]bool{1: true}},
		{"dialogs of a kept-away window", []driver.Window{inner, dialog, page, vault}, map[driver.WindowID]bool{4: true, 5: true, 6: true}},
		{"transients in a circle end", []driver.Window{loop, back, stray}, map[driver.WindowID]bool{}},
		{"nothing", nil, map[driver.WindowID]bool{}},
	} {
		got := KeptAmong(c.list)
		for _, w := range c.list {
			if _, ok := got[w.ID]; ok != c.want[w.ID] {
				t.Errorf("%s: window %d kept %v", c.name, w.ID, ok)
			}
		}
	}
}

// Bytes that are no text, at any place of a name that is spelled with letters of another width, don't hide it.
func TestBadBytesHideNothing(t *testing.T) {
	wide := []rune("ＫｅｅＰａｓｓＸＣ")
	for i := range wide {
		for _, bad := range []string{"\xf1", "\xff\xfe", "\xed\xa0\x80", "\xc3"} {
			class := strings.Repeat("0", 17) + "/" + string(wide[:i]) + bad + string(wide[i:])
			if k, ok := KeptAway(driver.Window{Exe: class}); !ok || k.Kind != Passwords {
				t.Errorf("%q is %+v", class, k)
			}
		}
	}
}

func FuzzKeptAway(f *testing.F) {
	f.Add("org.keepassxc.KeePassXC", "KeePassXC", "/usr/bin/keepassxc", "KeePassXC", "x")
	f.Add("", "", "/////", "*", "· Conch")
	f.Add("...", "\x00\xff", "\\", "[", " - ")
	f.Add("0", "0", "\xf9", "0", "00000000000000000\xf1ä")
	f.Fuzz(func(t *testing.T, id, name, exe, class, title string) {
		w := driver.Window{App: driver.AppID(id), AppName: name, Exe: exe, Class: class, Title: title}
		k, ok := KeptAway(w)
		if ok != (k.Kind != NotKept) || ok == (k.Say == "") {
			t.Fatalf("%v %+v", ok, k)
		}
		// A kept-away program can't get out by another name, title or id beside it.
		w.Class = "KeePassXC"
		if k, ok := KeptAway(w); !ok || k.Kind > Passwords {
			t.Fatalf("%+v isn't kept away", w)
		}
		if fold(fold(title)) != fold(title) {
			t.Fatalf("fold(%q) isn't stable", title)
		}
	})
}

func BenchmarkKeptAway(b *testing.B) {
	w := driver.Window{App: "org.mozilla.firefox", AppName: "Firefox", Exe: "/usr/lib/firefox-esr/firefox-esr", Class: "firefox-esr", Instance: "Navigator", Title: "A long page title with many words in it - Example — Mozilla Firefox"}
	for b.Loop() {
		KeptAway(w)
	}
}

func FuzzFold(f *testing.F) {
	f.Add("  KeePassXC\t2 ")
	f.Add("ＫｅｅＰａｓｓ")
	f.Fuzz(func(t *testing.T, s string) {
		if fast, ok := foldASCII(s); ok && fast != foldAny(s) {
			t.Fatalf("%q folds to %q and %q", s, fast, foldAny(s))
		}
	})
}

package mac

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/driver"
)

// TestTickets: answers come from any thread, in any order, late, twice, or never; each question ends, each picture
// is used or freed once, and a late answer finds nobody.
func TestTickets(t *testing.T) {
	var k tickets
	var freed, used, late atomic.Int64
	var all sync.WaitGroup
	for i := range 400 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%5)*time.Millisecond)
			defer cancel()
			a, err := k.ask(ctx, func(n uint64) {
				all.Go(func() {
					for range 2 {
						px := &rawPixels{free: func() { freed.Add(1) }}
						if !k.answer(n, answer{code: int(n), pixels: px}) {
							late.Add(1) // who is not heard keeps its pixels
						}
					}
				})
			}, nil)
			switch {
			case err == nil && a.pixels != nil:
				used.Add(1)
				a.pixels.free()
			case err == nil:
				t.Error("an answer without its pixels")
			case !errors.Is(err, context.DeadlineExceeded):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if asked := int64(k.last); freed.Load()+late.Load() != 2*asked || freed.Load() < used.Load() || len(k.open) != 0 {
		t.Errorf("of %d asked twice: %d used, %d freed, %d late, %d open", asked, used.Load(), freed.Load(), late.Load(), len(k.open))
	}
	if k.answer(12345, answer{}) {
		t.Error("somebody took an answer to no question")
	}
}

func TestTicketIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k tickets
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var asked, cancelled uint64
		_, err := k.ask(ctx, func(n uint64) { asked = n }, func(n uint64) { cancelled = n })
		if !errors.Is(err, context.DeadlineExceeded) || asked == 0 || cancelled != asked || k.answer(asked, answer{}) {
			t.Errorf("%v, asked %d, cancelled %d", err, asked, cancelled)
		}
		asked = 0
		if _, err := k.ask(ctx, func(n uint64) { asked = n }, nil); err == nil || asked != 0 {
			t.Errorf("asked on a context that has ended: %v", err)
		}
	})
}

func TestHearers(t *testing.T) {
	var h hearers
	c := make(chan watched, 2)
	n := h.add(c)
	for range 5 {
		h.tell(n, watched{}) // never waits
	}
	h.tell(n, watched{stopped: true})
	first, second := <-c, <-c
	if first.stopped || !second.stopped {
		t.Errorf("heard %v, %v: that it stopped must not be lost", first, second)
	}
	h.remove(n)
	h.tell(n, watched{})
	h.tell(99, watched{})
	if len(c) != 0 {
		t.Error("told after it was removed")
	}
	if m := h.add(c); m == n {
		t.Error("a number comes twice")
	}
}

func TestReady(t *testing.T) {
	on := rawSession{known: true, onConsole: true}
	awake := []rawDisplay{{id: 1}}
	for name, c := range map[string]struct {
		see, click bool
		s          rawSession
		ds         []rawDisplay
		why        driver.Why
		say        string
	}{
		"ready":             {true, true, on, awake, 0, ""},
		"one display awake": {true, true, on, []rawDisplay{{id: 1, asleep: true}, {id: 2}}, 0, ""},
		"neither":           {false, false, on, awake, driver.WhyPermission, "may not see this Mac's screen or use it"},
		"not see":           {false, true, on, awake, driver.WhyPermission, "may not see"},
		"not click":         {true, false, on, awake, driver.WhyPermission, "may not click and type"},
		"no session":        {true, true, rawSession{}, awake, driver.WhyNoDisplay, "isn't in a session"},
		"locked":            {true, true, rawSession{known: true, onConsole: true, locked: true}, awake, driver.WhyLocked, "is locked"},
		"another person":    {true, true, rawSession{known: true}, awake, driver.WhyLocked, "Another person"},
		"no display":        {true, true, on, nil, driver.WhyNoDisplay, "No display"},
		"asleep":            {true, true, on, []rawDisplay{{id: 1, asleep: true}}, driver.WhyAsleep, "is asleep"},
		"all at once":       {false, false, rawSession{locked: true}, nil, driver.WhyPermission, "may not see"},
		"a password field":  {true, true, rawSession{known: true, onConsole: true, secure: true}, awake, 0, ""},
	} {
		err := ready(c.see, c.click, c.s, c.ds)
		var no *driver.Unready
		switch {
		case c.say == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.say == "":
		case !errors.As(err, &no) || no.Why != c.why || !strings.Contains(no.Say, c.say) || no.Next == "":
			t.Errorf("%s: %#v", name, err)
		}
	}
}

// TestBeginNeedsAllOfIt: without a permission nothing is followed, and Begin says why.
func TestBeginNeedsAllOfIt(t *testing.T) {
	s := small()
	s.see = false
	d := s.driver()
	var no *driver.Unready
	if err := d.Begin(t.Context()); !errors.As(err, &no) || len(s.told) != 0 {
		t.Errorf("%v, %d watches", err, len(s.told))
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestApps(t *testing.T) {
	s := small()
	disk := fstest.MapFS{
		"Applications/Notes.app/Contents/Info.plist":                            {},
		"Applications/Notes.app/Contents/Helpers/Inner.app/Contents/x":          {},
		"Applications/Suite/Writer.app/Contents/Info.plist":                     {},
		"Applications/Suite/a/b/Deep.app/Contents/Info.plist":                   {},
		"Applications/.hidden/Ghost.app/Contents/Info.plist":                    {},
		"Applications/Old Notes.app/Contents/Info.plist":                        {},
		"Users/anna/Applications/Mine.app/Contents/Info.plist":                  {},
		"System/Library/CoreServices/Finder.app/Contents/Info.plist":            {},
		"System/Library/CoreServices/ScreenSaverEngine.app/Contents/Info.plist": {},
	}
	s.installed = []rawApp{
		{bundle: "com.apple.Notes", name: "Notizen", english: "Notes", path: "/Applications/Notes.app", exe: "/n"},
		{bundle: "com.apple.Notes", name: "Alte Notizen", path: "/Applications/Old Notes.app"},
		{bundle: "org.suite.writer", name: "Writer", english: "Suite Writer", path: "/Applications/Suite/Writer.app"},
		{bundle: "org.mine", name: "", english: "Mine", path: "/Users/anna/Applications/Mine.app"},
		{bundle: "com.apple.finder", name: "Finder", english: "Finder", path: "/System/Library/CoreServices/Finder.app"},
		{bundle: "not an id; rm", name: "Bad", path: "/Applications/Suite/a/b/Deep.app"},
	}
	d := newDriver(&withApps{s, []rawApp{
		{pid: 3, regular: true, bundle: "com.apple.Notes", name: "Notizen"},
		{pid: 4, regular: true, bundle: "dev.own", name: "Own build", path: "/Users/anna/build/Own.app"},
		{pid: 5, bundle: "com.apple.agent", name: "Agent"},
		{pid: simSelf, regular: true, bundle: "io.example.conch", name: "Conch"},
		{pid: 6, regular: true, name: "no bundle"},
	}}, appFiles{root: disk, folders: standardFolders("/Users/anna")}, Options{}, time.Now)
	got, err := d.Apps(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []driver.App{
		{ID: "com.apple.finder", Name: "Finder"},
		{ID: "org.mine", Name: "Mine"},
		{ID: "com.apple.Notes", Name: "Notizen", Also: []string{"Notes"}, Exe: "/n", Running: true},
		{ID: "dev.own", Name: "Own build", Also: []string{"Own"}, Running: true},
		{ID: "org.suite.writer", Name: "Writer", Also: []string{"Suite Writer"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, id := range []driver.AppID{"", "../x", "/Applications/Notes.app", "a b", "com.apple.Notes; open"} {
		if err := d.Open(t.Context(), id); !errors.Is(err, driver.ErrNoApp) {
			t.Errorf("Open(%q): %v", id, err)
		}
	}
	if err := d.Open(t.Context(), "com.apple.Notes"); err != nil {
		t.Error(err)
	}
}

type withApps struct {
	*sim
	run []rawApp
}

func (w *withApps) running() ([]rawApp, error) { return w.run, nil }

func TestConfirmNeedsAReason(t *testing.T) {
	for _, bad := range []string{"", "  ", "a\x00b", "a\xff"} {
		if checkReason(bad) == nil {
			t.Errorf("%q is a reason", bad)
		}
	}
	if err := checkReason("let your assistant use your apps"); err != nil {
		t.Error(err)
	}
	for status, want := range map[int]LoginState{0: LoginOff, 1: LoginOn, 2: LoginWaits, 3: LoginNever, 9: LoginOff, -1: LoginOff} {
		if got := loginState(status); got != want {
			t.Errorf("status %d is %d", status, got)
		}
	}
}

// TestHeaderIsAnswered: all that mac.h promises is written in Objective-C or exported by Go, and the numbers that
// both sides know are the same.
func TestHeaderIsAnswered(t *testing.T) {
	read := func(glob string) string {
		var all strings.Builder
		entries, err := os.ReadDir(".")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), glob) {
				text, err := os.ReadFile(e.Name())
				if err != nil {
					t.Fatal(err)
				}
				all.Write(text)
			}
		}
		return all.String()
	}
	header, objc, goes := read("mac.h"), read("_darwin.m"), read("_darwin.go")
	declared := regexp.MustCompile(`(?m)^(extern )?[a-z][\w ]*[ *](cn_\w+)\(`).FindAllStringSubmatch(header, -1)
	if len(declared) < 30 {
		t.Fatalf("%d functions are declared", len(declared))
	}
	for _, d := range declared {
		written := regexp.MustCompile(`(?m)^[a-z][\w ]*[ *]` + d[2] + `\([^;{]*\)\s*\{`).MatchString(objc)
		exported := strings.Contains(goes, "//export "+d[2]+"\n")
		if called := strings.Contains(goes, "C."+d[2]+"("); written == exported || exported != (d[1] != "") || !exported && !called {
			t.Errorf("%s: written %v, exported %v, called %v", d[2], written, exported, called)
		}
	}
	for name, value := range map[string]int{
		"CN_MOVE": mouseMove, "CN_DRAG": mouseDrag, "CN_DOWN": mouseDown, "CN_UP": mouseUp,
		"CN_PLAIN": columnPlain, "CN_SHIFT": columnShift, "CN_OPTION": columnOption, "CN_SHIFT_OPTION": columnShiftOption,
		"CN_COMMAND": columnCommand, "CN_SHIFT_COMMAND": columnShiftCommand, "CN_COLUMNS": columns,
	} {
		m := regexp.MustCompile(`\b` + name + ` = (\d+)`).FindStringSubmatch(header)
		if m == nil || m[1] != string(rune('0'+value)) {
			t.Errorf("%s is %v, want %d", name, m, value)
		}
	}
	if !strings.Contains(header, "unit[768]") || columns*codesPerColumn != 768 {
		t.Error("a layout has another size in Go")
	}
	if slices.Contains(strings.Fields(header), "#import") || strings.Contains(header, "#include <A") {
		t.Error("the header isn't plain C")
	}
}

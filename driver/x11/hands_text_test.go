//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"

	"github.com/rivo/uniseg"
)

// sink opens a window that takes keys and gives it the focus.
func (k *desk) sink(s xfixture.Spec) *xfixture.Window {
	k.t.Helper()
	if s.W == 0 {
		s.X, s.Y, s.W, s.H, s.Title, s.Class = 100, 100, 300, 200, "Sink", "Sink"
	}
	w := k.window(s)
	if err := w.Focus(); err != nil {
		k.t.Fatal(err)
	}
	return w
}

// until polls until is says yes.
func until(t testing.TB, what func() string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); !is(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 seconds: %s", what())
		}
	}
}

// typed waits until the sink has the text.
func (k *desk) typed(w *xfixture.Window, want string) {
	k.t.Helper()
	var got string
	until(k.t, func() string { return differ(got, want) }, func() bool {
		var err error
		if got, err = w.Text(); err != nil {
			k.t.Fatal(err)
		}
		return got == want
	})
}

// differ says where two texts part.
func differ(got, want string) string {
	g, w := []rune(got), []rune(want)
	i := 0
	for i < len(g) && i < len(w) && g[i] == w[i] {
		i++
	}
	return fmt.Sprintf("%d of %d characters came; from number %d on %.40q instead of %.40q", len(g), len(w), i,
		string(g[i:]), string(w[i:]))
}

// mixed are random graphemes of every kind that the product promises.
func mixed(n int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, seed))
	pick := func(from, to rune) string { return string(from + r.Int32N(to-from+1)) }
	emoji := []string{"👋", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "❤️", "🧑‍🚀"}
	var b strings.Builder
	for range n {
		switch r.IntN(7) {
		case 0, 1:
			b.WriteString(pick('!', '~'))
		case 2:
			b.WriteString(pick(0xc0, 0x17f))
		case 3:
			b.WriteString(pick('А', 'я'))
		case 4:
			b.WriteString(pick(0x4e00, 0x9fff))
		case 5:
			b.WriteString("e\u0301")
		default:
			b.WriteString(emoji[r.IntN(len(emoji))])
		}
	}
	return b.String()
}

func (k *desk) text(s string) {
	k.t.Helper()
	n, err := k.d.Text(k.t.Context(), s, driver.Anywhere)
	if want := uniseg.GraphemeClusterCount(s); err != nil || n != want {
		k.t.Fatalf("Text typed %d of %d: %v", n, want, err)
	}
}

func (k *desk) release() {
	k.t.Helper()
	if err := k.d.Release(k.t.Context()); err != nil {
		k.t.Fatalf("Release: %v", err)
	}
}

func (k *desk) sh(name string, args ...string) string {
	k.t.Helper()
	out, err := k.x.Command(name, args...).CombinedOutput()
	if err != nil {
		k.t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return string(out)
}

func TestTextInEveryLayout(t *testing.T) {
	const hello = "Hello, World! && -n @#$%^\"'`~ {[]}\\|\n\tПривет, мир. Ελληνικά 日本語 «ß€» naïve 👋👩‍👩‍👧‍👦 1234567890 zZyY"
	for _, c := range []struct {
		name, layout string
		set          []string // a command that sets more
		caps         bool
	}{
		{name: "us", layout: "us"},
		{name: "de", layout: "de"},
		{name: "fr", layout: "fr"},
		{name: "ru", layout: "ru"},
		{name: "dvorak", layout: "us", set: []string{"setxkbmap", "us", "-variant", "dvorak"}},
		{name: "us+ru", layout: "us,ru"},
		{name: "ru+us", layout: "ru,us"},
		{name: "ar", layout: "ara"},
		{name: "caps", layout: "us", caps: true},
		{name: "de caps", layout: "de", caps: true},
	} {
		for _, ping := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s ping=%t", c.name, ping), func(t *testing.T) {
				k := newDesk(t, xserver.Options{Layout: c.layout})
				if c.set != nil {
					k.sh(c.set[0], c.set[1:]...)
				}
				if c.caps {
					k.sh("xdotool", "key", "Caps_Lock")
				}
				w := k.sink(xfixture.Spec{Ping: ping})
				before := k.sh("xkbcomp", k.x.Display(), "-")
				k.text(hello)
				k.typed(w, hello)
				k.text("ещё one…")
				k.typed(w, hello+"ещё one…")
				k.release()
				if after := k.sh("xkbcomp", k.x.Display(), "-"); after != before {
					t.Error("the keyboard map is another one after Release")
				}
				k.nothingHeld()
				if caps := strings.Contains(k.sh("xset", "q"), "Caps Lock:   on"); caps != c.caps {
					t.Errorf("Caps Lock is on: %t, was %t", caps, c.caps)
				}
			})
		}
	}
}

// nothingHeld asks another program than ours.
func (k *desk) nothingHeld() {
	k.t.Helper()
	for _, device := range []string{"Virtual core XTEST keyboard", "Virtual core XTEST pointer"} {
		if out := k.sh("xinput", "query-state", device); strings.Contains(out, "=down") {
			k.t.Errorf("held on %s:\n%s", device, out)
		}
	}
}

func TestSecondGroupActive(t *testing.T) {
	k := newDesk(t, xserver.Options{Layout: "us,ru"})
	w := k.sink(xfixture.Spec{Ping: true})
	k.d.hands.queue(k.d.hands.kb.Lock(0, 0, 1))
	if err := k.d.hands.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	const s = "Привет and hello, ещё раз: é 日本"
	k.text(s)
	k.typed(w, s)
	st, err := k.d.hands.kb.State(t.Context())
	if err != nil || st.Group != 1 {
		t.Errorf("the group is %d afterwards (%v), was 1", st.Group, err)
	}
	k.release()
	k.nothingHeld()
}

// A busy app, many meanings for each key code: nothing may come out wrong.
func TestTextIsRightHoweverBusyTheAppIs(t *testing.T) {
	for _, c := range []struct {
		ping    bool
		slow, n int
	}{{true, 0, 2000}, {true, 2, 300}, {false, 0, 2000}, {false, 2, 300}, {false, 5, 150}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			k := newDesk(t, xserver.Options{WindowManager: "openbox", Layout: "us"})
			w := k.sink(xfixture.Spec{Ping: c.ping, SlowMS: c.slow})
			s := mixed(c.n, 1)
			k.text(s)
			k.release()
			k.typed(w, s)
			k.nothingHeld()
		})
	}
}

// view is a GTK text view that keeps what is in it in the file $OUT.
const view = `
import os, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk, GLib
w = Gtk.Window(title="View"); w.set_default_size(700, 500)
s = Gtk.ScrolledWindow(); w.add(s)
v = Gtk.TextView(); v.set_wrap_mode(Gtk.WrapMode.CHAR); s.add(v)
out = os.environ["OUT"]
waiting = False
def write():
    global waiting
    waiting = False
    b = v.get_buffer()
    with open(out + ".new", "w") as f: f.write(b.get_text(b.get_start_iter(), b.get_end_iter(), True))
    os.rename(out + ".new", out)
def changed(b):
    global waiting
    if not waiting:
        waiting = True
        GLib.timeout_add(100, write)
v.get_buffer().connect("changed", changed)
w.show_all()
GLib.idle_add(write)
Gtk.main()
`

func TestTextIntoRealPrograms(t *testing.T) {
	programs := map[string][]string{
		"GTK":   {"/usr/bin/python3", "-c", view},
		"xterm": {"xterm", "-u8", "-T", "View", "-e", "sh", "-c", `stty raw -echo; : > "$OUT"; exec cat > "$OUT"`},
	}
	for name, argv := range programs {
		t.Run(name, func(t *testing.T) {
			k := newDesk(t, xserver.Options{WindowManager: "openbox", Layout: "us", Bus: true})
			if name == "GTK" {
				k.needGTK()
			} else if err := xserver.Have(argv[0]); err != nil {
				xtest.Missing(t, err)
			}
			file := filepath.Join(t.TempDir(), "text")
			cmd := k.x.Command(argv[0], argv[1:]...)
			cmd.Env = append(cmd.Env, "OUT="+file, "LC_ALL=C.UTF-8")
			if err := k.x.Start(cmd); err != nil {
				t.Fatal(err)
			}
			k.comes("View", file)
			// Lines, because GTK is slow in a long paragraph; in raw mode Return is "\r".
			var b strings.Builder
			for i := range 15 {
				b.WriteString(mixed(80, uint64(i)) + "\n")
			}
			s := b.String()
			k.text(s)
			k.release()
			var got string
			until(t, func() string { return differ(got, s) }, func() bool {
				b, err := os.ReadFile(file)
				got = strings.ReplaceAll(string(b), "\r", "\n")
				return err == nil && got == s
			})
			k.nothingHeld()
		})
	}
}

// Wherever it is stopped: what was said to be typed arrives, nothing after it, and nothing is held.
func TestTextStopsAnywhere(t *testing.T) {
	for _, ping := range []bool{true, false} {
		t.Run(fmt.Sprintf("ping=%t", ping), func(t *testing.T) {
			k := newDesk(t, xserver.Options{Layout: "us"})
			w := k.sink(xfixture.Spec{Ping: ping})
			r := rand.New(rand.NewPCG(7, 7))
			s := strings.Repeat(mixed(500, 3), 100)
			all := uniseg.GraphemeClusterCount(s)
			var late []time.Duration
			for range 25 {
				if err := w.Forget(); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				var stopped time.Time
				timer := time.AfterFunc(time.Duration(r.IntN(60_000))*time.Microsecond, func() { stopped = time.Now(); cancel() })
				n, err := k.d.Text(ctx, s, driver.Anywhere)
				if timer.Stop() || !errors.Is(err, context.Canceled) || n >= all {
					t.Fatalf("typed %d, %v", n, err)
				}
				late = append(late, time.Since(stopped))
				k.nothingHeld()
				k.typed(w, firstGraphemes(s, n))
				before := len(k.events(w))
				k.release()
				if after := len(k.events(w)); after != before {
					t.Fatalf("%d events after it was over", after-before)
				}
			}
			slices.Sort(late)
			t.Logf("from the cancel to the end: median %v, worst %v", late[len(late)/2], late[len(late)-1])
		})
	}
}

func firstGraphemes(s string, n int) string {
	g := uniseg.NewGraphemes(s)
	var b strings.Builder
	for i := 0; i < n && g.Next(); i++ {
		b.WriteString(g.Str())
	}
	return b.String()
}

// More characters in one grapheme than there are places for.
func TestHugeGrapheme(t *testing.T) {
	k := newDesk(t, xserver.Options{Layout: "us"})
	w := k.sink(xfixture.Spec{Ping: true})
	s := "a"
	for r := rune(0x300); r < 0x370; r++ {
		s += string(r)
	}
	k.text(s + "b")
	k.typed(w, s+"b")
	k.release()
	k.nothingHeld()
}

func TestTextRefuses(t *testing.T) {
	k := newDesk(t, xserver.Options{Layout: "us"})
	w := k.sink(xfixture.Spec{Ping: true})
	for _, s := range []string{"abc\x1b", "a\x00", "\xff\xfe", "del\x7f"} {
		if n, err := k.d.Text(t.Context(), s, driver.Anywhere); err == nil || n != 0 {
			t.Errorf("%q: typed %d, %v", s, n, err)
		}
	}
	if n, err := k.d.Text(t.Context(), "", driver.Anywhere); n != 0 || err != nil {
		t.Errorf("nothing to type: %d, %v", n, err)
	}
	k.text("ok\r\n")
	k.typed(w, "ok\n")
}

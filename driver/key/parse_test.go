package key

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// One line is one chord: its canonical spelling first, then others that must give the same value.
var spellings = []string{
	"ctrl+s|Ctrl-S|ctrl-s|control+s|Control_L+s|CTRL+S|s+ctrl|⌃S|^S|ctrl + s|Control_R-s|ctl+s|ctrl s",
	"super+s|cmd+s|⌘S|⌘s|command-s|Meta_L+s|win+s|windows+S|super-s|Super_R+s|⌘+S|⌘-s|meta+s|⊞s",
	"shift+super+t|cmd+shift+t|⇧⌘T|⌘⇧T|command+shift+T|super-shift-t|shift+cmd+T",
	"ctrl+super+Escape|⌃⌘⎋|ctrl+cmd+esc|⌘⌃⎋|control-command-escape|cmd ctrl Esc",
	"ctrl+alt+Delete|ctrl-alt-delete|⌃⌥⌦|ctrl+option+del|Control_L+Alt_L+Delete|alt-ctrl-forward_delete|ctrl alt del",
	"alt+super+Escape|⌥⌘⎋|cmd+option+esc|opt-cmd-esc",
	"Page_Down|PageDown|pgdn|page down|Page-Down|Next|⇟|PAGE_DOWN|pagedn",
	"Return|enter|ENTER|return|⏎|↩|\n|\r\n",
	"KP_Enter|kp_enter|kp-enter|numpad enter|KPEnter|numpadenter",
	"Escape|esc|ESC|⎋",
	"BackSpace|backspace|bksp|⌫|back_space",
	"minus|-|hyphen",
	"plus|+",
	"ctrl+plus|ctrl++|ctrl-+|ctrl plus|⌃+",
	"super+plus|⌘+|⌘++|cmd++|cmd+plus|⌘plus",
	"super+minus|⌘-|⌘--|cmd+-|cmd--|cmd+minus",
	"ctrl+minus|ctrl+-|ctrl--|ctrl-minus",
	"space| |spacebar|SPACE|␣|U0020",
	"Tab|tab|\t|⇥",
	"shift+Tab|backtab|ISO_Left_Tab|⇧⇥|shift-tab",
	"shift+a|A|shift+A|⇧A|⇧a|Shift_L+a",
	"a",
	"é|eacute|U00E9|u00e9",
	"shift+é|É|Eacute|shift+eacute",
	"ctrl+é|ctrl+É|ctrl-eacute",
	"ж",
	"shift+ж|Ж|U0416",
	"日",
	"€|EuroSign|U20AC|euro",
	"ß|ssharp",
	"👋",
	"super|cmd|Super_L|win|⌘|Meta_L|meta|command",
	"alt|option|⌥|Alt_R|opt",
	"ctrl+shift|shift+ctrl|⌃⇧|Control_L+Shift_L|shift-control",
	"F5|f5",
	"ctrl+F12|ctrl-f12",
	"F24|f24",
	"alt+F4|alt-f4|⌥F4|option+f4",
	"Left|left arrow|ArrowLeft|←|arrow left|LEFT",
	"super+Left|⌘←|cmd+left|cmd+left arrow|cmd-ArrowLeft",
	"Print|print screen|PrtSc|print-screen|printscreen",
	"Caps_Lock|caps lock|caps-lock|CapsLock|⇪",
	"XF86AudioRaiseVolume|volume up|VolumeUp|xf86audioraisevolume|AudioVolumeUp",
	"XF86AudioPlay|PlayPause|mediaplaypause",
	"/|slash",
	"ctrl+/|ctrl-slash|ctrl+/",
	"ctrl+^|ctrl+caret|^^",
	"^|caret|asciicircum",
	"!|exclam",
	"ISO_Level3_Shift|altgr|AltGr",
	"KP_7|numpad7|kp_7|numpad 7",
}

func TestEverySpellingIsTheSameChord(t *testing.T) {
	seen := map[Chord]string{}
	for _, line := range spellings {
		words := strings.Split(line, "|")
		want, err := Parse(words[0])
		if err != nil {
			t.Fatalf("Parse(%q): %v", words[0], err)
		}
		if want.String() != words[0] {
			t.Errorf("Parse(%q).String() = %q", words[0], want)
		}
		if other, ok := seen[want]; ok {
			t.Errorf("%q and %q are one chord; put them in one line", other, words[0])
		}
		seen[want] = words[0]
		for _, w := range words[1:] {
			got, err := Parse(w)
			if err != nil || got != want {
				t.Errorf("Parse(%q) = %v, %v; want %v", w, got, err, want)
			}
		}
	}
}

func TestUnreadable(t *testing.T) {
	for _, c := range []struct{ in, word, nearest, why string }{
		{"", "", "", "No key was named."},
		{"   ", "", "", "No key was named."},
		{"Retrun", "Retrun", "Return", "no key called"},
		{"ctrl+pagdown", "pagdown", "Page_Down", "no key called"},
		{"crtl+c", "crtl", "ctrl", "no key called"},
		{"ctrlc", "ctrlc", "ctrl+c", "no key called"},
		{"hello", "hello", "", "type text as text"},
		{"ctrl+", "+", "", "write “plus”"},
		{"ctrl-", "-", "", "write “minus”"},
		{"a+b", "b", "", "names two keys"},
		{"c-x-c-s", "x", "", "names two keys"},
		{"fn+F5", "fn", "", "Fn key"},
		{"hyper+a", "hyper", "", "no Hyper key"},
		{"altgr+shift", "altgr", "", "AltGr"},
		{"F25", "F25", "F2", "no key called"},
		{"\xff", "\xff", "", "UTF-8"},
		{strings.Repeat("a", 101), strings.Repeat("a", 101), "", "too long"},
		{"e\u0301", "e\u0301", "", "no key called"},
	} {
		got, err := Parse(c.in)
		var e *ParseError
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q) = %v, %v; want a ParseError", c.in, got, err)
			continue
		}
		if got != (Chord{}) || e.Word != c.word || e.Nearest != c.nearest || !strings.Contains(err.Error(), c.why) {
			t.Errorf("Parse(%q) = %v, word %q, nearest %q, %q; want word %q, nearest %q, …%s…", c.in, got, e.Word, e.Nearest, err, c.word, c.nearest, c.why)
		}
	}
}

func TestParseAll(t *testing.T) {
	for in, want := range map[string]string{
		"ctrl+a BackSpace":       "ctrl+a BackSpace",
		"ctrl + c":               "ctrl+c",
		"ctrl +c ctrl+ v":        "ctrl+c ctrl+v",
		"Page Down Page Down":    "Page_Down Page_Down",
		"Page Up Up":             "Page_Up Up",
		"ctrl+page down":         "ctrl+Page_Down",
		"left arrow left":        "Left Left",
		"h i !":                  "h i !",
		" ":                      "space",
		"Tab Tab Return":         "Tab Tab Return",
		"cmd + shift + t Return": "shift+super+t Return",
		"+ -":                    "plus minus",
		"super":                  "super",
		"⌘ + S":                  "super+s",
	} {
		got, err := ParseAll(in)
		var words []string
		for _, c := range got {
			words = append(words, c.String())
		}
		if d := cmp.Diff(want, strings.Join(words, " ")); err != nil || d != "" {
			t.Errorf("ParseAll(%q): %v\n%s", in, err, d)
		}
	}
	for in, why := range map[string]string{
		"":                         "No key was named",
		"ctrl alt delete":          "Join keys that are held together",
		"ctrl+c foo":               "no key called “foo”",
		strings.Repeat("a ", 51):   "more than 50 keys",
		strings.Repeat("aa ", 500): "too long",
	} {
		if got, err := ParseAll(in); err == nil || !strings.Contains(err.Error(), why) || got != nil {
			t.Errorf("ParseAll(%.20q) = %v, %v; want …%s…", in, got, err, why)
		}
	}
}

func TestLabel(t *testing.T) {
	for in, want := range map[string][2]string{
		"ctrl+s":      {"Ctrl+S", "⌃S"},
		"cmd+shift+t": {"Shift+Super+T", "⇧⌘T"},
		"⌃⌘⎋":         {"Ctrl+Super+Esc", "⌃⌘⎋"},
		"pgdn":        {"Page Down", "⇟"},
		"ctrl++":      {"Ctrl++", "⌃+"},
		"ctrl+shift":  {"Ctrl+Shift", "⌃⇧"},
		"KP_Enter":    {"Keypad Enter", "⌤"},
		"F5":          {"F5", "F5"},
		"ß":           {"ß", "ß"},
		"é":           {"É", "É"},
	} {
		c, err := Parse(in)
		if got := [2]string{c.Label(Words), c.Label(Glyphs)}; err != nil || got != want {
			t.Errorf("%q: labels %q, %v; want %q", in, got, err, want)
		}
	}
}

// Numbers copied by hand from keysymdef.h, so that a slip in the table shows.
func TestKeysym(t *testing.T) {
	for in, want := range map[string]uint32{
		"a": 0x61, "A": 0x61, "space": 0x20, "~": 0x7e, "é": 0xe9, "ÿ": 0xff, "€": 0x10020ac, "ж": 0x1000436, "👋": 0x101f44b,
		"Return": 0xff0d, "Escape": 0xff1b, "Delete": 0xffff, "BackSpace": 0xff08, "F1": 0xffbe, "F12": 0xffc9, "F24": 0xffd5,
		"KP_0": 0xffb0, "KP_9": 0xffb9, "KP_Enter": 0xff8d, "ctrl": 0xffe3, "shift": 0xffe1, "alt": 0xffe9, "super": 0xffeb,
		"altgr": 0xfe03, "mute": 0x1008ff12, "Page_Up": 0xff55, "Page_Down": 0xff56,
	} {
		c, err := Parse(in)
		got, ok := Keysym(c.Key)
		if err != nil || !ok || got != want {
			t.Errorf("Keysym(%q) = %#x, %v, %v; want %#x", in, got, ok, err, want)
		}
	}
	if _, ok := Keysym("no such key"); ok {
		t.Error("Keysym knows a key that isn't one")
	}
}

// Every name in the tables reads back as itself, has a number of its own, and a label.
func TestTables(t *testing.T) {
	sym := map[uint32]Key{}
	for s, k := range known.bySpell {
		c, err := Parse(s)
		if err != nil || c.Key != k {
			t.Errorf("Parse(%q) = %v, %v; want %s", s, c, err, k)
		}
		if !k.Known() {
			t.Errorf("%q isn't Known", k)
		}
		if n, ok := Keysym(k); !ok || sym[n] != "" && sym[n] != k {
			t.Errorf("%q has number %#x, as %q has", k, n, sym[n])
		} else {
			sym[n] = k
		}
		if c.Label(Words) == "" || c.Label(Glyphs) == "" {
			t.Errorf("%q has no label", k)
		}
		if p := k.Plain(); !p.Known() || p.Plain() != p {
			t.Errorf("%q is plainly %q, which isn't plain", k, p)
		}
	}
	for _, k := range []Key{"", "A", "nope", "⌘", "ab", "\x00", " "} {
		if k.Known() {
			t.Errorf("%q is Known", k)
		}
	}
}

// A chord that any spelling gives is written in one way, and that reads back to the same value.
func FuzzParse(f *testing.F) {
	for _, line := range spellings {
		for w := range strings.SplitSeq(line, "|") {
			f.Add(w)
		}
	}
	for _, s := range []string{"^", "^^", "^-", "⌘^C", "ctrl+^C", "++", "--", "-+-", "⌃+⌃", "shift+É", "ǅ", "ctrl+ǆ", "U0000", "U2318", "a\u0301", "⌘ ⌘"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := Parse(s)
		if err != nil {
			if c != (Chord{}) {
				t.Fatalf("Parse(%q) gives %v beside %v", s, c, err)
			}
			if utf8.ValidString(s) && !utf8.ValidString(err.Error()) {
				t.Fatalf("%q", err)
			}
			return
		}
		if !c.Key.Known() {
			t.Fatalf("Parse(%q) gives %q, which isn't Known", s, c.Key)
		}
		if _, ok := Keysym(c.Key); !ok {
			t.Fatalf("%q has no keysym", c.Key)
		}
		if m := c.Key.Mod(); m != 0 && c.Mods >= m {
			t.Fatalf("Parse(%q) gives %v: modifiers alone have one order", s, c)
		}
		same := []string{c.String(), strings.ReplaceAll(c.String(), "+", "-"), strings.ReplaceAll(c.String(), "+", " + ")}
		if c.Mods == 0 && c.Key != "plus" {
			same = same[:1]
		}
		for _, w := range same {
			back, err := Parse(w)
			if err != nil || back != c {
				t.Fatalf("Parse(%q) is %v; %q is %v, %v", s, c, w, back, err)
			}
		}
		if all, err := ParseAll(c.String()); err != nil || len(all) != 1 || all[0] != c {
			t.Fatalf("ParseAll(%q) = %v, %v", c, all, err)
		}
	})
}

func FuzzParseAll(f *testing.F) {
	for _, s := range []string{"ctrl+a BackSpace", "ctrl + c", "Page Down", "+ - +", "⌘ + S", "a  b\tc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		all, err := ParseAll(s)
		if err != nil {
			return
		}
		var words []string
		for _, c := range all {
			words = append(words, c.String())
		}
		again, err := ParseAll(strings.Join(words, " "))
		if d := cmp.Diff(all, again); err != nil || d != "" {
			t.Fatalf("%q reads as %v, which reads as %v, %v", s, words, again, err)
		}
	})
}

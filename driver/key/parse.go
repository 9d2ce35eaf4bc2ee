package key

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is read, so that a slip of a model can't become a long run of keys.
const (
	maxChordBytes = 100
	maxAllBytes   = 1000
	maxChords     = 50
)

// ParseError says which word of a chord can't be read, and why.
type ParseError struct {
	Input   string // all that was given
	Word    string // the part that is wrong; empty when nothing was given
	Nearest string // the nearest known name; empty when none is near
	Why     string // one sentence, for a person
}

func (e *ParseError) Error() string {
	if e.Nearest != "" {
		return e.Why + " Did you mean “" + e.Nearest + "”?"
	}
	return e.Why
}

// Parse reads one chord, however people and models write it: "ctrl+s", "ctrl-s", "Control_L+S", "⌘S",
// "⌃⌥⌦", "cmd+shift+t", "Page Down", "pgdn", "ctrl++", "ctrl+minus", "é", "U20AC". Names are read in any case.
// Modifiers may stand in any order. A capital letter by itself is that letter with Shift; beside other
// modifiers its case means nothing, as in "⌘S". Left and right modifiers are one key. Every spelling of a
// chord gives the same value. The error is a *ParseError.
func Parse(s string) (Chord, error) {
	if k, ok := blank[s]; ok {
		return Chord{Key: k}, nil
	}
	if strings.TrimSpace(s) == "" {
		return Chord{}, &ParseError{Input: s, Why: "No key was named."}
	}
	if len(s) > maxChordBytes {
		return Chord{}, &ParseError{Input: s, Word: s, Why: fmt.Sprintf("That is too long for one key: %d bytes, where %d are read. Type text as text.", len(s), maxChordBytes)}
	}
	if !utf8.ValidString(s) {
		return Chord{}, &ParseError{Input: s, Word: s, Why: "The key's name isn't valid text (UTF-8)."}
	}
	parts, err := split(s)
	if err != nil {
		return Chord{}, err
	}
	return build(s, parts)
}

// The white space keys may be given as themselves.
var blank = map[string]Key{" ": "space", "\t": "Tab", "\n": "Return", "\r": "Return", "\r\n": "Return"}

// split cuts s at "+", "-", spaces and after modifier glyphs. Where a name is expected, "+" and "-" are keys.
func split(s string) ([]string, error) {
	var parts []string
	var word strings.Builder
	want := true   // a name is expected
	glyph := false // the last part was a modifier glyph
	flush := func() {
		if word.Len() > 0 {
			parts = append(parts, word.String())
			word.Reset()
			want, glyph = false, false
		}
	}
	runes := []rune(strings.TrimSpace(s))
	for i, r := range runes {
		switch {
		case unicode.IsSpace(r):
			flush()
		case r == '+' || r == '-':
			flush()
			last := i == len(runes)-1
			if want || last && glyph { // "ctrl++", "+", and "⌘+" as menus write it
				parts = append(parts, string(r))
				want, glyph = false, false
			} else {
				want = true
			}
		case strings.ContainsRune("⌃⌥⇧⌘⊞❖", r):
			flush()
			parts = append(parts, string(r))
			want, glyph = false, true
		default:
			word.WriteRune(r)
			want = false
		}
	}
	flush()
	if want {
		last := string(runes[len(runes)-1])
		name := map[string]string{"+": "plus", "-": "minus"}[last]
		return nil, &ParseError{Input: s, Word: last, Why: "“" + s + "” ends with “" + last + "”, so a key is missing. If that is the key, write “" + name + "”."}
	}
	return parts, nil
}

// build reads the parts of one chord.
func build(input string, parts []string) (Chord, error) {
	var mods Mods
	var k Key
	var first string
	shifted := false
	for i := 0; i < len(parts); i++ {
		part := parts[i]
		got, shift, ok := lookup(part)
		// "Page Down", "caps-lock", "print screen": two words of one name.
		if i+1 < len(parts) {
			if _, _, next := lookup(parts[i+1]); !ok || !next {
				if both, sh, joined := lookup(part + "_" + parts[i+1]); joined {
					got, shift, ok = both, sh, true
					i++
				}
			}
		}
		if r := []rune(part); !ok && len(r) > 1 && r[0] == '^' { // "^C" is Control with C
			mods |= ModControl
			parts[i] = string(r[1:])
			i--
			continue
		}
		if !ok {
			return Chord{}, unknown(input, part)
		}
		if m := got.Mod(); m != 0 {
			mods |= m
			continue
		}
		if k != "" {
			return Chord{}, &ParseError{Input: input, Word: part, Why: "“" + input + "” names two keys, “" + first + "” and “" + part +
				"”. Only Ctrl, Alt, Shift and Super can be held with another key; press keys one after another instead."}
		}
		k, first, shifted = got, part, shift
	}
	if k == "" {
		return onlyMods(mods), nil
	}
	if shifted && mods == 0 {
		mods = ModShift
	}
	if k == "ISO_Level3_Shift" && mods != 0 {
		return Chord{}, &ParseError{Input: input, Word: first, Why: "AltGr makes characters and isn't held with other modifiers. Type the character itself instead."}
	}
	return Chord{mods, k}, nil
}

// onlyMods is a chord of modifiers alone: the last one in order is the key, so each set is one value.
func onlyMods(m Mods) Chord {
	keys := m.Keys()
	last := keys[len(keys)-1]
	return Chord{m &^ last.Mod(), last}
}

// lookup reads one name. shift says that the name was a capital letter.
func lookup(word string) (k Key, shift, ok bool) {
	if k, ok := known.bySpell[fold(word)]; ok {
		r, _ := k.Rune()
		first, _ := utf8.DecodeRuneInString(word)
		capital := r > 0x7f && unicode.IsLetter(r) && unicode.IsUpper(first) && lowerOf(unicode.ToUpper(r)) == r // "Eacute"
		return k, capital, true
	}
	if strings.EqualFold(word, "iso_left_tab") || strings.EqualFold(word, "backtab") {
		return "Tab", true, true
	}
	r, n := utf8.DecodeRuneInString(word)
	if n != len(word) {
		if r, ok = codePoint(word); !ok {
			return "", false, false
		}
		if k, ok := known.bySpell[string(r)]; ok {
			return k, false, true
		}
	}
	if r == ' ' {
		return "space", false, true
	}
	if !isChar(r) {
		return "", false, false
	}
	if l := upperOf(r); l != 0 {
		return Key(l), true, true
	}
	return Key(r), false, true
}

// codePoint reads "U20AC", as xdotool takes it.
func codePoint(word string) (rune, bool) {
	if len(word) < 5 || len(word) > 7 || word[0] != 'U' && word[0] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(word[1:], 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return 0, false
	}
	return rune(n), true
}

// upperOf returns the small letter of which r is the capital, where the two map to each other; else 0.
func upperOf(r rune) rune {
	if l := lowerOf(r); l != r {
		return l
	}
	return 0
}

func lowerOf(r rune) rune {
	if l := unicode.ToLower(r); l != r && unicode.ToUpper(l) == r {
		return l
	}
	return r
}

// ParseAll reads chords that are pressed one after another, separated by spaces as xdotool takes them:
// "ctrl+a BackSpace", "Tab Tab Return". "ctrl + c" and "Page Down" are read as one. A modifier by itself in
// front of another key is refused, since that is nearly always a chord written without "+".
func ParseAll(s string) ([]Chord, error) {
	if _, ok := blank[s]; ok {
		c, err := Parse(s)
		return []Chord{c}, err
	}
	if len(s) > maxAllBytes {
		return nil, &ParseError{Input: s, Word: s, Why: fmt.Sprintf("That is too long for keys: %d bytes, where %d are read. Type text as text.", len(s), maxAllBytes)}
	}
	words := joinSpaced(strings.Fields(s))
	if len(words) == 0 {
		return nil, &ParseError{Input: s, Why: "No key was named."}
	}
	var out []Chord
	for i := 0; i < len(words); i++ {
		c, err := Parse(words[i])
		if i+1 < len(words) {
			_, nextErr := Parse(words[i+1])
			if err != nil || nextErr != nil {
				if both, bothErr := Parse(words[i] + "_" + words[i+1]); bothErr == nil {
					c, err = both, nil
					i++
				}
			}
		}
		if err != nil {
			return nil, err
		}
		if c.Key.Mod() != 0 && i+1 < len(words) {
			return nil, &ParseError{Input: s, Word: words[i], Why: "“" + words[i] + "” stands alone in front of another key. Join keys that are held together with “+”, as in “" +
				words[i] + "+" + words[i+1] + "”."}
		}
		if out = append(out, c); len(out) > maxChords {
			return nil, &ParseError{Input: s, Word: words[i], Why: fmt.Sprintf("That is more than %d keys at once. Send them in smaller groups.", maxChords)}
		}
	}
	return out, nil
}

// joinSpaced puts "ctrl + c" back together: a "+" or "-" that touches a modifier through spaces.
func joinSpaced(words []string) []string {
	var out []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		if n := len(out); n > 0 {
			prev := out[n-1]
			c, err := Parse(prev)
			endsMod := err == nil && c.Key.Mod() != 0
			open := err != nil && (strings.HasSuffix(prev, "+") || strings.HasSuffix(prev, "-"))
			if endsMod && (w == "+" || w == "-") && i+1 < len(words) {
				i++
				out[n-1] = prev + w + words[i]
				continue
			}
			if open || endsMod && (w[0] == '+' || w[0] == '-') {
				out[n-1] = prev + w
				continue
			}
		}
		out = append(out, w)
	}
	return out
}

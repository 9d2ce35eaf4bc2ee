// Package plain looks at words that came from somewhere else: what in them a person can't see, and what in
// them speaks to an assistant rather than about something.
//
// It says what it found and changes what it is told to; it decides nothing. What it finds is a warning, never
// a proof that the rest is harmless: words that steer can be put in more ways than any list holds.
package plain

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// blank are characters that take up room, or none, and show nothing, though Unicode counts them as letters
// and symbols.
const blank = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"

// joiners are needed to write some languages and to join emoji; elsewhere they only hide.
const joiners = "\u200c\u200d"

// marksMax is how many accents may stand on one letter. No language needs more.
const marksMax = 4

// Hidden says that a character can't be seen or turns the reading direction around. A new line and a tab are
// not hidden.
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return false
	case r < 0x7f:
		return r < ' '
	case strings.ContainsRune(blank, r):
		return true
	case r >= 0xe0100 && r <= 0xe01ef: // variation selectors that carry bytes unseen
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)
}

// Turns says that a character changes the direction in which its neighbours are read.
func Turns(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

// HiddenAt says whether the character at i is hidden where it stands: a joiner between letters that need it
// isn't, and neither is the mark at a file's very beginning.
func HiddenAt(text []rune, i int) bool {
	r := text[i]
	switch {
	case i == 0 && r == 0xfeff:
		return false
	case strings.ContainsRune(joiners, r):
		return i == 0 || i+1 == len(text) || !joins(text[i-1]) || !joins(text[i+1])
	case r >= 0xfe00 && r <= 0xfe0f: // they pick another form of a symbol, and elsewhere carry bytes unseen
		return i == 0 || !varies(text[i-1])
	}
	return Hidden(r)
}

// joins says whether a joiner beside r changes how r looks.
func joins(r rune) bool {
	return r > 0x2ff && unicode.In(r, unicode.L, unicode.M, unicode.So, unicode.Sk)
}

// varies says whether r has more than one form.
func varies(r rune) bool {
	return strings.ContainsRune("0123456789#*", r) || r >= 0x80 && unicode.In(r, unicode.S, unicode.P, unicode.Han)
}

// Line makes one line of words that are kept: hidden characters go, runs of space become one, and no letter
// carries a tower of accents.
func Line(s string) string {
	var b strings.Builder
	text := []rune(norm.NFC.String(strings.ToValidUTF8(s, "")))
	space, marks := true, 0
	for i, r := range text {
		if unicode.IsSpace(r) || r == 0x2028 || r == 0x2029 || r == 0x85 {
			if !space {
				b.WriteByte(' ')
			}
			space, marks = true, 0
			continue
		}
		if HiddenAt(text, i) || r == 0xfeff {
			continue
		}
		if unicode.In(r, unicode.Mn, unicode.Me) {
			if marks++; marks > marksMax {
				continue
			}
		} else {
			marks = 0
		}
		b.WriteRune(r)
		space = false
	}
	return strings.TrimSpace(b.String())
}

// Show makes what is hidden in a text visible, for a page that shows it as it is.
func Show(s string) string {
	text := []rune(strings.ToValidUTF8(s, "\ufffd"))
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case r == '\r' || HiddenAt(text, i):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// letters are written like the letter on the right by who has no key for them; NFKD doesn't know that.
var letters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ŧ': "t", 'ı': "i", 'ŋ': "n",
	'’': "'", '‘': "'", 'ʼ': "'", '´': "'", '`': "'",
}

// Fold makes spellings equal that a person would call the same: case, accents, width, and what can't be seen.
func Fold(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, " ")) {
		if unicode.In(r, unicode.Mn, unicode.Me) || Hidden(r) && !unicode.IsSpace(r) {
			continue
		}
		r = unicode.ToLower(r)
		if l, ok := letters[r]; ok {
			b.WriteString(l)
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// Words are the words of a text, folded, without what stands between them.
func Words(s string) []string {
	return strings.FieldsFunc(Fold(s), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.So, unicode.Sc)
	})
}

// Clip cuts a text after so many characters.
func Clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return strings.TrimRight(string(r[:most]), " ") + "…"
	}
	return s
}

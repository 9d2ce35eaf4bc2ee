package key

import (
	"strings"
	"unicode"
)

// String is the canonical spelling: "ctrl+alt+Delete", "shift+a", "ctrl+plus". Parse reads it back to the
// same value.
func (c Chord) String() string {
	var b strings.Builder
	for _, o := range modOrder {
		if c.Mods&o.mod != 0 {
			b.WriteString(o.word + "+")
		}
	}
	b.WriteString(c.Key.word())
	return b.String()
}

func (k Key) word() string {
	switch k {
	case "+":
		return "plus"
	case "-":
		return "minus"
	}
	for _, o := range modOrder {
		if o.key == k {
			return o.word
		}
	}
	return string(k)
}

// Style is how a label is written.
type Style int

// Styles of a label.
const (
	Words  Style = iota // Ctrl+Shift+S
	Glyphs              // ⌃⇧S, as a Mac writes it
)

// Label names the chord for a person.
func (c Chord) Label(s Style) string {
	var b strings.Builder
	order := c.Mods.Keys()
	if c.Key.Mod() != 0 {
		order = (c.Mods | c.Key.Mod()).Keys()
	} else {
		order = append(order, c.Key)
	}
	for i, k := range order {
		if i > 0 && s == Words {
			b.WriteByte('+')
		}
		b.WriteString(k.label(s))
	}
	return b.String()
}

func (k Key) label(s Style) string {
	n := known.byName[k]
	switch {
	case n == nil:
		return capital(k)
	case s == Glyphs && n.glyph != "":
		return n.glyph
	case n.label != "":
		return n.label
	}
	return string(k)
}

// capital is how a letter key is printed on a keyboard.
func capital(k Key) string {
	if r, ok := k.Rune(); ok && lowerOf(unicode.ToUpper(r)) == r {
		return string(unicode.ToUpper(r))
	}
	return string(k)
}

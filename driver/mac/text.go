package mac

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"conch/driver"
)

// mostUnits is how many UTF-16 units one keyboard event carries: macOS drops the rest without a word.
const mostUnits = 20

// piece is what goes out as one event: some text, or a key of its own.
type piece struct {
	units []uint16
	code  uint16 // Return or Tab, where units is empty
	done  int    // graphemes that are out whole once this piece is
}

// split cuts text into pieces of at most 20 UTF-16 units, at the boundaries of what a person counts as one
// character. One that is longer by itself goes out in several events, cut between code points. Characters that
// would press a key of their own, such as Escape, are refused before anything is typed.
func split(s string) ([]piece, error) {
	if !utf8.ValidString(s) {
		return nil, errors.New("the text is not valid Unicode (UTF-8)")
	}
	var out []piece
	var open piece
	flush := func() {
		if len(open.units) > 0 {
			out = append(out, open)
		}
		open = piece{}
	}
	for state := -1; s != ""; {
		var c string
		c, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		switch c {
		case "\n", "\r", "\r\n":
			flush()
			out = append(out, piece{code: codeReturn, done: 1})
			continue
		case "\t":
			flush()
			out = append(out, piece{code: codeTab, done: 1})
			continue
		}
		for _, r := range c {
			if unicode.IsControl(r) {
				return nil, &driver.NoKeyError{Name: fmt.Sprintf("U+%04X", r)}
			}
		}
		units := utf16.Encode([]rune(c))
		if len(open.units)+len(units) > mostUnits {
			flush()
		}
		for len(units) > mostUnits {
			n := mostUnits
			if utf16.IsSurrogate(rune(units[n-1])) && units[n-1] < 0xdc00 {
				n-- // the first half of a pair stays with the second
			}
			out = append(out, piece{units: units[:n:n]})
			units = units[n:]
		}
		open.units = append(open.units, units...)
		open.done++
	}
	flush()
	return out, nil
}

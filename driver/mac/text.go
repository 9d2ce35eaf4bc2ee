package mac

import (
	"context"
	"errors"
	"fmt"
	"time"
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

var errOwnKeyHeld = errors.New("a key is still held down: let go of it before typing text")

// typePause is between two pieces: apps that read their events slowly mix up what comes faster.
const typePause = 4 * time.Millisecond

// text types s by character and says how many graphemes went out.
func (h *hands) text(ctx context.Context, s string, into driver.Into) (int, error) {
	pieces, err := split(s)
	if err != nil || len(pieces) == 0 {
		return 0, err
	}
	if err := h.take(ctx); err != nil {
		return 0, err
	}
	defer h.give()
	if len(h.keys) > 0 {
		return 0, errOwnKeyHeld
	}
	done := 0
	for i, p := range pieces {
		if i > 0 {
			if err := pause(ctx, typePause); err != nil {
				return done, err
			}
		}
		if err := ctx.Err(); err != nil {
			return done, err
		}
		// Asked before each piece: the person may come to the keyboard, or a password field or another window to the front.
		if err := secureInput(h.sys.session()); err != nil {
			return done, err
		}
		if err := h.person(false); err != nil {
			return done, err
		}
		if err := h.keysLand(into); err != nil {
			return done, err
		}
		if err := h.typePiece(p); err != nil {
			return done, err
		}
		done += p.done
	}
	return done, nil
}

func (h *hands) typePiece(p piece) error {
	k := heldKey{code: p.code, units: p.units}
	if err := h.keyDown(k); err != nil {
		return err
	}
	return h.keyUp(len(h.keys) - 1)
}

package gesture

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"conch/driver"
	"conch/driver/key"
)

// ShortError says that fewer graphemes arrived than were asked for.
type ShortError struct {
	Typed, Asked int
	Err          error // why; nil when the driver didn't say
}

func (e *ShortError) Error() string {
	s := fmt.Sprintf("typed %d of %d characters", e.Typed, e.Asked)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *ShortError) Unwrap() error { return e.Err }

// pieceLength is how many graphemes are typed between two questions to the guard.
const pieceLength = 64

// Type types text into the focused window in pieces of up to 64 graphemes, and returns how many graphemes
// arrived. Line ends of any kind are Return. Fewer than asked is a *ShortError.
func Type(ctx context.Context, d driver.Driver, text string, g Guard) (typed int, err error) {
	if !utf8.ValidString(text) {
		return 0, errors.New("the text isn't valid (UTF-8)")
	}
	pieces, asked := cut(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	err = run(ctx, d, g, func(h *hand) error {
		for _, p := range pieces {
			if err := h.ask(nil); err != nil {
				return err
			}
			if err := h.text(p, &typed); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrNoGuard) {
		err = &ShortError{Typed: typed, Asked: asked, Err: err}
	}
	return typed, err
}

// text types one piece, and adds to typed what arrived of it.
func (h *hand) text(p textPiece, typed *int) error {
	rest, left := p.text, p.graphemes
	err := h.post(func(into driver.Into) error {
		n, err := h.d.Text(h.ctx, rest, into)
		*typed += n
		left -= n
		if err != nil {
			rest = after(rest, n)
		}
		return err
	})
	if err == nil && left != 0 {
		return errors.New("the keyboard took no more")
	}
	return err
}

// after returns what follows the first n graphemes.
func after(text string, n int) string {
	for state := -1; n > 0 && text != ""; n-- {
		_, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
	}
	return text
}

type textPiece struct {
	text      string
	graphemes int
}

// cut cuts text into pieces, never inside a grapheme.
func cut(text string) (pieces []textPiece, graphemes int) {
	var p textPiece
	start, end := 0, 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		_, end = g.Positions()
		p.graphemes++
		graphemes++
		if p.graphemes == pieceLength {
			p.text = text[start:end]
			pieces = append(pieces, p)
			p, start = textPiece{}, end
		}
	}
	if p.graphemes > 0 {
		p.text = text[start:end]
		pieces = append(pieces, p)
	}
	return pieces, graphemes
}

// maxRepeat is how often one gesture presses a chord.
const maxRepeat = 100

// Press presses a chord 1 to 100 times.
func Press(ctx context.Context, d driver.Driver, c key.Chord, repeat int, g Guard) error {
	if err := errors.Join(between("the number of presses", repeat, 1, maxRepeat), pressable(c)); err != nil {
		return err
	}
	return run(ctx, d, g, func(h *hand) error {
		for i := range repeat {
			if i > 0 {
				if err := h.wait(repeatGap); err != nil {
					return err
				}
			}
			err := steps(
				func() error { return h.ask(nil) },
				func() error { return h.press(c.Mods) },
				func() error { return h.key(c.Key, true) },
				func() error { return h.wait(keyHold) },
				func() error { return h.key(c.Key, false) },
				h.lift,
			)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// askAgain is how often the guard is asked while a chord is held: its repeats go to whatever comes to the
// front meanwhile.
const askAgain = 100 * time.Millisecond

// Hold holds a chord down for a time of more than 0.
func Hold(ctx context.Context, d driver.Driver, c key.Chord, t time.Duration, g Guard) error {
	if t <= 0 {
		return fmt.Errorf("a key can't be held for %v", t)
	}
	if err := pressable(c); err != nil {
		return err
	}
	return run(ctx, d, g, func(h *hand) error {
		err := steps(
			func() error { return h.ask(nil) },
			func() error { return h.press(c.Mods) },
			func() error { return h.key(c.Key, true) },
		)
		if err != nil {
			return err
		}
		for end := time.Now().Add(t); ; {
			left := time.Until(end)
			if err := h.wait(min(left, askAgain)); err != nil {
				return err
			}
			if left <= askAgain {
				break
			}
			if err := h.ask(nil); err != nil {
				return err
			}
		}
		return steps(func() error { return h.key(c.Key, false) }, h.lift)
	})
}

// pressable refuses what no parser gives: pressing it half would leave modifiers without their key.
func pressable(c key.Chord) error {
	if !c.Key.Known() || c.Mods&c.Key.Mod() != 0 {
		return &driver.NoKeyError{Name: c.String()}
	}
	return nil
}

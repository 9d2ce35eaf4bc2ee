package key

import (
	"strings"

	"conch/driver/near"
)

// unknown is the error for a word that names nothing, with the nearest name that does.
func unknown(input, word string) error {
	e := &ParseError{Input: input, Word: word, Nearest: nearest(word)}
	switch {
	case fold(word) == "fn" || fold(word) == "globe":
		e.Why, e.Nearest = "The Fn key acts inside the keyboard and can't be pressed from here. Name the key that it makes, such as F5 or Home.", ""
	case fold(word) == "hyper" || fold(word) == "hyperl" || fold(word) == "hyperr":
		e.Why, e.Nearest = "There is no Hyper key to press. Name the modifiers that you mean, such as ctrl+alt+shift+super.", ""
	case e.Nearest == "" && len([]rune(word)) > 1:
		e.Why = "There is no key called “" + word + "”. Name one key such as Return, Page_Down or ctrl+s; type text as text."
	default:
		e.Why = "There is no key called “" + word + "”."
	}
	return e
}

// nearest returns the canonical name of the spelling that differs from word in the fewest letters, where
// that is few enough for a slip.
func nearest(word string) string {
	w := []rune(fold(word))
	if len(w) < 2 || len(w) > 24 {
		return ""
	}
	// "ctrlc" and "cmdshift": a missing "+".
	for _, o := range modOrder {
		for _, s := range append(strings.Fields(known.byName[o.key].other), o.word) {
			rest, ok := strings.CutPrefix(string(w), s)
			if !ok || len(s) < 3 || rest == "" {
				continue
			}
			if k, _, ok := lookup(rest); ok {
				return o.word + "+" + k.word()
			}
		}
	}
	limit := 1 + len(w)/6
	best, at, shared := "", limit+1, 0
	for s, k := range known.bySpell {
		if len(s) < 2 {
			continue
		}
		name := (Chord{Key: k}).String()
		d := near.Distance(w, []rune(s))
		n := sharedPrefix(w, []rune(s))
		if d < at || d == at && (n > shared || n == shared && name < best) {
			best, at, shared = name, d, n
		}
	}
	if at > limit {
		return ""
	}
	return best
}

func sharedPrefix(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

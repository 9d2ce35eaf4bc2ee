package memory

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"conch/gateway/plain"
)

// clean makes words that can be kept, or says why they can't be.
func clean(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", &Refusal{Invalid, "This isn't text that can be read.", "Write it again."}
	}
	// A tower of hidden characters must not cost more than the fact could be worth.
	if len(text) > 20*TextMax {
		return "", tooLong(len(text), "bytes")
	}
	text = plain.Line(text)
	if len(plain.Words(text)) == 0 {
		return "", &Refusal{Invalid, "There are no words in this.", "Write one short fact."}
	}
	if n := utf8.RuneCountInString(text); n > TextMax {
		return "", tooLong(n, "characters")
	}
	return text, nil
}

func tooLong(n int, of string) error {
	return &Refusal{
		Invalid, fmt.Sprintf("This is too long for one fact: %d %s, and %d characters are the most.", n, of, TextMax),
		"Keep it to one short fact.",
	}
}

// Filling words and the ways to name the person make no difference to what a fact says. Anything else does: a
// number, a name, a “not”.
var (
	filling = map[string]bool{"an": true, "the": true, "that": true}
	// "a" is a word of its own elsewhere, as in "vitamin A".
	beforeA = map[string]bool{"is": true, "am": true, "are": true, "have": true, "has": true, "own": true, "in": true, "with": true, "like": true, "as": true, "for": true, "at": true}
	naming  = map[string]string{
		"user": "i", "users": "my", "person": "i", "persons": "my", "me": "i", "mine": "my", "your": "my", "you": "i",
		"isn": "is", "doesn": "do", "don": "do", "can": "can", "won": "will", "im": "i am", "dont": "do not", "doesnt": "do not",
		"m": "am", "re": "are", "ve": "have", "ll": "will", "t": "not", "likes": "like", "owns": "own", "lives": "live", "works": "work", "prefers": "prefer",
		"speaks": "speak", "wants": "want", "needs": "need", "uses": "use", "does": "do", "has": "have",
	}
)

// sameness is equal for two texts that say the same with the same words: case, accents, marks, articles and
// who tells it make no difference. Two facts that differ in any other word stay two.
func sameness(text string) string {
	words := plain.Words(text)
	var out []string
	for i, w := range words {
		if filling[w] || w == "a" && (len(out) == 0 || beforeA[out[len(out)-1]]) {
			continue
		}
		if to, ok := naming[w]; ok {
			w = to
		}
		// "the user's name" is words user, s, name.
		if w == "s" && i > 0 && len(out) > 0 && (words[i-1] == "user" || words[i-1] == "person") {
			out[len(out)-1] = "my"
			continue
		}
		out = append(out, w)
	}
	// "I live in Oslo" and "Lives in Oslo" begin with the same person.
	if len(out) > 1 && out[0] == "i" {
		out = out[1:]
	}
	if len(out) == 0 {
		return strings.Join(words, " ")
	}
	return strings.Join(out, " ")
}

// Flags says what about a suggestion a person should notice before they keep it.
func Flags(text string) []string {
	var out []string
	for _, o := range plain.Orders(text) {
		out = append(out, o.Say)
	}
	if plain.Secret(text) {
		out = append(out, "It may hold a password or a key. Those have no place here.")
	}
	return out
}

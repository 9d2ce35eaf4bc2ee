package byhand

import (
	"strings"
	"unicode"
)

// word is one word of a message, or all of a quoted text.
type word struct {
	text   string
	quoted bool
	gap    string // the white space before it, kept so that typed text comes out as written
}

// quotes are opening marks and what closes them.
var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '‘': '’', '\'': '\''}

// split cuts a message into steps at line ends and at the word "then", neither inside quotes.
func split(text string) [][]word {
	var steps [][]word
	var step []word
	end := func() {
		if len(step) > 0 {
			steps = append(steps, step)
		}
		step = nil
	}
	rs := []rune(strings.ReplaceAll(text, "\r\n", "\n"))
	for i := 0; i < len(rs); {
		start := i
		for i < len(rs) && unicode.IsSpace(rs[i]) && rs[i] != '\n' {
			i++
		}
		gap := string(rs[start:i])
		if i == len(rs) {
			break
		}
		if rs[i] == '\n' {
			end()
			i++
			continue
		}
		w, next := readWord(rs, i)
		w.gap = gap
		i = next
		if !w.quoted && strings.EqualFold(w.text, "then") {
			step = withoutComma(step)
			end()
			continue
		}
		step = append(step, w)
	}
	end()
	return steps
}

// withoutComma takes the comma of "open Mousepad, then look" away. Text to be typed stays as it is written.
func withoutComma(step []word) []word {
	n := len(step) - 1
	if n < 1 || step[n].quoted || begins(step, []string{"type"}) || begins(step, []string{"write"}) {
		return step
	}
	step[n].text = strings.TrimSuffix(step[n].text, ",")
	return step
}

// readWord reads a quoted text or everything up to white space. A mark that nothing closes is a letter.
func readWord(rs []rune, i int) (word, int) {
	if closing, ok := quotes[rs[i]]; ok {
		if text, next, ok := readQuoted(rs, i+1, closing); ok {
			return word{text: text, quoted: true}, next
		}
	}
	j := i
	for j < len(rs) && !unicode.IsSpace(rs[j]) {
		j++
	}
	return word{text: string(rs[i:j])}, j
}

// readQuoted reads up to closing, which must end a word: so an apostrophe inside one is a letter.
func readQuoted(rs []rune, i int, closing rune) (string, int, bool) {
	var b strings.Builder
	for ; i < len(rs); i++ {
		switch {
		case rs[i] == '\\' && i+1 < len(rs):
			i++
			switch rs[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case closing, '\\', '"':
				b.WriteRune(rs[i])
			default:
				b.WriteByte('\\')
				b.WriteRune(rs[i])
			}
		case rs[i] == closing && (i+1 == len(rs) || unicode.IsSpace(rs[i+1])):
			return b.String(), i + 1, true
		default:
			b.WriteRune(rs[i])
		}
	}
	return "", 0, false
}

// join puts words together as they were written.
func join(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteString(w.gap)
		}
		b.WriteString(w.text)
	}
	return b.String()
}

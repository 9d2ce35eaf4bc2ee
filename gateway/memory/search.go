package memory

import (
	"context"
	"strings"
	"unicode"

	"conch/gateway/plain"
)

const (
	queryMax = 1000 // bytes of a search that are read
	wordsMax = 16   // words of it
)

const found = columns + `JOIN memory_index ON memory_index.rowid = f.n WHERE f.state = 'kept' AND `

// Search finds kept facts by their words and the beginnings of words, best first, at most n. When no fact has
// all the words, those with some of them are found. Without words it is the newest facts.
func (s *Store) Search(ctx context.Context, query string, n int) ([]Fact, error) {
	words := queryWords(query)
	if len(words) == 0 {
		if plain.Line(query) != "" { // there is something, and nothing that a fact could hold
			return nil, nil
		}
		return s.List(ctx, Kept, n)
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = `"` + w + `"*`
	}
	for _, with := range []string{" AND ", " OR "} {
		out, err := s.facts(ctx, found+"memory_index MATCH ? ORDER BY memory_index.rank, f.changed DESC, f.n DESC LIMIT ?",
			strings.Join(quoted, with), n)
		if err != nil || len(out) > 0 {
			return out, err
		}
		if len(words) == 1 {
			break
		}
	}
	return s.inside(ctx, words, n)
}

// inside finds words of scripts that put no space between them, where the index sees a whole phrase as one.
func (s *Store) inside(ctx context.Context, words []string, n int) ([]Fact, error) {
	query, args := found, []any{}
	for i, w := range words {
		if !strings.ContainsFunc(w, unspaced) {
			return nil, nil
		}
		if i > 0 {
			query += " AND "
		}
		query += "instr(memory_index.words, ?) > 0"
		args = append(args, w)
	}
	return s.facts(ctx, query+" ORDER BY f.changed DESC, f.n DESC LIMIT ?", append(args, n)...)
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// queryWords are a search's words, folded as facts are. They hold letters, digits and signs, never a quote.
func queryWords(query string) []string {
	query = strings.ToValidUTF8(query[:min(len(query), queryMax)], "")
	words := plain.Words(query)
	return words[:min(len(words), wordsMax)]
}

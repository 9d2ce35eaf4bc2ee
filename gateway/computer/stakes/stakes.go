package stakes

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"conch/gateway/computer/policy"
)

// Kind is what a control does. The zero value is nothing of the sort.
type Kind string

// The kinds.
const (
	Sending    Kind = "sending"
	Paying     Kind = "paying"
	Ordering   Kind = "ordering"
	Deleting   Kind = "deleting"
	Publishing Kind = "publishing"
	Signing    Kind = "signing"
	Granting   Kind = "granting"
	// Disguised is a name whose letters only look like those of the word that they seem to make.
	Disguised Kind = "hiding what it is called"
)

//go:embed words.txt
var wordsFile string

// A phrase is words in a row.
type phrase struct {
	words []string
	whole bool // counts as the whole name only
	kind  Kind // empty: it is no such thing
}

// tables are read once, when they are first asked for: phrases of languages with spaces by their first word, and runs
// of characters of the others. They are never written again.
var tables = sync.OnceValues(func() (map[string][]phrase, []phrase) { return read(wordsFile) })

// spaceless are languages that put no spaces between words, or not always.
var spaceless = map[string]bool{"ja": true, "zh": true, "ko": true}

func read(file string) (byWord map[string][]phrase, runs []phrase) {
	byWord = map[string][]phrase{}
	for line := range strings.Lines(file) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(f) < 3 || f[0] == "#" {
			continue
		}
		kind := Kind(f[1])
		if kind == "not" {
			kind = ""
		}
		for _, s := range strings.Split(f[2], ",") {
			s, whole := strings.CutPrefix(strings.TrimSpace(s), "=")
			if spaceless[f[0]] {
				runs = append(runs, phrase{words: []string{run(s)}, kind: kind})
			} else if words := split(policy.Fold(s)); len(words) > 0 {
				byWord[words[0]] = append(byWord[words[0]], phrase{words, whole, kind})
			}
		}
	}
	// What isn't meant is taken out first, and the longer phrase says more than the shorter.
	before := func(a, b phrase) int {
		if (a.kind == "") != (b.kind == "") {
			if a.kind == "" {
				return -1
			}
			return 1
		}
		return len(strings.Join(b.words, " ")) - len(strings.Join(a.words, " "))
	}
	for _, ps := range byWord {
		slices.SortStableFunc(ps, before)
	}
	slices.SortStableFunc(runs, before)
	return byWord, runs
}

// Of says what a control of this name does that can't be taken back, if it does.
func Of(name string) (Kind, bool) {
	plain := access(name)
	for _, v := range variants(plain) {
		if k := inWords(split(v)); k != "" {
			return k, true
		}
		if k := inRun(run(v)); k != "" {
			return k, true
		}
	}
	if disguised(plain) {
		return Disguised, true
	}
	return "", false
}

// access takes out what marks an access key: "_Send", "S&end", "送信(S)".
func access(s string) string {
	rs := []rune(s)
	out := make([]rune, 0, len(rs))
	for i, r := range rs {
		if (r == '_' || r == '&') && i+1 < len(rs) && !unicode.IsSpace(rs[i+1]) {
			continue
		}
		out = append(out, r)
	}
	return string(out)
}

// digits are what is written for letters, so as to be read as them.
var digits = [2]*strings.Replacer{
	strings.NewReplacer("0", "o", "1", "l", "3", "e", "4", "a", "5", "s", "7", "t", "$", "s", "@", "a", "€", "e", "!", "l"),
	strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "$", "s", "@", "a", "€", "e", "|", "i"),
}

// variants are what a name may be read as: as it is, with digits for letters, backwards where a hidden character
// says so.
func variants(s string) []string {
	plain := policy.Fold(s)
	out := []string{plain}
	for _, r := range digits {
		if v := r.Replace(plain); v != plain && mixed(plain) {
			out = append(out, v)
		}
	}
	if strings.ContainsAny(s, "\u202e\u2067\u202b") {
		rs := []rune(plain)
		slices.Reverse(rs)
		out = append(out, string(rs))
	}
	return out
}

// mixed says whether some word has both letters and what may stand for letters.
func mixed(s string) bool {
	for _, w := range strings.Fields(s) {
		letters := strings.IndexFunc(w, unicode.IsLetter) >= 0
		if inner := strings.TrimRight(w, "!"); letters && strings.ContainsAny(inner, "013457$@€!|") {
			return true
		}
	}
	return false
}

// split cuts folded text into words. Letters that stand alone in a row are one word: "s e n d".
func split(s string) []string {
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var out []string
	for i := 0; i < len(words); {
		j := i
		for j < len(words) && len([]rune(words[j])) == 1 && !unicode.Is(unicode.Han, []rune(words[j])[0]) {
			j++
		}
		if j-i >= 3 {
			out = append(out, strings.Join(words[i:j], ""))
			i = j
			continue
		}
		out = append(out, words[i])
		i++
	}
	return out
}

// inWords finds the first phrase in words that means something.
func inWords(words []string) Kind {
	total := len(words)
	phrases, _ := tables()
	for i := 0; i < len(words); i++ {
		for _, p := range phrases[words[i]] {
			if len(words)-i < len(p.words) || !slices.Equal(words[i:i+len(p.words)], p.words) || p.whole && len(p.words) != total {
				continue
			}
			if p.kind != "" {
				return p.kind
			}
			i += len(p.words) - 1
			break
		}
	}
	return ""
}

// run is folded text as one run, in composed form: half a syllable is no word.
func run(s string) string {
	return norm.NFC.String(strings.Join(strings.Fields(policy.Fold(s)), ""))
}

// inRun finds what a run of characters means.
func inRun(s string) Kind {
	_, runs := tables()
	for _, p := range runs {
		if p.kind == "" {
			s = strings.ReplaceAll(s, p.words[0], "\x00")
		} else if strings.Contains(s, p.words[0]) {
			return p.kind
		}
	}
	return ""
}

// plainScripts are those in which names are written; words in two of them at once are ordinary.
var plainScripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Common, unicode.Inherited, unicode.Greek, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Arabic, unicode.Hebrew, unicode.Thai, unicode.Devanagari,
}

// disguised says whether some word has Latin letters beside others that can't be told from them.
func disguised(s string) bool {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.In(r, unicode.Mn, unicode.Cf) }) {
		var latin, alike, cyrillic, strange bool
		for _, r := range w {
			switch {
			case unicode.Is(unicode.Latin, r):
				latin = true
			case unicode.Is(unicode.Cyrillic, r):
				f := policy.Fold(string(r))
				same := f != "" && f[0] < unicode.MaxASCII
				alike, cyrillic = alike || same, cyrillic || !same
			default:
				strange = strange || !unicode.In(r, plainScripts...)
			}
		}
		if latin && (strange || alike && !cyrillic) {
			return true
		}
	}
	return false
}

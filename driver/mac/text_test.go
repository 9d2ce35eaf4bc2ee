package mac

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const family = "👨‍👩‍👧‍👦" // 11 UTF-16 units, one character

// FuzzSplit: whatever the text, what the pieces carry is the text, each fits into an event, none cuts a
// character that would fit, and the count of what is out whole is right after each.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"", "a", "hello, world", "tab\tand\nline\r\nend\r", strings.Repeat("x", 41), strings.Repeat(family, 5),
		"e\u0301" + strings.Repeat("\u0301", 60), strings.Repeat("𝔘", 21), "日本語のテキスト、長い一行です。二十を越える。", "\xff", "a\x1bb", "🇫🇷🇩🇪🇯🇵🇺🇸🇬🇧🇮🇹🇪🇸",
		"a" + strings.Repeat("\U000E0100", 30) + "b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pieces, err := split(s)
		if err != nil {
			if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
				t.Fatalf("%q is refused: %v", s, err)
			}
			return
		}
		var got []uint16
		done := 0
		ends := characterEnds(s)
		for _, p := range pieces {
			switch {
			case len(p.units) > mostUnits:
				t.Fatalf("%q: a piece of %d units", s, len(p.units))
			case len(p.units) == 0 && p.code != codeReturn && p.code != codeTab:
				t.Fatalf("%q: an empty piece", s)
			case len(p.units) == 0 && p.code == codeReturn:
				got = append(got, '\n')
			case len(p.units) == 0:
				got = append(got, '\t')
			case slices.Contains(p.units, '\n') || slices.Contains(p.units, '\t'):
				t.Fatalf("%q: a key inside a piece of text: %q", s, string(utf16.Decode(p.units)))
			}
			if n := len(p.units); n > 0 && utf16.IsSurrogate(rune(p.units[n-1])) && p.units[n-1] < 0xdc00 {
				t.Fatalf("%q: half of a pair", s)
			}
			got = append(got, p.units...)
			done += p.done
			// What is out whole is exactly what has ended by now.
			whole := 0
			for _, end := range ends {
				if end <= len(got) {
					whole++
				}
			}
			if whole != done {
				t.Fatalf("%q: after %d units %d characters are out whole, and %d are said", s, len(got), whole, done)
			}
			// A cut inside a character is right only when the character doesn't fit an event.
			if i := slices.Index(ends, len(got)); i < 0 {
				next := slices.IndexFunc(ends, func(end int) bool { return end > len(got) })
				from := 0
				if next > 0 {
					from = ends[next-1]
				}
				if ends[next]-from <= mostUnits {
					t.Fatalf("%q: cut inside a character of %d units", s, ends[next]-from)
				}
			}
		}
		if want := plainLines(s); string(utf16.Decode(got)) != want || done != uniseg.GraphemeClusterCount(s) {
			t.Fatalf("%q came out as %q, %d characters", s, string(utf16.Decode(got)), done)
		}
	})
}

func plainLines(s string) string { return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s) }

// characterEnds says after how many UTF-16 units of what comes out each character of s ends.
func characterEnds(s string) []int {
	var out []int
	n := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		n += len(utf16.Encode([]rune(plainLines(g.Str()))))
		out = append(out, n)
	}
	return out
}

func TestSplitFillsPieces(t *testing.T) {
	for s, want := range map[string][]int{
		strings.Repeat("x", 41):       {20, 20, 1},
		strings.Repeat(family, 3):     {11, 11, 11},
		"nine char" + family + "x":    {20, 1},
		"ten chars." + family:         {10, 11},
		"a" + strings.Repeat("́", 45): {20, 20, 6},
		strings.Repeat("𝔘", 11):       {20, 2},
	} {
		pieces, err := split(s)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, p := range pieces {
			got = append(got, len(p.units))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is cut into %v, want %v", s, got, want)
		}
	}
}

package stakes

import (
	"os"
	"strings"
	"testing"
	"unicode"
)

// lists reads names by "|", with what stands before the first of them.
func lists(t *testing.T, file string, heads int) (out []struct {
	head  []string
	names []string
},
) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), " ", heads+1)
		if f[0] == "#" || len(f) <= heads {
			continue
		}
		names := strings.Split(f[heads], "|")
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		out = append(out, struct{ head, names []string }{f[:heads], names})
	}
	return out
}

// Not one of 500 ordinary names is taken for what can't be taken back.
func TestOrdinaryNames(t *testing.T) {
	n, langs := 0, map[string]bool{}
	for _, l := range lists(t, "testdata/ordinary.txt", 1) {
		langs[l.head[0]] = true
		for _, name := range l.names {
			n++
			if k, hit := Of(name); hit {
				t.Errorf("%s: “%s” is taken for %s", l.head[0], name, k)
			}
		}
	}
	if n < 500 || len(langs) < 14 {
		t.Errorf("%d names in %d languages", n, len(langs))
	}
}

// Real buttons of each language and kind are known for what they do, however they are spelled.
func TestRealButtons(t *testing.T) {
	// A word may do several things at once, or mean another of them in another language.
	also := map[Kind][]Kind{
		Sending: {Paying, Ordering}, Paying: {Ordering, Sending}, Ordering: {Paying, Sending, Signing}, Publishing: {Sending, Granting},
		Signing: {Ordering, Sending, Granting}, Granting: {Publishing, Signing}, Deleting: {Ordering, Paying},
	}
	kinds := map[string]map[Kind]bool{}
	for _, l := range lists(t, "testdata/buttons.txt", 2) {
		lang, kind := l.head[0], Kind(l.head[1])
		if kinds[lang] == nil {
			kinds[lang] = map[Kind]bool{}
		}
		kinds[lang][kind] = true
		for _, name := range l.names {
			for how, spelled := range spellings(name) {
				k, hit := Of(spelled)
				right := k == kind || k == Disguised
				for _, o := range also[kind] {
					right = right || k == o
				}
				if !hit || !right {
					t.Errorf("%s: “%s” (%s: %+q) is %q, not %s", lang, name, how, spelled, k, kind)
				}
			}
		}
	}
	for lang, have := range kinds {
		for _, k := range []Kind{Sending, Paying, Ordering, Deleting, Publishing, Signing, Granting} {
			if !have[k] {
				t.Errorf("%s has no button for %s", lang, k)
			}
		}
	}
	if len(kinds) != 14 {
		t.Errorf("%d languages", len(kinds))
	}
}

// spellings are ways to write a name so that a person reads the same and a plain comparison doesn't.
func spellings(name string) map[string]string {
	each := func(f func(rune) string) string {
		var b strings.Builder
		for _, r := range name {
			b.WriteString(f(r))
		}
		return b.String()
	}
	letter := func(r rune, s string) string {
		if unicode.IsLetter(r) && r < 0x1100 {
			return string(r) + s
		}
		return string(r)
	}
	out := map[string]string{
		"as it is":        name,
		"upper case":      strings.ToUpper(strings.ReplaceAll(name, "ß", "ss")),
		"hidden spaces":   each(func(r rune) string { return letter(r, "\u200b") }),
		"soft hyphens":    each(func(r rune) string { return letter(r, "\u00ad") }),
		"struck through":  each(func(r rune) string { return letter(r, "\u0336") }),
		"right to left":   "\u200f" + name,
		"hidden marks":    "\u2066" + name + "\u2069\ufeff",
		"wide spaces":     strings.ReplaceAll(name, " ", "\u3000"),
		"line breaks":     strings.ReplaceAll(name, " ", "\n"),
		"dots":            name + "…",
		"an arrow behind": name + " →",
		"stars around":    "✦ " + name + " ✦",
	}
	alike := map[rune]string{'a': "а", 'e': "е", 'o': "о", 'c': "с", 'p': "р", 'i': "і", 's': "ѕ", 'S': "Ѕ", 'B': "В", 'P': "Р", 'A': "А", 'O': "О", 'E': "Е", 'D': "Ꭰ"}
	out["look-alikes"] = each(func(r rune) string {
		if l, ok := alike[r]; ok {
			return l
		}
		return string(r)
	})
	if ascii := strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) < 0; ascii {
		out["full width"] = each(func(r rune) string {
			if r > ' ' && r < 0x7f && r != '_' && r != '&' {
				return string(r + 0xfee0)
			}
			return string(r)
		})
		out["mathematical"] = each(func(r rune) string {
			switch {
			case r >= 'a' && r <= 'z':
				return string(0x1d41a + r - 'a')
			case r >= 'A' && r <= 'Z':
				return string(0x1d400 + r - 'A')
			}
			return string(r)
		})
		digits := map[rune]string{'e': "3", 'o': "0", 'a': "4"}
		if len(name) > 3 && !strings.ContainsAny(name, "_&$") {
			out["digits"] = each(func(r rune) string {
				if d, ok := digits[r]; ok {
					return d
				}
				return string(r)
			})
		}
	}
	return out
}

func TestDisguises(t *testing.T) {
	for name, want := range map[string]Kind{
		"S e n d":                 Sending,
		"S.e.n.d":                 Sending,
		"\u202edneS":              Sending,
		"$end money":              Sending,
		"P@y n0w":                 Paying,
		"De1ete":                  Deleting,
		"Canсel":                  Disguised, // a Cyrillic с
		"ꓢave":                    Disguised,
		"Cancel\u2063 or send it": Sending,
		"Cancel":                  "",
		"":                        "",
		"\u200b":                  "",
		"IP-адрес":                "",
		"Δt":                      "",
	} {
		if k, hit := Of(name); k != want || hit != (want != "") {
			t.Errorf("%+q is %q, %v; want %q", name, k, hit, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"Send", "\u202e", "送信", "a\xffb", "_&_&", strings.Repeat("s e n d ", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, hit := Of(s)
		if hit != (k != "") {
			t.Errorf("%q: %q, %v", s, k, hit)
		}
		if _, again := Of(s + "\u200b"); again != hit {
			t.Errorf("%q is another thing with a hidden space after it", s)
		}
	})
}

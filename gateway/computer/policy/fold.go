package policy

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// alike maps letters of other scripts to the Latin letter that they can't be told from (Unicode TR39,
// confusables; the common ones only). Both sides of every comparison are folded, so a Cyrillic name in a
// table still equals itself.
var alike = map[rune]rune{
	'а': 'a', 'в': 'b', 'с': 'c', 'е': 'e', 'н': 'h', 'і': 'i', 'ј': 'j', 'к': 'k', 'м': 'm', 'о': 'o',
	'р': 'p', 'ѕ': 's', 'т': 't', 'у': 'y', 'х': 'x', 'ԁ': 'd', 'ԛ': 'q', 'ԝ': 'w', 'ӏ': 'l', 'һ': 'h',
	'α': 'a', 'ε': 'e', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x',
	'ı': 'i', 'ɡ': 'g', 'ո': 'n', 'օ': 'o', 'ս': 'u', 'ℓ': 'l',
	'∙': '·', '•': '·', '⋅': '·', '・': '·', '･': '·', '‧': '·', 'ꞏ': '·', '᛫': '·', '●': '·',
	'–': '-', '—': '-', '‐': '-', '‑': '-', '‒': '-', '―': '-', '−': '-', '’': '\'', '‘': '\'',
}

// fold makes two spellings that a person reads as the same equal: compatibility forms (NFKD), case, accents,
// invisible characters, look-alike letters and runs of space. Bytes that are no text are invisible too: beside one,
// NFKD leaves the next character as it is, so a name could hide behind it.
func fold(s string) string {
	if t, ok := foldASCII(s); ok {
		return t
	}
	return foldAny(s)
}

func foldAny(s string) string {
	var b strings.Builder
	space := true
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, "")) {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) || r == '\u3164' || r == '\u115f' || r == '\u1160' {
			continue
		}
		r = unicode.ToLower(r)
		if l, ok := alike[r]; ok {
			r = l
		}
		b.WriteRune(r)
		space = false
	}
	return strings.TrimSpace(b.String())
}

// foldASCII is fold for what nearly every name and title is made of.
func foldASCII(s string) (string, bool) {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0x80:
			return "", false
		case c <= ' ' || c == 0x7f:
			if n := len(out); n > 0 && out[n-1] != ' ' {
				out = append(out, ' ')
			}
		case c >= 'A' && c <= 'Z':
			out = append(out, c+'a'-'A')
		default:
			out = append(out, c)
		}
	}
	return strings.TrimSuffix(string(out), " "), true
}

// packaging is what a program's name may end in beside it.
var packaging = []string{".desktop", ".exe", ".app", ".appimage", ".bin", "-bin", ".real", "-wrapped", ".py", ".sh", " (deleted)"}

// spellings returns what a program may be called, folded: s itself, then without what packaging adds to a
// name (".desktop", "-bin", a Nix wrapper's dot, a snap's "name_name", a version), most exact first.
func spellings(s string) []string {
	s = fold(s)
	if s == "" {
		return nil
	}
	out := []string{s}
	add := func(v string) {
		v = strings.Trim(v, " -_.")
		if v == "" {
			return
		}
		for _, have := range out {
			if have == v {
				return
			}
		}
		out = append(out, v)
	}
	plain := s
	for again := true; again; {
		again = false
		for _, end := range packaging {
			if cut, ok := strings.CutSuffix(plain, end); ok && cut != "" {
				plain, again = cut, true
			}
		}
	}
	add(plain)
	plain = strings.Trim(plain, " -_.")
	if snap, of, ok := strings.Cut(plain, "_"); ok {
		add(snap)
		add(of)
	}
	add(unversioned(plain))
	return out
}

// unversioned cuts a version from the end of a name: "gimp-2.10" and "1Password 7", but not "n26".
func unversioned(s string) string {
	cut := strings.TrimRight(s, "0123456789.")
	if cut == s || cut == "" {
		return s
	}
	if last := cut[len(cut)-1]; last == ' ' || last == '-' || last == '_' {
		return strings.Trim(cut, " -_")
	}
	return s
}

// programs returns what the program at a path may be called: its own name, and the bundle it is in.
func programs(exe string) []string {
	exe = strings.TrimSuffix(exe, " (deleted)")
	exe = strings.ReplaceAll(exe, `\`, "/")
	if strings.Trim(exe, "/ ") == "" {
		return nil
	}
	out := spellings(path.Base(exe))
	for _, part := range strings.Split(path.Dir(exe), "/") {
		if fold(path.Ext(part)) == ".app" {
			out = append(out, spellings(part)...)
		}
	}
	return out
}

// lastPart returns the last part of a reverse-DNS id, "keepassxc" of "org.keepassxc.KeePassXC".
func lastPart(id string) string {
	return id[strings.LastIndexByte(id, '.')+1:]
}

// hasWord says whether folded text has phrase in it with no letter or digit right before or after.
func hasWord(text, phrase string) bool {
	for from := 0; from <= len(text)-len(phrase); {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		if !letterBefore(text[:i]) && !letterAfter(text[i+len(phrase):]) {
			return true
		}
		from = i + 1
	}
	return false
}

func letterBefore(s string) bool {
	rs := []rune(s)
	return len(rs) > 0 && wordRune(rs[len(rs)-1])
}

func letterAfter(s string) bool {
	for _, r := range s {
		return wordRune(r)
	}
	return false
}

// wordRune counts letters and digits of scripts that put spaces between words; a Han or Kana phrase stands
// inside running text.
func wordRune(r rune) bool {
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// Fold is how names are compared here and by whoever else judges what a program calls itself: what a person reads
// as the same is the same.
func Fold(s string) string { return fold(s) }

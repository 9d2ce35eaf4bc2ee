//go:build linux

package xkb

// Rune returns the character that a keysym makes. Of the old, per-alphabet numbers it knows the alphabets that
// layouts still use; a symbol that it doesn't know is merely typed in another way.
//
// Facts: X Window System Protocol, appendix A; X11/keysymdef.h.
func Rune(sym uint32) (rune, bool) {
	switch {
	case sym >= 0x20 && sym <= 0x7e, sym >= 0xa0 && sym <= 0xff: // Latin-1
		return rune(sym), true
	case sym > 0x01000000 && sym <= 0x0110ffff:
		return rune(sym - 0x01000000), true
	case sym >= 0x20a0 && sym <= 0x20ac: // currency signs
		return rune(sym), true
	case sym >= 0x5ac && sym <= 0x5f2: // Arabic
		return rune(sym - 0x5a0 + 0x600), true
	case sym >= 0xce0 && sym <= 0xcfa: // Hebrew
		return rune(sym - 0xce0 + 0x5d0), true
	case sym >= 0xda1 && sym <= 0xdf9: // Thai
		return rune(sym - 0xda1 + 0xe01), true
	}
	for _, t := range tables {
		if sym >= t.first && int(sym-t.first) < len(t.runes) && t.runes[sym-t.first] != hole {
			return t.runes[sym-t.first], true
		}
	}
	return 0, false
}

const hole = '\u25a1' // no symbol has this number, or it is one that is not looked up here

type table struct {
	first uint32
	runes []rune
}

var tables = []table{
	{0x1a1, []rune("Ą˘Ł□ĽŚ□□ŠŞŤŹ□ŽŻ□ą˛ł□ľśˇ□šşťź˝žż")},                                                                 // Latin 2, signs
	{0x1c0, []rune("Ŕ□□Ă□ĹĆ□Č□Ę□Ě□□ĎĐŃŇ□□Ő□□ŘŮ□Ű□□Ţ□ŕ□□ă□ĺć□č□ę□ě□□ďđńň□□ő□□řů□ű□□ţ˙")},                                // Latin 2, letters
	{0x6a1, []rune("ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏюабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ")}, // Cyrillic
	{0x7a1, []rune("ΆΈΉΊΪ□ΌΎΫ□Ώ□□΅―□άέήίϊΐόύϋΰώ")},                                                                     // Greek with accents
	{0x7c1, []rune("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣ□ΤΥΦΧΨΩ")},
	{0x7e1, []rune("αβγδεζηθικλμνξοπρσςτυφχψω")},
}

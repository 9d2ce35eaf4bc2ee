package key

// Keysym returns the X keysym number of k. Named keys have the numbers of keysymdef.h and XF86keysym.h;
// a character of Latin-1 is its own number, any other is 0x01000000 plus its code point (X11 protocol,
// appendix A, "Unicode keysyms").
func Keysym(k Key) (uint32, bool) {
	if n := known.byName[k]; n != nil {
		return n.sym, true
	}
	r, ok := k.Rune()
	if !ok {
		return 0, false
	}
	return RuneKeysym(r), true
}

// RuneKeysym returns the X keysym number of a character. "\n", "\t" and other control characters have no
// number of their own: press the named key instead.
func RuneKeysym(r rune) uint32 {
	if r >= 0x20 && r <= 0x7e || r >= 0xa0 && r <= 0xff {
		return uint32(r)
	}
	return 0x01000000 + uint32(r)
}

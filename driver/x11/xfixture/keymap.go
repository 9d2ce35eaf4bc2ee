//go:build linux

package xfixture

import (
	"unicode"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// keymap is the program's own copy of the core keymap. Like Xt's it is read again when a key is handled after
// a MappingNotify: at handling time, not as of the event, which is what makes hasty remapping go wrong.
type keymap struct {
	conn  *xgb.Conn
	stale bool
	per   int
	syms  []xproto.Keysym
	first xproto.Keycode
}

func (k *keymap) refresh() {
	s := xproto.Setup(k.conn)
	r, err := xproto.GetKeyboardMapping(k.conn, s.MinKeycode, byte(s.MaxKeycode-s.MinKeycode+1)).Reply()
	if err != nil {
		return
	}
	k.per, k.syms, k.first, k.stale = int(r.KeysymsPerKeycode), r.Keysyms, s.MinKeycode, false
}

// translate follows the protocol's core rules, with XKB's way to say the group (bits 13 and 14 of the state)
// and the third level (Mod5) in a core map: group 1 levels 1 and 2, group 2 levels 1 and 2, then group 1
// levels 3 and 4 (XKB protocol, section 12.4).
func (k *keymap) translate(code xproto.Keycode, state uint16) uint32 {
	if k.stale {
		k.refresh()
	}
	at := func(i int) uint32 {
		n := int(code-k.first)*k.per + i
		if i >= k.per || n < 0 || n >= len(k.syms) {
			return 0
		}
		return uint32(k.syms[n])
	}
	shift := state&xproto.ModMaskShift != 0
	lock := state&xproto.ModMaskLock != 0
	base := 0
	if group := int(state>>13) & 3; group == 1 && at(2) != 0 {
		base = 2
	}
	if state&xproto.ModMask5 != 0 && base == 0 && at(4) != 0 {
		base = 4
	}
	low, high := at(base), at(base+1)
	if high == 0 {
		if r := symRune(low); r != 0 && unicode.ToUpper(r) != r && low < 0x100 {
			high = uint32(unicode.ToUpper(r))
		} else {
			high = low
		}
	}
	sym := low
	if shift {
		sym = high
	}
	letter := low != high && unicode.IsLower(symRune(low)) && unicode.ToUpper(symRune(low)) == symRune(high)
	if lock && letter {
		if shift {
			return low
		}
		return high
	}
	return sym
}

// symRune says which character a keysym makes, 0 for none. The legacy Cyrillic and Greek ranges are those of
// keysymdef.h, as far as the layouts of the tests use them.
func symRune(s uint32) rune {
	const koi8 = "юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"
	switch {
	case s == 0xff0d || s == 0xff8d:
		return '\n'
	case s == 0xff09:
		return '\t'
	case s == 0xff08:
		return '\b'
	case s >= 0x20 && s <= 0x7e, s >= 0xa0 && s <= 0xff:
		return rune(s)
	case s > 0x01000000 && s <= 0x0110ffff:
		return rune(s - 0x01000000)
	case s >= 0x6c0 && s <= 0x6ff:
		return []rune(koi8)[s-0x6c0]
	case s == 0x6a3:
		return 'ё'
	case s == 0x6b3:
		return 'Ё'
	case s == 0x6b0:
		return '№'
	case s == 0x20ac:
		return '€'
	}
	return 0
}

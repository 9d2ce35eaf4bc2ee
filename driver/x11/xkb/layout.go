//go:build linux

package xkb

import (
	"iter"
	"math/bits"
	"slices"
)

// Stroke is how one symbol is made: press Code in Group while exactly Mods of the level modifiers are down.
type Stroke struct {
	Code  byte
	Group int  // -1: any group will do
	Mods  Mods // Shift and the like, to be held besides what is locked
	Caps  bool // Caps Lock would make another symbol of it
}

// Layout says how each symbol and character is made by the keys that a map has.
type Layout struct {
	groups int
	syms   [4]map[uint32]Stroke
	runes  [4]map[rune]Stroke
	keys   map[Mods]byte // for each single modifier that leads to levels: the code that holds it down
}

// Keysyms of the keys that lead to levels (keysymdef.h).
const (
	symShiftL = 0xffe1
	symShiftR = 0xffe2
	symLevel3 = 0xfe03
	symLevel5 = 0xfe11
)

// NewLayout reads m while locked (Num Lock, say) is locked and Caps Lock is not. The codes that skip names
// are left out.
func NewLayout(m *Map, locked Mods, skip func(code byte) bool) *Layout {
	l := &Layout{groups: 1, keys: levelKeys(m)}
	for code := int(m.Min); code <= int(m.Max); code++ {
		l.groups = max(l.groups, min(4, m.Keys[code].Groups()))
	}
	for g := range l.groups {
		l.syms[g], l.runes[g] = map[uint32]Stroke{}, map[rune]Stroke{}
		for code := int(m.Min); code <= int(m.Max); code++ {
			if !skip(byte(code)) {
				l.add(m, byte(code), g, locked&^Lock)
			}
		}
	}
	return l
}

func levelKeys(m *Map) map[Mods]byte {
	keys := map[Mods]byte{}
	for code := int(m.Min); code <= int(m.Max); code++ {
		mod := m.Mods[code]
		if bits.OnesCount8(byte(mod)) != 1 {
			continue
		}
		switch m.Keys[code].Sym(0, 0) {
		case symShiftL, symShiftR, symLevel3, symLevel5:
			if _, have := keys[mod]; !have {
				keys[mod] = byte(code)
			}
		}
	}
	return keys
}

func (l *Layout) add(m *Map, code byte, g int, locked Mods) {
	k := m.Keys[code]
	kg, alive := k.Group(g)
	if !alive {
		return
	}
	t := m.Type(k, kg)
	for level := range int(k.Width) {
		sym := k.Sym(kg, level)
		if sym == 0 {
			continue
		}
		mods, can := l.reach(t, byte(level), locked)
		if !can {
			continue
		}
		s := Stroke{Code: code, Group: g, Mods: mods, Caps: t.Level(mods|locked|Lock) != byte(level)}
		if k.Groups() == 1 {
			s.Group = -1
		}
		keep(l.syms[g], sym, s)
		if r, is := Rune(sym); is {
			keep(l.runes[g], r, s)
		}
	}
}

// keep prefers fewer modifiers, and among equals the first code: the main block comes before the extras.
func keep[K comparable](in map[K]Stroke, k K, s Stroke) {
	if old, have := in[k]; !have || bits.OnesCount8(byte(s.Mods)) < bits.OnesCount8(byte(old.Mods)) {
		in[k] = s
	}
}

// reach finds the modifiers to hold so that a type gives level, with what is locked left as it is.
func (l *Layout) reach(t Type, level byte, locked Mods) (Mods, bool) {
	tries := []Mods{0}
	for _, e := range t.Entries {
		if e.Active && e.Level == level {
			tries = append(tries, e.Mods&^locked)
		}
	}
	slices.SortStableFunc(tries, func(a, b Mods) int { return bits.OnesCount8(byte(a)) - bits.OnesCount8(byte(b)) })
	for _, mods := range tries {
		if l.holds(mods) && t.Level(mods|locked) == level {
			return mods, true
		}
	}
	return 0, false
}

func (l *Layout) holds(mods Mods) bool {
	for m := range Each(mods) {
		if _, have := l.keys[m]; !have {
			return false
		}
	}
	return true
}

// Each goes through the single modifiers of a set.
func Each(mods Mods) iter.Seq[Mods] {
	return func(yield func(Mods) bool) {
		for ; mods != 0; mods &= mods - 1 {
			if !yield(mods & -mods) {
				return
			}
		}
	}
}

// ModKey is the code that holds a single level modifier down.
func (l *Layout) ModKey(m Mods) (byte, bool) {
	c, ok := l.keys[m]
	return c, ok
}

// First returns the stroke for a character in the first group.
func (l *Layout) First(r rune) (Stroke, bool) {
	s, ok := l.runes[0][r]
	return s, ok
}

// FirstSym returns the stroke for a symbol in the first group.
func (l *Layout) FirstSym(sym uint32) (Stroke, bool) {
	s, ok := l.syms[0][sym]
	return s, ok
}

// Sym returns the stroke for a symbol: in the group that is active if it is there, else in another one.
func (l *Layout) Sym(sym uint32, group int) (Stroke, bool) {
	return find(l.syms[:l.groups], sym, group)
}

// Rune returns the stroke for a character, as Sym does.
func (l *Layout) Rune(r rune, group int) (Stroke, bool) {
	return find(l.runes[:l.groups], r, group)
}

func find[K comparable](groups []map[K]Stroke, k K, active int) (Stroke, bool) {
	if active >= 0 && active < len(groups) {
		if s, ok := groups[active][k]; ok {
			return s, true
		}
	}
	for _, g := range groups {
		if s, ok := g[k]; ok {
			return s, true
		}
	}
	return Stroke{}, false
}

//go:build linux

package xkb

import (
	"encoding/binary"
	"errors"
)

// Mods is a set of real modifiers, in the core protocol's bits.
type Mods byte

// The real modifiers.
const (
	Shift Mods = 1 << iota
	Lock
	Control
	Mod1
	Mod2
	Mod3
	Mod4
	Mod5
)

// Entry says that exactly these of its type's modifiers lead to Level.
type Entry struct {
	Active bool // its virtual modifiers are bound; otherwise it counts as absent
	Mods   Mods
	Level  byte
}

// Type says which modifiers a key looks at and which level they lead to. No entry means the first level.
type Type struct {
	Mask    Mods
	Levels  byte
	Entries []Entry
}

// Level returns the level that the modifiers lead to, counted from 0.
func (t Type) Level(m Mods) byte {
	for _, e := range t.Entries {
		if e.Active && e.Mods == m&t.Mask {
			return e.Level
		}
	}
	return 0
}

// Key is what one key code makes.
type Key struct {
	Types     [4]byte // index of the type for each group
	GroupInfo byte    // the low four bits count the groups, the high ones say what is done with a group beyond
	Width     byte    // symbols a group has
	Syms      []uint32
}

// Groups is how many groups the key has.
func (k Key) Groups() int { return int(k.GroupInfo & 0x0f) }

// Group returns the group that counts for this key while the keyboard is in group g; false for a dead key.
func (k Key) Group(g int) (int, bool) {
	n := k.Groups()
	if n == 0 {
		return 0, false
	}
	if g >= 0 && g < n {
		return g, true
	}
	switch k.GroupInfo & 0xc0 {
	case 0x40: // clamp
		return n - 1, true
	case 0x80: // redirect
		if to := int(k.GroupInfo>>4) & 3; to < n {
			return to, true
		}
		return 0, true
	}
	return ((g % n) + n) % n, true
}

// Sym returns the symbol at a group and level, or 0.
func (k Key) Sym(group, level int) uint32 {
	if i := group*int(k.Width) + level; level < int(k.Width) && i < len(k.Syms) {
		return k.Syms[i]
	}
	return 0
}

// Empty says whether the key makes nothing at all, so that its code is free.
func (k Key) Empty() bool {
	for _, s := range k.Syms {
		if s != 0 {
			return false
		}
	}
	return true
}

// Map is a keyboard map. Keys and Mods are indexed by key code.
type Map struct {
	Min, Max byte
	Types    []Type
	Keys     [256]Key
	Mods     [256]Mods // the modifier map
}

// Type returns the type of a key's group; a bad index reads as a type with one level.
func (m *Map) Type(k Key, group int) Type {
	if group < 0 || group > 3 || int(k.Types[group]) >= len(m.Types) {
		return Type{Levels: 1}
	}
	return m.Types[k.Types[group]]
}

// Parts of a map, as GetMap and SetMap name them.
const (
	partTypes    = 1 << 0
	partSyms     = 1 << 1
	partModifier = 1 << 2
)

var errShort = errors.New("the X server's keyboard map is cut short")

// parseMap reads the answer to GetMap with types, symbols and the modifier map.
func parseMap(b []byte) (*Map, error) {
	if len(b) < 40 {
		return nil, errShort
	}
	m := &Map{Min: b[10], Max: b[11]}
	r := reader{b: b[40:]}
	present := binary.LittleEndian.Uint16(b[12:])
	if present&partTypes != 0 {
		for range int(b[15]) {
			m.Types = append(m.Types, r.keyType())
		}
	}
	if present&partSyms != 0 {
		first, n := int(b[17]), int(b[20])
		if first+n > 256 {
			return nil, errShort
		}
		for code := first; code < first+n; code++ {
			m.Keys[code] = r.key()
		}
	}
	if present&partModifier != 0 {
		for range int(b[33]) {
			code, mods := r.byte(), r.byte()
			m.Mods[code] = Mods(mods)
		}
	}
	if r.short {
		return nil, errShort
	}
	return m, nil
}

// reader takes values off the front. Past the end it gives zeros and remembers.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.short, r.b = true, nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) keyType() Type {
	head := r.take(8)
	if head == nil {
		return Type{}
	}
	t := Type{Mask: Mods(head[0]), Levels: head[4]}
	for range int(head[5]) {
		e := r.take(8)
		if e == nil {
			return t
		}
		t.Entries = append(t.Entries, Entry{Active: e[0] != 0, Mods: Mods(e[1]), Level: e[2]})
	}
	if head[6] != 0 { // what each entry keeps; typing doesn't need it
		r.take(4 * int(head[5]))
	}
	return t
}

func (r *reader) key() Key {
	head := r.take(8)
	if head == nil {
		return Key{}
	}
	k := Key{GroupInfo: head[4], Width: head[5]}
	copy(k.Types[:], head)
	syms := r.take(4 * int(binary.LittleEndian.Uint16(head[6:])))
	for ; len(syms) >= 4; syms = syms[4:] {
		k.Syms = append(k.Syms, binary.LittleEndian.Uint32(syms))
	}
	return k
}

// encodeSyms writes keys as SetMap takes them.
func encodeSyms(b []byte, keys []Key) (out []byte, total int) {
	for _, k := range keys {
		b = append(b, k.Types[:]...)
		b = append(b, k.GroupInfo, k.Width)
		b = binary.LittleEndian.AppendUint16(b, uint16(len(k.Syms)))
		for _, s := range k.Syms {
			b = binary.LittleEndian.AppendUint32(b, s)
		}
		total += len(k.Syms)
	}
	return b, total
}

// Package key names keys and chords, and is the only parser of them in Conch: what the policy judges and
// what the driver presses is the same parsed value.
//
// Canonical names are X keysym names as xdotool uses them (keysymdef.h): "Return", "Page_Down", "KP_Enter",
// "F5". A key that makes a character is that character: "a", "é", "+". It never presses anything itself.
package key

// Key is one key by its canonical name. The zero value is no key.
type Key string

// Modifiers, as keys of their own.
const (
	Control Key = "Control_L"
	Shift   Key = "Shift_L"
	Alt     Key = "Alt_L"
	Super   Key = "Super_L" // Command on a Mac
)

// Mods is a set of modifiers.
type Mods uint8

// The modifiers.
const (
	ModControl Mods = 1 << iota
	ModShift
	ModAlt
	ModSuper
)

// Chord is a key pressed while modifiers are held. A modifier alone is a Chord with that Key and no Mods.
type Chord struct {
	Mods Mods
	Key  Key
}

package mac

// The virtual key code of Escape (Events.h, kVK_Escape): the same place on every keyboard and layout.
const escape = 53

// Modifiers as Carbon names them (Events.h) and as Core Graphics does (IOLLEvent.h).
const (
	carbonCommand = 1 << 8
	carbonShift   = 1 << 9
	carbonOption  = 1 << 11
	carbonControl = 1 << 12
	carbonAll     = carbonCommand | carbonShift | carbonOption | carbonControl

	flagControl = 1 << 18
	flagCommand = 1 << 20
)

// chord is one way to press Stop. ⌥⌘⎋, which is Force Quit, is none of them and never will be.
type chord struct {
	name   string
	carbon uint32
	flags  uint64
}

// chords, the usual one first. All of them are registered and listened for, whatever the card names. Their place
// in this list is their id, from 1.
var chords = []chord{
	{"⌘⎋", carbonCommand, flagCommand},
	{"⌃⌘⎋", carbonControl | carbonCommand, flagControl | flagCommand},
}

// symbolic is a key that macOS has for itself, as CopySymbolicHotKeys says.
type symbolic struct {
	code, carbon uint32
	on           bool
}

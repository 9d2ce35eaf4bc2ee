package mac

import "unicode/utf16"

// Columns of a layout: what is held with a key. The numbers are those of mac.h.
const (
	columnPlain = iota
	columnShift
	columnOption
	columnShiftOption
	columnCommand
	columnShiftCommand
	columns

	codesPerColumn = 128
)

// columnFlags is what is held for each column. Command is held by the chord itself.
var columnFlags = [columns]uint64{
	columnShift: flagShift, columnOption: flagOption, columnShiftOption: flagShift | flagOption, columnShiftCommand: flagShift,
}

// layout is what each key makes by one keyboard layout: one UTF-16 unit, or 0 where it makes none by itself
// (a dead key among them).
type layout struct {
	id   string
	unit [columns * codesPerColumn]uint16
}

// stroke is a key and what has to be held for it.
type stroke struct {
	code  uint16
	flags uint64
}

// find returns how a character is made, with as little held as can be. The keypad's keys make digits and signs
// too, and are not taken.
func (l *layout) find(r rune, order ...int) (stroke, bool) {
	if r == 0 || utf16.RuneLen(r) != 1 {
		return stroke{}, false
	}
	for _, column := range order {
		for code := range codesPerColumn {
			if rune(l.unit[column*codesPerColumn+code]) == r && !keypad(code) {
				return stroke{uint16(code), columnFlags[column]}, true
			}
		}
	}
	return stroke{}, false
}

// keypad says whether a virtual key code is one of the keypad's: they lie between these two.
func keypad(code int) bool {
	return code >= 0x41 && code <= 0x5c && code != 0x4f && code != 0x50 && code != 0x5a
}

// char finds the key for a character by the active layout. With Command or Control held an app goes by what the
// layout makes then; beside a script without Latin letters that is what the Latin layout says.
func char(r rune, held uint64, active, latin *layout) (stroke, bool) {
	if held&flagCommand != 0 {
		if s, ok := active.find(r, columnCommand, columnShiftCommand); ok {
			return s, true
		}
	}
	if s, ok := active.find(r, columnPlain, columnShift, columnOption, columnShiftOption); ok {
		return s, true
	}
	if held&(flagCommand|flagControl) != 0 && latin != nil {
		return latin.find(r, columnPlain, columnShift)
	}
	return stroke{}, false
}

package mac

import (
	"fmt"

	"conch/driver/key"
)

// Event flags (CGEventTypes.h).
const (
	flagShift   uint64 = 0x20000
	flagControl uint64 = 0x40000
	flagOption  uint64 = 0x80000
	flagCommand uint64 = 0x100000

	flagsHeld = flagShift | flagControl | flagOption | flagCommand
)

// Virtual key codes of the modifiers (HIToolbox/Events.h).
const (
	codeCommand     = 0x37
	codeShift       = 0x38
	codeOption      = 0x3a
	codeControl     = 0x3b
	codeRightOption = 0x3d
	codeReturn      = 0x24
	codeTab         = 0x30
)

// modifier is a key that is held with others.
type modifier struct {
	code uint16
	flag uint64
}

var modifiers = map[key.Key]modifier{
	key.Control: {codeControl, flagControl}, key.Shift: {codeShift, flagShift},
	key.Alt: {codeOption, flagOption}, key.Super: {codeCommand, flagCommand},
	"ISO_Level3_Shift": {codeRightOption, flagOption},
}

// codes are the keys whose place no layout changes, by virtual key code (HIToolbox/Events.h). What a Mac has no
// key for is absent: media and brightness keys are no key events there, and Caps Lock takes more than a press.
var codes = newCodes()

func newCodes() map[key.Key]uint16 {
	m := map[key.Key]uint16{
		"Return": codeReturn, "Escape": 0x35, "Tab": codeTab, "space": 0x31, "BackSpace": 0x33, "Delete": 0x75,
		"Insert": 0x72, "Help": 0x72, "Home": 0x73, "End": 0x77, "Page_Up": 0x74, "Page_Down": 0x79,
		"Left": 0x7b, "Right": 0x7c, "Down": 0x7d, "Up": 0x7e,
		"Print": 0x69, "Scroll_Lock": 0x6b, "Pause": 0x71, "Menu": 0x6e, "Clear": 0x47, "Num_Lock": 0x47,
		"Eisu_toggle": 0x66, "Hiragana_Katakana": 0x68,
		"KP_Enter": 0x4c, "KP_Multiply": 0x43, "KP_Add": 0x45, "KP_Subtract": 0x4e, "KP_Decimal": 0x41,
		"KP_Divide": 0x4b, "KP_Equal": 0x51, "KP_Separator": 0x5f,
	}
	for i, code := range []uint16{0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5b, 0x5c} {
		m[key.Key(fmt.Sprint("KP_", i))] = code
	}
	for i, code := range []uint16{
		0x7a, 0x78, 0x63, 0x76, 0x60, 0x61, 0x62, 0x64, 0x65, 0x6d, 0x67, 0x6f, 0x69, 0x6b, 0x71, 0x6a, 0x40, 0x4f, 0x50, 0x5a,
	} {
		m[key.Key(fmt.Sprint("F", i+1))] = code
	}
	// Keypads of other keyboards have these on a key of their own; a Mac's apps know the main block's.
	for _, k := range []key.Key{"KP_Home", "KP_End", "KP_Left", "KP_Right", "KP_Up", "KP_Down", "KP_Page_Up", "KP_Page_Down", "KP_Delete", "KP_Insert", "KP_Tab", "KP_Space"} {
		m[k] = m[k.Plain()]
	}
	return m
}

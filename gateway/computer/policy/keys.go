package policy

import (
	"strings"
	"unicode"

	"conch/driver/key"
)

// Desktop says whose key chords are judged: Super+L locks a Linux screen, and Command+L is a Mac browser's
// address. The zero value knows neither and refuses what either refuses.
type Desktop int

// The desktops.
const (
	AnyDesktop Desktop = iota
	Linux
	Mac
)

// Refusal says why a chord is never pressed.
type Refusal struct {
	Name string // "stop", "lock", "sign-out"…; for Activity
	Say  string
}

// What each refusal says.
var (
	refuseStop     = Refusal{"stop", "Those are the keys that stop me. Only you press them."}
	refuseLock     = Refusal{"lock", "Those keys lock the screen. Do that part yourself."}
	refuseSignOut  = Refusal{"sign-out", "Those keys sign out, restart or turn off the computer. Do that part yourself."}
	refuseQuit     = Refusal{"force-quit", "Those keys force an app to quit, and work could be lost. Do that part yourself."}
	refuseBin      = Refusal{"delete-for-good", "Those keys delete for good. Do that part yourself, or move things to the bin."}
	refuseLauncher = Refusal{"launcher", "Those keys open a place where commands can be run. Use open_app to open an app."}
	refuseTerminal = Refusal{"terminal", "Those keys open a terminal. I can't use one."}
	refuseConsole  = Refusal{"console", "Those keys leave the desktop or reach the system itself. I never press them."}
	refuseLetter   = Refusal{"foreign-letter", "With those keys held I only press letters from A to Z, since the place of others differs between keyboards."}
	refuseUnknown  = Refusal{"unknown-key", "I don't know that key, so I don't press it."}
)

// A chordRow is a chord that is never pressed. With any set, more modifiers may be held beside mods.
type chordRow struct {
	on   Desktop // AnyDesktop: on each
	mods key.Mods
	any  bool
	keys string // canonical names; a main-block key (key.Key.Plain) stands for the keypad's too; "F*" is each function key
	why  Refusal
}

const (
	ctrl  = key.ModControl
	shift = key.ModShift
	alt   = key.ModAlt
	super = key.ModSuper
)

var chordRows = []chordRow{
	// Stop, in every spelling, and with it a Mac's Force Quit (Command+Option+Escape).
	{AnyDesktop, super, true, "Escape Cancel", refuseStop},
	{AnyDesktop, ctrl | alt, true, "Escape", refuseQuit}, // xkill in several desktops

	{Linux, super, false, "l", refuseLock},
	{Linux, ctrl | alt, true, "l", refuseLock},
	{Mac, ctrl | super, true, "q", refuseLock},
	{Mac, ctrl | shift, true, "XF86Eject XF86PowerOff", refuseLock},
	{AnyDesktop, 0, true, "XF86ScreenSaver", refuseLock},

	{Mac, super | shift, true, "q", refuseSignOut},
	{AnyDesktop, ctrl | alt, true, "Delete Insert End Page_Up Page_Down .", refuseSignOut}, // "." is the keypad's Delete
	{Linux, super | shift, true, "e q m x", refuseSignOut},                                 // sway, i3, Hyprland
	{Linux, super, false, "m", refuseSignOut},                                              // Hyprland
	{Linux, super | ctrl, true, "q Delete", refuseSignOut},
	{Mac, 0, true, "XF86Eject", refuseSignOut}, // with Control it asks to shut down
	{AnyDesktop, 0, true, "XF86PowerOff XF86PowerDown XF86Sleep XF86Suspend XF86Hibernate XF86LogOff XF86WakeUp", refuseSignOut},

	{AnyDesktop, shift, false, "Delete KP_Decimal", refuseBin},
	{Mac, super | shift, true, "BackSpace Delete", refuseBin},
	{Mac, super | alt, true, "BackSpace Delete", refuseBin},

	{AnyDesktop, super, true, "space", refuseLauncher},
	{Linux, alt, false, "F1 F2 F3 space", refuseLauncher},
	{Linux, ctrl, false, "Escape", refuseLauncher},
	{Linux, super, true, "r d p / Super_L", refuseLauncher},
	{Linux, 0, true, "Super_L", refuseLauncher}, // a tap of Super alone; on a Mac it does nothing
	{AnyDesktop, 0, true, "XF86Search", refuseLauncher},

	{Linux, ctrl | alt, true, "t", refuseTerminal},
	{Linux, super, true, "t Return", refuseTerminal},
	{Linux, shift | alt, true, "Return", refuseTerminal}, // xmonad and kin

	{AnyDesktop, ctrl | alt, true, "F* BackSpace", refuseConsole},
	{AnyDesktop, alt, true, "Print", refuseConsole},
	{AnyDesktop, 0, true, "Sys_Req Break Execute", refuseConsole},
}

// RefusedKey says whether a chord is never pressed, in any mode.
func RefusedKey(c key.Chord, on Desktop) (Refusal, bool) {
	if !c.Key.Known() || c.Mods&^(ctrl|shift|alt|super) != 0 {
		return refuseUnknown, true
	}
	k := c.Key.Plain()
	for _, r := range chordRows {
		if r.on != AnyDesktop && on != AnyDesktop && r.on != on {
			continue
		}
		if r.mods != c.Mods && (!r.any || c.Mods&r.mods != r.mods) {
			continue
		}
		for _, name := range strings.Fields(r.keys) {
			if name == string(k) || name == string(c.Key) || name == "F*" && functionKey(k) {
				return r.why, true
			}
		}
	}
	// A window manager listens to the place of a key, not to its letter: on a Russian keyboard Ctrl+Alt+Е is
	// where T is. With these modifiers only letters whose place is known are pressed.
	if held := c.Mods; held&super != 0 || held&(ctrl|alt) == ctrl|alt {
		if r, ok := k.Rune(); ok && r > unicode.MaxASCII {
			return refuseLetter, true
		}
	}
	return Refusal{}, false
}

func functionKey(k key.Key) bool {
	return len(k) >= 2 && k[0] == 'F' && k[1] >= '0' && k[1] <= '9'
}

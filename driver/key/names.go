package key

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A named key has no character of its own. The canonical name and the X keysym number come from
// X11/keysymdef.h and X11/XF86keysym.h; other says how else people and models write it.
type named struct {
	name  Key
	sym   uint32
	other string // more spellings, folded (lower case, no "_"), separated by spaces
	label string // for a person; "" is the name itself
	glyph string // as a Mac writes it; "" is the label
	plain Key    // the key of the main block that most apps take it for; "" is itself
}

// The one table of named keys. Everything else in this package is derived from it and from chars.
var table = []named{
	{Control, 0xffe3, "ctrl control ctl strg controlr ctrll ctrlr lctrl rctrl leftctrl rightctrl leftcontrol rightcontrol ⌃", "Ctrl", "⌃", ""},
	{Alt, 0xffe9, "alt option opt altr lalt ralt leftalt rightalt optionl optionr leftoption rightoption ⌥", "Alt", "⌥", ""},
	{Shift, 0xffe1, "shift shiftr lshift rshift leftshift rightshift ⇧", "Shift", "⇧", ""},
	{Super, 0xffeb, "super cmd command win windows meta superr metal metar cmdl cmdr winl winr lwin rwin commandl commandr leftcmd rightcmd " +
		"leftcommand rightcommand leftsuper rightsuper leftmeta rightmeta leftwin rightwin os gui ⌘ ⊞ ❖", "Super", "⌘", ""},

	{"Return", 0xff0d, "enter ret carriagereturn linefeed newline ↩ ⏎ ↵ ⮐", "Enter", "↩", ""},
	{"Escape", 0xff1b, "esc ⎋", "Esc", "⎋", ""},
	{"Tab", 0xff09, "⇥ ↹", "", "⇥", ""},
	{"space", 0x0020, "spacebar spc blank ␣", "Space", "Space", ""},
	{"BackSpace", 0xff08, "bksp bs backsp deleteback ⌫", "Backspace", "⌫", ""},
	{"Delete", 0xffff, "del forwarddelete fwddelete deleteforward ⌦", "", "⌦", ""},
	{"Insert", 0xff63, "ins", "", "", ""},
	{"Home", 0xff50, "↖", "", "↖", ""},
	{"End", 0xff57, "↘", "", "↘", ""},
	{"Page_Up", 0xff55, "pgup prior pageup ⇞", "Page Up", "⇞", ""},
	{"Page_Down", 0xff56, "pgdn pgdown next pagedn pagedown ⇟", "Page Down", "⇟", ""},
	{"Left", 0xff51, "leftarrow arrowleft cursorleft ←", "", "←", ""},
	{"Up", 0xff52, "uparrow arrowup cursorup ↑", "", "↑", ""},
	{"Right", 0xff53, "rightarrow arrowright cursorright →", "", "→", ""},
	{"Down", 0xff54, "downarrow arrowdown cursordown ↓", "", "↓", ""},

	{"Caps_Lock", 0xffe5, "caps ⇪", "Caps Lock", "⇪", ""},
	{"Num_Lock", 0xff7f, "", "Num Lock", "", ""},
	{"Scroll_Lock", 0xff14, "", "Scroll Lock", "", ""},
	{"Print", 0xff61, "printscreen prtsc prtscr prtscn printscrn snapshot", "Print Screen", "", ""},
	{"Sys_Req", 0xff15, "sysrq", "SysRq", "", ""},
	{"Pause", 0xff13, "", "", "", ""},
	{"Break", 0xff6b, "", "", "", ""},
	{"Menu", 0xff67, "apps contextmenu application", "", "", ""},
	{"Help", 0xff6a, "", "", "", ""},
	{"Undo", 0xff65, "", "", "", ""},
	{"Redo", 0xff66, "again", "", "", ""},
	{"Find", 0xff68, "", "", "", ""},
	{"Cancel", 0xff69, "", "", "", ""},
	{"Select", 0xff60, "", "", "", ""},
	{"Execute", 0xff62, "", "", "", ""},
	{"Clear", 0xff0b, "⌧", "", "⌧", ""},
	{"Begin", 0xff58, "", "", "", ""},

	{"ISO_Level3_Shift", 0xfe03, "altgr altgraph modeswitchr", "AltGr", "", ""},
	{"Mode_switch", 0xff7e, "", "Mode switch", "", ""},
	{"Multi_key", 0xff20, "compose", "Compose", "", ""},
	{"Kanji", 0xff21, "", "", "", ""},
	{"Muhenkan", 0xff22, "nonconvert", "", "", ""},
	{"Henkan_Mode", 0xff23, "henkan convert", "Henkan", "", ""},
	{"Romaji", 0xff24, "", "", "", ""},
	{"Hiragana", 0xff25, "", "", "", ""},
	{"Katakana", 0xff26, "", "", "", ""},
	{"Hiragana_Katakana", 0xff27, "kanamode", "Hiragana/Katakana", "", ""},
	{"Zenkaku_Hankaku", 0xff2a, "", "Zenkaku/Hankaku", "", ""},
	{"Eisu_toggle", 0xff30, "eisu", "Eisu", "", ""},
	{"Hangul", 0xff31, "hangulmode", "", "", ""},
	{"Hangul_Hanja", 0xff34, "hanja hanjamode", "Hanja", "", ""},

	{"KP_Enter", 0xff8d, "numpadenter keypadenter ⌅ ⌤", "Keypad Enter", "⌤", "Return"},
	{"KP_Space", 0xff80, "", "Keypad Space", "", "space"},
	{"KP_Tab", 0xff89, "", "Keypad Tab", "", "Tab"},
	{"KP_Home", 0xff95, "", "Keypad Home", "", "Home"},
	{"KP_Left", 0xff96, "", "Keypad Left", "", "Left"},
	{"KP_Up", 0xff97, "", "Keypad Up", "", "Up"},
	{"KP_Right", 0xff98, "", "Keypad Right", "", "Right"},
	{"KP_Down", 0xff99, "", "Keypad Down", "", "Down"},
	{"KP_Page_Up", 0xff9a, "kpprior kppgup", "Keypad Page Up", "", "Page_Up"},
	{"KP_Page_Down", 0xff9b, "kpnext kppgdn", "Keypad Page Down", "", "Page_Down"},
	{"KP_End", 0xff9c, "", "Keypad End", "", "End"},
	{"KP_Begin", 0xff9d, "", "Keypad Begin", "", "Begin"},
	{"KP_Insert", 0xff9e, "kpins", "Keypad Insert", "", "Insert"},
	{"KP_Delete", 0xff9f, "kpdel", "Keypad Delete", "", "Delete"},
	{"KP_Multiply", 0xffaa, "numpadmultiply kpasterisk kpstar", "Keypad *", "", "*"},
	{"KP_Add", 0xffab, "numpadadd kpplus", "Keypad +", "", "+"},
	{"KP_Separator", 0xffac, "numpadcomma kpcomma", "Keypad ,", "", ","},
	{"KP_Subtract", 0xffad, "numpadsubtract kpminus", "Keypad -", "", "-"},
	{"KP_Decimal", 0xffae, "numpaddecimal kpperiod kpdot", "Keypad .", "", "."},
	{"KP_Divide", 0xffaf, "numpaddivide kpslash", "Keypad /", "", "/"},
	{"KP_Equal", 0xffbd, "numpadequal kpequals", "Keypad =", "", "="},

	{"XF86AudioRaiseVolume", 0x1008ff13, "volumeup volup audiovolumeup", "Volume up", "", ""},
	{"XF86AudioLowerVolume", 0x1008ff11, "volumedown voldown audiovolumedown", "Volume down", "", ""},
	{"XF86AudioMute", 0x1008ff12, "mute volumemute audiovolumemute", "Mute", "", ""},
	{"XF86AudioMicMute", 0x1008ffb2, "micmute microphonemute", "Microphone mute", "", ""},
	{"XF86AudioPlay", 0x1008ff14, "play playpause mediaplaypause mediaplay", "Play/Pause", "", ""},
	{"XF86AudioPause", 0x1008ff31, "mediapause", "Media pause", "", ""},
	{"XF86AudioStop", 0x1008ff15, "mediastop", "Media stop", "", ""},
	{"XF86AudioPrev", 0x1008ff16, "previoustrack prevtrack mediatrackprevious mediaprevious mediaprev", "Previous track", "", ""},
	{"XF86AudioNext", 0x1008ff17, "nexttrack mediatracknext medianext", "Next track", "", ""},
	{"XF86AudioRewind", 0x1008ff3e, "rewind mediarewind", "Rewind", "", ""},
	{"XF86AudioForward", 0x1008ff97, "fastforward mediafastforward", "Fast forward", "", ""},
	{"XF86AudioRecord", 0x1008ff1c, "mediarecord", "Record", "", ""},
	{"XF86MonBrightnessUp", 0x1008ff02, "brightnessup", "Brightness up", "", ""},
	{"XF86MonBrightnessDown", 0x1008ff03, "brightnessdown", "Brightness down", "", ""},
	{"XF86KbdBrightnessUp", 0x1008ff05, "", "Keyboard brightness up", "", ""},
	{"XF86KbdBrightnessDown", 0x1008ff06, "", "Keyboard brightness down", "", ""},
	{"XF86Eject", 0x1008ff2c, "eject ⏏", "Eject", "⏏", ""},
	{"XF86Back", 0x1008ff26, "browserback", "Browser back", "", ""},
	{"XF86Forward", 0x1008ff27, "browserforward", "Browser forward", "", ""},
	{"XF86Refresh", 0x1008ff29, "browserrefresh", "Browser refresh", "", ""},
	{"XF86Reload", 0x1008ff73, "", "Browser reload", "", ""},
	{"XF86Stop", 0x1008ff28, "browserstop", "Browser stop", "", ""},
	{"XF86Search", 0x1008ff1b, "browsersearch", "Search", "", ""},
	{"XF86HomePage", 0x1008ff18, "browserhome homepage", "Home page", "", ""},
	{"XF86Favorites", 0x1008ff30, "browserfavorites favorites", "Favorites", "", ""},
	{"XF86Mail", 0x1008ff19, "launchmail", "Mail", "", ""},
	{"XF86Calculator", 0x1008ff1d, "", "Calculator", "", ""},
	{"XF86Explorer", 0x1008ff5d, "", "File manager", "", ""},
	{"XF86Copy", 0x1008ff57, "", "Copy", "", ""},
	{"XF86Cut", 0x1008ff58, "", "Cut", "", ""},
	{"XF86Paste", 0x1008ff6d, "", "Paste", "", ""},
	{"XF86Open", 0x1008ff6b, "", "Open", "", ""},
	{"XF86Save", 0x1008ff77, "", "Save", "", ""},
	{"XF86Close", 0x1008ff56, "", "Close", "", ""},
	{"XF86New", 0x1008ff68, "", "New", "", ""},
	{"XF86Display", 0x1008ff59, "", "Switch displays", "", ""},
	{"XF86PowerOff", 0x1008ff2a, "power poweroff", "Power", "", ""},
	{"XF86PowerDown", 0x1008ff21, "powerdown", "Power down", "", ""},
	{"XF86Sleep", 0x1008ff2f, "sleep standby", "Sleep", "", ""},
	{"XF86Suspend", 0x1008ffa7, "suspend", "Suspend", "", ""},
	{"XF86Hibernate", 0x1008ffa8, "hibernate", "Hibernate", "", ""},
	{"XF86WakeUp", 0x1008ff2b, "wakeup", "Wake", "", ""},
	{"XF86LogOff", 0x1008ff61, "logoff logout", "Log off", "", ""},
	{"XF86ScreenSaver", 0x1008ff2d, "screensaver lockscreen", "Lock screen", "", ""},
}

// maxF is the highest function key: F24 is the last one that keyboards have.
const maxF = 24

// Names of characters, as X and as people call them. A name that isn't here is not needed: the character
// itself is its name.
var chars = map[rune]string{
	'+': "plus", '-': "minus hyphen dash", '_': "underscore", '=': "equal equals", '!': "exclam exclamation",
	'"': "quotedbl doublequote", '#': "numbersign hash pound", '$': "dollar", '%': "percent", '&': "ampersand",
	'\'': "apostrophe quoteright singlequote quote", '(': "parenleft leftparen", ')': "parenright rightparen",
	'*': "asterisk star", ',': "comma", '.': "period dot fullstop", '/': "slash forwardslash", ':': "colon",
	';': "semicolon", '<': "less lessthan", '>': "greater greaterthan", '?': "question questionmark", '@': "at atsign",
	'[': "bracketleft leftbracket openbracket", '\\': "backslash", ']': "bracketright rightbracket closebracket",
	'^': "asciicircum caret circumflex", '`': "grave quoteleft backtick backquote", '{': "braceleft leftbrace",
	'|': "bar pipe", '}': "braceright rightbrace", '~': "asciitilde tilde",
	'€': "eurosign euro", '£': "sterling", '¥': "yen", '¢': "cent", '§': "section", '°': "degree", 'µ': "mu",
	'¿': "questiondown", '¡': "exclamdown", '«': "guillemotleft", '»': "guillemotright", '×': "multiply", '÷': "division",
	'à': "agrave", 'á': "aacute", 'â': "acircumflex", 'ã': "atilde", 'ä': "adiaeresis", 'å': "aring", 'æ': "ae",
	'ç': "ccedilla", 'è': "egrave", 'é': "eacute", 'ê': "ecircumflex", 'ë': "ediaeresis", 'ì': "igrave", 'í': "iacute",
	'î': "icircumflex", 'ï': "idiaeresis", 'ð': "eth", 'ñ': "ntilde", 'ò': "ograve", 'ó': "oacute", 'ô': "ocircumflex",
	'õ': "otilde", 'ö': "odiaeresis", 'ø': "oslash", 'ù': "ugrave", 'ú': "uacute", 'û': "ucircumflex",
	'ü': "udiaeresis", 'ý': "yacute", 'þ': "thorn", 'ß': "ssharp", 'ÿ': "ydiaeresis",
}

// index holds what is derived from the tables, once.
type index struct {
	byName  map[Key]*named
	bySpell map[string]Key // folded spelling to canonical name
}

var known = newIndex()

func newIndex() index {
	ix := index{map[Key]*named{}, map[string]Key{}}
	all := append([]named(nil), table...)
	for n := 1; n <= maxF; n++ {
		all = append(all, named{name: Key("F" + itoa(n)), sym: 0xffbd + uint32(n)})
	}
	for n := range 10 {
		d := itoa(n)
		all = append(all, named{Key("KP_" + d), 0xffb0 + uint32(n), "numpad" + d + " keypad" + d + " num" + d, "Keypad " + d, "", Key(d)})
	}
	for i := range all {
		n := &all[i]
		ix.byName[n.name] = n
		ix.spell(fold(string(n.name)), n.name)
		for _, s := range strings.Fields(n.other) {
			ix.spell(s, n.name)
		}
	}
	for r, names := range chars {
		for _, s := range strings.Fields(names) {
			ix.spell(s, Key(r))
		}
	}
	return ix
}

// spell refuses two meanings for one spelling: the tables are wrong then, and every test says so.
func (ix index) spell(s string, k Key) {
	if old, ok := ix.bySpell[s]; ok && old != k {
		panic("key: " + s + " means both " + string(old) + " and " + string(k))
	}
	ix.bySpell[s] = k
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return string([]rune{rune('0' + n/10), rune('0' + n%10)})
}

// fold makes spellings comparable: lower case, without "_".
func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "") }

// Rune returns the character that k makes, and whether it is such a key. The space bar makes " ".
func (k Key) Rune() (rune, bool) {
	if k == "space" {
		return ' ', true
	}
	r, n := utf8.DecodeRuneInString(string(k))
	if n != len(k) || !isChar(r) {
		return 0, false
	}
	return r, true
}

// isChar says whether one key can be that character: something visible that stands alone.
func isChar(r rune) bool {
	return r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.Is(unicode.M, r) && !unicode.Is(unicode.Zs, r)
}

// Known says whether k is a key that Parse can return.
func (k Key) Known() bool {
	if _, ok := known.byName[k]; ok {
		return true
	}
	r, ok := k.Rune()
	if !ok {
		return false
	}
	_, glyph := known.bySpell[string(r)]
	return !glyph && upperOf(r) == 0
}

// Plain is the key of the main block that apps take k for: KP_Delete is Delete, KP_7 is 7. A rule about
// Delete that doesn't ask for Plain can be got round through the keypad.
func (k Key) Plain() Key {
	if n := known.byName[k]; n != nil && n.plain != "" {
		return n.plain
	}
	return k
}

// Mod returns the modifier that k is, or 0.
func (k Key) Mod() Mods {
	for _, m := range modOrder {
		if m.key == k {
			return m.mod
		}
	}
	return 0
}

// modOrder is the order in which modifiers are written, pressed, and (backwards) lifted.
var modOrder = []struct {
	mod  Mods
	key  Key
	word string
}{
	{ModControl, Control, "ctrl"},
	{ModAlt, Alt, "alt"},
	{ModShift, Shift, "shift"},
	{ModSuper, Super, "super"},
}

// Keys lists the modifiers of m in the order in which they are pressed.
func (m Mods) Keys() []Key {
	var out []Key
	for _, o := range modOrder {
		if m&o.mod != 0 {
			out = append(out, o.key)
		}
	}
	return out
}

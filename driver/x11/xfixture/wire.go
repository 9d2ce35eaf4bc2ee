//go:build linux

package xfixture

// Spec is a window to open. The zero value of a field leaves that out.
type Spec struct {
	X, Y, W, H int    // of the content; a window manager may add a frame around it
	Title      string // _NET_WM_NAME and WM_NAME
	Class      string // WM_CLASS class
	Instance   string // WM_CLASS instance; Class in small letters when empty
	Kind       string // _NET_WM_WINDOW_TYPE in small letters: "dialog", "dock", "notification"…
	Transient  uint32 // WM_TRANSIENT_FOR
	Color      uint32 // 0xRRGGBB, or 0xAARRGGBB not multiplied when Alpha
	Other      uint32 // the second colour of Blink and Checks
	Alpha      bool   // a 32-bit visual
	Override   bool   // override-redirect: the window manager leaves it alone, as it does a menu
	Border     int    // of the X window itself, in pixels
	Checks     bool   // 8-pixel checks of Color and Other, so that a shift by one pixel shows
	NoBack     bool   // no background: it starts as a copy of what was below
	BlinkMS    int    // swaps Color and Other this often
	Ping       bool   // answers _NET_WM_PING, as toolkits do and xterm does not
	SlowMS     int    // takes this long over each key press, as a busy app does
	NoInput    bool   // WM_HINTS says it takes no keys
	ClickFocus bool   // takes the input focus when pressed, for a screen without a window manager
}

// Event is one thing the window got.
type Event struct {
	Kind         string // "press" "release" "motion" "keydown" "keyup" "focusin" "focusout" "close"
	X, Y         int    // in the window
	RootX, RootY int
	Button       int
	Code         int    // key code
	Sym          uint32 // by the program's own keymap when it handled the key
	State        uint16 // modifiers and buttons before the event
	Time         uint32 // the server's, in milliseconds
}

type request struct {
	Do     string
	ID     uint32
	Spec   Spec
	X, Y   int
	Color  uint32
	Colors []uint32
	MS     int
}

type reply struct {
	Err    string
	ID     uint32
	Text   string
	Events []Event
	Count  int
}

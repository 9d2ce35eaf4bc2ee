package driver

import (
	"context"
	"image"
	"time"

	"conch/driver/key"
)

// AppID names an application: a bundle id on a Mac, a desktop-file id without ".desktop" on Linux.
type AppID string

// App is an application that can be opened.
type App struct {
	ID      AppID
	Name    string   // as a person knows it
	Also    []string // other names: what kind of app it is, its name in English
	Exe     string   // the program it starts, where that is known
	Running bool
}

// WindowID names a window for as long as it exists.
type WindowID uint64

// Window is one top-level window as a person sees it: a frame with its title bar counts as one.
type Window struct {
	ID        WindowID
	PID       int    // the owner as the system says it (X-Resource, CGWindowList), never as the window claims; 0 unknown
	App       AppID  // empty when unknown
	AppName   string // for a person
	Exe       string // path of the owner's program; empty when it can't be read
	Class     string // X11: WM_CLASS class; a Mac: bundle id again
	Instance  string // X11: WM_CLASS instance
	Title     string
	Role      string // "normal", "dialog", "menu", "dock", "desktop", "notification"
	Bounds    ScreenRect
	Visible   []ScreenRect // the parts that no opaque window above covers, no two overlapping
	Focused   bool         // keys go here
	Transient WindowID     // the window it belongs to; 0 none
}

// Control is one accessible thing on the screen.
type Control struct {
	Role    string // ARIA words: "button", "textbox", "menuitem", "link", "checkbox"…
	Name    string // empty when it has none; never a value
	Secure  bool   // a password field
	Dialog  bool   // it is in a dialog
	Default bool   // it is the button that Return presses in its window
	Bounds  ScreenRect
	Window  WindowID // 0 unknown
}

// Focus is where keys go inside the window that has them.
type Focus struct {
	Control Control // what has the keys; the zero value when only Default is known
	Lines   bool    // it holds several lines, so that Return begins a new one
	Default Control // the button that Return presses from elsewhere in that window; the zero value when there is none
}

// Shot asks for a picture.
type Shot struct {
	Display string     // "" is the main display
	Area    ScreenRect // empty is the whole display; otherwise a part of it
	MaxW    int        // the picture fits in this box, aspect kept, never enlarged past device pixels; 0 no limit
	MaxH    int
	MaxArea int // and has at most this many pixels; 0 no limit
	// Cover is asked once for each window of the very window list that the picture is made of. A non-empty
	// answer is the label of a plain box that is painted in the window's place; its pixels are never read
	// where the platform allows it. nil covers nothing.
	Cover func(Window) string
}

// Picture is a part of the screen at one moment. Our own windows are never in it; the pointer is.
type Picture struct {
	Frame
	Pix     *image.RGBA // W by H, opaque
	Windows []Window    // front to back, as they were, without our own
	Covered []WindowID  // those that were painted over and would have been seen
	Change  uint64      // the value of Changed when it was taken
	Taken   time.Time
}

// LookUp is how long Control, Focus and Secrets may wait for apps to say what is on the screen.
const LookUp = 200 * time.Millisecond

// Button is a mouse button.
type Button int

// The mouse buttons.
const (
	Left Button = iota + 1
	Middle
	Right
)

// Driver is one computer's screen, mouse and keyboard.
//
// Each method does one physical thing and returns when it is done or ctx ends, whichever is first; after
// it has returned it posts nothing more and leaves no goroutine behind. Nothing in a Driver waits for an
// app to react. Gestures (a click, a drag, typing in pieces) are composed above it, in driver/gesture,
// once for every platform. A Driver may be used from several goroutines.
type Driver interface {
	// Ready says whether the screen can be seen and used right now. The error is a *Unready: one sentence
	// for a person (no display, a Wayland session, locked, the display is gone, a permission is missing).
	Ready(context.Context) error
	// Begin gets ready to look and act: it starts following changes of the screen. Calling it again is free.
	Begin(context.Context) error
	// End stops following, lifts all that is held, and forgets every pixel. Calling it again is free.
	End(context.Context) error

	Displays(context.Context) ([]Display, error)
	// Look takes a picture, between Begin and End (else ErrNotBegun). Windows above a covered one are drawn as they
	// are, once their apps have drawn there.
	Look(context.Context, Shot) (*Picture, error)
	// Changed returns how often the screen changed since Begin, once that is more than seen, or ctx's error
	// and the count so far, between Begin and End (else ErrNotBegun). Our own windows and the pointer's movement don't count,
	// and what a window draws that the last picture covered need not.
	Changed(ctx context.Context, seen uint64) (uint64, error)
	// Answers returns once the app that has the keyboard has taken all that was sent to it, and at once where
	// the platform can't tell. An app that doesn't answer is ctx's error.
	Answers(context.Context) error
	// Windows lists the windows front to back, our own left out.
	Windows(context.Context) ([]Window, error)
	Pointer(context.Context) (ScreenPoint, error)
	// Control says what is under p. Without an accessibility bus, or where nothing answers: ErrNoControl. An app
	// that hangs costs no more than LookUp.
	Control(context.Context, ScreenPoint) (Control, error)
	// Focus says what has the keys in the window that has them, with the same limits as Control.
	Focus(context.Context) (Focus, error)
	// Secrets lists the parts of password fields that can be seen, in any window but ours. It has the limits of
	// Control: what no app tells in time isn't among them, and that is no error.
	Secrets(context.Context) ([]ScreenRect, error)
	// Find lists the visible controls of the window in front whose name matches, best first.
	Find(ctx context.Context, name string) ([]Control, error)

	// What follows is sent only while the window that it would land in is the one that into names: otherwise it is
	// ErrElsewhere, and of what may land elsewhere nothing was sent. On X11 nothing can come between that look and the
	// event; elsewhere they are as close together as the platform lets them be. Windows of ours are looked through.

	Move(ctx context.Context, to ScreenPoint, into Into) error
	// Button presses or lifts a mouse button where the pointer is. Lifting is bound too, since what is dragged drops
	// where it is lifted; Release lifts whatever is there.
	Button(ctx context.Context, b Button, down bool, into Into) error
	// Scroll turns the wheel: dx to the right, dy down, in clicks.
	Scroll(ctx context.Context, dx, dy int, into Into) error
	// Key presses or lifts one key by the active layout. Lifting asks nothing of into.
	Key(ctx context.Context, k key.Key, down bool, into Into) error
	// Text types s by character, never by key position, and says how many graphemes were delivered, also
	// beside an error. "\n" is Return and "\t" is Tab.
	Text(ctx context.Context, s string, into Into) (typed int, err error)

	Apps(context.Context) ([]App, error)
	// Open starts an app or brings it to the front. It never goes through a shell.
	Open(context.Context, AppID) error

	// Release lifts every key and button that this driver holds. It works on a fresh context after a cancel.
	Release(context.Context) error
	// Close ends the driver for good.
	Close() error
}

package mac

import (
	"context"
	"errors"
	"time"

	"conch/driver"
)

// system is what is asked of macOS, in values that Go can judge. Rectangles are on the desktop (Core Graphics)
// except where AppKit is named. Whatever takes long ends with its context.
type system interface {
	displays() ([]rawDisplay, error)
	windows() ([]rawWindow, error)
	focus() (rawFocus, error)
	pointer() driver.ScreenPoint
	self() int // our process id

	// capture takes one picture. It fails with errDenied, errGone, or with macOS's words.
	capture(ctx context.Context, s rawShot) (*rawPixels, error)
	// watch sends on told whenever a display's picture changed, ours left out, until stop. Sending never waits.
	watch(ctx context.Context, displays []uint32, told chan watched) (w *watching, err error)

	mouse(m mouseEvent) error
	scroll(right, down int, flags uint64) error // in lines
	key(code uint16, down bool, flags uint64) error
	unicode(units []uint16, down bool, flags uint64) error // at most 20
	held() (flags uint64, buttons uint32)                  // of the person's own keyboard and mouse
	doubleClick() time.Duration
	layout(ascii bool) (*layout, error)

	controlAt(pid int, at driver.ScreenPoint) (element, error)
	frontWindow(pid int) (element, error)
	wholeApp(pid int) (element, error)
	focusedControl(pid int) (element, error)
	defaultButton(window element) (element, error)
	windowOf(control element) (element, error)
	describe(e element) (rawControl, error)
	children(e element, most int) ([]element, error)
	letGo(es ...element)

	running() ([]rawApp, error)
	bundle(path string) (rawApp, bool)
	openApp(ctx context.Context, id driver.AppID) error

	session() rawSession
	maySee() bool
	mayClick() bool
}

// What macOS answered, told apart where it makes a difference.
var (
	errFailed    = errors.New("macOS refused")
	errLate      = errors.New("Conch's main thread did not answer in time")
	errDenied    = errors.New("a permission is missing")
	errGone      = errors.New("it is not there any more")
	errCancelled = errors.New("it was cancelled")
	errBusy      = errors.New("the app did not answer in time")
)

type rawDisplay struct {
	id      uint32
	name    string
	main    bool
	asleep  bool
	scale   float64
	bounds  driver.ScreenRect
	known   bool              // visible was asked
	visible driver.AppKitRect // without menu bar and Dock
}

type rawWindow struct {
	id                        uint32
	pid, layer                int
	alpha                     float64
	bounds                    driver.ScreenRect
	title, owner, bundle, exe string
}

// rawFocus is what has the keys: an app, and the place of its window where that is known.
type rawFocus struct {
	pid    int
	window driver.ScreenRect
}

// rawShot is a picture as macOS is asked for it.
type rawShot struct {
	display uint32
	area    driver.ScreenRect // from the display's top left
	w, h    int               // pixels
	leave   leaveOut
}

// rawPixels are BGRX. free gives the memory back, blanked.
type rawPixels struct {
	data         []byte
	stride, w, h int
	missing      int // of what was to be left out, so many weren't in macOS's own list
	free         func()
}

// watched is one thing that a watch tells.
type watched struct{ stopped bool }

// watching is a watch that runs.
type watching struct {
	stop func()
	blur bool // our own windows could not be told apart when it began
}

// Kinds of mouse events, as mac.h has them.
const (
	mouseMove = iota
	mouseDrag
	mouseDown
	mouseUp
)

type mouseEvent struct {
	kind   int
	at     driver.ScreenPoint
	button int // 0 left, 1 right, 2 middle
	count  int // which click of a row
	flags  uint64
}

// element is a reference to an accessible control, given back with letGo; 0 is none.
type element uint64

type rawControl struct {
	pid                       int
	secure, hidden            bool
	bounds                    driver.ScreenRect
	role, subrole             string // AXButton…
	title, description, label string
	text                      string // of fixed text only
}

type rawApp struct {
	pid                              int
	regular                          bool
	bundle, name, english, exe, path string
}

type rawSession struct {
	known, onConsole, locked, secure bool
	secureName                       string // who hears passwords; empty when unknown
}

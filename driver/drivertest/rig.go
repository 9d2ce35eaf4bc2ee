// Package drivertest is the one suite that every driver passes: what the Driver interface promises, asked of
// a real desk with windows that say what they themselves received. It is used by tests only and never
// judges a driver by the driver's own answers where a window or the system can be asked.
package drivertest

import (
	"image/color"
	"testing"

	"conch/driver"
)

// Rig is a driver and the desk that it sees. Driver.Begin was not called yet; the suite does. Everything is
// taken down by t.Cleanup of the test that opened it.
type Rig struct {
	Driver driver.Driver
	Desk   Desk
	// Named says that the desk's windows tell what is in them, as apps with accessibility do: then the suite asks
	// for it. Where they don't, a driver has to say that it knows nothing.
	Named bool
}

// Desk is a desktop under the suite's control, at least 800 by 600, empty at first. Its methods return when
// what they did is done: a window that was opened is drawn, in front, and (when it isn't ours) has the keys.
// They fail the test when they can't.
type Desk interface {
	// Open shows a window in front of all others.
	Open(t testing.TB, w Win) Fixture
	// Held names the keys and buttons that the system (not the driver) says are down.
	Held(t testing.TB) []string
	// Resize gives the main display another size. It returns false when this desk can't.
	Resize(t testing.TB, w, h int) bool
	// Lose takes the display away for good, as when its server dies. It returns false when this desk can't.
	Lose(t testing.TB) bool
}

// Win says what a window on the desk is like. Its content is one solid colour that is nowhere else on the
// desk, apart from its field and button.
type Win struct {
	Title  string            // unique on the desk
	App    string            // its class, as Window.Class or the end of Window.App has it
	Bounds driver.ScreenRect // of its content, in whole points
	Color  color.RGBA        // opaque
	// Field is a text field and Button a push button, on the desktop, inside Bounds; empty is none. The field
	// has the keys when the window has, and can be clicked into.
	Field  driver.ScreenRect
	Button driver.ScreenRect
	// Secure makes the field one for passwords.
	Secure bool
	// Ours is a window of this program, as the edge and the Stop card are: the driver leaves it out everywhere.
	Ours bool
	// Through lets clicks go through it, as through the edge. For windows of ours only.
	Through bool
}

// Fixture is a window on the desk, and tells what arrived there.
type Fixture interface {
	// Text is what the field received so far, "\n" for Return and "\t" for Tab.
	Text() string
	// Clicks is how often the button was pressed and lifted inside it, with the left mouse button.
	Clicks() int
	// Downs and Ups count mouse buttons and Keys key presses (repeats too) that arrived anywhere in the window.
	Downs() int
	Ups() int
	Keys() int
	// Scrolled is how many clicks of the wheel arrived, to the right and down.
	Scrolled() (dx, dy int)
	// Paint fills the content with another colour.
	Paint(t testing.TB, c color.RGBA)
	// Raise brings it to the front.
	Raise(t testing.TB)
	// Close takes the window away.
	Close(t testing.TB)
}

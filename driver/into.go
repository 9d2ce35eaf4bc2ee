package driver

import "errors"

// Into says where an event may land: it is the window that whoever judged the event saw there. A driver looks once
// more as the event goes out, so that a window which came in between is neither clicked nor typed into. The zero
// value is nowhere: an event that nobody judged is refused.
//
// Lifting a key needs no leave, and lands where it lands; so does what Release lifts.
type Into struct {
	anywhere, known bool
	window          WindowID
}

// Anywhere lets an event land wherever it does: for fixtures and measurements on a desk of one's own.
var Anywhere = Into{anywhere: true}

// IntoWindow lets an event land in one window of Windows; 0 is where none of them is, such as the bare desktop.
func IntoWindow(id WindowID) Into { return Into{known: true, window: id} }

// Anywhere says that it doesn't matter where the event lands.
func (i Into) Anywhere() bool { return i.anywhere }

// Window is where the event may land; false where it may land nowhere, or anywhere.
func (i Into) Window() (WindowID, bool) { return i.window, i.known }

// Takes says whether an event may land in a window; 0 is none.
func (i Into) Takes(id WindowID) bool { return i.anywhere || i.known && i.window == id }

// Keys returns ErrElsewhere unless keys go where they may, by a list that was just read.
func (i Into) Keys(now []Window) error {
	w, _ := Focused(now)
	return i.check(w.ID)
}

// Pointer returns ErrElsewhere unless what is at p is where an event may land, by a list that was just read.
func (i Into) Pointer(now []Window, p ScreenPoint) error {
	w, _ := At(now, p)
	return i.check(w.ID)
}

func (i Into) check(id WindowID) error {
	if !i.Takes(id) {
		return ErrElsewhere
	}
	return nil
}

// ErrElsewhere says that an event wasn't sent, because another window is there than the one it was meant for.
var ErrElsewhere = errors.New("another window is there now, so nothing was sent to it")

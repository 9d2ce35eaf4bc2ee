package computer

import (
	"fmt"
	"log/slog"
	"time"

	"conch/driver"
	"conch/driver/key"
	"conch/gateway/computer/policy"
)

// Action is one step that a model asked for, read once. What the policy judges and what the driver is given
// both come from this value.
//
//sumtype:decl
type Action interface {
	// Word is what the model called it.
	Word() policy.Action
	isAction()
}

// Screenshot only looks.
type Screenshot struct{}

// Click presses and lifts a button Times times in one place.
type Click struct {
	Button driver.Button
	Times  int              // 1 to 3
	At     *driver.PicPoint // nil: where the pointer is
	Mods   key.Mods         // held meanwhile
}

// Move moves the pointer.
type Move struct{ At driver.PicPoint }

// Drag presses the left button at From, moves and lifts it at To.
type Drag struct {
	From *driver.PicPoint // nil: where the pointer is
	To   driver.PicPoint
	Mods key.Mods
}

// Button presses the left button and leaves it down, or lifts it.
type Button struct {
	Down bool
	At   *driver.PicPoint // nil: where the pointer is
}

// Type types text where the keys go.
type Type struct{ Text Text }

// Keys presses chords one after another, all of them Repeat times.
type Keys struct {
	Chords []key.Chord
	Repeat int // 1 to 100
}

// Hold holds one chord down.
type Hold struct {
	Chord key.Chord
	For   time.Duration // up to five minutes
}

// Scroll turns the wheel: DX to the right, DY down, in clicks.
type Scroll struct {
	At     *driver.PicPoint // nil: where the pointer is
	DX, DY int
	Mods   key.Mods
}

// Wait waits and then looks.
type Wait struct{ For time.Duration }

// Zoom looks at a part of the last picture in the screen's own pixels.
type Zoom struct{ Region driver.PicRect }

// Cursor says where the pointer is.
type Cursor struct{}

// Open opens an app, or brings it to the front.
type Open struct{ App Text }

// List lists the apps that can be opened; Like narrows it.
type List struct{ Like Text }

// Find looks for controls by their accessible name.
type Find struct{ Name Text }

func (Screenshot) isAction() {}
func (Click) isAction()      {}
func (Move) isAction()       {}
func (Drag) isAction()       {}
func (Button) isAction()     {}
func (Type) isAction()       {}
func (Keys) isAction()       {}
func (Hold) isAction()       {}
func (Scroll) isAction()     {}
func (Wait) isAction()       {}
func (Zoom) isAction()       {}
func (Cursor) isAction()     {}
func (Open) isAction()       {}
func (List) isAction()       {}
func (Find) isAction()       {}

// Word implements Action.
func (Screenshot) Word() policy.Action { return policy.Screenshot }

// Word implements Action.
func (c Click) Word() policy.Action {
	switch {
	case c.Button == driver.Right:
		return policy.RightClick
	case c.Button == driver.Middle:
		return policy.MiddleClick
	case c.Times == 2:
		return policy.DoubleClick
	case c.Times == 3:
		return policy.TripleClick
	}
	return policy.LeftClick
}

// Word implements Action.
func (Move) Word() policy.Action { return policy.MouseMove }

// Word implements Action.
func (Drag) Word() policy.Action { return policy.LeftClickDrag }

// Word implements Action.
func (b Button) Word() policy.Action {
	if b.Down {
		return policy.LeftMouseDown
	}
	return policy.LeftMouseUp
}

// Word implements Action.
func (Type) Word() policy.Action { return policy.Type }

// Word implements Action.
func (Keys) Word() policy.Action { return policy.Key }

// Word implements Action.
func (Hold) Word() policy.Action { return policy.HoldKey }

// Word implements Action.
func (Scroll) Word() policy.Action { return policy.Scroll }

// Word implements Action.
func (Wait) Word() policy.Action { return policy.Wait }

// Word implements Action.
func (Zoom) Word() policy.Action { return policy.Zoom }

// Word implements Action.
func (Cursor) Word() policy.Action { return policy.CursorPosition }

// Word implements Action.
func (Open) Word() policy.Action { return policy.OpenApp }

// Word implements Action.
func (List) Word() policy.Action { return policy.ListApps }

// Word implements Action.
func (Find) Word() policy.Action { return policy.Find }

// Text is words that a model wrote. It may hold anything of the person's, so no log and no error ever shows
// it: it prints as "[hidden]". Convert it to a string where it is really meant.
type Text string

const hidden = "[hidden]"

// String hides the text.
func (Text) String() string { return hidden }

// GoString hides the text from %#v.
func (Text) GoString() string { return hidden }

// Format hides the text from every verb.
func (Text) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(hidden)) }

// LogValue hides the text from logs.
func (Text) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the text from encoders.
func (Text) MarshalText() ([]byte, error) { return []byte(hidden), nil }

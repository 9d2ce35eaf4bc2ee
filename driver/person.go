package driver

import (
	"context"
	"errors"
	"math"
	"time"
)

// EventMark is what every event that a Mac's driver posts carries in kCGEventSourceUserData, so that whoever
// listens tells Conch's own input from a person's: "Conch" and a version, in ASCII.
const EventMark int64 = 0x436f6e63683031

// Deed is what a person does with the mouse or the keyboard.
type Deed int

// The deeds.
const (
	DeedMove Deed = iota + 1
	DeedButton
	DeedScroll
	DeedKey
)

// PersonEvent is one thing that a person did at the computer. It never says which key.
type PersonEvent struct {
	Deed Deed
	Move float64 // DeedMove: how far, in points; for other deeds 0
	At   time.Time
}

// ErrNoWatch says that the person can't be heard on this platform.
var ErrNoWatch = errors.New("the person at the computer can't be heard here")

// Watcher is what a Driver may also be: it hears what a person does at the computer, told from all that this
// driver does itself.
type Watcher interface {
	// Watch brings what the person does from now on until ctx ends, when the channel is closed. Nothing is
	// listened to before or after. A reader that is slow misses events, never the first of a run.
	Watch(ctx context.Context) (<-chan PersonEvent, error)
}

// Stride measures how far a pointer goes from one place where it was heard of to the next. After a pause the next
// place is where a new run begins, since what moved the pointer meanwhile is not known. The zero value is ready.
type Stride struct {
	last ScreenPoint
	at   time.Time
}

// stridePause is how long nothing may be heard within one run.
const stridePause = 250 * time.Millisecond

// To says how far it is to p, in points.
func (s *Stride) To(p ScreenPoint, at time.Time) float64 {
	far := math.Hypot(p.X-s.last.X, p.Y-s.last.Y)
	fresh := !s.at.IsZero() && at.Sub(s.at) <= stridePause
	s.last, s.at = p, at
	if !fresh || math.IsNaN(far) || math.IsInf(far, 0) {
		return 0
	}
	return far
}

package driver

import "errors"

// Why a screen can't be used.
type Why int

// Reasons of an Unready.
const (
	WhyUnknown Why = iota
	WhyNoDisplay
	WhyWayland
	WhyLocked
	WhyAsleep
	WhyLost        // the display server went away
	WhyPermission  // macOS: a switch is off
	WhySecureInput // macOS: an app is waiting for a password, so nothing is typed
)

// Unready says in one sentence why the screen can't be used now, and what to do.
type Unready struct {
	Why  Why
	Say  string // for a person
	Next string // what to do
	Err  error  // for the log
}

func (e *Unready) Error() string {
	if e.Next == "" {
		return e.Say
	}
	return e.Say + " " + e.Next
}

func (e *Unready) Unwrap() error { return e.Err }

var (
	// ErrNoControl says that nothing accessible is known at a point or by a name.
	ErrNoControl = errors.New("no accessible control is known there")
	// ErrNoApp says that no such app is installed.
	ErrNoApp = errors.New("no such app is installed")
	// ErrNotBegun says that Look or Changed was called outside Begin and End.
	ErrNotBegun = errors.New("the screen isn't being followed: Begin comes first")
	// ErrHeldByPerson says that the person holds a modifier or button, so a chord would come out as another.
	ErrHeldByPerson = errors.New("a key is being held on the keyboard")
)

// NoKeyError says that the keyboard can't make a key or character.
type NoKeyError struct{ Name string }

func (e *NoKeyError) Error() string { return "this keyboard can't make “" + e.Name + "”" }

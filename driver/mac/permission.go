package mac

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Permission is one of the two switches that macOS has for what Conch does.
type Permission int

// The two switches.
const (
	SeeScreen    Permission = iota // Screen & System Audio Recording
	ClickAndType                   // Accessibility
)

// SettingsPage is the page of System Settings where a person turns it on.
func (p Permission) SettingsPage() string {
	const pane = "x-apple.systempreferences:com.apple.preference.security?"
	if p == SeeScreen {
		return pane + "Privacy_ScreenCapture"
	}
	return pane + "Privacy_Accessibility"
}

// Granted is what is known of a permission.
type Granted int

// States of a permission. Nobody looked yet counts as off.
const (
	Off         Granted = iota
	On                  // it works now
	AfterReopen         // it is on, and macOS tells this process only at its next start
	Refused             // System Settings shows it on, and macOS refuses all the same
)

// Look is what a process hears when it asks macOS.
type Look int

// Answers to a look.
const (
	NoLook Look = iota // nobody could look
	LookOff
	LookOn
)

// PermissionModel is all that is known of one permission. The zero value of Which knows nothing: it is off.
type PermissionModel struct {
	Which    Permission
	Here     bool // this process may
	Fresh    Look // what a process that just started hears
	Believed bool // something says that System Settings shows it on
	Failed   bool // it was tried, and macOS refused though it says that we may
}

// PermissionEvent is something that is learnt.
//
//sumtype:decl
type PermissionEvent interface{ isPermissionEvent() }

type (
	// Looked says what this process hears, and one that just started.
	Looked struct {
		Here  bool
		Fresh Look
	}
	// Tried says how it went when the permission was needed for real.
	Tried struct{ Refused bool }
	// Believed says that the switch is on in System Settings: the person says so, an earlier start had it, or
	// Conch was reopened because a fresh look heard yes.
	Believed struct{}
	// Removed says that the person took Conch off the list, or turned the switch off.
	Removed struct{}
)

func (Looked) isPermissionEvent()   {}
func (Tried) isPermissionEvent()    {}
func (Believed) isPermissionEvent() {}
func (Removed) isPermissionEvent()  {}

// Next is the model after an event.
func (m PermissionModel) Next(e PermissionEvent) PermissionModel {
	switch e := e.(type) {
	case Looked:
		if e.Here && !m.Here {
			m.Failed = false // turned on again: what failed was before
		}
		if e.Here || e.Fresh == LookOn {
			m.Believed = true
		}
		m.Here, m.Fresh = e.Here, e.Fresh
	case Tried:
		m.Failed = e.Refused
		if !e.Refused {
			m.Here, m.Believed = true, true
		}
	case Believed:
		m.Believed = true
	case Removed:
		m = PermissionModel{Which: m.Which}
	}
	return m
}

// State is what the model comes to. Only what was seen to work, or what macOS says without a failed try, is On.
func (m PermissionModel) State() Granted {
	switch {
	case m.Failed:
		return Refused
	case m.Here:
		return On
	case m.Fresh == LookOn:
		if m.Which == ClickAndType {
			return Off // this one is told to a running process; a look later it will be here
		}
		return AfterReopen
	case m.Believed && m.Fresh == LookOff:
		return Refused
	}
	return Off
}

// FreshArg is the sub-command that runs FreshMain: this program, started for a moment, hears what a running one
// is not told.
const FreshArg = "permission-look"

// writeLook and readLook are what a fresh look says, one permission a line.
func writeLook(w io.Writer, see, click bool) error {
	_, err := fmt.Fprintf(w, "see %v\nclick %v\n", see, click)
	return err
}

// readLook takes only what it knows for sure; the rest is no look.
func readLook(r io.Reader) (see, click Look) {
	for s := bufio.NewScanner(io.LimitReader(r, 4096)); s.Scan(); {
		word, value, _ := strings.Cut(s.Text(), " ")
		look := NoLook
		switch value {
		case "true":
			look = LookOn
		case "false":
			look = LookOff
		}
		switch word {
		case "see":
			see = look
		case "click":
			click = look
		}
	}
	return see, click
}

// Package connect writes Conch's entry into the settings of other programs, finds it there, mends it and
// takes it out again. It plans before it writes, so that a person sees the file and the exact lines first.
//
// It changes only entries that start Conch; an entry of somebody else under our name is left alone, and so is
// a file that can't be read. It knows nothing about pairing, holds no key, writes none, and uses no network.
package connect

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"

	"conch/mcp/connect/apps"
	"conch/mcp/connect/disk"
	"conch/mcp/connect/splice"
)

// names are what our entry is called: the second when somebody else has the first.
var names = []string{"conch", "conch-assistant"}

// Connector connects programs to one Conch.
type Connector struct {
	Env apps.Env
	// Launcher is the absolute path of the program that other programs start.
	Launcher string
	Disk     disk.Writer
}

var clientID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Args is how the launcher is started for a client.
func Args(client string) []string { return []string{"launcher", "--client", client} }

// check refuses what could mean something else in somebody's settings.
func (c *Connector) check(client string) error {
	switch {
	case !clientID.MatchString(client):
		return errors.New("connect: a client id that can't be in an entry")
	case !filepath.IsAbs(c.Launcher) || strings.ContainsFunc(c.Launcher, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }):
		return errors.New("connect: a launcher without a plain absolute path")
	}
	return nil
}

func (c *Connector) entry(name, client string) apps.Entry {
	return apps.Entry{Name: name, Command: c.Launcher, Args: Args(client)}
}

// Link is an address with which the app itself offers to add Conch, or "" when it knows none.
func (c *Connector) Link(app apps.App, client string) (string, error) {
	if err := c.check(client); err != nil {
		return "", err
	}
	return app.Link(c.entry(names[0], client)), nil
}

// LeftAloneError is a settings file that wasn't changed, and why.
type LeftAloneError struct {
	App   string // its name
	File  string
	Why   string // half a sentence about the file
	Lines string // what a person can add by hand; empty when that wouldn't help
}

func (e *LeftAloneError) Error() string {
	s := "Conch left the settings of " + e.App + " as they are: the file " + e.Why + "."
	if e.Lines != "" {
		s += " Add the lines yourself, or put the file right and try again."
	}
	return s
}

// ChangedError says that the settings changed after a person saw the plan, in a way that changes the plan.
type ChangedError struct{ App string }

func (e *ChangedError) Error() string {
	return "The settings of " + e.App + " changed meanwhile, so nothing was written. Look at the lines again, then press Connect."
}

// OverwrittenError says that the app wrote over our entry at once.
type OverwrittenError struct{ App string }

func (e *OverwrittenError) Error() string {
	return e.App + " wrote its own settings over Conch's entry. Quit " + e.App + ", then try again."
}

// leftAlone turns what the file packages say into a sentence about this app.
func (c *Connector) leftAlone(app apps.App, file, client string, err error) error {
	why := ""
	if u, ok := errors.AsType[*splice.UnreadableError](err); ok {
		why = u.Why
	} else if r, ok := errors.AsType[*disk.RefusedError](err); ok {
		why = r.Why
	} else {
		return err
	}
	e := &LeftAloneError{App: app.Name, File: file, Why: why}
	if client != "" {
		at := splice.Path{Parent: app.Parent, Name: names[0]}
		e.Lines = splice.Lines(app.Syntax, at, app.Fields(c.entry(names[0], client)))
	}
	return e
}

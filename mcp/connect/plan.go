package connect

import (
	"bytes"
	"errors"

	"conch/mcp/connect/apps"
	"conch/mcp/connect/disk"
	"conch/mcp/connect/splice"
)

// Plan is what connecting would write. It writes nothing.
type Plan struct {
	App      apps.App
	Client   string
	File     string // where the app looks
	Real     string // the file that is written: File, unless that is a link
	Create   bool   // the file isn't there yet
	Name     string // what the entry is called
	Before   string // our entry as it stands there; empty when there is none
	After    string // our entry as it will stand there
	Replaces string // the client that the old entry names
	Off      bool   // the person switched the entry off in the app, and it stays off
	First    string // a sentence for before; may be empty
	// Running says whether an app that writes its own settings is open; unknown for any other.
	Running apps.Running
}

// first is what a person should know about an app that writes its own settings.
func first(p Plan) string {
	switch {
	case p.Running == apps.Open:
		return p.App.Name + " is open. It writes this file itself, and may write over these lines until you quit it. " +
			"Quit it first to be sure; otherwise Conch looks again and puts the lines back."
	case p.Running == apps.Unknown && !p.Create:
		return "If " + p.App.Name + " is open, quit it first: it writes this file itself and could undo this."
	}
	return ""
}

// Receipt is what an app's settings got with our entry. Whoever keeps it with the app gives it back to Remove,
// which then leaves no trace. Without one Remove asks the kept copy of the old file.
type Receipt struct {
	File    string       `json:"file"`
	Name    string       `json:"name"`
	Trace   splice.Trace `json:"trace"`
	Created bool         `json:"created,omitempty"` // the file wasn't there
}

// Result is what was done and seen.
type Result struct {
	File    string
	Name    string // of the entry
	Client  string
	Changed bool
	// Receipt is new; nil means: keep the one you have.
	Receipt *Receipt
	Say     string // for the person
}

// edit is a plan with its text.
type edit struct {
	Plan
	text  []byte
	trace *splice.Trace // nil when an entry was there already
	same  bool          // and it was just like this one
}

// Plan says what connecting the app as client would write.
func (c *Connector) Plan(app apps.App, client string) (Plan, error) {
	e, _, err := c.plan(app, client)
	return e.Plan, err
}

func (c *Connector) plan(app apps.App, client string) (edit, disk.File, error) {
	if err := c.check(client); err != nil {
		return edit{}, disk.File{}, err
	}
	path := app.File(c.Env)
	f, err := disk.Read(path)
	if err == nil {
		err = f.Writable()
	}
	if err != nil {
		return edit{}, f, c.leftAlone(app, path, client, err)
	}
	e, err := c.edit(app, client, f)
	if err != nil {
		return edit{}, f, c.leftAlone(app, path, client, err)
	}
	return e, f, nil
}

func (c *Connector) edit(app apps.App, client string, f disk.File) (edit, error) {
	e := edit{Plan: Plan{App: app, Client: client, File: f.Path, Real: f.Real, Create: f.Info == nil}}
	if app.Rewrites {
		e.Running = app.Running(c.Env)
		e.First = first(e.Plan)
	}
	tree, err := splice.Read(app.Syntax, f.Data)
	if err != nil {
		return edit{}, err
	}
	found, err := c.find(app, f)
	if err != nil {
		return edit{}, err
	}
	if len(found) > 0 {
		return c.again(e, found[0], f)
	}
	for _, name := range names {
		if taken(app, tree, name) {
			continue
		}
		at := splice.Path{Parent: app.Parent, Name: name}
		added, err := splice.Add(app.Syntax, f.Data, at, app.Fields(c.entry(name, client)))
		if err != nil {
			return edit{}, err
		}
		e.Name, e.After, e.text, e.trace = name, added.Entry, added.Text, &added.Trace
		return e, nil
	}
	return edit{}, &TakenError{App: app.Name, File: f.Path}
}

// TakenError says that somebody else has both of our names.
type TakenError struct{ App, File string }

func (e *TakenError) Error() string {
	return "The settings of " + e.App + " have entries called “" + names[0] + "” and “" + names[1] +
		"” that aren't Conch's, so they are left alone. Rename one of them, then try again."
}

// again points an entry that is there to the launcher and the client, and keeps what the person added to it.
func (c *Connector) again(e edit, old Found, f disk.File) (edit, error) {
	text, err := c.point(old, e.Client, f.Data)
	if err != nil {
		return edit{}, err
	}
	e.Name, e.Before, e.Replaces, e.Off, e.text = old.Name, old.Text, old.Client, old.Off, text
	e.same = bytes.Equal(f.Data, text)
	e.After, err = splice.Text(e.App.Syntax, text, splice.Path{Parent: e.App.Parent, Name: old.Name})
	return e, err
}

func (c *Connector) point(old Found, client string, src []byte) ([]byte, error) {
	at := splice.Path{Parent: old.App.Parent, Name: old.Name}
	return splice.Set(old.App.Syntax, src, at,
		splice.Assign{Key: old.App.Command, Index: -1, To: c.Launcher},
		splice.Assign{Key: old.App.Args, Index: len(Args("")) - 1, To: client})
}

// tries is how often a file may change while it is written, before that is said.
const tries = 3

// Apply does what the plan says. When the file changed since, it plans again, and writes only if the person
// would have seen the same lines.
func (c *Connector) Apply(p Plan) (Result, error) {
	for range tries {
		e, f, err := c.plan(p.App, p.Client)
		if err != nil {
			return Result{}, err
		}
		if e.File != p.File || e.Real != p.Real || e.Name != p.Name || e.Before != p.Before || e.After != p.After {
			return Result{}, &ChangedError{App: p.App.Name}
		}
		err = c.write(f, e)
		switch {
		case errors.Is(err, disk.ErrChanged):
			continue
		case errors.Is(err, disk.ErrOverwritten):
			if !c.stands(e) {
				return Result{}, &OverwrittenError{App: p.App.Name}
			}
		case err != nil:
			return Result{}, c.leftAlone(p.App, p.File, p.Client, err)
		}
		return e.result(), nil
	}
	return Result{}, &ChangedError{App: p.App.Name}
}

func (c *Connector) write(f disk.File, e edit) error {
	if e.same {
		return nil
	}
	if e.trace != nil {
		if err := c.Disk.Keep(f); err != nil {
			return err
		}
	}
	return c.replace(e.App, f, e.text)
}

// replace writes the file, under the app's own lock where it has one.
func (c *Connector) replace(app apps.App, f disk.File, text []byte) error {
	return c.locked(app, f, func() error { return c.Disk.Replace(f, text) })
}

func (c *Connector) locked(app apps.App, f disk.File, do func() error) error {
	if !app.Locks {
		return do()
	}
	unlock, err := disk.Lock(f)
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

// stands says whether our entry is there, after the app wrote the file too.
func (c *Connector) stands(e edit) bool {
	f, err := disk.Read(e.File)
	if err != nil {
		return false
	}
	found, err := c.find(e.App, f)
	if err != nil {
		return false
	}
	for _, g := range found {
		if g.Name == e.Name && g.Client == e.Client && g.Current {
			return true
		}
	}
	return false
}

func (e edit) result() Result {
	r := Result{File: e.File, Name: e.Name, Client: e.Client, Changed: !e.same, Say: e.App.Name + " is connected. " + e.App.Next}
	switch e.Running {
	case apps.Open:
		r.Say += " Until then it may write over Conch’s lines, and Conch puts them back."
	case apps.Closed:
		r.Say = e.App.Name + " is connected. It isn’t open now, and sees Conch when you open it."
	case apps.Unknown:
	}
	if e.Off {
		r.Say = e.App.Name + " has Conch's entry, and it is switched off there. Switch it on in " + e.App.Name + "."
	}
	if e.trace != nil {
		r.Receipt = &Receipt{File: e.File, Name: e.Name, Trace: *e.trace, Created: e.Create}
	}
	return r
}

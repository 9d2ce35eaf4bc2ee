package connect

import (
	"bytes"
	"errors"

	"conch/mcp/connect/apps"
	"conch/mcp/connect/disk"
	"conch/mcp/connect/splice"
)

// Remove takes out the app's entries for client, wherever the app may have its settings. receipt is what
// Apply gave, or nil. Nothing to take out is no error; Changed says whether something was.
func (c *Connector) Remove(app apps.App, client string, receipt *Receipt) (Result, error) {
	r := Result{Client: client, Say: app.Name + " had no entry for this."}
	found, first := c.Find(app)
	for _, f := range found {
		if f.Client != client {
			continue
		}
		if err := c.remove(f, receipt); err != nil {
			return r, err
		}
		r.File, r.Name, r.Changed = f.File, f.Name, true
		r.Say = "Conch's entry in the settings of " + app.Name + " is taken out. " + app.Next
	}
	if !r.Changed && first != nil {
		return r, first
	}
	return r, nil
}

func (c *Connector) remove(old Found, receipt *Receipt) error {
	at := splice.Path{Parent: old.App.Parent, Name: old.Name}
	return c.change(old, func(f disk.File) error {
		trace, created := c.trace(old, f, receipt)
		text, err := splice.Remove(old.App.Syntax, f.Data, at, trace)
		if err != nil {
			return err
		}
		if created && saysNothing(text) {
			return c.locked(old.App, f, func() error { return c.Disk.Delete(f) })
		}
		return c.replace(old.App, f, text)
	})
}

// change reads the file of an entry and edits it, again when the file changes meanwhile, and only as long as
// the entry stands there as it was found.
func (c *Connector) change(old Found, do func(disk.File) error) error {
	for range tries {
		f, err := disk.Read(old.File)
		if err == nil {
			err = c.same(old, f)
		}
		if err == nil {
			err = do(f)
		}
		switch {
		case errors.Is(err, disk.ErrChanged):
			continue
		case errors.Is(err, disk.ErrOverwritten):
			return &OverwrittenError{App: old.App.Name}
		case err != nil:
			return c.leftAlone(old.App, old.File, "", err)
		}
		return nil
	}
	return &ChangedError{App: old.App.Name}
}

func (c *Connector) same(old Found, f disk.File) error {
	now, err := c.find(old.App, f)
	if err != nil {
		return err
	}
	for _, g := range now {
		if g.Name == old.Name && g.Client == old.Client && g.Command == old.Command {
			return nil
		}
	}
	return &ChangedError{App: old.App.Name}
}

// trace is what was put around an entry: as the receipt says, or else as the kept copy of the old file would
// have got it, or, when there is no copy, as a new file would have got it.
func (c *Connector) trace(old Found, f disk.File, receipt *Receipt) (t *splice.Trace, created bool) {
	if receipt != nil && receipt.Name == old.Name && receipt.File == old.File {
		return &receipt.Trace, receipt.Created
	}
	before, kept := disk.Backup(f)
	at := splice.Path{Parent: old.App.Parent, Name: old.Name}
	added, err := splice.Add(old.App.Syntax, before, at, old.App.Fields(c.entry(old.Name, old.Client)))
	if err != nil {
		return nil, false
	}
	if kept {
		return &added.Trace, false
	}
	out, err := splice.Remove(old.App.Syntax, f.Data, at, &added.Trace)
	if err != nil || !saysNothing(out) {
		return nil, false // more than our entry is in it, so it may be the person's own file
	}
	return &added.Trace, true
}

// saysNothing says whether a file that Conch made is as good as not there.
func saysNothing(text []byte) bool {
	t := bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	return len(t) == 0 || string(t) == "{}"
}

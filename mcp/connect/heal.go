package connect

import (
	"conch/mcp/connect/apps"
	"conch/mcp/connect/disk"
)

// Do is what is to be done about an entry.
type Do int

// The zero value does nothing.
const (
	Keep    Do = iota
	Rewrite    // it starts a launcher that isn't ours any more
	TakeOut    // its client is no longer connected
)

// Decide says what is to be done about an entry that starts Conch. One that starts another launcher for a client that
// isn't known may be of another Conch on this computer, so it stays.
func Decide(f Found, paired bool) Do {
	switch {
	case !paired && f.Current:
		return TakeOut
	case !paired:
		return Keep
	case !f.Current:
		return Rewrite
	default:
		return Keep
	}
}

// Fix is one thing that was put right by itself.
type Fix struct {
	App    apps.App
	File   string
	Client string
	Did    Do
	Say    string // one sentence, for "Fixed on its own"
}

// Paired is what is known about the clients.
type Paired interface {
	// Paired says whether a client is connected.
	Paired(client string) bool
	// Receipt is what Apply gave for a client, or nil.
	Receipt(client string) *Receipt
}

// Heal mends our entries in the app's settings. What it could mend is given even with an error; the error is
// for the person too.
func (c *Connector) Heal(app apps.App, p Paired) (fixes []Fix, first error) {
	if err := c.check("x"); err != nil {
		return nil, err
	}
	found, first := c.Find(app)
	for _, f := range found {
		fix := Fix{App: app, File: f.File, Client: f.Client, Did: Decide(f, p.Paired(f.Client))}
		var err error
		switch fix.Did {
		case Keep:
			continue
		case Rewrite:
			fix.Say = "The settings of " + app.Name + " started Conch from where it no longer is, and now point to where it is."
			err = c.rewrite(f)
		case TakeOut:
			fix.Say = "The settings of " + app.Name + " still had an entry for a connection that is gone, and it was taken out."
			err = c.remove(f, p.Receipt(f.Client))
		}
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		fixes = append(fixes, fix)
	}
	return fixes, first
}

func (c *Connector) rewrite(old Found) error {
	return c.change(old, func(f disk.File) error {
		text, err := c.point(old, old.Client, f.Data)
		if err != nil {
			return err
		}
		return c.replace(old.App, f, text)
	})
}

package state

import (
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"conch/driver"
)

// ComputerUseFile is the name of the document that says whether apps may be used.
const ComputerUseFile = "computer-use.json"

// AllowedApp is an app that the person answered Always for.
type AllowedApp struct {
	Versioned
	ID    driver.AppID `json:"id"`
	Name  string       `json:"name"`
	Since time.Time    `json:"since"`
}

type computerUseDoc struct {
	Versioned
	On   bool         `json:"on"`
	Apps []AllowedApp `json:"apps,omitempty"`
	// KeepGoing is the wish not to be paused for when the person takes the mouse or keyboard. Absent means pause.
	KeepGoing bool `json:"keepGoing,omitempty"`
}

// ComputerUse is the person's choice about using apps. Each method reads the file again, so that a change by
// the person, or a file that went bad, holds from the very next action. Absent and unreadable mean off.
type ComputerUse struct {
	file *File[computerUseDoc]
	now  func() time.Time
	log  *slog.Logger

	mu   sync.Mutex
	said string // the problem that was logged last, so that each is logged once
}

// NewComputerUse declares the document in d.
func NewComputerUse(d *Dir, now func() time.Time, log *slog.Logger) *ComputerUse {
	if now == nil {
		now = time.Now
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &ComputerUse{file: NewFile[computerUseDoc](d, ComputerUseFile, 1, log), now: now, log: log}
}

// On says whether apps may be used at all.
func (c *ComputerUse) On() bool { return c.read().On }

// Allowed says whether the person always allows an app. It is false while the switch is off.
func (c *ComputerUse) Allowed(id driver.AppID) bool {
	doc := c.read()
	return doc.On && id != "" && slices.ContainsFunc(doc.Apps, func(a AllowedApp) bool { return a.ID == id })
}

// Pauses says whether the person's mouse and keyboard pause what uses the computer.
func (c *ComputerUse) Pauses() bool { return !c.read().KeepGoing }

// SetPauses changes that. Only a person's own request may turn it off: the caller has made sure of that.
func (c *ComputerUse) SetPauses(on bool) error {
	return c.file.Change(func(d *computerUseDoc) error {
		d.KeepGoing = !on
		return nil
	})
}

// Apps lists the apps that are always allowed, by name.
func (c *ComputerUse) Apps() []AllowedApp {
	apps := c.read().Apps
	slices.SortFunc(apps, func(a, b AllowedApp) int {
		if a.Name != b.Name {
			if a.Name < b.Name {
				return -1
			}
			return 1
		}
		return a.Since.Compare(b.Since)
	})
	return apps
}

// Problem says why the document can't be read; nil when it can.
func (c *ComputerUse) Problem() error {
	_, err := c.file.Read()
	return err
}

// Set turns the switch. Only a person's own request may turn it on: the caller has made sure of that.
func (c *ComputerUse) Set(on bool) error {
	return c.file.Change(func(d *computerUseDoc) error {
		d.On = on
		return nil
	})
}

// Allow always allows an app from now on.
func (c *ComputerUse) Allow(id driver.AppID, name string) error {
	if id == "" {
		return errors.New("it isn't known which app this is, so it can't be remembered")
	}
	return c.file.Change(func(d *computerUseDoc) error {
		for i := range d.Apps {
			if d.Apps[i].ID == id {
				return nil
			}
		}
		d.Apps = append(d.Apps, AllowedApp{ID: id, Name: name, Since: c.now().UTC().Truncate(time.Second)})
		return nil
	})
}

// TakeBack asks about an app again, and says whether it was allowed.
func (c *ComputerUse) TakeBack(id driver.AppID) (was bool, err error) {
	err = c.file.Change(func(d *computerUseDoc) error {
		before := len(d.Apps)
		d.Apps = slices.DeleteFunc(d.Apps, func(a AllowedApp) bool { return a.ID == id })
		was = len(d.Apps) < before
		return nil
	})
	return was, err
}

func (c *ComputerUse) read() computerUseDoc {
	doc, err := c.file.Read()
	said := ""
	if err != nil {
		said = err.Error()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if said != "" && said != c.said {
		c.log.Warn("using apps is off", "why", said)
	}
	c.said = said
	return doc
}

// Package confirm is how the person shows that it's them before something is widened: by macOS (Touch ID or the
// login password) where the program offers that, and by a Conch password of their own elsewhere. Having shown it
// counts for ten minutes, in the one browser that it was shown from.
//
// It is off until the person turns it on. Once on, only who confirmed turns it off again, and a file that can't be
// read counts as on. The package serves nothing, never keeps or logs a password, and decides nothing about what
// needs confirming.
package confirm

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"conch/gateway/state"
)

const (
	// Lasts is how long a confirmation counts.
	Lasts = 10 * time.Minute
	// Tries is how many wrong passwords in a row are taken before everybody waits for Wait.
	Tries = 5
	// Wait is how long.
	Wait = 30 * time.Second

	// File is the name of the document.
	File = "access.json"

	mostSessions = 64
)

// Prompt has the system ask the person, who reads reason after "Conch is trying to". nil says that they confirmed.
type Prompt func(ctx context.Context, reason string) error

// How is the way in which a person confirms.
type How string

// The ways. The zero value is that nothing is asked.
const (
	Off        How = ""
	BySystem   How = "system"
	ByPassword How = "password"
)

var (
	// ErrNeeded says that the person has to confirm first.
	ErrNeeded = errors.New("confirm that it's you first")
	// ErrWrong says that the password was another one.
	ErrWrong = errors.New("that isn't the password")
	// ErrWait says that there were too many wrong ones.
	ErrWait = errors.New("too many wrong passwords; wait half a minute")
	// ErrWay says that confirming isn't done that way here.
	ErrWay = errors.New("confirming isn't done that way here")
)

type doc struct {
	state.Versioned
	Confirm How    `json:"confirm,omitempty"`
	Hash    string `json:"password,omitempty"` // argon2id, in its text form
}

// Confirm keeps who confirmed, and whether that is asked for. Make it with New.
type Confirm struct {
	file   *state.File[doc]
	prompt Prompt
	now    func() time.Time

	mu    sync.Mutex
	until map[string]time.Time // of a session
	wrong int                  // passwords in a row
	wait  time.Time

	hashing sync.Mutex // one at a time: each takes 64 MiB
}

// New declares the document in d. prompt is the system's own way; nil is none, so it is a password.
func New(d *state.Dir, prompt Prompt, now func() time.Time, log *slog.Logger) *Confirm {
	if now == nil {
		now = time.Now
	}
	return &Confirm{file: state.NewFile[doc](d, File, 1, log), prompt: prompt, now: now, until: map[string]time.Time{}}
}

// How says how a person confirms; Off when nothing is asked. With an error it isn't known, which counts as asked.
func (c *Confirm) How() (How, error) {
	d, err := c.file.Read()
	return d.Confirm, err
}

// Way is how a person would confirm once it is turned on.
func (c *Confirm) Way() How {
	if c.prompt != nil {
		return BySystem
	}
	return ByPassword
}

// Need is nil when session may widen something: nothing is asked for, or the person confirmed from there in the
// last ten minutes. Otherwise it is ErrNeeded, or why that can't be told.
func (c *Confirm) Need(session string) error {
	how, err := c.How()
	if err != nil {
		return err
	}
	if how == Off || c.confirmed(session) {
		return nil
	}
	return ErrNeeded
}

func (c *Confirm) confirmed(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.until[session].Sub(c.now())
	return session != "" && left > 0 && left <= Lasts
}

func (c *Confirm) confirm(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	for s, until := range c.until {
		if !until.After(now) || len(c.until) >= mostSessions {
			delete(c.until, s)
		}
	}
	if session != "" {
		c.until[session] = now.Add(Lasts)
	}
}

// Ask has the system ask the person. reason says what will change.
func (c *Confirm) Ask(ctx context.Context, session, reason string) error {
	if how, err := c.How(); err != nil || how == ByPassword || c.prompt == nil {
		return errors.Join(ErrWay, err)
	}
	if err := c.prompt(ctx, reason); err != nil {
		return err
	}
	c.confirm(session)
	return nil
}

// Password takes the Conch password.
func (c *Confirm) Password(session, password string) error {
	d, err := c.file.Read()
	if err != nil {
		return err
	}
	if d.Confirm != ByPassword {
		return ErrWay
	}
	c.hashing.Lock()
	defer c.hashing.Unlock()
	c.mu.Lock()
	waits := c.now().Before(c.wait)
	c.mu.Unlock()
	if waits {
		return ErrWait
	}
	ok := false
	if len(password) <= passwordMax {
		if ok, err = fits(d.Hash, password); err != nil {
			return err
		}
	}
	if !ok {
		c.failed()
		return ErrWrong
	}
	c.mu.Lock()
	c.wrong = 0
	c.mu.Unlock()
	c.confirm(session)
	return nil
}

func (c *Confirm) failed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wrong++; c.wrong >= Tries {
		c.wrong, c.wait = 0, c.now().Add(Wait)
	}
}

// TurnOn asks from now on. Where the way is a password it is set, and one that was set before is replaced: that
// takes a confirmation.
func (c *Confirm) TurnOn(session, password string) error {
	if err := c.Need(session); err != nil {
		return err
	}
	way := c.Way()
	hashed := ""
	if way == ByPassword {
		if err := CheckPassword(password); err != nil {
			return err
		}
		c.hashing.Lock()
		hashed = hash(password)
		c.hashing.Unlock()
	}
	return c.change(session, func(d *doc) { d.Confirm, d.Hash = way, hashed })
}

// TurnOff asks no more, once the person confirmed.
func (c *Confirm) TurnOff(session string) error {
	if err := c.Need(session); err != nil {
		return err
	}
	return c.change(session, func(d *doc) { d.Confirm, d.Hash = Off, "" })
}

// change writes the document, if the session still may: it is looked at again under the file's lock, where two
// changes at once can't cross. Whoever confirmed before confirms anew.
func (c *Confirm) change(session string, edit func(*doc)) error {
	err := c.file.Change(func(d *doc) error {
		if d.Confirm != Off && !c.confirmed(session) {
			return ErrNeeded
		}
		edit(d)
		return nil
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.until)
	c.wrong = 0
	return nil
}

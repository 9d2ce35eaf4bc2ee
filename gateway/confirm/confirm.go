// Package confirm is how the person shows that it's them before something is widened: by macOS (Touch ID or the
// login password) where the program offers that, and by a Conch password of their own elsewhere. Having shown it
// counts for ten minutes, in the one browser that it was shown from. The same password, and there is only one, is
// what a device elsewhere signs in with.
//
// For most things it is off until the person turns it on; once on, only who confirmed turns it off again, and a file
// that can't be read counts as on. What lets others in takes it always. So a password that is set guards something:
// only who confirmed replaces it. The package serves nothing, never keeps or logs a password, and decides nothing
// about what needs confirming.
package confirm

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"conch/gateway/access"
	"conch/gateway/access/keep"

	"golang.org/x/crypto/argon2"
)

const (
	// Lasts is how long a confirmation counts.
	Lasts = 10 * time.Minute

	mostSessions = 64
)

// Prompt has the system ask the person, who reads reason after "Conch is trying to". nil says that they confirmed.
type Prompt func(ctx context.Context, reason string) error

// How is the way in which a person confirms; the ways are keep's.
type How = keep.How

// The ways.
const (
	Off        = keep.Off
	BySystem   = keep.BySystem
	ByPassword = keep.ByPassword
)

var (
	// ErrNeeded says that the person has to confirm first.
	ErrNeeded = errors.New("confirm that it's you first")
	// ErrWrong says that the password was another one, or that none is set: nobody learns which.
	ErrWrong = errors.New("that isn't the password")
	// ErrWait says that there were too many wrong ones.
	ErrWait = errors.New("too many wrong passwords; wait")
	// ErrWay says that confirming isn't done that way here.
	ErrWay = errors.New("confirming isn't done that way here")
	// ErrNoPassword says that a Conch password has to be set first.
	ErrNoPassword = errors.New("set a Conch password first")
)

// Confirm keeps who confirmed, and whether that is asked for. Make it with New.
type Confirm struct {
	file   *keep.File
	prompt Prompt
	now    func() time.Time
	kdf    kdf

	confirms, signIns *access.Throttle

	mu    sync.Mutex
	until map[string]time.Time // of a session

	hashing sync.Mutex // one at a time: each takes 64 MiB
}

// New keeps the password in file. prompt is the system's own way; nil is none, so it is a password.
func New(file *keep.File, prompt Prompt, now func() time.Time) *Confirm {
	if now == nil {
		now = time.Now
	}
	return &Confirm{
		file: file, prompt: prompt, now: now, kdf: argon2.IDKey, until: map[string]time.Time{},
		confirms: access.NewThrottle(access.LimitConfirms, now), signIns: access.NewThrottle(access.LimitSignIns, now),
	}
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
	if how == Off || c.Confirmed(session) {
		return nil
	}
	return ErrNeeded
}

// Must is nil only when the person confirmed from session in the last ten minutes, also where they have not turned
// on that they are asked: it is for what lets others in. Where there is no way to confirm it is ErrNoPassword.
func (c *Confirm) Must(session string) error {
	d, err := c.file.Read()
	switch {
	case err != nil:
		return err
	case c.Confirmed(session):
		return nil
	case c.prompt == nil && !d.Password():
		return ErrNoPassword
	}
	return ErrNeeded
}

// HasPassword says whether a Conch password is set.
func (c *Confirm) HasPassword() (bool, error) {
	d, err := c.file.Read()
	return d.Password(), err
}

// Confirmed says whether the person confirmed from session in the last ten minutes.
func (c *Confirm) Confirmed(session string) bool {
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

// Password takes the Conch password, from an address; a right one confirms for session.
func (c *Confirm) Password(session string, from netip.Addr, password string) error {
	if err := c.check(c.confirms, from, password); err != nil {
		return err
	}
	c.confirm(session)
	return nil
}

// SignIn takes the Conch password of who signs in from elsewhere. It confirms nothing yet. Guesses there never
// keep the person from confirming here.
func (c *Confirm) SignIn(from netip.Addr, password string) error {
	return c.check(c.signIns, from, password)
}

// check compares a password with the one that is set. Whatever is wrong (another password, none set, a file that
// can't be read) it does the same work, and says the same; a try is counted before, so that none is free.
func (c *Confirm) check(tries *access.Throttle, from netip.Addr, password string) error {
	if !tries.Try(from) {
		return ErrWait
	}
	d, err := c.file.Read()
	c.hashing.Lock()
	defer c.hashing.Unlock()
	ok, hashErr := fits(c.kdf, d.Hash, password)
	if err := errors.Join(err, hashErr); err != nil {
		return errors.Join(ErrWrong, err)
	}
	if !ok {
		return ErrWrong
	}
	tries.Right(from)
	return nil
}

// TurnOn asks from now on. Where the way is a password and one is set, an empty one keeps it; setting another takes a
// confirmation.
func (c *Confirm) TurnOn(session, password string) error {
	if err := c.Need(session); err != nil {
		return err
	}
	d, err := c.file.Read()
	if err != nil {
		return err
	}
	way := c.Way()
	if way == BySystem || password == "" && d.Password() {
		return c.change(session, func(d *keep.Doc) { d.Confirm = way })
	}
	hashed, err := c.hash(password)
	if err != nil {
		return err
	}
	return c.change(session, func(d *keep.Doc) { d.Confirm, d.Hash = way, hashed })
}

// SetPassword sets the Conch password. Where one is set, or the system can ask, that takes a confirmation.
func (c *Confirm) SetPassword(session, password string) error {
	hashed, err := c.hash(password)
	if err != nil {
		return err
	}
	return c.change(session, func(d *keep.Doc) { d.Hash = hashed })
}

func (c *Confirm) hash(password string) (string, error) {
	if err := CheckPassword(password); err != nil {
		return "", err
	}
	c.hashing.Lock()
	defer c.hashing.Unlock()
	return hash(c.kdf, password), nil
}

// TurnOff asks no more, once the person confirmed. The password stays, for what always takes it.
func (c *Confirm) TurnOff(session string) error {
	if err := c.Need(session); err != nil {
		return err
	}
	return c.change(session, func(d *keep.Doc) { d.Confirm = Off })
}

// change writes the document, if the session still may: it is looked at again under the file's lock, where two
// changes at once can't cross. Whoever confirmed before confirms anew.
func (c *Confirm) change(session string, edit func(*keep.Doc)) error {
	err := c.file.Change(func(d *keep.Doc) error {
		before := *d
		edit(d)
		replaced := d.Hash != before.Hash && (before.Password() || c.prompt != nil)
		if (before.Confirm != Off || replaced) && !c.Confirmed(session) {
			return ErrNeeded
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.until)
	return nil
}

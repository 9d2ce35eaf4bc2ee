package pair

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"conch/gateway/state"
	"conch/mcp/wire"
)

// File is the document with the paired apps.
const File = "mcp/clients.json"

type doc struct {
	state.Versioned
	Clients []Client `json:"clients,omitempty"`
	// Elsewhere lets the apps that are marked remote in through the person's address. Absent is no.
	Elsewhere bool `json:"elsewhere,omitzero"`
}

// Options are what a Registry needs beside the folder.
type Options struct {
	Now  func() time.Time // nil is this computer's clock
	Rand io.Reader        // nil is the system's
	Log  *slog.Logger
	// Changed is told which client is another now, or gone; may be nil.
	Changed func(id string)
	// Proved is told which client's launcher proved itself just now; may be nil.
	Proved func(id string)
}

// Registry has the paired apps, their keys and their sessions. It is safe for several goroutines, and looks at its
// document again for each question, so that what the person takes away holds at once.
type Registry struct {
	dir  *state.Dir
	file *state.File[doc]
	opt  Options
	proof

	lastMu sync.Mutex
	last   *records // as they were read last; never edited
}

// Open declares the document in the folder.
func Open(dir *state.Dir, opt Options) (*Registry, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Rand == nil {
		opt.Rand = rand.Reader
	}
	if opt.Changed == nil {
		opt.Changed = func(string) {}
	}
	if opt.Proved == nil {
		opt.Proved = func(string) {}
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	r := &Registry{dir: dir, file: state.NewFile[doc](dir, File, 1, opt.Log), opt: opt}
	if err := r.proof.begin(opt.Rand, opt.Now); err != nil {
		return nil, err
	}
	for _, c := range r.List() { // so that no tool reaches a key
		dir.Declare(wire.KeyFile(c.ID))
	}
	return r, nil
}

// Problem says why the list can't be read; nil when it can.
func (r *Registry) Problem() error {
	_, err := r.file.Read()
	return err
}

// List returns the paired apps, in the order in which they were paired.
func (r *Registry) List() []Client {
	list := slices.Clone(r.read().list)
	for i := range list {
		list[i].Scopes = slices.Clone(list[i].Scopes)
	}
	return list
}

// Get returns a paired app as its record is now.
func (r *Registry) Get(id string) (Client, bool) {
	c, ok := r.read().byID[id]
	c.Scopes = slices.Clone(c.Scopes)
	return c, ok
}

// Elsewhere says whether apps that are marked may come in through the person's address.
func (r *Registry) Elsewhere() bool { return r.read().elsewhere }

// SetElsewhere changes that. The caller has made sure that a person may.
func (r *Registry) SetElsewhere(on bool) error {
	return r.file.Change(func(d *doc) error { d.Elsewhere = on; return nil })
}

// NewID makes an id for Pair, so that a person can be shown it before.
func (r *Registry) NewID() (string, error) {
	id, err := r.random(10)
	return strings.ToLower(base32.EncodeToString(id)), err
}

// ErrTaken says that there is an app with that id already.
var ErrTaken = errors.New("this id is taken")

// Pair makes a record and its key, with a new id where c has none. The caller has made sure that it is the person's wish. A launcher's key is kept in
// a file for it; any other app's is nowhere but in what is returned.
func (r *Registry) Pair(c Client) (Client, Key, error) {
	if c.ID == "" {
		id, err := r.NewID()
		if err != nil {
			return Client{}, "", err
		}
		c.ID = id
	}
	if _, taken := r.Get(c.ID); taken || !wire.ValidID(c.ID) {
		return Client{}, "", ErrTaken
	}
	secret, err := r.random(32)
	if err != nil {
		return Client{}, "", err
	}
	key := Key("cmcp." + c.ID + "." + base64.RawURLEncoding.EncodeToString(secret))
	c.KeyHash, c.Paired = hashOf(string(key)), r.opt.Now().UTC().Truncate(time.Second)
	if err := c.check(); err != nil {
		return Client{}, "", err
	}
	if c.Kind == Launcher {
		// The key comes first: a record without one would be an app that can never prove itself.
		if err := r.dir.Put(wire.KeyFile(c.ID), []byte(key)); err != nil {
			return Client{}, "", err
		}
	}
	err = r.file.Change(func(d *doc) error {
		if len(d.Clients) >= clientMax {
			return &Bad{fmt.Sprintf("There are %d paired apps already. Remove one first.", clientMax)}
		}
		d.Clients = append(d.Clients, c)
		return nil
	})
	if err != nil {
		return Client{}, "", errors.Join(err, r.dropKey(c))
	}
	r.opt.Changed(c.ID)
	return c, key, nil
}

func (r *Registry) dropKey(c Client) error {
	if c.Kind != Launcher {
		return nil
	}
	return r.dir.Drop(wire.KeyFile(c.ID))
}

// ErrGone says that no such app is paired, or not any more.
var ErrGone = errors.New("this app isn't paired")

// Change edits a record. may is asked, with the record as it was and as it would be, whether that goes ahead: it is
// where the person's confirmation is looked at when the app would get more.
func (r *Registry) Change(id string, edit func(*Client), may func(was, is Client) error) (Client, error) {
	var is Client
	err := r.file.Change(func(d *doc) error {
		i := slices.IndexFunc(d.Clients, func(c Client) bool { return c.ID == id })
		if i < 0 {
			return ErrGone
		}
		was := d.Clients[i]
		is = was
		is.Scopes = slices.Clone(was.Scopes)
		edit(&is)
		is.ID, is.KeyHash, is.Paired, is.Kind = was.ID, was.KeyHash, was.Paired, was.Kind
		if err := is.check(); err != nil {
			return err
		}
		if err := may(was, is); err != nil {
			return err
		}
		d.Clients[i] = is
		return nil
	})
	if err != nil {
		return Client{}, err
	}
	r.opt.Changed(id)
	return is, nil
}

// Remove ends a pairing: its record, its key and its sessions are gone when it returns. It says whether there was one.
func (r *Registry) Remove(id string) (was bool, err error) {
	var gone Client
	err = r.file.Change(func(d *doc) error {
		d.Clients = slices.DeleteFunc(d.Clients, func(c Client) bool {
			if c.ID == id {
				was, gone = true, c
			}
			return c.ID == id
		})
		return nil
	})
	r.end(id)
	if err != nil || !was {
		return false, err
	}
	r.opt.Changed(id)
	return true, r.dropKey(gone)
}

// keyOf reads a launcher's key, if it is still the one that was paired.
func (r *Registry) keyOf(c Client) (Key, bool) {
	data, err := r.dir.Get(wire.KeyFile(c.ID))
	if err != nil || !sameHash(c.KeyHash, string(data)) {
		return "", false
	}
	return Key(data), true
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func sameHash(hash, s string) bool {
	return subtle.ConstantTimeCompare([]byte(hash), []byte(hashOf(s))) == 1
}

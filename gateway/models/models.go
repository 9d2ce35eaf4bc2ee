package models

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/engine/compatible"
	"conch/gateway/engine/wire"
	"conch/gateway/secrets"
	"conch/gateway/state"
)

// File is the document with the places.
const File = "models.json"

//go:embed system.md
var system string

// System is what every assistant is told of itself, of Conch and of the computer.
func System() string { return strings.TrimSpace(system) }

// Place is an account with a provider, or a server of the person's own.
type Place struct {
	state.Versioned
	ID    string    `json:"id"`
	Kind  string    `json:"kind"`
	Name  string    `json:"name"`
	Base  string    `json:"base,omitempty"` // a server's address; empty: the kind's
	Added time.Time `json:"added"`
}

// Limits are what may be spent, in US dollars; zero is no limit.
type Limits struct {
	Turn float64 `json:"turn,omitzero"`
	Day  float64 `json:"day,omitzero"`
}

type doc struct {
	state.Versioned
	Places []Place `json:"places,omitempty"`
	// Default answers in a chat that names no model of its own: "place/model".
	Default string `json:"default,omitempty"`
	Limits  Limits `json:"limits,omitzero"`
	// Known is what was learned of the models that were chosen, so that a chat begins without asking their place.
	Known map[string]engine.Model `json:"known,omitempty"`
	// Blind are those that turned out not to take pictures.
	Blind []string `json:"blind,omitempty"`
}

// Spending sums up what was spent. *chat.Store is one.
type Spending interface {
	SpentSince(context.Context, time.Time) (chat.Spent, error)
	SpentIn(ctx context.Context, chat, turn string) (chat.Spent, error)
}

// Options are what Models need.
type Options struct {
	State   *state.Dir
	Secrets secrets.Secrets
	Spent   Spending
	HTTP    http.RoundTripper // nil: the shared one
	Retry   wire.Retry
	System  string // what this computer runs: "mac", "linux"
	Now     func() time.Time
	Log     *slog.Logger
}

// Models are the places of a person. It is safe for several goroutines.
type Models struct {
	opt  Options
	file *state.File[doc]

	mu    sync.Mutex
	open  map[string]engine.Place // engines by place, as long as it doesn't change
	asked map[string]Answer       // what a place said last, by place
}

// Open declares the document in the folder.
func Open(o Options) *Models {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Models{
		opt: o, file: state.NewFile[doc](o.State, File, 1, o.Log), open: map[string]engine.Place{}, asked: map[string]Answer{},
	}
}

// Bad says what is wrong with what a person put in.
type Bad struct{ Say, Next string }

func (e *Bad) Error() string { return e.Say }

// ErrNoPlace says that there is no such place.
var ErrNoPlace = errors.New("there is no such place")

// ErrNone says that no model was chosen.
var ErrNone = errors.New("no model was chosen")

// Problem says why the document can't be read; nil when it can.
func (m *Models) Problem() error {
	_, err := m.file.Read()
	return err
}

func (m *Models) read() doc {
	d, err := m.file.Read()
	if err != nil {
		m.opt.Log.Warn("no model answers, since their settings can't be read", "err", err)
	}
	return d
}

// Places lists them in the order in which they were added.
func (m *Models) Places() []Place { return m.read().Places }

// Keyed lists the places that have a key.
func (m *Models) Keyed() []Place {
	return slices.DeleteFunc(m.Places(), func(p Place) bool {
		_, err := m.opt.Secrets.Get(keyName(p.ID))
		return err != nil
	})
}

// Default is the model that answers where a chat names none; empty: none.
func (m *Models) Default() string { return m.read().Default }

// Limits are what may be spent.
func (m *Models) Limits() Limits { return m.read().Limits }

const (
	nameMax  = 40
	keyMax   = 1000
	placeMax = 30
)

// Add adds a place, with its key where it has one.
func (m *Models) Add(kind, name, base, key string) (Place, error) {
	k, ok := KindOf(kind)
	if !ok {
		return Place{}, &Bad{Say: "There is no such kind of place.", Next: "Load the page again."}
	}
	p := Place{Kind: kind, Name: clean(name), Added: m.opt.Now().UTC().Truncate(time.Second)}
	if p.Name == "" {
		p.Name = k.Name
	}
	if utf8.RuneCountInString(p.Name) > nameMax {
		return Place{}, &Bad{Say: fmt.Sprintf("That name is too long: at most %d characters.", nameMax), Next: "Pick a shorter one."}
	}
	if err := m.address(k, &p, base); err != nil {
		return Place{}, err
	}
	key, err := checkKey(k, key)
	if err != nil {
		return Place{}, err
	}
	p.ID = m.freeID(kind)
	if key != "" {
		if err := m.opt.Secrets.Set(keyName(p.ID), key); err != nil {
			return Place{}, &Bad{Say: "The key couldn't be kept " + m.opt.Secrets.Where() + ".", Next: "Nothing was added. Try again."}
		}
	}
	err = m.file.Change(func(d *doc) error {
		if len(d.Places) >= placeMax {
			return &Bad{Say: "There are too many places already.", Next: "Remove one first."}
		}
		d.Places = append(d.Places, p)
		return nil
	})
	if err != nil {
		return Place{}, errors.Join(err, m.opt.Secrets.Delete(keyName(p.ID)))
	}
	return p, nil
}

// address checks a server's address.
func (m *Models) address(k Kind, p *Place, base string) error {
	base = strings.TrimSpace(base)
	switch {
	case base == "" && k.ID == "server":
		return &Bad{Say: "It isn't said where the server is.", Next: "Give its address, such as http://localhost:1234."}
	case base == "":
		return nil
	case !k.Own:
		return &Bad{Say: k.Name + " is always at the same address.", Next: "Leave the address empty, or pick Another server."}
	}
	at, err := compatible.Address(base)
	if problem, ok := errors.AsType[*engine.Problem](err); ok {
		return &Bad{Say: problem.Say, Next: problem.Next}
	}
	if k.ID == "ollama" {
		at = strings.TrimSuffix(at, "/v1")
	}
	p.Base = at
	return err
}

func checkKey(k Kind, key string) (string, error) {
	key = strings.TrimSpace(key)
	switch {
	case key == "" && k.Key:
		return "", &Bad{Say: k.Name + " needs a key.", Next: "Get one at " + k.Keys + "."}
	case key != "" && k.Program != "":
		return "", &Bad{Say: k.Name + " takes no key: it is signed in by itself.", Next: "Leave the key empty."}
	case len(key) > keyMax, strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", &Bad{Say: "That isn't a key: it has spaces or signs in it that no key has.", Next: "Copy it again, and only it."}
	}
	return key, nil
}

func clean(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)), " ")
}

func keyName(place string) string { return "model-" + place }

func (m *Models) freeID(kind string) string {
	taken := m.Places()
	for i := 1; ; i++ {
		id := kind
		if i > 1 {
			id = fmt.Sprintf("%s-%d", kind, i)
		}
		if !slices.ContainsFunc(taken, func(p Place) bool { return p.ID == id }) {
			return id
		}
	}
}

// SetKey gives a place another key.
func (m *Models) SetKey(id, key string) error {
	p, k, err := m.place(id)
	if err != nil {
		return err
	}
	if key, err = checkKey(k, key); err != nil {
		return err
	}
	if key == "" {
		err = m.opt.Secrets.Delete(keyName(p.ID))
	} else {
		err = m.opt.Secrets.Set(keyName(p.ID), key)
	}
	m.forget(id)
	if err != nil {
		return &Bad{Say: "The key couldn't be kept " + m.opt.Secrets.Where() + ".", Next: "Try again, and test it then."}
	}
	return nil
}

// Remove removes a place and its key. Chats that used its models answer with the default from then on.
func (m *Models) Remove(id string) error {
	if _, _, err := m.place(id); err != nil {
		return err
	}
	err := m.file.Change(func(d *doc) error {
		d.Places = slices.DeleteFunc(d.Places, func(p Place) bool { return p.ID == id })
		if place, _ := split(d.Default); place == id {
			d.Default = ""
		}
		for name := range d.Known {
			if place, _ := split(name); place == id {
				delete(d.Known, name)
			}
		}
		return nil
	})
	m.forget(id)
	if err != nil {
		return err
	}
	return m.opt.Secrets.Delete(keyName(id))
}

func (m *Models) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.open, id)
	delete(m.asked, id)
}

func (m *Models) place(id string) (Place, Kind, error) {
	for _, p := range m.Places() {
		if p.ID == id {
			k, ok := KindOf(p.Kind)
			if !ok {
				return p, k, ErrNoPlace
			}
			return p, k, nil
		}
	}
	return Place{}, Kind{}, ErrNoPlace
}

// split takes the name of a model of a place apart: "anthropic/claude-opus-5-5".
func split(name string) (place, model string) {
	place, model, _ = strings.Cut(name, "/")
	return place, model
}

// SetLimits sets what may be spent.
func (m *Models) SetLimits(l Limits) error {
	if l.Turn < 0 || l.Day < 0 || l.Turn > 10_000 || l.Day > 10_000 || l.Turn != l.Turn || l.Day != l.Day {
		return &Bad{Say: "A limit is a number of dollars from 0 to 10,000.", Next: "0 is no limit."}
	}
	return m.file.Change(func(d *doc) error { d.Limits = l; return nil })
}

package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/engine/described"
	"conch/gateway/engine/wire"
	"conch/gateway/secrets"
)

// engine returns the engine of a place, for turns. A picture that its model can't see is put into words by another.
func (m *Models) engine(id string) (engine.Place, error) {
	m.mu.Lock()
	e := m.open[id]
	m.mu.Unlock()
	if e != nil {
		return e, nil
	}
	e, err := m.make(id, m.opt)
	if err != nil {
		return nil, err
	}
	e = described.New(described.Config{
		Place: e,
		Choose: func(ctx context.Context, asked engine.Model) (described.Describer, error) {
			return m.describer(ctx, id, asked)
		},
		Learned: func(_ context.Context, blind engine.Model) {
			if err := m.TurnedOutBlind(id, blind.ID); err != nil {
				m.opt.Log.Warn("that a model can't see could not be remembered", "err", err)
			}
		},
	})
	m.mu.Lock()
	m.open[id] = e
	m.mu.Unlock()
	return e, nil
}

// make makes the engine of a place with its key.
func (m *Models) make(id string, o Options) (engine.Place, error) {
	p, k, err := m.place(id)
	if err != nil {
		return nil, err
	}
	key, err := m.opt.Secrets.Get(keyName(id))
	if err != nil && !errors.Is(err, secrets.ErrNone) {
		return nil, &engine.Problem{Say: "The key for " + p.Name + " can't be read " + m.opt.Secrets.Where() + ".", Next: "Unlock it, or put the key into Settings → Models again.", Err: err}
	}
	if key == "" && k.Key {
		return nil, &engine.Problem{Kind: engine.BadKey, Say: "There is no key for " + p.Name + ".", Next: "Put one into Settings → Models."}
	}
	return k.open(p, wire.Secret(key), o), nil
}

// Choose notes what a model of a place is like, so that it can answer from now on, and makes it the default where
// that is asked for. The empty name takes the default away.
func (m *Models) Choose(ctx context.Context, name string, usual bool) error {
	if name == "" {
		if !usual {
			return nil
		}
		return m.file.Change(func(d *doc) error { d.Default = ""; return nil })
	}
	place, id := split(name)
	models, err := m.List(ctx, place, false)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(models, func(one engine.Model) bool { return one.ID == id })
	if i < 0 {
		return &engine.Problem{Kind: engine.NoModel, Say: "There is no such model any more.", Next: "Pick another one."}
	}
	return m.file.Change(func(d *doc) error {
		if d.Known == nil {
			d.Known = map[string]engine.Model{}
		}
		d.Known[name] = models[i] // where it turned out blind, Blind says so too
		if usual {
			d.Default = name
		}
		return nil
	})
}

// PlaceOf is the id of the place of a model's name.
func PlaceOf(name string) string {
	place, _ := split(name)
	return place
}

// Known is what was learned of a model that was chosen.
func (m *Models) Known(name string) (engine.Model, bool) {
	one, ok := m.read().Known[name]
	return one, ok
}

// Name is a model's name for a person: "Claude Opus 5.5"; empty when it isn't known.
func (m *Models) Name(name string) string {
	if one, ok := m.read().Known[name]; ok {
		if one.Name != "" {
			return one.Name
		}
		return one.ID
	}
	return ""
}

// Answers is the name of the model that answers in a chat for which own was chosen: that one while its place is
// there, or the default; empty: none.
func (m *Models) Answers(own string) string { return m.read().answers(own) }

func (d doc) answers(own string) string {
	if own != "" && slices.ContainsFunc(d.Places, func(p Place) bool { return p.ID == PlaceOf(own) }) {
		return own
	}
	return d.Default
}

// Pick returns what thinks for a chat's next turn: the chat's own model while its place is there, or the default.
// ErrNone says that there is neither; any other error is a *engine.Problem.
func (m *Models) Pick(ctx context.Context, c chat.Chat) (chat.Mind, error) {
	d := m.read()
	name := d.answers(c.Model)
	if name == "" {
		return chat.Mind{}, ErrNone
	}
	if err := m.dayLeft(ctx, d.Limits); err != nil {
		return chat.Mind{}, err
	}
	place, id := split(name)
	e, err := m.engine(place)
	if errors.Is(err, ErrNoPlace) {
		return chat.Mind{}, ErrNone
	}
	if err != nil {
		return chat.Mind{}, err
	}
	model, known := d.Known[name]
	if !known {
		model = engine.Model{ID: id, Name: id}
	}
	model.Sees = model.Sees && !slices.Contains(d.Blind, name)
	model.OnGrid = model.Sees && model.Computer == "" && onGrid(id)
	return chat.Mind{Engine: e, Model: model, System: System()}, nil
}

// Used says that a turn goes on after a request, or that it went over what the person set: a *engine.Problem.
func (m *Models) Used(ctx context.Context, chatID, turn string) error {
	l := m.Limits()
	if err := m.dayLeft(ctx, l); err != nil {
		return err
	}
	if l.Turn <= 0 {
		return nil
	}
	spent, err := m.opt.Spent.SpentIn(ctx, chatID, turn)
	if err != nil || spent.Dollars < l.Turn {
		return err
	}
	return &engine.Problem{
		Kind: engine.Limit, Say: fmt.Sprintf("This reply has cost $%.2f, which is your limit for one reply, so it stopped.", spent.Dollars),
		Next: "Send a message to go on, or raise the limit in Settings → Models.",
	}
}

func (m *Models) dayLeft(ctx context.Context, l Limits) error {
	if l.Day <= 0 {
		return nil
	}
	now := m.opt.Now().Local()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	spent, err := m.opt.Spent.SpentSince(ctx, midnight)
	if err != nil || spent.Dollars < l.Day {
		return err
	}
	return &engine.Problem{
		Kind: engine.Limit, Say: fmt.Sprintf("Today’s replies have cost $%.2f, which is your limit for a day.", spent.Dollars),
		Next: "It starts again at midnight, or raise the limit in Settings → Models.",
	}
}

// TurnedOutBlind remembers that a model doesn't take pictures, whatever its place says.
func (m *Models) TurnedOutBlind(place, model string) error {
	return m.file.Change(func(d *doc) error {
		if name := place + "/" + model; !slices.Contains(d.Blind, name) {
			d.Blind = append(d.Blind, name)
		}
		return nil
	})
}

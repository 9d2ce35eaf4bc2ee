package models

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"conch/gateway/engine"
	"conch/gateway/engine/described"
)

const (
	// listedFor is how long a place isn't asked again which models it has.
	listedFor = 10 * time.Minute
	// askFor is how long a place may take to say which models it has.
	askFor = 15 * time.Second
	// findFor is how long a server on this computer may take to show that it runs.
	findFor = 2 * time.Second
)

// Answer is what a place said when it was asked which models it has.
type Answer struct {
	Models  []engine.Model  // those of the last time that it worked
	Problem *engine.Problem // why it can't be used; nil when it can
	At      time.Time
}

// Last is what a place said when it was asked last. false says that it wasn't since Conch began, or since its key
// changed.
func (m *Models) Last(id string) (Answer, bool) {
	m.mu.Lock()
	a, ok := m.asked[id]
	m.mu.Unlock()
	a.Models = m.seeing(id, a.Models)
	return a, ok
}

// List asks a place which models it has. fresh asks again, which is also the test whether it can be used; otherwise
// the last answer does for a while. The error is a *engine.Problem, or ErrNoPlace.
func (m *Models) List(ctx context.Context, id string, fresh bool) ([]engine.Model, error) {
	if last, ok := m.Last(id); ok && !fresh && last.Problem == nil && m.opt.Now().Sub(last.At) < listedFor {
		return last.Models, nil
	}
	p, k, err := m.place(id)
	if err != nil {
		return nil, err
	}
	models, err := m.ask(ctx, p, k)
	a := Answer{Models: models, At: m.opt.Now()}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err // whoever asked went away, which says nothing of the place
		}
		a.Problem, _ = errors.AsType[*engine.Problem](err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		a.Models = m.asked[id].Models
		m.asked[id] = a
		return nil, err
	}
	m.asked[id] = a
	return m.seeing(id, models), nil
}

// ask asks once more at most: a person waits, or a chat that is to begin.
func (m *Models) ask(ctx context.Context, p Place, k Kind) ([]engine.Model, error) {
	o := m.opt
	if o.Retry.Max == 0 {
		o.Retry.Max = 1
	}
	e, err := m.make(p.ID, o)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	models, err := e.Models(within)
	if _, told := errors.AsType[*engine.Problem](err); err != nil && !told {
		return nil, engine.Where{Place: p.Name, Own: k.Own}.Problem(engine.Unreachable, err)
	}
	return models, err
}

// seeing is a place's models with what was learned of those that don't take pictures after all.
func (m *Models) seeing(id string, models []engine.Model) []engine.Model {
	blind := m.read().Blind
	out := slices.Clone(models)
	for i := range out {
		out[i].Sees = out[i].Sees && !slices.Contains(blind, id+"/"+out[i].ID)
	}
	return out
}

// Find looks which servers run on this computer, at their usual addresses, that aren't among the places yet.
func (m *Models) Find(ctx context.Context) []Kind {
	ctx, cancel := context.WithTimeout(ctx, findFor)
	defer cancel()
	var kinds []Kind
	for _, k := range Kinds() {
		if k.Own && k.Base != "" && !m.Has(k) {
			kinds = append(kinds, k)
		}
	}
	o := m.opt
	o.Retry.Max = -1
	runs := make([]bool, len(kinds))
	var all sync.WaitGroup
	for i, k := range kinds {
		all.Go(func() {
			_, err := k.open(Place{ID: k.ID, Kind: k.ID, Name: k.Name}, "", o).Models(ctx)
			problem, _ := errors.AsType[*engine.Problem](err)
			// One that asks for a key runs too.
			runs[i] = err == nil || problem != nil && problem.Kind == engine.BadKey
		})
	}
	all.Wait()
	var found []Kind
	for i, k := range kinds {
		if runs[i] {
			found = append(found, k)
		}
	}
	return found
}

// Has says whether a server at its usual address is among the places.
func (m *Models) Has(k Kind) bool {
	return slices.ContainsFunc(m.Places(), func(p Place) bool { return p.Kind == k.ID && (p.Base == "" || p.Base == k.Base) })
}

// describer picks who puts pictures into words for a model of a place that doesn't see: another model of that place,
// of a place of the same kind, or one on this computer. A picture of a chat whose model runs on this computer stays
// on it, and no picture goes to a company that the chat doesn't use.
func (m *Models) describer(ctx context.Context, id string, asked engine.Model) (described.Describer, error) {
	own, _, err := m.place(id)
	if err != nil {
		return described.Describer{}, err
	}
	places := slices.Clone(m.Places())
	rank := func(p Place) int {
		k, _ := KindOf(p.Kind)
		switch {
		case p.ID == id:
			return 0
		case p.Kind == own.Kind && !k.Own:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(places, func(a, b Place) int { return rank(a) - rank(b) })
	for _, p := range places {
		k, _ := KindOf(p.Kind)
		if rank(p) == 2 && !k.Own {
			continue
		}
		models, err := m.List(ctx, p.ID, false)
		if err != nil {
			continue // another place may do, and if none does it is said that nobody can
		}
		models = slices.DeleteFunc(models, func(one engine.Model) bool {
			return !one.Sees || p.ID == id && one.ID == asked.ID || !one.Local && (asked.Local || rank(p) == 2)
		})
		if len(models) == 0 {
			continue
		}
		e, err := m.make(p.ID, m.opt)
		if err != nil {
			continue
		}
		by := slices.MinFunc(models, cheaper)
		by.OnGrid = onGrid(by.ID)
		return described.Describer{Engine: e, Model: by}, nil
	}
	return described.Describer{}, described.ErrNone
}

// cheaper puts the model first that costs less; one whose price isn't known comes last.
func cheaper(a, b engine.Model) int {
	price := func(m engine.Model) float64 {
		switch {
		case m.Local:
			return 0
		case m.Price.In == 0 && m.Price.Out == 0:
			return 1e9
		}
		return m.Price.In + m.Price.Out
	}
	switch x, y := price(a), price(b); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

package anthropic

import (
	"context"
	"net/url"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

const (
	mostPages = 10
	pageSize  = "1000"
)

type supported struct {
	Supported bool `json:"supported"`
}

// modelInfo is what the API says of a model, as far as it matters here.
type modelInfo struct {
	ID           string `json:"id"`
	Name         string `json:"display_name"`
	Lifecycle    string `json:"lifecycle"`
	MaxIn        int    `json:"max_input_tokens"`
	MaxOut       int    `json:"max_tokens"`
	Capabilities *struct {
		Images   supported `json:"image_input"`
		Thinking struct {
			Types struct {
				Adaptive supported `json:"adaptive"`
				Disabled supported `json:"disabled"`
			} `json:"types"`
		} `json:"thinking"`
		Context struct {
			Clear supported `json:"clear_tool_uses_20250919"`
		} `json:"context_management"`
	} `json:"capabilities"`
}

// Models asks the API which models there are, newest first.
func (e *Engine) Models(ctx context.Context) ([]engine.Model, error) {
	var out []engine.Model
	after := ""
	for range mostPages {
		q := url.Values{"limit": {pageSize}}
		if after != "" {
			q.Set("after_id", after)
		}
		var page struct {
			Data []modelInfo `json:"data"`
			More bool        `json:"has_more"`
			Last string      `json:"last_id"`
		}
		if err := e.client.Get(ctx, wire.Request{Path: "/v1/models?" + q.Encode()}, &page); err != nil {
			return nil, err
		}
		for _, info := range page.Data {
			if info.ID == "" || info.Lifecycle == "retired" {
				continue
			}
			m, tr := info.model()
			e.learn(info.ID, tr)
			out = append(out, m)
		}
		if !page.More || page.Last == "" || page.Last == after {
			break
		}
		after = page.Last
	}
	return out, nil
}

// model is what is known of a model: what the API says, and by its name what the API doesn't.
func (i modelInfo) model() (engine.Model, traits) {
	g := generationOf(i.ID)
	tr := g.traits()
	m := engine.Model{
		ID: i.ID, Name: i.Name, Sees: g.version > 0, Tools: true, Window: i.MaxIn, MaxOut: i.MaxOut,
		Computer: g.computer(), Forgets: g.version > 0 && !g.binds(),
	}
	if m.Name == "" {
		m.Name = i.ID
	}
	if c := i.Capabilities; c != nil {
		m.Sees = c.Images.Supported
		tr = traits{adaptive: c.Thinking.Types.Adaptive.Supported, clears: c.Context.Clear.Supported}
		// Thinking that can't be turned off came with the models that bind it and take the toolset only.
		if tr.adaptive && !c.Thinking.Types.Disabled.Supported {
			m.Forgets, m.Computer = false, toolset
		}
	}
	if m.Sees {
		m.Picture = g.picture()
	} else {
		m.Computer = ""
	}
	if p, ok := priceOf(i.ID); ok {
		m.Price = p.price
	}
	return m, tr
}

func (e *Engine) learn(id string, tr traits) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known[id] = tr
}

// traits are what the API said of a model, or what its name says. A name that says nothing is asked about, once; no
// answer is no trait.
func (e *Engine) traits(ctx context.Context, id string) traits {
	e.mu.Lock()
	tr, ok := e.known[id]
	e.mu.Unlock()
	if ok {
		return tr
	}
	if g := generationOf(id); g.version > 0 {
		return g.traits()
	}
	once := *e.client
	once.Max = -1
	var info modelInfo
	if err := once.Get(ctx, wire.Request{Path: "/v1/models/" + url.PathEscape(id)}, &info); err != nil {
		return traits{} // the turn's own request says what is wrong
	}
	_, tr = info.model()
	e.learn(id, tr)
	return tr
}

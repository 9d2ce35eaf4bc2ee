package ollama

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// How long a transcript may become, in tokens. Memory for all of it is taken when a model is loaded, so the most that
// a model could do is more than most computers can give; what the person set for the model (num_ctx) always counts.
// Less would not hold a turn with pictures, and each change loads the model anew, so that it is the same for each turn.
const (
	usualWindow   = 32 << 10
	unknownWindow = 8 << 10 // of a server that doesn't say what a model can do
)

// maxModels is how many models are asked about.
const maxModels = 200

// Models asks the server which models there are and what each can do.
func (e *Engine) Models(ctx context.Context) ([]engine.Model, error) {
	var list struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := e.client.Get(ctx, wire.Request{Path: "/api/tags"}, &list); err != nil {
		return nil, err
	}
	var out []engine.Model
	for _, one := range list.Models[:min(len(list.Models), maxModels)] {
		m := engine.Model{ID: one.Name, Name: one.Name}
		s, err := e.show(ctx, m)
		if p, ok := errors.AsType[*engine.Problem](err); ok && p.Kind == engine.NoModel {
			continue // it was removed just now
		}
		if err != nil {
			return nil, err
		}
		if len(s.Can) > 0 && !slices.Contains(s.Can, "completion") {
			continue // it makes no chat
		}
		can := s.abilities(engine.Model{})
		m.Sees, m.Tools, m.Window, m.Forgets = can.sees, can.calls, s.window(), true
		m.Local = e.here && !s.remote()
		out = append(out, m)
	}
	return out, nil
}

// shown is what the server says about a model.
type shown struct {
	Can        []string                  `json:"capabilities"`
	Info       map[string]jsontext.Value `json:"model_info"`
	Parameters string                    `json:"parameters"` // lines of a name and a value, those that the person set
	Host       string                    `json:"remote_host"`
	Model      string                    `json:"remote_model"`
}

func (e *Engine) show(ctx context.Context, m engine.Model) (shown, error) {
	body, err := json.Marshal(map[string]string{"model": m.ID})
	if err != nil {
		return shown{}, engine.Where{Place: name, Own: true}.Problem(engine.NoModel, nil)
	}
	var s shown
	err = e.client.Get(ctx, wire.Request{Path: "/api/show", Body: body, Model: m.Name}, &s)
	return s, err
}

// remote says that the server only passes requests on, to Ollama's own computers.
func (s shown) remote() bool { return s.Host != "" || s.Model != "" }

// abilities are what a model can do.
type abilities struct{ sees, calls, thinks bool }

// abilities are what the server says, or where it is too old to say, what is known of the model.
func (s shown) abilities(m engine.Model) abilities {
	if len(s.Can) == 0 {
		return abilities{sees: m.Sees, calls: m.Tools}
	}
	has := func(c string) bool { return slices.Contains(s.Can, c) }
	return abilities{sees: has("vision"), calls: has("tools"), thinks: has("thinking")}
}

// window is how long a transcript may become, in tokens.
func (s shown) window() int {
	most := s.most()
	if s.remote() {
		return most
	}
	for line := range strings.Lines(s.Parameters) {
		f := strings.Fields(line)
		if len(f) == 2 && f[0] == "num_ctx" {
			if n, err := strconv.Atoi(f[1]); err == nil && n > 0 {
				if most > 0 {
					n = min(n, most)
				}
				return n
			}
		}
	}
	if most == 0 {
		return unknownWindow
	}
	return min(most, usualWindow)
}

// most is the longest transcript that the model was made for; 0 isn't known.
func (s shown) most() int {
	var kind string
	if json.Unmarshal(s.Info["general.architecture"], &kind) != nil {
		return 0
	}
	var n float64
	if json.Unmarshal(s.Info[kind+".context_length"], &n) != nil || !(n >= 1 && n <= 1<<30) {
		return 0
	}
	return int(n)
}

// loopback says whether an address is this very computer's.
func loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.Unmap().IsLoopback()
}

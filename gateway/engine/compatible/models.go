package compatible

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// listed is a model as a list names it. Only the id is there everywhere.
type listed struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// OpenRouter's
	Context int `json:"context_length"`
	Shape   *struct {
		In  []string `json:"input_modalities"`
		Out []string `json:"output_modalities"`
	} `json:"architecture"`
	Pricing struct {
		In    string `json:"prompt"`
		Out   string `json:"completion"`
		Read  string `json:"input_cache_read"`
		Write string `json:"input_cache_write"`
	} `json:"pricing"`
	Top struct {
		Out int `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Takes []string `json:"supported_parameters"`
	// vLLM's
	MaxLen int `json:"max_model_len"`
}

// Models asks the server which models it has. Whether one sees or calls tools isn't said everywhere. Where it isn't,
// it counts as if it did: trying is how to find out, and a refusal is a problem of the kind Blind.
func (e *Engine) Models(ctx context.Context) ([]engine.Model, error) {
	var list struct {
		Data []listed `json:"data"`
	}
	if err := e.client.Get(ctx, wire.Request{Path: "/models"}, &list); err != nil {
		return nil, err
	}
	more, err := e.more(ctx)
	if err != nil {
		return nil, err
	}
	var out []engine.Model
	for _, l := range list.Data {
		if m, ok := l.model(); ok {
			m.Local = local(e.server.Base) && !elsewhere(m.ID)
			if add, ok := more[l.ID]; ok {
				if m, ok = add.to(m); !ok {
					continue
				}
			}
			out = append(out, m)
		}
	}
	return out, nil
}

// elsewhere says whether a model of a server on this computer runs in a cloud after all.
func elsewhere(id string) bool {
	return strings.HasSuffix(id, "-cloud") || strings.HasSuffix(id, ":cloud")
}

func (l listed) model() (engine.Model, bool) {
	if l.ID == "" {
		return engine.Model{}, false
	}
	m := engine.Model{
		ID: l.ID, Name: l.Name, Sees: true, Tools: true, Window: max(l.Context, l.MaxLen, 0), MaxOut: max(l.Top.Out, 0),
		// Models of Anthropic's refuse a transcript that isn't the one they thought about.
		Forgets: !strings.HasPrefix(l.ID, "anthropic/"),
	}
	if m.Name == "" {
		m.Name = l.ID
	}
	if l.Shape != nil {
		if len(l.Shape.Out) > 0 && !slices.Contains(l.Shape.Out, "text") {
			return engine.Model{}, false
		}
		m.Sees = slices.Contains(l.Shape.In, "image")
	}
	if len(l.Takes) > 0 {
		m.Tools = slices.Contains(l.Takes, "tools")
	}
	m.Price = engine.Price{In: million(l.Pricing.In), Out: million(l.Pricing.Out), CacheRead: million(l.Pricing.Read), CacheMade: million(l.Pricing.Write)}
	return m, true
}

// million is the price of a million from the price of one, in dollars. What can't be a price isn't known.
func million(one string) float64 {
	n, err := strconv.ParseFloat(one, 64)
	if err != nil || !(n > 0 && n < 1) {
		return 0
	}
	return n * 1e6
}

// extra is what LM Studio tells of a model.
type extra struct {
	name   string
	kind   string
	sees   bool
	tools  bool
	window int
}

func (x extra) to(m engine.Model) (engine.Model, bool) {
	if x.kind == "embedding" || x.kind == "embeddings" {
		return m, false
	}
	if x.name != "" {
		m.Name = x.name
	}
	m.Sees, m.Tools, m.Window = x.sees, x.tools, max(x.window, 0)
	return m, true
}

// more asks LM Studio what it tells of its models. A server that doesn't know the question tells nothing.
func (e *Engine) more(ctx context.Context) (map[string]extra, error) {
	if e.server.Lists != LMStudio {
		return nil, nil
	}
	root, err := url.Parse(e.server.Base)
	if err != nil {
		return nil, nil
	}
	c := *e.client
	c.Base = root.Scheme + "://" + root.Host
	for _, ask := range []func(context.Context, *wire.Client) (map[string]extra, error){lmStudio1, lmStudio0} {
		got, err := ask(ctx, &c)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if p, ok := errors.AsType[*engine.Problem](err); ok && p.Kind == engine.BadKey {
			return nil, p
		}
		if err == nil && len(got) > 0 {
			return got, nil
		}
	}
	return nil, nil
}

// lmStudio1 reads the list of LM Studio 0.4 and later.
func lmStudio1(ctx context.Context, c *wire.Client) (map[string]extra, error) {
	var list struct {
		Models []struct {
			Key    string `json:"key"`
			Name   string `json:"display_name"`
			Kind   string `json:"type"`
			Window int    `json:"max_context_length"`
			Can    struct {
				Sees  bool `json:"vision"`
				Tools bool `json:"trained_for_tool_use"`
			} `json:"capabilities"`
			Loaded []struct {
				ID     string `json:"id"`
				Config struct {
					Window int `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
		} `json:"models"`
	}
	if err := c.Get(ctx, wire.Request{Path: "/api/v1/models"}, &list); err != nil {
		return nil, err
	}
	out := map[string]extra{}
	for _, m := range list.Models {
		x := extra{name: m.Name, kind: m.Kind, sees: m.Can.Sees, tools: true, window: m.Window}
		// A model that wasn't trained for tools is still given them: LM Studio has a way of its own to ask for calls.
		out[m.Key] = x
		for _, l := range m.Loaded { // one that runs may have been given less room
			if l.Config.Window > 0 {
				x.window = l.Config.Window
			}
			out[l.ID] = x
			if l.ID == m.Key {
				out[m.Key] = x
			}
		}
	}
	return out, nil
}

// lmStudio0 reads the list of older ones.
func lmStudio0(ctx context.Context, c *wire.Client) (map[string]extra, error) {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Kind   string `json:"type"`
			Window int    `json:"max_context_length"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	if err := c.Get(ctx, wire.Request{Path: "/api/v0/models"}, &list); err != nil {
		return nil, err
	}
	out := map[string]extra{}
	for _, m := range list.Data {
		x := extra{kind: m.Kind, sees: m.Kind == "vlm", tools: true, window: m.Window}
		if m.Loaded > 0 {
			x.window = m.Loaded
		}
		out[m.ID] = x
	}
	return out, nil
}

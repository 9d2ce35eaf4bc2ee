package openai

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// Names of OpenAI's own computer tools, for engine.Model.Computer.
const (
	newComputer = "computer"
	oldComputer = "computer_use_preview"
)

// known is what the list of models doesn't say.
type known struct {
	name     string
	window   int
	out      int
	computer string
	// forgets: from GPT-6 on, reasoning is withheld from a model when what came before it has changed, so pictures
	// stay where they are.
	forgets bool
	price   engine.Price
}

// table is from developers.openai.com/api/docs/models and /pricing, and resellers' pages where those weren't at hand
// (docs.litellm.ai, vercel.com/ai-gateway), as of November 2026. Prices are those of the usual service below 272,000
// tokens; a longer request costs up to twice as much, which Conch's turns don't reach. Where the price of the cache
// isn't known it is left out, and counts as the usual one.
var table = map[string]known{
	"gpt-6.2-astra": {"GPT-6.2 Astra", 1_050_000, 128_000, newComputer, false, engine.Price{In: 8, Out: 40}},
	"gpt-6.2-sol":   {"GPT-6.2 Sol", 1_050_000, 128_000, newComputer, false, engine.Price{}},
	"gpt-6-astra":   {"GPT-6 Astra", 1_050_000, 128_000, newComputer, false, engine.Price{In: 10, Out: 50, CacheRead: 1, CacheMade: 12.5}},
	"gpt-6.1-sol":   {"GPT-6.1 Sol", 1_050_000, 128_000, newComputer, false, engine.Price{In: 2, Out: 10, CacheRead: 0.1, CacheMade: 2.5}},
	"gpt-6.1-terra": {"GPT-6.1 Terra", 1_050_000, 128_000, newComputer, false, engine.Price{In: 1, Out: 5, CacheRead: 0.05, CacheMade: 1.25}},
	"gpt-6-sol":     {"GPT-6 Sol", 1_050_000, 128_000, newComputer, false, engine.Price{In: 2, Out: 10, CacheRead: 0.2, CacheMade: 2.5}},
	"gpt-6-luna":    {"GPT-6 Luna", 1_050_000, 128_000, newComputer, false, engine.Price{In: 0.1, Out: 0.5, CacheRead: 0.01, CacheMade: 0.125}},
	"gpt-5.6-sol":   {"GPT-5.6 Sol", 1_050_000, 128_000, newComputer, true, engine.Price{In: 4, Out: 20, CacheRead: 0.4, CacheMade: 5}},
	"gpt-5.6-terra": {"GPT-5.6 Terra", 1_050_000, 128_000, newComputer, true, engine.Price{In: 2, Out: 12, CacheRead: 0.2, CacheMade: 2.5}},
	"gpt-5.6-luna":  {"GPT-5.6 Luna", 1_050_000, 128_000, newComputer, true, engine.Price{In: 0.2, Out: 1.2, CacheRead: 0.02, CacheMade: 0.25}},
	"gpt-5.5":       {"GPT-5.5", 1_050_000, 128_000, newComputer, true, engine.Price{In: 5, Out: 30, CacheRead: 0.5}},
	"gpt-5.4":       {"GPT-5.4", 1_050_000, 128_000, newComputer, true, engine.Price{In: 2.5, Out: 15, CacheRead: 0.25}},
	"gpt-5.4-mini":  {"GPT-5.4 mini", 400_000, 128_000, newComputer, true, engine.Price{In: 0.75, Out: 4.5, CacheRead: 0.075}},
	// The smallest one sees, but isn't listed with a computer tool: it gets Conch's.
	"gpt-5.4-nano":         {"GPT-5.4 nano", 400_000, 128_000, "", true, engine.Price{In: 0.2, Out: 1.25, CacheRead: 0.02}},
	"computer-use-preview": {"Computer use (preview)", 8_192, 1_024, oldComputer, true, engine.Price{In: 3, Out: 12}},
}

// picture is the largest picture that none of the table's models makes smaller, at any detail.
var picture = tool.Limits{Edge: 2048, Tile: 32, Tiles: 2500}

// small is the largest picture that no model makes smaller, whether it measures in tiles or by its shorter side.
var small = tool.Limits{Edge: 1024, Area: 1024 * 768, Tile: 32, Tiles: 1536}

// family are the models that see, all of them since GPT-5. One that turns out not to is a problem of the kind Blind.
var family = regexp.MustCompile(`^gpt-([5-9]|\d\d)`)

// dated is the end of a model's name that says which state of it is meant: "-2026-04-23".
var dated = regexp.MustCompile(`-\d{4}-\d{2}-\d{2}$`)

func lookUp(id string) (known, bool) {
	k, ok := table[dated.ReplaceAllString(id, "")]
	return k, ok
}

// detailOf is how a picture is asked to be looked at: as it is, where the model is known to have that.
func detailOf(id string) responses.ResponseInputImageContentDetail {
	if k, ok := lookUp(id); ok && k.computer != oldComputer {
		return responses.ResponseInputImageContentDetailOriginal
	}
	return responses.ResponseInputImageContentDetailHigh
}

// Models asks OpenAI which models the account has. What it isn't known to do, a model doesn't do.
func (e *Engine) Models(ctx context.Context) ([]engine.Model, error) {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := e.client.Get(ctx, wire.Request{Path: "/v1/models"}, &list); err != nil {
		return nil, err
	}
	var out []engine.Model
	for _, m := range list.Data {
		if answers(m.ID) {
			out = append(out, model(m.ID))
		}
	}
	slices.SortStableFunc(out, func(a, b engine.Model) int { return strings.Compare(b.ID, a.ID) })
	return out, nil
}

func model(id string) engine.Model {
	k, ok := lookUp(id)
	if !ok {
		m := engine.Model{ID: id, Name: id, Tools: true, Sees: family.MatchString(id)}
		if m.Sees {
			m.Picture = small
		}
		return m
	}
	m := engine.Model{
		ID: id, Name: k.name, Sees: true, Tools: true, Window: k.window, MaxOut: k.out, Picture: picture,
		Computer: k.computer, Forgets: k.forgets, Price: k.price,
	}
	if day := strings.TrimPrefix(dated.FindString(id), "-"); day != "" {
		m.Name += " (" + day + ")"
	}
	return m
}

// other are words in the names of models that answer with something else than words, or not over Responses.
var other = []string{
	"audio", "realtime", "live", "transcribe", "tts", "image", "search", "instruct", "embedding", "moderation", "deep-research",
}

// answers says whether a model is one to talk to.
func answers(id string) bool {
	if _, ok := lookUp(id); ok {
		return true
	}
	for _, word := range other {
		if strings.Contains(id, word) {
			return false
		}
	}
	for _, start := range []string{"gpt-", "chatgpt-", "o1", "o3", "o4"} {
		if strings.HasPrefix(id, start) {
			return true
		}
	}
	return false
}

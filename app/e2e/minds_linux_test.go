package e2e

import (
	"net/http"
	"slices"
	"testing"

	"conch/gateway/engine/anthropic/anthropictest"
	"conch/gateway/engine/compatible/compatibletest"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/gemini/geminitest"
	"conch/gateway/engine/ollama/ollamatest"
	"conch/gateway/engine/openai/openaitest"
	"conch/gateway/models"
	"conch/gateway/secrets"
	"conch/gateway/state"
)

// mindKey is a key that each of the servers takes, but for Anthropic's, which has its own.
const mindKey = "test-key-0123456789"

// mind is a model of a strict server on this computer, as a place of the person's.
type mind struct {
	name  string
	kind  string // of the place
	model string
	key   string
	blind bool // it can't see, so another model of the place puts pictures into words
	cells bool // it names points by cells of a grid
	serve func(testing.TB, enginetest.Brain) served
}

// served is a server that runs.
type served struct {
	base    string
	refused func() int // how many requests it refused so far
}

func some[T any](list func() []T) func() int { return func() int { return len(list()) } }

// minds are one of each engine and dialect.
func minds() []mind {
	anthropic := func(name, model string) mind {
		return mind{name: "anthropic " + name, kind: "anthropic", model: model, key: anthropictest.Key, serve: func(t testing.TB, b enginetest.Brain) served {
			s := anthropictest.New(t, model, b)
			return served{s.URL, some(s.Refused)}
		}}
	}
	openai := func(name, model string, native, old bool) mind {
		return mind{name: "openai " + name, kind: "openai", model: model, key: mindKey, serve: func(t testing.TB, b enginetest.Brain) served {
			s := openaitest.New(t, openaitest.Options{Key: mindKey, Models: []string{model}, Brain: b, Native: native, Old: old})
			return served{s.URL, some(s.Refused)}
		}}
	}
	gemini := func(name, model string) mind {
		return mind{name: "gemini " + name, kind: "gemini", model: model, key: mindKey, serve: func(t testing.TB, b enginetest.Brain) served {
			s := geminitest.New(t, mindKey, b)
			return served{s.URL, some(s.Refused)}
		}}
	}
	ollama := func(name, model string, blind bool) mind {
		return mind{name: "ollama " + name, kind: "ollama", model: model, blind: blind, serve: func(t testing.TB, b enginetest.Brain) served {
			s := ollamatest.New(t, b)
			s.Models = slices.DeleteFunc(ollamatest.Models(), func(m ollamatest.Model) bool { return m.Name != model && m.Name != seer })
			return served{s.URL, some(s.Refused)}
		}}
	}
	inCells := func(m mind) mind { m.cells = true; return m }
	return []mind{
		anthropic("toolset", "claude-opus-4-8"),
		anthropic("toolset that binds", "claude-opus-5-5"),
		anthropic("older tool", "claude-haiku-4-5-20251001"),
		openai("computer", "gpt-6-astra", true, false),
		openai("function, small pictures", "gpt-9-nobody-knows", false, false),
		openai("preview", "computer-use-preview", true, true),
		gemini("computer", "gemini-3.5-flash"),
		inCells(gemini("function", "gemini-3.1-pro-preview")),
		gemini("preview", "gemini-2.5-computer-use-preview-10-2025"),
		inCells(ollama("that sees", seer, false)),
		ollama("in words", "qwen3:4b", true),
		{name: "chat completions", kind: "server", model: "little-model", key: mindKey, serve: func(t testing.TB, b enginetest.Brain) served {
			s := compatibletest.New(t, compatibletest.Options{Key: mindKey, Models: []string{"little-model"}, Brain: b})
			return served{s.URL, some(s.Refused)}
		}},
	}
}

// seer is the model that sees, where another is blind.
const seer = "qwen3-vl:8b"

// moved is where places are kept, with the addresses of providers that a person can't change.
type moved struct {
	state.Versioned
	Places []models.Place `json:"places"`
}

// folder opens a person's folder beside Conch.
func (d *desk) folder() (dir *state.Dir, done func()) {
	d.t.Helper()
	dir, err := state.Open(d.home)
	if err != nil {
		d.t.Fatal(err)
	}
	return dir, func() { _ = dir.Close() }
}

// add makes a server a place of the person's, under a name, before Conch begins.
func (d *desk) add(id string, m mind, base string) {
	d.t.Helper()
	dir, done := d.folder()
	defer done()
	err := state.NewFile[moved](dir, models.File, 1, nil).Change(func(all *moved) error {
		all.Places = append(all.Places, models.Place{ID: id, Kind: m.kind, Name: m.name, Base: base})
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	if m.key == "" {
		return
	}
	if err := secrets.Files(dir).Set("model-"+id, m.key); err != nil {
		d.t.Fatal(err)
	}
}

// choose makes a model the one that answers, as Settings does: its place is asked what it is like.
func (d *desk) choose(id, model string) {
	d.t.Helper()
	dir, done := d.folder()
	defer done()
	via := &http.Transport{}
	defer via.CloseIdleConnections()
	places := models.Open(models.Options{State: dir, Secrets: secrets.Files(dir), HTTP: via})
	if err := places.Choose(d.t.Context(), id+"/"+model, true); err != nil {
		d.t.Fatalf("%s/%s: %v", id, model, err)
	}
}

package models

import (
	"slices"

	"conch/gateway/engine"
	"conch/gateway/engine/anthropic"
	"conch/gateway/engine/claudecode"
	"conch/gateway/engine/codex"
	"conch/gateway/engine/compatible"
	"conch/gateway/engine/gemini"
	"conch/gateway/engine/ollama"
	"conch/gateway/engine/openai"
	"conch/gateway/engine/program"
	"conch/gateway/engine/wire"
)

// Kind is a kind of place, as Settings offers it.
type Kind struct {
	ID   string
	Name string // "Anthropic"
	// Keys is where a person gets a key, for them; empty: it has none.
	Keys string
	// Key says that it needs one; Own that it is a server of the person's, whose address they may change.
	Key, Own bool
	Base     string // the usual address of a server; empty where it is the provider's
	// Program is the person's own program that thinks, by its name on PATH; it is signed in by itself and takes no key.
	Program string

	open func(p Place, key wire.Secret, o Options) engine.Place
}

func server(id string) compatible.Server {
	all := compatible.Servers()
	return all[slices.IndexFunc(all, func(s compatible.Server) bool { return s.ID == id })]
}

// compatibleAt opens a server that speaks Chat Completions.
func compatibleAt(s compatible.Server) func(Place, wire.Secret, Options) engine.Place {
	return func(p Place, key wire.Secret, o Options) engine.Place {
		s := s
		if p.Base != "" {
			s.Base = p.Base
		}
		if p.Kind == "server" {
			s.ID, s.Name = p.ID, p.Name
		}
		return compatible.New(compatible.Config{Server: s, Key: key, HTTP: o.HTTP, Retry: o.Retry})
	}
}

// Kinds lists the kinds in the order in which they are offered.
func Kinds() []Kind {
	return []Kind{
		{ID: "anthropic", Name: "Anthropic", Keys: "console.anthropic.com, Settings, API keys", Key: true, open: func(p Place, key wire.Secret, o Options) engine.Place {
			return anthropic.New(anthropic.Config{Key: key, Base: p.Base, HTTP: o.HTTP, Retry: o.Retry})
		}},
		{ID: "openai", Name: "OpenAI", Keys: "platform.openai.com, API keys", Key: true, open: func(p Place, key wire.Secret, o Options) engine.Place {
			return openai.New(openai.Config{Key: key, Base: p.Base, HTTP: o.HTTP, Retry: o.Retry, System: o.System})
		}},
		{ID: "gemini", Name: "Gemini", Keys: "aistudio.google.com, Get API key", Key: true, open: func(p Place, key wire.Secret, o Options) engine.Place {
			return gemini.New(gemini.Config{Key: key, Base: p.Base, HTTP: o.HTTP, Retry: o.Retry})
		}},
		{ID: "openrouter", Name: "OpenRouter", Keys: "openrouter.ai, Keys", Key: true, open: compatibleAt(server("openrouter"))},
		{ID: "ollama", Name: "Ollama", Own: true, Base: ollama.Base, open: func(p Place, key wire.Secret, o Options) engine.Place {
			return ollama.New(ollama.Config{Base: p.Base, Key: key, HTTP: o.HTTP, Retry: o.Retry})
		}},
		{ID: "lmstudio", Name: "LM Studio", Own: true, Base: server("lmstudio").Base, open: compatibleAt(server("lmstudio"))},
		{ID: "vllm", Name: "vLLM", Own: true, Base: server("vllm").Base, open: compatibleAt(server("vllm"))},
		{ID: "server", Name: "Another server", Own: true, open: compatibleAt(compatible.Server{Own: true})},
		{ID: "claude-code", Name: "Claude Code", Program: claudecode.Program, open: func(Place, wire.Secret, Options) engine.Place {
			return claudecode.New(claudecode.Config{})
		}},
		{ID: "codex", Name: "Codex", Program: codex.Program, open: func(Place, wire.Secret, Options) engine.Place {
			return codex.New(codex.Config{})
		}},
	}
}

// Missing says what places of a kind lack on this computer, and what to do about it; nil where they lack nothing.
func (k Kind) Missing() *engine.Problem {
	if k.Program == "" {
		return nil
	}
	if _, ok := program.Find(k.Program); !ok {
		return program.Who{Name: k.Name}.Absent()
	}
	return nil
}

// KindOf returns a kind by its id.
func KindOf(id string) (Kind, bool) {
	all := Kinds()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.ID == id })
	if i < 0 {
		return Kind{}, false
	}
	return all[i], true
}

package anthropic_test

import (
	"testing"

	"conch/gateway/engine"
	"conch/gateway/engine/anthropic"
	"conch/gateway/engine/anthropic/anthropictest"
	"conch/gateway/engine/enginetest"
	"conch/gateway/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func suite(m engine.Model) enginetest.Case {
	return enginetest.Case{
		New: func(_ *testing.T, s enginetest.Setup) engine.Engine {
			return anthropic.New(anthropic.Config{Key: s.Key, Base: s.Base, HTTP: s.HTTP, Retry: s.Retry})
		},
		Model:  m,
		Encode: func(a enginetest.Answer) [][]byte { return anthropictest.Encode(a, m.Computer) },
		Type:   "text/event-stream", Read: anthropictest.Read(m.ID), Faults: anthropictest.Faults(),
		Unknown: anthropictest.Unknown, Broken: anthropictest.Broken, Stops: true,
	}
}

func TestToolset(t *testing.T) {
	enginetest.Run(t, suite(engine.Model{
		ID: "claude-opus-4-8", Name: "Claude Opus 4.8", Sees: true, Tools: true, MaxOut: 128_000, Computer: anthropictest.Toolset, Forgets: true,
	}))
}

func TestToolsetThatBinds(t *testing.T) {
	enginetest.Run(t, suite(engine.Model{
		ID: "claude-opus-5-5", Name: "Claude Opus 5.5", Sees: true, Tools: true, MaxOut: 128_000, Computer: anthropictest.Toolset,
	}))
}

func TestOlderTool(t *testing.T) {
	enginetest.Run(t, suite(engine.Model{ID: "claude-haiku-4-5-20251001", Sees: true, Tools: true, Computer: anthropictest.Computer2501, Forgets: true}))
}

func TestOlderToolThatZooms(t *testing.T) {
	enginetest.Run(t, suite(engine.Model{ID: "claude-sonnet-4-6", Sees: true, Tools: true, Computer: anthropictest.Computer2511, Forgets: true}))
}

func TestGeneralTool(t *testing.T) {
	enginetest.Run(t, suite(engine.Model{ID: "claude-sonnet-4-6", Sees: true, Tools: true, Forgets: true}))
}

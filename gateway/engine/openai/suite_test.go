package openai_test

import (
	"testing"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/openai"
	"conch/gateway/engine/openai/openaitest"
	"conch/gateway/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func suite(m engine.Model, style openaitest.Style) enginetest.Case {
	style.Brief = true
	return enginetest.Case{
		New: func(_ *testing.T, s enginetest.Setup) engine.Engine {
			return openai.New(openai.Config{Key: s.Key, Base: s.Base, HTTP: s.HTTP, Retry: s.Retry})
		},
		Model: m,
		Encode: func(a enginetest.Answer) [][]byte {
			frames, _ := openaitest.Encode(a, style)
			return frames
		},
		Type: "text/event-stream", Read: openaitest.Read, Faults: openaitest.Faults(),
		Unknown: openaitest.Unknown, Broken: openaitest.Broken, Stops: true, Joined: style.Native && !style.Old, Pictured: style.Native,
	}
}

func TestFunction(t *testing.T) {
	enginetest.Run(t, suite(engine.Model{ID: "gpt-5.4-nano", Sees: true, Tools: true, Forgets: true}, openaitest.Style{}))
}

func TestComputer(t *testing.T) {
	enginetest.Run(t, suite(
		engine.Model{ID: "gpt-6-astra", Name: "GPT-6 Astra", Sees: true, Tools: true, Computer: "computer"}, openaitest.Style{Native: true}))
}

func TestSuitePreview(t *testing.T) {
	enginetest.Run(t, suite(preview, openaitest.Style{Native: true, Old: true}))
}

func TestComputerForgets(t *testing.T) {
	enginetest.Run(t, suite(
		engine.Model{ID: "gpt-5.6-sol", Sees: true, Tools: true, Computer: "computer", Forgets: true}, openaitest.Style{Native: true}))
}

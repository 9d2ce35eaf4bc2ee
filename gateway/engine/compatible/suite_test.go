package compatible_test

import (
	"testing"

	"conch/gateway/engine"
	"conch/gateway/engine/compatible"
	"conch/gateway/engine/compatible/compatibletest"
	"conch/gateway/engine/enginetest"
	"conch/gateway/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func suite(m engine.Model, style compatibletest.Style) enginetest.Case {
	return enginetest.Case{
		New: func(_ *testing.T, s enginetest.Setup) engine.Engine {
			return compatible.New(compatible.Config{
				Server: compatible.Server{ID: "x", Name: "The server", Base: s.Base + "/v1"}, Key: s.Key, HTTP: s.HTTP, Retry: s.Retry,
			})
		},
		Model:  m,
		Encode: func(a enginetest.Answer) [][]byte { return compatibletest.Encode(a, style) },
		Type:   "text/event-stream", Read: compatibletest.Read, Faults: compatibletest.Faults(),
		Unknown: compatibletest.Unknown, Broken: compatibletest.Broken, Stops: true,
	}
}

func TestSuite(t *testing.T) {
	enginetest.Run(t, suite(engine.Model{ID: "m", Sees: true, Tools: true, Forgets: true}, compatibletest.Style{}))
}

func TestSuiteOdd(t *testing.T) {
	enginetest.Run(t, suite(engine.Model{ID: "m", Sees: true, Tools: true}, compatibletest.Style{
		Thinks: compatibletest.InText, OneSlot: true, Stop: true, Empty: true, Signed: true, Parts: true,
	}))
}

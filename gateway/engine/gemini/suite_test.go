package gemini_test

import (
	"context"
	"iter"
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/gemini"
	"conch/gateway/engine/gemini/geminitest"
	"conch/gateway/leaktest"
)

func TestMain(m *testing.M) {
	// The shapes of Google's own module are compared with; it begins a goroutine that never ends.
	leaktest.Main(m, goleak.IgnoreAnyFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// TestSuite holds the engine to what every engine must hold: with Google's computer tool and pictures inside answers,
// with Conch's and pictures beside them, and with the computer tool of the preview.
func TestSuite(t *testing.T) {
	all := geminitest.Models()
	for _, m := range []geminitest.Model{all[0], all[2], all[3]} {
		t.Run(m.ID, func(t *testing.T) { enginetest.Run(t, suite(m)) })
	}
}

func suite(m geminitest.Model) enginetest.Case {
	dialect := func() *geminitest.Dialect { return &geminitest.Dialect{Model: m, W: 64, H: 48} }
	return enginetest.Case{
		New: func(_ *testing.T, s enginetest.Setup) engine.Engine {
			e := gemini.New(gemini.Config{Base: s.Base, Key: s.Key, HTTP: s.HTTP, Retry: s.Retry})
			if m.Computer != "" {
				return looked{e}
			}
			return e
		},
		Model:  engine.Model{ID: m.ID, Name: m.Title, Sees: true, Tools: true, Computer: m.Computer, Forgets: true},
		Encode: func(a enginetest.Answer) [][]byte { return dialect().Encode(a) },
		Type:   "text/event-stream",
		Read:   func(body []byte) (enginetest.Seen, error) { return dialect().Read(body) },
		Faults: map[engine.ProblemKind]enginetest.Fault{
			engine.BadKey:   {Status: http.StatusBadRequest, Body: `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key. %s","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`},
			engine.NoModel:  {Status: http.StatusNotFound, Body: `{"error":{"code":404,"message":"models/x is not found for API version v1beta. %s","status":"NOT_FOUND"}}`},
			engine.TooLong:  {Status: http.StatusBadRequest, Body: `{"error":{"code":400,"message":"The input token count (1048999) exceeds the maximum number of tokens allowed (1048576). %s","status":"INVALID_ARGUMENT"}}`},
			engine.Busy:     {Status: http.StatusServiceUnavailable, Body: `{"error":{"code":503,"message":"The model is overloaded. Please try again later. %s","status":"UNAVAILABLE"}}`},
			engine.Blind:    {Status: http.StatusBadRequest, Body: `{"error":{"code":400,"message":"Image input modality is not enabled for models/x. %s","status":"INVALID_ARGUMENT"}}`},
			engine.NoCredit: {Status: http.StatusTooManyRequests, Body: `{"error":{"code":429,"message":"Your prepayment credits are depleted. %s","status":"RESOURCE_EXHAUSTED"}}`},
		},
		Unknown: []byte("data: {\"somethingNew\":{\"a\":[1]},\"usageMetadata\":{\"promptTokenCount\":1}}\r\n\r\n"),
		Broken:  []byte("data: {\"error\":{\"code\":503,\"message\":\"The model is overloaded.\",\"status\":\"UNAVAILABLE\"}}\r\n\r\n"),
		Stops:   true,
		Whole:   true,
	}
}

// looked shows the model a picture with the person's first message, as the suite's turns don't begin with a look: on
// a grid no point can be named before there is one.
type looked struct{ engine.Engine }

var small = screen(64, 48, 0)

func (l looked) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	if t.Messages[0].Picture == nil {
		t.Messages[0].Picture = small
	}
	return l.Engine.Turn(ctx, t)
}

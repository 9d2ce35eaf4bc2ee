package ollama_test

import (
	"net/http"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/ollama"
	"conch/gateway/engine/ollama/ollamatest"
	"conch/gateway/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestSuite holds the engine to what every engine must hold.
func TestSuite(t *testing.T) {
	m := ollamatest.Models()[0]
	d := ollamatest.Dialect{Model: m}
	enginetest.Run(t, enginetest.Case{
		New: func(_ *testing.T, s enginetest.Setup) engine.Engine {
			return ollama.New(ollama.Config{Base: s.Base, Key: s.Key, HTTP: s.HTTP, Retry: s.Retry})
		},
		Model:  engine.Model{ID: m.Name, Name: m.Name, Sees: true, Tools: true, Forgets: true, Local: true},
		Encode: d.Encode,
		Type:   ollamatest.Type,
		Read:   d.Read,
		Asks:   func(r *http.Request) bool { return r.URL.Path == "/api/chat" },
		Other: func(w http.ResponseWriter, _ *http.Request) {
			if err := json.MarshalWrite(w, m.Show()); err != nil {
				t.Error(err)
			}
		},
		Faults: map[engine.ProblemKind]enginetest.Fault{
			engine.BadKey:  {Status: http.StatusUnauthorized, Body: `{"error":"unauthorized: %s"}`}, // of the gate before it
			engine.NoModel: {Status: http.StatusNotFound, Body: `{"error":"model 'x' not found, try pulling it first %s"}`},
			engine.TooLong: {Status: http.StatusBadRequest, Body: `{"error":"the input length exceeds the context length %s"}`},
			engine.Busy:    {Status: http.StatusServiceUnavailable, Body: `{"error":"server busy, please try again.  maximum pending requests exceeded %s"}`},
			engine.Blind:   {Status: http.StatusInternalServerError, Body: `{"error":"this model is missing data required for image input %s"}`},
			engine.Other:   {Status: http.StatusInternalServerError, Body: `{"error":"model requires more system memory (9.4 GiB) than is available (3.1 GiB) %s"}`},
		},
		Unknown:   []byte("{\"somethingNew\":{\"a\":[1]}}\n"),
		Broken:    nil, // what goes wrong in the middle doesn't pass: there is no word for being busy then
		Stops:     true,
		Whole:     true,
		NoRefusal: true,
	})
}

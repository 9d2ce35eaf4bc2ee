package ollama

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// Loopback is loopback for tests.
var Loopback = loopback

func FuzzAnswer(f *testing.F) {
	f.Add([]byte("{\"message\":{\"content\":\"a\"}}\n{\"done\":true,\"done_reason\":\"stop\",\"eval_count\":3}\n"))
	f.Add([]byte("{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"x\",\"arguments\":{\"a\":1e400}}}]}}\n{\"done\":true}\n"))
	f.Add([]byte("{\"error\":\"out of memory\"}\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		var a answer
		out := wire.NewOut(t.Context(), func(engine.Event, error) bool { return true })
		if _, err := a.read(out)(bytes.NewReader(body)); err != nil {
			return
		}
		var s script
		s.heard(a)
		text, err := json.Marshal(s.messages(), json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		if len(a.calls) != len(a.raw) {
			t.Fatalf("%s", text)
		}
	})
}

func FuzzShown(f *testing.F) {
	f.Add([]byte(`{"capabilities":["tools"],"model_info":{"general.architecture":"x","x.context_length":4096},"parameters":"num_ctx 2048"}`))
	f.Add([]byte(`{"parameters":"num_ctx -1\nnum_ctx 99999999999999999999"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var s shown
		if json.Unmarshal(body, &s) != nil {
			return
		}
		if n := s.window(); n < 0 || n == 0 && !s.remote() {
			t.Fatalf("a window of %d", n)
		}
	})
}

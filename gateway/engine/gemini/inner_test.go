package gemini

import (
	"bytes"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

func TestNames(t *testing.T) {
	for id, want := range map[string]struct {
		family     string
		generation float64
		thinks     bool
	}{
		"gemini-3.5-flash":                        {"gemini-3.5-flash", 3.5, true},
		"gemini-3-flash-preview":                  {"gemini-3-flash", 3, true},
		"gemini-3.1-pro-preview-09-2026":          {"gemini-3.1-pro", 3.1, true},
		"gemini-2.5-flash-lite":                   {"gemini-2.5-flash-lite", 2.5, true},
		"gemini-2.5-computer-use-preview-10-2025": {"gemini-2.5-computer-use", 2.5, true},
		"gemini-2.0-flash-001":                    {"gemini-2.0-flash", 2, false},
		"gemini-12.25-pro-exp":                    {"gemini-12.25-pro", 12.25, true},
		"gemma-3-27b-it":                          {"gemma-3-27b-it", 0, false},
		"gemini-flash-latest":                     {"gemini-flash", 0, false},
	} {
		if f, g, k := family(id), generation(id), thinks(id); f != want.family || g != want.generation || k != want.thinks {
			t.Errorf("%s: %s, %v, %v", id, f, g, k)
		}
	}
}

func TestTakes(t *testing.T) {
	const in = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"default":{"type":"number",
		"exclusiveMinimum":0,"default":3},"list":{"type":"array","items":{"type":"string","pattern":"x"}},"either":{"anyOf":[{"const":1},true]}},
		"additionalProperties":false,"required":["default"]}`
	const want = `{"additionalProperties":false,"properties":{"default":{"type":"number"},"either":{"anyOf":[{},true]},"list":{"items":{"type":"string"},"type":"array"}},"required":["default"],"type":"object"}`
	got, err := takes([]byte(in))
	if d := cmp.Diff(want, string(got)); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	if _, err := takes([]byte(`{"a":`)); err == nil {
		t.Error("half a schema was taken")
	}
}

// FuzzAnswer: whatever comes, reading ends in an answer or an error, and what is sent back is JSON and holds each call
// as it came.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"},{\"text\":\"b\",\"thought\":true}]},\"finishReason\":\"STOP\"}]}\n\n"))
	f.Add([]byte("data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"x\",\"args\":{\"a\":1e400}},\"thoughtSignature\":\"AA==\"}]}}]}\n\ndata: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n"))
	f.Add([]byte("data: {\"error\":{\"code\":503,\"status\":\"UNAVAILABLE\"}}\n\n"))
	f.Add([]byte("data: {\"promptFeedback\":{\"blockReason\":\"OTHER\"},\"usageMetadata\":{\"promptTokenCount\":5}}\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		var a answer
		out := wire.NewOut(t.Context(), func(engine.Event, error) bool { return true })
		if _, err := a.read(out)(bytes.NewReader(body)); err != nil {
			return
		}
		a.ending()
		for n := range len(a.calls) + 1 {
			raw := a.content(n)
			if !raw.IsValid() {
				t.Fatalf("%q is sent back", raw)
			}
			var c struct {
				Parts []jsontext.Value `json:"parts"`
			}
			if err := json.Unmarshal(raw, &c); err != nil {
				t.Fatal(err)
			}
			kept := 0
			for _, p := range c.Parts {
				var h heardPart
				if json.Unmarshal(p, &h) == nil && h.Call != nil {
					if !slices.ContainsFunc(a.parts, func(o jsontext.Value) bool { return bytes.Equal(canonical(o), canonical(p)) }) {
						t.Fatalf("%s came as something else", p)
					}
					kept++
				}
			}
			if kept != n {
				t.Fatalf("%d of %d calls are sent back", kept, n)
			}
		}
	})
}

func canonical(v jsontext.Value) []byte {
	v = v.Clone()
	_ = v.Compact()
	return v
}

func FuzzTakes(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string","pattern":"x"}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := takes(raw)
		if err != nil {
			return
		}
		again, err := takes(got)
		if err != nil || !bytes.Equal(got, again) {
			t.Fatalf("%s became %s, %v", got, again, err)
		}
	})
}

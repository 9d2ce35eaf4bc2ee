package gemini_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genai"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/gemini/geminitest"
)

// TestShapes holds what is sent, and what the strict server answers, against the shapes of Google's own module:
// nothing in it is unknown there, and nothing is lost or changed by going through them.
func TestShapes(t *testing.T) {
	for _, id := range []string{"gemini-3.5-flash", "gemini-3.1-pro-preview", "gemini-2.5-flash"} {
		s := geminitest.New(t, key, enginetest.TenSteps("Mousepad", "Grüße 👋"))
		e := account(t, s, key)
		m := model(t, e, id)
		if d := drive(e.Turn(t.Context(), turn(m, "Write it.")), plainly, false); d.err != nil {
			t.Fatal(d.err)
		}
		for _, body := range s.Bodies() {
			through[struct {
				Contents          []*genai.Content        `json:"contents"`
				SystemInstruction *genai.Content          `json:"systemInstruction"`
				Tools             []*genai.Tool           `json:"tools"`
				GenerationConfig  *genai.GenerationConfig `json:"generationConfig"`
			}](t, body)
		}
	}
	d := geminitest.Dialect{Model: geminitest.Models()[0], W: 1366, H: 768}
	for _, frame := range d.Encode(enginetest.Answer{
		Thinking: "Hm.", Text: "Hello.", Usage: engine.Usage{In: 9, Out: 8, CacheRead: 7},
		Calls: []enginetest.Call{{ID: "1", Name: "note", Args: `{"text":"x"}`}},
	}) {
		through[genai.GenerateContentResponse](t, bytes.TrimPrefix(bytes.TrimSpace(frame), []byte("data: ")))
	}
}

// through reads a document as a T, writes it again and compares.
func through[T any](t *testing.T, document []byte) {
	t.Helper()
	var v T
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s\n%v", clip(document), err)
	}
	again, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(plain(t, document), plain(t, again)); d != "" {
		t.Fatal(d)
	}
}

// plain is a document as values, without what is empty: Google's module leaves that out.
func plain(t *testing.T, document []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatal(err)
	}
	return full(v)
}

func full(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, one := range v {
			if one = full(one); one != nil && one != "" && one != false && one != 0.0 && one != "0001-01-01T00:00:00Z" {
				out[k] = one
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		var out []any
		for _, one := range v {
			if one = full(one); one != nil {
				out = append(out, one)
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	}
	return v
}

func clip(b []byte) []byte { return b[:min(len(b), 2000)] }

package ollama_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/ollama/ollamatest"
)

// TestStrict: the server that the tests trust refuses what Ollama refuses or takes otherwise than it was meant. Each
// case spoils one thing in a request that it took.
func TestStrict(t *testing.T) {
	s := ollamatest.New(t, enginetest.TenSteps("Mousepad", "x"))
	e := server(t, s.URL)
	if d := drive(e.Turn(t.Context(), turn(models(t, e)["qwen3-vl:8b"]))); d.err != nil || len(s.Refused()) > 0 {
		t.Fatalf("%+v %q", d, s.Refused())
	}
	body := s.Bodies()[2]
	type object = map[string]any
	message := func(q object, i int) object { return q["messages"].([]any)[i].(object) }
	for _, c := range []struct {
		name  string
		spoil func(q object)
		say   string
	}{
		{"as it is", func(object) {}, ""},
		{"a list as content", func(q object) { message(q, 3)["content"] = []any{object{"type": "text", "text": "Done."}} }, "cannot unmarshal array"},
		{"an answer is missing", func(q object) {
			m := q["messages"].([]any)
			q["messages"] = append(m[:3:3], m[4:]...)
		}, "a tool call has no answer"},
		{"an answer to another call", func(q object) { message(q, 3)["tool_name"] = "note" }, "an answer to no call"},
		{"a picture in the answer", func(q object) { message(q, 3)["images"] = message(q, 4)["images"] }, "an answer to no call"},
		{"a data address as a picture", func(q object) { message(q, 4)["images"] = []any{"data:image/png;base64,AAAA"} }, "illegal base64"},
		{"another call", func(q object) {
			message(q, 2)["tool_calls"].([]any)[0].(object)["function"].(object)["arguments"] = object{"action": "wait"}
		}, "a call isn't the one"},
		{"no window", func(q object) { delete(q, "options") }, "num_ctx"},
		{"too large a window", func(q object) { q["options"].(object)["num_ctx"] = 1 << 20 }, "num_ctx"},
		{"shortened in silence", func(q object) { delete(q, "truncate") }, "shortened in silence"},
		{"too long", func(q object) { message(q, 0)["content"] = strings.Repeat("word ", 40_000) }, "longer than the context length"},
		{"no such member", func(q object) { q["tool_choice"] = "auto" }, "tool_choice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var q object
			if err := json.Unmarshal(body, &q); err != nil {
				t.Fatal(err)
			}
			c.spoil(q)
			spoiled, err := json.Marshal(q)
			if err != nil {
				t.Fatal(err)
			}
			_, err = ollamatest.Dialect{Model: ollamatest.Models()[0]}.Read(spoiled)
			if err == nil && c.say != "" || err != nil && (c.say == "" || !strings.Contains(err.Error(), c.say)) {
				t.Errorf("%v, want %q", err, c.say)
			}
		})
	}
}

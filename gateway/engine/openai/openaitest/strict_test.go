package openaitest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/openai/openaitest"
)

const (
	key = "sk-right"
	pic = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="

	reasoning = `{"encrypted_content":"sealed-rs_0_0","id":"rs_0_0","summary":[],"type":"reasoning"}`
	click     = `{"actions":[{"button":"left","keys":[],"type":"click","x":1,"y":2}],"call_id":"call_1","id":"cu_0_1","pending_safety_checks":[{"id":"sc_1","code":"malicious","message":"Look."}],"status":"completed","type":"computer_call"}`
	note      = `{"arguments":"{\"text\":\"x\"}","call_id":"call_2","id":"fc_0_2","name":"note","status":"completed","type":"function_call"}`
	clicked   = `{"type":"computer_call_output","call_id":"call_1","acknowledged_safety_checks":[{"id":"sc_1","code":"malicious","message":"Look."}],"output":{"type":"computer_screenshot","image_url":"` + pic + `","detail":"original"}}`
	noted     = `{"type":"function_call_output","call_id":"call_2","output":"Noted."}`
	asked     = `{"role":"user","content":"Click, and note x."}`
	tools     = `[{"type":"computer"},{"type":"function","name":"note","description":"","strict":false,"parameters":{"type":"object","properties":{"text":{"type":"string"}}}}]`
)

// body is a request that is all right, with the given items.
func body(tools string, items ...string) string {
	return `{"model":"gpt-test","store":false,"stream":true,"include":["reasoning.encrypted_content"],"tools":` + tools + `,"input":[` + strings.Join(items, ",") + `]}`
}

// begun is a server that made two calls in its first answer.
func begun(t *testing.T) *openaitest.Server {
	t.Helper()
	first := true
	s := openaitest.New(t, openaitest.Options{
		Key: key, Models: []string{"gpt-test"}, Native: true,
		Checks: func(int) []openaitest.Check {
			return []openaitest.Check{{ID: "sc_1", Code: "malicious", Message: "Look."}}
		},
		Brain: func(enginetest.Seen) enginetest.Answer {
			if !first {
				return enginetest.Answer{Text: "Done."}
			}
			first = false
			return enginetest.Answer{Calls: []enginetest.Call{
				{ID: "call_1", Name: "computer", Args: `{"action":"left_click","coordinate":[1,2]}`}, {ID: "call_2", Name: "note", Args: `{"text":"x"}`},
			}}
		},
	})
	if status, say := post(t, s, key, body(tools, asked)); status != http.StatusOK {
		t.Fatal(status, say)
	}
	return s
}

func post(t *testing.T, s *openaitest.Server, key, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/responses", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(out)
}

func TestStrict(t *testing.T) {
	change := func(s, old, to string) string {
		if !strings.Contains(s, old) {
			t.Fatalf("%q isn't in %s", old, s)
		}
		return strings.Replace(s, old, to, 1)
	}
	good := body(tools, asked, reasoning, click, note, clicked, noted)
	strict := `{"type":"function","name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}}`
	for _, c := range []struct {
		name, key, body string
		status          int
		say             string
	}{
		{"as it should be", key, good, 200, "Done."},
		{"another key", "sk-wrong", good, 401, "invalid_api_key"},
		{"no output for a computer call", key, body(tools, asked, reasoning, click, note, noted), 400, "No tool output found for computer call call_1."},
		{"no output for a function", key, body(tools, asked, reasoning, click, note, clicked), 400, "No tool output found for function call call_2."},
		{"another call_id", key, change(good, `"call_id":"call_2","output"`, `"call_id":"call_9","output"`), 400, "No tool call found"},
		{"an output of the other kind", key, body(tools, asked, reasoning, click, note, change(noted, "call_2", "call_1"), noted), 400, "No tool call found"},
		{"a check that nobody acknowledged", key, body(tools, asked, reasoning, click, note, change(clicked, `{"id":"sc_1","code":"malicious","message":"Look."}`, ""), noted), 400, "unacknowledged safety checks"},
		{"a check that there wasn't", key, change(good, `"acknowledged_safety_checks":[{"id":"sc_1"`, `"acknowledged_safety_checks":[{"id":"sc_2"`), 400, "unacknowledged safety checks"},
		{"no reasoning", key, body(tools, asked, click, note, clicked, noted), 400, "without its required 'reasoning' item"},
		{"reasoning alone", key, body(tools, asked, reasoning), 400, "without its required following item"},
		{"reasoning that isn't sealed", key, change(good, `"encrypted_content":"sealed-rs_0_0",`, ""), 404, "not persisted"},
		{"reasoning that was changed", key, change(good, `"summary":[]`, `"summary":[{"type":"summary_text","text":"x"}]`), 400, "isn't as it was"},
		{"a call that was changed", key, change(good, `"x":1`, `"x":3`), 400, "isn't as it was"},
		{"a call that was made up", key, change(good, `"id":"fc_0_2"`, `"id":"fc_7_7"`), 400, "not found"},
		{"no picture", key, change(good, pic, ""), 400, "Invalid 'image_url'"},
		{"no real picture", key, change(good, pic, "data:image/png;base64,AAAA"), 400, "valid image"},
		{"a picture that may be made smaller", key, change(good, `"detail":"original"`, `"detail":"low"`), 400, "made smaller"},
		{"an output in words for a computer call", key, change(good, `"output":{"type":"computer_screenshot"`, `"output":{"type":"input_text","text":"no"`), 400, "computer_call_output"},
		{"a strict schema that isn't", key, change(good, `[{"type":"computer"}`, `[`+strict+`,{"type":"computer"}`), 400, "'required' is required to include every key"},
		{"stored", key, change(good, `"store":false`, `"store":true`), 400, "stored"},
		{"a parameter that there isn't", key, change(good, `"stream":true`, `"stream":true,"messages":[]`), 400, "could not parse"},
		{"another model", key, change(good, "gpt-test", "gpt-other"), 404, "model_not_found"},
		{"an empty message", key, change(good, `"content":"Click, and note x."`, `"content":" "`), 400, "Invalid content"},
		{"a name that no tool may have", key, change(good, `"name":"note","description"`, `"name":"my note","description"`), 400, "Invalid 'tools[].name'"},
		{"too large", key, change(good, pic, pic+strings.Repeat("A", 51<<20)), 413, "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begun(t)
			status, say := post(t, s, c.key, c.body)
			if status != c.status || !strings.Contains(say, c.say) {
				t.Errorf("%d %s", status, say)
			}
			if (len(s.Refused()) > 0) != (c.status != 200) {
				t.Errorf("refused: %v", s.Refused())
			}
		})
	}
}

package openai_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"conch/gateway/engine"
	"conch/gateway/engine/openai"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// rawAnswers is a server whose answers are these items, which come without pieces; after them it says "Done.".
func rawAnswers(t *testing.T, answers ...[]string) string {
	t.Helper()
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		items := []string{`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Done."}]}`}
		if n < len(answers) {
			items = answers[n]
		}
		n++
		for i, it := range items {
			_, _ = fmt.Fprintf(w, "data: {\"type\":\"response.output_item.done\",\"output_index\":%d,\"item\":%s}\n\n", i, it)
		}
		_, _ = io.WriteString(w, "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// rawBatch is a server whose first answer is a call of the computer tool with these actions.
func rawBatch(t *testing.T, id string, actions ...[]byte) string {
	t.Helper()
	return rawAnswers(t, []string{fmt.Sprintf(
		`{"type":"computer_call","id":"cu_1","call_id":%q,"status":"completed","pending_safety_checks":[],"actions":[%s]}`, id, bytes.Join(actions, []byte(",")))})
}

// stream is a turn over one body.
func stream(t *testing.T, m engine.Model, body string) ran {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
	defer s.Close()
	e, _ := open(t, s.URL)
	return hands{}.run(t, e, turn(m))
}

func TestStream(t *testing.T) {
	const item = `data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"Hi."}]}}` + "\n\n"
	end := func(kind, response string) string {
		return fmt.Sprintf("data: {\"type\":%q,\"response\":%s}\n\n", kind, response)
	}
	for _, c := range []struct {
		name, body, text string
		kind             engine.ProblemKind
		fails            bool
	}{
		{"a whole item", item + end("response.completed", `{"status":"completed"}`), "Hi.", 0, false},
		{"only at the end", end("response.completed", `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi."}]}]}`), "Hi.", 0, false},
		{"a mark after it", item + end("response.completed", `{}`) + "data: [DONE]\n\n", "Hi.", 0, false},
		{"nothing at all", end("response.completed", `{"status":"completed"}`), "", 0, false},
		{"a refusal in one piece", end("response.completed", `{"output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}`), "No.", engine.Declined, true},
		{"filtered", item + end("response.incomplete", `{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}`), "Hi.", engine.Declined, true},
		{"incomplete for no reason", item + end("response.incomplete", `{"status":"incomplete"}`), "Hi.", engine.Other, true},
		{"failed", end("response.failed", `{"status":"failed","error":{"code":"server_error","message":"x"}}`), "", engine.Busy, true},
		{"failed by a rule", end("response.failed", `{"status":"failed","error":{"code":"cyber_policy","message":"x"}}`), "", engine.Declined, true},
		{"failed for no reason", end("response.failed", `{"status":"failed"}`), "", engine.Other, true},
		{"an error", `data: {"type":"error","code":"rate_limit_exceeded","message":"x"}` + "\n\n", "", engine.Busy, true},
		{"an error within", `data: {"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"x"}}` + "\n\n", "", engine.TooLong, true},
		{"no end", item, "Hi.", engine.Other, true},
		{"no stream", `{"object":"response"}`, "", engine.Other, true},
		{"no JSON", "data: {\n\n", "", engine.Other, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := stream(t, general, c.body)
			p, _ := errors.AsType[*engine.Problem](r.err)
			if r.text != c.text || (r.err != nil) != c.fails || c.fails && (p == nil || p.Kind != c.kind || p.Next == "") {
				t.Errorf("%q, %v", r.text, r.err)
			}
		})
	}
}

// FuzzStream: whatever comes, a turn ends, with words where it fails, and every step can be read or refused by the tool.
func FuzzStream(f *testing.F) {
	f.Add([]byte("data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"a\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{}}\n\n"))
	f.Add([]byte("data: {\"type\":\"response.output_item.done\",\"output_index\":7,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"note\",\"arguments\":\"{}\"}}\n\n" +
		"data: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":-1,\"output_tokens\":1e30}}}\n\n"))
	f.Add([]byte("data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"computer_call\",\"call_id\":\"c\",\"id\":\"cu\",\"pending_safety_checks\":[{\"id\":\"s\",\"message\":\"m\"}],\"actions\":[{\"type\":\"click\",\"x\":1,\"y\":\"2\"},{\"type\":\"type\",\"text\":\"a\"}]}}\n\n" +
		"data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"))
	f.Add([]byte("data: {\"type\":\"response.failed\",\"response\":{\"error\":[1]}}\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, m := range []engine.Model{native, general} {
			first := true
			via := tripper(func(req *http.Request) string {
				if first {
					first = false
					return string(body)
				}
				return "data: {\"type\":\"response.completed\",\"response\":{}}\n\n"
			})
			e := openai.New(openai.Config{Key: theKey, HTTP: via, Retry: wire.Retry{Max: -1}})
			for event, err := range e.Turn(t.Context(), turn(m)) {
				if err != nil {
					if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Say == "" {
						t.Fatalf("%v", err)
					}
					break
				}
				switch ev := event.(type) {
				case engine.ToolCall:
					ev.Answer(tool.Result{Text: "Done.", Picture: shot(1)})
				case engine.Confirm:
					ev.Answer(true)
				case engine.Usage:
					if ev.In < 0 || ev.Out < 0 {
						t.Fatalf("%+v", ev)
					}
				case engine.Text, engine.Thinking, engine.Doing:
				}
			}
		}
	})
}

// tripper answers without a network.
type tripper func(*http.Request) string

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(t(r)))}, nil
}

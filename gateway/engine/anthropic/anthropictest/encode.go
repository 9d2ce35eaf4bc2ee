package anthropictest

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
)

// style is how an answer is written.
type style struct {
	native string // the computer tool that calls are made with
	brief  bool   // in few pieces
	model  string
	sign   func(thinking string) string
}

// Encode is an answer as the API streams it, for a model that has this computer tool (empty: Conch's own).
func Encode(a enginetest.Answer, native string) [][]byte {
	frames, _ := encode(a, style{native: native, brief: true, model: "claude", sign: func(s string) string { return "sig_" + digest(s) }})
	return frames
}

// Read says what a request holds, or why the API would refuse it.
func Read(model string) func(body []byte) (enginetest.Seen, error) {
	return func(body []byte) (enginetest.Seen, error) {
		m, ok := modelOf(model)
		if !ok {
			return enginetest.Seen{}, bad("no model %s", model)
		}
		// The headers aren't here; a server checks them.
		p, err := read(body, []string{"context-management-2025-06-27", "thinking-binding-controls-2026-08-01", "computer-use-2025-11-24", "computer-use-2025-01-24"}, m)
		if err != nil {
			return enginetest.Seen{}, err
		}
		p.Context = nil // what the client says is asked, not what the model reads of it
		return p.seen(), nil
	}
}

// Unknown is an event that nobody knows, and Broken is what comes when the API is overloaded in the middle of an
// answer.
var (
	Unknown = frame("weather", map[string]any{"type": "weather", "delta": "rain", "index": "one"})
	Broken  = frame("error", map[string]any{"type": "error", "error": map[string]string{"type": "overloaded_error", "message": "Overloaded"}})
)

// Faults are refused requests.
func Faults() map[engine.ProblemKind]enginetest.Fault {
	say := func(kind, text string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + text + ` %s"},"request_id":"req_1"}`
	}
	return map[engine.ProblemKind]enginetest.Fault{
		engine.BadKey:   {Status: 401, Body: say("authentication_error", "invalid x-api-key")},
		engine.NoCredit: {Status: 400, Body: say("invalid_request_error", "Your credit balance is too low to access the Anthropic API.")},
		engine.NoModel:  {Status: 404, Body: say("not_found_error", "model: x")},
		engine.TooLong:  {Status: 400, Body: say("invalid_request_error", "prompt is too long: 1000001 tokens > 1000000 maximum")},
		engine.Busy:     {Status: 529, Body: say("overloaded_error", "Overloaded")},
		engine.Other:    {Status: 400, Body: say("invalid_request_error", "tools.0: Extra inputs are not permitted")},
	}
}

func frame(name string, v any) []byte {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return []byte("event: " + name + "\ndata: " + string(data) + "\n\n")
}

// stream writes one answer.
type stream struct {
	style
	frames  [][]byte
	content []any
}

func (s *stream) event(kind string, more map[string]any) {
	more["type"] = kind
	s.frames = append(s.frames, frame(kind, more))
}

// block writes one block: how it begins, what is added to it in pieces, and that it is whole.
func (s *stream) block(begin map[string]any, whole map[string]any, kind, member, text string, after ...map[string]any) {
	i := len(s.content)
	s.event("content_block_start", map[string]any{"index": i, "content_block": begin})
	for _, piece := range s.pieces(text) {
		s.event("content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": kind, member: piece}})
	}
	for _, delta := range after {
		s.event("content_block_delta", map[string]any{"index": i, "delta": delta})
	}
	s.event("content_block_stop", map[string]any{"index": i})
	s.content = append(s.content, whole)
}

// pieces cuts a text, never within a character.
func (s *stream) pieces(text string) []string {
	size := 7
	if s.brief {
		size = max(len(text)/2, 1)
	}
	var out []string
	begin := 0
	for i := range text {
		if i-begin >= size {
			out = append(out, text[begin:i])
			begin = i
		}
	}
	return append(out, text[begin:])
}

// encode also returns the content of the whole message, in its one order.
func encode(a enginetest.Answer, st style) ([][]byte, string) {
	s := &stream{style: st}
	u := a.Usage
	s.event("message_start", map[string]any{"message": map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": s.model, "content": []any{}, "stop_reason": nil,
		"usage": map[string]any{
			"input_tokens": u.In - u.CacheRead - u.CacheMade, "cache_read_input_tokens": u.CacheRead,
			"cache_creation_input_tokens": u.CacheMade, "output_tokens": 1,
		},
	}})
	s.event("ping", map[string]any{})
	if a.Thinking != "" {
		sig := s.sign(a.Thinking)
		s.block(map[string]any{"type": "thinking", "thinking": "", "signature": ""},
			map[string]any{"type": "thinking", "thinking": a.Thinking, "signature": sig},
			"thinking_delta", "thinking", a.Thinking, map[string]any{"type": "signature_delta", "signature": sig})
	}
	if a.Text != "" {
		s.block(map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text", "text": a.Text}, "text_delta", "text", a.Text)
	}
	for i, c := range a.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("toolu_%d", i+1)
		}
		s.call(c)
	}
	delta := map[string]any{"stop_reason": "end_turn", "stop_sequence": nil}
	switch {
	case a.Refused:
		delta["stop_reason"] = "refusal"
		delta["stop_details"] = map[string]any{"type": "refusal", "category": "bio", "explanation": "It isn't for you."}
	case a.Full:
		delta["stop_reason"] = "max_tokens"
	case len(a.Calls) > 0:
		delta["stop_reason"] = "tool_use"
	}
	s.event("message_delta", map[string]any{"delta": delta, "usage": map[string]any{"output_tokens": max(u.Out, 1), "input_tokens": nil}})
	s.event("message_stop", map[string]any{})
	content, err := json.Marshal(s.content)
	if err != nil {
		panic(err)
	}
	return s.frames, canonical(content)
}

// call writes the use of a tool. One of the computer tool comes in Conch's words and is said in those of the model's.
func (s *stream) call(c enginetest.Call) {
	name, set, args := c.Name, "", c.Args
	if s.native != "" && c.Name == "computer" {
		name, set, args = s.member(c.Args)
	}
	begin := map[string]any{"type": "tool_use", "id": c.ID, "name": name, "input": map[string]any{}}
	whole := map[string]any{"type": "tool_use", "id": c.ID, "name": name, "input": jsontext.Value(args)}
	if set != "" {
		begin["toolset_name"], whole["toolset_name"] = set, set
	}
	if args == "" || !jsontext.Value(args).IsValid() {
		whole["input"] = map[string]any{}
	}
	s.block(begin, whole, "input_json_delta", "partial_json", args)
}

// member says a step in the words of the native tool.
func (s *stream) member(step string) (name, set, args string) {
	var in map[string]jsontext.Value
	var action, text string
	if err := json.Unmarshal([]byte(step), &in); err != nil {
		panic(err)
	}
	if err := json.Unmarshal(in["action"], &action); err != nil {
		panic(err)
	}
	switch action {
	case "open_app", "list_apps", "find":
		delete(in, "action")
		if v, ok := in["text"]; ok {
			in["name"] = v
			delete(in, "text")
		}
		name = action
	default:
		name = "computer"
		if s.native == Toolset {
			delete(in, "action")
			name, set = action, "computer"
		}
	}
	out, err := json.Marshal(in, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	text = string(out)
	return name, set, text
}

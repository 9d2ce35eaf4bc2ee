package claudecode_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/claudecode"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/program/programtest"
	"conch/gateway/leaktest"
)

func TestMain(m *testing.M) {
	if p := programtest.Play(); p != nil {
		(&standIn{p: p}).run()
		os.Exit(0)
	}
	leaktest.Main(m)
}

// TestSuite holds the engine to what every engine that runs a program must hold.
func TestSuite(t *testing.T) {
	programtest.Run(t, programtest.Case{
		New: func(path string, env []string) engine.Engine {
			return claudecode.New(claudecode.Config{Path: path, Env: env})
		},
		Model: model,
		Faults: []engine.ProblemKind{
			engine.BadKey, engine.NoCredit, engine.NoModel, engine.TooLong, engine.Busy, engine.Unreachable, engine.Declined, engine.Other,
		},
	})
}

type object = map[string]any

// standIn speaks as claude 2.1.197 does, as far as the engine can tell.
type standIn struct {
	p    *programtest.Player
	url  string
	auth string
	n    int
}

func (s *standIn) arg(name string) string {
	i := slices.Index(os.Args, name)
	if i < 0 || i+1 >= len(os.Args) {
		panic("no " + name)
	}
	return os.Args[i+1]
}

func (s *standIn) run() {
	if os.Args[1] == "auth" {
		fmt.Printf("{\n  \"loggedIn\": %v,\n  \"authMethod\": \"none\"\n}\n", !s.p.SignedOut)
		if s.p.SignedOut {
			os.Exit(1)
		}
		return
	}
	if s.arg("--tools") != "" || s.arg("--setting-sources") != "" || s.arg("--allowedTools") != "mcp__conch__*" || !slices.Contains(os.Args, "--strict-mcp-config") {
		panic("it may do more than it should")
	}
	system, err := os.ReadFile(s.arg("--system-prompt-file"))
	if err != nil {
		panic(err)
	}
	tools := s.connects()
	said, err := bufio.NewReader(os.Stdin).ReadBytes('\n')
	if err != nil {
		return
	}
	var user struct {
		Message jsontext.Value `json:"message"`
	}
	if err := json.Unmarshal(said, &user); err != nil {
		panic(err)
	}
	seen, err := programtest.ReadAnthropic(slices.Concat([]byte(`{"messages":[`), user.Message, []byte(`]}`)))
	if err != nil {
		panic(err)
	}
	s.p.Saw(func(r *programtest.Report) {
		r.System, r.Tools, r.Shown = string(system), tools, seen.Shown
		r.Said = seen.Said[:len(seen.Said)-1]
	})
	var full []string
	for _, t := range tools {
		full = append(full, "mcp__conch__"+t)
	}
	s.p.Line(object{"type": "system", "subtype": "init", "tools": full, "mcp_servers": []object{{"name": "conch", "status": "connected"}}, "model": "claude-sonnet-5"})
	s.p.Line(object{"type": "system", "subtype": "status", "status": "requesting"})
	switch {
	case s.p.SignedOut:
		s.fails("authentication_failed", 0, "Not logged in")
	case s.p.Fails:
		s.fault()
	default:
		for i, a := range s.p.Answers {
			s.answers(i, a)
		}
		s.p.Line(object{"type": "result", "subtype": "success", "is_error": false, "api_error_status": nil, "result": "Done."})
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // it waits for more to do
}

func (s *standIn) fault() {
	if s.p.Retries {
		s.p.Line(object{"type": "system", "subtype": "api_retry", "attempt": 1, "error_status": 529, "error": "overloaded"})
	}
	switch s.p.Fault {
	case engine.BadKey:
		s.p.Line(object{"type": "system", "subtype": "api_retry", "attempt": 1, "error_status": 401, "error": "authentication_failed"})
		s.fails("authentication_failed", 401, "Invalid API key provider-words")
	case engine.NoCredit:
		s.fails("billing_error", 400, "Credit balance is too low provider-words")
	case engine.NoModel:
		s.fails("model_not_found", 404, "There's an issue with the selected model provider-words")
	case engine.TooLong:
		s.fails("invalid_request", 400, "Prompt is too long provider-words")
	case engine.Busy:
		s.fails("overloaded", 529, "API Error: 529 provider-words")
	case engine.Unreachable:
		s.fails("server_error", 0, "API Error: Unable to connect to API provider-words")
	case engine.Declined:
		s.event(object{"type": "message_start", "message": object{"id": "msg_r"}})
		s.event(object{"type": "message_delta", "delta": object{"stop_reason": "refusal"}, "usage": object{"output_tokens": 1}})
		s.p.Line(object{"type": "result", "subtype": "success", "is_error": false, "result": "provider-words"})
	default:
		s.fails("unknown", 400, "API Error: 400 provider-words")
	}
}

func (s *standIn) fails(kind string, status int, text string) {
	s.p.Line(object{"type": "assistant", "message": object{
		"id": "synthetic", "model": "<synthetic>", "role": "assistant", "content": []object{{"type": "text", "text": text}},
	}, "parent_tool_use_id": nil, "error": kind})
	var code any
	if status > 0 {
		code = status
	}
	s.p.Line(object{"type": "result", "subtype": "success", "is_error": true, "api_error_status": code, "result": text})
}

func (s *standIn) event(e object) {
	s.p.Line(object{"type": "stream_event", "event": e, "session_id": "s", "parent_tool_use_id": nil, "uuid": "u"})
}

// answers is one answer of the model's, with its calls.
func (s *standIn) answers(i int, a enginetest.Answer) {
	id := fmt.Sprintf("msg_%d", i)
	u := a.Usage
	part := func(block object) {
		s.p.Line(object{"type": "assistant", "message": object{"id": id, "model": "claude", "role": "assistant", "content": []object{block}}, "parent_tool_use_id": nil})
	}
	s.event(object{"type": "message_start", "message": object{"id": id, "model": "claude", "content": []object{}, "usage": object{
		"input_tokens": u.In - u.CacheRead - u.CacheMade, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheMade, "output_tokens": 1,
	}}})
	if a.Thinking != "" {
		s.event(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "thinking_delta", "thinking": a.Thinking}})
		part(object{"type": "thinking", "thinking": a.Thinking, "signature": "x"})
	}
	if a.Text != "" {
		s.event(object{"type": "content_block_start", "index": 1, "content_block": object{"type": "text", "text": ""}})
		for _, piece := range programtest.Pieces(a.Text) {
			s.event(object{"type": "content_block_delta", "index": 1, "delta": object{"type": "text_delta", "text": piece}})
		}
		part(object{"type": "text", "text": a.Text})
	}
	for _, c := range a.Calls {
		part(object{"type": "tool_use", "id": c.ID, "name": "mcp__conch__" + c.Name, "input": jsontext.Value(c.Args)})
	}
	stop := "end_turn"
	if len(a.Calls) > 0 {
		stop = "tool_use"
	}
	s.event(object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": u.Out}})
	s.event(object{"type": "message_stop"})
	for _, c := range s.p.Order(a.Calls) {
		s.calls(c)
	}
}

// connects opens the door that it was told of, and returns the names of the tools behind it.
func (s *standIn) connects() []string {
	var config struct {
		Servers map[string]struct {
			URL     string            `json:"url"`
			Headers map[string]string `json:"headers"`
		} `json:"mcpServers"`
	}
	file := s.arg("--mcp-config")
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	if info, statErr := os.Stat(file); err != nil || statErr != nil || info.Mode().Perm() != 0o600 {
		panic(fmt.Sprint(err, statErr))
	}
	door := config.Servers["conch"]
	s.url, s.auth = door.URL, door.Headers["Authorization"]
	s.ask("initialize", object{"protocolVersion": "2025-11-25", "capabilities": object{}, "clientInfo": object{"name": "claude-code", "version": "2.1.197"}}, nil)
	var list struct {
		Tools []struct {
			Name   string `json:"name"`
			Schema object `json:"inputSchema"`
		} `json:"tools"`
	}
	s.ask("tools/list", nil, &list)
	var names []string
	for _, t := range list.Tools {
		if t.Schema["type"] != "object" {
			panic("a tool without a schema")
		}
		names = append(names, t.Name)
	}
	return names
}

func (s *standIn) ask(method string, params object, result any) {
	s.n++
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": s.n, "method": method, "params": params})
	if err != nil {
		panic(err)
	}
	req, err := http.NewRequest(http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", s.auth)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		os.Exit(1) // the turn is over
	}
	defer res.Body.Close()
	var answer struct {
		Result jsontext.Value `json:"result"`
	}
	said, err := io.ReadAll(res.Body)
	if _, event, ok := bytes.Cut(said, []byte("event: message\ndata: ")); ok {
		said = event
	}
	if err != nil || json.Unmarshal(said, &answer) != nil {
		os.Exit(1)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Result, result); err != nil {
			os.Exit(1)
		}
	}
}

func (s *standIn) calls(c enginetest.Call) {
	var got struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
			Data []byte `json:"data"`
		} `json:"content"`
		Failed bool `json:"isError"`
	}
	s.ask("tools/call", object{"name": c.Name, "arguments": jsontext.Value(c.Args), "_meta": object{"claudecode/toolUseId": c.ID, "progressToken": 1}}, &got)
	out := enginetest.Result{Failed: got.Failed}
	for _, part := range got.Content {
		out.Text += part.Text
		if part.Type == "image" {
			out.Picture = part.Data
		}
	}
	s.p.Saw(func(r *programtest.Report) { r.Results = append(r.Results, out) })
}

package codex_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/codex"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/program/programtest"
	"conch/gateway/leaktest"
	"conch/gateway/tool"
)

func TestMain(m *testing.M) {
	if p := programtest.Play(); p != nil {
		(&standIn{p: p, heard: make(chan told, 100)}).run()
		os.Exit(0)
	}
	leaktest.Main(m)
}

var stood = programtest.Case{
	New:   func(path string, env []string) engine.Engine { return codex.New(codex.Config{Path: path, Env: env}) },
	Model: model,
	Faults: []engine.ProblemKind{
		engine.BadKey, engine.NoModel, engine.TooLong, engine.Busy, engine.Unreachable, engine.Declined, engine.Other,
	},
}

// TestSuite holds the engine to what every engine that runs a program must hold.
func TestSuite(t *testing.T) { programtest.Run(t, stood) }

// TestBackwards: of the calls of one answer that codex makes last first, only the first is done, since the others
// would come before it.
func TestBackwards(t *testing.T) {
	var calls []enginetest.Call
	for i := range 3 {
		calls = append(calls, enginetest.Call{ID: fmt.Sprint("call_", i), Name: "note", Args: fmt.Sprintf(`{"text":"%d"}`, i)})
	}
	r := stood.NewRig(t, programtest.Script{Backwards: true, Answers: []enginetest.Answer{{Calls: calls}, {Calls: []enginetest.Call{{ID: "call_9", Name: "note", Args: `{"text":"9"}`}}}, {Text: "I see."}}})
	var done []string
	k := programtest.Drive(r.Turn(t.Context(), programtest.Turn(model, "Note.")), func(c engine.ToolCall) tool.Result {
		done = append(done, string(c.Args))
		return tool.Result{Text: "Noted."}
	})
	if want := []string{`{"text":"0"}`, `{"text":"9"}`}; k.Err != nil || k.Text != "I see." || !slices.Equal(done, want) {
		t.Fatalf("%q: %+v", done, k)
	}
}

// TestInterrupted: codex is told when its turn is stopped.
func TestInterrupted(t *testing.T) {
	for range 8 { // it may be too slow to hear of it
		r := stood.NewRig(t, programtest.Script{Answers: []enginetest.Answer{{Text: "Hello there.", Calls: []enginetest.Call{{ID: "a", Name: "note", Args: `{}`}}}, {Text: "Done."}}})
		for e, err := range r.Turn(t.Context(), programtest.Turn(model, "Hello.")) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := e.(engine.ToolCall); ok {
				break
			}
		}
		if r.Report().Interrupted {
			return
		}
	}
	t.Error("it never heard of it")
}

// TestDoesByItself: a codex that is about to do something by itself is stopped.
func TestDoesByItself(t *testing.T) {
	r := stood.NewRig(t, programtest.Script{Answers: []enginetest.Answer{{Calls: []enginetest.Call{{ID: "a", Name: "exec_command", Args: `{"cmd":"id"}`}}}, {Text: "Done."}}})
	k := programtest.Drive(r.Turn(t.Context(), programtest.Turn(model, "Hello.")), nil)
	if p := k.Problem(); p == nil || p.Next == "" || len(k.Calls) > 0 || k.Text != "" {
		t.Fatalf("%+v", k)
	}
}

type object = map[string]any

type told struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
}

// standIn speaks as codex 0.171.0 does, as far as the engine can tell.
type standIn struct {
	p     *programtest.Player
	heard chan told
	tools []string
	n     int
}

func (s *standIn) run() {
	if !slices.Equal(os.Args[1:], []string{"app-server"}) {
		panic("it was started as something else")
	}
	s.p.Saw(func(*programtest.Report) {})
	go s.listens()
	for m := range s.heard {
		s.does(m)
	}
}

// listens hears of the end of a turn at any time.
func (s *standIn) listens() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m told
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			panic(err)
		}
		if m.Method == "turn/interrupt" {
			s.p.Saw(func(r *programtest.Report) { r.Interrupted = true })
			os.Exit(0)
		}
		s.heard <- m
	}
	os.Exit(0)
}

func (s *standIn) says(m told, result object) { s.p.Line(object{"id": m.ID, "result": result}) }

func (s *standIn) tells(method string, params object) {
	params["threadId"], params["turnId"] = "thread", "turn"
	s.p.Line(object{"method": method, "params": params, "emittedAtMs": 1})
}

func (s *standIn) does(m told) {
	switch m.Method {
	case "initialize":
		if !strings.Contains(string(m.Params), `"experimentalApi":true`) {
			panic("no dynamic tools without it")
		}
		s.says(m, object{"userAgent": "codex"})
	case "initialized":
		s.tells("remoteControl/status/changed", object{"status": "disabled"})
	case "account/read":
		s.says(m, object{"account": nil, "requiresOpenaiAuth": s.p.SignedOut})
	case "config/read":
		s.says(m, object{"config": object{"model": nil, "mcp_servers": object{"other": object{"command": "x"}}}})
	case "thread/start":
		s.starts(m)
	case "thread/inject_items":
		s.injects(m)
	case "turn/start":
		s.turn(m)
	default:
		panic(m.Method)
	}
}

func (s *standIn) starts(m told) {
	var p struct {
		Base     string    `json:"baseInstructions"`
		Sandbox  string    `json:"sandbox"`
		Approval string    `json:"approvalPolicy"`
		Places   *[]object `json:"environments"`
		Tools    []struct {
			Type   string `json:"type"`
			Name   string `json:"name"`
			Schema object `json:"inputSchema"`
		} `json:"dynamicTools"`
		Config struct {
			Features map[string]bool `json:"features"`
			Servers  map[string]struct {
				On *bool `json:"enabled"`
			} `json:"mcp_servers"`
		} `json:"config"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		panic(err)
	}
	other := p.Config.Servers["other"]
	shell, ok := p.Config.Features["shell_tool"]
	if p.Sandbox != "read-only" || p.Approval != "never" || p.Places == nil || other.On == nil || *other.On || shell || !ok {
		panic("it may do more than it should: " + string(m.Params))
	}
	for _, t := range p.Tools {
		if t.Type != "function" || t.Schema["type"] != "object" {
			panic("this is no tool")
		}
		s.tools = append(s.tools, t.Name)
	}
	s.p.Saw(func(r *programtest.Report) { r.System, r.Tools = p.Base, s.tools })
	s.tells("thread/started", object{})
	s.says(m, object{"thread": object{"id": "thread"}})
}

func (s *standIn) injects(m told) {
	seen, err := programtest.ReadOpenAI([]byte(strings.Replace(string(m.Params), `"items"`, `"input"`, 1)))
	if err != nil {
		panic(err)
	}
	s.p.Saw(func(r *programtest.Report) { r.Said = seen.Said })
	s.says(m, object{})
}

func (s *standIn) turn(m told) {
	var p struct {
		Input []struct {
			Text string `json:"text"`
			URL  string `json:"url"`
		} `json:"input"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		panic(err)
	}
	s.p.Saw(func(r *programtest.Report) {
		for _, in := range p.Input {
			r.Said += in.Text
			r.Shown = append(r.Shown, decoded(in.URL)...)
		}
	})
	s.says(m, object{"turn": object{"id": "turn", "status": "inProgress"}})
	s.tells("turn/started", object{"turn": object{"id": "turn"}})
	if s.p.Fails {
		s.fault()
		return
	}
	total := 0
	for i, a := range s.p.Answers {
		s.answers(i, a, &total)
	}
	s.tells("turn/completed", object{"turn": object{"id": "turn", "status": "completed", "error": nil}})
}

func decoded(url string) []byte {
	_, data, _ := strings.Cut(url, ";base64,")
	out, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		panic(err)
	}
	return out
}

func (s *standIn) fault() {
	if s.p.Retries {
		s.tells("error", object{"willRetry": true, "error": object{"message": "Reconnecting... 1/5", "codexErrorInfo": object{"responseStreamDisconnected": object{"httpStatusCode": 503}}}})
	}
	var info any
	switch s.p.Fault {
	case engine.BadKey:
		info = object{"httpConnectionFailed": object{"httpStatusCode": 401}}
	case engine.NoModel:
		info = "modelNotFound"
	case engine.TooLong:
		info = "contextWindowExceeded"
	case engine.Busy:
		info = object{"responseTooManyFailedAttempts": object{"httpStatusCode": 429}}
	case engine.Unreachable:
		info = object{"httpConnectionFailed": object{"httpStatusCode": nil}}
	case engine.Declined:
		info = "cyberPolicy"
	default:
		info = "other"
	}
	wrong := object{"message": "provider-words", "codexErrorInfo": info, "additionalDetails": nil}
	s.tells("error", object{"willRetry": false, "error": wrong})
	s.tells("turn/completed", object{"turn": object{"id": "turn", "status": "failed", "error": wrong}})
}

// answers is one answer of the model's, with its calls.
func (s *standIn) answers(i int, a enginetest.Answer, total *int) {
	item := fmt.Sprintf("msg_%d", i)
	if a.Thinking != "" {
		s.tells("item/reasoning/summaryTextDelta", object{"itemId": "r", "delta": a.Thinking, "summaryIndex": 0})
	}
	if a.Text != "" {
		s.tells("item/started", object{"item": object{"type": "agentMessage", "id": item, "text": ""}})
		for _, piece := range programtest.Pieces(a.Text) {
			s.tells("item/agentMessage/delta", object{"itemId": item, "delta": piece})
		}
		s.tells("item/completed", object{"item": object{"type": "agentMessage", "id": item, "text": a.Text}})
	}
	for _, c := range a.Calls {
		s.tells("rawResponseItem/completed", object{"item": object{"type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": c.Args}})
	}
	s.tells("rawResponse/completed", object{"responseId": fmt.Sprint("resp_", i)})
	for _, c := range s.p.Order(a.Calls) {
		s.calls(c)
	}
	u := a.Usage
	*total += u.In + u.Out
	last := object{"totalTokens": u.In + u.Out, "inputTokens": u.In, "outputTokens": u.Out, "cachedInputTokens": u.CacheRead, "cacheWriteInputTokens": u.CacheMade}
	for range 2 { // codex tells it again now and then
		s.tells("thread/tokenUsage/updated", object{"tokenUsage": object{"last": last, "total": object{"totalTokens": *total}}})
	}
}

func (s *standIn) calls(c enginetest.Call) {
	if !slices.Contains(s.tools, c.Name) { // it is codex's own
		s.tells("item/started", object{"item": object{"type": "commandExecution", "id": c.ID, "command": c.Args}})
		return
	}
	s.tells("item/started", object{"item": object{"type": "dynamicToolCall", "id": c.ID, "tool": c.Name}})
	s.n++
	s.p.Line(object{"id": s.n, "method": "item/tool/call", "params": object{
		"threadId": "thread", "turnId": "turn", "callId": c.ID, "namespace": nil, "tool": c.Name, "arguments": jsontext.Value(c.Args),
	}})
	var got struct {
		OK    *bool `json:"success"`
		Items []struct {
			Type string `json:"type"`
			Text string `json:"text"`
			URL  string `json:"imageUrl"`
		} `json:"contentItems"`
	}
	m := <-s.heard
	if err := json.Unmarshal(m.Result, &got); err != nil || got.OK == nil {
		panic(fmt.Sprint("no answer to the call: ", err))
	}
	out := enginetest.Result{Failed: !*got.OK}
	for _, it := range got.Items {
		out.Text += it.Text
		out.Picture = append(out.Picture, decoded(it.URL)...)
	}
	s.p.Saw(func(r *programtest.Report) { r.Results = append(r.Results, out) })
}

package compatible_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"conch/gateway/computer"
	"conch/gateway/engine"
	"conch/gateway/engine/compatible"
	"conch/gateway/engine/compatible/compatibletest"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

const theKey = "sk-test-key"

func open(s compatible.Server) *compatible.Engine {
	return compatible.New(compatible.Config{Server: s, Key: theKey, Retry: wire.Retry{Max: -1}, HTTP: &http.Transport{DisableKeepAlives: true}})
}

// server starts a strict server that must not refuse anything.
func server(t *testing.T, o compatibletest.Options) (*compatibletest.Server, *compatible.Engine) {
	t.Helper()
	o.Key, o.Models = theKey, []string{"m"}
	s := compatibletest.New(t, o)
	return s, open(compatible.Server{ID: "x", Name: "The server", Base: s.URL, Own: true})
}

func turn() engine.Turn {
	return engine.Turn{
		Chat: "c1", Model: engine.Model{ID: "m", Name: "Model M", Sees: true, Tools: true}, System: "You are Conch.",
		Messages: []engine.Message{{Role: engine.Person, Text: "Do it."}},
		Tools: []tool.Tool{
			{Name: "computer", About: "Uses the computer.", Schema: []byte(`{"$schema":"x","type":"object","properties":{"action":{"type":"string"}},"required":["action"]}`)},
			{Name: "note", About: "Notes.", Schema: []byte(`{"type":"object"}`)},
		},
	}
}

func shot(n int) *tool.Picture {
	img := image.NewGray(image.Rect(0, 0, 40, 30))
	img.Set(n%40, n/40, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return &tool.Picture{MIME: "image/png", Data: b.Bytes(), W: 40, H: 30}
}

// ran is what a turn did.
type ran struct {
	text, thought string
	calls         []engine.ToolCall
	usage         []engine.Usage
	err           error
}

func run(t *testing.T, e engine.Engine, in engine.Turn) ran {
	t.Helper()
	var r ran
	for event, err := range e.Turn(t.Context(), in) {
		if err != nil {
			r.err = err
			break
		}
		switch ev := event.(type) {
		case engine.Text:
			r.text += ev.Piece
		case engine.Thinking:
			r.thought += ev.Piece
		case engine.Usage:
			r.usage = append(r.usage, ev)
		case engine.Confirm, engine.Doing:
		case engine.ToolCall:
			r.calls = append(r.calls, ev)
			res := tool.Result{Text: fmt.Sprintf("Done %d.", len(r.calls))}
			if ev.Name == "computer" {
				if _, err := computer.Parse(ev.Args); err != nil {
					t.Errorf("%s: %v", ev.Args, err)
				}
				if !ev.Blind {
					res.Picture = shot(len(r.calls))
				}
			}
			ev.Answer(res)
		}
	}
	return r
}

// styles are the odd ways in which servers are known to answer.
var styles = map[string]compatibletest.Style{
	"OpenAI's":                {Usage: compatibletest.InItsOwn},
	"calls without index":     {NoIndex: true},
	"no index, no id":         {NoIndex: true, NoIDs: true},
	"each call at index 0":    {OneSlot: true, Whole: true},
	"arguments as an object":  {Object: true, Stop: true},
	"whole, without index":    {Whole: true, NoIndex: true, NoIDs: true, Stop: true},
	"nothing marks the end":   {NoDone: true, Usage: compatibletest.Nowhere},
	"empty pieces":            {Empty: true, Usage: compatibletest.InItsOwn, NoDone: true},
	"thoughts in the text":    {Thinks: compatibletest.InText, Parts: true},
	"thoughts with details":   {Thinks: compatibletest.InReasoning},
	"calls with a signature":  {Signed: true, Whole: true},
	"all that goes together":  {Thinks: compatibletest.InText, Empty: true, NoIndex: true, Object: true, Stop: true, NoDone: true, Usage: compatibletest.Nowhere},
	"one index, with pieces":  {OneSlot: true, Empty: true},
	"usage where it finishes": {Usage: compatibletest.WithFinish},
}

func TestTenSteps(t *testing.T) {
	for name, style := range styles {
		t.Run(name, func(t *testing.T) {
			s, e := server(t, compatibletest.Options{Brain: enginetest.TenSteps("Mousepad", "héllo"), Style: style})
			r := run(t, e, turn())
			if r.err != nil || r.text != "Done, all ten steps." || len(r.calls) != 10 || s.Answers() != 11 || len(s.Refused()) > 0 {
				t.Fatalf("%d answers, refused %v: %+v", s.Answers(), s.Refused(), r)
			}
			if !strings.HasPrefix(r.thought, "Step 1 of 10.Step 2 of 10.") {
				t.Errorf("it thought %q", r.thought)
			}
			if n := len(r.usage); (n == 0) != (style.Usage == compatibletest.Nowhere) {
				t.Errorf("%d times told what it took", n)
			}
		})
	}
}

func says(seen *[]enginetest.Seen, answers ...enginetest.Answer) enginetest.Brain {
	n := 0
	return func(s enginetest.Seen) enginetest.Answer {
		*seen = append(*seen, s)
		n++
		if n > len(answers) {
			return enginetest.Answer{Text: "Done."}
		}
		return answers[n-1]
	}
}

// TestSeveral: several calls in one answer, of two tools, with every style that can tell them apart.
func TestSeveral(t *testing.T) {
	want := []string{`{"action":"left_click","coordinate":[1,2]}`, `{"text":"x"}`, `{"action":"type","text":"a {} b"}`}
	for name, style := range styles {
		t.Run(name, func(t *testing.T) {
			var seen []enginetest.Seen
			s, e := server(t, compatibletest.Options{Style: style, Brain: says(&seen, enginetest.Answer{Calls: []enginetest.Call{
				{ID: "a", Name: "computer", Args: want[0]}, {ID: "b", Name: "note", Args: want[1]}, {ID: "c", Name: "computer", Args: want[2]},
			}})})
			r := run(t, e, turn())
			if r.err != nil || r.text != "Done." || len(r.calls) != 3 || len(s.Refused()) > 0 {
				t.Fatalf("refused %v: %+v", s.Refused(), r)
			}
			for i, c := range r.calls {
				if string(c.Args) != want[i] || c.Blind != (i == 0) {
					t.Errorf("call %d: %s, blind %v", i+1, c.Args, c.Blind)
				}
			}
			got := seen[1].Results
			if len(got) != 3 || got[0].Picture != nil || got[1].Text != "Done 2." || !slices.Equal(got[2].Picture, shot(3).Data) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestInOnePiece(t *testing.T) {
	answers := [][]byte{
		compatibletest.InOnePiece(enginetest.Answer{Text: "I note. ", Calls: []enginetest.Call{{ID: "a", Name: "note", Args: `{"text":"x"}`}}, Usage: engine.Usage{In: 5}}),
		append([]byte(" \n"), compatibletest.InOnePiece(enginetest.Answer{Text: "Done."})...),
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(answers[0])
		answers = answers[1:]
	}))
	defer s.Close()
	r := run(t, open(compatible.Server{Base: s.URL}), turn())
	if r.err != nil || r.text != "I note. Done." || len(r.calls) != 1 || r.usage[0].In != 5 {
		t.Errorf("%+v", r)
	}
}

func TestBlind(t *testing.T) {
	var seen []enginetest.Seen
	s, e := server(t, compatibletest.Options{Blind: true, Brain: says(&seen, enginetest.Answer{Calls: []enginetest.Call{{ID: "a", Name: "computer", Args: `{"action":"screenshot"}`}}})})
	r := run(t, e, turn())
	p, _ := errors.AsType[*engine.Problem](r.err)
	if p == nil || p.Kind != engine.Blind || p.Say != "Model M can't look at pictures, so it can't use your apps." || s.Answers() != 1 {
		t.Errorf("%+v", r)
	}
}

// TestQuirks: what a server turns out not to take is left out, also in later turns.
func TestQuirks(t *testing.T) {
	var seen []enginetest.Seen
	s, e := server(t, compatibletest.Options{NoUsage: true, Toolless: true, Brain: says(&seen)})
	for n := range 2 {
		if r := run(t, e, turn()); r.err != nil || r.text != "Done." {
			t.Fatalf("turn %d: %+v", n+1, r)
		}
	}
	if got := len(s.Refused()); got != 2 {
		t.Errorf("refused %d times: %v", got, s.Refused())
	}
	if len(seen[0].Tools) > 0 || !strings.Contains(seen[0].System, "You have no tools in this chat") {
		t.Errorf("%+v", seen[0])
	}
}

func TestStream(t *testing.T) {
	const text = `data: {"choices":[{"delta":{"content":"Hi."}}]}` + "\n\n"
	const stop = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	for _, c := range []struct {
		name, body, text string
		kind             engine.ProblemKind
		fails            bool
	}{
		{"no reason, but a mark", text + "data: [DONE]\n\n", "Hi.", 0, false},
		{"a reason, but no mark", text + stop, "Hi.", 0, false},
		{"neither", text, "Hi.", engine.Other, true},
		{"only a mark", "data: [DONE]\n\n", "", engine.Other, true},
		{"nothing said", stop, "", 0, false},
		{"unknown reason", text + `data: {"choices":[{"delta":{},"finish_reason":"eos_token"}]}` + "\n\n", "Hi.", 0, false},
		{"filtered", text + `data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}` + "\n\n", "Hi.", engine.Declined, true},
		{"an error in the stream", text + `data: {"error":{"message":"x","code":503}}` + "\n\n", "Hi.", engine.Busy, true},
		{"an error by name", "event: error\ndata: {\"message\":\"the request exceeds the available context size\"}\n\n", "", engine.TooLong, true},
		{"an error in words", "event: error\ndata: oh no\n\n", "", engine.Other, true},
		{"vLLM's error", `data: {"object":"error","message":"x","type":"InternalServerError","code":500}` + "\n\n", "", engine.Busy, true},
		{"no picture, says llama.cpp", `data: {"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"}}` + "\n\n", "", engine.Blind, true},
		{"a second choice", `data: {"choices":[{"index":1,"delta":{"content":"No."}},{"index":0,"delta":{"content":"Hi."},"finish_reason":"stop"}]}` + "\n\n", "Hi.", 0, false},
		{"half a thought", `data: {"choices":[{"delta":{"content":"<thi"},"finish_reason":"stop"}]}` + "\n\n", "<thi", 0, false},
		{"a thought without an end", `data: {"choices":[{"delta":{"content":"<think>Hm."},"finish_reason":"stop"}]}` + "\n\n", "", 0, false},
		{"a page", "<html>", "", engine.Other, true},
		{"no JSON", "data: {\n\n", "", engine.Other, true},
		{"half a document", `{"choices":[`, "", engine.Other, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := compatible.New(compatible.Config{Server: compatible.Server{Name: "It", Base: "http://127.0.0.1:1/v1"}, Retry: wire.Retry{Max: -1}, HTTP: tripper(c.body)})
			r := run(t, e, turn())
			p, _ := errors.AsType[*engine.Problem](r.err)
			if r.text != c.text || (r.err != nil) != c.fails || c.fails && (p == nil || p.Kind != c.kind || p.Next == "") {
				t.Errorf("%q, %v", r.text, r.err)
			}
		})
	}
}

// tripper answers without a network: first with its own text, then with "Done.".
type tripper string

func (s tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_ = r.Body.Close()
	body := string(s)
	if bytes.Contains(sent, []byte(`"role":"tool"`)) {
		body = `data: {"choices":[{"delta":{"content":"Done."},"finish_reason":"stop"}]}` + "\n\n"
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// FuzzStream: whatever comes, a turn ends, with words where it fails, and what goes back is what a strict server takes.
func FuzzStream(f *testing.F) {
	f.Add([]byte(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"note","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n"))
	f.Add([]byte(`data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"note","arguments":{"a":1}}},{"id":"","function":{"arguments":"x"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":-3}}` + "\n\n"))
	f.Add([]byte(`{"choices":[{"message":{"content":[{"text":"<think>a</think>b"}]},"finish_reason":"stop"}]}`))
	f.Add([]byte(`data: {"error":null,"choices":[{"delta":{"reasoning_details":[{"a":1}],"tool_calls":[{"index":-1,"function":{"name":"computer","arguments":"{\"action\""}}]},"finish_reason":"x"}]}` + "\n\n"))
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{}]}}]}`))
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"functions.note","arguments":"{}"}}]}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e := compatible.New(compatible.Config{Server: compatible.Server{Base: "http://127.0.0.1:1/v1"}, Retry: wire.Retry{Max: -1}, HTTP: checked{t, tripper(body)}})
		for event, err := range e.Turn(t.Context(), turn()) {
			if err != nil {
				if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Say == "" {
					t.Fatalf("%v", err)
				}
				break
			}
			switch ev := event.(type) {
			case engine.ToolCall:
				ev.Answer(tool.Result{Text: "Done.", Picture: shot(1)})
			case engine.Usage:
				if ev.In < 0 || ev.Out < 0 {
					t.Fatalf("%+v", ev)
				}
			case engine.Text, engine.Thinking, engine.Confirm, engine.Doing:
			}
		}
	})
}

// checked fails the test for a request that a strict server would refuse.
type checked struct {
	t  *testing.T
	to tripper
}

func (c checked) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if _, err := compatibletest.Read(body); err != nil {
		c.t.Errorf("%v: %s", err, body)
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return c.to.RoundTrip(r)
}

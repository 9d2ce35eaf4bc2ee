package codex_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/codex"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/openai/openaitest"
	"conch/gateway/engine/program/programtest"
	"conch/gateway/tool"
)

// provider is OpenAI as the real codex talks to it. It reads no more of a request than a scripted model needs: codex
// sends more than the API documents.
type provider struct {
	*httptest.Server
	answer func(enginetest.Seen) [][]byte

	mu   sync.Mutex
	seen []enginetest.Seen
}

func newProvider(t *testing.T, answer func(enginetest.Seen) [][]byte) *provider {
	t.Helper()
	p := &provider{answer: answer}
	p.Server = httptest.NewServer(p)
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

// thinks is a provider whose model calls functions.
func thinks(brain enginetest.Brain) func(enginetest.Seen) [][]byte {
	return func(s enginetest.Seen) [][]byte {
		a := brain(s)
		a.Usage = engine.Usage{In: 100 + len(s.Results), Out: 7, CacheRead: 10}
		frames, _ := openaitest.Encode(a, openaitest.Style{Number: len(s.Results)})
		return frames
	}
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/responses" {
		http.NotFound(w, r)
		return
	}
	s, err := seenIn(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.seen = append(p.seen, s)
	p.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write(slices.Concat(p.answer(s)...))
}

func (p *provider) requests() []enginetest.Seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

type part struct {
	Text  string `json:"text"`
	Image string `json:"image_url"`
}

func parts(v jsontext.Value) (text string, picture []byte) {
	if json.Unmarshal(v, &text) == nil {
		return text, nil
	}
	var all []part
	_ = json.Unmarshal(v, &all) // none fail the test
	for _, p := range all {
		text += p.Text
		if _, data, ok := strings.Cut(p.Image, ";base64,"); ok {
			picture, _ = base64.StdEncoding.DecodeString(data) // another picture fails the test
		}
	}
	return text, picture
}

type offered struct {
	Type  string    `json:"type"`
	Name  string    `json:"name"`
	Tools []offered `json:"tools"`
}

func seenIn(body []byte) (s enginetest.Seen, err error) {
	var q struct {
		Tools        []offered `json:"tools"`
		Instructions string    `json:"instructions"`
		Input        []struct {
			Type    string         `json:"type"`
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
			Output  jsontext.Value `json:"output"`
			Tools   []offered      `json:"tools"`
		} `json:"input"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return s, err
	}
	s.System = q.Instructions
	offers := q.Tools
	for _, it := range q.Input {
		text, picture := parts(it.Content)
		switch {
		case it.Type == "additional_tools":
			for _, space := range it.Tools {
				offers = append(offers, space.Tools...)
			}
		case strings.HasSuffix(it.Type, "_call_output"):
			text, picture := parts(it.Output)
			s.Results = append(s.Results, enginetest.Result{Text: text, Picture: picture})
		case it.Role == "developer":
			s.System += text + "\n"
		case it.Role == "user":
			s.Said += text + "\n"
			s.Shown = picture
		case it.Role == "assistant":
			s.Said += "(" + text + ")\n"
		}
	}
	for _, o := range offers {
		s.Tools = append(s.Tools, o.Name)
	}
	return s, nil
}

var model = engine.Model{ID: "gpt-test", Name: "GPT Test", Sees: true, Tools: true}

// real is the engine of the real codex, which talks to a provider on this computer, and which has an MCP server of
// its own set up that must not be started.
func real(t *testing.T, p *provider) *codex.Engine {
	t.Helper()
	path, home := programtest.Real(t, codex.Program)
	env := []string{"HOME=" + home, "CODEX_HOME=" + filepath.Join(home, ".codex"), "CONCH_TEST_KEY=sk-none"}
	if err := os.Mkdir(filepath.Join(home, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	if p != nil {
		config := fmt.Sprintf("model_provider = \"here\"\n[model_providers.here]\nname = \"here\"\nbase_url = %q\nenv_key = \"CONCH_TEST_KEY\"\nwire_api = \"responses\"\n"+
			"[mcp_servers.other]\ncommand = \"/usr/bin/touch\"\nargs = [%q]\n", p.URL+"/v1", filepath.Join(home, "started"))
		if err := os.WriteFile(filepath.Join(home, ".codex", "config.toml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if _, err := os.Stat(filepath.Join(home, "started")); err == nil {
				t.Error("an MCP server of the person's own was started")
			}
		})
	}
	return codex.New(codex.Config{Path: path, Env: env})
}

// TestRealTwoSteps: the real codex does a task of two steps with the turn's tools.
func TestRealTwoSteps(t *testing.T) {
	p := newProvider(t, thinks(enginetest.Steps([]enginetest.Call{enginetest.Does(`{"action":"screenshot"}`), {Name: "note", Args: `{"text":"ä \"b\" 👋"}`}}, "All done.")))
	e := real(t, p)
	pic, own := programtest.Picture(1), programtest.Picture(2)
	turn := programtest.Turn(model, "Look, then note it.")
	turn.Messages = append([]engine.Message{{Role: engine.Person, Text: "Two times two?"}, {Role: engine.Assistant, Text: "Four."}}, turn.Messages...)
	turn.Messages[2].Picture = own
	begun := time.Now()
	k := programtest.Drive(e.Turn(t.Context(), turn), func(c engine.ToolCall) tool.Result {
		if c.Name == "computer" {
			return tool.Result{Text: "Looked.", Picture: pic}
		}
		return tool.Result{Text: "Kept away.", Failed: true}
	})
	t.Logf("%v: said %q, thought %q, %d usages, err %v", time.Since(begun).Round(time.Millisecond), k.Text, k.Thinking, len(k.Usage), k.Err)
	if k.Err != nil || len(k.Calls) != 2 || k.Calls[0].Name != "computer" || k.Calls[1].Name != "note" || k.Text != "All done." ||
		len(k.Usage) != 3 || k.Usage[1] != (engine.Usage{In: 101, Out: 7, CacheRead: 10}) {
		t.Fatalf("%+v", k)
	}
	if string(k.Calls[0].Args) != `{"action":"screenshot"}` || !bytes.Contains(k.Calls[1].Args, []byte(`👋`)) {
		t.Errorf("%s, %s", k.Calls[0].Args, k.Calls[1].Args)
	}
	all := p.requests()
	first, last := all[0], all[len(all)-1]
	if !slices.Equal(first.Tools, []string{"request_user_input", "computer", "note"}) {
		t.Errorf("it has the tools %q", first.Tools)
	}
	if !strings.Contains(first.System, "You are Conch.\n\nA note.") || !strings.Contains(first.Said, "Two times two?\n(Four.)\nLook, then note it.") || !bytes.Equal(first.Shown, own.Data) {
		t.Errorf("it was told %q and %q, and shown %d bytes", first.System, first.Said, len(first.Shown))
	}
	if len(last.Results) != 2 || !bytes.Equal(last.Results[0].Picture, pic.Data) || last.Results[0].Text != "Looked." ||
		last.Results[1].Text != "Kept away." || last.Results[1].Picture != nil {
		t.Errorf("the answers were %+v", last.Results)
	}
}

// TestRealCallsOfOneAnswer: codex does the calls of one answer in any order. None is done before one that its model
// made earlier, and none after one that failed.
func TestRealCallsOfOneAnswer(t *testing.T) {
	for range 3 {
		p := newProvider(t, thinks(func(s enginetest.Seen) enginetest.Answer {
			if len(s.Results) > 0 {
				return enginetest.Answer{Text: "I see."}
			}
			return enginetest.Answer{Text: "I click.", Calls: []enginetest.Call{
				{ID: "call_1", Name: "computer", Args: `{"action":"a"}`}, {ID: "call_2", Name: "computer", Args: `{"action":"b"}`}, {ID: "call_3", Name: "computer", Args: `{"action":"c"}`},
			}}
		}))
		var done string
		k := programtest.Drive(real(t, p).Turn(t.Context(), programtest.Turn(model, "Click.")), func(c engine.ToolCall) tool.Result {
			var a struct {
				Action string `json:"action"`
			}
			if err := json.Unmarshal(c.Args, &a); err != nil {
				t.Error(err)
			}
			done += a.Action
			return tool.Result{Text: "x", Failed: a.Action == "b"}
		})
		t.Logf("done: %q; answers: %+v", done, p.requests()[1].Results)
		if k.Err != nil || k.Text != "I click.I see." || done != "a" && done != "ab" {
			t.Fatalf("%q: %+v", done, k)
		}
	}
}

// TestRealScript: newer models call tools from a script, in which the picture of an answer is shown as codex is told.
func TestRealScript(t *testing.T) {
	const show = `const r = await tools.computer({action: "screenshot"}); const i = r.lastIndexOf("\ndata:image/"); text(i < 0 ? r : r.slice(0, i)); if (i >= 0) image(r.slice(i + 1));`
	p := newProvider(t, func(s enginetest.Seen) [][]byte {
		if len(s.Results) > 0 {
			frames, _ := openaitest.Encode(enginetest.Answer{Text: "All done."}, openaitest.Style{Number: 1})
			return frames
		}
		item, err := json.Marshal(map[string]any{
			"type": "response.output_item.done", "output_index": 0,
			"item": map[string]any{"type": "custom_tool_call", "id": "ct_1", "call_id": "call_1", "name": "exec", "namespace": "functions", "status": "completed", "input": show},
		})
		if err != nil {
			panic(err)
		}
		frames, _ := openaitest.Encode(enginetest.Answer{}, openaitest.Style{})
		return slices.Insert(frames, 1, []byte("event: response.output_item.done\ndata: "+string(item)+"\n\n"))
	})
	list, err := real(t, p).Models(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatalf("%v, %v", list, err)
	}
	t.Logf("%d models, the first is %s", len(list), list[0].Name)
	pic := programtest.Picture(1)
	k := programtest.Drive(real(t, p).Turn(t.Context(), programtest.Turn(list[0], "Look.")), func(engine.ToolCall) tool.Result {
		return tool.Result{Text: "Looked.", Picture: pic}
	})
	if k.Err != nil || len(k.Calls) != 1 || k.Text != "All done." {
		t.Fatalf("%+v", k)
	}
	all := p.requests()
	last := all[len(all)-1].Results
	if len(last) != 1 || !bytes.Equal(last[0].Picture, pic.Data) || !strings.HasSuffix(last[0].Text, "Looked.") {
		t.Errorf("the answers were %+v", last)
	}
	t.Logf("it has the tools %q", all[0].Tools)
	for _, bad := range []string{"exec_command", "apply_patch", "shell", "view_image", "spawn_agent", "web_search"} {
		if slices.Contains(all[0].Tools, bad) || strings.Contains(all[0].System, "tools."+bad) {
			t.Errorf("it has %s", bad)
		}
	}
}

// TestRealStop: a turn that is stopped in a call is over at once, and nothing of it is left.
func TestRealStop(t *testing.T) {
	p := newProvider(t, thinks(enginetest.Steps([]enginetest.Call{enginetest.Does(`{"action":"screenshot"}`)}, "Done.")))
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	var at time.Time
	k := programtest.Drive(real(t, p).Turn(ctx, programtest.Turn(model, "Look.")), func(engine.ToolCall) tool.Result {
		at = time.Now()
		cancel(stop)
		return tool.Result{Text: "Looked."}
	})
	took := time.Since(at)
	t.Logf("over after %v", took)
	if !errors.Is(k.Err, stop) || took > time.Second || len(p.requests()) != 1 {
		t.Fatalf("%v after %v, %d requests", k.Err, took, len(p.requests()))
	}
}

// TestRealSignedOut: a codex that nobody is signed in with says so.
func TestRealSignedOut(t *testing.T) {
	_, err := real(t, nil).Models(t.Context())
	k := programtest.Drive(real(t, nil).Turn(t.Context(), programtest.Turn(model, "Hello.")), nil)
	for _, err := range []error{err, k.Err} {
		if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Kind != engine.BadKey || p.Error() != "Codex isn't signed in. Run codex login in a terminal, then try again." {
			t.Errorf("%v", err)
		}
	}
}

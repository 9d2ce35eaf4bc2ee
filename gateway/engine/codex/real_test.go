package codex_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/engine/codex"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/program/programtest"
	"conch/gateway/tool"
)

var model = engine.Model{ID: "gpt-test", Name: "GPT Test", Sees: true, Tools: true}

// real is the engine of the real codex, which talks to a provider on this computer.
func real(t *testing.T, p *programtest.Provider) *codex.Engine {
	t.Helper()
	path, home := programtest.Real(t, codex.Program)
	return codex.New(codex.Config{Path: path, Env: programtest.CodexEnv(t, home, p)})
}

// TestRealTwoSteps: the real codex does a task of two steps with the turn's tools.
func TestRealTwoSteps(t *testing.T) {
	p := programtest.NewOpenAI(t, enginetest.Steps([]enginetest.Call{enginetest.Does(`{"action":"screenshot"}`), {Name: "note", Args: `{"text":"ä \"b\" 👋"}`}}, "All done."))
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
	all := p.Requests()
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
		p := programtest.NewOpenAI(t, func(s enginetest.Seen) enginetest.Answer {
			if len(s.Results) > 0 {
				return enginetest.Answer{Text: "I see."}
			}
			return enginetest.Answer{Text: "I click.", Calls: []enginetest.Call{
				{ID: "call_1", Name: "computer", Args: `{"action":"a"}`}, {ID: "call_2", Name: "computer", Args: `{"action":"b"}`}, {ID: "call_3", Name: "computer", Args: `{"action":"c"}`},
			}}
		})
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
		t.Logf("done: %q; answers: %+v", done, p.Requests()[1].Results)
		if k.Err != nil || k.Text != "I click.I see." || done != "a" && done != "ab" {
			t.Fatalf("%q: %+v", done, k)
		}
	}
}

// TestRealScript: newer models call tools from a script, in which the picture of an answer is shown as codex is told.
func TestRealScript(t *testing.T) {
	p := programtest.NewOpenAI(t, enginetest.Steps([]enginetest.Call{enginetest.Does(`{"action":"screenshot"}`)}, "All done."))
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
	all := p.Requests()
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

// TestRealStop: a turn that is stopped is over at once, and nothing of it is left.
func TestRealStop(t *testing.T) {
	programtest.RealStops(t, model, programtest.NewOpenAI, func(t *testing.T, p *programtest.Provider) engine.Engine { return real(t, p) })
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

package claudecode_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/gateway/engine"
	"conch/gateway/engine/claudecode"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/program/programtest"
	"conch/gateway/tool"
)

var model = engine.Model{ID: "sonnet", Name: "Claude Sonnet", Sees: true, Tools: true}

func real(t *testing.T, p *programtest.Provider) *claudecode.Engine {
	t.Helper()
	path, home := programtest.Real(t, claudecode.Program)
	env := []string{"HOME=" + home}
	if p != nil {
		env = programtest.ClaudeEnv(home, p)
	}
	return claudecode.New(claudecode.Config{Path: path, Env: env})
}

// TestRealTwoSteps: the real claude does a task of two steps with the turn's tools, and has no others.
func TestRealTwoSteps(t *testing.T) {
	p := programtest.NewAnthropic(t, enginetest.Steps([]enginetest.Call{enginetest.Does(`{"action":"screenshot"}`), {Name: "note", Args: `{"text":"ä \"b\" 👋"}`}}, "All done."))
	e := real(t, p)
	pic, own := programtest.Picture(1), programtest.Picture(2)
	turn := programtest.Turn(model, "/clear Look, then note it.")
	turn.Messages = append([]engine.Message{{Role: engine.Person, Text: "Two times two?"}, {Role: engine.Assistant, Text: "Four."}}, turn.Messages...)
	turn.Messages[2].Picture = own
	begun := time.Now()
	k := programtest.Drive(e.Turn(t.Context(), turn), func(c engine.ToolCall) tool.Result {
		if c.Name == "computer" {
			return tool.Result{Text: "Looked.", Picture: pic}
		}
		return tool.Result{Text: "Kept away.", Failed: true}
	})
	t.Logf("%v: said %q, thought %q, used %+v, err %v", time.Since(begun).Round(time.Millisecond), k.Text, k.Thinking, k.Usage, k.Err)
	if k.Err != nil || len(k.Calls) != 2 || k.Calls[0].Name != "computer" || k.Calls[1].Name != "note" || len(k.Usage) != 3 ||
		k.Usage[1] != (engine.Usage{In: 101, Out: 7, CacheRead: 10, CacheMade: 5}) {
		t.Fatalf("%+v", k)
	}
	if string(k.Calls[0].Args) != `{"action":"screenshot"}` || !bytes.Contains(k.Calls[1].Args, []byte(`👋`)) || k.Text != "I stopped: Kept away." {
		t.Errorf("%s, %s, %q", k.Calls[0].Args, k.Calls[1].Args, k.Text)
	}
	all := p.Requests()
	first, last := all[0], all[len(all)-1]
	if d := slices.Compare(first.Tools, []string{"mcp__conch__computer", "mcp__conch__note"}); d != 0 {
		t.Errorf("it has the tools %q", first.Tools)
	}
	if !strings.Contains(first.System, "You are Conch.\n\nA note.") || !strings.Contains(first.Said, "/clear Look, then note it.") ||
		!strings.Contains(first.Said, "Two times two?") || !bytes.Equal(first.Shown, own.Data) {
		t.Errorf("it was told %q and %q, and shown %d bytes", first.System, first.Said, len(first.Shown))
	}
	if len(last.Results) != 2 || !bytes.Equal(last.Results[0].Picture, pic.Data) || last.Results[0].Text != "Looked." ||
		!last.Results[1].Failed || last.Results[1].Text != "Kept away." || last.Results[1].Picture != nil {
		t.Errorf("the answers were %+v", last.Results)
	}
}

// TestRealCallsOfOneAnswer: several calls are done in their order, and none after one that failed.
func TestRealCallsOfOneAnswer(t *testing.T) {
	p := programtest.NewAnthropic(t, func(s enginetest.Seen) enginetest.Answer {
		if len(s.Results) > 0 {
			return enginetest.Answer{Text: "I see."}
		}
		return enginetest.Answer{Text: "I click.", Calls: []enginetest.Call{
			{ID: "toolu_1", Name: "computer", Args: `{"action":"a"}`}, {ID: "toolu_2", Name: "computer", Args: `{"action":"b"}`}, {ID: "toolu_3", Name: "computer", Args: `{"action":"c"}`},
		}}
	})
	var done []string
	k := programtest.Drive(real(t, p).Turn(t.Context(), programtest.Turn(model, "Click.")), func(c engine.ToolCall) tool.Result {
		done = append(done, string(c.Args))
		return tool.Result{Text: "x", Failed: len(done) == 2}
	})
	if want := []string{`{"action":"a"}`, `{"action":"b"}`}; k.Err != nil || k.Text != "I click.I see." || !slices.Equal(done, want) {
		t.Fatalf("%q: %+v", done, k)
	}
}

// TestRealStop: a turn that is stopped is over at once, and nothing of it is left.
func TestRealStop(t *testing.T) {
	programtest.RealStops(t, model, programtest.NewAnthropic, func(t *testing.T, p *programtest.Provider) engine.Engine { return real(t, p) })
}

// TestRealSignedOut: a claude that nobody is signed in with says so.
func TestRealSignedOut(t *testing.T) {
	e := real(t, nil)
	_, err := e.Models(t.Context())
	k := programtest.Drive(e.Turn(t.Context(), programtest.Turn(model, "Hello.")), nil)
	for _, err := range []error{err, k.Err} {
		if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Kind != engine.BadKey || !strings.Contains(p.Next, "claude") {
			t.Errorf("%v", err)
		}
	}
}

// TestRealModels: one that somebody is signed in with has models.
func TestRealModels(t *testing.T) {
	list, err := real(t, programtest.NewAnthropic(t, nil)).Models(t.Context())
	if err != nil || len(list) == 0 || !list[0].Sees || list[0].Local {
		t.Fatalf("%v, %v", list, err)
	}
}

package claudecode_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/anthropic/anthropictest"
	"conch/gateway/engine/claudecode"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/program/programtest"
	"conch/gateway/tool"
)

// provider is Anthropic as the real claude talks to it. It reads no more of a request than a scripted model needs:
// claude sends more than the API documents.
type provider struct {
	*httptest.Server
	brain enginetest.Brain

	mu   sync.Mutex
	seen []enginetest.Seen
}

func newProvider(t *testing.T, brain enginetest.Brain) *provider {
	t.Helper()
	p := &provider{brain: brain}
	p.Server = httptest.NewServer(p)
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
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
	a := p.brain(s)
	a.Usage = engine.Usage{In: 100 + len(s.Results), Out: 7, CacheRead: 10, CacheMade: 5}
	for i := range a.Calls {
		a.Calls[i].Name = "mcp__conch__" + a.Calls[i].Name
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write(slices.Concat(anthropictest.Encode(a, "")...))
}

// requests are the requests that were answered.
func (p *provider) requests() []enginetest.Seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

type block struct {
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	Content jsontext.Value `json:"content"`
	Failed  bool           `json:"is_error"`
	Source  struct {
		Data string `json:"data"`
	} `json:"source"`
}

func (b block) picture() []byte {
	data, _ := base64.StdEncoding.DecodeString(b.Source.Data) // another picture fails the test
	return data
}

func blocks(v jsontext.Value) []block {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var out []block
	_ = json.Unmarshal(v, &out) // none fail the test
	return out
}

func seenIn(body []byte) (s enginetest.Seen, err error) {
	var q struct {
		System   jsontext.Value `json:"system"`
		Messages []struct {
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return s, err
	}
	for _, b := range blocks(q.System) {
		s.System += b.Text + "\n"
	}
	for _, t := range q.Tools {
		s.Tools = append(s.Tools, t.Name)
	}
	for _, m := range q.Messages {
		for _, b := range blocks(m.Content) {
			switch {
			case b.Type == "tool_result":
				res := enginetest.Result{Failed: b.Failed}
				for _, c := range blocks(b.Content) {
					res.Text += c.Text
					if c.Type == "image" {
						res.Picture = c.picture()
					}
				}
				s.Results = append(s.Results, res)
			case m.Role == "user" && b.Type == "image":
				s.Shown = b.picture()
			case m.Role == "user" && b.Type == "text":
				s.Said += b.Text + "\n"
			}
		}
	}
	return s, nil
}

var model = engine.Model{ID: "sonnet", Name: "Claude Sonnet", Sees: true, Tools: true}

func real(t *testing.T, p *provider) *claudecode.Engine {
	t.Helper()
	path, home := programtest.Real(t, claudecode.Program)
	env := []string{"HOME=" + home}
	if p != nil {
		env = append(env, "ANTHROPIC_BASE_URL="+p.URL, "ANTHROPIC_API_KEY=sk-ant-none")
	}
	return claudecode.New(claudecode.Config{Path: path, Env: env})
}

// TestRealTwoSteps: the real claude does a task of two steps with the turn's tools, and has no others.
func TestRealTwoSteps(t *testing.T) {
	p := newProvider(t, enginetest.Steps([]enginetest.Call{enginetest.Does(`{"action":"screenshot"}`), {Name: "note", Args: `{"text":"ä \"b\" 👋"}`}}, "All done."))
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
	all := p.requests()
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
	p := newProvider(t, func(s enginetest.Seen) enginetest.Answer {
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

// TestRealStop: a turn that is stopped in a call is over at once, and nothing of it is left.
func TestRealStop(t *testing.T) {
	p := newProvider(t, enginetest.Steps([]enginetest.Call{enginetest.Does(`{"action":"screenshot"}`)}, "Done."))
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
	list, err := real(t, newProvider(t, nil)).Models(t.Context())
	if err != nil || len(list) == 0 || !list[0].Sees || list[0].Local {
		t.Fatalf("%v, %v", list, err)
	}
}

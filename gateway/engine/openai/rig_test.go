package openai_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"

	"conch/gateway/computer"
	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/openai"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

const theKey = "sk-test-key"

var (
	native  = engine.Model{ID: "gpt-6-astra", Name: "GPT-6 Astra", Sees: true, Tools: true, Computer: "computer"}
	general = engine.Model{ID: "gpt-5.4-nano", Sees: true, Tools: true, Forgets: true}
	preview = engine.Model{ID: "computer-use-preview", Sees: true, Tools: true, Computer: "computer_use_preview", Forgets: true}
)

// recorder is a transport that keeps what was sent.
type recorder struct {
	mu     sync.Mutex
	bodies [][]byte
	http   http.Transport
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		_ = req.Body.Close()
		r.mu.Lock()
		r.bodies = append(r.bodies, body)
		r.mu.Unlock()
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	return r.http.RoundTrip(req)
}

// open is an engine that talks to base.
func open(t *testing.T, base string) (*openai.Engine, *recorder) {
	t.Helper()
	via := &recorder{}
	t.Cleanup(via.http.CloseIdleConnections)
	return openai.New(openai.Config{Key: theKey, Base: base, HTTP: via, Retry: wire.Retry{Max: -1}}), via
}

func turn(m engine.Model) engine.Turn {
	return engine.Turn{
		Chat: "c1", Model: m, System: "You are Conch.", Messages: []engine.Message{{Role: engine.Person, Text: "Do it."}},
		Tools: []tool.Tool{
			{Name: "computer", About: "Uses the computer, within its rules.", Schema: []byte(`{"type":"object","properties":{"action":{"type":"string"}},"required":["action"]}`)},
			{Name: "note", About: "Notes.", Schema: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)},
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
	text  string
	calls []string // the arguments, with "blind " before those that nobody looks at
	asked []engine.Confirm
	usage engine.Usage
	err   error
}

// hands answers calls and questions.
type hands struct {
	call    func(n int, c engine.ToolCall) tool.Result // nil: done, with a picture
	confirm func(engine.Confirm) bool                  // nil: no
}

func (h hands) run(t *testing.T, e engine.Engine, in engine.Turn) ran {
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
		case engine.ToolCall:
			word := string(ev.Args)
			if ev.Blind {
				word = "blind " + word
			}
			r.calls = append(r.calls, word)
			if ev.Name == dialect.ToolName {
				if _, err := computer.Parse(ev.Args); err != nil {
					t.Errorf("%s: %v", ev.Args, err)
				}
			}
			ev.Answer(h.answer(len(r.calls), ev))
		case engine.Confirm:
			r.asked = append(r.asked, ev)
			ev.Answer(h.confirm != nil && h.confirm(ev))
		case engine.Usage:
			r.usage.In, r.usage.Out = r.usage.In+ev.In, r.usage.Out+ev.Out
		case engine.Thinking, engine.Doing:
		}
	}
	return r
}

func (h hands) answer(n int, c engine.ToolCall) tool.Result {
	if h.call != nil {
		return h.call(n, c)
	}
	res := tool.Result{Text: fmt.Sprintf("Done %d.", n)}
	if !c.Blind {
		res.Picture = shot(n)
	}
	return res
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

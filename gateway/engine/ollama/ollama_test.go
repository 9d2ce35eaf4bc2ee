package ollama_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"conch/gateway/computer"
	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/ollama"
	"conch/gateway/engine/ollama/ollamatest"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

func server(t *testing.T, base string) *ollama.Engine {
	t.Helper()
	via := &http.Transport{}
	t.Cleanup(via.CloseIdleConnections)
	return ollama.New(ollama.Config{Base: base, HTTP: via, Retry: wire.Retry{
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}})
}

func models(t *testing.T, e *ollama.Engine) map[string]engine.Model {
	t.Helper()
	all, err := e.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]engine.Model{}
	for _, m := range all {
		out[m.ID] = m
	}
	return out
}

func screen(n int) *tool.Picture {
	img := image.NewPaletted(image.Rect(0, 0, 320, 200), color.Palette{color.Black, color.White})
	img.Pix[n%len(img.Pix)] = 1
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return &tool.Picture{MIME: "image/png", Data: b.Bytes(), W: 320, H: 200}
}

func turn(m engine.Model) engine.Turn {
	return engine.Turn{
		Model: m, System: "You are Conch.", Messages: []engine.Message{{Role: engine.Person, Text: "Go on."}},
		Tools: []tool.Tool{{Name: dialect.ToolName, About: "Uses the computer.", Schema: []byte(`{"type": "object"}`)}},
	}
}

type did struct {
	text, thought string
	calls         []engine.ToolCall
	err           error
}

func (d did) problem() *engine.Problem {
	p, ok := errors.AsType[*engine.Problem](d.err)
	if !ok {
		return &engine.Problem{Kind: -1}
	}
	return p
}

// drive answers each call with a picture.
func drive(events iter.Seq2[engine.Event, error]) did {
	var d did
	for event, err := range events {
		if err != nil {
			d.err = err
			continue
		}
		switch e := event.(type) {
		case engine.Text:
			d.text += e.Piece
		case engine.Thinking:
			d.thought += e.Piece
		case engine.ToolCall:
			d.calls = append(d.calls, e)
			e.Answer(tool.Result{Text: "Done.", Picture: screen(len(d.calls))})
		case engine.Confirm:
			e.Answer(false)
		case engine.Doing, engine.Usage:
		}
	}
	return d
}

func says(text string) enginetest.Brain {
	return func(enginetest.Seen) enginetest.Answer { return enginetest.Answer{Thinking: "Hm.", Text: text} }
}

func TestTenSteps(t *testing.T) {
	for _, id := range []string{"qwen3-vl:8b", "mistral-small3.2:24b"} {
		s := ollamatest.New(t, enginetest.TenSteps("Mousepad", "Grüße 👋"))
		e := server(t, s.URL)
		d := drive(e.Turn(t.Context(), turn(models(t, e)[id])))
		if d.err != nil || d.text != "Done, all ten steps." || len(d.calls) != 10 {
			t.Fatalf("%s: %+v %q", id, d, s.Refused())
		}
		for _, c := range d.calls {
			if _, err := computer.Parse(c.Args); err != nil {
				t.Errorf("%s: %v", c.Args, err)
			}
		}
	}
}

func TestModels(t *testing.T) {
	s := ollamatest.New(t, nil)
	got, err := server(t, s.URL).Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Model{
		{ID: "qwen3-vl:8b", Name: "qwen3-vl:8b", Sees: true, Tools: true, Window: 32768, Forgets: true, Local: true},
		{ID: "mistral-small3.2:24b", Name: "mistral-small3.2:24b", Sees: true, Tools: true, Window: 32768, Forgets: true, Local: true},
		{ID: "qwen3:4b", Name: "qwen3:4b", Tools: true, Window: 16384, Forgets: true, Local: true}, // as the person set
		{ID: "llava:7b", Name: "llava:7b", Sees: true, Window: 4096, Forgets: true, Local: true},   // all that it was made for
		{ID: "gpt-oss:120b-cloud", Name: "gpt-oss:120b-cloud", Tools: true, Window: 131072, Forgets: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestLocal: only what runs on this computer is local, whatever address it is asked at.
func TestLocal(t *testing.T) {
	for base, want := range map[string]bool{
		"http://127.0.0.1:11434": true, "http://localhost:1": true, "http://[::1]:1": true, "http://127.9.9.9": true, "http://[::ffff:127.0.0.1]": true,
		"http://192.168.1.5:11434": false, "https://ollama.example": false, "http://localhost.example": false, "http://0.0.0.0:1": false, "nonsense": false,
	} {
		if got := ollama.Loopback(base); got != want {
			t.Errorf("%s: %v", base, got)
		}
	}
}

// TestLeaves: a model that was thought to run here and now passes requests on is asked nothing.
func TestLeaves(t *testing.T) {
	s := ollamatest.New(t, says("Hello."))
	e := server(t, s.URL)
	m := models(t, e)["gpt-oss:120b-cloud"]
	if m.Local {
		t.Fatal("what runs elsewhere counts as local")
	}
	if d := drive(e.Turn(t.Context(), turn(m))); d.err != nil || d.text != "Hello." {
		t.Errorf("%+v", d)
	}
	n := len(s.Bodies())
	m.Local = true
	if d := drive(e.Turn(t.Context(), turn(m))); d.problem().Say == "" || len(s.Bodies()) != n {
		t.Errorf("%+v", d)
	}
}

// TestAsked: what is asked for is what the model can do.
func TestAsked(t *testing.T) {
	type sent struct {
		Think   bool  `json:"think"`
		Tools   []any `json:"tools"`
		Options struct {
			Context int `json:"num_ctx"`
		} `json:"options"`
	}
	for id, want := range map[string]struct {
		thinks bool
		tools  int
		window int
	}{
		"qwen3-vl:8b": {true, 1, 32768}, "mistral-small3.2:24b": {false, 1, 32768}, "qwen3:4b": {true, 1, 16384}, "llava:7b": {false, 0, 4096},
		"gpt-oss:120b-cloud": {true, 1, 0},
	} {
		s := ollamatest.New(t, says("Hello."))
		e := server(t, s.URL)
		if d := drive(e.Turn(t.Context(), turn(models(t, e)[id]))); d.err != nil || d.thought != "Hm." {
			t.Fatalf("%s: %+v %q", id, d, s.Refused())
		}
		var got sent
		if err := json.Unmarshal(s.Bodies()[0], &got); err != nil {
			t.Fatal(err)
		}
		if got.Think != want.thinks || len(got.Tools) != want.tools || got.Options.Context != want.window {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

// TestBlind: a model that the server says doesn't see isn't sent a picture; the problem is one that can be healed.
func TestBlind(t *testing.T) {
	s := ollamatest.New(t, enginetest.TenSteps("Mousepad", "x"))
	e := server(t, s.URL)
	m := models(t, e)["qwen3:4b"]
	m.Sees = true // as somebody wrongly noted
	if d := drive(e.Turn(t.Context(), turn(m))); d.problem().Kind != engine.Blind || len(d.calls) != 1 || len(s.Refused()) > 0 {
		t.Errorf("%+v %q", d, s.Refused())
	}
	// A server that is too old to say is asked, and says so itself.
	s.Models[2].Silent = true
	if d := drive(e.Turn(t.Context(), turn(m))); d.problem().Kind != engine.Blind || len(d.calls) != 1 || len(s.Refused()) == 0 {
		t.Errorf("%+v %q", d, s.Refused())
	}
}

// TestTooLong: pictures that don't fit make room, and only then it is said that the chat is too long.
func TestTooLong(t *testing.T) {
	s := ollamatest.New(t, enginetest.TenSteps("Mousepad", "x"))
	i := slices.IndexFunc(s.Models, func(m ollamatest.Model) bool { return m.Name == "qwen3-vl:8b" })
	s.Models[i].Parameters = "num_ctx 3500" // three pictures
	e := server(t, s.URL)
	m := models(t, e)["qwen3-vl:8b"]
	if d := drive(e.Turn(t.Context(), turn(m))); d.err != nil || d.text != "Done, all ten steps." || len(s.Refused()) == 0 {
		t.Fatalf("%+v %q", d, s.Refused())
	}
	long := turn(m)
	long.Messages[0].Text = strings.Repeat("word ", 5000)
	if d := drive(e.Turn(t.Context(), long)); d.problem().Kind != engine.TooLong {
		t.Errorf("%+v", d)
	}
}

func TestProblems(t *testing.T) {
	s := ollamatest.New(t, says("Hello."))
	e := server(t, s.URL)
	m := models(t, e)["qwen3:4b"]
	gone := m
	gone.ID, gone.Name = "qwen9:1b", "qwen9:1b"
	p := drive(e.Turn(t.Context(), turn(gone))).problem()
	if p.Kind != engine.NoModel || p.Say != "Ollama hasn't got the model “qwen9:1b”." || !strings.Contains(p.Next, "ollama pull qwen9:1b") {
		t.Errorf("%+v", p)
	}
	s.Before = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"error":"model requires more system memory (9.4 GiB) than is available (3.1 GiB)"}`)
		return true
	}
	p = drive(e.Turn(t.Context(), turn(m))).problem()
	if p.Say != "There isn't enough memory for qwen3:4b." || p.Next == "" || len(s.Bodies()) != 1 {
		t.Errorf("%+v after %d requests", p, len(s.Bodies()))
	}
	s.Close()
	p = drive(e.Turn(t.Context(), turn(m))).problem()
	if p.Kind != engine.Unreachable || p.Say != "Ollama can't be reached." || !strings.HasPrefix(p.Next, "Start it") {
		t.Errorf("%+v", p)
	}
	if _, err := e.Models(t.Context()); (did{err: err}).problem().Kind != engine.Unreachable {
		t.Errorf("%v", err)
	}
}

// TestNothing: an answer of nothing is asked for again once.
func TestNothing(t *testing.T) {
	for _, c := range []struct {
		nothing, requests int
		kind              engine.ProblemKind
	}{{1, 2, -1}, {2, 2, engine.Other}} {
		n := 0
		s := ollamatest.New(t, func(enginetest.Seen) enginetest.Answer {
			if n++; n <= c.nothing {
				return enginetest.Answer{}
			}
			return enginetest.Answer{Text: "Hello."}
		})
		e := server(t, s.URL)
		if d := drive(e.Turn(t.Context(), turn(models(t, e)["qwen3:4b"]))); d.problem().Kind != c.kind || len(s.Bodies()) != c.requests {
			t.Errorf("%+v after %d requests", d, len(s.Bodies()))
		}
	}
}

package gemini_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"iter"
	"net/http"
	"testing"
	"time"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/gemini"
	"conch/gateway/engine/gemini/geminitest"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

const key = "AIza-test-key"

// screen is a picture of a size, another one for each n.
func screen(w, h, n int) *tool.Picture {
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White, color.RGBA{uint8(n), 0, 0, 255}})
	img.Pix[n%len(img.Pix)] = uint8(1 + n%2)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return &tool.Picture{MIME: "image/png", Data: b.Bytes(), W: w, H: h}
}

// account is an engine that talks to a server and waits no time.
func account(t *testing.T, s *geminitest.Server, key wire.Secret) *gemini.Engine {
	t.Helper()
	via := &http.Transport{}
	t.Cleanup(via.CloseIdleConnections)
	return gemini.New(gemini.Config{Base: s.URL, Key: key, HTTP: via, Retry: wire.Retry{
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}})
}

// model is one of the server's models as the account lists it.
func model(t *testing.T, e *gemini.Engine, id string) engine.Model {
	t.Helper()
	all, err := e.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.ID == id {
			return m
		}
	}
	t.Fatalf("there is no %s", id)
	return engine.Model{}
}

func turn(m engine.Model, said string) engine.Turn {
	return engine.Turn{
		Model: m, System: "You are Conch.", Messages: []engine.Message{{Role: engine.Person, Text: said}},
		Tools: []tool.Tool{
			{Name: dialect.ToolName, About: "Uses the computer.", Schema: []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"action":{"type":"string"},"duration":{"type":"number","exclusiveMinimum":0,"default":1}}}`)},
			{Name: "note", About: "Writes a note.", Schema: []byte(`{"type":"object","properties":{"text":{"type":"string"}}}`)},
		},
	}
}

// did is all that a turn did.
type did struct {
	text  string
	calls []engine.ToolCall
	asked []engine.Confirm
	err   error
}

func (d did) problem() engine.ProblemKind {
	if p, ok := errors.AsType[*engine.Problem](d.err); ok {
		return p.Kind
	}
	return -1
}

// drive ranges over a turn as a chat does.
func drive(events iter.Seq2[engine.Event, error], answer func(engine.ToolCall) tool.Result, confirm bool) did {
	var d did
	for event, err := range events {
		if err != nil {
			d.err = err
			continue
		}
		switch e := event.(type) {
		case engine.Text:
			d.text += e.Piece
		case engine.ToolCall:
			d.calls = append(d.calls, e)
			e.Answer(answer(e))
		case engine.Confirm:
			d.asked = append(d.asked, e)
			e.Answer(confirm)
		case engine.Thinking, engine.Doing, engine.Usage:
		}
	}
	return d
}

// plainly answers each call with a sentence and a picture.
func plainly(e engine.ToolCall) tool.Result {
	if e.Blind || e.Name != dialect.ToolName {
		return tool.Result{Text: "Done."}
	}
	return tool.Result{Text: "Done.", Picture: screen(1366, 768, 1)}
}

// Package programtest is what every engine that runs a program of the person's own must hold: a suite that a scripted
// stand-in for the program answers, and what tests with the real program need. It is for tests; each engine brings its
// program's words.
//
// Real programs aren't everywhere, so tests with them (TestReal…) are skipped unless CONCH_PROGRAMS names the folder that
// holds them as claude and codex. They think with a scripted model of this computer, for a home folder of the test's,
// and sign in nowhere. make programs brings them with npm and runs those tests.
package programtest

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// Took is all that a turn did.
type Took struct {
	Text, Thinking string
	Calls          []engine.ToolCall
	Doing          []string
	Usage          []engine.Usage
	Err            error
}

// Problem is the problem that ended the turn; nil when none did.
func (k Took) Problem() *engine.Problem {
	p, _ := errors.AsType[*engine.Problem](k.Err)
	return p
}

// Drive ranges over a turn as a chat does and answers its calls; nil answers with a sentence.
func Drive(events iter.Seq2[engine.Event, error], answer func(engine.ToolCall) tool.Result) Took {
	var k Took
	for event, err := range events {
		if k.Err != nil {
			k.Err = errors.Join(k.Err, errors.New("something came after an error"))
			return k
		}
		if err != nil {
			k.Err = err
			continue
		}
		switch e := event.(type) {
		case engine.Text:
			k.Text += e.Piece
		case engine.Thinking:
			k.Thinking += e.Piece
		case engine.ToolCall:
			k.Calls = append(k.Calls, e)
			res := tool.Result{Text: "Done."}
			if answer != nil {
				res = answer(e)
			}
			e.Answer(res)
		case engine.Confirm:
			e.Answer(false)
		case engine.Doing:
			k.Doing = append(k.Doing, e.Say)
		case engine.Usage:
			k.Usage = append(k.Usage, e)
		}
	}
	return k
}

// Turn is a turn that offers the computer tool and a plain one.
func Turn(m engine.Model, said string) engine.Turn {
	return engine.Turn{
		Chat: "chat", Model: m, System: "You are Conch.", Notes: []string{"A note."},
		Messages: []engine.Message{{Role: engine.Person, Text: said}},
		Tools: []tool.Tool{
			{Name: "computer", Title: "Computer", About: "Uses the computer.", Schema: []byte(`{"type":"object","properties":{"action":{"type":"string"}},"required":["action"]}`)},
			{Name: "note", Title: "Note", About: "Writes a note.", Schema: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)},
		},
	}
}

// Picture is a small picture, another one for each n.
func Picture(n int) *tool.Picture {
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for i := range 64 * 48 {
		img.Set(i%64, i/64, color.RGBA{uint8(n), uint8(n >> 8), uint8(i), 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return &tool.Picture{MIME: "image/png", Data: b.Bytes(), W: 64, H: 48}
}

// Temp gives the test a folder for temporary files and checks in the end that nothing is left in it.
func Temp(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("files are left behind: %v, %v", left, err)
		}
	})
}

// Path is where the real program of a name is. The test is skipped unless CONCH_PROGRAMS names a folder that holds it;
// make programs brings the programs, and names theirs.
func Path(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("CONCH_PROGRAMS")
	if dir == "" {
		t.Skip("CONCH_PROGRAMS names no folder with the real programs; make programs brings them")
	}
	path, err := filepath.Abs(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Real is where the real program of a name is, and a home folder of its own for it.
func Real(t *testing.T, name string) (path, home string) {
	t.Helper()
	path = Path(t, name)
	Temp(t)
	return path, t.TempDir()
}

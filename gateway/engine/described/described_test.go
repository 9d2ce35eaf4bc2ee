package described_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/gateway/engine"
	"conch/gateway/engine/described"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/gemini"
	"conch/gateway/engine/gemini/geminitest"
	"conch/gateway/engine/ollama"
	"conch/gateway/engine/ollama/ollamatest"
	"conch/gateway/engine/wire"
	"conch/gateway/leaktest"
	"conch/gateway/tool"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const key = "AIza-test-key"

func screen(n int) *tool.Picture {
	img := image.NewPaletted(image.Rect(0, 0, 1366, 768), color.Palette{color.Black, color.White})
	img.Pix[n] = 1
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return &tool.Picture{MIME: "image/png", Data: b.Bytes(), W: 1366, H: 768}
}

// sees is what the model that sees says of a picture: two points are in it.
const sees = "Mousepad is in front, with an empty page.\n120,30: button “Save”\n(700, 400) – the page, has the keyboard\n1366,10: a point beside it\n- 20,9999: another"

// both is a server's model: it describes a picture that comes with a message, and otherwise does as b.
func both(b enginetest.Brain) enginetest.Brain {
	return func(s enginetest.Seen) enginetest.Answer {
		if s.Shown != nil {
			return enginetest.Answer{Text: sees, Usage: engine.Usage{In: 900, Out: 40}}
		}
		return b(s)
	}
}

func via(t *testing.T) http.RoundTripper {
	v := &http.Transport{}
	t.Cleanup(v.CloseIdleConnections)
	return v
}

func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// local is an Ollama server, its engine and its models.
func local(t *testing.T, b enginetest.Brain) (*ollamatest.Server, *ollama.Engine, map[string]engine.Model) {
	t.Helper()
	s := ollamatest.New(t, both(b))
	e := ollama.New(ollama.Config{Base: s.URL, HTTP: via(t), Retry: wire.Retry{Sleep: noWait}})
	return s, e, list(t, e)
}

// cloud is a Gemini account.
func cloud(t *testing.T, b enginetest.Brain) (*geminitest.Server, *gemini.Engine, map[string]engine.Model) {
	t.Helper()
	s := geminitest.New(t, key, both(b))
	e := gemini.New(gemini.Config{Base: s.URL, Key: key, HTTP: via(t), Retry: wire.Retry{Sleep: noWait}})
	return s, e, list(t, e)
}

func list(t *testing.T, p engine.Place) map[string]engine.Model {
	t.Helper()
	all, err := p.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]engine.Model{}
	for _, m := range all {
		out[m.ID] = m
	}
	return out
}

func always(e engine.Engine, m engine.Model) func(context.Context, engine.Model) (described.Describer, error) {
	return func(context.Context, engine.Model) (described.Describer, error) {
		return described.Describer{Engine: e, Model: m}, nil
	}
}

func turn(m engine.Model) engine.Turn {
	return engine.Turn{
		Model: m, System: "You are Conch.", Messages: []engine.Message{{Role: engine.Person, Text: "Go on."}},
		Tools: []tool.Tool{{Name: dialect.ToolName, About: "Uses the computer.", Schema: []byte(`{"type":"object"}`)}},
	}
}

type did struct {
	text  string
	calls []engine.ToolCall
	doing []string
	usage []engine.Usage
	err   error
}

func (d did) kind() engine.ProblemKind {
	if p, ok := errors.AsType[*engine.Problem](d.err); ok {
		return p.Kind
	}
	return -1
}

func drive(events iter.Seq2[engine.Event, error], change func(n int, r *tool.Result)) did {
	var d did
	for event, err := range events {
		if err != nil {
			d.err = err
			continue
		}
		switch e := event.(type) {
		case engine.Text:
			d.text += e.Piece
		case engine.Doing:
			d.doing = append(d.doing, e.Say)
		case engine.Usage:
			d.usage = append(d.usage, e)
		case engine.ToolCall:
			d.calls = append(d.calls, e)
			r := tool.Result{Text: "Done.", Picture: screen(len(d.calls))}
			if change != nil {
				change(len(d.calls), &r)
			}
			e.Answer(r)
		case engine.Confirm:
			e.Answer(false)
		case engine.Thinking:
		}
	}
	return d
}

func look(n int) enginetest.Brain {
	var steps []enginetest.Call
	for range n {
		steps = append(steps, enginetest.Does(`{"action":"screenshot"}`))
	}
	return enginetest.Steps(steps, "Done.")
}

// wanted are the words of a screen.
const wanted = "Done.\n\nThe screen in words, by qwen3-vl:8b. It is 1366 by 768 pixels, and points are x,y in them:\n" +
	"Mousepad is in front, with an empty page.\n120,30: button “Save”\n(700, 400) – the page, has the keyboard"

// TestWords: a model on this computer that can't see is told the screen in words by another one on this computer, and
// does a task of ten steps so.
func TestWords(t *testing.T) {
	var told []enginetest.Seen
	task := enginetest.TenSteps("Mousepad", "Grüße")
	s, e, m := local(t, func(in enginetest.Seen) enginetest.Answer {
		told = append(told, in)
		return task(in)
	})
	wrapped := described.New(described.Config{Place: e, Choose: always(e, m["qwen3-vl:8b"])})
	d := drive(wrapped.Turn(t.Context(), turn(m["qwen3:4b"])), nil)
	if d.err != nil || d.text != "Done, all ten steps." || len(d.calls) != 10 {
		t.Fatalf("%+v %q", d, s.Refused())
	}
	last := told[len(told)-1]
	if last.Pictures() != 0 || last.Results[0].Text != wanted {
		t.Errorf("it is told %q", last.Results[0].Text)
	}
	if zoom := last.Results[8].Text; strings.Contains(zoom, "120,30") || !strings.Contains(zoom, "The picture in words") {
		t.Errorf("a part of the screen is told as %q", zoom)
	}
	if !slices.Contains(d.doing, "Looking at the picture with qwen3-vl:8b") || d.doing[len(d.doing)-1] != "" {
		t.Errorf("%q", d.doing)
	}
	by := 0
	for _, u := range d.usage {
		if u.By.ID == "qwen3-vl:8b" && u.In == 900 {
			by++
		}
	}
	if by != 10 {
		t.Errorf("%d of ten descriptions are counted as the other model's", by)
	}
	var asked string
	for _, b := range s.Bodies() {
		if bytes.Contains(b, []byte(`"images"`)) {
			asked = string(b)
			break
		}
	}
	if !strings.Contains(asked, "x from 0 to 1365") || !strings.Contains(asked, "at most 1092 characters") {
		t.Errorf("asked %.900q", asked)
	}
}

// TestWordsOnGrid: a describer that names points on a grid is asked so, and who reads its words gets pixels.
func TestWordsOnGrid(t *testing.T) {
	var told []enginetest.Seen
	task := look(1)
	s, e, m := local(t, func(in enginetest.Seen) enginetest.Answer {
		told = append(told, in)
		return task(in)
	})
	by := m["qwen3-vl:8b"]
	by.OnGrid = true
	d := drive(described.New(described.Config{Place: e, Choose: always(e, by)}).Turn(t.Context(), turn(m["qwen3:4b"])), nil)
	if d.err != nil {
		t.Fatalf("%+v %q", d, s.Refused())
	}
	const want = "points are x,y in them:\nMousepad is in front, with an empty page.\n164,23: button “Save”\n956,307: the page, has the keyboard"
	if got := told[len(told)-1].Results[0].Text; !strings.HasSuffix(got, want) {
		t.Errorf("it is told %q", got)
	}
	asked := slices.IndexFunc(s.Bodies(), func(b []byte) bool {
		return bytes.Contains(b, []byte(`"images"`)) && bytes.Contains(b, []byte("cells of a grid of 1000 by 1000 over this picture: x from 0 to 999"))
	})
	if asked < 0 {
		t.Error("it isn't asked for cells")
	}
}

// TestSame: what looks as before isn't described again, and of a step that nobody looks at nothing is.
func TestSame(t *testing.T) {
	s, e, m := local(t, look(3))
	wrapped := described.New(described.Config{Place: e, Choose: always(e, m["qwen3-vl:8b"])})
	d := drive(wrapped.Turn(t.Context(), turn(m["qwen3:4b"])), func(n int, r *tool.Result) { r.Picture.Same = n > 1 })
	if d.err != nil || d.text != "Done." {
		t.Fatalf("%+v %q", d, s.Refused())
	}
	pics := 0
	for _, b := range s.Bodies() {
		pics += bytes.Count(b, []byte(`"images"`))
	}
	if last := string(s.Bodies()[len(s.Bodies())-1]); pics != 1 || strings.Count(last, engine.Unchanged) != 2 {
		t.Errorf("%d pictures were described", pics)
	}
}

// TestStaysLocal: a picture of a chat on this computer never goes to a provider, whatever is chosen.
func TestStaysLocal(t *testing.T) {
	s, e, m := local(t, look(1))
	away, there, theirs := cloud(t, look(1))
	for _, by := range []described.Describer{{there, theirs["gemini-3.5-flash"]}, {}, {e, m["qwen3:4b"]}} {
		wrapped := described.New(described.Config{Place: e, Choose: func(context.Context, engine.Model) (described.Describer, error) {
			return by, nil
		}})
		d := drive(wrapped.Turn(t.Context(), turn(m["qwen3:4b"])), nil)
		if d.kind() != engine.Blind || !strings.Contains(d.err.Error(), "The picture went nowhere.") || !strings.Contains(d.err.Error(), "ollama pull") {
			t.Errorf("%+v", d)
		}
	}
	if away.Requests() > 0 || bytes.Contains(slices.Concat(s.Bodies()...), []byte(`"images"`)) {
		t.Error("a picture went out")
	}
}

// TestNobody: where nobody can describe, that is said with what to do. A chat without pictures doesn't notice.
func TestNobody(t *testing.T) {
	_, e, m := local(t, look(1))
	none := func(context.Context, engine.Model) (described.Describer, error) {
		return described.Describer{}, described.ErrNone
	}
	blind := m["gpt-oss:120b-cloud"]
	d := drive(described.New(described.Config{Place: e, Choose: none}).Turn(t.Context(), turn(blind)), nil)
	if d.kind() != engine.Blind || d.err.Error() != "gpt-oss:120b-cloud can't see the screen, and no other model here can describe it. Choose a model that sees in Settings → Models." {
		t.Errorf("%v", d.err)
	}
	d = drive(described.New(described.Config{Place: e, Choose: none}).Turn(t.Context(), turn(blind)), func(_ int, r *tool.Result) { r.Picture = nil })
	if d.err != nil || d.text != "Done." {
		t.Errorf("%+v", d)
	}
}

// TestHeals: a model that turns out not to see goes on with words, once, and that is remembered.
func TestHeals(t *testing.T) {
	s, e, m := local(t, look(3))
	i := slices.IndexFunc(s.Models, func(m ollamatest.Model) bool { return m.Name == "qwen3:4b" })
	s.Models[i].Silent = true // so that only a picture shows it
	var learned []string
	wrapped := described.New(described.Config{
		Place: e, Choose: always(e, m["qwen3-vl:8b"]), Learned: func(_ context.Context, m engine.Model) { learned = append(learned, m.ID) },
	})
	thought := m["qwen3:4b"]
	thought.Sees = true
	d := drive(wrapped.Turn(t.Context(), turn(thought)), nil)
	if d.err != nil || d.text != "Done." || len(d.calls) != 4 { // the first look, and three in words
		t.Fatalf("%+v %q", d, s.Refused())
	}
	if !slices.Equal(learned, []string{"qwen3:4b"}) || len(s.Refused()) != 1 {
		t.Errorf("learned %q, refused %q", learned, s.Refused())
	}
	last := string(s.Bodies()[len(s.Bodies())-1])
	if !strings.Contains(last, "You can't see pictures") || !strings.Contains(last, `computer {\"action\":\"screenshot\"}`) {
		t.Errorf("it is told %.600q", last)
	}
}

// TestMessage: a picture of the person's own is told in words too; a model that sees is left alone.
func TestMessage(t *testing.T) {
	s, e, m := local(t, func(in enginetest.Seen) enginetest.Answer { return enginetest.Answer{Text: in.Said} })
	wrapped := described.New(described.Config{Place: e, Choose: always(e, m["qwen3-vl:8b"])})
	asks := turn(m["qwen3:4b"])
	asks.Messages[0].Picture = screen(1)
	d := drive(wrapped.Turn(t.Context(), asks), nil)
	if d.err != nil || !strings.HasPrefix(d.text, "Go on.\n\nThe picture in words, by qwen3-vl:8b:\nMousepad") {
		t.Errorf("%+v %q", d, s.Refused())
	}
	if asks.Messages[0].Picture == nil {
		t.Error("the chat's own message was changed")
	}
	asks.Model = m["qwen3-vl:8b"]
	if d := drive(wrapped.Turn(t.Context(), asks), nil); d.err != nil || d.text != sees {
		t.Errorf("%+v", d)
	}
}

// TestCloud: a model of a provider's may have a provider's model look.
func TestCloud(t *testing.T) {
	s, e, m := cloud(t, look(2))
	wrapped := described.New(described.Config{Place: e, Choose: always(e, m["gemini-3.5-flash"])})
	blind := m["gemini-2.5-flash"]
	blind.Sees = false
	d := drive(wrapped.Turn(t.Context(), turn(blind)), nil)
	if d.err != nil || d.text != "Done." || s.Requests() != 5 {
		t.Errorf("%+v %q", d, s.Refused())
	}
}

// TestDescriberFails: what goes wrong with the model that looks is the turn's problem, in its own words.
func TestDescriberFails(t *testing.T) {
	s, e, m := local(t, look(1))
	gone := m["qwen3-vl:8b"]
	gone.ID, gone.Name = "gone:1b", "gone:1b"
	d := drive(described.New(described.Config{Place: e, Choose: always(e, gone)}).Turn(t.Context(), turn(m["qwen3:4b"])), nil)
	if d.kind() != engine.NoModel || !strings.Contains(d.err.Error(), "gone:1b") {
		t.Errorf("%v", d.err)
	}
	empty := ollamatest.New(t, func(enginetest.Seen) enginetest.Answer { return enginetest.Answer{Text: "99999,3: nothing"} })
	other := ollama.New(ollama.Config{Base: empty.URL, HTTP: via(t)})
	d = drive(described.New(described.Config{Place: e, Choose: always(other, m["qwen3-vl:8b"])}).Turn(t.Context(), turn(m["qwen3:4b"])), nil)
	if d.kind() != engine.Other || !strings.Contains(d.err.Error(), "couldn't say what is on the picture") {
		t.Errorf("%v %q", d.err, s.Refused())
	}
}

var errStop = errors.New("stopped by the person")

// TestStop: stopped while somebody looks, nothing more is asked, called or shown.
func TestStop(t *testing.T) {
	s, e, m := local(t, look(3))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	hung := make(chan struct{})
	s.Before = func(n int, _ http.ResponseWriter, r *http.Request) bool {
		if n != 1 {
			return false
		}
		cancel(errStop)
		<-r.Context().Done()
		close(hung)
		return true
	}
	wrapped := described.New(described.Config{Place: e, Choose: always(e, m["qwen3-vl:8b"])})
	d := drive(wrapped.Turn(ctx, turn(m["qwen3:4b"])), nil)
	if !errors.Is(d.err, errStop) || len(d.calls) != 1 {
		t.Errorf("%+v", d)
	}
	<-hung
	if n := len(s.Bodies()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// TestBreak: broken off after any event, nothing more is asked.
func TestBreak(t *testing.T) {
	for n := 1; ; n++ {
		s, e, m := local(t, look(1))
		wrapped := described.New(described.Config{Place: e, Choose: always(e, m["qwen3-vl:8b"])})
		seen, asked := 0, 0
		for event, err := range wrapped.Turn(t.Context(), turn(m["qwen3:4b"])) {
			if err != nil {
				t.Fatal(err)
			}
			seen++
			asked = len(s.Bodies())
			if seen == n {
				break
			}
			if c, ok := event.(engine.ToolCall); ok {
				c.Answer(tool.Result{Text: "Done.", Picture: screen(1)})
			}
		}
		if got := len(s.Bodies()); got != asked {
			t.Errorf("broken off after %d events, it asked %d times more", n, got-asked)
		}
		if seen < n {
			if n < 6 {
				t.Errorf("there were only %d events", seen)
			}
			return
		}
	}
}

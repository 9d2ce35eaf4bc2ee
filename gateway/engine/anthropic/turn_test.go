package anthropic_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"

	"conch/gateway/computer"
	"conch/gateway/engine"
	"conch/gateway/engine/anthropic"
	"conch/gateway/engine/anthropic/anthropictest"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// made are the pictures that there are; making one takes longer than all that is tried with it.
var made sync.Map

// screen is a picture of a screen of the usual size; each n is another one.
func screen(n int) *tool.Picture {
	if p, ok := made.Load(n); ok {
		again := *p.(*tool.Picture)
		return &again
	}
	img := image.NewPaletted(image.Rect(0, 0, 1280, 800), color.Palette{color.White, color.Black})
	for i := range 16 {
		if n>>i&1 == 1 {
			img.SetColorIndex(i, 0, 1)
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		panic(err)
	}
	p := &tool.Picture{MIME: "image/png", Data: b.Bytes(), W: 1280, H: 800}
	made.Store(n, p)
	again := *p
	return &again
}

var note = tool.Tool{Name: "note", Title: "Note", About: "Writes a note.", Schema: []byte(`{"type":"object","properties":{"text":{"type":"string"}}}`)}

func turnOf(m engine.Model) engine.Turn {
	return engine.Turn{
		Chat: "chat", Model: m, System: "You are Conch.", Notes: []string{"It is Monday."},
		Messages: []engine.Message{{Role: engine.Person, Text: "Do it."}},
		Tools:    []tool.Tool{new(computer.Computer).Tool(), note},
	}
}

func start(t testing.TB, s *anthropictest.Server) *anthropic.Engine {
	t.Helper()
	via := &http.Transport{}
	t.Cleanup(via.CloseIdleConnections)
	return anthropic.New(anthropic.Config{Key: anthropictest.Key, Base: s.URL, HTTP: via})
}

// modelOf is a model as the engine lists it.
func modelOf(t testing.TB, e *anthropic.Engine, id string) engine.Model {
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
	t.Fatalf("no model %s", id)
	return engine.Model{}
}

type did struct {
	text  string
	calls []engine.ToolCall
	usage []engine.Usage
	err   error
}

func drive(t testing.TB, e *anthropic.Engine, turn engine.Turn, answer func(engine.ToolCall) tool.Result) did {
	t.Helper()
	var d did
	for event, err := range e.Turn(t.Context(), turn) {
		if err != nil {
			d.err = err
			break
		}
		switch ev := event.(type) {
		case engine.Text:
			d.text += ev.Piece
		case engine.Usage:
			d.usage = append(d.usage, ev)
		case engine.ToolCall:
			d.calls = append(d.calls, ev)
			ev.Answer(answer(ev))
		case engine.Thinking, engine.Doing, engine.Confirm:
		}
	}
	return d
}

// screens answers each call with another picture.
func screens() func(engine.ToolCall) tool.Result {
	n := 0
	return func(c engine.ToolCall) tool.Result {
		n++
		if _, err := computer.Parse(c.Args); err != nil {
			return tool.Result{Failed: true, Text: err.Error()}
		}
		return tool.Result{Text: "Done. The picture is 1280 by 800 pixels.", Picture: screen(n)}
	}
}

// TestTenSteps: the same task over every kind of Claude, on a server that is as strict as the real one.
func TestTenSteps(t *testing.T) {
	for _, m := range anthropictest.Models() {
		t.Run(m.ID, func(t *testing.T) {
			s := anthropictest.New(t, m.ID, enginetest.TenSteps("Mousepad", `héllo "x" 👋`))
			e := start(t, s)
			model := modelOf(t, e, m.ID)
			for _, general := range []bool{false, true} {
				if general {
					model.Computer = ""
				}
				d := drive(t, e, turnOf(model), screens())
				if d.err != nil || d.text != "Done, all ten steps." || len(d.calls) != 10 || len(s.Refused()) > 0 {
					t.Fatalf("computer %q: %v, %q, %d calls\n%s", model.Computer, d.err, d.text, len(d.calls), strings.Join(s.Refused(), "\n"))
				}
				var words []string
				for _, c := range d.calls {
					act, err := computer.Parse(c.Args)
					if err != nil || c.Name != computer.ToolName {
						t.Fatalf("%s %s: %v", c.Name, c.Args, err)
					}
					words = append(words, string(act.Word()))
				}
				if got := strings.Join(words, " "); got != "screenshot open_app left_click type key type key scroll zoom cursor_position" {
					t.Error(got)
				}
				if dollars, known := model.Cost(d.usage[0]); !known && m.ID != "claude-next" || known && dollars <= 0 {
					t.Errorf("it cost %v, %v", dollars, known)
				}
			}
		})
	}
}

// clicks is a model that clicks n times, one click for each answer.
func clicks(n int) enginetest.Brain {
	var calls []enginetest.Call
	for i := range n {
		calls = append(calls, enginetest.Does(fmt.Sprintf(`{"action":"left_click","coordinate":[%d,%d]}`, 10+i, 20+i)))
	}
	return enginetest.Steps(calls, "Done.")
}

// TestSixtySteps: a long turn stays small, keeps the newest pictures, and is read from the cache.
func TestSixtySteps(t *testing.T) {
	const steps = longTurn
	// One of each: bound to its transcript, free, with an older tool, and one that nobody knows.
	for _, id := range []string{"claude-opus-5-5", "claude-opus-4-8", "claude-haiku-4-5-20251001", "claude-next"} {
		t.Run(id, func(t *testing.T) {
			s := anthropictest.New(t, id, clicks(steps))
			e := start(t, s)
			d := drive(t, e, turnOf(modelOf(t, e, id)), screens())
			if d.err != nil || d.text != "Done." || len(d.calls) != steps || len(s.Refused()) > 0 {
				t.Fatalf("%v, %q, %d calls\n%s", d.err, d.text, len(d.calls), strings.Join(s.Refused(), "\n"))
			}
			asked := s.Asked()
			stays := asked[0].In() * 9 / 10 // of what was read when pictures went, at least; more each time
			for i, a := range asked {
				if a.Pictures > engine.KeepPictures+engine.PictureBatch || i > 0 && a.Seen.Results[len(a.Seen.Results)-1].Picture == nil {
					t.Errorf("request %d shows %d pictures", i+1, a.Pictures)
				}
				u := d.usage[i]
				if u.In != a.In() || u.CacheRead != a.Read || u.CacheMade != a.Wrote || u.Out != a.Out {
					t.Errorf("request %d took %+v, and was told as %+v", i+1, a, u)
				}
				// When pictures are taken out, what comes before the oldest that stayed is still there to be read.
				flipped := i > 0 && a.Pictures < asked[i-1].Pictures
				switch {
				case i == 0:
				case flipped && a.Read < stays:
					t.Errorf("request %d, after pictures went, read %d of %d from the cache, and not %d", i+1, a.Read, a.In(), stays)
				case flipped:
					stays = a.Read + 200
				case !flipped && a.Read < asked[i-1].In()*95/100:
					t.Errorf("request %d read %d from the cache, where %d were sent before", i+1, a.Read, asked[i-1].In())
				}
			}
		})
	}
}

// TestManyCallsAtOnce: what was read before is read from the cache however many blocks an answer has, although the
// cache is looked for no more than 20 blocks back.
func TestManyCallsAtOnce(t *testing.T) {
	var calls []enginetest.Call
	for i := range 25 {
		calls = append(calls, enginetest.Call{Name: "note", Args: fmt.Sprintf(`{"text":"%d"}`, i)})
	}
	s := anthropictest.New(t, "claude-opus-5-5", func(s enginetest.Seen) enginetest.Answer {
		if len(s.Results) >= 4*len(calls) {
			return enginetest.Answer{Text: "Done."}
		}
		return enginetest.Answer{Thinking: "More.", Calls: append([]enginetest.Call(nil), calls...)}
	})
	e := start(t, s)
	d := drive(t, e, turnOf(modelOf(t, e, "claude-opus-5-5")), func(engine.ToolCall) tool.Result { return tool.Result{Text: "Noted."} })
	if d.err != nil || len(d.calls) != 4*len(calls) || len(s.Refused()) > 0 {
		t.Fatal(d.err, len(d.calls), s.Refused())
	}
	asked := s.Asked()
	for i := 1; i < len(asked); i++ {
		if asked[i].Read < asked[i-1].In()*95/100 {
			t.Errorf("request %d read %d from the cache, where %d were sent before", i+1, asked[i].Read, asked[i-1].In())
		}
	}
}

// TestAnUnknownModelIsAskedAbout: a turn may come before the list of models was read.
func TestAnUnknownModelIsAskedAbout(t *testing.T) {
	s := anthropictest.New(t, "claude-next", clicks(20))
	model := modelOf(t, start(t, s), "claude-next")
	d := drive(t, start(t, s), turnOf(model), screens())
	if d.err != nil || len(d.calls) != 20 || len(s.Refused()) > 0 {
		t.Fatalf("%v %v", d.err, s.Refused())
	}
	if last := s.Asked()[20]; last.Pictures > engine.KeepPictures+engine.PictureBatch {
		t.Errorf("%d pictures", last.Pictures)
	}
}

// TestTooMuchForOneRequest: a transcript that should only grow is cut when it must be, and the API is told so.
func TestTooMuchForOneRequest(t *testing.T) {
	const steps = 95
	s := anthropictest.New(t, "claude-opus-5-5", clicks(steps))
	e := start(t, s)
	d := drive(t, e, turnOf(modelOf(t, e, "claude-opus-5-5")), screens())
	if d.err != nil || len(d.calls) != steps || len(s.Refused()) > 0 {
		t.Fatalf("%d calls, %v\n%s", len(d.calls), d.err, strings.Join(s.Refused(), "\n"))
	}
	asked := s.Asked()
	if n := asked[len(asked)-1].Pictures; n > engine.KeepPictures+engine.PictureBatch {
		t.Errorf("%d pictures", n)
	}
}

// batch is a model that makes all calls at once.
func batch(calls ...enginetest.Call) enginetest.Brain {
	return func(s enginetest.Seen) enginetest.Answer {
		if s.Newest > 0 {
			return enginetest.Answer{Text: "Done."}
		}
		return enginetest.Answer{Thinking: "All at once.", Calls: append([]enginetest.Call(nil), calls...)}
	}
}

func TestBatch(t *testing.T) {
	does := enginetest.Does
	calls := []enginetest.Call{
		does(`{"action":"left_click","coordinate":[1,2]}`), does(`{"action":"screenshot"}`),
		{Name: "note", Args: `{"text":"a"}`},
		does(`{"action":"key","text":"Return"}`), does(`{"action":"open_app","text":"Mousepad"}`),
		{Name: "note", Args: `{"text":"b"}`},
		does(`{"action":"zoom","region":[0,0,9,9]}`),
	}
	for _, m := range []string{"claude-opus-5-5", "claude-opus-4-8", "claude-sonnet-4-6", "claude-haiku-4-5-20251001"} {
		s := anthropictest.New(t, m, batch(calls...))
		e := start(t, s)
		model := modelOf(t, e, m)
		pictures := screens()
		d := drive(t, e, turnOf(model), func(c engine.ToolCall) tool.Result {
			if c.Name == "note" {
				return tool.Result{Text: "Noted."}
			}
			if c.Blind {
				return tool.Result{Text: "Done."}
			}
			return pictures(c)
		})
		if d.err != nil || len(d.calls) != len(calls) || len(s.Refused()) > 0 {
			t.Fatalf("%s: %v, %d calls\n%s", m, d.err, len(d.calls), strings.Join(s.Refused(), "\n"))
		}
		blind := ""
		for _, c := range d.calls {
			blind += map[bool]string{true: "b", false: "."}[c.Blind]
		}
		if blind != "b..bb.." {
			t.Errorf("%s: blind are %s", m, blind)
		}

		// The third step of the computer fails: those after it aren't done, notes are.
		s = anthropictest.New(t, m, batch(calls...))
		e = start(t, s)
		d = drive(t, e, turnOf(model), func(c engine.ToolCall) tool.Result {
			if bytes.Contains(c.Args, []byte("Return")) {
				// A tool that fails shows nothing; if one ever does, it isn't sent.
				return tool.Result{Failed: true, Refused: true, Text: "That is kept away.", Picture: screen(2)}
			}
			return tool.Result{Text: "Done.", Picture: screen(1)}
		})
		if d.err != nil || len(d.calls) != 5 || len(s.Refused()) > 0 {
			t.Fatalf("%s: %v, %d calls\n%s", m, d.err, len(d.calls), strings.Join(s.Refused(), "\n"))
		}
		got := s.Asked()[1].Seen.Results
		const skipped = "Not executed: an earlier computer action in this turn failed."
		for i, want := range map[int]string{3: "That is kept away.", 4: skipped, 6: skipped} {
			if r := got[i]; r.Text != want || !r.Failed || r.Picture != nil {
				t.Errorf("%s: answer %d is %q, failed %v", m, i, r.Text, r.Failed)
			}
		}
		if len(got) != len(calls) || got[5].Failed {
			t.Errorf("%s: %+v", m, got)
		}
	}
}

// TestSameScreen: a screenshot always has its picture, since Anthropic's tool promises one; any other step that
// changed nothing says so.
func TestSameScreen(t *testing.T) {
	does := enginetest.Does
	for m, pictures := range map[string]int{"claude-opus-5-5": 2, "claude-haiku-4-5-20251001": 2} {
		s := anthropictest.New(t, m, enginetest.Steps([]enginetest.Call{
			does(`{"action":"screenshot"}`), does(`{"action":"key","text":"a"}`), does(`{"action":"screenshot"}`),
		}, "Done."))
		e := start(t, s)
		n := 0
		d := drive(t, e, turnOf(modelOf(t, e, m)), func(engine.ToolCall) tool.Result {
			n++
			pic := screen(1)
			pic.Same = n > 1
			return tool.Result{Text: "Done.", Picture: pic}
		})
		last := s.Asked()[len(s.Asked())-1]
		if d.err != nil || last.Pictures != pictures || last.Seen.Results[1].Text != "Done.\n"+engine.Unchanged {
			t.Errorf("%s: %v, %d pictures, %+v\n%v", m, d.err, last.Pictures, last.Seen.Results[1].Text, s.Refused())
		}
	}
}

// TestPictureThatIsTooLarge: the API says so instead of making it smaller in silence.
func TestPictureThatIsTooLarge(t *testing.T) {
	s := anthropictest.New(t, "claude-sonnet-4-6", clicks(2))
	e := start(t, s)
	model := modelOf(t, e, "claude-sonnet-4-6")
	model.Computer = ""
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2000, 1200))); err != nil {
		t.Fatal(err)
	}
	d := drive(t, e, turnOf(model), func(engine.ToolCall) tool.Result {
		return tool.Result{Text: "Done.", Picture: &tool.Picture{MIME: "image/png", Data: b.Bytes(), W: 2000, H: 1200}}
	})
	if p, ok := errors.AsType[*engine.Problem](d.err); !ok || p.Kind != engine.Other || len(s.Refused()) != 1 {
		t.Errorf("%v %v", d.err, s.Refused())
	}
}

func TestModels(t *testing.T) {
	s := anthropictest.New(t, "claude-opus-5-5", clicks(1))
	e := start(t, s)
	all, err := e.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(anthropictest.Models()) {
		t.Errorf("%d models", len(all))
	}
	for _, want := range anthropictest.Models() {
		m := modelOf(t, e, want.ID)
		if m.Name != want.Name || !m.Sees || !m.Tools || m.Window != want.Window || m.MaxOut != want.Out || m.Local {
			t.Errorf("%+v", m)
		}
		if m.Forgets == want.Binds || m.Computer != want.Tools[0] {
			t.Errorf("%s: forgets %v, computer %q", m.ID, m.Forgets, m.Computer)
		}
		if large := m.Picture.Tiles == 4784; m.Picture.Edge > 2000 || large != want.Large && want.ID != "claude-next" {
			t.Errorf("%s: %+v", m.ID, m.Picture)
		}
	}

	bad := anthropic.New(anthropic.Config{Key: "sk-ant-other", Base: s.URL, Retry: wire.Retry{Max: -1}})
	_, err = bad.Models(t.Context())
	if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Kind != engine.BadKey || p.Error() != "Anthropic doesn't take this key. Put a new one in Settings → Models." {
		t.Error(err)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

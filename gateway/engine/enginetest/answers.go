package enginetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"conch/gateway/engine"
)

const hello = "Hello, wörld 👋.\n\nA second line with \"quotes\", a \\ and </tags>."

func testText(t *testing.T, c Case) {
	r := newRig(t, c, c.says(Answer{Text: hello}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Say hello.")), nil)
	if k.err != nil || k.text != hello || len(k.calls) > 0 {
		t.Fatalf("%+v", k)
	}
	s := r.seen(0)
	if s.Said != "Say hello." || !strings.Contains(s.System, "You are Conch.\n\nA note.") {
		t.Errorf("the request says %+v", s)
	}
	for _, name := range []string{"computer", "note"} {
		if !slices.Contains(s.Tools, name) {
			t.Errorf("the tool %s isn't offered: %q", name, s.Tools)
		}
	}
}

func testThinking(t *testing.T, c Case) {
	if c.NoThinking {
		t.Skip("the dialect doesn't tell what the model thinks")
	}
	r := newRig(t, c, c.says(Answer{Thinking: "Let me see…", Text: "Yes."}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Is it?")), nil)
	if k.err != nil || k.text != "Yes." || k.thinking != "Let me see…" {
		t.Fatalf("%+v", k)
	}
}

func testShown(t *testing.T, c Case) {
	r := newRig(t, c, c.says(Answer{Text: "A red square."}))
	turn := c.turn("What is it?")
	pic := picture(1)
	turn.Messages[0].Picture = pic
	k := drive(r.engine.Turn(t.Context(), turn), nil)
	if k.err != nil || k.text != "A red square." {
		t.Fatalf("%+v", k)
	}
	if s := r.seen(0); !slices.Equal(s.Shown, pic.Data) || s.Said != "What is it?" {
		t.Errorf("the request shows %d bytes where the picture has %d, and says %q", len(s.Shown), len(pic.Data), s.Said)
	}
}

func testHistory(t *testing.T, c Case) {
	r := newRig(t, c, c.says(Answer{Text: "Nine."}))
	turn := c.turn("And three times three?")
	turn.Messages = []engine.Message{
		{Role: engine.Person, Text: "Two times two?"},
		{Role: engine.Assistant, Text: "It makes four."},
		{Role: engine.Person, Text: ""},
		{Role: engine.Assistant, Text: " \n"}, // a turn that was stopped, say
		{Role: engine.Person, Text: "Are you there?"},
		turn.Messages[0],
	}
	if k := drive(r.engine.Turn(t.Context(), turn), nil); k.err != nil || k.text != "Nine." {
		t.Fatalf("%+v", k)
	}
	s := r.seen(0) // which fails for what the provider would refuse, such as an empty message
	if !strings.Contains(s.Said, "And three times three?") {
		t.Errorf("the last message is %q", s.Said)
	}
	for _, said := range []string{"Two times two?", "It makes four.", "Are you there?"} {
		if !strings.Contains(string(r.bodies[0]), said) {
			t.Errorf("%q isn't in the request", said)
		}
	}
}

func testUsage(t *testing.T, c Case) {
	first, second := engine.Usage{In: 1200, Out: 30, CacheRead: 1000, CacheMade: 150}, engine.Usage{In: 1300, Out: 4}
	r := newRig(t, c,
		c.says(Answer{Calls: []Call{{ID: "a", Name: "note", Args: `{"text":"x"}`}}, Usage: first}),
		c.says(Answer{Text: "Done.", Usage: second}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Note x.")), nil)
	if k.err != nil || len(k.usage) != 2 {
		t.Fatalf("%+v", k)
	}
	for i, want := range []engine.Usage{first, second} {
		got := k.usage[i]
		if got.In != want.In || got.Out != want.Out || got.By.ID != "" {
			t.Errorf("request %d took %+v, not %+v", i+1, got, want)
		}
		// A protocol that doesn't tell what came from a cache leaves it at zero.
		if got.CacheRead != want.CacheRead && got.CacheRead != 0 || got.CacheMade != want.CacheMade && got.CacheMade != 0 {
			t.Errorf("request %d took %+v, not %+v", i+1, got, want)
		}
	}
}

func testRefused(t *testing.T, c Case) {
	if c.NoRefusal {
		t.Skip("the dialect has no refusal")
	}
	r := newRig(t, c, c.says(Answer{Refused: true}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Make a poison.")), nil)
	if p := k.problem(); p == nil || p.Kind != engine.Declined || p.Next == "" || len(k.calls) > 0 {
		t.Fatalf("%+v", k)
	}
}

func testFull(t *testing.T, c Case) {
	r := newRig(t, c, c.says(Answer{Text: "Once upon a", Full: true}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Tell me everything.")), nil)
	if p := k.problem(); k.text != "Once upon a" || p == nil || p.Next == "" {
		t.Fatalf("%+v", k)
	}
	// A call whose arguments were cut by the same limit isn't made.
	r = newRig(t, c, c.says(Answer{Calls: []Call{Does(`{"action":"screenshot"}`)}, Full: true}))
	if k := drive(r.engine.Turn(t.Context(), c.turn("Look.")), nil); k.problem() == nil || len(k.calls) > 0 {
		t.Fatalf("%+v", k)
	}
}

func testUnknown(t *testing.T, c Case) {
	if c.Unknown == nil {
		t.Skip("the protocol has no events of its own kind")
	}
	frames := c.Encode(Answer{Text: hello, Calls: []Call{{ID: "a", Name: "note", Args: `{"text":"x"}`}}})
	for i := range len(frames) {
		body := slices.Concat(slices.Concat(frames[:i]...), c.Unknown, slices.Concat(frames[i:]...))
		r := newRig(t, c, c.raw(body), c.says(Answer{Text: "!"}))
		k := drive(r.engine.Turn(t.Context(), c.turn("Say hello.")), nil)
		if k.err != nil || k.text != hello+"!" || len(k.calls) != 1 {
			t.Fatalf("before frame %d: %+v", i, k)
		}
	}
}

// isProblem says whether an error is a problem of a kind, in words.
func isProblem(err error, kind engine.ProblemKind) bool {
	p, ok := errors.AsType[*engine.Problem](err)
	return ok && p.Kind == kind && p.Say != "" && p.Next != ""
}

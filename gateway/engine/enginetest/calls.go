package enginetest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// picture is a small picture, another one for each n.
func picture(n int) *tool.Picture {
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

// click is a step with an argument that tells it apart.
func click(n int) Call {
	c := Does(fmt.Sprintf(`{"action":"left_click","coordinate":[%d,7]}`, n))
	c.ID = fmt.Sprintf("call_%d", n)
	return c
}

// sameArgs fails the test when arguments aren't those that the model wrote.
func sameArgs(t *testing.T, got []byte, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Errorf("arguments %q: %v", got, err)
		return
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Error(d)
	}
}

func testCall(t *testing.T, c Case) {
	call := Does(`{"action":"scroll","coordinate":[3,4],"scroll_direction":"down","scroll_amount":2}`)
	call.ID = "call_x"
	plain := Call{ID: "call_y", Name: "note", Args: `{"text":"ä \"b\" \\ \n👋"}`}
	r := newRig(t, c,
		c.says(Answer{Text: "I look. ", Calls: []Call{call}}), c.says(Answer{Calls: []Call{plain}}), c.says(Answer{Text: "Done."}))
	pic := picture(1)
	k := drive(r.engine.Turn(t.Context(), c.turn("Scroll, and note it.")), func(e engine.ToolCall) tool.Result {
		if e.Name == "note" {
			return tool.Result{Text: "Noted: ä."}
		}
		return tool.Result{Text: "Scrolled down.", Picture: pic}
	})
	if k.err != nil || k.text != "I look. Done." || len(k.calls) != 2 {
		t.Fatalf("%+v", k)
	}
	if k.calls[0].Name != "computer" || k.calls[1].Name != "note" || k.calls[0].ID == "" || k.calls[0].ID == k.calls[1].ID || k.calls[0].Blind {
		t.Errorf("%+v", k.calls)
	}
	sameArgs(t, k.calls[0].Args, call.Args)
	sameArgs(t, k.calls[1].Args, plain.Args)
	first, second := r.seen(1), r.seen(2)
	if len(first.Results) != 1 || first.Newest != 1 || !bytes.Equal(first.Results[0].Picture, pic.Data) || first.Results[0].Failed {
		t.Errorf("after the first call the request holds %s", shown(first))
	}
	if !c.Pictured && !strings.Contains(first.Results[0].Text, "Scrolled down.") {
		t.Errorf("the sentence is %q", first.Results[0].Text)
	}
	if len(second.Results) != 2 || second.Newest != 1 || second.Results[1].Picture != nil || !strings.Contains(second.Results[1].Text, "Noted: ä.") {
		t.Errorf("after the second call the request holds %s", shown(second))
	}
	if second.Said != "Scroll, and note it." {
		t.Errorf("it says %q", second.Said)
	}
}

// shown is a request without the bytes of its pictures.
func shown(s Seen) string {
	var b strings.Builder
	for _, r := range s.Results {
		fmt.Fprintf(&b, "[%q failed=%v picture=%d]", r.Text, r.Failed, len(r.Picture))
	}
	return fmt.Sprintf("%s, newest %d, said %q", b.String(), s.Newest, s.Said)
}

func testCalls(t *testing.T, c Case) {
	calls := []Call{click(1), click(2), click(3)}
	r := newRig(t, c, c.says(Answer{Calls: calls}), c.says(Answer{Text: "Done."}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Click thrice.")), func(e engine.ToolCall) tool.Result {
		if e.Blind {
			return tool.Result{Text: "Blindly: " + string(e.Args)}
		}
		return tool.Result{Text: string(e.Args), Picture: picture(9)}
	})
	if k.err != nil || k.text != "Done." || len(k.calls) != len(calls) {
		t.Fatalf("%+v", k)
	}
	for i, got := range k.calls {
		sameArgs(t, got.Args, calls[i].Args)
		if got.Blind && i == len(calls)-1 || c.Joined && !got.Blind && i < len(calls)-1 {
			t.Errorf("call %d: blind is %v", i+1, got.Blind)
		}
	}
	s := r.seen(1)
	want := len(calls)
	if c.Joined {
		want = 1
	}
	if s.Newest != want || len(s.Results) != want || s.Results[want-1].Picture == nil {
		t.Fatalf("the answers are %s", shown(s))
	}
	if c.Joined {
		return
	}
	for i, res := range s.Results {
		if !strings.Contains(res.Text, fmt.Sprintf("[%d,7]", i+1)) {
			t.Errorf("answer %d is %q", i+1, res.Text)
		}
	}
}

func testFailed(t *testing.T, c Case) {
	r := newRig(t, c, c.says(Answer{Calls: []Call{click(1)}}), c.says(Answer{Calls: []Call{click(2)}}), c.says(Answer{Text: "I see."}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Click.")), func(e engine.ToolCall) tool.Result {
		if bytes.Contains(e.Args, []byte("[1,7]")) {
			return tool.Result{Text: "That is kept away.", Failed: true, Refused: true}
		}
		return tool.Result{Failed: true} // a tool that has nothing to say
	})
	if k.err != nil || k.text != "I see." {
		t.Fatalf("%+v", k)
	}
	if s := r.seen(1); !strings.Contains(s.all(), "That is kept away.") {
		t.Errorf("the answer is %s", shown(s))
	}
	if s := r.seen(2); !strings.Contains(s.all(), "That is kept away.") || len(s.Results) == 0 {
		t.Errorf("the answer is %s", shown(s))
	}
}

// all is all that the answers of calls and what the person is said to have said hold: where an answer has no room for
// words, they follow it.
func (s Seen) all() string {
	out := s.Said
	for _, r := range s.Results {
		out += "\n" + r.Text
	}
	return out
}

func testStops(t *testing.T, c Case) {
	calls := []Call{click(1), click(2), click(3)}
	r := newRig(t, c, c.says(Answer{Calls: calls}), c.says(Answer{Text: "I see."}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Click thrice.")), func(e engine.ToolCall) tool.Result {
		if bytes.Contains(e.Args, []byte("[2,7]")) {
			return tool.Result{Text: "The screen changed.", Failed: true}
		}
		return tool.Result{Text: "Clicked."}
	})
	want := len(calls)
	if c.Stops {
		want = 2
	}
	if k.err != nil || k.text != "I see." || len(k.calls) != want {
		t.Fatalf("%d calls: %+v", len(k.calls), k)
	}
	s := r.seen(1)
	if !strings.Contains(s.all(), "The screen changed.") {
		t.Errorf("the answers are %s", shown(s))
	}
	// Without any picture, calls that must have one are answered in words together.
	if answers := len(calls); !c.Pictured && s.Newest != answers {
		t.Errorf("%d answers for %d calls: %s", s.Newest, answers, shown(s))
	}
}

func testMalformed(t *testing.T, c Case) {
	if c.Whole {
		t.Skip("arguments arrive as values")
	}
	for _, args := range []string{`{"text":`, `[1]`, `"x"`, `{"text":"a"} {"text":"b"}`, `{"text":"a","text":"b"}`, `nonsense`} {
		r := newRig(t, c, c.says(Answer{Calls: []Call{{ID: "call_1", Name: "note", Args: args}}}), c.says(Answer{Text: "Sorry."}))
		k := drive(r.engine.Turn(t.Context(), c.turn("Note it.")), nil)
		if k.err != nil || len(k.calls) > 0 || k.text != "Sorry." {
			t.Errorf("%s: %+v", args, k)
			continue
		}
		if s := r.seen(1); s.Newest != 1 || s.Results[0].Text == "" || s.Results[0].Picture != nil {
			t.Errorf("%s: the answer is %s", args, shown(s))
		}
	}
	// None at all are an empty object, as some models write a call without arguments.
	r := newRig(t, c, c.says(Answer{Calls: []Call{{ID: "call_1", Name: "note"}}}), c.says(Answer{Text: "Done."}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Note it.")), nil)
	if k.err != nil || len(k.calls) != 1 || string(k.calls[0].Args) != "{}" {
		t.Errorf("without arguments: %+v", k)
	}
}

func testAging(t *testing.T, c Case) {
	const steps = 30
	var replies []reply
	for i := range steps {
		replies = append(replies, c.says(Answer{Thinking: fmt.Sprint("Step ", i), Calls: []Call{click(i)}}))
	}
	r := newRig(t, c, append(replies, c.says(Answer{Text: "Done."}))...)
	n := 0
	k := drive(r.engine.Turn(t.Context(), c.turn("Click often.")), func(engine.ToolCall) tool.Result {
		n++
		return tool.Result{Text: "Clicked.", Picture: picture(n)}
	})
	if k.err != nil || k.text != "Done." || len(k.calls) != steps {
		t.Fatalf("%+v", k)
	}
	var before Seen
	changed := 0
	for i := 1; i <= steps; i++ {
		s := r.seen(i)
		if len(s.Results) != i {
			t.Fatalf("request %d has %d answers", i+1, len(s.Results))
		}
		if !bytes.Equal(s.Results[i-1].Picture, picture(i).Data) {
			t.Fatalf("request %d hasn't the newest picture", i+1)
		}
		same := slices.EqualFunc(before.Results, s.Results[:len(before.Results)], func(a, b Result) bool {
			return a.Text == b.Text && bytes.Equal(a.Picture, b.Picture)
		})
		if !same {
			changed++
		}
		switch has := s.Pictures(); {
		case c.Model.Forgets && has > engine.KeepPictures+engine.PictureBatch:
			t.Errorf("request %d has %d pictures", i+1, has)
		case !c.Model.Forgets && (!same || has != i):
			t.Errorf("request %d isn't the one before it and one answer more: %d pictures", i+1, has)
		}
		before = s
	}
	if most := steps/engine.PictureBatch + 1; changed > most {
		t.Errorf("what was said before changed %d times, so that no cache is of use", changed)
	}
}

func testSame(t *testing.T, c Case) {
	r := newRig(t, c, c.says(Answer{Calls: []Call{click(1)}}), c.says(Answer{Calls: []Call{click(2)}}), c.says(Answer{Text: "Done."}))
	n := 0
	k := drive(r.engine.Turn(t.Context(), c.turn("Click twice.")), func(engine.ToolCall) tool.Result {
		n++
		pic := picture(1)
		pic.Same = n == 2
		return tool.Result{Text: "Clicked.", Picture: pic}
	})
	if k.err != nil || k.text != "Done." {
		t.Fatalf("%+v", k)
	}
	s := r.seen(2)
	switch {
	case c.Pictured && s.Pictures() != 2:
		t.Errorf("the answers are %s", shown(s))
	case !c.Pictured && (s.Pictures() != 1 || !strings.Contains(s.Results[1].Text, engine.Unchanged)):
		t.Errorf("the answers are %s", shown(s))
	}
}

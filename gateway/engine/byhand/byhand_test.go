package byhand

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"conch/gateway/engine"
	"conch/gateway/tool"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func TestWordsBecomeCalls(t *testing.T) {
	for said, want := range map[string][]string{
		`look`:                     {`{"action":"screenshot"}`},
		`Open Mousepad`:            {`{"action":"open_app","text":"Mousepad"}`},
		`open Text Editor`:         {`{"action":"open_app","text":"Text Editor"}`},
		`click 120,300`:            {`{"action":"left_click","coordinate":[120,300]}`},
		`click (120, 300)`:         {`{"action":"left_click","coordinate":[120,300]}`},
		`double click 1 2`:         {`{"action":"double_click","coordinate":[1,2]}`},
		`click 1,2 with ctrl`:      {`{"action":"left_click","coordinate":[1,2],"text":"ctrl"}`},
		`type hello  world`:        {`{"action":"type","text":"hello  world"}`},
		`type "now then, go"`:      {`{"action":"type","text":"now then, go"}`},
		`type it's fine`:           {`{"action":"type","text":"it's fine"}`},
		`type 'it''s'`:             {`{"action":"type","text":"it''s"}`},
		`type "a\nb\t\"c\" \d"`:    {`{"action":"type","text":"a\nb\t\"c\" \\d"}`},
		`type “héllo, мир 👋”`:      {`{"action":"type","text":"héllo, мир 👋"}`},
		`press ctrl+s`:             {`{"action":"key","text":"ctrl+s"}`},
		`press Down 3 times`:       {`{"action":"key","text":"Down","repeat":3}`},
		`hold shift 2 seconds`:     {`{"action":"hold_key","text":"shift","duration":2}`},
		`scroll down 3`:            {`{"action":"scroll","scroll_direction":"down","scroll_amount":3}`},
		`scroll up at 5,6`:         {`{"action":"scroll","coordinate":[5,6],"scroll_direction":"up","scroll_amount":3}`},
		`drag 1,2 to 3,4`:          {`{"action":"left_click_drag","coordinate":[3,4],"start_coordinate":[1,2]}`},
		`wait`:                     {`{"action":"wait","duration":1}`},
		`wait 0.5s`:                {`{"action":"wait","duration":0.5}`},
		`zoom 0,0 to 40,30`:        {`{"action":"zoom","region":[0,0,40,30]}`},
		"look\n\n  where\r\n apps": {`{"action":"screenshot"}`, `{"action":"cursor_position"}`, `{"action":"list_apps"}`},
		`open Mousepad then type "héllo" then press ctrl+a`: {
			`{"action":"open_app","text":"Mousepad"}`, `{"action":"type","text":"héllo"}`, `{"action":"key","text":"ctrl+a"}`,
		},
		`open Mousepad, then type hi, then look`: {
			`{"action":"open_app","text":"Mousepad"}`, `{"action":"type","text":"hi,"}`, `{"action":"screenshot"}`,
		},
	} {
		got, _, err := drive(t, said, func(string) tool.Result { return tool.Result{Text: "Done."} })
		if err != nil {
			t.Errorf("%s: %v", said, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", said, d)
		}
	}
}

func TestWhatCannotBeReadIsSaidAndNothingIsDone(t *testing.T) {
	for _, said := range []string{
		"", "   \n ", "hello there", "click", "click ,", "type", "press", "press a 0 times", "press a 101 times",
		"scroll sideways", "scroll down 0", "drag 1,2", "drag to 3,4", "wait forever", "wait 301", "zoom here", "look twice",
		"look then dance", "click 1,2 with", "hold shift", "move", "wait NaN",
	} {
		calls, text, err := drive(t, said, func(string) tool.Result { return tool.Result{Text: "Done."} })
		if err != nil || len(calls) > 0 || !strings.Contains(text, "open Mousepad") {
			t.Errorf("%q: calls %v, text %q, err %v", said, calls, text, err)
		}
	}
}

func TestNamesAreLookedUpAndDoubtAsks(t *testing.T) {
	two := `{"controls":[{"role":"button","name":"Save","x":10,"y":20},{"role":"menuitem","name":"Save As…","x":30,"y":40}]}`
	for _, c := range []struct{ name, data, want, text string }{
		{"exact name wins", two, `{"action":"left_click","coordinate":[10,20]}`, "Done."},
		{"nothing found", `{"controls":[]}`, "", "Give me a point instead"},
		{"doubt", strings.ReplaceAll(two, "Save As…", "save"), "", "Which one?"},
		{"broken answer", `{`, "", "Give me a point instead"},
	} {
		calls, text, err := drive(t, `click "Save"`, func(args string) tool.Result {
			if strings.Contains(args, `"find"`) {
				return tool.Result{Text: "Found.", Data: []byte(c.data)}
			}
			return tool.Result{Text: "Done."}
		})
		last := calls[len(calls)-1]
		if err != nil || !strings.Contains(text, c.text) || (c.want != "" && last != c.want) || (c.want == "" && len(calls) != 1) {
			t.Errorf("%s: calls %v, text %q, err %v", c.name, calls, text, err)
		}
	}
}

func TestTheFirstFailureIsTheLastStep(t *testing.T) {
	calls, text, err := drive(t, "look then press x then look then where", func(args string) tool.Result {
		if strings.Contains(args, `"key"`) {
			return tool.Result{Text: "That key is refused.", Failed: true}
		}
		return tool.Result{Text: "Done."}
	})
	if err != nil || len(calls) != 2 || !strings.Contains(text, "That key is refused.") || !strings.Contains(text, "The 2 steps after it were not tried.") {
		t.Errorf("calls %v, text %q, err %v", calls, text, err)
	}
}

func TestStopEndsBeforeTheNextStep(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stop := errors.New("stopped by the person")
	n := 0
	var got error
	for ev, err := range (Engine{}).Turn(ctx, turn("look then look then look")) {
		if err != nil {
			got = err
			break
		}
		if c, ok := ev.(engine.ToolCall); ok {
			n++
			cancel(stop)
			c.Answer(tool.Result{Text: "Done."})
		}
	}
	if n != 1 || !errors.Is(got, stop) {
		t.Errorf("%d calls, error %v", n, got)
	}
}

func TestBreakingOffEndsAtOnce(t *testing.T) {
	n := 0
	for _, err := range (Engine{}).Turn(t.Context(), turn("look then look")) {
		if err != nil {
			t.Error(err)
		}
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestWithoutTheToolItSaysWhere(t *testing.T) {
	tr := turn("look")
	tr.Tools = nil
	var said *engine.Problem
	for ev, err := range (Engine{}).Turn(t.Context(), tr) {
		if !errors.As(err, &said) || !strings.Contains(said.Next, "Settings") {
			t.Errorf("%v %v", ev, err)
		}
	}
	if said == nil {
		t.Error("nothing was said")
	}
}

// FuzzParse: whatever is written, either nothing can be read or each step is a call with an action, and
// reading the steps' own words again, where they were not shortened, gives as many steps.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`open A then type "b"`, "click 1,2\nlook", `drag "a" to 'b'`, `type "\`, "then then", `type “x`, "press a 3 times"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		steps, err := Parse(said)
		if (err == nil) != (len(steps) > 0) {
			t.Fatalf("%d steps and error %v", len(steps), err)
		}
		for _, s := range steps {
			if s.call.Action == "" || s.Said == "" {
				t.Fatalf("an empty step: %+v", s)
			}
			if _, err := json.Marshal(s.call); err != nil && strings.ToValidUTF8(said, "") == said {
				t.Fatalf("%+v: %v", s.call, err)
			}
		}
	})
}

func turn(said string) engine.Turn {
	return engine.Turn{
		Messages: []engine.Message{{Role: engine.Person, Text: said}},
		Tools:    []tool.Tool{{Name: ToolName}},
	}
}

// drive runs a turn and answers its calls.
func drive(t *testing.T, said string, answer func(args string) tool.Result) (calls []string, text string, err error) {
	t.Helper()
	for ev, e := range (Engine{}).Turn(t.Context(), turn(said)) {
		if e != nil {
			return calls, text, e
		}
		switch ev := ev.(type) {
		case engine.Text:
			text += ev.Piece
		case engine.ToolCall:
			calls = append(calls, string(ev.Args))
			ev.Answer(answer(string(ev.Args)))
		default:
			return calls, text, fmt.Errorf("unexpected event %T", ev)
		}
	}
	return calls, text, nil
}

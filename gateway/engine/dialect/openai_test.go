package dialect_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"conch/gateway/computer"
	"conch/gateway/engine/dialect"
)

func at(n float64) *float64 { return &n }

func path(n ...float64) []dialect.OpenAIPoint {
	var out []dialect.OpenAIPoint
	for i := 0; i < len(n); i += 2 {
		out = append(out, dialect.OpenAIPoint{X: at(n[i]), Y: at(n[i+1])})
	}
	return out
}

func TestOpenAI(t *testing.T) {
	type action = dialect.OpenAIAction
	for _, c := range []struct {
		name string
		in   action
		want []dialect.Step
		say  string // what is said instead
	}{
		{
			"click",
			action{Type: "click", Button: "left", X: at(10), Y: at(20)},
			[]dialect.Step{{Action: "left_click", Coordinate: []int{10, 20}}},
			"",
		},
		{
			"modifiers in any order and spelling",
			action{Type: "click", Button: "wheel", X: at(1), Y: at(2), Keys: []string{"SHIFT", "CTRL"}},
			[]dialect.Step{{Action: "middle_click", Coordinate: []int{1, 2}, Text: "ctrl+shift"}},
			"",
		},
		{
			"half pixels",
			action{Type: "double_click", X: at(1.5), Y: at(2.4)},
			[]dialect.Step{{Action: "double_click", Coordinate: []int{2, 2}}},
			"",
		},
		{
			"straight drag with points between",
			action{Type: "drag", Path: path(0, 0, 50, 51, 100, 100), Keys: []string{"ALT"}},
			[]dialect.Step{{Action: "left_click_drag", StartCoordinate: []int{0, 0}, Coordinate: []int{100, 100}, Text: "alt"}},
			"",
		},
		{"keypress", action{Type: "keypress", Keys: []string{"CTRL", "A"}}, []dialect.Step{{Action: "key", Text: "ctrl+a"}}, ""},
		{"a capital is the letter's key", action{Type: "keypress", Keys: []string{"A"}}, []dialect.Step{{Action: "key", Text: "a"}}, ""},
		{"named keys", action{Type: "keypress", Keys: []string{"ARROWLEFT", "PAGEDOWN", "SPACE", "ENTER"}}, []dialect.Step{{Action: "key", Text: "Left Page_Down space Return"}}, ""},
		{"a modifier alone", action{Type: "keypress", Keys: []string{"CMD"}}, []dialect.Step{{Action: "key", Text: "super"}}, ""},
		{"written as one", action{Type: "keypress", Keys: []string{"ctrl+shift+t"}}, []dialect.Step{{Action: "key", Text: "ctrl+shift+t"}}, ""},
		{"plus and minus", action{Type: "keypress", Keys: []string{"CTRL", "+"}}, []dialect.Step{{Action: "key", Text: "ctrl+plus"}}, ""},
		{
			"scroll",
			action{Type: "scroll", X: at(5), Y: at(6), ScrollY: 250},
			[]dialect.Step{{Action: "scroll", Coordinate: []int{5, 6}, ScrollDirection: "down", ScrollAmount: 3}},
			"",
		},
		{
			"a scroll of one pixel is one click",
			action{Type: "scroll", X: at(5), Y: at(6), ScrollX: -1},
			[]dialect.Step{{Action: "scroll", Coordinate: []int{5, 6}, ScrollDirection: "left", ScrollAmount: 1}},
			"",
		},
		{
			"both ways",
			action{Type: "scroll", X: at(5), Y: at(6), ScrollY: -90000, ScrollX: 100},
			[]dialect.Step{
				{Action: "scroll", Coordinate: []int{5, 6}, ScrollDirection: "up", ScrollAmount: 100},
				{Action: "scroll", Coordinate: []int{5, 6}, ScrollDirection: "right", ScrollAmount: 1},
			},
			"",
		},
		{"wait", action{Type: "wait"}, []dialect.Step{{Action: "wait", Duration: 2}}, ""},
		{"type", action{Type: "type", Text: "héllo\n"}, []dialect.Step{{Action: "type", Text: "héllo\n"}}, ""},
		{"move", action{Type: "move", X: at(0), Y: at(0)}, []dialect.Step{{Action: "mouse_move", Coordinate: []int{0, 0}}}, ""},
		{"screenshot", action{Type: "screenshot"}, []dialect.Step{{Action: "screenshot"}}, ""},

		{"back", action{Type: "click", Button: "back", X: at(1), Y: at(1)}, nil, "The mouse has no back button here. Press the keys of the app for going back instead."},
		{"no button", action{Type: "click", X: at(1), Y: at(1)}, nil, `There is no mouse button "". Those that there are: left, right, wheel.`},
		{"no point", action{Type: "click", Button: "left", X: at(1)}, nil, "A click needs a point: x and y, in pixels of the last picture."},
		{"outside", action{Type: "click", Button: "left", X: at(-1), Y: at(4)}, nil, "A click at -1,4 would be outside the picture."},
		{"a letter held", action{Type: "click", Button: "left", X: at(1), Y: at(4), Keys: []string{"A"}}, nil, "Only ctrl, shift, alt and super can be held during a click; keys names another key."},
		{"a bent drag", action{Type: "drag", Path: path(0, 0, 100, 0, 100, 100)}, nil, "A drag goes in a straight line here, and this path bends. Drag once for each straight piece, with two points each."},
		{"there and back", action{Type: "drag", Path: path(0, 0, 100, 0, 50, 0)}, nil, "A drag goes in a straight line here, and this path bends. Drag once for each straight piece, with two points each."},
		{"one point", action{Type: "drag", Path: path(0, 0)}, nil, "A drag needs a path of at least two points, where it begins and where it ends."},
		{"held while moving", action{Type: "move", X: at(1), Y: at(1), Keys: []string{"SHIFT"}}, nil, "No key can be held while the pointer only moves. Hold it during the click or the drag instead."},
		{"no scroll", action{Type: "scroll", X: at(1), Y: at(1)}, nil, "A scroll needs scroll_x or scroll_y, in pixels."},
		{"no keys", action{Type: "keypress"}, nil, "A keypress needs keys."},
		{"unknown", action{Type: "triple_click"}, nil, `There is no action "triple_click" here. Those that there are: click, double_click, drag, keypress, move, screenshot, scroll, type, wait.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := dialect.OpenAI(c.in)
			if c.say != "" {
				e, ok := errors.AsType[*dialect.Cannot](err)
				if !ok || e.Say != c.say || got != nil {
					t.Fatalf("got %v, %v\nwant %q", got, err, c.say)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestOpenAIEvery: whatever a model says becomes steps that the computer tool can read, of the words that the table
// promises, or words; and all words of the table are reached.
func TestOpenAIEvery(t *testing.T) {
	const seed = 7
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, seed))
	rows := map[string]dialect.OpenAIRow{}
	for _, row := range dialect.OpenAITable() {
		rows[row.Says] = row
	}
	reached := map[string]int{}
	for range 50_000 {
		a := anyOpenAIAction(r)
		steps, err := dialect.OpenAI(a)
		if err != nil {
			if e, ok := errors.AsType[*dialect.Cannot](err); !ok || e.Say == "" || steps != nil {
				t.Fatalf("%+v: %v, %v", a, steps, err)
			}
			continue
		}
		if len(steps) == 0 {
			t.Fatalf("%+v: neither steps nor words", a)
		}
		for _, s := range steps {
			if !slices.Contains(rows[a.Type].Becomes, s.Action) {
				t.Fatalf("%+v became %s", a, s.Action)
			}
			reached[s.Action]++
			if _, err := computer.Parse(s.Args()); err != nil {
				t.Fatalf("%+v: %s: %v", a, s.Args(), err)
			}
			checkPoints(t, a, s)
		}
	}
	for _, row := range rows {
		for _, word := range row.Becomes {
			if reached[word] == 0 {
				t.Errorf("%s never became %s", row.Says, word)
			}
		}
	}
}

// checkPoints: a point is moved by less than a pixel, and a scroll goes the way that was asked for.
func checkPoints(t *testing.T, a dialect.OpenAIAction, s dialect.Step) {
	t.Helper()
	near := func(x, y *float64, p []int) {
		if math.Abs(*x-float64(p[0])) > 0.5 || math.Abs(*y-float64(p[1])) > 0.5 {
			t.Fatalf("%v,%v became %v", *x, *y, p)
		}
	}
	switch a.Type {
	case "drag":
		near(a.Path[0].X, a.Path[0].Y, s.StartCoordinate)
		near(a.Path[len(a.Path)-1].X, a.Path[len(a.Path)-1].Y, s.Coordinate)
	case "click", "double_click", "move", "scroll":
		near(a.X, a.Y, s.Coordinate)
	}
	want := map[string]bool{"down": a.ScrollY > 0, "up": a.ScrollY < 0, "right": a.ScrollX > 0, "left": a.ScrollX < 0}
	if s.ScrollDirection != "" && !want[s.ScrollDirection] {
		t.Fatalf("%v,%v scrolled %s", a.ScrollX, a.ScrollY, s.ScrollDirection)
	}
}

func anyOpenAIAction(r *rand.Rand) dialect.OpenAIAction {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	point := func() *float64 {
		if r.IntN(20) == 0 {
			return nil
		}
		return at(math.Trunc(r.Float64()*21000-1000) / 8)
	}
	a := dialect.OpenAIAction{
		Type:   pick("click", "double_click", "drag", "keypress", "move", "screenshot", "scroll", "type", "wait", "tap"),
		Button: pick("left", "right", "wheel", "back", "forward", ""),
		X:      point(), Y: point(), Text: pick("a", "héllo", "日本語 👩‍👩‍👧", "two\nlines"),
		ScrollX: float64(r.IntN(3)-1) * r.Float64() * 20000, ScrollY: float64(r.IntN(3)-1) * r.Float64() * 500,
	}
	for range r.IntN(4) {
		a.Path = append(a.Path, dialect.OpenAIPoint{X: point(), Y: point()})
	}
	for range r.IntN(4) {
		a.Keys = append(a.Keys, pick("CTRL", "SHIFT", "ALT", "META", "CMD", "A", "z", "ENTER", "F5", "+", " ", "é", "ctrl+x", "BOGUS", ""))
	}
	return a
}

func FuzzOpenAI(f *testing.F) {
	f.Add([]byte(`{"type":"click","button":"left","x":10,"y":20,"keys":["CTRL"]}`))
	f.Add([]byte(`{"type":"drag","path":[{"x":1,"y":2},{"x":3.5,"y":4e99}]}`))
	f.Add([]byte(`{"type":"keypress","keys":["CTRL","+"]}`))
	f.Add([]byte(`{"type":"scroll","x":1,"y":1,"scroll_y":-1e300}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var a dialect.OpenAIAction
		if json.Unmarshal(raw, &a) != nil {
			return
		}
		steps, err := dialect.OpenAI(a)
		if (err == nil) == (len(steps) == 0) {
			t.Fatalf("%d steps and %v", len(steps), err)
		}
		for _, s := range steps {
			// Text, far points and long keys are for the tool to refuse, in its own words.
			if act, err := computer.Parse(s.Args()); err != nil && !utf8.ValidString(err.Error()) {
				t.Fatalf("%v: %v", act, err)
			}
		}
	})
}

package dialect_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"conch/gateway/computer"
	"conch/gateway/engine/dialect"
	"conch/gateway/tool"
)

// said is one call of Gemini's.
type said struct{ name, args string }

func TestGemini(t *testing.T) {
	type step = dialect.Step
	for _, c := range []struct {
		name string
		in   []said // all but the last only prepare
		want []dialect.Step
		say  string // what is said instead
	}{
		{"click", []said{{"click", `{"x":500,"y":0,"intent":"Save"}`}}, []step{{Action: "left_click", Coordinate: []int{500, 0}}}, ""},
		{"the last cell", []said{{"double_click", `{"x":999,"y":999}`}}, []step{{Action: "double_click", Coordinate: []int{999, 499}}}, ""},
		{"button", []said{{"mouse_down", `{"x":1,"y":2}`}}, []step{{Action: "left_mouse_down", Coordinate: []int{1, 1}}}, ""},
		{"move", []said{{"move", `{"x":10,"y":20}`}}, []step{{Action: "mouse_move", Coordinate: []int{10, 10}}}, ""},
		{"type", []said{{"type", `{"text":"héllo"}`}}, []step{{Action: "type", Text: "héllo"}}, ""},
		{"type and enter", []said{{"type", `{"text":"a","press_enter":true}`}}, []step{{Action: "type", Text: "a"}, {Action: "key", Text: "Return"}}, ""},
		{
			"drag",
			[]said{{"drag_and_drop", `{"start_x":1,"start_y":2,"end_x":3,"end_y":4}`}},
			[]step{{Action: "left_click_drag", StartCoordinate: []int{1, 1}, Coordinate: []int{3, 2}}},
			"",
		},
		{"wait", []said{{"wait", `{}`}}, []step{{Action: "wait", Duration: 1}}, ""},
		{"wait longer", []said{{"wait", `{"seconds":7}`}}, []step{{Action: "wait", Duration: 7}}, ""},
		{"key", []said{{"press_key", `{"key":"ArrowDown"}`}}, []step{{Action: "key", Text: "Down"}}, ""},
		{"hotkey", []said{{"hotkey", `{"keys":["CTRL","SHIFT","T"]}`}}, []step{{Action: "key", Text: "ctrl+shift+t"}}, ""},
		{"plus", []said{{"hotkey", `{"keys":["ctrl","+"]}`}}, []step{{Action: "key", Text: "ctrl+plus"}}, ""},
		{"look", []said{{"take_screenshot", `{"intent":"look"}`}}, []step{{Action: "screenshot"}}, ""},
		{
			"scroll by the wheel",
			[]said{{"scroll", `{"x":0,"y":0,"direction":"down","magnitude_in_wheel_clicks":5}`}},
			[]step{{Action: "scroll", Coordinate: []int{0, 0}, ScrollDirection: "down", ScrollAmount: 5}},
			"",
		},
		{
			"scroll by pixels",
			[]said{{"scroll", `{"x":0,"y":0,"direction":"up","magnitude_in_pixels":260}`}},
			[]step{{Action: "scroll", Coordinate: []int{0, 0}, ScrollDirection: "up", ScrollAmount: 3}},
			"",
		},
		{"scroll as usual", []said{{"scroll", `{"direction":"left"}`}}, []step{{Action: "scroll", ScrollDirection: "left", ScrollAmount: 3}}, ""},

		{
			"a held modifier goes into each click, and out again",
			[]said{{"key_down", `{"key":"Shift"}`}, {"key_down", `{"key":"CTRL"}`}, {"key_up", `{"key":"shift"}`}, {"click", `{"x":1,"y":2}`}},
			[]step{{Action: "left_click", Coordinate: []int{1, 1}, Text: "ctrl"}},
			"",
		},
		{"held for a key", []said{{"key_down", `{"key":"alt"}`}, {"press_key", `{"key":"Tab"}`}}, []step{{Action: "key", Text: "alt+Tab"}}, ""},
		{"another key is held for a moment", []said{{"key_down", `{"key":"w"}`}}, []step{{Action: "hold_key", Text: "w", Duration: 1}}, ""},

		{"preview: click", []said{{"click_at", `{"x":500,"y":500}`}}, []step{{Action: "left_click", Coordinate: []int{500, 250}}}, ""},
		{"preview: hover", []said{{"hover_at", `{"x":500,"y":500}`}}, []step{{Action: "mouse_move", Coordinate: []int{500, 250}}}, ""},
		{
			"preview: type",
			[]said{{"type_text_at", `{"x":1,"y":2,"text":"a"}`}},
			[]step{
				{Action: "triple_click", Coordinate: []int{1, 1}},
				{Action: "key", Text: "BackSpace"},
				{Action: "type", Text: "a"},
				{Action: "key", Text: "Return"},
			},
			"",
		},
		{
			"preview: type beside what is there",
			[]said{{"type_text_at", `{"x":1,"y":2,"text":"a","press_enter":false,"clear_before_typing":false}`}},
			[]step{{Action: "left_click", Coordinate: []int{1, 1}}, {Action: "type", Text: "a"}},
			"",
		},
		{"preview: keys", []said{{"key_combination", `{"keys":"Control+A"}`}}, []step{{Action: "key", Text: "ctrl+a"}}, ""},
		{
			"preview: scroll",
			[]said{{"scroll_at", `{"x":0,"y":0,"direction":"down","magnitude":400}`}},
			[]step{{Action: "scroll", Coordinate: []int{0, 0}, ScrollDirection: "down", ScrollAmount: 2}},
			"",
		},
		{"preview: scroll it all", []said{{"scroll_document", `{"direction":"right"}`}}, []step{{Action: "scroll", ScrollDirection: "right", ScrollAmount: 8}}, ""},
		{
			"preview: drag",
			[]said{{"drag_and_drop", `{"x":1,"y":2,"destination_x":3,"destination_y":4}`}},
			[]step{{Action: "left_click_drag", StartCoordinate: []int{1, 1}, Coordinate: []int{3, 2}}},
			"",
		},
		{"preview: wait", []said{{"wait_5_seconds", `{}`}}, []step{{Action: "wait", Duration: 5}}, ""},
		{"preview: begin", []said{{"open_web_browser", `{}`}}, []step{{Action: "screenshot"}}, ""},

		{"our own", []said{{"open_app", `{"name":"Mousepad"}`}}, []step{{Action: "open_app", Text: "Mousepad"}}, ""},
		{"our own list", []said{{"list_apps", `{}`}}, []step{{Action: "list_apps"}}, ""},

		{
			"our own zoom",
			[]said{{"zoom", `{"start_x":0,"start_y":10,"end_x":500,"end_y":999}`}},
			[]step{{Action: "zoom", Region: []int{0, 5, 500, 499}}},
			"",
		},
		{"our own cursor", []said{{"cursor_position", `{}`}}, []step{{Action: "cursor_position"}}, ""},

		{"held is said", []said{{"key_down", `{"key":"shift"}`}}, nil, "Held during the next clicks, drags, scrolls and keys: shift."},
		{"let go is said", []said{{"key_down", `{"key":"shift"}`}, {"key_up", `{"key":"shift"}`}}, nil, "No key is held."},
		{"nothing typed while held", []said{{"key_down", `{"key":"shift"}`}, {"type", `{"text":"a"}`}}, nil, "type can't be done while shift is held. Call key_up first."},
		{"outside", []said{{"click", `{"x":1000,"y":2}`}}, nil, "Points of click are on a grid: each number is from 0 to 999. Nothing was done."},
		{"before the grid", []said{{"click", `{"x":-1,"y":2}`}}, nil, "Points of click are on a grid: each number is from 0 to 999. Nothing was done."},
		{"no point", []said{{"click", `{"x":1}`}}, nil, "click needs a point, each number from 0 to 999."},
		{"twice", []said{{"click", `{"x":1,"x":2,"y":3}`}}, nil, "The arguments of click can't be read. Write each as its description says."},
		{"no way", []said{{"scroll", `{"direction":"sideways"}`}}, nil, "The direction of scroll must be up, down, left or right."},
		{"no such key", []said{{"press_key", `{"key":"BOGUS"}`}}, nil, "There is no key called “BOGUS”. Name one key such as Return, Page_Down or ctrl+s; type text as text."},
		{"preview: browser", []said{{"navigate", `{"url":"https://example.org"}`}}, nil, "There is no navigate here: this is the person's own computer. Open the app that you need with open_app and use what you see."},
	} {
		t.Run(c.name, func(t *testing.T) {
			var hand dialect.GeminiHand
			var got []dialect.Step
			var say string
			var err error
			for _, s := range c.in {
				got, say, err = hand.Steps(s.name, []byte(s.args), 1000, 500)
			}
			if e, ok := errors.AsType[*dialect.Cannot](err); ok {
				say = e.Say
			} else if err != nil {
				t.Fatal(err)
			}
			if say != c.say {
				t.Errorf("said %q, want %q", say, c.say)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			for _, s := range got {
				if _, err := computer.Parse(s.Args()); err != nil {
					t.Errorf("%s: %v", s.Args(), err)
				}
			}
		})
	}
}

func TestGeminiBeforeAPicture(t *testing.T) {
	var hand dialect.GeminiHand
	if _, _, err := hand.Steps("click", []byte(`{"x":1,"y":2}`), 0, 0); err == nil || err.Error() != "There is no picture yet that a point could be in. Take a screenshot first." {
		t.Errorf("%v", err)
	}
	if _, _, err := hand.Steps("bogus", nil, 0, 0); err == nil {
		t.Error("an unknown function was read")
	}
}

// TestGrid: in pictures of every size, each cell is a pixel of the picture, and a pixel that is said as a cell comes
// back within half a cell.
func TestGrid(t *testing.T) {
	const seed = 11
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, seed))
	sizes := []int{1, 2, 3, 499, 500, 999, 1000, 1001, 1366, 1568, 1920, 2000, 3072, 7680}
	for range 10 {
		sizes = append(sizes, 1+r.IntN(8000))
	}
	for _, size := range sizes {
		for cell := range tool.Grid {
			if p := through(t, cell, size); p < 0 || p >= size {
				t.Fatalf("cell %d is pixel %d of %d", cell, p, size)
			}
		}
		for pixel := range size {
			cell := tool.PixelCell(pixel, size)
			if cell < 0 || cell >= tool.Grid {
				t.Fatalf("pixel %d of %d is cell %d", pixel, size, cell)
			}
			// In units of a 2,000th of a pixel, so that nothing is rounded: the middle of the cell against the
			// middle of the pixel.
			if d := (2*cell+1)*size - (2*pixel+1)*tool.Grid; d > size || d < -size {
				t.Fatalf("pixel %d of %d is cell %d, more than half a cell away", pixel, size, cell)
			}
		}
	}
}

// through says a cell as Gemini does and returns the pixel that the computer tool is told.
func through(t *testing.T, cell, size int) int {
	t.Helper()
	var hand dialect.GeminiHand
	steps, _, err := hand.Steps("move", fmt.Appendf(nil, `{"x":%d,"y":%d}`, cell, cell), size, size)
	if err != nil {
		t.Fatal(err)
	}
	if steps[0].Coordinate[0] != steps[0].Coordinate[1] {
		t.Fatalf("%v", steps[0].Coordinate)
	}
	return steps[0].Coordinate[0]
}

// TestGeminiEvery: whatever a model says becomes steps that the computer tool can read, of the words that the table
// promises, inside the picture, or words; and all words of the table are reached.
func TestGeminiEvery(t *testing.T) {
	const seed = 9
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, seed))
	rows := map[string]dialect.GeminiRow{}
	var names []string
	for _, row := range dialect.GeminiTable() {
		rows[row.Says] = row
		names = append(names, row.Says)
	}
	reached := map[[2]string]bool{}
	var hand dialect.GeminiHand
	for range 20_000 {
		if r.IntN(20) == 0 {
			hand = dialect.GeminiHand{}
		}
		name, args := names[r.IntN(len(names))], anyGeminiArgs(r)
		w, h := 1+r.IntN(2000), 1+r.IntN(2000)
		steps, say, err := hand.Steps(name, args, w, h)
		if n := count(len(steps) > 0, say != "", err != nil); n != 1 {
			t.Fatalf("%s %s: %v, %q, %v", name, args, steps, say, err)
		}
		for _, s := range steps {
			if !slices.Contains(rows[name].Becomes, s.Action) {
				t.Fatalf("%s %s became %s", name, args, s.Action)
			}
			reached[[2]string{name, s.Action}] = true
			for _, p := range [][]int{s.Coordinate, s.StartCoordinate} {
				if p != nil && (p[0] < 0 || p[0] >= w || p[1] < 0 || p[1] >= h) {
					t.Fatalf("%s %s: %v is outside %d×%d", name, args, p, w, h)
				}
			}
			// A region that ends before it begins is for the tool to refuse, in its own words.
			if _, err := computer.Parse(s.Args()); err != nil && s.Action != "zoom" {
				t.Fatalf("%s %s: %s: %v", name, args, s.Args(), err)
			}
		}
	}
	for _, row := range rows {
		for _, word := range row.Becomes {
			if !reached[[2]string{row.Says, word}] {
				t.Errorf("%s never became %s", row.Says, word)
			}
		}
	}
}

func count(all ...bool) int {
	n := 0
	for _, b := range all {
		if b {
			n++
		}
	}
	return n
}

func anyGeminiArgs(r *rand.Rand) []byte {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	out := "{"
	add := func(member, value string) {
		if len(out) > 1 {
			out += ","
		}
		out += `"` + member + `":` + value
	}
	for _, m := range []string{"x", "y", "start_x", "start_y", "end_x", "end_y", "destination_x", "destination_y"} {
		if r.IntN(8) > 0 {
			add(m, pick(fmt.Sprint(r.IntN(1000)), fmt.Sprint(r.IntN(1000)), fmt.Sprintf("%.3f", 999*r.Float64()), "999.999"))
		}
	}
	add("text", pick(`""`, `"a"`, `"héllo"`, `"two\nlines"`))
	add("name", pick(`""`, `"Mousepad"`))
	add("direction", pick(`"up"`, `"down"`, `"left"`, `"RIGHT"`, `"in"`))
	add("key", pick(`"Enter"`, `"a"`, `"W"`, `"shift"`, `"CTRL"`, `"ControlOrMeta"`, `" "`, `"F5"`))
	for _, m := range []string{"press_enter", "clear_before_typing"} {
		if r.IntN(2) == 0 {
			add(m, pick("true", "false"))
		}
	}
	for _, m := range []string{"magnitude", "magnitude_in_pixels", "magnitude_in_wheel_clicks", "seconds"} {
		if r.IntN(3) == 0 {
			add(m, fmt.Sprint(r.IntN(301)-1))
		}
	}
	if r.IntN(2) == 0 {
		add("keys", pick(`["CTRL","A"]`, `"control+c"`, `["alt","Tab"]`, `["shift"]`, `[]`, `7`, `["a","b"]`))
	}
	return []byte(out + "}")
}

func TestGeminiChecked(t *testing.T) {
	for args, want := range map[string]dialect.GeminiSafety{
		`{}`: {},
		`{"safety_decision":{"decision":"allowed"}}`:                                {},
		`{"safety_decision":{"decision":"require_confirmation","explanation":"A"}}`: {Ask: true, Why: "A"},
		`{"safety_decision":{"decision":"blocked","explanation":"B"}}`:              {Refuse: true, Why: "B"},
		`{"safety_decision":{"decision":"something_new"}}`:                          {Ask: true},
		`{"safety_decision":{}}`:                                                    {Ask: true},
		`{"safety_decision":"yes"}`:                                                 {Ask: true},
	} {
		if got := dialect.GeminiChecked([]byte(args)); got != want {
			t.Errorf("%s: %+v, want %+v", args, got, want)
		}
	}
}

func TestGeminiFound(t *testing.T) {
	say, ok := dialect.GeminiFound([]byte(`{"controls":[{"role":"button","name":"Save","x":683,"y":384}]}`), 1366, 768)
	if !ok || say != "Found, with points on the grid:\nbutton “Save”: x 500, y 500" {
		t.Errorf("%q", say)
	}
	if _, ok := dialect.GeminiFound([]byte(`{"controls":[]}`), 1366, 768); ok {
		t.Error("nothing was found, and yet it was")
	}
}

func FuzzGemini(f *testing.F) {
	f.Add("click", []byte(`{"x":500,"y":999.5}`))
	f.Add("scroll", []byte(`{"direction":"down","magnitude_in_pixels":-1e300}`))
	f.Add("hotkey", []byte(`{"keys":["CTRL","+"]}`))
	f.Add("type_text_at", []byte(`{"x":1,"y":2,"text":"a"}`))
	f.Add("wait", []byte(`{"seconds":1e99}`))
	f.Fuzz(func(t *testing.T, name string, args []byte) {
		var hand dialect.GeminiHand
		steps, say, err := hand.Steps(name, args, 1366, 768)
		if count(len(steps) > 0, say != "", err != nil) != 1 {
			t.Fatalf("%v, %q, %v", steps, say, err)
		}
		for _, s := range steps {
			if act, err := computer.Parse(s.Args()); err != nil && !utf8.ValidString(err.Error()) {
				t.Fatalf("%v: %v", act, err)
			}
		}
		dialect.GeminiChecked(args)
		dialect.GeminiFound(args, 1366, 768)
	})
}

package dialect_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"conch/gateway/computer"
	"conch/gateway/engine/dialect"
)

func TestAnthropic(t *testing.T) {
	type step = dialect.Step
	for _, c := range []struct {
		name, member, input string
		want                step
		say                 string // what is said instead
	}{
		{"look", "screenshot", `{}`, step{Action: "screenshot"}, ""},
		{"click", "left_click", `{"coordinate":[512,742]}`, step{Action: "left_click", Coordinate: []int{512, 742}}, ""},
		{"click where it is", "right_click", `{"text":"ctrl+shift"}`, step{Action: "right_click", Text: "ctrl+shift"}, ""},
		{"null is absent", "left_click", `{"coordinate":null,"text":null}`, step{Action: "left_click"}, ""},
		{"half pixels", "mouse_move", `{"coordinate":[1.5,2.4]}`, step{Action: "mouse_move", Coordinate: []int{2, 2}}, ""},
		{
			"drag", "left_click_drag", `{"start_coordinate":[1,2],"coordinate":[3,4],"text":"shift"}`,
			step{Action: "left_click_drag", StartCoordinate: []int{1, 2}, Coordinate: []int{3, 4}, Text: "shift"},
			"",
		},
		{
			"scroll", "scroll", `{"scroll_direction":"down","scroll_amount":5,"coordinate":[9,8]}`,
			step{Action: "scroll", Coordinate: []int{9, 8}, ScrollDirection: "down", ScrollAmount: 5},
			"",
		},
		{"type", "type", `{"text":"héllo\n\"x\""}`, step{Action: "type", Text: "héllo\n\"x\""}, ""},
		{"key", "key", `{"text":"ctrl+s","repeat":3}`, step{Action: "key", Text: "ctrl+s", Repeat: 3}, ""},
		{"hold", "hold_key", `{"text":"w","duration":2.5}`, step{Action: "hold_key", Text: "w", Duration: 2.5}, ""},
		{"wait", "wait", `{"duration":1}`, step{Action: "wait", Duration: 1}, ""},
		{"zoom", "zoom", `{"region":[0,0,40,30]}`, step{Action: "zoom", Region: []int{0, 0, 40, 30}}, ""},
		{"older tools", "computer", `{"action":"double_click","coordinate":[1,2]}`, step{Action: "double_click", Coordinate: []int{1, 2}}, ""},
		{"open", "open_app", `{"name":"Mousepad"}`, step{Action: "open_app", Text: "Mousepad"}, ""},
		{"list", "list_apps", `{}`, step{Action: "list_apps"}, ""},
		{"find", "find", `{"name":"Save"}`, step{Action: "find", Text: "Save"}, ""},

		{"unknown", "teleport", `{}`, step{}, `There is no action "teleport" here. Those that there are: screenshot, cursor_position, left_mouse_down, left_mouse_up, left_click, right_click, middle_click, double_click, triple_click, left_click_drag, mouse_move, scroll, type, key, hold_key, wait, zoom, open_app, list_apps, find.`},
		{"no action", "computer", `{"coordinate":[1,2]}`, step{}, "The use of the computer has no action. Say one of: screenshot, cursor_position, left_mouse_down, left_mouse_up, left_click, right_click, middle_click, double_click, triple_click, left_click_drag, mouse_move, scroll, type, key, hold_key, wait, zoom."},
		{"two actions", "left_click", `{"action":"type","text":"x"}`, step{}, "left_click takes no action: it is one."},
		{"another member's", "left_click", `{"coordinate":[1,2],"region":[1,2,3,4]}`, step{}, "left_click takes no region."},
		{"what isn't there", "mouse_move", `{}`, step{}, "mouse_move needs coordinate."},
		{"unknown input", "screenshot", `{"display":2}`, step{}, "screenshot has something in it that it doesn't take. Write only what its description says."},
		{"twice", "type", `{"text":"a","text":"b"}`, step{}, "type has something in it twice. Write each once."},
		{"one number", "left_click", `{"coordinate":[1]}`, step{}, "coordinate must be 2 numbers, in pixels of the last picture."},
		{"outside", "left_click", `{"coordinate":[1,-2]}`, step{}, "coordinate would be outside the picture."},
		{"a word for a number", "left_click", `{"coordinate":"middle"}`, step{}, "The input of left_click can't be read. Write it as its description says."},
		{"no times", "key", `{"text":"a","repeat":0}`, step{}, "repeat must be a whole number from 1."},
		{"half a click", "scroll", `{"scroll_direction":"up","scroll_amount":1.5}`, step{}, "scroll_amount must be a whole number from 1."},
		{"no time", "wait", `{"duration":0}`, step{}, "duration must be more than 0 seconds."},
		{"not JSON", "type", `{"text":"sec`, step{}, "The input of type can't be read. Write it as its description says."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := dialect.Anthropic(c.member, []byte(c.input))
			if c.say != "" {
				if e, ok := errors.AsType[*dialect.Cannot](err); !ok || e.Say != c.say {
					t.Fatalf("got %+v, %v\nwant %q", got, err, c.say)
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

// TestAnthropicTable: each member is reached by an input that has all it takes, the computer tool reads what it
// becomes, and the functions that are offered are those of the table.
func TestAnthropicTable(t *testing.T) {
	every := map[string]string{
		"coordinate": `[10,20]`, "start_coordinate": `[1,2]`, "region": `[0,0,40,30]`, "text": `"shift"`, "scroll_direction": `"down"`,
		"scroll_amount": `3`, "duration": `1`, "repeat": `2`, "name": `"Mousepad"`,
	}
	var own []string
	for _, row := range dialect.AnthropicTable() {
		if row.Own {
			own = append(own, row.Says)
		}
		for _, members := range [][]string{row.Must, slices.Concat(row.Must, row.May)} {
			var parts []string
			for _, m := range members {
				parts = append(parts, fmt.Sprintf("%q:%s", m, every[m]))
			}
			input := "{" + strings.Join(parts, ",") + "}"
			s, err := dialect.Anthropic(row.Says, []byte(input))
			if err != nil || s.Action != row.Becomes {
				t.Errorf("%s %s: %+v, %v", row.Says, input, s, err)
				continue
			}
			act, err := computer.Parse(s.Args())
			if err != nil || string(act.Word()) != row.Becomes {
				t.Errorf("%s %s: the tool says %v", row.Says, input, err)
			}
		}
	}
	var offered []string
	for _, o := range dialect.AnthropicOwns() {
		offered = append(offered, o.Name)
		if !dialect.IsAnthropic(o.Name) || o.About == "" {
			t.Errorf("%+v", o)
		}
	}
	if d := cmp.Diff(own, offered); d != "" {
		t.Error(d)
	}
}

// TestAnthropicEvery: whatever a model writes becomes a step of the table's word whose arguments the computer tool
// reads or refuses in words, and nothing that was to be typed is in what is said instead.
func TestAnthropicEvery(t *testing.T) {
	const seed = 11
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, seed))
	table := dialect.AnthropicTable()
	reached := map[string]int{}
	for range 50_000 {
		row := table[r.IntN(len(table))]
		input := anyAnthropicInput(r, row)
		s, err := dialect.Anthropic(row.Says, input)
		if err != nil {
			e, ok := errors.AsType[*dialect.Cannot](err)
			if !ok || e.Say == "" || strings.Contains(e.Say, "geheim") || !utf8.ValidString(e.Say) {
				t.Fatalf("%s %s: %v", row.Says, input, err)
			}
			continue
		}
		if s.Action != row.Becomes {
			t.Fatalf("%s became %s", row.Says, s.Action)
		}
		if _, err := computer.Parse(s.Args()); err == nil {
			reached[row.Says]++
		} else if _, said := errors.AsType[*computer.ParseError](err); !said {
			t.Fatalf("%s: %v", s.Args(), err)
		}
	}
	for _, row := range table {
		if reached[row.Says] == 0 {
			t.Errorf("%s was never read", row.Says)
		}
	}
}

func anyAnthropicInput(r *rand.Rand, row dialect.AnthropicRow) []byte {
	values := []any{nil, 0, 3, -1, 2.5, 1e300, "geheim", "down", "ctrl", []int{5, 6}, []float64{1.5, -2}, []int{0, 0, 9, 9}, map[string]int{}}
	likely := map[string]any{
		"coordinate": []int{r.IntN(2000), r.IntN(900)}, "start_coordinate": []int{4, 5}, "region": []int{0, 0, 40, 30}, "text": "ctrl",
		"scroll_direction": "up", "scroll_amount": 1 + r.IntN(120), "duration": r.Float64() * 400, "repeat": 1 + r.IntN(120), "name": "geheim",
	}
	in := map[string]any{}
	for _, m := range slices.Concat(row.Must, row.May) {
		switch r.IntN(10) {
		case 0:
		case 1:
			in[m] = values[r.IntN(len(values))]
		default:
			in[m] = likely[m]
		}
	}
	if r.IntN(20) == 0 {
		in["more"] = "geheim"
	}
	out, err := json.Marshal(in)
	if err != nil {
		return []byte("{")
	}
	return out
}

func FuzzAnthropic(f *testing.F) {
	f.Add("left_click", []byte(`{"coordinate":[1,2],"text":"ctrl"}`))
	f.Add("computer", []byte(`{"action":"key","text":"Return","repeat":3}`))
	f.Add("zoom", []byte(`{"region":[1,2,3,4]}`))
	f.Fuzz(func(t *testing.T, name string, input []byte) {
		s, err := dialect.Anthropic(name, input)
		if (err == nil) != (s.Action != "") {
			t.Fatalf("%+v, %v", s, err)
		}
		if err == nil {
			_, _ = computer.Parse(s.Args())
		}
	})
}

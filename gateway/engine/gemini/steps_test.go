package gemini_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway/computer"
	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/gemini/geminitest"
	"conch/gateway/tool"
)

// TestTenSteps does the task of ten steps over the strict server, with Google's own computer tool and with Conch's.
func TestTenSteps(t *testing.T) {
	want := []string{"screenshot", "open_app", "left_click", "type", "key", "type", "key", "scroll", "zoom", "cursor_position"}
	for _, id := range []string{"gemini-3.5-flash", "gemini-3.1-pro-preview", "gemini-2.5-flash"} {
		t.Run(id, func(t *testing.T) {
			s := geminitest.New(t, key, enginetest.TenSteps("Mousepad", "Grüße 👋"))
			e := account(t, s, key)
			n := 0
			d := drive(e.Turn(t.Context(), turn(model(t, e, id), "Write it.")), func(c engine.ToolCall) tool.Result {
				if _, err := computer.Parse(c.Args); err != nil {
					t.Errorf("%s: %v", c.Args, err)
				}
				n++
				if step(t, c).Action == "zoom" {
					return tool.Result{Text: "Zoomed.", Picture: screen(1568, 900, n)}
				}
				return tool.Result{Text: "Done.", Picture: screen(1366, 768, n)}
			}, false)
			if d.err != nil || d.text != "Done, all ten steps." {
				t.Fatalf("%+v\nrefused: %q", d, s.Refused())
			}
			var got []string
			for _, c := range d.calls {
				got = append(got, step(t, c).Action)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("did %q", got)
			}
			near(t, step(t, d.calls[2]).Coordinate, []int{400, 300})
			near(t, step(t, d.calls[7]).Coordinate, []int{400, 300})
			near(t, step(t, d.calls[8]).Region, []int{200, 150, 600, 450})
			if s := step(t, d.calls[7]); s.ScrollDirection != "down" || s.ScrollAmount != 2 {
				t.Errorf("%+v", s)
			}
			if s := step(t, d.calls[5]); s.Text != "Grüße 👋" {
				t.Errorf("%+v", s)
			}
		})
	}
}

func step(t *testing.T, c engine.ToolCall) dialect.Step {
	t.Helper()
	var s dialect.Step
	if err := json.Unmarshal(c.Args, &s, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	return s
}

// near allows half a cell of the grid, in a picture of 1366 pixels, and the half pixel of rounding.
func near(t *testing.T, got, want []int) {
	t.Helper()
	ok := len(got) == len(want)
	for i := range got {
		ok = ok && max(got[i]-want[i], want[i]-got[i]) <= 1
	}
	if !ok {
		t.Errorf("%v, where %v was meant", got, want)
	}
}

// calls is a model that makes these calls at once and then says what it was told.
func calls(all ...enginetest.Call) (enginetest.Brain, *[]enginetest.Seen) {
	var seen []enginetest.Seen
	return func(s enginetest.Seen) enginetest.Answer {
		seen = append(seen, s)
		switch len(seen) {
		case 1:
			return enginetest.Answer{Calls: []enginetest.Call{{ID: "look", Name: dialect.ToolName, Args: `{"action":"screenshot"}`}}}
		case 2:
			return enginetest.Answer{Calls: all}
		}
		return enginetest.Answer{Text: "I see."}
	}, &seen
}

// TestBatch: of the calls of one answer only the last one's picture is looked at, several steps of one call are one
// answer, and held modifiers go into what follows.
func TestBatch(t *testing.T) {
	brain, seen := calls(
		enginetest.Call{ID: "1", Name: "key_down", Args: `{"key":"shift"}`},
		enginetest.Call{ID: "2", Name: "click", Args: `{"x":999,"y":0}`},
		enginetest.Call{ID: "3", Name: "key_up", Args: `{"key":"shift"}`},
		enginetest.Call{ID: "4", Name: "type", Args: `{"text":"a","press_enter":true}`},
	)
	s := geminitest.New(t, key, nil)
	s.Brain = brain
	e := account(t, s, key)
	d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-3.5-flash"), "Go.")), plainly, false)
	if d.err != nil || d.text != "I see." || len(d.calls) != 4 {
		t.Fatalf("%+v %q", d, s.Refused())
	}
	for i, want := range []string{
		`{"action":"screenshot"}`,
		`{"action":"left_click","coordinate":[1365,0],"text":"shift"}`,
		`{"action":"type","text":"a"}`,
		`{"action":"key","text":"Return"}`,
	} {
		if c := d.calls[i]; string(c.Args) != want || c.Blind != (i == 1 || i == 2) {
			t.Errorf("call %d: %s, blind %v", i, c.Args, c.Blind)
		}
	}
	last := (*seen)[2]
	if last.Newest != 4 || last.Pictures() != 2 || last.Results[4].Picture == nil || last.Results[4].Text != "Done. Done." {
		t.Errorf("%d answers with %d pictures: %q", last.Newest, last.Pictures(), last.Results[4].Text)
	}
}

// TestFound: what find found is told with points on the grid, since the model points on it.
func TestFound(t *testing.T) {
	brain, seen := calls(enginetest.Call{ID: "1", Name: "find", Args: `{"name":"Save"}`})
	s := geminitest.New(t, key, nil)
	s.Brain = brain
	e := account(t, s, key)
	d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-3.5-flash"), "Go.")), func(c engine.ToolCall) tool.Result {
		r := plainly(c)
		if step(t, c).Action == "find" {
			r.Text, r.Data = "button “Save”: 683,384", []byte(`{"controls":[{"role":"button","name":"Save","x":683,"y":384}]}`)
		}
		return r
	}, false)
	if last := (*seen)[2]; d.err != nil || last.Results[1].Text != "Found, with points on the grid:\nbutton “Save”: x 500, y 500" {
		t.Errorf("%q %v", last.Results[1].Text, d.err)
	}
}

// TestNoPointBeforeAPicture: a model that points before it has seen anything is told to look, and nothing is done.
func TestNoPointBeforeAPicture(t *testing.T) {
	n := 0
	s := geminitest.New(t, key, func(seen enginetest.Seen) enginetest.Answer {
		if n++; n == 1 {
			return enginetest.Answer{Calls: []enginetest.Call{{Name: "click", Args: `{"x":1,"y":1}`}, {Name: dialect.ToolName + "x", Args: `{}`}}}
		}
		return enginetest.Answer{Text: seen.Results[0].Text}
	})
	e := account(t, s, key)
	d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-3.5-flash"), "Go.")), plainly, false)
	if d.err != nil || len(d.calls) > 0 || d.text != "There is no picture yet that a point could be in. Take a screenshot first." {
		t.Errorf("%+v %q", d, s.Refused())
	}
}

// TestPreview: the 2.5 preview's functions, which name a page in each answer and take pictures beside them.
func TestPreview(t *testing.T) {
	n := 0
	answers := []enginetest.Answer{
		{Calls: []enginetest.Call{{Name: "open_web_browser"}}},
		{Calls: []enginetest.Call{{Name: "click_at", Args: `{"x":500,"y":500}`}, {Name: "wait_5_seconds"}}},
		{Calls: []enginetest.Call{{Name: "type_text_at", Args: `{"x":0,"y":0,"text":"a","press_enter":false}`}}},
		{Calls: []enginetest.Call{{Name: "navigate", Args: `{"url":"https://example.org"}`}, {Name: "wait_5_seconds"}}},
		{Text: "Done."},
	}
	var told []enginetest.Result
	s := geminitest.New(t, key, func(in enginetest.Seen) enginetest.Answer {
		told = in.Results
		n++
		return answers[n-1]
	})
	e := account(t, s, key)
	d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-2.5-computer-use-preview-10-2025"), "Go.")), plainly, false)
	if d.err != nil || d.text != "Done." {
		t.Fatalf("%+v %q", d, s.Refused())
	}
	var got []string
	for _, c := range d.calls {
		got = append(got, string(c.Args))
	}
	want := []string{
		`{"action":"screenshot"}`, `{"action":"left_click","coordinate":[683,384]}`, `{"action":"wait","duration":5}`,
		`{"action":"triple_click","coordinate":[0,0]}`, `{"action":"key","text":"BackSpace"}`, `{"action":"type","text":"a"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("did %q", got)
	}
	if len(told) != 6 || told[1].Picture != nil || told[2].Picture == nil || !told[4].Failed || !told[5].Failed {
		t.Errorf("%d answers", len(told))
	}
}

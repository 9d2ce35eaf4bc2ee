package openai_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/openai"
	"conch/gateway/engine/openai/openaitest"
	"conch/gateway/tool"
)

// server starts a strict server that must not refuse anything.
func server(t *testing.T, o openaitest.Options) *openaitest.Server {
	t.Helper()
	o.Key = theKey
	if o.Models == nil {
		o.Models = []string{native.ID, general.ID, preview.ID}
	}
	s := openaitest.New(t, o)
	t.Cleanup(func() {
		for _, why := range s.Refused() {
			t.Errorf("the server refused: %v", why)
		}
	})
	return s
}

func TestTenSteps(t *testing.T) {
	for _, m := range []engine.Model{native, general} {
		t.Run(m.ID, func(t *testing.T) {
			s := server(t, openaitest.Options{Brain: enginetest.TenSteps("Mousepad", "héllo"), Native: m.Computer != ""})
			e, _ := open(t, s.URL)
			r := hands{}.run(t, e, turn(m))
			if r.err != nil || r.text != "Done, all ten steps." || len(r.calls) != 10 || s.Answers() != 11 {
				t.Fatalf("%d answers: %+v", s.Answers(), r)
			}
			same(t, r.calls[1:4],
				`{"action":"open_app","text":"Mousepad"}`, `{"action":"left_click","coordinate":[400,300]}`, `{"action":"type","text":"héllo"}`)
		})
	}
}

// says is a model that answers in order, whatever it is told.
func says(seen *[]enginetest.Seen, answers ...enginetest.Answer) enginetest.Brain {
	n := 0
	return func(s enginetest.Seen) enginetest.Answer {
		if seen != nil {
			*seen = append(*seen, s)
		}
		n++
		if n > len(answers) {
			return enginetest.Answer{Text: "Done."}
		}
		return answers[n-1]
	}
}

func does(id string, steps ...string) enginetest.Answer {
	var a enginetest.Answer
	for i, s := range steps {
		c := enginetest.Does(s)
		c.ID = id
		if i > 0 {
			c.ID += string(rune('a' + i))
		}
		a.Calls = append(a.Calls, c)
	}
	return a
}

var batch = []string{
	`{"action":"left_click","coordinate":[1,2]}`, `{"action":"type","text":"a"}`, `{"action":"key","text":"ctrl+s"}`, `{"action":"wait","duration":2}`,
}

func TestBatch(t *testing.T) {
	var seen []enginetest.Seen
	s := server(t, openaitest.Options{Native: true, Brain: says(&seen, does("call_1", batch...))})
	e, _ := open(t, s.URL)
	r := hands{}.run(t, e, turn(native))
	if r.err != nil || r.text != "Done." {
		t.Fatalf("%+v", r)
	}
	same(t, r.calls, "blind "+batch[0], "blind "+batch[1], "blind "+batch[2], batch[3])
	if got := seen[1].Results; len(got) != 1 || !slices.Equal(got[0].Picture, shot(4).Data) || got[0].Text != "Done 1.\nDone 2.\nDone 3.\nDone 4." {
		t.Errorf("%+v", got)
	}
}

// TestBatchStops: after the action that failed nothing is done, and what goes back is the last picture there is, said to
// be an old one.
func TestBatchStops(t *testing.T) {
	var seen []enginetest.Seen
	s := server(t, openaitest.Options{Native: true, Brain: says(&seen, does("call_1", `{"action":"screenshot"}`), does("call_2", batch...))})
	e, _ := open(t, s.URL)
	h := hands{call: func(n int, _ engine.ToolCall) tool.Result {
		if n == 3 {
			return tool.Result{Text: "That is kept away.", Failed: true}
		}
		return tool.Result{Text: "Done.", Picture: shot(n)}
	}}
	r := h.run(t, e, turn(native))
	if r.err != nil || r.text != "Done." || len(r.calls) != 3 {
		t.Fatalf("%+v", r)
	}
	want := "Done.\nAction 2 of 4 failed: That is kept away. The 2 actions after it were not tried.\n" +
		"The picture is the last one from before this. Take a screenshot to see the screen as it is now."
	if got := seen[2].Results; len(got) != 2 || got[1].Text != want || !slices.Equal(got[1].Picture, shot(1).Data) {
		t.Errorf("%q", got[1].Text)
	}
}

// TestNoPicture: without any picture the call can't be answered in its own shape. No picture is made up.
func TestNoPicture(t *testing.T) {
	var seen []enginetest.Seen
	s := server(t, openaitest.Options{Native: true, Brain: says(&seen, does("call_1", `{"action":"screenshot"}`), does("call_2", `{"action":"screenshot"}`))})
	e, via := open(t, s.URL)
	h := hands{call: func(n int, _ engine.ToolCall) tool.Result {
		if n == 1 {
			return tool.Result{Text: "The screen is locked.", Failed: true}
		}
		return tool.Result{Text: "This is the screen.", Picture: shot(2)}
	}}
	r := h.run(t, e, turn(native))
	if r.err != nil || r.text != "Done." || len(r.calls) != 2 {
		t.Fatalf("%+v", r)
	}
	if got := seen[1].Results; len(got) != 1 || got[0].Picture != nil || !strings.Contains(got[0].Text, "The screen is locked.") {
		t.Errorf("%+v", got)
	}
	if strings.Contains(string(via.bodies[1]), "call_1") {
		t.Error("a call that can't be answered was sent back")
	}
	if got := seen[2].Results; len(got) != 2 || got[1].Picture == nil {
		t.Errorf("%+v", got)
	}
}

func TestCannot(t *testing.T) {
	back := []byte(`{"type":"click","button":"back","x":1,"y":1}`)
	raw := rawBatch(t, "call_1", []byte(`{"type":"click","button":"left","x":1,"y":2}`), back, []byte(`{"type":"screenshot"}`))
	e, via := open(t, raw)
	r := hands{}.run(t, e, turn(native))
	if r.err != nil || r.text != "Done." {
		t.Fatalf("%+v", r)
	}
	same(t, r.calls, `{"action":"left_click","coordinate":[1,2]}`) // which is looked at, since nothing follows it
	if got, err := openaitest.Read(via.bodies[1]); err != nil || !strings.Contains(got.Results[0].Text,
		"Action 2 of 3 failed: The mouse has no back button here. Press the keys of the app for going back instead. The action after it was not tried.") ||
		!slices.Equal(got.Results[0].Picture, shot(1).Data) || strings.Contains(got.Results[0].Text, "last one from before") {
		t.Errorf("%v %+v", err, got.Results)
	}
}

var risky = openaitest.Check{ID: "cu_sc_1", Code: "malicious_instructions", Message: "The page\u202e says\nto buy. Is that right?"}

func TestSafetyCheck(t *testing.T) {
	for _, m := range []engine.Model{native, preview} {
		for _, yes := range []bool{true, false} {
			t.Run(m.ID+map[bool]string{true: " yes", false: " no"}[yes], func(t *testing.T) {
				var seen []enginetest.Seen
				s := server(t, openaitest.Options{
					Native: true, Old: m.ID == preview.ID, Brain: says(&seen, does("call_1", batch[0])),
					Checks: func(n int) []openaitest.Check {
						if n == 0 {
							return []openaitest.Check{risky}
						}
						return nil
					},
				})
				e, _ := open(t, s.URL)
				r := hands{confirm: func(engine.Confirm) bool { return yes }}.run(t, e, turn(m))
				if r.err != nil || r.text != "Done." || s.Answers() != 2 {
					t.Fatalf("%+v", r)
				}
				if len(r.asked) != 1 || r.asked[0].Title != "Go on with this?" || r.asked[0].Why != "The page says to buy. Is that right?" {
					t.Errorf("asked %+v", r.asked)
				}
				if yes {
					same(t, r.calls, batch[0])
					same(t, s.Choices(), "", "")
					return
				}
				same(t, r.calls)
				same(t, s.Choices(), "", "none")
				if got := seen[1].Results; len(got) != 2 || !strings.Contains(got[0].Text, "They said no") || !strings.Contains(got[1].Text, "The person said no.") {
					t.Errorf("the model was told %+v", got)
				}
			})
		}
	}
}

// TestStoppedWhileAsked: a turn that is stopped while the person is asked does nothing more.
func TestStoppedWhileAsked(t *testing.T) {
	s := server(t, openaitest.Options{
		Native: true, Brain: says(nil, does("call_1", batch[0])), Checks: func(int) []openaitest.Check { return []openaitest.Check{risky} },
	})
	e, _ := open(t, s.URL)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	defer cancel(nil)
	var last error
	for event, err := range e.Turn(ctx, turn(native)) {
		if last = err; err != nil {
			break
		}
		switch ev := event.(type) {
		case engine.Confirm:
			cancel(stop)
			ev.Answer(true)
		case engine.ToolCall:
			t.Error("a step was done")
		case engine.Text, engine.Thinking, engine.Doing, engine.Usage:
		}
	}
	if !errors.Is(last, stop) || s.Answers() != 1 {
		t.Errorf("%v after %d answers", last, s.Answers())
	}
}

// TestForgottenChecks: a call that is left out after one that failed isn't acknowledged without asking.
func TestForgottenChecks(t *testing.T) {
	call := func(id, checks string) string {
		return `{"type":"computer_call","id":"cu_` + id + `","call_id":"` + id + `","status":"completed","pending_safety_checks":[` + checks +
			`],"actions":[{"type":"screenshot"}]}`
	}
	e, via := open(t, rawAnswers(t, []string{call("a", "")}, []string{call("b", ""), call("c", `{"id":"sc_1","code":"x","message":"Really?"}`)}))
	h := hands{call: func(n int, _ engine.ToolCall) tool.Result {
		if n == 2 {
			return tool.Result{Text: "No.", Failed: true}
		}
		return tool.Result{Text: "Yes.", Picture: shot(n)}
	}}
	r := h.run(t, e, turn(native))
	if r.err != nil || len(r.asked) != 0 || len(r.calls) != 2 {
		t.Fatalf("%+v", r)
	}
	if body := string(via.bodies[2]); strings.Contains(body, "sc_1") || !strings.Contains(body, "Not done, since the step before it failed.") {
		t.Error("a check was acknowledged that nobody was asked about")
	}
}

func TestPreview(t *testing.T) {
	var seen []enginetest.Seen
	s := server(t, openaitest.Options{Native: true, Old: true, Brain: says(&seen, does("call_1", `{"action":"screenshot"}`), does("call_2", batch[0]))})
	e, via := open(t, s.URL)
	r := hands{}.run(t, e, turn(preview))
	if r.err != nil || r.text != "Done." || len(r.calls) != 2 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []string{`"display_height":768,"display_width":1024`, `"display_height":30,"display_width":40`} {
		if !strings.Contains(string(via.bodies[i]), want) {
			t.Errorf("request %d doesn't have %s", i+1, want)
		}
	}
	if !strings.Contains(seen[0].System, "Uses the computer, within its rules.") {
		t.Error("the model isn't told the rules of the computer")
	}
}

func TestHead(t *testing.T) {
	s := server(t, openaitest.Options{Native: true, Brain: says(nil)})
	e, via := open(t, s.URL)
	if r := (hands{}).run(t, e, turn(native)); r.err != nil {
		t.Fatal(r.err)
	}
	body := string(via.bodies[0])
	for _, want := range []string{`{"type":"computer"}`, `"computer_more"`, "within its rules.", `"store":false`, `"strict":false`, `"prompt_cache_key":"`, `"stream":true`} {
		if !strings.Contains(body, want) {
			t.Errorf("the request doesn't have %s: %s", want, body)
		}
	}
	if strings.Contains(body, `"c1"`) {
		t.Error("the chat's id went out")
	}
}

func TestModels(t *testing.T) {
	s := server(t, openaitest.Options{Models: []string{
		"text-embedding-3-large", "gpt-6-astra", "gpt-5.5-2026-04-23", "gpt-realtime-2", "gpt-9-nova", "gpt-4o", "whisper-1", "gpt-image-2", "computer-use-preview", "o3",
	}})
	e, _ := open(t, s.URL)
	got, err := e.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]engine.Model{}
	var ids []string
	for _, m := range got {
		by[m.ID], ids = m, append(ids, m.ID)
	}
	same(t, ids, "o3", "gpt-9-nova", "gpt-6-astra", "gpt-5.5-2026-04-23", "gpt-4o", "computer-use-preview")
	if m := by["gpt-5.5-2026-04-23"]; m.Name != "GPT-5.5 (2026-04-23)" || !m.Sees || m.Computer != "computer" || m.Window == 0 || m.Price.In != 5 || !m.Forgets {
		t.Errorf("%+v", m)
	}
	if m := by["gpt-4o"]; m.Sees || m.Computer != "" || m.Price.In != 0 || m.Forgets {
		t.Errorf("what isn't known was guessed: %+v", m)
	}
	if m := by["gpt-9-nova"]; !m.Sees || m.Computer != "" || m.Picture.Edge == 0 {
		t.Errorf("%+v", m)
	}
	bad := openai.New(openai.Config{Key: "sk-wrong", Base: openaitest.New(t, openaitest.Options{Key: theKey}).URL})
	if _, err := bad.Models(t.Context()); err == nil || !strings.Contains(err.Error(), "doesn't take this key") {
		t.Error(err)
	}
}

// TestToldInShort: when a call of the computer tool can't be answered, the functions called beside it keep their answers,
// and nothing that stood on the screen gets into a note that the model obeys.
func TestToldInShort(t *testing.T) {
	var seen []enginetest.Seen
	a := does("call_1", `{"action":"find","text":"Send"}`, batch[0])
	a.Text = "I look for it."
	a.Calls = append(a.Calls, enginetest.Call{ID: "call_n", Name: "note", Args: `{"text":"x"}`})
	s := server(t, openaitest.Options{
		Native: true, Brain: says(&seen, a),
		Checks: func(n int) []openaitest.Check { return []openaitest.Check{risky}[:max(1-n, 0)] },
	})
	e, via := open(t, s.URL)
	r := hands{call: func(int, engine.ToolCall) tool.Result {
		return tool.Result{Text: "Found button “Obey me” at 3,4.", Picture: shot(1)}
	}}.run(t, e, turn(native))
	if r.err != nil || r.text != "I look for it.Done." || len(r.calls) != 1 {
		t.Fatalf("%+v", r)
	}
	got := seen[1].Results
	if len(got) != 4 || !strings.Contains(got[0].Text, "Obey me") || !strings.Contains(got[1].Text, "Not done") || !strings.Contains(got[2].Text, "They said no") {
		t.Fatalf("%+v", got)
	}
	for _, note := range got[2:] {
		if strings.Contains(note.Text, "Obey me") || strings.Contains(note.Text, "to buy") {
			t.Errorf("a note holds what stood on the screen: %q", note.Text)
		}
	}
	if !strings.Contains(string(via.bodies[1]), `"content":"I look for it."`) {
		t.Error("what the model said is lost")
	}
}

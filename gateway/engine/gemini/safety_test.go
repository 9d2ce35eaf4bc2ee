package gemini_test

import (
	"strings"
	"testing"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/gemini/geminitest"
	"conch/gateway/tool"
)

func click(id, text string) enginetest.Call {
	return enginetest.Call{ID: id, Name: dialect.ToolName, Args: `{"action":"type","text":"` + text + `"}`}
}

// TestSafety: what Google's check wants a person for is asked; the server refuses a transcript in which such a call
// isn't acknowledged, so whatever the answer, the turn must go on.
func TestSafety(t *testing.T) {
	for _, c := range []struct {
		name  string
		asks  map[string]string // by call
		yes   bool
		fails string // the text of the call that fails
		typed string // what was typed, in order
		asked int
		told  string // what the model reads afterwards
	}{
		{"yes", map[string]string{"2": "It sends\u202e money."}, true, "", "abc", 1, ""},
		{"no", map[string]string{"1": "It sends money."}, false, "", "", 1, "You called type. The person said no to this"},
		{"no in the middle", map[string]string{"2": "It sends money."}, false, "", "a", 1, "You called type. The person said no to this"},
		{"not asked after a failure", map[string]string{"3": "It sends money."}, true, "a", "a", 0, "You called type. Not executed: an earlier call in this turn failed."},
		{"yes, and it fails", map[string]string{"2": "It sends money."}, true, "b", "ab", 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			brain, seen := calls(click("1", "a"), click("2", "b"), click("3", "c"))
			s := geminitest.New(t, key, brain)
			s.Safety = func(call enginetest.Call) string { return c.asks[call.ID] }
			e := account(t, s, key)
			typed := ""
			d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-3.5-flash"), "Go.")), func(call engine.ToolCall) tool.Result {
				text := step(t, call).Text
				typed += text
				if text != "" && text == c.fails {
					return tool.Result{Text: "It failed.", Failed: true}
				}
				return plainly(call)
			}, c.yes)
			if d.err != nil || d.text != "I see." {
				t.Fatalf("%+v %q", d, s.Refused())
			}
			if typed != c.typed || len(d.asked) != c.asked {
				t.Errorf("typed %q, asked %d times", typed, len(d.asked))
			}
			last := string(s.Bodies()[len(s.Bodies())-1])
			if !strings.Contains(last, c.told) || c.told == "" && strings.Contains(last, "You called") {
				t.Errorf("the model isn't told %q", c.told)
			}
			if c.asked > 0 && (d.asked[0].Title != "Go on with this?" || d.asked[0].Why != "It sends money.") {
				t.Errorf("asked %q: %q", d.asked[0].Title, d.asked[0].Why)
			}
			if n := len(*seen); n != 3 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestSafetyRefused: what the check itself refuses is neither asked nor done.
func TestSafetyRefused(t *testing.T) {
	brain, _ := calls(enginetest.Call{ID: "1", Name: "type", Args: `{"text":"a","safety_decision":{"decision":"blocked","explanation":"No."}}`})
	s := geminitest.New(t, key, nil)
	s.Brain = brain
	e := account(t, s, key)
	d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-3.5-flash"), "Go.")), plainly, true)
	if d.err != nil || len(d.calls) != 1 || len(d.asked) != 0 || d.text != "I see." {
		t.Errorf("%+v %q", d, s.Refused())
	}
}

// TestSafetyOfOthers: a check may stand in a call of any function; the tool isn't told of it.
func TestSafetyOfOthers(t *testing.T) {
	brain, _ := calls(enginetest.Call{ID: "1", Name: "note", Args: `{"text":"a"}`})
	s := geminitest.New(t, key, nil)
	s.Brain, s.Safety = brain, func(c enginetest.Call) string {
		if c.Name == "note" {
			return "It notes."
		}
		return ""
	}
	e := account(t, s, key)
	d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-3.5-flash"), "Go.")), plainly, true)
	if d.err != nil || len(d.calls) != 2 || string(d.calls[1].Args) != `{"text":"a"}` || len(d.asked) != 1 {
		t.Errorf("%+v %q", d, s.Refused())
	}
}

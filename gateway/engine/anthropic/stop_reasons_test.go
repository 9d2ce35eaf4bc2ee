package anthropic_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/engine/anthropic"
	"conch/gateway/engine/anthropic/anthropictest"
	"conch/gateway/engine/enginetest"
	"conch/gateway/tool"
)

// answers is a network in which each request is answered by the next body.
type answers struct {
	bodies []string
	asked  []string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a.asked = append(a.asked, string(sent))
	n := min(len(a.asked), len(a.bodies)) - 1
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.bodies[n]))}, nil
}

// stops is an answer that ends for a reason.
func stops(a enginetest.Answer, reason string) string {
	var b strings.Builder
	for _, f := range anthropictest.Encode(a, anthropictest.Toolset) {
		b.Write(f)
	}
	for _, was := range []string{"end_turn", "tool_use"} {
		if old := `"stop_reason":"` + was + `"`; strings.Contains(b.String(), old) {
			return strings.Replace(b.String(), old, `"stop_reason":"`+reason+`"`, 1)
		}
	}
	panic("the reason isn't there")
}

var opus = engine.Model{ID: "claude-opus-5-5", Name: "Claude Opus 5.5", Sees: true, Tools: true, Computer: anthropictest.Toolset}

func TestStopReasons(t *testing.T) {
	look := enginetest.Answer{Text: "Hm.", Calls: []enginetest.Call{enginetest.Does(`{"action":"screenshot"}`)}}
	for _, c := range []struct {
		name   string
		bodies []string
		kind   engine.ProblemKind
		say    string // of the problem; empty: none
		text   string
		calls  int
	}{
		{"a sequence", []string{stops(enginetest.Answer{Text: "So."}, "stop_sequence")}, 0, "", "So.", 0},
		{"a new reason", []string{stops(enginetest.Answer{Text: "So."}, "moon_phase")}, 0, "", "So.", 0},
		{"a new reason, and a call", []string{stops(look, "moon_phase")}, engine.Other, "Anthropic answered in a way that I can't read.", "Hm.", 0},
		{"a call at an end", []string{stops(look, "end_turn"), stops(enginetest.Answer{Text: " Done."}, "end_turn")}, 0, "", "Hm. Done.", 1},
		{"the window", []string{stops(look, "model_context_window_exceeded")}, engine.TooLong, "This chat has become too long for Claude Opus 5.5.", "Hm.", 0},
		{"a refusal", []string{stops(look, "refusal")}, engine.Declined, "Claude Opus 5.5 declined to answer that.", "Hm.", 0},
		{
			"a pause",
			[]string{stops(enginetest.Answer{Text: "One "}, "pause_turn"), stops(enginetest.Answer{Text: "two "}, "pause_turn"), stops(enginetest.Answer{Text: "three."}, "end_turn")},
			0, "", "One two three.", 0,
		},
		{
			"a pause and a call",
			[]string{stops(enginetest.Answer{Text: "One "}, "pause_turn"), stops(look, "tool_use"), stops(enginetest.Answer{Text: " two."}, "end_turn")},
			0, "", "One Hm. two.", 1,
		},
		{"pauses without an end", []string{stops(enginetest.Answer{Text: "."}, "pause_turn")}, engine.Other, "The answer of Anthropic broke off in the middle.", strings.Repeat(".", 11), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			via := &answers{bodies: c.bodies}
			e := anthropic.New(anthropic.Config{Key: "k", HTTP: via})
			d := drive(t, e, turnOf(opus), func(engine.ToolCall) tool.Result { return tool.Result{Text: "Done.", Picture: screen(1)} })
			p, _ := errors.AsType[*engine.Problem](d.err)
			switch {
			case (p != nil) != (c.say != "") || (d.err != nil) != (p != nil):
				t.Errorf("%v", d.err)
			case p != nil && (p.Say != c.say || p.Kind != c.kind || p.Next == ""):
				t.Errorf("%+v", p)
			}
			if d.text != c.text || len(d.calls) != c.calls {
				t.Errorf("%q, %d calls", d.text, len(d.calls))
			}
			read := anthropictest.Read(opus.ID)
			for i, body := range via.asked {
				paused := i > 0 && strings.Contains(c.bodies[min(i, len(c.bodies))-1], "pause_turn")
				if _, err := read([]byte(body)); err != nil && !(paused && strings.Contains(err.Error(), "prefill")) {
					t.Errorf("request %d would be refused: %v", i+1, err)
				}
			}
		})
	}
}

// TestUnknownCalls: what the model calls that isn't there is answered, and the rest of the turn goes on.
func TestUnknownCalls(t *testing.T) {
	whole := func(a enginetest.Answer) string { return stops(a, "tool_use") }
	call := whole(enginetest.Answer{Calls: []enginetest.Call{enginetest.Does(`{"action":"screenshot"}`)}})
	for name, body := range map[string]string{
		"a member nobody knows":  strings.Replace(call, `"name":"screenshot"`, `"name":"teleport"`, 1),
		"a toolset nobody knows": strings.Replace(call, `"toolset_name":"computer"`, `"toolset_name":"browser"`, 1),
	} {
		via := &answers{bodies: []string{body, stops(enginetest.Answer{Text: "I see."}, "end_turn")}}
		e := anthropic.New(anthropic.Config{Key: "k", HTTP: via})
		d := drive(t, e, turnOf(opus), nil)
		if d.err != nil || d.text != "I see." || len(d.calls) > 0 {
			t.Errorf("%s: %+v", name, d)
		}
		seen, err := anthropictest.Read(opus.ID)([]byte(via.asked[1]))
		if err != nil || len(seen.Results) != 1 || !seen.Results[0].Failed || !strings.HasPrefix(seen.Results[0].Text, "There is no ") {
			t.Errorf("%s: %+v, %v", name, seen, err)
		}
	}
}

// TestZoomIsOffered: as it is configured, in each of Anthropic's own tools.
func TestZoomIsOffered(t *testing.T) {
	for computer, want := range map[string][2]string{
		anthropictest.Toolset:      {`{"type":"computer_toolset_20260801"}`, `{"configs":{"zoom":{"enabled":false}},"type":"computer_toolset_20260801"}`},
		anthropictest.Computer2511: {`"enable_zoom":true`, `"enable_zoom":false`},
	} {
		for i, off := range []bool{false, true} {
			via := &answers{bodies: []string{stops(enginetest.Answer{Text: "So."}, "end_turn")}}
			e := anthropic.New(anthropic.Config{Key: "k", HTTP: via, NoZoom: off})
			m := opus
			m.Computer = computer
			if d := drive(t, e, turnOf(m), nil); d.err != nil {
				t.Fatal(d.err)
			}
			var r struct {
				Tools []any `json:"tools"`
			}
			if err := json.Unmarshal([]byte(via.asked[0]), &r); err != nil {
				t.Fatal(err)
			}
			first, err := json.Marshal(r.Tools[0], json.Deterministic(true))
			if err != nil || !strings.Contains(string(first), want[i]) {
				t.Errorf("%s, off %v: %s", computer, off, first)
			}
		}
	}
}

// TestLongPromptsCostMore: where a provider asks more for them, the turn says so.
func TestLongPromptsCostMore(t *testing.T) {
	m := engine.Model{ID: "claude-haiku-5-5", Name: "Claude Haiku 5.5", Price: engine.Price{In: 0.1, Out: 0.5, CacheRead: 0.01, CacheMade: 0.125}}
	for in, want := range map[int]float64{1000: 0.0001 + 0.0005, 200_000: 0.1 + 0.0025} {
		via := &answers{bodies: []string{stops(enginetest.Answer{Text: "So.", Usage: engine.Usage{In: in, Out: 1000}}, "end_turn")}}
		d := drive(t, anthropic.New(anthropic.Config{Key: "k", HTTP: via}), turnOf(m), nil)
		if d.err != nil || len(d.usage) != 1 {
			t.Fatal(d)
		}
		if got, known := m.Cost(d.usage[0]); !known || got < want*0.999 || got > want*1.001 {
			t.Errorf("%d tokens cost %v, not %v", in, got, want)
		}
	}
}

// TestRulesGoAlong: where Anthropic's own tool takes the place of Conch's, Conch's rules for it are still told, and its
// list of actions isn't.
func TestRulesGoAlong(t *testing.T) {
	for computer, has := range map[string]bool{anthropictest.Toolset: false, "": true} {
		via := &answers{bodies: []string{stops(enginetest.Answer{Text: "So."}, "end_turn")}}
		m := opus
		m.Computer = computer
		if d := drive(t, anthropic.New(anthropic.Config{Key: "k", HTTP: via}), turnOf(m), nil); d.err != nil {
			t.Fatal(d.err)
		}
		if sent := via.asked[0]; strings.Contains(sent, "- screenshot: look.") != has || !strings.Contains(sent, "Never type a password") ||
			!strings.Contains(sent, "open_app") {
			t.Errorf("%q: %s", computer, sent)
		}
	}
}

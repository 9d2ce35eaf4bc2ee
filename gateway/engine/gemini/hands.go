package gemini

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/wire"
	"conch/gateway/plain"
)

// What a model is told about calls that weren't done.
const (
	notAfter = "Not executed: an earlier call in this turn failed."
	notOK    = "The person said no to this, so it was not done. Don't try it again; ask them what they want instead."
	notSafe  = "Google's safety check refuses this, so it was not done. Don't try it another way."
)

// maxWhy is how much of the provider's words a person is shown, in characters.
const maxWhy = 400

// hands do the calls of a turn.
type hands struct {
	native string // the provider's own computer tool; empty: Conch's, as a function
	hand   dialect.GeminiHand
	w, h   int // the picture that the model's points are in
	n      int // calls so far
}

// do does the calls of one answer, in order, and stops at the first that fails; each is answered. It is false when
// the turn is over.
func (r *run) do(calls []call) ([]result, bool) {
	results := make([]result, len(calls))
	failed := false
	for i, c := range calls {
		results[i] = result{call: c, failed: true, text: notAfter}
		if r.hands.native == preview && r.hands.computer(c.Name) { // which wants to know the page each time
			results[i].fields = map[string]any{"url": "about:blank"}
		}
		if failed {
			check := dialect.GeminiChecked(c.Args)
			results[i].held = r.hands.native != "" && (check.Ask || check.Refuse)
			continue
		}
		blind := slices.ContainsFunc(calls[i+1:], func(c call) bool { return r.hands.computer(c.Name) })
		on := r.one(&results[i], blind)
		if !on {
			return nil, false
		}
		failed = results[i].failed
	}
	return results, true
}

// computer says whether a function is one of the provider's computer tool.
func (h *hands) computer(name string) bool { return h.native != "" && dialect.IsGemini(name) }

// one does one call.
func (r *run) one(res *result, blind bool) bool {
	c := res.call
	args, bad := wire.Args(c.Args)
	if bad != "" {
		res.text = bad
		return true
	}
	if r.hands.native != "" {
		if on := r.checked(res, args); !on || res.text != "" {
			return on
		}
	}
	if r.hands.computer(c.Name) {
		return r.computer(res, args, blind)
	}
	if r.hands.native != "" {
		if c.Name == dialect.ToolName { // not offered here: its points would be pixels
			res.text = "There is no function " + dialect.ToolName + ". Use click, type, scroll and the others."
			return true
		}
		args = without(args)
	}
	return r.tool(res, c.Name, args)
}

// checked asks the person where the provider's safety check wants that. The text is set when the call isn't done.
func (r *run) checked(res *result, args []byte) bool {
	res.text = ""
	check := dialect.GeminiChecked(args)
	switch {
	case check.Refuse:
		res.text, res.held = notSafe, true
	case check.Ask:
		yes, on := r.out.Confirm("Go on with this?", why(check.Why))
		if !on {
			return false
		}
		if !yes {
			res.text, res.held = notOK, true
			return true
		}
		if res.fields == nil {
			res.fields = map[string]any{}
		}
		res.fields["safety_acknowledgement"] = true
	}
	return true
}

// why are the provider's own words for a person, cleaned.
func why(said string) string {
	said = plain.Clip(strings.TrimSpace(plain.Line(said)), maxWhy)
	if said == "" {
		return "Google asks that you confirm this step."
	}
	return said
}

// computer does one function of the provider's computer tool.
func (r *run) computer(res *result, args []byte, blind bool) bool {
	h := &r.hands
	steps, say, err := h.hand.Steps(res.call.Name, args, h.w, h.h)
	if err != nil || len(steps) == 0 {
		res.text, res.failed = say, err != nil
		if err != nil {
			res.text = err.Error() // a *dialect.Cannot, written for the model
		}
		return true
	}
	var text []string
	for i, s := range steps {
		h.n++
		got, on := r.out.Call(engine.ToolCall{
			ID: fmt.Sprintf("%s.%d", id(res.call, h.n), i+1), Name: dialect.ToolName, Args: s.Args(), Blind: blind || i < len(steps)-1,
		})
		if !on {
			return false
		}
		said := got.Text
		if s.Action == "find" && !got.Failed {
			if grid, ok := dialect.GeminiFound(got.Data, h.w, h.h); ok {
				said = grid
			}
		}
		if s.Action == "cursor_position" && !got.Failed {
			said += fmt.Sprintf(" That is in pixels of the picture, which is %d by %d.", h.w, h.h)
		}
		text = append(text, said)
		res.failed, res.pic = got.Failed, nil
		if got.Failed {
			break
		}
		if !blind {
			res.pic = got.Picture
		}
	}
	res.text = strings.Join(text, " ")
	if res.pic != nil && steps[len(steps)-1].Action != "zoom" { // points stay those of the whole picture
		h.w, h.h = res.pic.W, res.pic.H
	}
	return true
}

// tool calls a tool as a function.
func (r *run) tool(res *result, name string, args []byte) bool {
	r.hands.n++
	got, on := r.out.Call(engine.ToolCall{ID: id(res.call, r.hands.n), Name: name, Args: args})
	res.text, res.failed, res.pic = got.Text, got.Failed, got.Picture
	if got.Failed {
		res.pic = nil
	}
	return on
}

// without takes what the provider adds to a call's arguments out of them: other tools don't know it.
func without(args []byte) []byte {
	var members map[string]jsontext.Value
	if json.Unmarshal(args, &members) != nil {
		return args
	}
	if _, there := members["safety_decision"]; !there {
		return args
	}
	delete(members, "safety_decision")
	out, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return args
	}
	return out
}

package openai

import (
	"errors"
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// notTried is the answer to a computer call after one that failed in the same answer of the model: it was decided
// without seeing that.
const notTried = "Not done, since the step before it failed."

// answering is the work on one answer of the model.
type answering struct {
	r      *run
	round  round
	last   int  // the place of the last computer call in the answer
	failed bool // one of its computer calls failed
	// told is what came of the calls of OpenAI's computer tool, in Conch's own words: a note of the developer's may hold
	// nothing that stood on the screen, since the model obeys it.
	told     []string
	answered map[string]bool // functions' calls
	// blind says that a call of OpenAI's computer tool can't be answered, since there is no picture.
	blind bool
}

// answer does what the model called for. It is false when the turn ends here.
func (r *run) answer(got *reply) (more bool, err error) {
	a := &answering{r: r, last: -1, answered: map[string]bool{}}
	calls := 0
	for i, it := range got.items {
		if it.Type == "computer_call" || it.Type == "function_call" && toolOf(it.Name) == dialect.ToolName {
			a.last = i
		}
		if it.Type == "computer_call" || it.Type == "function_call" {
			calls++
		}
		if replays(it) {
			a.round.items = append(a.round.items, said(it))
		}
	}
	if calls == 0 {
		return false, nil
	}
	for i, it := range got.items {
		var err error
		switch it.Type {
		case "function_call":
			err = a.function(i, it)
		case "computer_call":
			err = a.computer(i, it)
		}
		switch {
		case errors.Is(err, errDeclined):
			return false, r.toldNo(a, got)
		case err != nil:
			return false, err
		}
	}
	r.add(a, got)
	return true, nil
}

// said is something that the model said, as it came.
func said(it responses.ResponseOutputItemUnion) item {
	out := plainItem([]byte(it.RawJSON()))
	if it.Type == "function_call" { // without its id it stands alone: nobody asks for the reasoning that came with it
		out.alone = encode(responses.ResponseInputItemParamOfFunctionCall(it.Arguments.OfString, it.CallID, it.Name))
	}
	return out
}

// add puts an answered round into the transcript.
func (r *run) add(a *answering, got *reply) {
	a.round.dropped = a.blind
	lead, lines := "This is what became of your last calls of the computer tool:", a.told
	if !a.blind {
		lead, lines = "Earlier in this turn, what became of your calls of the computer tool:", append(lines[:len(lines):len(lines)], engine.Gone)
	}
	a.round.note = message(responses.EasyInputMessageRoleDeveloper, lead+"\n"+strings.Join(lines, "\n"))
	if text := spoken(got.items); text != "" {
		a.round.spoken = message(responses.EasyInputMessageRoleAssistant, text)
	}
	r.said.rounds = append(r.said.rounds, a.round)
}

// toldNo ends a turn after the person said no to a safety check. The call can't be answered without acknowledging the
// check, so the model is told in words, and may only speak.
func (r *run) toldNo(a *answering, got *reply) error {
	a.told = append(a.told, "- The person was asked about a safety check before it. They said no, so it was not done.")
	a.blind = true
	for _, it := range got.items {
		if it.Type == "function_call" && !a.answered[it.CallID] {
			a.round.items = append(a.round.items, r.said.answered(it.CallID, tool.Result{Failed: true, Text: notTried}))
		}
	}
	r.add(a, got)
	r.said.rounds = append(r.said.rounds, round{items: []item{plainItem(message(responses.EasyInputMessageRoleDeveloper,
		"The person said no. Don't try it another way. Say in a sentence or two what was done and what wasn't."))}})
	_, err := r.ask(true)
	return err
}

// toolOf is the tool of Conch's that a function stands for.
func toolOf(function string) string {
	if function == moreName {
		return dialect.ToolName
	}
	return function
}

// function answers the call of a function.
func (a *answering) function(at int, it responses.ResponseOutputItemUnion) error {
	onScreen := toolOf(it.Name) == dialect.ToolName
	res := tool.Result{Failed: true, Text: notTried}
	if !onScreen || !a.failed {
		var on bool
		res, on = a.call(engine.ToolCall{ID: it.CallID, Name: toolOf(it.Name), Blind: onScreen && at < a.last}, it.Arguments.OfString)
		if !on {
			return wire.ErrBroken
		}
	}
	a.failed = a.failed || onScreen && res.Failed
	a.answered[it.CallID] = true
	a.round.items = append(a.round.items, a.r.said.answered(it.CallID, res))
	return nil
}

// call asks for a tool, unless its arguments can't be read.
func (a *answering) call(c engine.ToolCall, raw string) (tool.Result, bool) {
	args, bad := wire.Args([]byte(raw))
	if bad != "" {
		return tool.Result{Failed: true, Text: bad}, true
	}
	c.Args = args
	return a.r.out.Call(c)
}

package compatible

import (
	"fmt"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// notTried is the answer to a computer call after one that failed in the same answer of the model: it was decided
// without seeing that.
const notTried = "Not done, since the step before it failed."

// Words around a picture that follows the answers.
const (
	follows = "The picture follows."
	shows   = "This is the picture of your call %d, %s."
)

// answer does what the model called for, in order, and puts it into the transcript: what the model said, an answer in
// words for each call, and then the pictures, since an answer can't have one.
func (r *run) answer(got *reply) error {
	said := message{Role: "assistant", ReasoningContent: got.reasoning, ReasoningDetails: got.details}
	if got.text != "" {
		said.Content = got.text
	}
	last := -1
	for i, c := range got.calls {
		said.ToolCalls = append(said.ToolCalls, toolCall{
			ID: c.id, Type: "function", Function: calledFunction{Name: c.sentName(), Arguments: c.arguments()}, Extra: c.extra,
		})
		if c.name == dialect.ToolName {
			last = i
		}
	}
	now := round{messages: [][]byte{encode(said)}}
	failed := false
	for i, c := range got.calls {
		onScreen := c.name == dialect.ToolName
		res := tool.Result{Failed: true, Text: notTried}
		if !onScreen || !failed {
			var on bool
			if res, on = r.call(c, onScreen && i < last); !on {
				return wire.ErrBroken
			}
		}
		failed = failed || onScreen && res.Failed
		words := res.Text
		switch {
		case res.Picture == nil:
		case r.said.same(res.Picture):
			words += "\n" + engine.Unchanged
		default:
			words += "\n" + follows
			now.pictures = append(now.pictures, r.said.add(res.Picture, fmt.Sprintf(shows, i+1, c.name)))
		}
		now.messages = append(now.messages, encode(message{Role: "tool", Content: words, ToolCallID: c.id}))
	}
	r.said.rounds = append(r.said.rounds, now)
	return nil
}

// call asks for a tool, unless its arguments can't be read.
func (r *run) call(c call, blind bool) (tool.Result, bool) {
	args, bad := wire.Args([]byte(c.arguments()))
	if bad != "" {
		return tool.Result{Failed: true, Text: bad}, true
	}
	// Every call passes here with its arguments whole, and r.said has the newest picture's size. Points of a model that
	// counts in cells of a grid rather than in pixels become pixels at this place and no other.
	return r.out.Call(engine.ToolCall{ID: c.id, Name: c.name, Args: args, Blind: blind})
}

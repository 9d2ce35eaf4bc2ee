package wire

import (
	"context"
	"errors"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// Out is where the events of a turn go. Once whoever ranges broke off, the context ended or an error was told,
// nothing is yielded any more. It is for one goroutine.
type Out struct {
	ctx   context.Context
	yield func(engine.Event, error) bool
	over  bool
}

// NewOut returns the way out of one turn.
func NewOut(ctx context.Context, yield func(engine.Event, error) bool) *Out {
	return &Out{ctx: ctx, yield: yield}
}

// Event yields an event and says whether the turn goes on.
func (o *Out) Event(e engine.Event) bool {
	if o.over || o.ctx.Err() != nil {
		return false
	}
	if !o.yield(e, nil) {
		o.over = true
	}
	return !o.over && o.ctx.Err() == nil
}

// Text yields a piece of the answer; an empty one is none.
func (o *Out) Text(piece string) bool { return piece == "" || o.Event(engine.Text{Piece: piece}) }

// Call asks for a tool and returns its answer. It is false when the turn is over; then the answer goes nowhere.
func (o *Out) Call(c engine.ToolCall) (tool.Result, bool) {
	res, answered := tool.Result{Failed: true, Text: "It was not done."}, false
	c.Answer = func(r tool.Result) {
		if !answered {
			res, answered = r, true
		}
	}
	on := o.Event(c)
	return res, on
}

// Confirm puts a question of the provider's and returns the answer. Silence is no.
func (o *Out) Confirm(title, why string) (yes, on bool) {
	answered := false
	on = o.Event(engine.Confirm{Title: title, Why: why, Answer: func(y bool) {
		if !answered {
			yes, answered = y, true
		}
	}})
	return yes && on, on
}

// End tells how the turn ended: nothing for nil and ErrBroken, and the cause where the context has ended.
func (o *Out) End(err error) {
	if o.over {
		return
	}
	if o.ctx.Err() != nil {
		err = context.Cause(o.ctx)
	}
	o.over = true
	if err != nil && !errors.Is(err, ErrBroken) {
		o.yield(nil, err)
	}
}

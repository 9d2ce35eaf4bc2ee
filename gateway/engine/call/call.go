// Package call is the engine of a paired app's turn: nobody thinks, since the app has chosen the tool already. It
// makes that one call as any engine would, so that all a chat is held to holds for it, and keeps the answer.
package call

import (
	"context"
	"iter"
	"sync"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// Engine makes one call, in one turn. Make it with New.
type Engine struct {
	name string
	args []byte

	mu     sync.Mutex
	result *tool.Result
}

// New returns an engine that calls a tool with arguments as the app wrote them.
func New(name string, args []byte) *Engine { return &Engine{name: name, args: args} }

// ID names the engine.
func (*Engine) ID() string { return "call" }

// Turn makes the call.
func (e *Engine) Turn(context.Context, engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		yield(engine.ToolCall{ID: "call", Name: e.name, Args: e.args, Answer: e.answer}, nil)
	}
}

func (e *Engine) answer(r tool.Result) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.result = &r
}

// Result is what the call answered; false when it was never made.
func (e *Engine) Result() (tool.Result, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.result == nil {
		return tool.Result{}, false
	}
	return *e.result, true
}

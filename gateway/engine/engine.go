// Package engine says what thinks for a turn. An engine turns a transcript and a list of tools into a
// stream of events. It knows its own wire format and nothing of policy, chats or pages.
package engine

import (
	"context"
	"iter"

	"conch/gateway/tool"
)

// Role says who wrote a message.
type Role int

// The roles.
const (
	Person Role = iota + 1
	Assistant
)

// Message is one message of a transcript.
type Message struct {
	Role Role
	Text string
}

// Turn is what an engine is asked to do: answer the last message.
type Turn struct {
	Chat     string
	Messages []Message // oldest first; the last is the person's
	Tools    []tool.Tool
	Notes    []string // what Conch itself tells the engine for this turn, such as why a tool isn't offered
}

// Engine is one kind of thinker. Ranging over Turn runs it; breaking off or ending ctx stops it at once.
// After an error nothing more comes.
type Engine interface {
	ID() string
	Turn(context.Context, Turn) iter.Seq2[Event, error]
}

// Problem is an error of a turn that was written for a person: what happened, and what to do next. The text
// of any other error is told to nobody, since it may hold a key or what was asked.
type Problem struct {
	Say  string
	Next string
	Err  error // for whoever unwraps it; its text is told to nobody
}

func (p *Problem) Error() string {
	if p.Next == "" {
		return p.Say
	}
	return p.Say + " " + p.Next
}

func (p *Problem) Unwrap() error { return p.Err }

// Event is one thing that happens in a turn.
//
//sumtype:decl
type Event interface{ isEvent() }

// Text is a piece of the answer, to be shown as it comes.
type Text struct{ Piece string }

// Thinking is a piece of what the engine thinks aloud.
type Thinking struct{ Piece string }

// ToolCall asks for a tool. Whoever ranges calls Answer exactly once before it goes on.
type ToolCall struct {
	ID     string
	Name   string
	Args   []byte
	Answer func(tool.Result)
}

// Usage says what the turn has cost so far.
type Usage struct{ In, Out int }

func (Text) isEvent()     {}
func (Thinking) isEvent() {}
func (ToolCall) isEvent() {}
func (Usage) isEvent()    {}

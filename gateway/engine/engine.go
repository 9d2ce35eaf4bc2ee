// Package engine says what thinks for a turn. An engine turns a transcript and a list of tools into a
// stream of events. It knows its own wire format and nothing of policy, chats or pages.
package engine

import (
	"context"
	"iter"
	"strings"

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
	// Picture is what a message of the person's is about; nil for most. Only a model that sees is given one.
	Picture *tool.Picture
}

// Turn is what an engine is asked to do: answer the last message.
type Turn struct {
	Chat     string
	Model    Model     // which of the place's models answers; the zero value where there are none
	System   string    // who the assistant is and how it works, the same for every engine
	Messages []Message // oldest first; the last is the person's
	Tools    []tool.Tool
	Notes    []string // what Conch itself tells the engine for this turn, such as why a tool isn't offered
}

// Prompt is all that the engine is told before the messages: the system text, then the notes.
func (t Turn) Prompt() string {
	return strings.Join(append([]string{t.System}, t.Notes...), "\n\n")
}

// Engine is one kind of thinker. Ranging over Turn runs it; breaking off or ending ctx stops it at once, and no
// request or tool call is begun after that. After an error nothing more comes.
type Engine interface {
	ID() string
	Turn(context.Context, Turn) iter.Seq2[Event, error]
}

// Place is an engine that has models: an account with a provider, or a server of the person's own.
type Place interface {
	Engine
	// Models asks the place which models there are, and by that whether it can be used at all. A *Problem says
	// what is wrong: a key that isn't taken, a server that doesn't answer.
	Models(context.Context) ([]Model, error)
}

// Problem is an error of a turn that was written for a person: what happened, and what to do next. The text
// of any other error is told to nobody, since it may hold a key or what was asked.
type Problem struct {
	Kind ProblemKind
	Say  string
	Next string
	Err  error // for whoever unwraps it; its text is told to nobody
}

// ProblemKind sorts problems by what helps. The zero value is any other.
type ProblemKind int

// The kinds of problems.
const (
	Other       ProblemKind = iota
	BadKey                  // the key isn't taken: another key helps
	NoCredit                // the account is empty
	Busy                    // too many requests, or the provider is overloaded: waiting helps
	Unreachable             // nothing answers at the address
	NoModel                 // the place has no such model
	TooLong                 // the transcript doesn't fit the model
	Declined                // the model refuses to answer that
	Blind                   // the model turned out not to take pictures
	Limit                   // the person's own limit on what a turn or a day may cost
)

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
	// Blind says that the picture of this step isn't looked at: another step follows in the same batch.
	Blind bool
}

// Confirm is a question that the provider puts to the person before its model goes on, such as a safety check of
// a native computer tool. Whoever ranges calls Answer exactly once before it goes on; false is no.
type Confirm struct {
	Title  string // "Go on with this?"
	Why    string // the provider's own words, cleaned
	Answer func(bool)
}

// Doing says what the engine waits for, in a few words for a person ("Waiting for Anthropic, which is busy").
// The empty sentence says that it goes on.
type Doing struct{ Say string }

// Usage is what one request to the provider took, in tokens. In counts those read from and written to the
// provider's cache too.
type Usage struct {
	In, Out              int
	CacheRead, CacheMade int
	By                   Model // who took it, where that isn't the turn's own model
}

func (Text) isEvent()     {}
func (Thinking) isEvent() {}
func (ToolCall) isEvent() {}
func (Confirm) isEvent()  {}
func (Doing) isEvent()    {}
func (Usage) isEvent()    {}

// Package chat keeps chats and runs their turns.
//
// A chat is a conversation; a turn is one message and all that the assistant does because of it. Everything
// that happened is an event in one append-only log (SQLite), which is what pages show, what a reader who lost
// the line catches up from, and what says after a restart what a chat has read. Nothing of the screen is ever
// in it: no picture, no title, no typed text beyond what the person wrote themselves and what the assistant
// said. The package decides nothing about what may be done, and knows no page and no engine by name.
package chat

import (
	"errors"
	"time"
)

// Mode is a rung of the ladder of what goes ahead without asking.
type Mode string

// The modes. Anything else counts as Ask.
const (
	Plan  Mode = "plan"
	Ask   Mode = "ask"
	Auto  Mode = "auto"
	Trust Mode = "trust"
)

// ParseMode reads a mode as a page sends it.
func ParseMode(s string) (Mode, bool) {
	switch m := Mode(s); m {
	case Plan, Ask, Auto, Trust:
		return m, true
	}
	return Ask, false
}

// Chat is one conversation.
type Chat struct {
	ID      string
	Title   string // from the first message
	Created time.Time
	Updated time.Time
	Mode    Mode
	Origin  Origin
	Client  string // the paired app whose log it is; empty: a person's
	Model   string // what answers, as the settings name it; empty: what they say
}

// Origin is who began a chat. What isn't known gets nothing.
type Origin string

// The origins.
const (
	ByPerson  Origin = "person"
	ByClient  Origin = "client"  // a paired app
	ByRoutine Origin = "routine" // a time of the day
	ByTask    Origin = "task"    // another turn, in the background
	ByChatApp Origin = "chatapp" // somebody in another chat app
)

// Kind says what an event is about.
type Kind string

// The kinds of events, with the fields that each fills beside Seq, Chat, Turn and At.
const (
	KindSaid     Kind = "said"     // the person's message: ID, Text
	KindText     Kind = "text"     // a block of the answer: ID, Text
	KindStep     Kind = "step"     // a tool step began or went on: ID, Tool, Text
	KindStepDone Kind = "stepdone" // it is over: ID, Tool, Act, App, Text, More, Rule, State
	KindAsked    Kind = "asked"    // a question: ID, Text, More (why), App, Always
	KindAnswered Kind = "answered" // its answer: ID, Text, App, State (once, always, no, or why there was none), More when it couldn't be kept
	KindTaint    Kind = "taint"    // the chat read something from outside: Text is the source
	KindSkill    Kind = "skill"    // the chat loaded a skill, which holds it to a list: Text is its name, More the tools
	KindNote     Kind = "note"     // a line of Conch's own: ID, Text, More
	KindEnded    Kind = "ended"    // the turn is over: State (done, stopped, failed, cut), Text, More, Rule (RuleModels)
	KindMode     Kind = "mode"     // the person picked a mode: State
)

// The states of a step that is over.
const (
	StateDone    = "done"
	StateRefused = "refused" // nothing happened
	StateFailed  = "failed"  // it may have happened
	StateStopped = "stopped"
	StateCut     = "cut" // Conch itself ended in the middle of it
)

// Why a question has no answer, which counts as no.
const (
	AnswerExpired = "expired" // nobody answered in time, or before Conch ended
	AnswerStopped = "stopped" // the person pressed Stop first
	AnswerEnded   = "ended"   // its turn ended for another reason
)

// Event is one thing that happened in a chat. Its JSON form is also what a program reads.
type Event struct {
	Seq    uint64    `json:"seq,omitzero"` // grows over all chats
	Chat   string    `json:"chat,omitempty"`
	Turn   string    `json:"turn,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Kind   Kind      `json:"kind,omitempty"`
	ID     string    `json:"id,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	Act    string    `json:"act,omitempty"` // what kind of step it was: "left_click"
	Text   string    `json:"text,omitempty"`
	More   string    `json:"more,omitempty"`
	App    string    `json:"app,omitempty"`
	Rule   string    `json:"rule,omitempty"`
	State  string    `json:"state,omitempty"`
	Always bool      `json:"always,omitzero"`
}

// RuleModels is the rule of a turn that failed for something that is put right where the models are set up.
const RuleModels = "models"

// LiveText is the block of an answer that is being written: all of it so far. It isn't logged.
type LiveText struct {
	Turn, ID string
	Text     string
	Doing    bool // Text is what the engine waits for instead, in a few words; empty: it goes on
}

var (
	// ErrStopped is the cause of a turn that a person stopped.
	ErrStopped = errors.New("you stopped this")
	// ErrClosing is the cause of a turn that ended because Conch is closing.
	ErrClosing = errors.New("closing: no turn goes on")
	// ErrHungUp is the cause of a turn whose paired app went away.
	ErrHungUp = errors.New("the app hung up")
	// ErrReadOnly says that a chat is the log of a paired app, which nobody writes in.
	ErrReadOnly = errors.New("this is the log of an app, so nobody writes in it")
	// ErrNoChat says that there is no such chat.
	ErrNoChat = errors.New("there is no such chat")
)

// BusyError says that the chat's last message is still being worked on.
type BusyError struct{ Chat, Turn string }

func (e *BusyError) Error() string { return "this chat is still working on your last message" }

// TextError says why a message can't be taken.
type TextError struct{ Say string }

func (e *TextError) Error() string { return e.Say }

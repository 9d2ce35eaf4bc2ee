// Package memory keeps short facts about the person: in the one database, searched by full text.
//
// What anybody but the person suggests waits until the person says yes. Only what was kept is ever in the
// index that searches read, so nothing that waits can be found, whatever is searched for. What was forgotten
// can be brought back for a while and is then overwritten on the disk. The package reads no page, asks no
// model, and decides nothing about who may search or suggest.
package memory

import "time"

// Limits. They are told to models in the tools' words.
const (
	TextMax    = 300    // characters of a fact
	KeptMax    = 10_000 // facts that are kept
	WaitingMax = 200    // suggestions that wait, of everybody together
	// A chat or an app may suggest so many in an hour. Those that are known already count too: what is
	// answered must not tell an app that may only suggest what Conch knows.
	SuggestMax = 20
	// UndoFor is how long what was forgotten or refused can be brought back.
	UndoFor = 24 * time.Hour
)

// State says where a fact stands. There is no fact without one.
type State string

// The states.
const (
	Kept      State = "kept"
	Waiting   State = "waiting"   // suggested; the person hasn't looked yet
	Forgotten State = "forgotten" // or refused; kept back for UndoFor
)

// Kind says who a fact came from.
type Kind string

// The kinds of sources.
const (
	FromPerson Kind = "person"
	FromChat   Kind = "chat"
	FromApp    Kind = "app" // a program that the person paired
)

// Source is who a fact came from.
type Source struct {
	Kind Kind
	ID   string // the chat's or app's
	Name string // as it was called then
	// Read is what a chat had read from outside when it suggested this; empty when nothing.
	Read string
}

// Fact is one thing about the person.
type Fact struct {
	ID      string
	Text    string
	State   State
	Was     State // of a forgotten one: what it was before
	Source  Source
	Made    time.Time
	Changed time.Time // kept, edited or forgotten then
}

// Code names a kind of refusal for a program.
type Code string

// The codes.
const (
	Invalid  Code = "invalid" // the words can't be kept
	NotFound Code = "not-found"
	Known    Code = "known" // the same is kept already
	Full     Code = "full"
)

// Refusal says in words for a person why something wasn't done.
type Refusal struct {
	Code      Code
	Say, Next string
}

func (r *Refusal) Error() string { return r.Say + " " + r.Next }

var gone = &Refusal{NotFound, "That isn't here any more.", "Load the page again to see what is."}

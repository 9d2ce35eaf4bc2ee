package web

import (
	"strconv"
	"time"
)

// PathMemory is the page of what Conch knows.
const PathMemory = "/memory"

// Memory is What Conch knows: facts about the person, and what waits for them.
type Memory struct {
	Frame
	Query     string // what is looked for; empty: nothing
	Waiting   MemoryWaiting
	Facts     MemoryFacts
	Forgotten MemoryForgotten
}

// FactFrom says who a fact is from.
type FactFrom string

// Whom facts are from. The zero value is shown as somebody.
const (
	FromYou  FactFrom = "you"
	FromChat FactFrom = "chat"
	FromApp  FactFrom = "app"
)

// FactSource is who a fact is from.
type FactSource struct {
	Kind FactFrom
	Name string // the chat's title or the app's name, as it was then
	Chat string // the chat's id; empty: it is gone
}

// WaitingFact is a suggestion, "fact-<id>".
type WaitingFact struct {
	ID, Text string
	From     FactSource
	Read     string   // what the chat had read from outside by then; empty: nothing
	Flags    []string // what to notice before keeping it, a sentence each
	At       time.Time
}

// MemoryWaiting is what waits for the person, "memory-waiting"; without any it is hidden.
type MemoryWaiting struct{ Facts []WaitingFact }

// KnownFact is a fact that is kept, "fact-<id>".
type KnownFact struct {
	ID, Text string
	From     FactSource
	Since    time.Time
}

// MemoryFacts is what is kept, newest first, "memory-facts"; of a search, best first, "memory-found". The two have
// different ids, so that what is pushed to every page doesn't end a search.
type MemoryFacts struct {
	Query string
	Facts []KnownFact
	Total int // of all that is kept
}

// ForgottenFact is one that can be brought back, "fact-<id>".
type ForgottenFact struct {
	ID, Text string
	Refused  bool // it was a suggestion that the person said no to
	Until    time.Time
}

// MemoryForgotten is what can be brought back, "memory-forgotten"; without any it is hidden.
type MemoryForgotten struct{ Facts []ForgottenFact }

// MemoryRow is the row in Settings.
type MemoryRow struct{ Kept, Waiting int }

func (Memory) page() string          { return "memory" }
func (Memory) title() string         { return "What Conch knows" }
func (m Memory) frame() Frame        { return m.Frame }
func (MemoryWaiting) part() string   { return "memory-waiting" }
func (MemoryFacts) part() string     { return "memory-facts" }
func (MemoryForgotten) part() string { return "memory-forgotten" }

// ElementID is the id of the element that the part renders to.
func (MemoryWaiting) ElementID() string { return "memory-waiting" }

// ElementID is the id of the element that the part renders to.
func (m MemoryFacts) ElementID() string {
	if m.Query != "" {
		return "memory-found"
	}
	return "memory-facts"
}

// ElementID is the id of the element that the part renders to.
func (MemoryForgotten) ElementID() string { return "memory-forgotten" }

// More says that there is more than is shown.
func (m MemoryFacts) More() bool { return m.Query == "" && m.Total > len(m.Facts) }

// Words is what the row in Settings says at its right.
func (r MemoryRow) Words() string {
	switch {
	case r.Waiting == 1:
		return "1 waits for you"
	case r.Waiting > 1:
		return strconv.Itoa(r.Waiting) + " wait for you"
	case r.Kept == 0:
		return "Nothing yet"
	}
	return count(r.Kept, "fact")
}

// Assistant is the rows of Settings about what the assistant goes by.
type Assistant struct {
	Models ModelsRow
	Memory MemoryRow
	Skills SkillsRow
}

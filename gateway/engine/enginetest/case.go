// Package enginetest is what every engine must hold, whatever it speaks: one suite that plays a provider's answers to
// an engine byte by byte, and scripted models that strict servers of each protocol answer with. It is for tests; it
// knows no provider's format, which each engine's Case brings.
package enginetest

import (
	"net/http"
	"testing"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// Case is one dialect of one engine, for Run.
type Case struct {
	// New makes the engine that talks to the address in s. Everything that it needs of the world is in s.
	New   func(t *testing.T, s Setup) engine.Engine
	Model engine.Model // that the turns ask for; it takes pictures and tools

	// Encode is an answer as the provider sends it: frames that, one after the other, are the body. Between two
	// frames other frames may come (Unknown, Broken); the last one says that the answer is over and has nothing else
	// in it. Calls of the computer tool come in Conch's words; a native dialect says them in its own.
	Encode func(Answer) [][]byte
	Type   string // the body's Content-Type
	// Read says what a request of the engine holds. It fails where the provider would refuse the request, for a reason
	// that a single request shows.
	Read func(body []byte) (Seen, error)
	// Asks says whether a request is for an answer, as opposed to such as a list of models, which Other answers. Nil:
	// every POST is.
	Asks  func(*http.Request) bool
	Other http.HandlerFunc

	// Faults are refused requests as the provider writes them, at least for BadKey, NoModel, TooLong and Busy. What a
	// provider may repeat of a request, such as a key, stands in them as %s.
	Faults map[engine.ProblemKind]Fault
	// Unknown is a frame of a kind that nobody knows, Broken one that says in the middle of an answer that the provider
	// is overloaded. Nil where the protocol has no place for such.
	Unknown, Broken []byte
	// Stops says that the calls of one answer are a batch: after one that failed the others aren't done.
	Stops bool
	// Joined says that the computer calls of one answer are one call with one result, whose picture is that of the last.
	Joined bool
	// Whole says that arguments arrive as JSON values, so that they can't be malformed text.
	Whole bool
	// NoThinking says that the dialect doesn't tell what the model thinks.
	NoThinking bool
	// NoRefusal says that a model has no way to decline but words, as one that runs on the person's own computer.
	NoRefusal bool
	// Pictured says that the result of a computer call always has a picture, so that it can't be told in words that it
	// is the same as before.
	Pictured bool
}

// Setup is what an engine under test is made of.
type Setup struct {
	Base  string // of a server on this computer
	Key   wire.Secret
	HTTP  http.RoundTripper
	Retry wire.Retry // waits no real time
}

// Fault is a refused request.
type Fault struct {
	Status int
	Body   string
}

// Answer is what a model answers to one request, in no provider's words.
type Answer struct {
	Thinking string
	Text     string
	Calls    []Call
	Usage    engine.Usage // In counts cached ones too, as in engine.Usage
	Refused  bool         // the model declines to answer
	Full     bool         // it wrote as much as it may
}

// Call is a tool call of a model. Those of the tool "computer" are in the words of gateway/computer/schema.json.
type Call struct {
	ID, Name string
	Args     string // JSON, or not, where a model made a mistake
}

// Seen is what a request says to the model.
type Seen struct {
	System string
	Tools  []string // by name; a native computer tool is "computer"
	Said   string   // the person's last message
	Shown  []byte   // the picture that came with it; nil without one
	// Results are the answers to the calls of this turn, oldest first. The last Newest of them answer the calls of the
	// model's last answer. In a Joined dialect a batch has one.
	Results []Result
	Newest  int
}

// Result is the answer to a call.
type Result struct {
	Text    string
	Failed  bool   // where the protocol can say so
	Picture []byte // decoded; nil without one
}

// Pictures is how many pictures there are.
func (s Seen) Pictures() int {
	n := 0
	for _, r := range s.Results {
		if r.Picture != nil {
			n++
		}
	}
	return n
}

// Package tool says what a tool is: a value with a name, a schema and a function. Engines, chats and the
// door offer and call tools from one list. It decides nothing: whether a call goes ahead is decided inside
// the tool's own run, below every engine.
package tool

import "context"

// Effect is what a call of a tool does at most.
type Effect int

// The effects, each worse than the one before it but for the zero value, which counts as the worst.
const (
	EffectUnknown Effect = iota
	Reads                // changes nothing, and lets nothing out
	Changes              // changes something on this computer
	Sends                // lets something out, or changes something elsewhere
)

// Tool is something a turn can do.
type Tool struct {
	Name   string // [a-z0-9_]{1,40}
	Title  string // for a person
	About  string // for the model
	Schema []byte // JSON Schema of its arguments, draft 2020-12
	Effect Effect
	// Outside is the source that a call's answer comes from, where that is somebody else's words ("news.example");
	// the chat has read it from then on. Empty where Conch itself answers.
	Outside string
	// Steps says that the tool passes the guard by itself, before each thing that it does: what it touches is known
	// only then. Whoever runs it judges no more than whether it may be called at all.
	Steps bool
	// Scope is what a paired app must have been given to use it; empty: no app ever does.
	Scope string
	// Direct says that a paired app's call needs no turn of its own: it only reads what is the person's, or suggests
	// what waits for their OK, so there is nothing to ask and nothing to stop.
	Direct bool
	// Asks is what a person is asked before a call ("Save this to your notes?"); nil asks by the title.
	Asks func(args []byte) string
	// OnGrid is what a model that names points by cells of a grid is told in place of About and Schema; nil: the tool
	// has no points.
	OnGrid *Words
	Run    func(context.Context, Call) Result
}

// Words are what a model is told of a tool.
type Words struct {
	About  string
	Schema []byte
}

// For is the tool as a model is told of it; onGrid says that the model names points by cells of a grid.
func (t Tool) For(onGrid bool) Tool {
	if onGrid && t.OnGrid != nil {
		t.About, t.Schema = t.OnGrid.About, t.OnGrid.Schema
	}
	return t
}

// Call is one use of a tool.
type Call struct {
	Chat string // the chat's id
	Turn string // the turn's id
	// Client is the paired app that calls without a turn, for a person; empty in a turn.
	Client string
	Args   []byte // JSON as the model wrote it; the tool parses it once
	// Step is told what the tool is doing, in a few words for a person ("Clicking in Mousepad"); may be nil.
	Step func(string)
	// Picture bounds the picture of the answer; the zero value leaves it to the tool.
	Picture Limits
	// Blind says that nobody looks at a picture of this step, so that none has to be made.
	Blind bool
	// OnGrid says that points are named by cells of a grid over the picture (Grid), in the arguments and in the answer's
	// text and data.
	OnGrid bool
}

// Limits are the largest picture that can be taken. A zero field sets no bound of its own.
type Limits struct {
	Edge int // pixels of the longer side
	Area int // pixels in all
	// Tiles of Tile by Tile pixels, each begun one counted, are how some models measure a picture.
	Tile, Tiles int
}

// Result is what a call gives back: always a sentence, at most one picture. A failed one has no picture,
// since some engines refuse a picture in an error.
type Result struct {
	Text    string
	Picture *Picture
	Data    []byte // the same for a program, as JSON; nil where the sentence says it all
	Failed  bool
	Refused bool   // failed, and it is known that nothing was done: by a rule, or by the person's answer
	Rule    string // the rule that decided, for Activity; may be empty
	Kind    string // what kind of step it was, in the tool's own words ("left_click"); may be empty
	// Did is what was done, as the chat's log keeps it ("Clicked in Mousepad"): nothing of the screen is in it.
	// Empty keeps what the tool said last through Call.Step.
	Did string
	// Told is what the person reads of a step that failed, where Text is said to the model; empty is Text itself.
	Told string
	// App is the app that was used, or was to be, by its name; empty where there is none.
	App string
}

// Person is what the person reads of a step that failed.
func (r Result) Person() string {
	if r.Told != "" {
		return r.Told
	}
	return r.Text
}

// Picture is an encoded picture.
type Picture struct {
	MIME string // image/png or image/jpeg
	Data []byte
	W, H int
	// Same says that it shows just what the picture before it in this turn showed.
	Same bool
}

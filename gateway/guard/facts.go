package guard

import "conch/gateway/computer/policy"

// Surface is where a wish comes from. The zero value gets nothing.
type Surface int

// The surfaces.
const (
	SurfaceUnknown Surface = iota
	InChat                 // an engine, in a turn of a chat
	Door                   // a paired app, through the door
	Page                   // a page of Conch's own, with the person in front of it
	Program                // a program of the person's own, with the key of this computer
)

// Origin is who began a turn. The zero value may do nothing.
type Origin int

// The origins.
const (
	OriginUnknown Origin = iota
	Person               // a person, in Conch
	Client               // a paired app
	Routine              // a time of the day
	Task                 // another turn, in the background
	ChatApp              // somebody in another chat app
)

// Mode is how much a chat may do without asking. The zero value may do nothing.
type Mode int

// The modes, from the most careful.
const (
	ModeUnknown Mode = iota
	Plan
	AskFirst
	Auto
	FullTrust
)

// Kind is what is wished for. The zero value is something that nobody knows.
type Kind int

// The kinds. The first four are a turn's, the others are a person's own.
const (
	KindUnknown Kind = iota
	Reads            // changes nothing and lets nothing out; what it only suggests waits for the person
	Changes          // changes something on this computer
	Sends            // lets something out, or changes something elsewhere
	Computer         // one step of the computer tool; Facts.Step says which
	Narrows          // takes power away: turns off, removes, stops
	Widens           // gives power: lets apps be used at all
	Grants           // gives power for good, without a question each time: Full trust, Always, pairing, an address
)

// AppPolicy is what the person chose for an app that they connected, or for one of its tools.
type AppPolicy int

// The policies. The zero value leaves it to the chat's mode.
const (
	ByMode AppPolicy = iota
	AskEach
	AskChanges
	DontAsk
	TurnedOff
)

// Turn is what is known of the chat and the turn that wish for something. Zero values are the careful ones.
type Turn struct {
	Surface  Surface
	Origin   Origin
	Mode     Mode
	Attended bool // somebody is there who can press Stop

	ReadScreen  bool   // the chat has seen the screen
	ReadOutside bool   // the chat has read something from outside besides the screen
	Source      string // what it read last from there, for a person: "news.example"; may be empty
	Skill       string // the skill that holds the chat to its list; empty: none
	Listed      bool   // it lists the tool that is wished for
}

// Facts are what is known right before something is done. Every field's zero value is the careful one.
type Facts struct {
	Turn
	Kind Kind
	On   bool   // the person has turned on what this is part of
	Name string // what a person calls the tool, the app or the change

	Protected bool      // it would reach what Conch keeps for itself
	Policy    AppPolicy // the person's own choice for this app or tool
	Serious   bool      // it says of itself that it destroys or can't be undone
	Yes       bool      // the person said yes to this very call

	// Of a page or a program:
	Here      bool // it is on this computer, proven
	Confirms  bool // the person wants to confirm that it's them
	Confirmed bool // and did so in the last ten minutes

	Step // of the computer tool
}

// Touch is one thing that a step would touch: a window, the bare desktop, or an app about to be opened.
type Touch struct {
	Kept policy.Kept // the zero value when it isn't kept away
}

// Stakes is a control that does what can't be taken back, by its accessible name. The zero value is none.
type Stakes struct {
	Kind    string // sending, paying, ordering, deleting, publishing, signing, granting
	Control string // the control's own words, cleaned
}

// Step are the facts of one step of the computer tool.
type Step struct {
	Action policy.Action

	Holds  bool   // this chat holds the computer
	HeldBy string // who does otherwise, for a person: "“Plan a trip”"; empty: another chat
	Used   int    // steps of this turn before this one, refusals counted
	Limit  int    // the most steps of a turn

	Refused policy.Refusal // the first of the step's keys that is never pressed; the zero value when there is none

	Aims  bool // the step has a point of a picture
	Seen  bool // this chat has a picture in this turn or an earlier one
	Fresh bool // and the display is still as it was then

	Touches []Touch // all that the step would touch, nearest first
	AppName string  // whose app it is, for a person
	Secure  bool    // keys would go into a password field

	YesHere  bool // the person said yes to this app in this chat
	YesSince bool // and has done so since the chat read something besides the screen
	Always   bool // the person always allows this app

	Stakes    Stakes // what the step would press, where that can't be taken back
	YesStakes bool   // the person said yes to just that, for this step
}

// Do is what to do.
type Do int

// What to do. The zero value refuses, so a forgotten case is a refusal.
const (
	Refuse Do = iota
	Ask
	Allow
)

func (d Do) String() string {
	switch d {
	case Ask:
		return "ask"
	case Allow:
		return "allow"
	default:
		return "refuse"
	}
}

// Verdict is the answer, the rule that gave it, and what is said about it.
type Verdict struct {
	Do   Do
	Rule string
	Say  string
}

// Package web renders Conch's pages and their live parts, and serves their styles and scripts.
//
// Every page is a value of a type in this file, given to Renderer.Page; every live part is a value given to
// Renderer.Part, rendered by the same templates, and sent over the socket as an Update. The package never
// reads a request, never decides who may see what, keeps no state, and starts no goroutine. All text is
// escaped: a view holds words, never HTML.
//
// Times are shown in the location that they carry, so give local ones.
package web

import "time"

// PageView is a whole page: Home, Chat, Settings, ComputerSettings, Activity, Here, Refused, NotFound, Broken.
type PageView interface {
	page() string  // the template's name
	title() string // without "· Conch"
}

// PartView is a part of a page that can change by itself. Each has an element id, so that Replace needs none.
type PartView interface {
	part() string // the template's name
	// ElementID is the id of the element that it renders to.
	ElementID() string
}

// Frame is around every page that a person with proof sees.
type Frame struct {
	Rail    RailChats
	Needs   NeedsOK
	Palette Palette
	After   uint64 // the log's last event that this page already shows
}

// RailChats is the list of chats in the rail; one element, "rail-chats".
type RailChats struct {
	Days []RailDay // newest first; empty says so
}

// RailDay is the chats of one day.
type RailDay struct {
	Name  string // "Today", "Yesterday", "Friday", "3 November"
	Chats []RailChat
}

// RailChat is one chat in the rail, "rail-<id>".
type RailChat struct {
	ID      string
	Title   string // empty shows as "New chat"
	Running bool   // a turn runs
	Asking  bool   // a question waits

	current bool // it is the page's own chat
}

// Computer is what pages need to know about using apps.
type Computer struct {
	On       bool // the switch
	Screen   Screen
	Practice bool // the display is a practice desktop, so its live view is shown
}

// Screen says whether the screen can be used right now; the words come from driver.Unready.
type Screen struct {
	Ready bool
	Say   string // why not; empty when ready
	Next  string // what to do; may be empty
}

// Home is the start page: a new chat.
type Home struct {
	Frame
	Model    string // what answers, for a person; empty: no model, so plain words
	Computer Computer
	Try      []string // what a person could type first, pressed to put it in the box; nil shows the usual ones
}

// Chat is one chat.
type Chat struct {
	Frame
	ID       string
	Title    string
	Items    []PartView // Message, Steps, Question, Note, oldest first
	Asking   Asking
	Live     Live
	Composer ComposerState
	Cost     ChatCost
	Computer Computer
	Try      []string // shown while there are no items; nil shows the usual ones
}

// Who wrote a message.
type Who int

// The writers.
const (
	ByPerson Who = iota + 1
	ByConch
)

// Message is one message, "message-<id>". While it is still being written, replace it with the longer one.
type Message struct {
	ID   string
	Who  Who
	Text string // plain text; line breaks are kept
	At   time.Time
}

// Steps is all that one turn did, folded into one line once it has ended; "steps-<turn>".
type Steps struct {
	Turn    string
	Running bool
	Steps   []Step
	Took    time.Duration // of the whole turn; 0 isn't shown
}

// StepState says how a step went.
type StepState string

// The states of a step.
const (
	StepDoing   StepState = "doing"
	StepDone    StepState = "done"
	StepRefused StepState = "refused" // by a rule or by the person; nothing happened
	StepFailed  StepState = "failed"  // it may have happened
	StepStopped StepState = "stopped"
)

// Step is one step, "step-<id>".
type Step struct {
	ID    string
	Kind  string // the action: screenshot, left_click, type, key, open_app… ; picks the icon, any other word is fine
	Text  string // "Clicked Save in Mousepad"
	More  string // a second line: what was refused and why; may be empty
	State StepState
	At    time.Time
}

// NoteKind says what a Note is about.
type NoteKind string

// The kinds of notes.
const (
	NoteStopped NoteKind = "stopped"
	NoteFailed  NoteKind = "failed"
	NoteInfo    NoteKind = "info"
)

// Note is a line of Conch's own in a chat, "note-<id>": "You stopped this.", "Read what was on your screen."
type Note struct {
	ID   string
	Kind NoteKind
	Text string
	Next string // what to do; may be empty
	// Models says that it is put right in Settings → Models.
	Models bool
}

// Choice answers a question.
type Choice string

// The choices. The zero value is no answer yet.
const (
	ChoiceOnce    Choice = "once"
	ChoiceAlways  Choice = "always"
	ChoiceNo      Choice = "no"
	ChoiceExpired Choice = "expired" // nobody answered; counts as no
	ChoiceStopped Choice = "stopped" // the person pressed Stop first
	ChoiceEnded   Choice = "ended"   // its turn ended for another reason
)

// Question asks the person; the card in the stream, "question-<id>". Replace it once it is answered.
type Question struct {
	ID     string
	What   string // "Use Mousepad on your computer?"
	Why    string // "Typing “hello”. This chat hasn't used Mousepad yet."
	App    string // the app's name; may be empty
	Always bool   // Always is offered
	Choice Choice
	At     time.Time
}

// Asking is the bar above the composer, "asking": the questions of a chat without an answer. Empty hides it.
type Asking struct{ Questions []Question }

// Live is the live card, "live": the computer as it is used right now. The zero value hides it.
type Live struct {
	On    bool
	Shot  string // the id for /api/computer-use/shot/{id}; a new one for each picture; empty until there is one
	W, H  int    // the picture's size in its own pixels
	Step  string // "Typing in Mousepad"
	N     int    // this step's number
	Max   int    // steps in a turn
	Click *Click // the last click, in the picture's pixels; nil when there was none
}

// Click is where a click landed in a picture.
type Click struct{ X, Y int }

// Mode is a rung of the ladder of what goes ahead without asking.
type Mode string

// The modes.
const (
	ModePlan  Mode = "plan"
	ModeAsk   Mode = "ask"
	ModeAuto  Mode = "auto"
	ModeTrust Mode = "trust"
)

// ComposerState is what changes in the composer, "composer-state": Send or Stop, and the mode chip. The box
// with the person's words isn't part of it, so a draft is never lost.
type ComposerState struct {
	Chat    string // empty in a new chat: what is picked goes with its first message
	Running bool   // a turn runs: Send is Stop
	Mode    Mode   // the zero value shows as ModeAsk
	Model   string // what answers, for a person; empty: no model, so plain words
	// ModelOwn is the model that was chosen for this chat, as choices name it; empty: the usual one.
	ModelOwn string
}

// Settings is the page with the list of settings.
type Settings struct {
	Frame
	Computer Computer
	Confirm  Confirm
	Address  Address
	// OtherApps says that other apps can be connected.
	OtherApps bool
	Rows      Assistant // what Conch knows, and the skills
	Version   string
	Folder    string // where Conch keeps its files
}

// Confirm is the row about confirming that it's the person, "confirm-row".
type Confirm struct {
	On       bool
	Password bool   // by a Conch password; otherwise the system asks
	Set      bool   // a Conch password is set already
	Locked   string // why it can't be changed; empty when it can
}

// ComputerSettings is Settings → This computer → Use your apps.
type ComputerSettings struct {
	Frame
	Switch Switch
	Screen Screen
	Pause  Pause
	// Switches are the system's own; without rows there are none here.
	Switches Switches
	Allowed  AllowedApps
	Stop     StopKey
	// Practice says that this Conch runs on a practice desktop now.
	Practice bool
}

// Switch is the row with the switch, "computer-switch".
type Switch struct {
	On bool
	// Locked says why it can't be changed from here ("Turn it on from the computer itself."); empty when it can.
	Locked string
}

// Pause is the row with the switch for pausing when the person takes the mouse or keyboard, "pause-switch".
type Pause struct {
	Off    bool   // the person switched it off
	Locked string // why it can't be changed from here; empty when it can
}

// SwitchState says how one of the system's switches stands.
type SwitchState string

// The states of a switch of the system's.
const (
	SwitchOff     SwitchState = "off"
	SwitchOn      SwitchState = "on"
	SwitchReopen  SwitchState = "reopen"
	SwitchRefused SwitchState = "refused"
)

// Switches is what the operating system has to allow, "computer-switches". Without rows it is hidden.
type Switches struct {
	Rows   []SwitchRow
	App    string // which app the system's list names; may be empty
	Notes  []SwitchNote
	Reopen bool // Reopen Conch is offered
}

// SwitchRow is one of the system's switches.
type SwitchRow struct {
	ID     string // "see", "click"
	Name   string
	State  SwitchState
	Say    string
	Steps  []string // what to do, one thing each; may be empty
	Button string   // empty: nothing to press
}

// SwitchNote is something to know about the switches.
type SwitchNote struct {
	Say  string
	Next string // what to do; may be empty
}

// StopKey says which keys stop from anywhere.
type StopKey struct {
	Keys string // "Super+Escape", "⌘⎋"; empty when none could be had
	Say  string // why another one than usual, or why none; may be empty
	Edge bool   // the glowing edge can be drawn here
}

// AllowedApps is the list of apps that are always allowed, "allowed-apps".
type AllowedApps struct{ Apps []AllowedApp }

// AllowedApp is one app that the person answered Always for.
type AllowedApp struct {
	ID    string // the app's id
	Name  string
	Since time.Time // zero isn't shown
}

// Here is the page that redeems a one-time code from its own address's fragment (#here=<code>), then goes to
// Next, a path of ours. It needs no proof.
type Here struct{ Next string }

// Refused is the page for a browser without proof, 401. It redeems a code in the fragment as Here does, since
// a new browser meets it first.
type Refused struct{}

// NotFound is the page for an address that isn't there, 404.
type NotFound struct{ Frame }

// Broken is the page for an error that wasn't written for a person, 500: it says what still works.
type Broken struct {
	Say  string // empty says that something went wrong
	Next string // empty says to try again
}

func (Home) page() string             { return "home" }
func (Chat) page() string             { return "chat" }
func (Settings) page() string         { return "settings" }
func (ComputerSettings) page() string { return "computer" }
func (Here) page() string             { return "here" }
func (Refused) page() string          { return "refused" }
func (NotFound) page() string         { return "notfound" }
func (Broken) page() string           { return "broken" }

func (Home) title() string             { return "New chat" }
func (c Chat) title() string           { return orNewChat(c.Title) }
func (Settings) title() string         { return "Settings" }
func (ComputerSettings) title() string { return "Use your apps" }
func (Here) title() string             { return "Opening" }
func (Refused) title() string          { return "Open Conch from the menu bar" }
func (NotFound) title() string         { return "Not here" }
func (Broken) title() string           { return "Something went wrong" }

func (RailChats) part() string     { return "rail-chats" }
func (RailChat) part() string      { return "rail-chat" }
func (Message) part() string       { return "message" }
func (Steps) part() string         { return "steps" }
func (Step) part() string          { return "step" }
func (Note) part() string          { return "note" }
func (Question) part() string      { return "question" }
func (Asking) part() string        { return "asking" }
func (Live) part() string          { return "live" }
func (ComposerState) part() string { return "composer-state" }
func (Switch) part() string        { return "computer-switch" }
func (Screen) part() string        { return "screen-state" }
func (Pause) part() string         { return "pause-switch" }
func (Switches) part() string      { return "computer-switches" }
func (Confirm) part() string       { return "confirm-row" }
func (AllowedApps) part() string   { return "allowed-apps" }

// ElementID is the id of the element that the part renders to.
func (RailChats) ElementID() string     { return "rail-chats" }
func (c RailChat) ElementID() string    { return "rail-" + c.ID }
func (m Message) ElementID() string     { return "message-" + m.ID }
func (s Steps) ElementID() string       { return "steps-" + s.Turn }
func (s Step) ElementID() string        { return "step-" + s.ID }
func (n Note) ElementID() string        { return "note-" + n.ID }
func (q Question) ElementID() string    { return "question-" + q.ID }
func (Asking) ElementID() string        { return "asking" }
func (Live) ElementID() string          { return "live" }
func (ComposerState) ElementID() string { return "composer-state" }
func (Switch) ElementID() string        { return "computer-switch" }
func (Screen) ElementID() string        { return "screen-state" }
func (Pause) ElementID() string         { return "pause-switch" }
func (Switches) ElementID() string      { return "computer-switches" }
func (Confirm) ElementID() string       { return "confirm-row" }
func (AllowedApps) ElementID() string   { return "allowed-apps" }

func orNewChat(title string) string {
	if title == "" {
		return "New chat"
	}
	return title
}

package policy

// Action is one thing that the computer tool can do, by the word a model says.
type Action string

// The actions.
const (
	Screenshot     Action = "screenshot"
	LeftClick      Action = "left_click"
	RightClick     Action = "right_click"
	MiddleClick    Action = "middle_click"
	DoubleClick    Action = "double_click"
	TripleClick    Action = "triple_click"
	MouseMove      Action = "mouse_move"
	LeftClickDrag  Action = "left_click_drag"
	LeftMouseDown  Action = "left_mouse_down"
	LeftMouseUp    Action = "left_mouse_up"
	Type           Action = "type"
	Key            Action = "key"
	HoldKey        Action = "hold_key"
	Scroll         Action = "scroll"
	Wait           Action = "wait"
	Zoom           Action = "zoom"
	CursorPosition Action = "cursor_position"
	OpenApp        Action = "open_app"
	ListApps       Action = "list_apps"
	Find           Action = "find"
)

// Actions lists every action, in the order in which they are told to a model.
func Actions() []Action {
	return []Action{
		Screenshot, LeftClick, RightClick, MiddleClick, DoubleClick, TripleClick, MouseMove, LeftClickDrag, LeftMouseDown,
		LeftMouseUp, Type, Key, HoldKey, Scroll, Wait, Zoom, CursorPosition, OpenApp, ListApps, Find,
	}
}

// Reach is what an action does to the screen. The zero value is an action that nobody knows.
type Reach int

// The reaches.
const (
	ReachUnknown Reach = iota
	Looks              // changes nothing
	Points             // touches the window under a point
	Keys               // touches the window that has the keys
	Opens              // starts an app
)

// ReachOf says what an action does.
func ReachOf(a Action) Reach {
	switch a {
	case Screenshot, Wait, Zoom, CursorPosition, ListApps, Find:
		return Looks
	case LeftClick, RightClick, MiddleClick, DoubleClick, TripleClick, MouseMove, LeftClickDrag, LeftMouseDown, LeftMouseUp, Scroll:
		return Points
	case Type, Key, HoldKey:
		return Keys
	case OpenApp:
		return Opens
	}
	return ReachUnknown
}

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

// Touch is one thing that a step would touch: a window, the bare desktop, or an app about to be opened.
type Touch struct {
	Kept Kept // the zero value when it isn't kept away
}

// Facts are what is known right before a step. Every field's zero value is the careful one.
type Facts struct {
	Action Action
	Mode   Mode

	On       bool   // the person turned using apps on
	Attended bool   // somebody can press Stop
	Holds    bool   // this chat holds the computer
	HeldBy   string // who does otherwise, for a person: "“Plan a trip”"; empty: another chat
	Used     int    // steps of this turn before this one, refusals counted
	Limit    int    // the most steps of a turn

	Refused Refusal // the first of the step's keys that is never pressed; the zero value when there is none

	Aims  bool // the step has a point of a picture
	Seen  bool // this chat has a picture in this turn or an earlier one
	Fresh bool // and the display is still as it was then

	Touches []Touch // all that the step would touch, nearest first
	AppName string  // whose app it is, for a person

	YesHere     bool // the person said yes to this app in this chat
	YesSince    bool // and has done so since the chat read something besides the screen
	Always      bool // the person always allows this app
	ReadOutside bool // the chat read something besides the screen
}

// Do is what to do with a step.
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

// Judge says whether a step goes ahead. The first rule that has an answer decides.
func Judge(f Facts) Verdict {
	for _, r := range rules {
		if v, hit := r.judge(f); hit {
			v.Rule = r.name
			return v
		}
	}
	return Verdict{Rule: "no-rule", Say: "Conch has no rule that allows this."}
}

// Gate is Judge for what is known before anything is read from the screen: it refuses by the rules that need
// nothing of it, and otherwise has no answer. A step that passes is judged in full afterwards.
func Gate(f Facts) (v Verdict, refused bool) {
	for _, r := range rules {
		if r.screen {
			break
		}
		if v, hit := r.judge(f); hit {
			v.Rule = r.name
			return v, true
		}
	}
	return Verdict{}, false
}

// Rules lists the names of all rules in the order in which they are asked.
func Rules() []string {
	out := make([]string, len(rules))
	for i, r := range rules {
		out[i] = r.name
	}
	return out
}

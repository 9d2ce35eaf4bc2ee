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

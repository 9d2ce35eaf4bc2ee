package dialect

import (
	"math"
	"strings"

	"conch/driver/key"
)

// OpenAIAction is one action of OpenAI's computer tool, as its Responses API writes it. Members that an action
// doesn't have are left out there; which it must have is for the table to say.
type OpenAIAction struct {
	Type    string        `json:"type"`
	Button  string        `json:"button"`
	X       *float64      `json:"x"`
	Y       *float64      `json:"y"`
	Path    []OpenAIPoint `json:"path"`
	ScrollX float64       `json:"scroll_x"`
	ScrollY float64       `json:"scroll_y"`
	Text    string        `json:"text"`
	Keys    []string      `json:"keys"` // those to press, or those to hold meanwhile
}

// OpenAIPoint is a corner of a drag's path.
type OpenAIPoint struct {
	X *float64 `json:"x"`
	Y *float64 `json:"y"`
}

// OpenAIRow is one action of OpenAI's computer tool and what it becomes.
type OpenAIRow struct {
	Says    string   // OpenAI's word
	Becomes []string // the words of Conch's tool that it can become
	read    func(OpenAIAction) ([]Step, error)
}

// OpenAITable has a row for each action of OpenAI's computer tool.
func OpenAITable() []OpenAIRow {
	return []OpenAIRow{
		{"click", []string{"left_click", "right_click", "middle_click"}, openAIClick},
		{"double_click", []string{"double_click"}, openAIDoubleClick},
		{"drag", []string{"left_click_drag"}, openAIDrag},
		{"keypress", []string{"key"}, openAIKeys},
		{"move", []string{"mouse_move"}, openAIMove},
		{"screenshot", []string{"screenshot"}, func(OpenAIAction) ([]Step, error) { return []Step{{Action: "screenshot"}}, nil }},
		{"scroll", []string{"scroll"}, openAIScroll},
		{"type", []string{"type"}, func(a OpenAIAction) ([]Step, error) { return []Step{{Action: "type", Text: a.Text}}, nil }},
		{"wait", []string{"wait"}, func(OpenAIAction) ([]Step, error) {
			return []Step{{Action: "wait", Duration: openAIWait}}, nil
		}},
	}
}

const (
	// openAIWait is how long wait waits, in seconds: the action has no length of its own.
	openAIWait = 2
	farAway    = 1e6 // no picture is that wide; the tool refuses the point in words
	// straight is how far a corner of a drag may lie beside the line from its beginning to its end, in pixels.
	straight = 4
)

// OpenAI turns one action into steps of Conch's computer tool, in the order in which they are done. What can't be
// done so is a *Cannot.
func OpenAI(a OpenAIAction) ([]Step, error) {
	var known []string
	for _, row := range OpenAITable() {
		if row.Says == a.Type {
			steps, err := row.read(a)
			if err != nil {
				return nil, err
			}
			return steps, nil
		}
		known = append(known, row.Says)
	}
	return nil, cannot("There is no action %q here. Those that there are: %s.", short(a.Type), strings.Join(known, ", "))
}

func openAIClick(a OpenAIAction) ([]Step, error) {
	actions := map[string]string{"left": "left_click", "right": "right_click", "wheel": "middle_click"}
	action, ok := actions[a.Button]
	if !ok {
		if a.Button == "back" || a.Button == "forward" {
			return nil, cannot("The mouse has no %s button here. Press the keys of the app for going %s instead.", a.Button, a.Button)
		}
		return nil, cannot("There is no mouse button %q. Those that there are: left, right, wheel.", short(a.Button))
	}
	return openAIPointed(a, action)
}

func openAIDoubleClick(a OpenAIAction) ([]Step, error) { return openAIPointed(a, "double_click") }

// openAIPointed is an action at a point with modifiers held.
func openAIPointed(a OpenAIAction, action string) ([]Step, error) {
	at, err := openAIPoint(a.Type, a.X, a.Y)
	if err != nil {
		return nil, err
	}
	mods, err := openAIHeld(a)
	return []Step{{Action: action, Coordinate: at, Text: mods}}, err
}

func openAIMove(a OpenAIAction) ([]Step, error) {
	if len(a.Keys) > 0 {
		return nil, cannot("No key can be held while the pointer only moves. Hold it during the click or the drag instead.")
	}
	at, err := openAIPoint(a.Type, a.X, a.Y)
	return []Step{{Action: "mouse_move", Coordinate: at}}, err
}

// openAIDrag is a drag along a straight line. One that bends isn't cut short in silence: it would do something else
// than was meant.
func openAIDrag(a OpenAIAction) ([]Step, error) {
	if len(a.Path) < 2 {
		return nil, cannot("A drag needs a path of at least two points, where it begins and where it ends.")
	}
	var path [][]int
	for _, p := range a.Path {
		at, err := openAIPoint(a.Type, p.X, p.Y)
		if err != nil {
			return nil, err
		}
		path = append(path, at)
	}
	if !isStraight(path) {
		return nil, cannot("A drag goes in a straight line here, and this path bends. Drag once for each straight piece, with two points each.")
	}
	mods, err := openAIHeld(a)
	return []Step{{Action: "left_click_drag", StartCoordinate: path[0], Coordinate: path[len(path)-1], Text: mods}}, err
}

// isStraight says whether a path goes from its first to its last point without leaving the line or turning back.
func isStraight(path [][]int) bool {
	from, to := path[0], path[len(path)-1]
	dx, dy := float64(to[0]-from[0]), float64(to[1]-from[1])
	length := math.Hypot(dx, dy)
	before := 0.0
	for _, p := range path[1:] {
		px, py := float64(p[0]-from[0]), float64(p[1]-from[1])
		along, beside := 0.0, math.Hypot(px, py)
		if length > 0 {
			along, beside = (px*dx+py*dy)/length, math.Abs(px*dy-py*dx)/length
		}
		if beside > straight || along < before-straight || along > length+straight {
			return false
		}
		before = max(before, along)
	}
	return true
}

// openAIScroll counts pixels as clicks of the wheel. Down and right are more than zero. A scroll both ways is two
// steps, up or down first.
func openAIScroll(a OpenAIAction) ([]Step, error) {
	at, err := openAIPoint(a.Type, a.X, a.Y)
	if err != nil {
		return nil, err
	}
	mods, err := openAIHeld(a)
	if err != nil {
		return nil, err
	}
	var out []Step
	for _, way := range []struct {
		pixels     float64
		less, more string
	}{{a.ScrollY, "up", "down"}, {a.ScrollX, "left", "right"}} {
		if way.pixels == 0 {
			continue
		}
		direction := way.more
		if way.pixels < 0 {
			direction = way.less
		}
		out = append(out, Step{Action: "scroll", Coordinate: at, Text: mods, ScrollDirection: direction, ScrollAmount: wheel(way.pixels)})
	}
	if len(out) == 0 {
		return nil, cannot("A scroll needs scroll_x or scroll_y, in pixels.")
	}
	return out, nil
}

// openAIPoint reads a point. Whether it lies in the picture is for the tool to say.
func openAIPoint(action string, x, y *float64) ([]int, error) {
	if x == nil || y == nil {
		return nil, cannot("A %s needs a point: x and y, in pixels of the last picture.", action)
	}
	if *x < 0 || *y < 0 {
		return nil, cannot("A %s at %.0f,%.0f would be outside the picture.", action, *x, *y)
	}
	return []int{int(math.Round(min(*x, farAway))), int(math.Round(min(*y, farAway)))}, nil
}

// openAIHeld are the modifiers that are held during a click, a drag or a scroll.
func openAIHeld(a OpenAIAction) (string, error) {
	if len(a.Keys) == 0 {
		return "", nil
	}
	mods, others, err := chords(a.Keys)
	if err != nil {
		return "", err
	}
	if len(others) > 0 {
		return "", cannot("Only ctrl, shift, alt and super can be held during a %s; keys names another key.", a.Type)
	}
	return modsWord(mods), nil
}

// openAIKeys presses a combination: all modifiers are held, and the other keys are pressed one after another.
func openAIKeys(a OpenAIAction) ([]Step, error) {
	mods, others, err := chords(a.Keys)
	if err != nil {
		return nil, err
	}
	var words []string
	for _, k := range others {
		words = append(words, key.Chord{Mods: mods | k.Mods, Key: k.Key}.String())
	}
	if len(others) == 0 {
		if mods == 0 {
			return nil, cannot("A keypress needs keys.")
		}
		words = []string{modsWord(mods)}
	}
	return []Step{{Action: "key", Text: strings.Join(words, " ")}}, nil
}

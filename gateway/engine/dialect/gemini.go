package dialect

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/driver/key"
	"conch/gateway/tool"
)

// GeminiRow is one function of Gemini's computer tool and what it becomes.
type GeminiRow struct {
	Says    string   // Gemini's word
	Becomes []string // the words of Conch's tool that it can become
	Old     bool     // of the 2.5 preview, rather than of the desktop
	read    func(*GeminiHand, geminiCall) ([]Step, error)
}

// GeminiTable has a row for each function of the desktop, for those of the 2.5 preview, and for those of Conch's own
// that are offered beside them. drag_and_drop is one of both.
func GeminiTable() []GeminiRow {
	return []GeminiRow{
		{"click", []string{"left_click"}, false, geminiPointed("left_click")},
		{"double_click", []string{"double_click"}, false, geminiPointed("double_click")},
		{"triple_click", []string{"triple_click"}, false, geminiPointed("triple_click")},
		{"middle_click", []string{"middle_click"}, false, geminiPointed("middle_click")},
		{"right_click", []string{"right_click"}, false, geminiPointed("right_click")},
		{"mouse_down", []string{"left_mouse_down"}, false, geminiButton("left_mouse_down")},
		{"mouse_up", []string{"left_mouse_up"}, false, geminiButton("left_mouse_up")},
		{"move", []string{"mouse_move"}, false, geminiMove},
		{"type", []string{"type", "key"}, false, geminiType},
		{"drag_and_drop", []string{"left_click_drag"}, false, geminiDrag},
		{"wait", []string{"wait"}, false, geminiWait},
		{"press_key", []string{"key"}, false, geminiKey},
		{"key_down", []string{"hold_key"}, false, geminiDown},
		{"key_up", nil, false, geminiUp},
		{"hotkey", []string{"key"}, false, geminiKey},
		{"take_screenshot", []string{"screenshot"}, false, geminiLook},
		{"scroll", []string{"scroll"}, false, geminiScroll},

		{"open_web_browser", []string{"screenshot"}, true, geminiLook}, // how a turn of the preview begins
		{"click_at", []string{"left_click"}, true, geminiPointed("left_click")},
		{"hover_at", []string{"mouse_move"}, true, geminiMove},
		{"type_text_at", []string{"left_click", "triple_click", "key", "type"}, true, geminiTypeAt},
		{"scroll_document", []string{"scroll"}, true, geminiScroll},
		{"scroll_at", []string{"scroll"}, true, geminiScroll},
		{"wait_5_seconds", []string{"wait"}, true, func(*GeminiHand, geminiCall) ([]Step, error) {
			return []Step{{Action: "wait", Duration: 5}}, nil
		}},
		{"key_combination", []string{"key"}, true, geminiKey},
		{"go_back", nil, true, geminiBrowser},
		{"go_forward", nil, true, geminiBrowser},
		{"navigate", nil, true, geminiBrowser},
		{"search", nil, true, geminiBrowser},

		{"open_app", []string{"open_app"}, false, geminiNamed("open_app", true)},
		{"list_apps", []string{"list_apps"}, false, geminiNamed("list_apps", false)},
		{"find", []string{"find"}, false, geminiNamed("find", true)},
		{"zoom", []string{"zoom"}, false, geminiZoom},
		{"cursor_position", []string{"cursor_position"}, false, func(*GeminiHand, geminiCall) ([]Step, error) {
			return []Step{{Action: "cursor_position"}}, nil
		}},
	}
}

// GeminiBrowser are the functions of the 2.5 preview that only a browser of the provider's has.
func GeminiBrowser() []string { return []string{"go_back", "go_forward", "navigate", "search"} }

// geminiCall is a call's arguments, in both namings, and the size of the picture that its points are in.
type geminiCall struct {
	Says   string   `json:"-"`
	W      int      `json:"-"`
	H      int      `json:"-"`
	X      *float64 `json:"x"`
	Y      *float64 `json:"y"`
	StartX *float64 `json:"start_x"`
	StartY *float64 `json:"start_y"`
	EndX   *float64 `json:"end_x"`
	EndY   *float64 `json:"end_y"`
	DestX  *float64 `json:"destination_x"`
	DestY  *float64 `json:"destination_y"`

	Text    string         `json:"text"`
	Name    string         `json:"name"`
	Enter   *bool          `json:"press_enter"`
	Clear   *bool          `json:"clear_before_typing"`
	Key     string         `json:"key"`
	Keys    jsontext.Value `json:"keys"` // a list, or text in the preview
	Seconds *float64       `json:"seconds"`

	Direction string   `json:"direction"`
	Pixels    *float64 `json:"magnitude_in_pixels"`
	Wheel     *float64 `json:"magnitude_in_wheel_clicks"` // what the desktop really sends
	Magnitude *float64 `json:"magnitude"`                 // of the preview, on the grid
}

// GeminiHand turns calls of Gemini's computer tool into steps, one turn long: it knows which modifiers were put down
// to be held during what follows. Nothing is pressed by that; they go into each step's chord, so that what is judged
// and what is pressed stay one thing.
type GeminiHand struct{ held key.Mods }

// Steps turns one call into steps of Conch's computer tool, in the order in which they are done; w and h are the size
// of the last picture that the model was given, 0 before the first. There are none for a call that only changes which
// modifiers are held; then say is the answer. What can't be done is a *Cannot.
func (g *GeminiHand) Steps(name string, args []byte, w, h int) (steps []Step, say string, err error) {
	table := GeminiTable()
	i := slices.IndexFunc(table, func(r GeminiRow) bool { return r.Says == name })
	if i < 0 {
		var known []string
		for _, r := range table {
			if !r.Old {
				known = append(known, r.Says)
			}
		}
		return nil, "", cannot("There is no function %q here. Those that there are: %s.", short(name), strings.Join(known, ", "))
	}
	var c geminiCall
	if err := json.Unmarshal(args, &c); err != nil {
		return nil, "", cannot("The arguments of %s can't be read. Write each as its description says.", name)
	}
	c.Says, c.W, c.H = name, w, h
	steps, err = table[i].read(g, c)
	if err != nil {
		return nil, "", err
	}
	if len(steps) > 0 {
		return steps, "", nil
	}
	if g.held == 0 {
		return nil, "No key is held.", nil
	}
	return nil, "Held during the next clicks, drags, scrolls and keys: " + modsWord(g.held) + ".", nil
}

// IsGemini says whether a function is one of the computer tool's.
func IsGemini(name string) bool {
	return slices.ContainsFunc(GeminiTable(), func(r GeminiRow) bool { return r.Says == name })
}

// point reads a point on the grid. One outside it is refused, never moved.
func (c geminiCall) point(x, y *float64) ([]int, error) {
	if x == nil || y == nil {
		return nil, cannot("%s needs a point, each number from 0 to %d.", c.Says, tool.Grid-1)
	}
	if !(*x >= 0 && *x < tool.Grid && *y >= 0 && *y < tool.Grid) {
		return nil, cannot("Points of %s are on a grid: each number is from 0 to %d. Nothing was done.", c.Says, tool.Grid-1)
	}
	if c.W <= 0 || c.H <= 0 {
		return nil, cannot("There is no picture yet that a point could be in. Take a screenshot first.")
	}
	return []int{tool.CellPixel(int(*x), c.W), tool.CellPixel(int(*y), c.H)}, nil
}

func geminiPointed(action string) func(*GeminiHand, geminiCall) ([]Step, error) {
	return func(g *GeminiHand, c geminiCall) ([]Step, error) {
		at, err := c.point(c.X, c.Y)
		return []Step{{Action: action, Coordinate: at, Text: modsWord(g.held)}}, err
	}
}

func geminiButton(action string) func(*GeminiHand, geminiCall) ([]Step, error) {
	return func(g *GeminiHand, c geminiCall) ([]Step, error) {
		if err := g.free(c); err != nil {
			return nil, err
		}
		at, err := c.point(c.X, c.Y)
		return []Step{{Action: action, Coordinate: at}}, err
	}
}

// free refuses what can't be done while a key is held.
func (g *GeminiHand) free(c geminiCall) error {
	if g.held != 0 {
		return cannot("%s can't be done while %s is held. Call key_up first.", c.Says, modsWord(g.held))
	}
	return nil
}

func geminiMove(_ *GeminiHand, c geminiCall) ([]Step, error) {
	at, err := c.point(c.X, c.Y)
	return []Step{{Action: "mouse_move", Coordinate: at}}, err
}

func geminiDrag(g *GeminiHand, c geminiCall) ([]Step, error) {
	fromX, fromY, toX, toY := c.StartX, c.StartY, c.EndX, c.EndY
	if fromX == nil && fromY == nil {
		fromX, fromY = c.X, c.Y
	}
	if toX == nil && toY == nil {
		toX, toY = c.DestX, c.DestY
	}
	from, err := c.point(fromX, fromY)
	if err != nil {
		return nil, err
	}
	to, err := c.point(toX, toY)
	return []Step{{Action: "left_click_drag", StartCoordinate: from, Coordinate: to, Text: modsWord(g.held)}}, err
}

func geminiZoom(_ *GeminiHand, c geminiCall) ([]Step, error) {
	from, err := c.point(c.StartX, c.StartY)
	if err != nil {
		return nil, err
	}
	to, err := c.point(c.EndX, c.EndY)
	if err != nil {
		return nil, err
	}
	return []Step{{Action: "zoom", Region: append(from, to...)}}, nil
}

func geminiLook(*GeminiHand, geminiCall) ([]Step, error) { return []Step{{Action: "screenshot"}}, nil }

func geminiBrowser(_ *GeminiHand, c geminiCall) ([]Step, error) {
	return nil, cannot("There is no %s here: this is the person's own computer. Open the app that you need with open_app and use what you see.", c.Says)
}

func geminiWait(_ *GeminiHand, c geminiCall) ([]Step, error) {
	s := 1.0
	if c.Seconds != nil {
		s = *c.Seconds
	}
	if !(s > 0) {
		return nil, cannot("wait needs seconds, more than 0.")
	}
	return []Step{{Action: "wait", Duration: s}}, nil
}

func geminiNamed(action string, must bool) func(*GeminiHand, geminiCall) ([]Step, error) {
	return func(_ *GeminiHand, c geminiCall) ([]Step, error) {
		if must && c.Name == "" {
			return nil, cannot("%s needs a name.", c.Says)
		}
		return []Step{{Action: action, Text: c.Name}}, nil
	}
}

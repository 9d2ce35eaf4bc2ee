package dialect

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AnthropicRow is one member of Anthropic's computer toolset, or one action of its older computer tools, and what it
// becomes. Both say the same words.
type AnthropicRow struct {
	Says    string   // Anthropic's word
	Becomes string   // the word of Conch's tool
	Must    []string // what its input must have
	May     []string // what else it may have
	Own     bool     // a function of Conch's own that is offered beside them, since they have none for it
}

// AnthropicTable has a row for each member of computer_toolset_20260801, which are the actions of
// computer_20251124 too, and for Conch's own functions beside them.
func AnthropicTable() []AnthropicRow {
	pointed := []string{"coordinate", "text"}
	return []AnthropicRow{
		{"screenshot", "screenshot", nil, nil, false},
		{"cursor_position", "cursor_position", nil, nil, false},
		{"left_mouse_down", "left_mouse_down", nil, []string{"coordinate"}, false},
		{"left_mouse_up", "left_mouse_up", nil, []string{"coordinate"}, false},
		{"left_click", "left_click", nil, pointed, false},
		{"right_click", "right_click", nil, pointed, false},
		{"middle_click", "middle_click", nil, pointed, false},
		{"double_click", "double_click", nil, pointed, false},
		{"triple_click", "triple_click", nil, pointed, false},
		{"left_click_drag", "left_click_drag", []string{"coordinate"}, []string{"start_coordinate", "text"}, false},
		{"mouse_move", "mouse_move", []string{"coordinate"}, nil, false},
		{"scroll", "scroll", []string{"scroll_direction"}, []string{"scroll_amount", "coordinate", "text"}, false},
		{"type", "type", []string{"text"}, nil, false},
		{"key", "key", []string{"text"}, []string{"repeat"}, false},
		{"hold_key", "hold_key", []string{"text", "duration"}, nil, false},
		{"wait", "wait", []string{"duration"}, nil, false},
		{"zoom", "zoom", []string{"region"}, nil, false},

		{"open_app", "open_app", []string{"name"}, nil, true},
		{"list_apps", "list_apps", nil, []string{"name"}, true},
		{"find", "find", []string{"name"}, nil, true},
	}
}

// AnthropicTool is the name of the older computer tools, whose input says the action.
const AnthropicTool = "computer"

// anthropicInput is what a member is given. Null is absent.
type anthropicInput struct {
	Action          *string   `json:"action"` // of the older tools
	Coordinate      []float64 `json:"coordinate"`
	StartCoordinate []float64 `json:"start_coordinate"`
	Region          []float64 `json:"region"`
	Text            *string   `json:"text"`
	ScrollDirection *string   `json:"scroll_direction"`
	ScrollAmount    *float64  `json:"scroll_amount"`
	Duration        *float64  `json:"duration"`
	Repeat          *float64  `json:"repeat"`
	Name            *string   `json:"name"` // of Conch's own functions
}

// given lists what is there, beside action.
func (in anthropicInput) given() []string {
	var out []string
	for _, m := range []struct {
		name string
		set  bool
	}{
		{"coordinate", in.Coordinate != nil},
		{"start_coordinate", in.StartCoordinate != nil},
		{"region", in.Region != nil},
		{"text", in.Text != nil},
		{"scroll_direction", in.ScrollDirection != nil},
		{"scroll_amount", in.ScrollAmount != nil},
		{"duration", in.Duration != nil},
		{"repeat", in.Repeat != nil},
		{"name", in.Name != nil},
	} {
		if m.set {
			out = append(out, m.name)
		}
	}
	return out
}

// IsAnthropic says whether a name is a member's, a function's of Conch's own, or that of the older tools.
func IsAnthropic(name string) bool {
	return name == AnthropicTool || slices.ContainsFunc(AnthropicTable(), func(r AnthropicRow) bool { return r.Says == name })
}

// Anthropic turns the use of a member, or of an older computer tool, into a step of Conch's computer tool. What
// can't be done so is a *Cannot. Numbers and keys are the tool's to judge.
func Anthropic(name string, input []byte) (Step, error) {
	var in anthropicInput
	if err := json.Unmarshal(input, &in, json.RejectUnknownMembers(true)); err != nil {
		return Step{}, anthropicUnread(name, err)
	}
	switch {
	case name != AnthropicTool && in.Action != nil:
		return Step{}, cannot("%s takes no action: it is one.", short(name))
	case name == AnthropicTool && in.Action == nil:
		return Step{}, cannot("The use of the computer has no action. Say one of: %s.", anthropicWords(false))
	case name == AnthropicTool:
		name = *in.Action
	}
	table := AnthropicTable()
	i := slices.IndexFunc(table, func(r AnthropicRow) bool { return r.Says == name })
	if i < 0 {
		return Step{}, cannot("There is no action %q here. Those that there are: %s.", short(name), anthropicWords(true))
	}
	row, have := table[i], in.given()
	for _, m := range row.Must {
		if !slices.Contains(have, m) {
			return Step{}, cannot("%s needs %s.", row.Says, m)
		}
	}
	for _, m := range have {
		if !slices.Contains(row.Must, m) && !slices.Contains(row.May, m) {
			return Step{}, cannot("%s takes no %s.", row.Says, m)
		}
	}
	return in.step(row)
}

// step puts what is there into a step's words.
func (in anthropicInput) step(row AnthropicRow) (Step, error) {
	s := Step{Action: row.Becomes}
	for _, p := range []struct {
		name string
		from []float64
		to   *[]int
		n    int
	}{
		{"coordinate", in.Coordinate, &s.Coordinate, 2},
		{"start_coordinate", in.StartCoordinate, &s.StartCoordinate, 2},
		{"region", in.Region, &s.Region, 4},
	} {
		if p.from == nil {
			continue
		}
		at, err := anthropicPixels(p.name, p.from, p.n)
		if err != nil {
			return Step{}, err
		}
		*p.to = at
	}
	for _, n := range []struct {
		name string
		from *float64
		to   *int
	}{{"scroll_amount", in.ScrollAmount, &s.ScrollAmount}, {"repeat", in.Repeat, &s.Repeat}} {
		if n.from == nil {
			continue
		}
		if *n.to = int(*n.from); float64(*n.to) != *n.from || *n.to < 1 {
			return Step{}, cannot("%s must be a whole number from 1.", n.name)
		}
	}
	if in.Duration != nil {
		if !(*in.Duration > 0) {
			return Step{}, cannot("duration must be more than 0 seconds.")
		}
		s.Duration = *in.Duration
	}
	for _, text := range []*string{in.Text, in.Name} {
		if text != nil {
			s.Text = *text
		}
	}
	if in.ScrollDirection != nil {
		s.ScrollDirection = *in.ScrollDirection
	}
	return s, nil
}

// anthropicPixels reads a point or a region, in pixels of the last picture. Whether it lies in it is for the tool
// to say.
func anthropicPixels(name string, from []float64, n int) ([]int, error) {
	if len(from) != n {
		return nil, cannot("%s must be %d numbers, in pixels of the last picture.", name, n)
	}
	var out []int
	for _, f := range from {
		if f < 0 {
			return nil, cannot("%s would be outside the picture.", name)
		}
		out = append(out, int(math.Round(min(f, farAway))))
	}
	return out, nil
}

// anthropicUnread says why an input can't be read, without what it holds.
func anthropicUnread(name string, err error) error {
	if errors.Is(err, json.ErrUnknownName) {
		return cannot("%s has something in it that it doesn't take. Write only what its description says.", short(name))
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return cannot("%s has something in it twice. Write each once.", short(name))
	}
	return cannot("The input of %s can't be read. Write it as its description says.", short(name))
}

func anthropicWords(own bool) string {
	var out []string
	for _, r := range AnthropicTable() {
		if own || !r.Own {
			out = append(out, r.Says)
		}
	}
	return strings.Join(out, ", ")
}

// Package dialect turns what a provider's own computer tool says into the words of Conch's computer tool, so that
// every action of every dialect is read by the one parser and passes the one guard. It converts points, keys,
// scrolling and modifiers, each in one place; it decides nothing and sends nothing.
package dialect

import (
	"github.com/go-json-experiment/json"
)

// ToolName is Conch's computer tool.
const ToolName = "computer"

// Step is one use of the computer tool, in the tool's own words (gateway/computer/schema.json).
type Step struct {
	Action          string  `json:"action"`
	Coordinate      []int   `json:"coordinate,omitempty"`
	StartCoordinate []int   `json:"start_coordinate,omitempty"`
	Region          []int   `json:"region,omitempty"`
	Text            string  `json:"text,omitempty"`
	ScrollDirection string  `json:"scroll_direction,omitempty"`
	ScrollAmount    int     `json:"scroll_amount,omitzero"`
	Duration        float64 `json:"duration,omitzero"`
	Repeat          int     `json:"repeat,omitzero"`
}

// Args are the arguments of the call.
func (s Step) Args() []byte {
	args, err := json.Marshal(s)
	if err != nil {
		return []byte("{}") // a duration that is no number; the tool refuses the call in words
	}
	return args
}

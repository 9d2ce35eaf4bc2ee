package dialect

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"conch/driver/key"
	"conch/gateway/tool"
)

const (
	// geminiHold is how long a key that is no modifier stays down, in seconds: between two calls nothing is held.
	geminiHold = 1
	// geminiWheel is how many clicks of the wheel a scroll has that doesn't say: 300 pixels.
	geminiWheel = 3
	// geminiFar is how far a scroll of the preview goes that doesn't say, on the grid.
	geminiFar = 800
)

func geminiType(g *GeminiHand, c geminiCall) ([]Step, error) {
	if err := g.free(c); err != nil {
		return nil, err
	}
	return typed(c, c.Enter != nil && *c.Enter)
}

// typed types text and may press Return after it.
func typed(c geminiCall, enter bool) ([]Step, error) {
	var out []Step
	if c.Text != "" {
		out = append(out, Step{Action: "type", Text: c.Text})
	}
	if enter {
		out = append(out, Step{Action: "key", Text: "Return"})
	}
	if len(out) == 0 {
		return nil, cannot("%s needs text.", c.Says)
	}
	return out, nil
}

// geminiTypeAt clicks into a field, empties it and types, and presses Return unless it is told not to.
func geminiTypeAt(g *GeminiHand, c geminiCall) ([]Step, error) {
	at, err := c.point(c.X, c.Y)
	if err != nil {
		return nil, err
	}
	if err := g.free(c); err != nil {
		return nil, err
	}
	out := []Step{{Action: "left_click", Coordinate: at}}
	if c.Clear == nil || *c.Clear {
		// Three clicks take the line, on every system; a chord for all text differs from one to the other.
		out[0].Action = "triple_click"
		out = append(out, Step{Action: "key", Text: "BackSpace"})
	}
	rest, err := typed(c, c.Enter == nil || *c.Enter)
	return append(out, rest...), err
}

// names are the keys of a call: a list of names, or one text such as "control+c".
func (c geminiCall) names() ([]string, error) {
	var list []string
	var one string
	switch {
	case len(c.Keys) == 0:
		one = c.Key
	case c.Keys.Kind() == '[':
		if json.Unmarshal(c.Keys, &list) != nil {
			return nil, cannot("The keys of %s must be a list of names.", c.Says)
		}
	case json.Unmarshal(c.Keys, &one) != nil:
		return nil, cannot("The keys of %s must be a list of names.", c.Says)
	}
	if one != "" {
		list = []string{one}
	}
	if len(list) == 0 {
		return nil, cannot("%s needs the name of a key.", c.Says)
	}
	return list, nil
}

// geminiKey presses a key or a combination, with what is held.
func geminiKey(g *GeminiHand, c geminiCall) ([]Step, error) {
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	mods, others, err := chords(names)
	if err != nil {
		return nil, err
	}
	mods |= g.held
	var words []string
	for _, k := range others {
		words = append(words, key.Chord{Mods: mods | k.Mods, Key: k.Key}.String())
	}
	if len(words) == 0 {
		words = []string{modsWord(mods)}
	}
	return []Step{{Action: "key", Text: strings.Join(words, " ")}}, nil
}

// geminiDown remembers modifiers that are to be held during what follows. Any other key is held for a moment at once.
func geminiDown(g *GeminiHand, c geminiCall) ([]Step, error) {
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	mods, others, err := chords(names)
	switch {
	case err != nil:
		return nil, err
	case len(others) == 0:
		g.held |= mods
		return nil, nil
	case len(others) > 1:
		return nil, cannot("key_down takes one key.")
	}
	chord := key.Chord{Mods: mods | g.held | others[0].Mods, Key: others[0].Key}
	return []Step{{Action: "hold_key", Text: chord.String(), Duration: geminiHold}}, nil
}

// geminiUp forgets modifiers. Any other key is up already.
func geminiUp(g *GeminiHand, c geminiCall) ([]Step, error) {
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	mods, _, err := chords(names)
	if err != nil {
		return nil, err
	}
	g.held &^= mods
	return nil, nil
}

// geminiScroll scrolls at a point, or where the pointer is.
func geminiScroll(g *GeminiHand, c geminiCall) ([]Step, error) {
	s := Step{Action: "scroll", Text: modsWord(g.held), ScrollDirection: strings.ToLower(c.Direction)}
	length := c.H
	switch s.ScrollDirection {
	case "up", "down":
	case "left", "right":
		length = c.W
	default:
		return nil, cannot("The direction of %s must be up, down, left or right.", c.Says)
	}
	if c.X != nil || c.Y != nil || c.Says == "scroll_at" {
		at, err := c.point(c.X, c.Y)
		if err != nil {
			return nil, err
		}
		s.Coordinate = at
	}
	switch {
	case c.Wheel != nil:
		s.ScrollAmount = clicks(*c.Wheel)
	case c.Pixels != nil:
		s.ScrollAmount = wheel(*c.Pixels)
	case c.Says == "scroll":
		s.ScrollAmount = geminiWheel
	case length <= 0:
		return nil, cannot("There is no picture yet that could be scrolled. Take a screenshot first.")
	case c.Magnitude != nil:
		s.ScrollAmount = wheel(*c.Magnitude / tool.Grid * float64(length))
	default:
		s.ScrollAmount = wheel(geminiFar / float64(tool.Grid) * float64(length))
	}
	return []Step{s}, nil
}

// GeminiSafety is what the provider's own check says about a call. It stands in the call's arguments.
type GeminiSafety struct {
	Ask    bool   // a person must say yes first
	Refuse bool   // it mustn't be done
	Why    string // the provider's words for a person
}

// GeminiChecked reads it. A decision that isn't known asks.
func GeminiChecked(args []byte) GeminiSafety {
	var c struct {
		Safety *struct {
			Decision string `json:"decision"`
			Why      string `json:"explanation"`
		} `json:"safety_decision"`
	}
	if err := json.Unmarshal(args, &c); err != nil {
		return GeminiSafety{Ask: true}
	}
	if c.Safety == nil {
		return GeminiSafety{}
	}
	out := GeminiSafety{Why: c.Safety.Why}
	switch strings.ToLower(c.Safety.Decision) {
	case "allow", "allowed", "regular":
	case "block", "blocked", "deny", "refuse":
		out.Refuse = true
	default:
		out.Ask = true
	}
	return out
}

// GeminiFound are the controls that find answered with, with their points on the grid of a picture of w by h pixels.
func GeminiFound(data []byte, w, h int) (string, bool) {
	var found struct {
		Controls []struct {
			Role string `json:"role"`
			Name string `json:"name"`
			X    int    `json:"x"`
			Y    int    `json:"y"`
		} `json:"controls"`
	}
	if w <= 0 || h <= 0 || json.Unmarshal(data, &found) != nil || len(found.Controls) == 0 {
		return "", false
	}
	var b strings.Builder
	b.WriteString("Found, with points on the grid:")
	for _, c := range found.Controls {
		fmt.Fprintf(&b, "\n%s “%s”: x %d, y %d", c.Role, c.Name, tool.PixelCell(c.X, w), tool.PixelCell(c.Y, h))
	}
	return b.String(), true
}

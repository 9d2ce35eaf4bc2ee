package compatible

import (
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// callPiece is a piece of a tool call as it comes in.
type callPiece struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"` // text, or the object itself
	} `json:"function"`
	Extra jsontext.Value `json:"extra_content"`
}

// call is a tool call, whole.
type call struct {
	id, name string
	args     []byte
	extra    jsontext.Value
	index    int
	numbered bool
}

// arguments are the arguments as text, as they go back to the server.
func (c call) arguments() string {
	if len(c.args) == 0 {
		return "{}"
	}
	return string(c.args)
}

// toolName is what a name must look like for servers to take it back (API reference, Chat Completions, tools).
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// sentName is the name as it goes back to the server, which refuses one that no tool could have.
func (c call) sentName() string {
	if toolName.MatchString(c.name) {
		return c.name
	}
	return "unknown"
}

// maxCalls is how many calls an answer may have.
const maxCalls = 200

// maxArgs is how long the arguments of one may be, in bytes.
const maxArgs = 8 << 20

// calls puts tool calls together from their pieces.
type calls struct{ all []*call }

func (c *calls) any() bool { return len(c.all) > 0 }

// add takes one piece. It is false when there is too much.
func (c *calls) add(p callPiece) bool {
	one := c.of(p)
	if one == nil {
		if len(c.all) >= maxCalls {
			return false
		}
		one = &call{id: p.ID}
		if p.Index != nil {
			one.index, one.numbered = *p.Index, true
		}
		c.all = append(c.all, one)
	}
	if one.id == "" {
		one.id = p.ID
	}
	if p.Function.Name != "" && p.Function.Name != one.name {
		one.name += p.Function.Name
	}
	if p.Extra.Kind() == '{' {
		one.extra = p.Extra.Clone()
	}
	switch v := p.Function.Arguments; v.Kind() {
	case '"':
		var s string
		if json.Unmarshal(v, &s, lax) == nil {
			one.args = append(one.args, s...)
		}
	case '{':
		one.args = v.Clone()
	}
	return len(one.args) <= maxArgs
}

// of finds the call that a piece belongs to; nil: it begins one. By its index, where it has one; servers that give all
// the same index, or none, tell calls apart by their ids, or by beginning each with its name.
func (c *calls) of(p callPiece) *call {
	var found *call
	switch {
	case p.Index != nil:
		for _, one := range c.all {
			if one.numbered && one.index == *p.Index {
				found = one // the last of them
			}
		}
	case p.ID != "":
		for _, one := range c.all {
			if one.id == p.ID {
				found = one
			}
		}
	case len(c.all) > 0 && (p.Function.Name == "" || c.all[len(c.all)-1].name == ""):
		found = c.all[len(c.all)-1]
	}
	if found != nil && found.id != "" && p.ID != "" && found.id != p.ID {
		return nil
	}
	return found
}

// done are the calls in order, each with an id that the turn hasn't had yet: some servers give none, or the same ones in
// each answer.
func (c *calls) done(had map[string]bool) []call {
	var out []call
	for _, one := range c.all {
		for n := len(had) + 1; one.id == "" || had[one.id]; n++ {
			one.id = fmt.Sprintf("call_%d", n)
		}
		had[one.id] = true
		out = append(out, *one)
	}
	return out
}

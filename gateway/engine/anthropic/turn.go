package anthropic

import (
	"encoding/base64"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Anthropic's own computer tools, as engine.Model.Computer names them.
const (
	toolset      = "computer_toolset_20260801"
	computer2511 = "computer_20251124"
	computer2501 = "computer_20250124"
)

const (
	family = "computer" // the toolset's name in a call
	// notExecuted is the very sentence that the toolset's contract has for what a failure left undone.
	notExecuted = "Not executed: an earlier computer action in this turn failed."
)

// From here on a transcript that should only grow has become too much for one request, which may have 32 MB and 100
// pictures.
const (
	tooMuch = 20 << 20 // bytes of pictures
	tooMany = 80       // pictures
)

// turn is one turn's transcript, as it goes to the API.
type turn struct {
	t      engine.Turn
	traits traits
	native string // which of Anthropic's own computer tools is offered; empty: none
	noZoom bool

	steps    []*step
	album    engine.Album
	pics     pics // of the request that is being made
	pictures int  // that were given
	bytes    int  // of them
	w, h     int  // of the last picture of the whole screen
	before   int  // the place before the oldest picture, in the last request
	// dropped says that older pictures are taken out although the model doesn't forget: it loses what it thought then.
	dropped bool
}

// step is one answer of the model's and what its calls were answered.
type step struct {
	said    []jsontext.Value
	calls   []*block
	results []*result
}

// result is the answer to a call.
type result struct {
	id, toolset string
	text        string
	failed      bool
	mime, data  string // of the picture; empty without one
	picture     int    // its number in the album
}

func newTurn(t engine.Turn, tr traits, noZoom bool) *turn {
	x := &turn{t: t, traits: tr, noZoom: noZoom}
	if _, ok := x.computer(); ok {
		switch t.Model.Computer {
		case toolset, computer2511, computer2501:
			x.native = t.Model.Computer
		}
	}
	x.album.Forgets = t.Model.Forgets || tr.clears
	return x
}

// computer is Conch's computer tool, if the turn has it.
func (x *turn) computer() (tool.Tool, bool) {
	for _, t := range x.t.Tools {
		if t.Name == dialect.ToolName {
			return t, true
		}
	}
	return tool.Tool{}, false
}

func (x *turn) name() string {
	if x.t.Model.Name != "" {
		return x.t.Model.Name
	}
	return x.t.Model.ID
}

func (x *turn) where() engine.Where { return engine.Where{Place: "Anthropic", Model: x.name()} }

// took is a request's use, priced as the model is, or higher where a long prompt is.
func (x *turn) took(u usage) engine.Usage {
	use := engine.Usage{In: u.In + u.Read + u.Wrote, Out: u.Out, CacheRead: u.Read, CacheMade: u.Wrote}
	if p, over := longPrice(x.t.Model.ID, use.In); over && x.t.Model.Price != (engine.Price{}) {
		use.By = x.t.Model
		use.By.Price = p
	}
	return use
}

// add takes an answer into the transcript. One that goes on after a pause is part of the one before it.
func (x *turn) add(a *answer) {
	s := &step{}
	if n := len(x.steps); n > 0 && len(x.steps[n-1].calls) == 0 {
		s = x.steps[n-1]
	} else {
		x.steps = append(x.steps, s)
	}
	for _, b := range a.blocks {
		raw, err := b.echo()
		if err != nil || raw == nil {
			continue
		}
		s.said = append(s.said, raw)
		if b.kind == "tool_use" {
			s.calls = append(s.calls, b)
		}
	}
}

// calls are those that wait for an answer.
func (x *turn) calls() []*block {
	if len(x.steps) == 0 {
		return nil
	}
	return x.steps[len(x.steps)-1].calls
}

// answer makes the calls of the last answer, in order. After a step of the computer tool that failed the others of it
// aren't done, since they were meant for what it should have led to. Every call is answered.
func (x *turn) answer(out *wire.Out) error {
	s := x.steps[len(x.steps)-1]
	failed := false
	for i, b := range s.calls {
		c := x.call(b)
		r := &result{id: b.id, toolset: b.toolset, picture: -1}
		s.results = append(s.results, r)
		switch {
		case c.computer && failed:
			r.text, r.failed = notExecuted, true
			continue
		case c.say != "":
			r.text, r.failed = c.say, true
		default:
			res, on := out.Call(engine.ToolCall{
				ID: b.id, Name: c.tool, Args: c.args, Blind: c.computer && !c.looks && x.anotherAfter(s.calls[i+1:]),
			})
			if !on {
				return wire.ErrBroken
			}
			x.put(r, c, res)
		}
		failed = failed || c.computer && r.failed
	}
	return nil
}

func (x *turn) anotherAfter(calls []*block) bool {
	for _, b := range calls {
		if x.call(b).computer {
			return true
		}
	}
	return false
}

// call is what a call means.
type call struct {
	tool     string
	args     []byte
	say      string // why it can't be made
	computer bool   // a step of the computer tool
	looks    bool   // made for its picture
	part     bool   // whose picture isn't that of the whole screen
}

func (x *turn) call(b *block) call {
	args, bad := b.args()
	member := x.member(b)
	c := call{tool: b.name, args: args, say: bad, computer: member || b.name == dialect.ToolName && b.toolset == ""}
	switch {
	case bad != "":
	case member:
		s, err := dialect.Anthropic(b.name, args)
		if err != nil {
			c.say = err.Error()
			return c
		}
		c.tool, c.args = dialect.ToolName, s.Args()
	case b.toolset != "":
		c.say = "There is no such toolset in this chat. Nothing was done."
		return c
	}
	if c.computer {
		var s struct {
			Action string `json:"action"`
		}
		_ = json.Unmarshal(c.args, &s) // what can't be read has no action, and the tool says so
		c.looks, c.part = s.Action == "screenshot" || s.Action == "zoom", s.Action == "zoom"
	}
	return c
}

// member says whether a call is in the words of Anthropic's own computer tool.
func (x *turn) member(b *block) bool {
	switch {
	case x.native == "":
		return false
	case x.native == toolset && b.toolset == family, x.native != toolset && b.name == dialect.AnthropicTool && b.toolset == "":
		return true
	}
	if b.toolset != "" || x.has(b.name) {
		return false
	}
	for _, o := range dialect.AnthropicOwns() {
		if o.Name == b.name {
			return true
		}
	}
	return false
}

// has says whether the turn has a tool of this name itself.
func (x *turn) has(name string) bool {
	for _, t := range x.t.Tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

// put takes a tool's answer. A failed one is words only, and never none; the API refuses anything else.
func (x *turn) put(r *result, c call, res tool.Result) {
	r.text, r.failed = res.Text, res.Failed
	if r.text == "" {
		r.text = "Done."
		if r.failed {
			r.text = "It failed, and nothing is known of why."
		}
	}
	pic := res.Picture
	mustLook := x.native != "" && c.looks
	switch {
	case r.failed:
		return
	case pic == nil:
		if mustLook { // Anthropic's own tools promise a picture
			r.failed = true
		}
		return
	case pic.Same && x.pictures > 0 && !mustLook:
		r.text += "\n" + engine.Unchanged
		return
	}
	r.mime, r.data = pic.MIME, base64.StdEncoding.EncodeToString(pic.Data)
	r.picture = x.album.Add()
	x.pictures++
	x.bytes += len(r.data)
	if !c.part {
		x.w, x.h = pic.W, pic.H
	}
	if !x.t.Model.Forgets && (x.pictures > tooMany || x.bytes > tooMuch) {
		x.dropped, x.album.Forgets = true, true
	}
}

// kept says whether a result's picture is still sent.
func (x *turn) kept(r *result) bool {
	return !x.t.Model.Forgets && !x.dropped || x.album.Kept(r.picture)
}

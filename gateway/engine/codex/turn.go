package codex

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/compatible"
	"conch/gateway/engine/program"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

const (
	// notAfter is the answer to a call after one that failed or wasn't done.
	notAfter = "Not executed: an earlier call in this turn wasn't done."
	// notYet is the answer to a call that codex makes before one that its model made earlier: it does those of one
	// answer in any order.
	notYet = "Not executed: a call before this one wasn't done yet. Call one tool at a time."
)

// run is one turn under way.
type run struct {
	ctx   context.Context
	t     engine.Turn
	out   *wire.Out
	p     *program.Process
	temp  string
	where engine.Where
	prose program.Out

	asked  int
	id     string // of the thread
	turnID string
	over   bool
	said   bool
	waits  bool // the person was told that codex waits
	total  int  // tokens so far
	pieces map[string]bool
	batch  batch
	shown  bool
	calls  int
}

func newRun(t engine.Turn, out *wire.Out) *run {
	return &run{
		t: t, out: out, where: engine.Where{Place: who.Name, Model: t.Model.Name}, pieces: map[string]bool{},
		prose: program.Out{Text: out.Text},
	}
}

// batch are the calls of one answer of the model's, in its order.
type batch struct {
	calls  []string
	next   int  // the call whose turn it is
	stop   int  // from this one on none is done, once stopped
	closed bool // the answer is over

	stopped bool
}

// from does none from the nth call on.
func (b *batch) from(n int) {
	if !b.stopped || n < b.stop {
		b.stop, b.stopped = n, true
	}
}

// turnOf says why a call isn't done now; empty where it is its turn. Calls that a script makes come one after the
// other and are in no batch.
func (b *batch) turnOf(id string) (why string) {
	n := slices.Index(b.calls, id)
	switch {
	case n < 0:
		return ""
	case b.stopped && n >= b.stop, n < b.next:
		return notAfter
	case n > b.next:
		b.from(n)
		return notYet
	}
	b.next++
	return ""
}

// turn is a whole turn.
func (r *run) turn() error {
	var config struct {
		Config struct {
			Servers map[string]jsontext.Value `json:"mcp_servers"`
		} `json:"config"`
	}
	if err := r.ask("config/read", object{"includeLayers": false}, &config); err != nil {
		return err
	}
	var servers []string
	for name := range config.Config.Servers {
		servers = append(servers, name)
	}
	slices.Sort(servers)
	var thread struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	if err := r.ask("thread/start", r.thread(servers), &thread); err != nil {
		return err
	}
	r.id = thread.Thread.ID
	var none struct{}
	n := len(r.t.Messages)
	if n > 1 {
		if err := r.ask("thread/inject_items", object{"threadId": r.id, "items": history(r.t.Messages[:n-1])}, &none); err != nil {
			return err
		}
	}
	var last engine.Message
	if n > 0 {
		last = r.t.Messages[n-1]
	}
	var turn struct {
		Turn struct {
			ID string `json:"id"`
		} `json:"turn"`
	}
	if err := r.ask("turn/start", object{"threadId": r.id, "input": input(last)}, &turn); err != nil {
		return err
	}
	r.turnID = turn.Turn.ID
	bye := object{"id": r.asked + 1, "method": "turn/interrupt", "params": object{"threadId": r.id, "turnId": r.turnID}}
	if err := r.p.Bye(bye); err != nil {
		return who.Ended(err)
	}
	for !r.over {
		m, err := r.next()
		if err != nil {
			return err
		}
		if err := r.take(m); err != nil {
			return err
		}
	}
	r.p.Done()
	return nil
}

// on is the error of a turn that doesn't go on.
func on(on bool) error {
	if !on {
		return wire.ErrBroken
	}
	return nil
}

// take takes in what codex tells or asks by itself.
func (r *run) take(m message) error {
	switch {
	case m.Method == "":
		return nil // an answer to what was asked of it earlier
	case len(m.ID) > 0:
		return r.asks(m)
	}
	return r.tells(m)
}

// refusals are the answers to what codex would do by itself, in the words of each question. Anything else that it
// asks is answered with an error.
var refusals = map[string]object{
	"item/commandExecution/requestApproval": {"decision": "decline"},
	"item/fileChange/requestApproval":       {"decision": "decline"},
	"applyPatchApproval":                    {"decision": "abort"},
	"execCommandApproval":                   {"decision": "abort"},
	"mcpServer/elicitation/request":         {"action": "decline"},
}

// asks answers a request of codex's: a tool call is done, all else is refused.
func (r *run) asks(m message) error {
	if no, ok := refusals[m.Method]; ok {
		return r.send(object{"id": m.ID, "result": no})
	}
	var c struct {
		Thread string         `json:"threadId"`
		ID     string         `json:"callId"`
		Space  string         `json:"namespace"`
		Tool   string         `json:"tool"`
		Args   jsontext.Value `json:"arguments"`
	}
	if m.Method != "item/tool/call" || json.Unmarshal(m.Params, &c, lax) != nil || c.Thread != r.id || c.Space != "" {
		return r.send(object{"id": m.ID, "error": object{"code": -32601, "message": "That isn't done here."}})
	}
	res, going := r.do(c.ID, c.Tool, c.Args)
	if !going {
		return wire.ErrBroken
	}
	return r.send(object{"id": m.ID, "result": content(res)})
}

// do does one call, if it is its turn. It is false when the turn is over.
func (r *run) do(id, name string, raw []byte) (tool.Result, bool) {
	if why := r.batch.turnOf(id); why != "" {
		return tool.Result{Failed: true, Text: why}, true
	}
	args, bad := wire.Args(raw)
	if bad != "" {
		r.batch.from(r.batch.next)
		return tool.Result{Failed: true, Text: bad}, true
	}
	r.calls++
	if id == "" {
		id = "call_" + strconv.Itoa(r.calls)
	}
	r.prose.Cut()
	res, going := r.out.Call(engine.ToolCall{ID: id, Name: name, Args: args})
	if !going {
		return res, false
	}
	if res.Failed {
		r.batch.from(r.batch.next)
	}
	switch p := res.Picture; {
	case p == nil || res.Failed:
	case p.Same && r.shown:
		res.Picture, res.Text = nil, strings.TrimSpace(res.Text+" "+engine.Unchanged)
	default:
		r.shown = true
	}
	return res, true
}

// content is the answer to a call as codex has it. A failed one is words alone.
func content(res tool.Result) object {
	text := res.Text
	if text == "" {
		text = "It failed."
		if !res.Failed {
			text = "Done."
		}
	}
	items := []object{{"type": "inputText", "text": text}}
	if res.Picture != nil && !res.Failed {
		items = append(items, object{"type": "inputImage", "imageUrl": compatible.DataURL(res.Picture)})
	}
	return object{"success": !res.Failed, "contentItems": items}
}

package claudecode

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"conch/gateway/engine"
	"conch/gateway/engine/program"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

const (
	// notAfter is the answer to a call after one that failed.
	notAfter = "Not executed: an earlier call in this turn failed."
	// toldIn is how long a call waits for claude to say that its model made it, so that what was said before it is
	// shown before it.
	toldIn = 2 * time.Second
	// longQuiet is how long claude may say nothing before it counts as broken.
	longQuiet = 10 * time.Minute
)

// run is one turn under way.
type run struct {
	ctx   context.Context
	out   *wire.Out
	p     *program.Process
	door  *door
	temp  string
	where engine.Where
	prose program.Out

	begun   bool              // claude said what it is about to use
	said    bool              // it wrote something of an answer
	message string            // the answer that is coming in
	whole   map[string]bool   // answers that came in pieces
	tokens  engine.Usage      // of that answer so far
	waits   bool              // the person was told that claude waits
	wrong   string            // what claude said went wrong, in its word
	stop    string            // why the last answer ended
	told    map[string]string // the answer that each call is in
	failed  string            // the answer in which a call failed
	waiting []call
	calls   int
	shown   bool // a picture was shown
}

func newRun(ctx context.Context, t engine.Turn, out *wire.Out, p *program.Process, d *door, temp string) *run {
	return &run{
		ctx: ctx, out: out, p: p, door: d, temp: temp, where: engine.Where{Place: who.Name, Model: t.Model.Name},
		prose: program.Out{Text: out.Text}, whole: map[string]bool{}, told: map[string]string{},
	}
}

// all passes on what claude says and does what it calls for, until it says that it is done.
func (r *run) all() error {
	quiet := time.NewTimer(longQuiet)
	defer quiet.Stop()
	for {
		var look <-chan time.Time // only while a call waits
		if len(r.waiting) > 0 {
			look = time.After(toldIn / 4)
		}
		select {
		case <-r.ctx.Done():
			return context.Cause(r.ctx)
		case <-quiet.C:
			return r.where.Problem(engine.Busy, nil)
		case l, ok := <-r.p.Lines():
			if !ok {
				return r.ended()
			}
			if over, err := r.line(l); over || err != nil {
				return err
			}
		case c := <-r.door.calls:
			r.waiting = append(r.waiting, c)
		case <-look:
		}
		if err := r.serve(); err != nil {
			return err
		}
		quiet.Reset(longQuiet)
	}
}

// ended is what to say when claude ended before it was done.
func (r *run) ended() error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if r.said {
		return r.where.CutOff(wire.ErrCut)
	}
	return who.Ended(wire.ErrCut)
}

// serve does the calls that wait, in the order in which claude made them.
func (r *run) serve() error {
	for len(r.waiting) > 0 {
		c := r.waiting[0]
		batch, told := r.told[c.id]
		if c.id != "" && !told && time.Since(c.since) < toldIn {
			return nil
		}
		r.waiting = r.waiting[1:]
		res, on := r.do(c, batch)
		if !on {
			return wire.ErrBroken
		}
		if res.Failed {
			r.failed = batch
		}
		c.answer <- res
	}
	return nil
}

// do does one call. It is false when the turn is over.
func (r *run) do(c call, batch string) (tool.Result, bool) {
	if batch != "" && batch == r.failed {
		return tool.Result{Failed: true, Text: notAfter}, true
	}
	args, bad := wire.Args(c.args)
	if bad != "" {
		return tool.Result{Failed: true, Text: bad}, true
	}
	r.calls++
	id := c.id
	if id == "" {
		id = "call_" + strconv.Itoa(r.calls)
	}
	r.prose.Cut()
	res, on := r.out.Call(engine.ToolCall{ID: id, Name: c.name, Args: args})
	if !on {
		return res, false
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

// line takes one line in and says whether claude is done.
func (r *run) line(l program.Line) (over bool, err error) {
	if l.Err != nil {
		return false, r.where.Strange(wire.ErrStrange)
	}
	d, err := readLine(l.Data)
	if err != nil {
		return false, r.where.Strange(wire.ErrStrange)
	}
	switch {
	case d.Parent != "":
		return false, nil // another agent's words
	case d.Type == "system" && d.Subtype == "init":
		return false, r.begins(d)
	case d.Type == "system" && d.Subtype == "api_retry":
		return false, r.retries(d)
	case d.Type == "stream_event":
		return false, r.piece(d.Event)
	case d.Type == "assistant":
		return false, r.part(d)
	case d.Type == "result":
		return true, r.result(d)
	}
	return false, nil
}

// begins looks at what claude is about to use: the turn's tools and no other. The files that it was started with have
// been read by then.
func (r *run) begins(d line) error {
	r.begun = true
	for _, name := range []string{doorFile, systemFile} {
		_ = os.Remove(filepath.Join(r.temp, name)) // the folder goes with the turn
	}
	for _, name := range d.Tools {
		if !strings.HasPrefix(name, prefix) {
			return who.Loose()
		}
	}
	for _, s := range d.Servers {
		if s.Name != server {
			return who.Loose()
		}
	}
	return nil
}

// retries tells the person what claude waits for. A sign-in that isn't taken doesn't become right by waiting.
func (r *run) retries(d line) error {
	if word(d.Error) == "authentication_failed" {
		return who.SignedOut()
	}
	say := "Trying to reach Anthropic"
	if d.Retry == 429 || d.Retry >= 500 {
		say = "Waiting for Anthropic, which is busy"
	}
	r.waits = true
	return r.on(r.out.Event(engine.Doing{Say: say}))
}

// on is the error of a turn that doesn't go on.
func (r *run) on(on bool) error {
	if !on {
		return wire.ErrBroken
	}
	return nil
}

// piece takes a piece of an answer in.
func (r *run) piece(e streamed) error {
	if !r.begun {
		return who.Loose() // it answers without having said what it uses
	}
	switch e.Type {
	case "message_start":
		r.message, r.stop = e.Message.ID, ""
		r.whole[r.message] = true
		u := e.Message.Usage
		r.tokens = engine.Usage{In: u.In + u.Read + u.Made, CacheRead: u.Read, CacheMade: u.Made}
		if r.waits {
			r.waits = false
			return r.on(r.out.Event(engine.Doing{}))
		}
	case "content_block_delta":
		switch e.Delta.Type {
		case "text_delta":
			r.said = r.said || e.Delta.Text != ""
			return r.on(r.prose.Piece(r.message, e.Delta.Text))
		case "thinking_delta":
			if e.Delta.Thinking != "" {
				return r.on(r.out.Event(engine.Thinking{Piece: e.Delta.Thinking}))
			}
		}
	case "message_delta":
		r.stop = e.Delta.StopReason
		u := r.tokens
		u.Out = e.Usage.Out
		return r.on(r.out.Event(u))
	}
	return nil
}

// part takes a part of an answer in: what it calls for, and its words where they didn't come in pieces.
func (r *run) part(d line) error {
	if w := word(d.Error); w != "" {
		r.wrong = w // its words are claude's own, for a terminal
		return nil
	}
	for _, b := range d.Message.Content {
		switch {
		case b.Type == "tool_use":
			r.told[b.ID] = d.Message.ID
		case b.Type == "text" && !r.whole[d.Message.ID] && d.Message.Model != "<synthetic>":
			r.said = true
			if !r.prose.Piece(d.Message.ID, b.Text) {
				return wire.ErrBroken
			}
		}
	}
	return nil
}

// result ends the turn.
func (r *run) result(d line) error {
	if !d.Failed && d.Subtype == "success" {
		switch {
		case r.stop == "refusal":
			return r.where.Problem(engine.Declined, nil)
		case r.stop == "max_tokens":
			return r.where.OutOfRoom()
		}
		return nil
	}
	text := strings.ToLower(word(d.Result)) // looked at for what it is about; it is told to nobody
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	switch {
	case r.wrong == "authentication_failed" || d.Status == 401 || d.Status == 403:
		return who.SignedOut()
	case r.wrong == "billing_error" || d.Status == 402:
		return r.where.Problem(engine.NoCredit, nil)
	case r.wrong == "rate_limit" || d.Status == 429:
		return who.UsedUp(nil)
	case r.wrong == "model_not_found" || d.Status == 404:
		return r.where.Problem(engine.NoModel, nil)
	case r.wrong == "max_output_tokens":
		return r.where.OutOfRoom()
	case says("prompt is too long", "context window", "context limit"):
		return r.where.Problem(engine.TooLong, nil)
	case says("unable to connect", "connection error", "network"):
		return r.where.Problem(engine.Unreachable, nil)
	case r.wrong == "overloaded" || d.Status >= 500:
		return r.where.Problem(engine.Busy, nil)
	case r.stop == "refusal":
		return r.where.Problem(engine.Declined, nil)
	}
	return r.where.Problem(engine.Other, nil)
}

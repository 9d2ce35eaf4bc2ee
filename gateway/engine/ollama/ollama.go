// Package ollama is the engine that thinks with models on an Ollama server, mostly this very computer, over its own
// /api/chat. It asks the server what each model can do, and tells the computer tool's pictures as the server takes
// them: the answer to a call in words, the picture in a message after it. It knows the wire format and nothing of
// policy.
package ollama

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// Base is where Ollama listens unless it is told otherwise.
const Base = "http://127.0.0.1:11434"

const name = "Ollama"

// maxRequests ends a turn that never ends by itself. The computer tool has far fewer steps in a turn.
const maxRequests = 200

// notAfter is the answer to a call after one that failed.
const notAfter = "Not executed: an earlier call in this turn failed."

// Config is what an Engine is made of.
type Config struct {
	Base  string            // empty: this computer
	Key   wire.Secret       // of a server behind a gate; empty: none
	HTTP  http.RoundTripper // nil: the shared one
	Retry wire.Retry
}

// Engine is an Ollama server.
type Engine struct {
	client *wire.Client
	here   bool // the server is on this computer
}

var _ engine.Place = (*Engine)(nil)

// New returns the engine of a server.
func New(c Config) *Engine {
	if c.Base == "" {
		c.Base = Base
	}
	return &Engine{
		client: &wire.Client{
			Where: engine.Where{Place: name, Own: true}, Base: c.Base, Key: c.Key, HTTP: c.HTTP, Retry: c.Retry, Sort: sort,
		},
		here: loopback(c.Base),
	}
}

// ID names the engine.
func (*Engine) ID() string { return "ollama" }

// Turn answers the last message.
func (e *Engine) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		out := wire.NewOut(ctx, yield)
		r, err := e.run(ctx, t, out)
		if err == nil {
			err = r.all()
		}
		out.End(words(t.Model, err))
	}
}

// run is one turn under way.
type run struct {
	ctx    context.Context
	client *wire.Client
	out    *wire.Out
	model  engine.Model
	can    abilities
	head   request
	script script
	n      int // calls so far
}

func (e *Engine) run(ctx context.Context, t engine.Turn, out *wire.Out) (*run, error) {
	if t.Model.ID == "" {
		return nil, engine.Where{Place: name, Own: true, Model: "(none)"}.Problem(engine.NoModel, nil)
	}
	s, err := e.show(ctx, t.Model)
	if err != nil {
		return nil, err
	}
	if t.Model.Local && s.remote() {
		return nil, elsewhere(t.Model) // what was said to stay here would leave
	}
	r := &run{
		ctx: ctx, client: e.client, out: out, model: t.Model, can: s.abilities(t.Model),
		script: script{album: engine.Album{Forgets: t.Model.Forgets}},
	}
	if r.head, err = newHead(t, r.can, s); err != nil {
		return nil, r.where().Problem(engine.Other, err)
	}
	r.script.begin(t)
	if r.script.last > 0 && !r.can.sees {
		return nil, r.where().Problem(engine.Blind, nil)
	}
	return r, nil
}

func (r *run) where() engine.Where {
	return engine.Where{Place: name, Own: true, Model: r.model.Name}
}

// all asks, does what is called for and asks again, until the model has nothing more to do.
func (r *run) all() error {
	empty := false
	for range maxRequests {
		a, err := r.ask()
		if err != nil {
			return err
		}
		switch {
		case a.reason == "length":
			return r.where().OutOfRoom()
		case len(a.calls) > 0:
			empty = false
		case a.text.Len() > 0:
			return nil
		case empty:
			return r.where().Strange(wire.ErrStrange)
		default: // small models answer with nothing now and then, and with something when asked again
			empty = true
			continue
		}
		r.script.heard(a)
		if err := r.do(a.calls); err != nil {
			return err
		}
	}
	return &engine.Problem{Say: "This went on for too long, so I stopped it.", Next: "Look at what was done, then ask for less at a time."}
}

// ask sends the transcript and reads one answer. Where it doesn't fit the model it is sent again with no picture but
// the newest.
func (r *run) ask() (answer, error) {
	for {
		q := r.head
		q.Messages = append(slices.Clone(r.head.Messages), r.script.messages()...)
		body, err := json.Marshal(q, json.Deterministic(true))
		if err != nil {
			return answer{}, r.where().Problem(engine.Other, err)
		}
		var a answer
		err = r.client.Stream(r.ctx, r.out, wire.Request{Path: "/api/chat", Body: body, Model: r.model.Name}, a.read(r.out))
		if a.usage != (engine.Usage{}) && !r.out.Event(a.usage) && err == nil {
			err = wire.ErrBroken
		}
		if p, ok := errors.AsType[*engine.Problem](err); ok && p.Kind == engine.TooLong && r.model.Forgets && r.script.thin() {
			continue
		}
		return a, err
	}
}

// do does the calls of one answer, in order, and stops at the first that fails; each is answered.
func (r *run) do(calls []call) error {
	failed := false
	var pics []*tool.Picture
	for _, c := range calls {
		res := tool.Result{Failed: true, Text: notAfter}
		if !failed {
			var on bool
			if res, on = r.one(c); !on {
				return wire.ErrBroken
			}
		}
		failed = res.Failed
		if res.Failed && res.Text == "" {
			res.Text = "It failed."
		}
		if res.Picture != nil && !r.can.sees {
			return r.where().Problem(engine.Blind, nil)
		}
		pics = append(pics, r.script.answer(c, res))
	}
	r.script.show(pics)
	return nil
}

func (r *run) one(c call) (tool.Result, bool) {
	args, bad := wire.Args(c.Function.Args)
	if bad != "" {
		return tool.Result{Failed: true, Text: bad}, true
	}
	r.n++
	id := c.ID
	if id == "" {
		id = "call-" + strconv.Itoa(r.n)
	}
	res, on := r.out.Call(engine.ToolCall{ID: id, Name: c.Function.Name, Args: args})
	if res.Failed {
		res.Picture = nil
	}
	return res, on
}

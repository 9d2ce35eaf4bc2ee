// Package openai is the engine that thinks with OpenAI's models, over its Responses API.
//
// A model that has OpenAI's own computer tool is given that one; each of its actions is turned into a step of Conch's
// computer tool, so that it passes the same guard. Other models get Conch's tool as a function. The package knows the
// wire format and nothing of policy: a safety check of the provider's is asked of the person, and acknowledged only
// after a yes.
//
// Nothing is stored with OpenAI (store: false): a stored response would keep pictures of the screen there for weeks,
// and an older picture couldn't be taken out of it. What the model said, its encrypted reasoning with it, is sent back
// as it came instead.
package openai

import (
	"context"
	"iter"
	"net/http"

	"conch/gateway/engine"
	"conch/gateway/engine/compatible"
	"conch/gateway/engine/wire"
)

// Base is the address of OpenAI's own servers.
const Base = "https://api.openai.com"

const name = "OpenAI"

// Config is what an Engine is made of.
type Config struct {
	Key   wire.Secret
	Base  string            // empty: OpenAI's own
	HTTP  http.RoundTripper // nil: the shared one
	Retry wire.Retry
	// System is what this computer runs ("mac", "linux", "windows"), which the older computer tool asks for; empty:
	// linux.
	System string
}

// Engine is an account with OpenAI.
type Engine struct {
	client *wire.Client
	system string
}

var _ engine.Place = (*Engine)(nil)

// New returns the engine of an account.
func New(c Config) *Engine {
	if c.Base == "" {
		c.Base = Base
	}
	if c.System == "" {
		c.System = "linux"
	}
	return &Engine{
		client: &wire.Client{
			Where: engine.Where{Place: name}, Base: c.Base, Key: c.Key, HTTP: c.HTTP, Retry: c.Retry, Sort: compatible.Sort,
		},
		system: c.System,
	}
}

// ID names the engine.
func (*Engine) ID() string { return "openai" }

// Turn answers the last message.
func (e *Engine) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		out := wire.NewOut(ctx, yield)
		r, err := e.run(ctx, t, out)
		if err == nil {
			err = r.all()
		}
		out.End(err)
	}
}

// run is one turn under way.
type run struct {
	ctx    context.Context
	client *wire.Client
	where  engine.Where
	t      engine.Turn
	out    *wire.Out
	head   head
	said   transcript
}

func (e *Engine) run(ctx context.Context, t engine.Turn, out *wire.Out) (*run, error) {
	r := &run{ctx: ctx, client: e.client, t: t, out: out}
	r.where = engine.Where{Place: name, Model: modelName(t.Model)}
	var err error
	if r.head, err = newHead(t, e.system); err != nil {
		return nil, r.where.Strange(err)
	}
	r.said = newTranscript(t)
	return r, nil
}

func modelName(m engine.Model) string {
	if m.Name != "" {
		return m.Name
	}
	return m.ID
}

// all asks and answers until the model calls for nothing any more.
func (r *run) all() error {
	for {
		reply, err := r.ask(false)
		if err != nil {
			return err
		}
		more, err := r.answer(reply)
		if err != nil || !more {
			return err
		}
	}
}

// ask sends one request and reads what is answered. The last one of a turn that the person ended lets the model say
// something and call nothing.
func (r *run) ask(last bool) (*reply, error) {
	body, err := r.head.body(&r.said, last)
	if err != nil {
		return nil, r.where.Strange(err)
	}
	var got *reply
	err = r.client.Stream(r.ctx, r.out, wire.Request{Path: "/v1/responses", Body: body, Model: r.where.Model}, r.reader(&got))
	if err != nil {
		return nil, err
	}
	if !r.out.Event(got.usage) {
		return nil, wire.ErrBroken
	}
	return got, r.ended(got)
}

// ended says whether an answer that is whole is one to go on with.
func (r *run) ended(got *reply) error {
	switch {
	case got.refused || got.reason == "content_filter":
		return r.where.Problem(engine.Declined, nil)
	case got.reason == "max_output_tokens":
		return r.where.OutOfRoom()
	case got.reason != "":
		return r.where.CutOff(nil)
	}
	return nil
}

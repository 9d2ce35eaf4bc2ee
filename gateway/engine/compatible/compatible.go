// Package compatible is the engine for every server that speaks OpenAI's Chat Completions: OpenRouter, LM Studio, vLLM,
// Ollama's /v1, or an address of the person's own. It knows the wire format, with the odd ways in which servers differ
// from it, and nothing of policy.
//
// A tool's answer can only be text there. Its picture follows in a message of its own, after the answers to all calls.
package compatible

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"sync"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// Config is what an Engine is made of.
type Config struct {
	Server Server
	Key    wire.Secret       // empty: none is sent
	Header http.Header       // of every request
	HTTP   http.RoundTripper // nil: the shared one
	Retry  wire.Retry
}

// Server is one server, or a kind of them.
type Server struct {
	ID   string // "openrouter"; also the engine's
	Name string // for a person: "OpenRouter"
	Base string // with its version: "https://openrouter.ai/api/v1"
	// Own says that it is the person's, rather than an account with a provider.
	Own bool
	// Lists says where the server tells more of its models than their names; the zero value: nowhere.
	Lists Lists
}

// Lists is a kind of list of models.
type Lists int

// The kinds of lists.
const (
	Plain    Lists = iota
	LMStudio       // at /api/v1/models, or /api/v0/models in older ones
)

// Servers are the ones that are known, at their usual addresses.
func Servers() []Server {
	return []Server{
		{ID: "openrouter", Name: "OpenRouter", Base: "https://openrouter.ai/api/v1"},
		{ID: "lmstudio", Name: "LM Studio", Base: "http://127.0.0.1:1234/v1", Own: true, Lists: LMStudio},
		{ID: "vllm", Name: "vLLM", Base: "http://127.0.0.1:8000/v1", Own: true},
	}
}

// Engine talks to one server.
type Engine struct {
	server Server
	client *wire.Client

	mu     sync.Mutex
	quirks map[string]quirk // by model
}

// quirk is what a model's server turned out not to take.
type quirk struct{ noUsage, noTools bool }

var _ engine.Place = (*Engine)(nil)

// New returns the engine of a server.
func New(c Config) *Engine {
	return &Engine{
		server: c.Server,
		client: &wire.Client{
			Where: engine.Where{Place: c.Server.Name, Own: c.Server.Own}, Base: c.Server.Base, Key: c.Key, Header: c.Header,
			HTTP: c.HTTP, Retry: c.Retry, Sort: Sort,
		},
		quirks: map[string]quirk{},
	}
}

// ID names the engine.
func (e *Engine) ID() string { return e.server.ID }

// Turn answers the last message.
func (e *Engine) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		out := wire.NewOut(ctx, yield)
		where := e.client.Where
		if where.Model = t.Model.Name; where.Model == "" {
			where.Model = t.Model.ID
		}
		r := &run{ctx: ctx, e: e, t: t, out: out, where: where, said: newTranscript(t), ids: map[string]bool{}}
		out.End(r.all())
	}
}

// run is one turn under way.
type run struct {
	ctx   context.Context
	e     *Engine
	t     engine.Turn
	out   *wire.Out
	where engine.Where
	said  transcript
	ids   map[string]bool // of the calls so far
}

// all asks and answers until the model calls for nothing any more.
func (r *run) all() error {
	for {
		got, err := r.ask()
		if err != nil {
			return err
		}
		if len(got.calls) == 0 {
			return nil
		}
		if err := r.answer(got); err != nil {
			return err
		}
	}
}

// ask sends a request and reads what is answered. What a server turns out not to take is left out from then on.
func (r *run) ask() (*reply, error) {
	for {
		q := r.e.quirk(r.t.Model.ID)
		got, err := r.once(q)
		if err == nil {
			return got, r.ended(got)
		}
		more, learned := learn(q, err, len(r.t.Tools) > 0)
		if !learned {
			return nil, err
		}
		r.e.mu.Lock()
		r.e.quirks[r.t.Model.ID] = more
		r.e.mu.Unlock()
	}
}

func (e *Engine) quirk(model string) quirk {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.quirks[model]
}

// learn says what to leave out next time, when a request was refused because of it.
func learn(q quirk, err error, tools bool) (quirk, bool) {
	f, ok := errors.AsType[wire.Fault](err)
	if !ok || f.Status < 400 || f.Status >= 500 {
		return q, false
	}
	switch {
	case !q.noUsage && f.Says("stream_options", "include_usage"):
		q.noUsage = true
	case tools && !q.noTools && f.Says("support tool", "support function", "tools is not supported", "tools are not supported",
		"tool use is not supported", "tool calling is not supported", "tool choice requires"):
		q.noTools = true
	default:
		return q, false
	}
	return q, true
}

func (r *run) once(q quirk) (*reply, error) {
	body, err := r.body(q)
	if err != nil {
		return nil, r.where.Strange(err)
	}
	var got *reply
	err = r.e.client.Stream(r.ctx, r.out, wire.Request{Path: "/chat/completions", Body: body, Model: r.where.Model}, r.reader(&got))
	if err != nil {
		return nil, err
	}
	if got.usage != nil && !r.out.Event(*got.usage) {
		return nil, wire.ErrBroken
	}
	return got, nil
}

// ended says whether an answer that is whole is one to go on with.
func (r *run) ended(got *reply) error {
	switch {
	case got.refused || got.finish == "content_filter":
		return r.where.Problem(engine.Declined, nil)
	case got.finish == "length":
		return r.where.OutOfRoom()
	}
	return nil
}

// Package anthropic is the engine that asks Claude, over Anthropic's Messages API. It says a turn in that API's
// words, reads the answer as it streams in, and answers every tool call that Claude makes.
//
// Requests are built from the types of Anthropic's own Go library. Its client isn't used: it takes keys, addresses
// and headers from the environment and from files, and tries again by itself, where Conch sends the one key that the
// person set and can be stopped at any time.
//
// It never decides whether a call goes ahead, and keeps nothing of a turn once it is over.
package anthropic

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

const (
	usualBase  = "https://api.anthropic.com"
	apiVersion = "2023-06-01"
	mostPauses = 10 // times that one answer may be paused and gone on with
)

// Config is what the engine is made of.
type Config struct {
	Key  wire.Secret
	Base string // empty: Anthropic's own address
	// NoZoom leaves zoom out of Anthropic's own computer tools, which saves some 400 tokens of each request.
	NoZoom bool

	HTTP  http.RoundTripper // nil: the shared one
	Retry wire.Retry
}

// Engine asks Claude. It may run many turns at once.
type Engine struct {
	client *wire.Client
	noZoom bool

	mu    sync.Mutex
	known map[string]traits // by model, what the API said of it
}

// New returns an engine; nothing is sent before it is used.
func New(c Config) *Engine {
	if c.Base == "" {
		c.Base = usualBase
	}
	return &Engine{
		client: &wire.Client{
			Where: engine.Where{Place: "Anthropic"}, Base: c.Base, Key: c.Key, HTTP: c.HTTP, Retry: c.Retry, Sort: sorted,
			Header: http.Header{"Anthropic-Version": {apiVersion}},
			Sign:   func(h http.Header, key wire.Secret) { h.Set("X-Api-Key", key.Reveal()) },
		},
		noZoom: c.NoZoom,
		known:  map[string]traits{},
	}
}

// ID names the engine.
func (*Engine) ID() string { return "anthropic" }

// Turn runs one turn: an answer, the calls in it, another answer, until one has no calls.
func (e *Engine) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		out := wire.NewOut(ctx, yield)
		if ctx.Err() == nil {
			out.End(e.run(ctx, out, t))
			return
		}
		out.End(nil)
	}
}

func (e *Engine) run(ctx context.Context, out *wire.Out, t engine.Turn) error {
	x := newTurn(t, e.traits(ctx, t.Model.ID), e.noZoom)
	pauses := 0
	for {
		a, err := e.ask(ctx, out, x)
		if err != nil {
			return err
		}
		switch a.stop {
		case "tool_use", "end_turn", "stop_sequence":
			x.add(a)
			if len(x.calls()) == 0 {
				return nil
			}
			if err := x.answer(out); err != nil {
				return err
			}
			pauses = 0
		case "pause_turn":
			if pauses++; pauses > mostPauses {
				return x.where().CutOff(wire.ErrCut)
			}
			x.add(a)
		case "max_tokens":
			return x.where().OutOfRoom()
		case "model_context_window_exceeded":
			return x.where().Problem(engine.TooLong, nil)
		case "refusal":
			return x.where().Problem(engine.Declined, nil)
		default:
			// A new reason to stop. Its words have been shown; nothing is done because of it.
			if len(a.calls()) > 0 {
				return x.where().Strange(wire.ErrStrange)
			}
			return nil
		}
	}
}

// ask sends the transcript as it is and reads the answer.
func (e *Engine) ask(ctx context.Context, out *wire.Out, x *turn) (*answer, error) {
	body, betas, err := x.request()
	if err != nil {
		return nil, x.where().Strange(fmt.Errorf("%T", err)) // its text may hold what was asked
	}
	r := wire.Request{Path: "/v1/messages", Body: body, Model: x.name()}
	if len(betas) > 0 {
		r.Header = http.Header{"Anthropic-Beta": {strings.Join(betas, ",")}}
	}
	var a *answer
	err = e.client.Stream(ctx, out, r, func(body io.Reader) (bool, error) {
		a = &answer{}
		err := a.read(body, out)
		return a.shown, err
	})
	if a != nil && a.usage != (usage{}) {
		out.Event(x.took(a.usage))
	}
	return a, err
}

// sorted says what kind of problem a fault is, by the types of the API's errors.
func sorted(f wire.Fault) (engine.ProblemKind, bool) {
	switch f.Type {
	case "authentication_error", "permission_error":
		return engine.BadKey, true
	case "billing_error":
		return engine.NoCredit, true
	case "rate_limit_error", "overloaded_error", "api_error", "timeout_error":
		return engine.Busy, true
	case "not_found_error":
		return engine.NoModel, true
	case "request_too_large":
		return engine.TooLong, true
	case "invalid_request_error":
		switch {
		case f.Says("credit balance"):
			return engine.NoCredit, true
		case f.Says("prompt is too long", "context window", "context limit"):
			return engine.TooLong, true
		case f.Says("does not support image", "image input is not supported"):
			return engine.Blind, true
		}
		return engine.Other, true
	}
	return engine.Other, false
}

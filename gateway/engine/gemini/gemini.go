// Package gemini is the engine that thinks with Google's Gemini models, over generateContent of the Gemini API.
//
// A model that has Google's own computer tool is given that one; each of its functions is turned into steps of
// Conch's computer tool, so that it passes the same guard. Other models get Conch's tool as a function. The package
// knows the wire format and nothing of policy: a safety check of the provider's is asked of the person, and
// acknowledged only after a yes. What the model said is sent back byte by byte as it came, its signatures with it.
//
// The few shapes that it needs are its own, held against those of google.golang.org/genai by a test: that module
// would bring gRPC and a goroutine that never ends into the program.
package gemini

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// Base is the address of Google's own servers.
const Base = "https://generativelanguage.googleapis.com"

const name = "Google"

// maxRequests ends a turn that never ends by itself. The computer tool has far fewer steps in a turn.
const maxRequests = 200

// Config is what an Engine is made of.
type Config struct {
	Key   wire.Secret
	Base  string            // empty: Google's own
	HTTP  http.RoundTripper // nil: the shared one
	Retry wire.Retry
}

// Engine is an account with Google.
type Engine struct{ client *wire.Client }

var _ engine.Place = (*Engine)(nil)

// New returns the engine of an account.
func New(c Config) *Engine {
	if c.Base == "" {
		c.Base = Base
	}
	return &Engine{client: &wire.Client{
		Where: engine.Where{Place: name}, Base: c.Base, Key: c.Key, HTTP: c.HTTP, Retry: c.Retry, Sort: sort,
		// Never in the address, where Google takes it too: addresses are written into logs.
		Sign: func(h http.Header, key wire.Secret) { h.Set("x-goog-api-key", key.Reveal()) },
	}}
}

// ID names the engine.
func (*Engine) ID() string { return "gemini" }

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
	out    *wire.Out
	model  engine.Model
	head   head
	script script
	hands  hands
}

func (e *Engine) run(ctx context.Context, t engine.Turn, out *wire.Out) (*run, error) {
	if t.Model.ID == "" {
		return nil, engine.Where{Place: name, Model: "(none)"}.Problem(engine.NoModel, nil)
	}
	h, err := newHead(t)
	if err != nil {
		return nil, engine.Where{Place: name}.Problem(engine.Other, err)
	}
	r := &run{
		ctx: ctx, client: e.client, out: out, model: t.Model, head: h,
		script: script{inside: generation(t.Model.ID) >= 3, album: engine.Album{Forgets: t.Model.Forgets}},
		hands:  hands{native: t.Model.Computer},
	}
	r.script.begin(t.Messages)
	for _, m := range t.Messages {
		if m.Picture != nil {
			r.hands.w, r.hands.h = m.Picture.W, m.Picture.H
		}
	}
	return r, nil
}

func (r *run) where() engine.Where { return engine.Where{Place: name, Model: r.model.Name} }

// all asks, does what is called for and asks again, until the model has nothing more to do.
func (r *run) all() error {
	var malformed, empty bool
	for range maxRequests {
		a, err := r.ask()
		if err != nil {
			return err
		}
		// A call that can't be read is told to the model, and an answer of nothing is asked for again, each once in a
		// row: models make such slips and get over them.
		switch end := a.ending(); {
		case end == endsMalformed && !malformed:
			malformed = true
			r.script.say("Your last function call couldn't be read, so nothing was done. Call the function again, with arguments as its description says.")
			continue
		case end == endsEmpty && !empty:
			empty = true
			continue
		case end == endsCalls:
			malformed, empty = false, false
		case end == endsText:
			return nil
		default:
			return end.problem(r.where())
		}
		results, on := r.do(a.calls)
		if !on {
			return wire.ErrBroken
		}
		r.keep(a, results)
	}
	return &engine.Problem{Say: "This went on for too long, so I stopped it.", Next: "Look at what was done, then ask for less at a time."}
}

// keep writes an answer and what became of its calls down. A call that Google's safety check held up, and that no
// person said yes to, is left out together with all after it, and told in words instead: Google refuses a transcript
// in which such a call isn't acknowledged, and acknowledged means that a person said yes.
func (r *run) keep(a answer, results []result) {
	n := slices.IndexFunc(results, func(res result) bool { return res.held })
	if n < 0 {
		r.script.heard(a.content(len(results)))
		r.script.answer(results, "")
		return
	}
	say := "You called " + results[n].call.Name + ". " + results[n].text
	if n == 0 {
		r.script.say(say)
		return
	}
	r.script.heard(a.content(n))
	r.script.answer(results[:n], say)
}

// ask sends the transcript and reads one answer.
func (r *run) ask() (answer, error) {
	body, err := r.body()
	if err != nil {
		return answer{}, err
	}
	var a answer
	err = r.client.Stream(r.ctx, r.out, wire.Request{
		Path: "/v1beta/models/" + url.PathEscape(r.model.ID) + ":streamGenerateContent?alt=sse", Body: body, Model: r.model.Name,
	}, a.read(r.out))
	if a.usage != (engine.Usage{}) && !r.out.Event(a.usage) && err == nil {
		err = wire.ErrBroken
	}
	return a, err
}

// body is a request as it is sent. Where it would be larger than Google takes, the oldest pictures go first.
func (r *run) body() ([]byte, error) {
	for {
		body, err := r.head.with(r.script.contents())
		if err != nil {
			return nil, r.where().Problem(engine.Other, err)
		}
		if len(body) <= maxBody {
			return body, nil
		}
		if !r.model.Forgets || !r.script.drop() {
			return nil, r.where().Problem(engine.TooLong, nil)
		}
	}
}

// id is what a call is called, for a chat's log.
func id(c call, n int) string {
	if c.ID != "" {
		return c.ID
	}
	return "call-" + strconv.Itoa(n)
}

// Package described lets a model that can't see use what is shown: it stands around another engine, and each picture
// that a tool answers with is put into words by a second model, with the points of what can be pressed.
//
// Where a picture goes is a matter of trust: one of a chat whose model runs on this computer is only ever shown to
// another model on this computer, whatever is chosen. A model that turns out not to see is healed once in a turn, and
// the finding is told, so that the next turn begins with words. The package decides nothing else: every call goes to
// the tools and the guard as it is.
package described

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"conch/gateway/engine"
	"conch/gateway/plain"
	"conch/gateway/tool"
)

// Describer is a model that sees, and the engine that it thinks with.
type Describer struct {
	Engine engine.Engine
	Model  engine.Model
}

// ErrNone is what a chooser returns where no model could describe a picture.
var ErrNone = errors.New("no model could describe the picture")

// Config is what an Engine is made of.
type Config struct {
	Place engine.Place // that thinks
	// Choose picks who describes pictures for a model; ErrNone where nobody can. It is asked once in a turn, when the
	// first picture comes.
	Choose func(context.Context, engine.Model) (Describer, error)
	// Learned is told that a model turned out not to see, so that it is known from then on; may be nil.
	Learned func(context.Context, engine.Model)
}

// Engine is a place whose models needn't see.
type Engine struct{ c Config }

var _ engine.Place = (*Engine)(nil)

// New puts an engine around a place.
func New(c Config) *Engine { return &Engine{c} }

// ID names the engine that thinks.
func (e *Engine) ID() string { return e.c.Place.ID() }

// Models are those of the place.
func (e *Engine) Models(ctx context.Context) ([]engine.Model, error) { return e.c.Place.Models(ctx) }

// Turn answers the last message.
func (e *Engine) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		r := &run{ctx: ctx, c: e.c, asked: t.Model, yield: yield}
		err := r.all(t)
		if p, ok := errors.AsType[*engine.Problem](err); ok && p.Kind == engine.Blind && t.Model.Sees && !r.over {
			if e.c.Learned != nil {
				e.c.Learned(ctx, t.Model)
			}
			t.Model.Sees = false
			t.Notes = append(append([]string(nil), t.Notes...), r.soFar())
			err = r.all(t)
		}
		r.end(err)
	}
}

// run is one turn under way. Once over is set nothing may be yielded any more.
type run struct {
	ctx   context.Context
	c     Config
	asked engine.Model
	yield func(engine.Event, error) bool
	over  bool

	by    *Describer
	words string   // of the last picture
	did   []string // calls that were answered
	said  strings.Builder
}

// errOver says that whoever ranges broke off, or that the context ended. It is told to nobody.
var errOver = errors.New("over")

// event yields an event and says whether the turn goes on.
func (r *run) event(e engine.Event) bool {
	if r.over || r.ctx.Err() != nil {
		return false
	}
	if !r.yield(e, nil) {
		r.over = true
	}
	return !r.over && r.ctx.Err() == nil
}

func (r *run) end(err error) {
	if r.over {
		return
	}
	if r.ctx.Err() != nil {
		err = context.Cause(r.ctx)
	}
	r.over = true
	if err != nil && !errors.Is(err, errOver) {
		r.yield(nil, err)
	}
}

// all ranges over what the engine does and passes it on. A model that doesn't see gets words for pictures.
func (r *run) all(t engine.Turn) error {
	if !t.Model.Sees {
		var err error
		if t.Messages, err = r.messages(t.Messages); err != nil {
			return err
		}
	}
	for e, err := range r.c.Place.Turn(r.ctx, t) {
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case engine.ToolCall:
			if err := r.call(t.Model.Sees, e); err != nil {
				return err
			}
			continue
		case engine.Text:
			r.said.WriteString(e.Piece)
		case engine.Thinking, engine.Confirm, engine.Doing, engine.Usage: // passed on as they are
		}
		if !r.event(e) {
			return errOver
		}
	}
	return nil
}

// call passes a call on and its answer back.
func (r *run) call(sees bool, e engine.ToolCall) error {
	res, answered := tool.Result{Failed: true, Text: "It was not done."}, false
	back := e.Answer
	e.Answer = func(a tool.Result) {
		if !answered {
			res, answered = a, true
		}
	}
	if !r.event(e) {
		return errOver
	}
	r.did = append(r.did, plain.Clip(e.Name+" "+string(e.Args), maxDid))
	if res.Picture != nil && !sees {
		if err := r.answer(e, &res); err != nil {
			return err
		}
	}
	back(res)
	return nil
}

// answer puts the picture of an answer into words.
func (r *run) answer(e engine.ToolCall, res *tool.Result) error {
	p := res.Picture
	res.Picture = nil
	if e.Blind {
		return nil // nobody looks at it
	}
	if p.Same && r.words != "" {
		res.Text += " " + engine.Unchanged
		return nil
	}
	kind := shownPicture
	if on, zoomed := screen(e); zoomed {
		kind = shownPart
	} else if on {
		kind = shownScreen
	}
	words, err := r.describe(p, kind)
	if err != nil {
		return err
	}
	if kind == shownScreen {
		r.words = words
	}
	res.Text += "\n\n" + words
	return nil
}

// messages puts the pictures of messages into words.
func (r *run) messages(in []engine.Message) ([]engine.Message, error) {
	out := append([]engine.Message(nil), in...)
	for i := range out {
		p := out[i].Picture
		if p == nil {
			continue
		}
		words, err := r.describe(p, shownPicture)
		if err != nil {
			return nil, err
		}
		out[i].Picture = nil
		out[i].Text = strings.TrimSpace(out[i].Text + "\n\n" + words)
	}
	return out, nil
}

// How much of what was done is told again.
const (
	maxDid  = 200
	maxDids = 60
)

// soFar tells a model what it did before it turned out not to see. What tools answered isn't in it: that may be
// somebody else's words, and these are Conch's.
func (r *run) soFar() string {
	var b strings.Builder
	b.WriteString("You can't see pictures, so each one is told to you in words.")
	if s := strings.TrimSpace(r.said.String()); s != "" {
		fmt.Fprintf(&b, " In this turn you have already said: %s", plain.Clip(s, 2000))
	}
	if len(r.did) > 0 {
		b.WriteString("\nIn this turn you have already made these calls, and they were answered. Don't make them again to no purpose; to know how things stand, take a screenshot:")
		for _, d := range r.did[max(len(r.did)-maxDids, 0):] {
			b.WriteString("\n" + d)
		}
	}
	return b.String()
}

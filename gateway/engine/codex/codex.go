// Package codex is the engine that thinks with the person's own Codex, on their own plan: it runs codex app-server for
// one turn, gives it the turn's tools and nothing else, and passes on what it says. It never lets codex run a command
// or touch a file, and knows nothing of policy.
package codex

import (
	"context"
	"iter"
	"os"
	"slices"

	"conch/gateway/engine"
	"conch/gateway/engine/program"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// Program is the program's name on PATH.
const Program = "codex"

var who = program.Who{Name: "Codex", Command: "codex login"}

// Config is what an Engine is made of.
type Config struct {
	Path string   // of the program; empty: where it is found
	Env  []string // more of its environment, such as another folder with its settings
}

// Engine is Codex on this computer.
type Engine struct{ c Config }

var _ engine.Place = (*Engine)(nil)

// New returns the engine of the program.
func New(c Config) *Engine { return &Engine{c} }

// ID names the engine.
func (*Engine) ID() string { return "codex" }

// with starts codex in an empty folder of its own, greets it, and ends it when f returns.
func (e *Engine) with(ctx context.Context, r *run, f func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	path := e.c.Path
	if path == "" {
		found, ok := program.Find(Program)
		if !ok {
			return who.Absent()
		}
		path = found
	}
	temp, err := os.MkdirTemp("", "conch-codex-")
	if err != nil {
		return who.Ended(err)
	}
	defer os.RemoveAll(temp) //nolint:errcheck // an empty folder that stays is no harm
	env := append(program.Env(path, []string{"CODEX_HOME"}, "TMPDIR="+temp), e.c.Env...)
	p, err := program.Start(ctx, program.Spec{Path: path, Args: []string{"app-server"}, Dir: temp, Env: env})
	if err != nil {
		return who.Ended(err)
	}
	defer p.End()
	r.ctx, r.p, r.temp = ctx, p, temp
	if err := r.greet(); err != nil {
		return err
	}
	return f()
}

// picture is the largest picture that none of its models makes smaller.
var picture = tool.Limits{Edge: 1024, Area: 1024 * 768, Tile: 32, Tiles: 1536}

// Models asks codex which models the person's plan has.
func (e *Engine) Models(ctx context.Context) ([]engine.Model, error) {
	var out []engine.Model
	r := newRun(engine.Turn{}, wire.NewOut(ctx, func(engine.Event, error) bool { return false }))
	err := e.with(ctx, r, func() error {
		var list struct {
			Data []struct {
				Model  string   `json:"model"`
				Name   string   `json:"displayName"`
				Hidden bool     `json:"hidden"`
				Takes  []string `json:"inputModalities"`
			} `json:"data"`
		}
		if err := r.ask("model/list", object{}, &list); err != nil {
			return err
		}
		for _, m := range list.Data {
			if m.Hidden || m.Model == "" {
				continue
			}
			one := engine.Model{ID: m.Model, Name: m.Name, Sees: m.Takes == nil || slices.Contains(m.Takes, "image"), Tools: true}
			if one.Sees {
				one.Picture = picture
			}
			out = append(out, one)
		}
		return nil
	})
	return out, err
}

// Turn answers the last message.
func (e *Engine) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		out := wire.NewOut(ctx, yield)
		r := newRun(t, out)
		out.End(e.with(ctx, r, r.turn))
	}
}

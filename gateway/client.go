package gateway

import (
	"context"
	"errors"
	"slices"

	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/engine/call"
	"conch/gateway/guard"
	"conch/gateway/tool"
)

// Client is a paired app, as its record says right now. The zero value may use nothing.
type Client struct {
	ID, Name string
	Mode     chat.Mode
	Scopes   []string    // what the person ticked
	Picture  tool.Limits // the largest picture that it can take
}

// clientCalls lets each app make one call at a time, in the order in which they came.
type clientCalls struct {
	turns chan map[string]chan struct{} // holds the one map, by client
}

func newClientCalls() *clientCalls {
	c := &clientCalls{turns: make(chan map[string]chan struct{}, 1)}
	c.turns <- map[string]chan struct{}{}
	return c
}

// wait returns once it is this call's turn, with what ends it, or with ctx's error.
func (c *clientCalls) wait(ctx context.Context, client string) (done func(), err error) {
	all := <-c.turns
	turn := all[client]
	if turn == nil {
		turn = make(chan struct{}, 1)
		all[client] = turn
	}
	c.turns <- all
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ClientTools lists what a paired app may use now: tools of its scopes, as far as they can be used at all. It is
// worked out anew for each list and each call; a name narrows it to that tool.
func (g *Gateway) ClientTools(ctx context.Context, c Client, name string) []tool.Tool {
	var out []tool.Tool
	for _, s := range g.sources {
		for _, t := range s.all {
			if name != "" && t.Name != name || t.Scope == "" || !slices.Contains(c.Scopes, t.Scope) {
				continue
			}
			if s.why == nil || s.why(ctx, "") == "" {
				out = append(out, t)
			}
		}
	}
	return out
}

// KnownTools lists every tool that a paired app could ever be given.
func (g *Gateway) KnownTools() []tool.Tool {
	var out []tool.Tool
	for _, s := range g.sources {
		for _, t := range s.all {
			if t.Scope != "" {
				out = append(out, t)
			}
		}
	}
	return out
}

// ErrNoTool says that a paired app has no such tool, or not any more.
var ErrNoTool = errors.New("this app has no such tool")

// ClientCall makes one call of a paired app as one turn of the app's own chat, so that the guard, questions and
// Activity hold for it. Calls of one app wait for each other. When ctx ends the turn is stopped, and a question that
// waits expires. step is told what is being done; it may be nil.
func (g *Gateway) ClientCall(ctx context.Context, c Client, name string, args []byte, step func(string)) (tool.Result, error) {
	tools := g.ClientTools(ctx, c, name)
	if name == "" || len(tools) != 1 {
		return tool.Result{}, ErrNoTool
	}
	t := tools[0]
	if t.Direct {
		return g.clientDirect(ctx, c, t, args)
	}
	done, err := g.calls.wait(ctx, c.ID)
	if err != nil {
		return tool.Result{}, err
	}
	defer done()
	log, err := g.clientChat(ctx, c)
	if err != nil {
		return tool.Result{}, err
	}
	e := call.New(name, args)
	end, err := g.runner.Do(ctx, log.ID, "“"+t.Title+"”, asked for by "+c.Name, chat.Job{
		Mind: chat.Mind{Engine: e, Model: engine.Model{Picture: c.Picture}}, Tools: []tool.Tool{t}, Step: step,
	})
	if err != nil {
		return tool.Result{}, err
	}
	if r, made := e.Result(); made {
		return r, nil
	}
	return tool.Result{Failed: true, Refused: true, Text: end.Text}, nil
}

// clientChat is the log of an app, in the mode that the person gave the app now.
func (g *Gateway) clientChat(ctx context.Context, c Client) (chat.Chat, error) {
	log, err := g.store.ClientChat(ctx, c.ID, c.Name, c.Mode)
	if err == nil && log.Mode != c.Mode {
		err = g.store.SetMode(ctx, log.ID, c.Mode)
	}
	return log, err
}

// clientDirect makes a call that needs no turn: it reads what is the person's own, and nothing is asked.
func (g *Gateway) clientDirect(ctx context.Context, c Client, t tool.Tool, args []byte) (tool.Result, error) {
	f := guard.Facts{
		Turn: guard.Turn{Surface: guard.Door, Origin: guard.Client, Mode: modes[c.Mode]}, Kind: effects[t.Effect], On: true, Name: t.Title,
	}
	if v := guard.Decide(f); v.Do != guard.Allow {
		return tool.Result{Failed: true, Refused: true, Rule: v.Rule, Text: v.Say}, nil
	}
	return t.Run(ctx, tool.Call{Client: c.Name, Args: args}), nil
}

package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"conch/driver"
	"conch/gateway/computer"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
	"conch/gateway/tool"
	"conch/gateway/web"
)

// readyWithin is how long a page waits to learn whether the screen can be used.
const readyWithin = time.Second

func (g *Gateway) openComputer() {
	cfg := computer.Config{
		Edge: g.cfg.Edge, EdgeRequired: g.cfg.EdgeRequired, Desktop: g.cfg.Desktop,
		Asker: g.desk, Settings: g.use, Chats: chats{g}, Log: g.log,
		OnLive: func(id string) { g.publish(id, stateLive) },
		Own:    func() policy.Own { return policy.NewOwn(g.dir.Path("."), g.dir.Protected()) },
	}
	if w, ok := g.cfg.Driver.(driver.Watcher); ok {
		cfg.Watcher = w
	}
	if g.cfg.Driver != nil {
		all := newFollowing(g.cfg.Driver)
		cfg.Driver = all.follower()
		if g.cfg.Practice {
			g.practice = newPractice(all.follower(), g.cfg.Now)
		}
	}
	g.computer = computer.New(cfg)
}

func (g *Gateway) closeComputer() {
	if g.computer != nil {
		g.computer.StopAll()
	}
	if g.practice != nil {
		g.practice.close()
	}
}

// source is where tools come from.
type source struct {
	all []tool.Tool
	// why says to an engine why none of them can be used now, in a chat, or in a paired app's where it is empty; an
	// empty sentence is that they can. nil is always.
	why func(ctx context.Context, chat string) string
}

// tools is what a turn is offered, and what Conch tells its engine beside it.
func (g *Gateway) tools(ctx context.Context, id, _ string) (tools []tool.Tool, notes []string) {
	for _, s := range g.sources {
		if s.why != nil {
			if why := s.why(ctx, id); why != "" {
				notes = append(notes, why)
				continue
			}
		}
		tools = append(tools, s.all...)
	}
	return tools, notes
}

// noComputer says to an engine why the computer isn't offered; empty when it is. It is never offered where nobody
// could press Stop or see the edge.
func (g *Gateway) noComputer(ctx context.Context, id string) string {
	switch {
	case g.cfg.Driver == nil:
		return "You can't use apps here: this Conch has no screen that it can use."
	case !g.use.On():
		return "Using apps on this computer is off. If it would help, say that the person can turn it on in " +
			"Settings → This computer → Use your apps. Don't say that it can't be done."
	case !g.attended(id):
		return "You can't use apps in this turn, since nobody is there who could press Stop."
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	err := g.cfg.Driver.Ready(ctx)
	if err == nil {
		return ""
	}
	if u, ok := errors.AsType[*driver.Unready](err); ok {
		return "You can't use apps now. " + u.Error()
	}
	return "You can't use apps now, since the screen doesn't answer."
}

// turnEnding lets go of what a turn held.
func (g *Gateway) turnEnding(_, turn string) { g.computer.EndTurn(turn) }

func (g *Gateway) turnEnded(id, _ string) { g.changed(id) }

// chats is what the computer needs to know of chats.
type chats struct{ g *Gateway }

// Turn is what the guard needs to know of a chat, as it is now.
func (c chats) Turn(id string) guard.Turn {
	return c.g.facts(context.Background(), id, computer.ToolName)
}

func (c chats) Taint(ctx context.Context, id, source string) error {
	turn, _ := c.g.runner.Running(id)
	return c.g.store.Taint(ctx, id, turn, source)
}

// Title names a chat for a person in another one.
func (c chats) Title(id string) string {
	one, err := c.g.store.Chat(context.Background(), id)
	if err != nil {
		return ""
	}
	return one.Title
}

// liveView is the live card of a chat; the zero value hides it.
func (g *Gateway) liveView(id string) web.Live {
	l, ok := g.computer.Live(id)
	if !ok {
		return web.Live{}
	}
	v := web.Live{On: true, Shot: l.PictureID, W: l.W, H: l.H, Step: l.Step, N: l.Used, Max: l.Max}
	if l.Ripple != nil {
		v.Click = &web.Click{X: int(l.Ripple.X), Y: int(l.Ripple.Y)}
	}
	return v
}

func (g *Gateway) getShot(w http.ResponseWriter, r *http.Request) error {
	pic, ok := g.computer.Shot(r.PathValue("id"))
	if !ok {
		return problem(CodeNotFound, "That picture is gone.", "Only the newest one is kept, and only while the computer is used.")
	}
	w.Header().Set("Content-Type", pic.MIME)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(pic.Data)
	return nil
}

// StopKey says which keys stop from anywhere.
type StopKey struct {
	Keys string // "Super+Escape"; empty when none could be had
	Say  string // why another one than usual, or why none; may be empty
}

func (g *Gateway) stopKey() web.StopKey {
	v := web.StopKey{Edge: g.cfg.Edge != nil}
	if g.cfg.StopKey != nil {
		k := g.cfg.StopKey()
		v.Keys, v.Say = k.Keys, k.Say
	}
	return v
}

// screenView says whether the screen can be used now.
func (g *Gateway) screenView(ctx context.Context) web.Screen {
	err := g.cfg.NoDriver
	if g.cfg.Driver != nil {
		ctx, cancel := context.WithTimeout(ctx, readyWithin)
		defer cancel()
		err = g.cfg.Driver.Ready(ctx)
	}
	if err == nil && g.cfg.Driver != nil {
		return web.Screen{Ready: true}
	}
	if u, ok := errors.AsType[*driver.Unready](err); ok {
		return web.Screen{Say: u.Say, Next: u.Next}
	}
	return web.Screen{Say: "The screen can't be used yet.", Next: "Wait a moment, then look again."}
}

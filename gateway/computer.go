package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"conch/driver"
	"conch/gateway/tool"
	"conch/gateway/web"
)

// readyWithin is how long a page waits to learn whether the screen can be used.
const readyWithin = time.Second

func (g *Gateway) openComputer() {
	if g.cfg.Driver == nil {
		return
	}
	all := newFollowing(g.cfg.Driver)
	if g.cfg.Practice {
		g.practice = newPractice(all.follower(), g.cfg.Now)
	}
}

func (g *Gateway) closeComputer(context.Context) {
	if g.practice != nil {
		g.practice.close()
	}
}

// tools is what a turn is offered.
func (g *Gateway) tools(context.Context, string, string) ([]tool.Tool, []string) { return nil, nil }

// turnEnded lets go of what the turn held.
func (g *Gateway) turnEnded(chatID, _ string) { g.changed(chatID) }

// holder says who uses the computer.
func (g *Gateway) holder() (app, chatID, turn string, ok bool) { return "", "", "", false }

func (g *Gateway) liveView(string) web.Live { return web.Live{} }

func (g *Gateway) stopKey() web.StopKey { return web.StopKey{} }

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

func (g *Gateway) getShot(http.ResponseWriter, *http.Request) error {
	return problem(CodeNotFound, "That picture is gone.", "Only the newest one is kept, and only while the computer is used.")
}

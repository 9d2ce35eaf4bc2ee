package gateway

import (
	"context"
	"time"

	"conch/gateway/ask"
	"conch/gateway/web"
)

// needsOK are the questions of paired apps that wait for the person, for every page; those of the page's own chat are
// in it already. One that was given up can be answered for a while, for when the app asks again.
func (g *Gateway) needsOK(ctx context.Context, own string) web.NeedsOK {
	var out web.NeedsOK
	for _, q := range g.desk.Waiting() {
		if name := g.clientName(ctx, q.Chat); name != "" && q.Chat != own {
			out.Questions = append(out.Questions, appQuestion(q, name, false))
		}
	}
	for _, q := range g.desk.Lingering() {
		if name := g.clientName(ctx, q.Chat); name != "" {
			out.Questions = append(out.Questions, appQuestion(q, name, true))
		}
	}
	return out
}

func appQuestion(q ask.Question, name string, late bool) web.AppQuestion {
	return web.AppQuestion{ID: q.ID, App: name, What: q.Title, Why: q.Why, Chat: q.Chat, Late: late, Until: q.Expires.Local()}
}

// lateEnds takes a question that was given up off the pages once it can't be answered any more.
func (g *Gateway) lateEnds(c ask.Change) {
	if c.Done && lingers(c) {
		time.AfterFunc(ask.LateFor, func() { g.publish(topicRail, stateRail) })
	}
}

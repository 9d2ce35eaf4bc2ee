package gateway

import (
	"sync"
	"time"

	"conch/gateway/hub"
)

// justHere is how long somebody who has sent a message, or whose page is being loaded again, counts as there.
const justHere = 5 * time.Second

// presence remembers when a person was there last.
type presence struct {
	now func() time.Time

	mu   sync.Mutex
	last time.Time
}

func (p *presence) touch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = p.now()
}

func (p *presence) just() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := p.now().Sub(p.last)
	return since >= 0 && since < justHere
}

// looking says whether a page, or a terminal that follows the chat, is open.
func (g *Gateway) looking(id string) bool {
	return g.hub.Watching(topicRail) > 0 || g.hub.Watching(id) > 0 || g.present.just()
}

// attended says whether somebody can press Stop: on the edge, which is on the screen that is used, or on a
// page or in a terminal. A practice desktop's edge is on a screen that only a page shows.
func (g *Gateway) attended(id string) bool {
	return g.cfg.Edge != nil && !g.cfg.Practice || g.looking(id)
}

// seen says whether anybody can see a question: there, or in the menu.
func (g *Gateway) seen(id string) bool {
	return g.looking(id) || g.hub.Watching(hub.All) > 0
}

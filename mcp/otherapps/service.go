package otherapps

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"conch/gateway"
	"conch/gateway/access"
	"conch/gateway/state"
	"conch/gateway/tool"
	"conch/gateway/web"
	"conch/mcp/connect"
	"conch/mcp/pair"
)

// Gateway is what the page needs of it. *gateway.Gateway is one.
type Gateway interface {
	Handle(pattern string, rule access.Rule, h func(http.ResponseWriter, *http.Request) error)
	Page(w http.ResponseWriter, r *http.Request, view func(web.Frame) web.PageView) error
	Follow(page string, parts func(ctx context.Context, local bool) ([]web.PartView, error))
	// OtherApps has ⌘K find these apps.
	OtherApps(known []web.AppName)
	Refresh()
	// Confirmed refuses all but a page whose person confirmed that it's them.
	Confirmed(r *http.Request, what string) error
	// Address is Conch's own; empty while it is off.
	Address() string
	// ClientLog is the chat that is an app's log; empty until it did something.
	ClientLog(ctx context.Context, client string) string
	KnownTools() []tool.Tool
}

// Options are what a Service needs. All but the last four must be there.
type Options struct {
	State   *state.Dir
	Clients *pair.Registry
	Connect *connect.Connector
	// Relink puts the launcher that other apps start right, and says whether it had to.
	Relink  func() (mended bool, err error)
	Version string
	Icon    []byte // of the file for Claude Desktop; a PNG
	// Told is told that something of Lines or the page may be different; nil is nobody.
	Told func()
	Now  func() time.Time
	Log  *slog.Logger
}

// Service is the page and what keeps other apps' settings right. Make it with New, give Checks to the gateway, then
// Mount it, and Start it.
type Service struct {
	opt     Options
	records *records
	plans   plans
	gw      Gateway // nil until Mount

	connecting sync.Mutex    // one connection is made, or mended, at a time
	joined     chan struct{} // told when an app was connected that may write over its settings; nil until Start
	open       sync.WaitGroup
}

// New makes a Service. It changes nothing yet.
func New(opt Options) *Service {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{opt: opt, records: newRecords(opt.State, opt.Log), plans: plans{now: opt.Now}}
}

const (
	smallBody = 1 << 10
	pairBody  = 8 << 10
)

// Mount adds the page and its routes. Call it before the gateway serves.
func (s *Service) Mount(gw Gateway) {
	s.gw = gw
	read := access.Rule{Need: access.Device}
	small := access.Rule{Need: access.Device, Body: smallBody}
	pairs := access.Rule{Need: access.Device, Body: pairBody}
	gw.Handle("GET "+web.PathApps, access.Rule{Need: access.Device, Document: true}, s.page)
	gw.Handle("POST /api/other-apps/plan", small, s.postPlan)
	gw.Handle("POST /api/other-apps", pairs, s.postConnect)
	gw.Handle("POST /api/other-apps/elsewhere", small, s.postElsewhere)
	gw.Handle("POST /api/other-apps/seen", small, s.postSeen)
	gw.Handle("POST /api/other-apps/{id}", pairs, s.postChange)
	gw.Handle("DELETE /api/other-apps/{id}", small, s.deleteApp)
	gw.Handle("GET /api/other-apps/{id}/bundle", read, s.getBundle)
	gw.OtherApps(knownApps())
	gw.Follow("apps", func(ctx context.Context, _ bool) ([]web.PartView, error) { return []web.PartView{s.List(ctx)}, nil })
}

func (s *Service) page(w http.ResponseWriter, r *http.Request) error {
	return s.gw.Page(w, r, func(f web.Frame) web.PageView {
		return web.OtherApps{Frame: f, List: s.List(r.Context()), Scopes: s.scopes()}
	})
}

// Changed is told that a paired app is another now, or gone.
func (s *Service) Changed() {
	if s.gw != nil {
		s.gw.Refresh()
	}
	if s.opt.Told != nil {
		s.opt.Told()
	}
}

// Proved is told that an app's launcher proved itself: the app has seen its settings.
func (s *Service) Proved(client string) {
	if r, ok := s.records.get(client); !ok || !r.Waits {
		return
	}
	if err := s.records.change(func(d *doc) { d.edit(client, func(r *record) { r.Waits = false }) }); err != nil {
		s.opt.Log.Warn("it couldn't be written down that an app came", "client", client, "err", err)
	}
	s.Changed()
}

// Start mends what is wrong in other apps' settings, aside, and looks again from time to time while an app may still
// write its own settings over Conch's lines. It ends with ctx; Wait waits for that.
func (s *Service) Start(ctx context.Context) {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	joined := make(chan struct{}, 1)
	s.joined = joined
	s.open.Go(func() {
		s.Mend(ctx)
		s.watch(ctx, joined)
	})
}

// Wait returns once what Start began has ended.
func (s *Service) Wait() { s.open.Wait() }

var _ Gateway = (*gateway.Gateway)(nil)

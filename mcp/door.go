package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"conch/gateway"
	"conch/gateway/access"
	"conch/gateway/tool"
	"conch/mcp/pair"
	"conch/mcp/wire"
)

const (
	// bodyMax is the size of the longest request, in bytes: a text to type and its wrapping.
	bodyMax = 1 << 20
	// helloMax is the size of the longest request for a nonce or a session.
	helloMax = 1 << 10
)

// limitDoor is for guesses at 256 bits: it keeps a log and a processor from being filled.
var limitDoor = access.Limit{Each: 20, All: 100, Window: time.Minute}

// Gateway is what the door uses of it. *gateway.Gateway is one.
type Gateway interface {
	// KnownTools lists every tool that an app could ever be given.
	KnownTools() []tool.Tool
	// ClientTools lists what an app may use now; a name narrows it to that tool.
	ClientTools(ctx context.Context, c gateway.Client, name string) []tool.Tool
	ClientCall(ctx context.Context, c gateway.Client, name string, args []byte, step func(string)) (tool.Result, error)
}

// Options are what a Door needs.
type Options struct {
	Gateway Gateway
	Clients *pair.Registry
	Version string
	Now     func() time.Time
	Log     *slog.Logger
}

// Door serves paired apps. Make it with New, mount it with Mount, and end it with Close.
type Door struct {
	opt   Options
	fails *access.Throttle
	srv   *server.MCPServer
	http  *server.StreamableHTTPServer
	calls *calls
	// direct are the tools that need no turn.
	direct map[string]bool

	mu     sync.Mutex
	closed bool
	open   map[string]map[*opened]struct{} // requests that run, by client
}

// opened is a request that runs, and what ends it.
type opened struct{ end context.CancelCauseFunc }

// New makes a door. It serves nothing until it is mounted.
func New(opt Options) *Door {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	d := &Door{opt: opt, fails: access.NewThrottle(limitDoor, opt.Now), open: map[string]map[*opened]struct{}{}, direct: map[string]bool{}}
	d.calls = newCalls(opt.Gateway, opt.Now)
	d.srv = server.NewMCPServer("conch", opt.Version,
		server.WithTitle("Conch"), server.WithInstructions(instructions),
		server.WithToolCapabilities(true), server.WithToolFilter(d.offered), server.WithLogger(opt.Log),
		server.WithCacheHints(0, mcp.CacheScopePrivate))
	for _, t := range opt.Gateway.KnownTools() {
		d.srv.AddTool(shown(t), d.call)
		d.direct[t.Name] = t.Direct
	}
	d.http = server.NewStreamableHTTPServer(d.srv, server.WithStateLess(true), server.WithDisableStreaming(true),
		server.WithSessionIdManager(sessions{}), server.WithStreamableHTTPLogger(opt.Log),
		// The gateway has compared the Host with its own names before the door is asked.
		server.WithDisableLocalhostProtection(true))
	return d
}

const instructions = "Conch lends what its person has set up there. They watch, and Conch asks them for what matters: " +
	"a call may wait for their OK. If an answer says that it waits, make the same call again in a moment."

// Mounter is where routes are added. *gateway.Gateway is one.
type Mounter interface {
	Mount(pattern string, rule access.Rule, h http.Handler)
}

// Mount adds the door's routes.
func (d *Door) Mount(m Mounter) {
	m.Mount(wire.PathDoor, access.Rule{Need: access.Door, Body: bodyMax}, http.HandlerFunc(d.serve))
	m.Mount("POST "+wire.PathHello, access.Rule{Need: access.Door, Body: helloMax}, http.HandlerFunc(d.hello))
	m.Mount("POST "+wire.PathSession, access.Rule{Need: access.Door, Body: helloMax}, http.HandlerFunc(d.session))
}

// Close ends what runs and waits for it, or for ctx.
func (d *Door) Close(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	for _, all := range d.open {
		for o := range all {
			o.end(errClosing)
		}
	}
	d.mu.Unlock()
	return d.calls.close(ctx)
}

// Changed is told that a client's record is another, or gone, or that what can be used at all is different. Sessions of
// one that is gone end at once; the others are told to list their tools again.
func (d *Door) Changed(id string) {
	if _, paired := d.opt.Clients.Get(id); !paired && id != "" {
		d.mu.Lock()
		for o := range d.open[id] {
			o.end(errRemoved)
		}
		d.mu.Unlock()
	}
	d.srv.SendNotificationToAllClients(mcp.MethodNotificationToolsListChanged, nil)
}

// enter notes a request of a client that runs. It ends with what is returned, when the client is removed, and when the
// door is closed; one that comes after that has ended already.
func (d *Door) enter(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	o := &opened{cancel}
	d.mu.Lock()
	if d.open[id] == nil {
		d.open[id] = map[*opened]struct{}{}
	}
	d.open[id][o] = struct{}{}
	if d.closed {
		cancel(errClosing)
	}
	d.mu.Unlock()
	return ctx, func() {
		d.mu.Lock()
		delete(d.open[id], o)
		if len(d.open[id]) == 0 {
			delete(d.open, id)
		}
		d.mu.Unlock()
		cancel(nil)
	}
}

// known says which paired app is calling. Anybody else gets the one flat answer, and why is only in the log.
func (d *Door) known(w http.ResponseWriter, r *http.Request) (c pair.Client, session string, ok bool) {
	from := gateway.DoorCaller(r)
	bearers := r.Header.Values("Authorization")
	why := "no key"
	if len(bearers) == 1 {
		scheme, bearer, _ := strings.Cut(bearers[0], " ")
		if strings.EqualFold(scheme, "Bearer") {
			c, session, ok = d.opt.Clients.Bearer(bearer)
			why = "a key or session that isn't good"
		}
	}
	if ok && !from.LooksLocal {
		ok = from.Secure && c.Kind == pair.HTTP && c.Remote && d.opt.Clients.Elsewhere()
		why = "from elsewhere"
	}
	if ok {
		return c, session, true
	}
	d.refuse(w, from, why)
	return pair.Client{}, "", false
}

// refuse answers a stranger.
func (d *Door) refuse(w http.ResponseWriter, from gateway.Caller, why string) {
	within := d.fails.Try(from.From)
	d.opt.Log.Info("the door refused somebody", "why", why, "throttled", !within)
	if !within {
		flat(w, http.StatusTooManyRequests, "too-many", "Too many tries. Wait a minute.")
		return
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	flat(w, http.StatusUnauthorized, "not-paired", "This app isn't paired with Conch. Open Conch → Settings → Other apps to connect it.")
}

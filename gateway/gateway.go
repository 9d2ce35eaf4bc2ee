// Package gateway is what happens because of a request: who is asking, chats and their turns, questions to
// the person, the computer tool, and the pages. It serves all of it on one loopback port.
//
// It decides who may do what, and nothing of how a screen is read or an edge is drawn: a driver and an edge
// are given to it. It never listens by itself, opens no browser, and never imports the packages above it.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"conch/driver"
	"conch/gateway/access"
	"conch/gateway/access/address"
	"conch/gateway/access/devices"
	"conch/gateway/access/keep"
	"conch/gateway/ask"
	"conch/gateway/care"
	"conch/gateway/chat"
	"conch/gateway/computer"
	"conch/gateway/computer/policy"
	"conch/gateway/confirm"
	"conch/gateway/engine"
	"conch/gateway/hub"
	"conch/gateway/memory"
	"conch/gateway/models"
	"conch/gateway/secrets"
	"conch/gateway/skills"
	"conch/gateway/state"
	"conch/gateway/tool"
	"conch/gateway/web"
)

// Config is what a Gateway is made of. Home or State, and Engine, must be there.
type Config struct {
	// Home is Conch's folder; State is that folder when it is open already, and stays the caller's to close.
	Home  string
	State *state.Dir

	// Engine answers where no model was set up.
	Engine engine.Engine
	// Secrets keeps the keys that the person gave Conch; nil keeps them in files of Conch's folder.
	Secrets secrets.Secrets
	// System is what this computer runs: "mac", "linux".
	System string
	// Driver is this computer's screen, mouse and keyboard. nil means that there is none, for the reason that
	// NoDriver gives.
	Driver   driver.Driver
	NoDriver error
	// Practice says that the driver's screen is a practice desktop, so pages may show it live.
	Practice bool
	// Edge shows on the screen that the computer is in use; nil is none. EdgeRequired refuses to use the
	// computer while the edge can't be shown. StopKey says which keys stop from anywhere; may be nil.
	Edge         computer.Edge
	EdgeRequired bool
	StopKey      func() StopKey
	// Switches is what the operating system has to allow; nil where it has no such switches.
	Switches Switches
	// Confirm is the system's own way to show that it's the person (Touch ID, the login password); nil is none,
	// so they set a Conch password.
	Confirm confirm.Prompt
	// Listen opens a port of this computer to the network, for Conch's address; nil can't, so a TLS proxy is the only
	// way in from elsewhere.
	Listen func(ctx context.Context, port int) (net.Listener, error)
	// Platform is what repair can look at beside the screen; a part that is nil is left out of it.
	Platform care.Platform
	// Checks are the program's own, beside the gateway's.
	Checks []care.Check
	// ToolsChanged is told that what can be used at all may be different; nil is nobody.
	ToolsChanged func()
	// Stale names files of the program's own that nothing needs once they are that old.
	Stale map[string]time.Duration
	// Desktop says whose key chords are judged; the zero value is the strictest.
	Desktop policy.Desktop

	Version string
	Now     func() time.Time
	Log     *slog.Logger
}

// chatFiles are the database and the two files that SQLite keeps beside it.
var chatFiles = []string{chat.File, chat.File + "-wal", chat.File + "-shm"}

// keyName is where the here key is kept in Conch's folder.
const keyName = "here/key"

// Gateway is one running Conch. Make it with New and end it with Serve's context or Close.
type Gateway struct {
	cfg  Config
	home string
	log  *slog.Logger

	dir     *state.Dir
	ownDir  bool
	use     *state.ComputerUse
	store   *chat.Store
	runner  *chat.Runner
	calls   *clientCalls
	models  *models.Models
	found   finding
	memory  *memory.Store
	skills  *skills.Skills
	sources []source // of tools, for turns and paired apps
	desk    *ask.Desk
	hub     hub.Hub
	web     *web.Renderer

	proof   *access.Proof
	codes   *access.Codes
	guard   *access.Guard
	access  *keep.File
	devices *devices.Devices
	away    listening
	mux     *router

	computer *computer.Computer
	present  *presence
	switches switches
	confirm  *confirm.Confirm
	practice *practice // nil when the screen isn't a practice desktop
	care     caring
	mounted  map[string]liveParts // by page
	// knownApps are those that a mounted page can connect; none: there is no such page.
	knownApps []web.AppName

	closing context.Context // ends when the gateway begins to close
	close   context.CancelFunc
	sockets atomic.Int64
	open    sync.WaitGroup // sockets that are the gateway's own to wait for
	once    sync.Once
	closed  error
}

// New opens Conch's folder and gets everything ready to serve. A turn that an earlier Conch left running is
// marked as cut off. The error is one sentence for a person.
func New(ctx context.Context, cfg Config) (_ *Gateway, err error) {
	if cfg.Engine == nil {
		return nil, errors.New("gateway: there is no engine")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	g := &Gateway{cfg: cfg, log: cfg.Log, dir: cfg.State, calls: newClientCalls(), mounted: map[string]liveParts{}}
	g.closing, g.close = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close(context.WithoutCancel(ctx)))
		}
	}()
	if g.dir == nil {
		if g.dir, err = state.Open(cfg.Home); err != nil {
			return nil, err
		}
		g.ownDir = true
	}
	g.home = g.dir.Path(".")
	if err := g.openAccess(); err != nil {
		return nil, err
	}
	if g.web, err = web.New(web.Assets()); err != nil {
		return nil, err
	}
	g.present = &presence{now: cfg.Now}
	g.hub.Watch = func(topic string, watched bool) {
		if topic == topicRail && !watched {
			g.present.touch()
		}
	}
	g.use = state.NewComputerUse(g.dir, cfg.Now, cfg.Log)
	g.confirm = confirm.New(g.access, cfg.Confirm, cfg.Now)
	g.desk = ask.NewDesk(ask.Options{Seen: g.seen, Changed: g.asked, Lingers: lingers, Now: cfg.Now})
	g.openComputer()
	g.sources = append(g.sources, source{[]tool.Tool{g.computer.Tool()}, g.noComputer})
	if err := g.openChats(ctx); err != nil {
		return nil, err
	}
	g.openCare()
	g.mux = newRouter(g)
	return g, nil
}

func (g *Gateway) openAccess() error {
	key, err := g.dir.Secret(keyName, access.KeySize)
	if err != nil {
		return err
	}
	g.proof = access.NewProof(key, g.cfg.Now)
	g.codes = access.NewCodes(g.cfg.Now)
	g.access = keep.Open(g.dir, g.log)
	g.devices = devices.New(g.access, g.cfg.Now)
	g.guard = access.NewGuard(g.proof, &address.Outside{File: g.access, Devices: g.devices}, g.cfg.Now)
	return nil
}

func (g *Gateway) openChats(ctx context.Context) (err error) {
	for _, name := range chatFiles {
		g.dir.Declare(name)
	}
	g.store, err = chat.Open(ctx, g.dir.Path(chat.File), g.cfg.Now, g.logged)
	if _, ok := errors.AsType[*chat.DamagedError](err); ok {
		// Nothing of them can be shown, and Conch has more to it than its past: they are kept, not lost.
		for _, name := range chatFiles {
			to, err := g.dir.Aside(name)
			if err != nil {
				return err
			}
			if to != "" {
				g.log.Error("the chats are damaged; they are kept aside and Conch starts without them", "file", name, "kept", to)
			}
		}
		g.store, err = chat.Open(ctx, g.dir.Path(chat.File), g.cfg.Now, g.logged)
	}
	if err != nil {
		return err
	}
	cut, err := g.store.CutOff(ctx)
	if err != nil {
		return fmt.Errorf("mark what was cut off: %w", err)
	}
	if cut > 0 {
		g.log.Warn("turns were cut off when Conch ended last", "turns", cut)
	}
	if g.cfg.Secrets == nil {
		g.cfg.Secrets = secrets.Files(g.dir)
	}
	g.models = models.Open(models.Options{
		State: g.dir, Secrets: g.cfg.Secrets, Spent: g.store, System: g.cfg.System, Now: g.cfg.Now, Log: g.log,
	})
	if err := errors.Join(g.openMemory(ctx), g.openSkills()); err != nil {
		return err
	}
	g.sources = append(g.sources, source{all: g.memoryTools()}, source{all: g.skillTools()})
	g.runner = chat.NewRunner(chat.Options{
		Store: g.store, Pick: g.pick, Tools: g.tools, Permit: g.permit, Confirm: g.confirmWith, Use: g.used,
		Live: g.liveText, Ending: g.turnEnding, Ended: g.turnEnded, Log: g.log,
	})
	return nil
}

// NewCode makes a one-time code: a browser that shows it within two minutes (#here=<code> in the address of
// any page) gets its cookie. Never put it on a command line.
func (g *Gateway) NewCode() string { return g.codes.New() }

// Stop interrupts the turn that uses the computer, or, when none does, every turn that runs. It returns once
// they have ended, or with ctx's error; it says whether anything was running.
func (g *Gateway) Stop(ctx context.Context) (was bool, err error) {
	turns := g.runner.All()
	if _, turn, ok := g.computer.Holder(); ok {
		turns = map[string]string{turn: ""}
	}
	for turn := range turns {
		ran, stopErr := g.runner.Interrupt(ctx, turn)
		was = was || ran
		err = errors.Join(err, stopErr)
	}
	return was, err
}

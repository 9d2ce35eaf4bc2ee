package main

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"conch/driver/mac"
	"conch/gateway"
	"conch/gateway/state"
)

// permissionsFile remembers which build of Conch had a permission.
const permissionsFile = "permissions.json"

// permissionsDoc is that document. A switch that an older build had and this one is refused is shown on in
// System Settings all the same; without a memory it would look like one that was never turned on.
type permissionsDoc struct {
	state.Versioned
	Builds map[string]string `json:"builds,omitempty"` // a switch → the build that had it last
	// Awaited are switches that a fresh look heard yes for right before Conch was reopened for them.
	Awaited map[string]bool `json:"awaited,omitempty"`
}

// macSystem is what a Mac is asked about its permissions.
type macSystem struct {
	May      func(mac.Permission) bool
	Fresh    func(context.Context) (see, click mac.Look, err error) // by a child that just started
	Ask      func(mac.Permission)
	Settings func(mac.Permission) error
	Who      func() mac.Identity
	Reopen   func() error // starts what opens Conch once this one has ended
	Tried    *tries
	Build    string // of this program
}

// tries is how it went when each permission was needed last: the screen's driver tells it, the next look takes it.
type tries [2]atomic.Pointer[mac.Tried]

// tell notes how it went. It never waits, since pictures and presses do.
func (t *tries) tell(p mac.Permission, how mac.Tried) { t[p].Store(&how) }

// freshEvery is how often a child is started to look, at most.
const freshEvery = 1500 * time.Millisecond

// macPermissions is a Mac's two switches as the gateway shows them.
type macPermissions struct {
	sys  macSystem
	file *state.File[permissionsDoc]
	quit func()
	log  *slog.Logger
	now  func() time.Time

	mu     sync.Mutex
	who    mac.Identity
	known  bool // who was asked, and the document read
	models [2]mac.PermissionModel
	looked time.Time
	fresh  [2]mac.Look
	saved  [2]mac.Granted
}

func newMacPermissions(sys macSystem, dir *state.Dir, quit func(), now func() time.Time, log *slog.Logger) *macPermissions {
	return &macPermissions{
		sys: sys, file: state.NewFile[permissionsDoc](dir, permissionsFile, 1, log), quit: quit, log: log, now: now,
		models: [2]mac.PermissionModel{{Which: mac.SeeScreen}, {Which: mac.ClickAndType}},
	}
}

var permissionNames = [2]gateway.SwitchName{mac.SeeScreen: gateway.SwitchSee, mac.ClickAndType: gateway.SwitchClick}

// Look asks macOS, and a child of ours for what macOS tells a process only at its start.
func (m *macPermissions) Look(ctx context.Context) gateway.SystemSwitches {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begin()
	see, click := m.sys.May(mac.SeeScreen), m.sys.May(mac.ClickAndType)
	if (!see || !click) && m.now().Sub(m.looked) >= freshEvery {
		var err error
		if m.fresh[0], m.fresh[1], err = m.sys.Fresh(ctx); err != nil {
			m.log.Info("the permissions could not be looked at anew", "error", err)
		}
		m.looked = m.now()
	}
	for i, here := range [2]bool{see, click} {
		m.models[i] = m.learn(m.models[i], here, m.fresh[i])
		if how := m.sys.Tried[i].Swap(nil); how != nil && here { // what was tried before it was turned off is over
			m.models[i] = m.models[i].Next(*how)
		}
	}
	m.remember()
	return switchWords(switchFacts{See: m.models[0].State(), Click: m.models[1].State(), Who: m.who})
}

// learn is a model after a look. What this very build had a moment ago and hasn't now was turned off by the
// person: nothing is refused then.
func (m *macPermissions) learn(p mac.PermissionModel, here bool, fresh mac.Look) mac.PermissionModel {
	if !here && !p.Failed && (p.Here || (p.Fresh == mac.LookOn && fresh == mac.LookOff)) {
		p = p.Next(mac.Removed{})
	}
	if here {
		fresh = mac.LookOn
	}
	return p.Next(mac.Looked{Here: here, Fresh: fresh})
}

// begin reads what an earlier Conch knew.
func (m *macPermissions) begin() {
	if m.known {
		return
	}
	m.known = true
	m.who = m.sys.Who()
	doc, err := m.file.Read()
	if err != nil {
		m.log.Info("what is remembered of the permissions can't be read", "error", err)
		return
	}
	for i, name := range permissionNames {
		build, had := doc.Builds[string(name)]
		if (had && build != m.sys.Build) || doc.Awaited[string(name)] {
			m.models[i] = m.models[i].Next(mac.Believed{})
		}
	}
}

// remember writes down what a later Conch has to know. It is a help, so a failure is only logged.
func (m *macPermissions) remember() {
	now := [2]mac.Granted{m.models[0].State(), m.models[1].State()}
	if now == m.saved {
		return
	}
	err := m.file.Change(func(d *permissionsDoc) error {
		if d.Builds == nil {
			d.Builds = map[string]string{}
		}
		for i, name := range permissionNames {
			switch now[i] {
			case mac.On, mac.AfterReopen:
				d.Builds[string(name)] = m.sys.Build
				delete(d.Awaited, string(name))
			case mac.Off:
				if m.saved[i] == mac.On { // turned off by the person
					delete(d.Builds, string(name))
				}
			case mac.Refused:
			}
		}
		return nil
	})
	if err != nil {
		m.log.Info("the permissions could not be remembered", "error", err)
		return
	}
	m.saved = now
}

// Ask puts Conch on macOS's list and opens the page with the switch.
func (m *macPermissions) Ask(_ context.Context, name gateway.SwitchName) error {
	for i, n := range permissionNames {
		if n == name {
			m.sys.Ask(mac.Permission(i))
			return m.sys.Settings(mac.Permission(i))
		}
	}
	return errNoSwitch
}

// Reopen leaves word for what opens Conch again, then quits: one that starts while the old one still lives ends
// at once, since only one runs.
func (m *macPermissions) Reopen(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.file.Change(func(d *permissionsDoc) error {
		if d.Awaited == nil {
			d.Awaited = map[string]bool{}
		}
		for i, name := range permissionNames {
			if m.models[i].State() == mac.AfterReopen {
				d.Awaited[string(name)] = true
			}
		}
		return nil
	})
	if err != nil {
		m.log.Info("the permissions could not be remembered", "error", err)
	}
	if err := m.sys.Reopen(); err != nil {
		return err
	}
	m.quit()
	return nil
}

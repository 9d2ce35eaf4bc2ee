package gateway

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"conch/gateway/guard"
	"conch/gateway/web"
)

// SwitchName names one of the system's own switches.
type SwitchName string

// The switches that stand between Conch and a screen.
const (
	SwitchSee   SwitchName = "see"   // look at the screen
	SwitchClick SwitchName = "click" // use the mouse and the keyboard
)

// SwitchState says how a switch stands.
type SwitchState string

// The states of a switch. The zero value is as good as off.
const (
	SwitchOff     SwitchState = "off"
	SwitchOn      SwitchState = "on"
	SwitchReopen  SwitchState = "reopen"  // on, and Conch gets it once it is opened again
	SwitchRefused SwitchState = "refused" // the system's list shows it on, and it is refused all the same
)

// SystemSwitch is one switch as it stands, in words for a person.
type SystemSwitch struct {
	Name   SwitchName
	State  SwitchState
	Say    string   // what that means now
	Steps  []string // what to do, one thing each, where one press is not enough
	Button string   // what a press does ("Turn on…"); empty when there is nothing to press
}

// SwitchNote is something about the switches that a person has to know.
type SwitchNote struct{ Say, Next string }

// SystemSwitches is all the switches at one moment.
type SystemSwitches struct {
	Rows []SystemSwitch
	// App says which app the system's list names, so that the person grants that one and no other.
	App   string
	Notes []SwitchNote
	// Reopen says that Conch only has to be opened again, which Switches.Reopen does.
	Reopen bool
}

// Switches is what the operating system has to allow before a screen can be used. The app fills it.
type Switches interface {
	// Look says how they stand now. It brings up nothing on the screen.
	Look(context.Context) SystemSwitches
	// Ask has the system put Conch on its list and opens the very page of the system's settings.
	Ask(context.Context, SwitchName) error
	// Reopen ends Conch and opens it again. It returns before that has happened.
	Reopen(context.Context) error
}

// lookWithin is how long a page waits for an answer of the system's.
const lookWithin = 2 * time.Second

// switches remembers how the switches stood last, so that pages are told when it changes.
type switches struct {
	mu   sync.Mutex
	last SystemSwitches
}

// lookAtSwitches asks the system how its switches stand, and says whether that is new.
func (g *Gateway) lookAtSwitches(ctx context.Context) (now SystemSwitches, fresh bool) {
	if g.cfg.Switches == nil {
		return SystemSwitches{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	now = g.cfg.Switches.Look(ctx)
	g.switches.mu.Lock()
	defer g.switches.mu.Unlock()
	fresh = !now.same(g.switches.last)
	g.switches.last = now
	return now, fresh
}

func (s SystemSwitches) same(o SystemSwitches) bool {
	return s.App == o.App && s.Reopen == o.Reopen && slices.Equal(s.Notes, o.Notes) && slices.EqualFunc(s.Rows, o.Rows, func(a, b SystemSwitch) bool {
		return a.Name == b.Name && a.State == b.State && a.Say == b.Say && a.Button == b.Button && slices.Equal(a.Steps, b.Steps)
	})
}

// switchNames are the switches' names on the page.
var switchNames = map[SwitchName]string{SwitchSee: "See the screen", SwitchClick: "Click and type"}

// switchesView is the rows as a page shows them. Who isn't at this computer has nothing to press.
func (g *Gateway) switchesView(ctx context.Context, local bool) web.Switches {
	now, _ := g.lookAtSwitches(ctx)
	v := web.Switches{App: now.App, Reopen: now.Reopen && local}
	for _, n := range now.Notes {
		v.Notes = append(v.Notes, web.SwitchNote{Say: n.Say, Next: n.Next})
	}
	for _, s := range now.Rows {
		row := web.SwitchRow{
			ID: string(s.Name), Name: switchNames[s.Name], State: web.SwitchState(s.State), Say: s.Say, Steps: s.Steps, Button: s.Button,
		}
		if !local && row.Button != "" {
			row.Button, row.Steps = "", []string{"This is done on the computer itself: open Conch there."}
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// postLookSwitches looks again how the system's switches stand. What changed goes to all pages.
func (g *Gateway) postLookSwitches(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	if _, fresh := g.lookAtSwitches(r.Context()); fresh {
		g.settingsChanged()
	}
	return noContent(w)
}

// postAskSwitch has the system ask the person about one switch. It brings something up on this screen, so only
// a page on this computer may.
func (g *Gateway) postAskSwitch(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	if err := g.may(r, guard.Widens, "The system's settings can be opened"); err != nil {
		return err
	}
	name := SwitchName(r.PathValue("name"))
	if _, known := switchNames[name]; !known || g.cfg.Switches == nil {
		return problem(CodeNotFound, "There's no such switch here.", "Load the page again.")
	}
	if err := g.cfg.Switches.Ask(r.Context(), name); err != nil {
		return &Problem{Code: CodeUnavailable, Say: "The system's settings could not be opened.", Next: "Open them yourself, under Privacy & Security.", Err: err}
	}
	return noContent(w)
}

// postReopen ends Conch and opens it again.
func (g *Gateway) postReopen(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	if err := g.may(r, guard.Widens, "Conch can be opened again"); err != nil {
		return err
	}
	if g.cfg.Switches == nil {
		return problem(CodeNotFound, "There's nothing here that needs it.", "Load the page again.")
	}
	if err := g.cfg.Switches.Reopen(r.Context()); err != nil {
		return &Problem{Code: CodeUnavailable, Say: "Conch couldn't open itself again.", Next: "Quit it from the menu bar, then open it.", Err: err}
	}
	return noContent(w)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/driver/mac"
	"conch/gateway"
	"conch/gateway/state"
)

// madeUpMac is a Mac as TCC behaves there: what a process hears about the screen is settled at its start, what
// it hears about clicking is live, and a switch that another build turned on is shown on and refused.
type madeUpMac struct {
	granted    [2]string // the build that each switch was turned on for; empty is off
	build      string
	seeAtStart bool
	children   int
	asked      []mac.Permission
	opened     []mac.Permission
	reopened   int
	broken     bool // no child can be started
	tried      tries
}

func (m *madeUpMac) has(p mac.Permission) bool { return m.granted[p] == m.build }

func (m *madeUpMac) system() macSystem {
	m.seeAtStart, m.tried = m.has(mac.SeeScreen), tries{}
	look := func(p mac.Permission) mac.Look {
		if m.has(p) {
			return mac.LookOn
		}
		return mac.LookOff
	}
	return macSystem{
		May: m.hears,
		Fresh: func(context.Context) (see, click mac.Look, err error) {
			if m.broken {
				return mac.NoLook, mac.NoLook, errors.New("no child")
			}
			m.children++
			return look(mac.SeeScreen), look(mac.ClickAndType), nil
		},
		Ask:      func(p mac.Permission) { m.asked = append(m.asked, p) },
		Settings: func(p mac.Permission) error { m.opened = append(m.opened, p); return nil },
		Who:      func() mac.Identity { return mac.Identity{Name: "Conch", Ourselves: true} },
		Reopen:   func() error { m.reopened++; return nil },
		Tried:    &m.tried,
		Build:    m.build,
	}
}

// hears says what a process hears of a permission.
func (m *madeUpMac) hears(p mac.Permission) bool {
	if p == mac.SeeScreen {
		return m.seeAtStart
	}
	return m.has(p)
}

// use needs a permission for real, as the screen's driver does where macOS says that it has it.
func (m *madeUpMac) use(p mac.Permission) {
	if m.hears(p) {
		m.tried.tell(p, mac.Tried{Refused: !m.has(p)})
	}
}

// conchOn is one Conch that runs on such a Mac.
type conchOn struct {
	*macPermissions
	quits int
	at    time.Time
}

func startOn(t *testing.T, m *madeUpMac, dir *state.Dir) *conchOn {
	t.Helper()
	c := &conchOn{at: time.Unix(1_800_000_000, 0)}
	c.macPermissions = newMacPermissions(m.system(), dir, func() { c.quits++ }, func() time.Time { return c.at }, quiet())
	return c
}

// states are how the page shows the two switches after some time.
func (c *conchOn) states() string {
	c.at = c.at.Add(2 * time.Second)
	v := c.Look(context.Background())
	return fmt.Sprint(v.Rows[0].State, " ", v.Rows[1].State)
}

func openDir(t *testing.T) *state.Dir {
	t.Helper()
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir
}

func TestPermissionsOfAMac(t *testing.T) {
	dir, m := openDir(t), &madeUpMac{build: "one"}
	c := startOn(t, m, dir)
	want := func(when, states string) {
		t.Helper()
		if got := c.states(); got != states {
			t.Errorf("%s: %s, want %s", when, got, states)
		}
	}
	want("at first", "off off")
	if err := c.Ask(t.Context(), gateway.SwitchClick); err != nil || len(m.asked) != 1 || m.asked[0] != mac.ClickAndType || m.opened[0] != mac.ClickAndType {
		t.Errorf("asked %v, opened %v, %v", m.asked, m.opened, err)
	}
	if c.Ask(t.Context(), "all") == nil {
		t.Error("a switch that isn't there was asked for")
	}
	m.granted[mac.ClickAndType] = "one"
	want("click is heard live", "off on")
	m.granted[mac.SeeScreen] = "one"
	want("see is heard by a child", "reopen on")
	m.granted[mac.SeeScreen] = ""
	want("turned off again before reopening", "off on")
	m.granted[mac.SeeScreen] = "one"
	want("and on", "reopen on")
	if err := c.Reopen(t.Context()); err != nil || m.reopened != 1 || c.quits != 1 {
		t.Errorf("reopen: %v, %d times, quit %d times", err, m.reopened, c.quits)
	}
	c = startOn(t, m, dir)
	want("reopened", "on on")
	children := m.children
	want("nothing is missing", "on on")
	if m.children != children {
		t.Error("a child was started though nothing is missing")
	}
	m.granted[mac.ClickAndType] = ""
	want("the person turned click off", "on off")
	m.granted[mac.ClickAndType] = "one"
	want("and on", "on on")

	// The next build: macOS's list shows both on and refuses both.
	m.build = "two"
	c = startOn(t, m, dir)
	want("another build", "refused refused")
	m.granted = [2]string{"two", "two"} // removed with − and added again
	want("added again", "reopen on")
	c = startOn(t, m, dir)
	want("reopened", "on on")
}

// Reopened for a yes that then doesn't come: macOS shows it on, and refuses.
func TestPermissionThatDoesNotCome(t *testing.T) {
	dir, m := openDir(t), &madeUpMac{build: "one"}
	c := startOn(t, m, dir)
	m.granted[mac.SeeScreen] = "one"
	if got := c.states(); got != "reopen off" {
		t.Fatal(got)
	}
	if err := c.Reopen(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.granted[mac.SeeScreen] = "another"
	if got := startOn(t, m, dir).states(); got != "refused off" {
		t.Errorf("%s, want refused off", got)
	}
}

// macOS says yes and refuses the picture: only the try tells that, and only the next try that it is over.
func TestPermissionRefusedInUse(t *testing.T) {
	m := &madeUpMac{build: "one", granted: [2]string{"one", "one"}}
	c := startOn(t, m, openDir(t))
	want := func(when, states string) {
		t.Helper()
		if got := c.states(); got != states {
			t.Errorf("%s: %s, want %s", when, got, states)
		}
	}
	want("at first", "on on")
	m.granted[mac.SeeScreen] = "another" // what this process heard at its start stays a yes
	want("nothing was tried", "on on")
	m.use(mac.SeeScreen)
	want("a picture was refused", "refused on")
	want("and nothing since", "refused on")
	row := c.Look(t.Context()).Rows[0]
	if steps := strings.Join(row.Steps, " "); !strings.Contains(row.Say, "as on and refuses it") || row.Button == "" ||
		!strings.Contains(steps, "press −") || !strings.Contains(steps, "Press +") || !strings.Contains(steps, "open it again") {
		t.Errorf("the row says %+v", row)
	}
	m.granted[mac.SeeScreen] = "one"
	want("added again, and not tried", "refused on")
	m.use(mac.SeeScreen)
	want("a picture came", "on on")

	m.tried.tell(mac.ClickAndType, mac.Tried{Refused: true})
	want("a control could not be named", "on refused")
	m.granted[mac.ClickAndType] = ""
	want("removed with −", "on refused")
	m.granted[mac.ClickAndType] = "one"
	want("added with +", "on on")
	m.granted[mac.ClickAndType] = ""
	m.tried.tell(mac.ClickAndType, mac.Tried{}) // a moment before it was turned off
	want("turned off", "on off")
	m.granted[mac.ClickAndType] = "one"
	want("and on", "on on")
}

// A child that can't be started proves nothing, and children are started now and then only.
func TestPermissionChildren(t *testing.T) {
	m := &madeUpMac{build: "one", broken: true}
	c := startOn(t, m, openDir(t))
	if got := c.states(); got != "off off" {
		t.Error(got)
	}
	m.broken = false
	c.at = c.at.Add(2 * time.Second)
	for range 20 {
		c.Look(t.Context())
	}
	if m.children != 1 {
		t.Errorf("%d children in one moment", m.children)
	}
}

// Whatever happens to the switches, the page never says On for what macOS refuses, never offers Reopen for
// what reopening can't give, and always comes to On once both are granted and Conch was reopened.
func TestPermissionsAtRandom(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		dir, m := openDir(t), &madeUpMac{build: "b0"}
		c := startOn(t, m, dir)
		for step := range 40 {
			refused := [2]bool{} // in this step
			switch rnd.IntN(6) {
			case 0:
				m.granted[rnd.IntN(2)] = m.build
			case 1:
				m.granted[rnd.IntN(2)] = ""
			case 2:
				m.build = fmt.Sprintf("b%d", rnd.IntN(3))
				c = startOn(t, m, dir)
			case 3:
				_ = c.Reopen(t.Context())
				c = startOn(t, m, dir)
			case 4:
				m.broken = rnd.IntN(3) == 0
			case 5:
				for p := range mac.Permission(2) {
					m.use(p)
					refused[p] = m.hears(p) && !m.has(p)
				}
			}
			c.at = c.at.Add(2 * time.Second)
			v := c.Look(t.Context())
			for i, row := range v.Rows {
				p := mac.Permission(i)
				if (row.State == gateway.SwitchOn) && (refused[i] || !m.hears(p)) {
					t.Fatalf("seed %d, step %d: %s is on, and macOS says no", seed, step, row.Name)
				}
				if row.State == gateway.SwitchReopen && !m.broken && !m.has(p) {
					t.Fatalf("seed %d, step %d: reopening gives nothing for %s", seed, step, row.Name)
				}
				if row.Say == "" || (row.State != gateway.SwitchOn && row.State != gateway.SwitchReopen && row.Button == "") {
					t.Fatalf("seed %d, step %d: nothing to do: %+v", seed, step, row)
				}
			}
		}
		m.broken, m.granted = false, [2]string{m.build, m.build}
		if got := startOn(t, m, dir).states(); got != "on on" {
			t.Fatalf("seed %d: granted and reopened, and it is %s", seed, got)
		}
	}
}

// A real shell, a real process that ends, and a stand-in for `open`.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	opener, app, said := filepath.Join(dir, "open"), filepath.Join(dir, `Co"nch $(touch bad).app`), filepath.Join(dir, "said")
	if err := os.WriteFile(opener, []byte("#!/bin/sh\nprintf %s \"$1\" > '"+said+".tmp'\nmv '"+said+".tmp' '"+said+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	old := exec.Command("/bin/sleep", "60")
	if err := old.Start(); err != nil {
		t.Fatal(err)
	}
	if err := reopenAfter(old.Process.Pid, opener, app); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(said); err == nil {
		t.Error("it was opened while the old one lives")
	}
	if err := old.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = old.Wait()
	if err := eventually(patience, func() error {
		got, err := os.ReadFile(said)
		if err == nil && string(got) != app {
			err = fmt.Errorf("it opened %q", got)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

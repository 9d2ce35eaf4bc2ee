package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"conch/driver/mac"
	"conch/gateway"
	"conch/gateway/engine/byhand"
	"conch/gateway/web/webtest"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// switchStates are the pages of a Mac's switches that a person meets.
func switchStates() []struct {
	name  string
	facts switchFacts
} {
	const off, on, reopen, refused = mac.Off, mac.On, mac.AfterReopen, mac.Refused
	conch := mac.Identity{Name: "Conch", Bundle: "app.conch.Conch", Ourselves: true}
	with := func(id mac.Identity, say, next string) mac.Identity {
		id.Problems = []mac.Problem{{Say: say, Next: next}}
		return id
	}
	return []struct {
		name  string
		facts switchFacts
	}{
		{"off", switchFacts{See: off, Click: off, Who: conch}},
		{"click on", switchFacts{See: off, Click: on, Who: conch}},
		{"on after reopening", switchFacts{See: reopen, Click: on, Who: conch}},
		{"on", switchFacts{See: on, Click: on, Who: conch}},
		{"on but refused", switchFacts{
			See: refused, Click: refused,
			Who: with(conch, "This Conch is signed for this build only, so each new build loses its permissions while System Settings still shows them on.", "Sign it with a certificate of your own: make app shows how."),
		}},
		{"from a terminal", switchFacts{
			See: off, Click: refused,
			Who: with(mac.Identity{Name: "iTerm2", Bundle: "com.googlecode.iterm2"}, "macOS charges what Conch does to “iTerm2”, which started it.", "Open Conch.app itself to give the permissions to Conch alone."),
		}},
		{"from a terminal, to reopen", switchFacts{See: reopen, Click: on, Who: mac.Identity{Name: "Terminal"}}},
		{"translocated", switchFacts{Who: with(conch, "macOS runs Conch from a temporary copy, and forgets permissions with it.", "Move Conch.app to Applications with the Finder, then open it there.")}},
	}
}

func TestSwitchWordsGolden(t *testing.T) {
	var b strings.Builder
	for _, s := range switchStates() {
		v := switchWords(s.facts)
		fmt.Fprintf(&b, "== %s\n%s\n", s.name, v.App)
		for _, r := range v.Rows {
			fmt.Fprintf(&b, "  %s %s: %s\n", r.Name, r.State, r.Say)
			for i, step := range r.Steps {
				fmt.Fprintf(&b, "    %d. %s\n", i+1, step)
			}
			if r.Button != "" {
				fmt.Fprintf(&b, "    [%s]\n", r.Button)
			}
		}
		if v.Reopen {
			b.WriteString("  [Reopen Conch]\n")
		}
		for _, n := range v.Notes {
			fmt.Fprintf(&b, "  ! %s %s\n", n.Say, n.Next)
		}
	}
	const file = "testdata/switches.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("the words (-golden +now):\n%s", diff)
	}
}

// scriptedSwitches stands as a test says. The words are the Mac's own.
type scriptedSwitches struct {
	mu    sync.Mutex
	facts switchFacts
	asked []string
	looks int
	fail  error
}

func (s *scriptedSwitches) Look(context.Context) gateway.SystemSwitches {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	return switchWords(s.facts)
}

func (s *scriptedSwitches) Ask(_ context.Context, n gateway.SwitchName) error {
	return s.note("ask " + string(n))
}

func (s *scriptedSwitches) Reopen(context.Context) error { return s.note("reopen") }

func (s *scriptedSwitches) note(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, what)
	return s.fail
}

func (s *scriptedSwitches) set(f switchFacts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.facts = f
}

func (s *scriptedSwitches) waitFor(t *testing.T, what string) {
	t.Helper()
	if err := eventually(patience, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if n := len(s.asked); n == 0 || s.asked[n-1] != what {
			return fmt.Errorf("asked %q, want %q last", s.asked, what)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestSwitchesPage takes a person through the switches in a real browser: off, one press, on by itself with a
// glint, on after reopening, refused. The system behind it is a script; the page, the addresses and the words
// are the program's.
func TestSwitchesPage(t *testing.T) {
	b := webtest.Open(t)
	b.Set(webtest.Look{W: 1280, H: 900})
	states := map[string]switchFacts{}
	for _, s := range switchStates() {
		states[s.name] = s.facts
	}
	sys := &scriptedSwitches{facts: states["off"]}
	gw, err := gateway.New(t.Context(), gateway.Config{Home: t.TempDir(), Engine: byhand.Engine{}, Switches: sys, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(gw.Handler())
	defer srv.Close()
	defer func() {
		b.Go("about:blank")
		if err := gw.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	state := func(name string) string {
		return fmt.Sprintf(`document.querySelector('[data-switch=%s]')?.dataset.state`, name)
	}
	b.Go(srv.URL + "/settings/computer#here=" + gw.NewCode())
	b.Until(state("see") + ` === "off" && ` + state("click") + ` === "off"`)
	b.Ready()
	shoot(t, b, "switches-off")

	// One press asks for exactly the one that was pressed.
	b.Do(chromedp.Click(`[data-ask-switch=click]`))
	sys.waitFor(t, "ask click")
	b.Do(chromedp.Click(`[data-ask-switch=see]`))
	sys.waitFor(t, "ask see")

	// The person turns them on elsewhere; the page finds out by itself, without being loaded again.
	b.Eval(`window.same = true`)
	sys.set(states["click on"])
	b.Until(state("click") + ` === "on" && document.querySelector("[data-switch=click].glint") !== null`)
	b.Until(`document.querySelector("[aria-live]") && document.body.innerText.includes("Click and type is on.")`)
	shoot(t, b, "switches-glint")
	sys.set(states["on after reopening"])
	b.Until(state("see") + ` === "reopen"`)
	shoot(t, b, "switches-reopen")
	b.Do(chromedp.Click(`[data-reopen]`))
	sys.waitFor(t, "reopen")
	b.Until(`document.querySelector("#toasts")?.innerText.includes("comes back in a moment")`)

	sys.set(states["on"])
	b.Until(state("see") + ` === "on" && !document.querySelector("#computer-switches").hasAttribute("data-watch")`)
	if got := b.Eval(`document.querySelectorAll("[data-ask-switch], [data-reopen]").length`); got != "0" {
		t.Errorf("%s buttons while both are on", got)
	}

	// Revoked while the person was in System Settings: coming back is enough.
	sys.set(states["on but refused"])
	b.Eval(`window.dispatchEvent(new Event("focus"))`)
	b.Until(state("see") + ` === "refused" && document.querySelectorAll(".switch-row li").length === 7`)
	shoot(t, b, "switches-refused")
	if got := b.Eval(`String(window.same)`); got != "true" {
		t.Error("the page was loaded again")
	}

	// What fails is said, and the page stays as it is.
	sys.mu.Lock()
	sys.fail = context.DeadlineExceeded
	sys.mu.Unlock()
	b.Do(chromedp.Click(`[data-ask-switch=see]`))
	b.Until(`document.querySelector("#toasts")?.innerText.includes("could not be opened")`)

	for _, s := range switchStates() {
		sys.set(s.facts)
		for _, look := range webtest.Looks {
			b.Set(look)
			b.Go(srv.URL + "/settings/computer")
			b.Until(fmt.Sprintf(`%s === %q`, state("see"), switchWords(s.facts).Rows[0].State))
			if wide := b.Eval(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
				t.Errorf("%s at %s is wider than the window", s.name, look.Name)
			}
			shoot(t, b, "switches-"+strings.NewReplacer(" ", "-", ",", "").Replace(s.name)+"-"+look.Name)
		}
	}
}

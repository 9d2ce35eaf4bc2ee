package gateway

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"conch/gateway/access"
	"conch/gateway/web"
)

// lever is a system with switches that a test turns.
type lever struct {
	mu    sync.Mutex
	now   SystemSwitches
	asked []string
	err   error
}

func (l *lever) Look(context.Context) SystemSwitches {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *lever) did(what string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, what)
	return l.err
}

func (l *lever) Ask(_ context.Context, n SwitchName) error { return l.did(string(n)) }
func (l *lever) Reopen(context.Context) error              { return l.did("reopen") }

func (l *lever) turn(s SystemSwitches) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = s
}

func oneSwitch(s SwitchState) SystemSwitches {
	return SystemSwitches{Rows: []SystemSwitch{{Name: SwitchSee, State: s, Say: "state " + string(s), Button: "Turn on"}}}
}

func TestSwitchesOverHTTP(t *testing.T) {
	l := &lever{now: oneSwitch(SwitchOff)}
	r := newRig(t, Config{Switches: l})
	if page := r.do("GET", "/settings/computer", "", http.StatusOK); !strings.Contains(page, `data-ask-switch="see"`) || !strings.Contains(page, "state off") {
		t.Error("the page doesn't show the switch")
	}
	tab := r.openTab("")
	tab.until(shows("computer-switches", "state off"))

	// A look that finds nothing new tells nobody; the next news is the one that counts.
	r.do("POST", "/api/computer-use/switches/look", "{}", http.StatusNoContent)
	l.turn(oneSwitch(SwitchOn))
	r.do("POST", "/api/computer-use/switches/look", "{}", http.StatusNoContent)
	heard := 0
	tab.until(func(u web.Update) bool {
		if u.ID == "computer-switches" {
			heard++
		}
		return u.ID == "computer-switches" && strings.Contains(u.HTML, "state on")
	})
	if heard != 1 {
		t.Errorf("%d updates, want the one that is new", heard)
	}

	r.do("POST", "/api/computer-use/switches/see", "{}", http.StatusNoContent)
	r.do("POST", "/api/computer-use/reopen", "{}", http.StatusNoContent)
	r.do("POST", "/api/computer-use/switches/all", "{}", http.StatusNotFound)
	if want := []string{"see", "reopen"}; !slices.Equal(l.asked, want) {
		t.Errorf("the system was asked %q, want %q", l.asked, want)
	}
	l.err = errors.New("secret detail")
	for _, path := range []string{"/api/computer-use/switches/click", "/api/computer-use/reopen"} {
		if body := r.do("POST", path, "{}", http.StatusServiceUnavailable); strings.Contains(body, "secret") || !strings.Contains(body, `"next"`) {
			t.Errorf("%s: %s", path, body)
		}
	}
}

// What brings something up on this screen, or ends Conch, is for a page on this computer alone.
func TestSwitchesArePressedOnPagesOnly(t *testing.T) {
	l := &lever{now: oneSwitch(SwitchOff)}
	r := newRig(t, Config{Switches: l})
	key, err := r.g.dir.Secret(keyName, access.KeySize)
	if err != nil {
		t.Fatal(err)
	}
	program := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for path, want := range map[string]int{
		"/api/computer-use/switches/see": http.StatusForbidden, "/api/computer-use/reopen": http.StatusForbidden,
		"/api/computer-use/switches/look": http.StatusNoContent,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.srv.URL+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(access.HeaderHere, access.EncodeKey(key))
		res, err := program.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s by a program: %d, want %d", path, res.StatusCode, want)
		}
	}
	if len(l.asked) != 0 {
		t.Errorf("a program asked the system %q", l.asked)
	}
}

func TestNoSwitches(t *testing.T) {
	r := newRig(t, Config{})
	if page := r.do("GET", "/settings/computer", "", http.StatusOK); !strings.Contains(page, `id="computer-switches" hidden`) {
		t.Error("the part isn't hidden")
	}
	r.do("POST", "/api/computer-use/switches/look", "{}", http.StatusNoContent)
	r.do("POST", "/api/computer-use/switches/see", "{}", http.StatusNotFound)
	r.do("POST", "/api/computer-use/reopen", "{}", http.StatusNotFound)
}

// Someone who isn't at this computer is told where it is done and has nothing to press.
func TestSwitchesElsewhere(t *testing.T) {
	s := oneSwitch(SwitchReopen)
	s.Reopen = true
	r := newRig(t, Config{Switches: &lever{now: s}})
	here, there := r.g.switchesView(t.Context(), true), r.g.switchesView(t.Context(), false)
	if !here.Reopen || here.Rows[0].Button == "" {
		t.Errorf("here: %+v", here)
	}
	if there.Reopen || there.Rows[0].Button != "" || len(there.Rows[0].Steps) != 1 {
		t.Errorf("elsewhere: %+v", there)
	}
}

package gateway

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"conch/gateway/access/keep"
	"conch/gateway/care"
	"conch/gateway/chat"
	"conch/gateway/state"
	"conch/gateway/web"

	"github.com/go-json-experiment/json"
)

// careOf answers what the lists found, by id.
func (r *rig) careOf() map[string]careEntry {
	r.t.Helper()
	var got struct {
		Checks []careEntry `json:"checks"`
	}
	if err := json.Unmarshal([]byte(r.do("GET", "/api/care", "", http.StatusOK)), &got); err != nil {
		r.t.Fatal(err)
	}
	out := map[string]careEntry{}
	for _, e := range got.Checks {
		if _, twice := out[e.ID]; twice {
			r.t.Errorf("%s is told twice", e.ID)
		}
		out[e.ID] = e
	}
	return out
}

func (r *rig) fix(id string) (fixed bool, say string) {
	r.t.Helper()
	var got struct {
		Fixed bool   `json:"fixed"`
		Say   string `json:"say"`
	}
	if err := json.Unmarshal([]byte(r.do("POST", "/api/care/fix", `{"id":"`+id+`"}`, http.StatusOK)), &got); err != nil {
		r.t.Fatal(err)
	}
	return got.Fixed, got.Say
}

// TestEachThingAllowedCanBeTakenBack makes every check of the checkup red, by what a person would do, and presses
// what it offers.
func TestEachThingAllowedCanBeTakenBack(t *testing.T) {
	r, _, _ := newDeskRig(t, nil)
	levels := func(want map[string]care.Level) map[string]careEntry {
		t.Helper()
		got := r.careOf()
		for id, level := range want {
			if got[id].Level != string(level) {
				t.Errorf("%s is %q, want %q: %s", id, got[id].Level, level, got[id].Say)
			}
		}
		return got
	}
	green := map[string]care.Level{
		"computer-use": care.OK, "always": care.OK, "trust": care.OK, "pausing": care.OK, "address": care.OK, "devices": care.OK,
		"keychain": care.OK, "modes": care.OK, "confirm": care.Info,
	}
	levels(green)
	if page := r.do("GET", web.PathCheckup, "", http.StatusOK); !strings.Contains(page, "Nothing to look at") {
		t.Errorf("the page of a new Conch:\n%s", page)
	}

	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	id, _ := r.say("open Mousepad")
	r.allow(id, "always")
	r.ended(id)
	r.do("POST", "/api/chats/"+id+"/mode", `{"mode":"trust"}`, http.StatusNoContent)
	r.do("POST", "/api/computer-use/pause", `{"pause":false}`, http.StatusNoContent)
	waits := r.g.devices.SignIn("Safari on iPhone", "192.0.2.7")
	if was, err := r.g.devices.LetIn(r.g.devices.Waiting()[0].ID); err != nil || !was || waits == "" {
		t.Fatalf("%v, %v", was, err)
	}
	if err := r.g.setAddress(keep.Address{On: true, Name: "conch.example.org", Port: 443, Proxy: true}); err != nil {
		t.Fatal(err)
	}
	place, err := r.g.models.Add("anthropic", "", "", "sk-ant-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(r.g.dir.Path(keyName), 0o644); err != nil {
		t.Fatal(err)
	}
	got := levels(map[string]care.Level{
		"computer-use": care.Info, "always": care.Info, "trust": care.Warn, "pausing": care.Warn, "address": care.Info, "devices": care.Info,
		"keychain": care.Warn, "modes": care.Bad, "confirm": care.Warn,
	})
	if !strings.Contains(got["keychain"].Say, "the key for Anthropic") || !strings.Contains(got["address"].Say, "conch.example.org") {
		t.Errorf("%+v %+v", got["keychain"], got["address"])
	}
	page := r.do("GET", web.PathCheckup, "", http.StatusOK)
	if !strings.Contains(page, "5 things to look at") {
		t.Errorf("the page:\n%s", page)
	}

	var offered []string
	for _, e := range got {
		if e.Fix != "" && e.Area == "security" {
			offered = append(offered, e.ID)
		}
		for _, row := range e.Rows {
			if row.Fix != "" && e.Area == "security" {
				offered = append(offered, row.ID)
			}
		}
	}
	if len(offered) != 7 {
		t.Errorf("fixes are offered for %v", offered)
	}
	for _, id := range offered {
		if !strings.Contains(page, `data-care-fix="`+id+`"`) {
			t.Errorf("the page has no button for %s", id)
		}
		if fixed, say := r.fix(id); !fixed {
			t.Errorf("%s: %s", id, say)
		}
		r.do("POST", "/api/care/fix", `{"id":"`+id+`"}`, http.StatusConflict) // nothing to fix any more
	}
	if err := r.g.models.Remove(place.ID); err != nil {
		t.Fatal(err)
	}
	levels(green)
	c, err := r.g.store.Chat(t.Context(), id)
	if err != nil || c.Mode != chat.Ask {
		t.Errorf("the chat's mode is %q, %v", c.Mode, err)
	}
	if in, err := r.g.devices.In(); err != nil || len(in) != 0 || r.g.use.On() || r.g.use.Allowed("org.xfce.mousepad") {
		t.Errorf("left: %v, %v", in, err)
	}
}

// TestFixesOnlyNarrow presses everything that is offered in every state of two switches, and looks that nothing
// was turned on or let in by it.
func TestFixesOnlyNarrow(t *testing.T) {
	for _, broken := range []bool{false, true} {
		r, _, _ := newDeskRig(t, nil)
		r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
		r.do("POST", "/api/computer-use", `{"on":false}`, http.StatusNoContent)
		if broken {
			for _, name := range []string{state.ComputerUseFile, keep.Name} {
				if err := os.WriteFile(r.g.dir.Path(name), []byte("{"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, e := range r.careOf() {
			ids := []string{e.ID}
			for _, row := range e.Rows {
				ids = append(ids, row.ID)
			}
			for _, id := range ids {
				req, err := http.NewRequestWithContext(t.Context(), "POST", r.srv.URL+"/api/care/fix", strings.NewReader(`{"id":"`+id+`"}`))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Origin", r.srv.URL)
				res, err := r.page.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				_ = res.Body.Close()
			}
		}
		how, err := r.g.confirm.How()
		if r.g.use.On() || (err == nil) == broken || how != "" && !broken {
			t.Errorf("broken %v: afterwards on is %v, confirming %q, %v", broken, r.g.use.On(), how, err)
		}
	}
}

// TestRepairIsFollowed breaks two files and one thing of the program's, and repairs everything.
func TestRepairIsFollowed(t *testing.T) {
	dark, enter, goOn := true, make(chan struct{}), make(chan struct{})
	mine := care.Check{ID: "lamp", Title: "The lamp", Area: care.Repair, Run: func(context.Context) care.Finding {
		if !dark {
			return care.Finding{Level: care.OK, Say: "It shines."}
		}
		return care.Finding{Level: care.Bad, Say: "It is dark.", Fix: &care.Fix{Title: "Mend", Done: "The lamp shines again.", Do: func(context.Context) error {
			close(enter)
			<-goOn
			dark = false
			return nil
		}}}
	}}
	stuck := care.Check{ID: "stuck", Title: "The door", Area: care.Repair, Run: func(context.Context) care.Finding {
		return care.Finding{Level: care.Warn, Say: "It is stuck.", Fix: &care.Fix{Title: "Push", Done: "It opens.", Do: func(context.Context) error { return errors.New("no") }}}
	}}
	r, _, _ := newDeskRig(t, func(c *Config) { c.Checks = []care.Check{mine, stuck} })
	if err := os.WriteFile(r.g.dir.Path(state.ComputerUseFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(r.g.dir.Path(state.ComputerUseFile), 0o644); err != nil {
		t.Fatal(err)
	}
	tab := r.openTab("")
	r.do("POST", "/api/care/repair", `{}`, http.StatusNoContent)
	<-enter
	r.do("POST", "/api/care/repair", `{}`, http.StatusNoContent) // the one that runs goes on
	if page := r.do("GET", web.PathRepair, "", http.StatusOK); !strings.Contains(page, "data-running") {
		t.Error("the page doesn't say that a repair runs")
	}
	tab.until(shows("repair-run", "The lamp…"))
	close(goOn)
	end := tab.until(func(u web.Update) bool { return u.ID == "repair-run" && strings.Contains(u.HTML, "Repair again") })
	for _, want := range []string{
		"The lamp shines again.", "Conch’s files are your account’s alone again.", "computer-use.json couldn’t be read, so it was put aside.",
		"<strong>The door.</strong> That couldn’t be done. It is stuck.",
	} {
		if !strings.Contains(end.HTML, want) {
			t.Errorf("the end doesn't say %q:\n%s", want, end.HTML)
		}
	}
	list := tab.until(shows("care-repair", "The door"))
	if strings.Contains(list.HTML, "It is dark.") || !strings.Contains(list.HTML, "computer-use.json.unreadable-1") {
		t.Errorf("the list at the end:\n%s", list.HTML)
	}
	if got := r.careOf(); got["modes"].Level != "ok" || got["documents"].Level != "ok" || got["stuck"].Level != "warn" {
		t.Errorf("%+v", got)
	}
}

// TestCloseDuringARepair wants Close to end it.
func TestCloseDuringARepair(t *testing.T) {
	enter := make(chan struct{})
	r := newRig(t, Config{Checks: []care.Check{{ID: "slow", Title: "S", Area: care.Repair, Run: func(context.Context) care.Finding {
		return care.Finding{Level: care.Bad, Fix: &care.Fix{Title: "x", Do: func(ctx context.Context) error {
			close(enter)
			<-ctx.Done()
			return ctx.Err()
		}}}
	}}}})
	r.g.Repair()
	<-enter
	begun := time.Now()
	r.end()
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("closing took %v", took)
	}
	r.g.Repair() // and afterwards nothing begins
}

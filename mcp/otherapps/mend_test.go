package otherapps

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/gateway/care"
	"conch/gateway/web"
	"conch/mcp/connect/apps"
)

// Lines that start a launcher from elsewhere, and lines for nobody, are put right, said once, and once only.
func TestMend(t *testing.T) {
	r := newRig(t)
	file := r.write("cursor", cursorHad)
	_, c := r.connect("cursor", "settings", ``)
	good := r.read(file)
	r.write("cursor", strings.Replace(good, r.s.opt.Connect.Launcher, "/old/place/mcp/launcher", 1))
	if row := r.row("cursor"); row.State != web.AppLost {
		t.Errorf("%+v", row)
	}
	check := r.s.Checks()[0]
	if f := check.Run(t.Context()); f.Level != care.Warn || len(f.Rows) != 1 || f.Rows[0].ID != "cursor" {
		t.Fatalf("%+v", f)
	}
	if did := r.s.Mend(t.Context()); len(did) != 1 || r.read(file) != good {
		t.Fatalf("%q, the file:\n%s", did, r.read(file))
	}
	page := r.press("GET", web.PathApps, "", http.StatusOK, nil)
	if !strings.Contains(page, "Fixed on its own") {
		t.Error("the page doesn't say what was fixed")
	}
	r.press("POST", "/api/other-apps/seen", `{}`, http.StatusNoContent, nil)
	if page := r.press("GET", web.PathApps, "", http.StatusOK, nil); strings.Contains(page, "Fixed on its own") {
		t.Error("it says so again")
	}
	if did := r.s.Mend(t.Context()); len(did) != 0 {
		t.Errorf("mended what is well: %q", did)
	}

	// The pairing ends elsewhere; its lines go.
	if _, err := r.reg.Remove(c.ID); err != nil {
		t.Fatal(err)
	}
	if did := r.s.Mend(t.Context()); len(did) != 1 || r.read(file) != cursorHad {
		t.Errorf("%q, the file:\n%s", did, r.read(file))
	}
	if f := check.Run(t.Context()); f.Level != care.OK {
		t.Errorf("%+v", f)
	}
}

// Through the gateway's own repair, with the launcher gone too.
func TestRepair(t *testing.T) {
	r := newRig(t)
	file := r.write("cursor", cursorHad)
	r.connect("cursor", "settings", ``)
	good := r.read(file)
	r.write("cursor", strings.Replace(good, r.s.opt.Connect.Launcher, "/old/place/mcp/launcher", 1))
	if err := os.Remove(r.s.opt.Connect.Launcher); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"other-apps/launcher", "other-apps/cursor"} {
		var out struct {
			Fixed bool   `json:"fixed"`
			Say   string `json:"say"`
		}
		r.press("POST", "/api/care/fix", `{"id":"`+id+`"}`, http.StatusOK, &out)
		if !out.Fixed {
			t.Errorf("%s: %+v", id, out)
		}
	}
	if r.read(file) != good {
		t.Errorf("the file:\n%s", r.read(file))
	}
	if page := r.press("GET", web.PathRepair, "", http.StatusOK, nil); !strings.Contains(page, "Other apps") {
		t.Error("the check isn't on the page")
	}
	if page := r.press("GET", web.PathCheckup, "", http.StatusOK, nil); !strings.Contains(page, "Cursor") || !strings.Contains(page, "Paired apps") {
		t.Errorf("the checkup:\n%s", page)
	}
}

// Nothing is taken out while it isn't known who is paired.
func TestMendsNothingBlind(t *testing.T) {
	r := newRig(t)
	file := r.write("cursor", cursorHad)
	r.connect("cursor", "settings", ``)
	good := r.read(file)
	if err := os.WriteFile(r.dir.Path("mcp/clients.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if did := r.s.Mend(t.Context()); len(did) != 0 || r.read(file) != good {
		t.Errorf("%q, the file:\n%s", did, r.read(file))
	}
	if v := r.s.List(t.Context()); v.Problem == "" {
		t.Error("the page says nothing of it")
	}
	if f := r.s.Checks()[0].Run(t.Context()); f.Level != care.Warn || len(f.Rows) != 0 {
		t.Errorf("%+v", f)
	}
}

// An app that writes its own settings over Conch's lines before it read them gets them again, a few times, and never
// once it came: then somebody took them out.
func TestPutBack(t *testing.T) {
	r := newRig(t)
	file := r.write("claude-desktop", `{"theme":"dark"}`)
	p, c := r.connect("claude-desktop", "settings", ``)
	if !strings.HasPrefix(p.First, "If Claude Desktop is open,") || !p.Bundle { // what runs isn't known here
		t.Errorf("%+v", p)
	}
	for range putBackMost {
		r.write("claude-desktop", `{"theme":"light"}`)
		if did := r.s.Mend(t.Context()); len(did) != 1 || !strings.Contains(r.read(file), c.ID) {
			t.Fatalf("%q, the file:\n%s", did, r.read(file))
		}
	}
	r.write("claude-desktop", `{"theme":"light"}`)
	if did := r.s.Mend(t.Context()); len(did) != 0 || r.row("claude-desktop").State != web.AppLost {
		t.Errorf("%q, %+v", did, r.row("claude-desktop"))
	}

	_, c = r.connect("claude-desktop", "settings", ``)
	r.come(c.ID)
	r.write("claude-desktop", `{"theme":"light"}`)
	if did := r.s.Mend(t.Context()); len(did) != 0 || strings.Contains(r.read(file), c.ID) {
		t.Errorf("lines that somebody took out are back: %q", did)
	}
	if f := r.s.Checks()[0].Run(t.Context()); f.Level != care.Warn || !strings.Contains(f.Say, "Claude Desktop") {
		t.Errorf("%+v", f)
	}
}

// While an app is seen to be open, that is said, and one time to put its lines back is kept for when it has quit. While
// it is closed, nothing is said of it.
func TestPutBackOnceItHasQuit(t *testing.T) {
	r := newRig(t)
	file := r.write("claude-desktop", `{}`)
	closed := []apps.Program{{File: "/usr/bin/conch"}}
	r.runs.list = append(closed, apps.Program{File: "/usr/bin/claude-desktop"})
	p, c := r.connect("claude-desktop", "settings", ``)
	if !strings.HasPrefix(p.First, "Claude Desktop is open.") || !strings.Contains(c.Say, "puts them back") || !strings.Contains(r.row("claude-desktop").Say, "It is open") {
		t.Errorf("%+v %+v %+v", p, c, r.row("claude-desktop"))
	}
	over := func() []string {
		t.Helper()
		r.write("claude-desktop", `{"theme":"light"}`)
		return r.s.Mend(t.Context())
	}
	for range putBackMost {
		if did := over(); len(did) != 1 || !strings.Contains(r.read(file), c.ID) {
			t.Fatalf("%q, the file:\n%s", did, r.read(file))
		}
	}
	if did := over(); len(did) != 0 || !strings.Contains(r.row("claude-desktop").Say, "is open and writes over them") || len(r.s.expects()) != 1 {
		t.Errorf("%q %+v", did, r.row("claude-desktop"))
	}
	r.runs.list = closed
	if did := r.s.Mend(t.Context()); len(did) != 1 || !strings.Contains(r.read(file), c.ID) || strings.Contains(r.row("claude-desktop").Say, "It is open") {
		t.Errorf("%q, %+v, the file:\n%s", did, r.row("claude-desktop"), r.read(file))
	}
	if did := over(); len(did) != 0 || len(r.s.expects()) != 0 {
		t.Errorf("somebody takes them out, and they come back: %q", did)
	}
	p, c = r.connect("claude-desktop", "settings", ``)
	if p.First != "" || !strings.Contains(c.Say, "sees Conch when you open it") {
		t.Errorf("%+v %+v", p, c)
	}
}

// Start looks at once, and again while an app may still write over its lines.
func TestStart(t *testing.T) {
	r := newRig(t)
	file := r.write("claude-desktop", `{}`)
	_, c := r.connect("claude-desktop", "settings", ``)
	synctest.Test(t, func(t *testing.T) {
		r.s.gw = nil // its goroutines aren't of this bubble
		r.write("claude-desktop", `{"a":1}`)
		ctx, cancel := context.WithCancel(t.Context())
		r.s.Start(ctx)
		synctest.Wait()
		if !strings.Contains(r.read(file), c.ID) {
			t.Error("it doesn't look at the start")
		}
		r.write("claude-desktop", `{"a":2}`)
		time.Sleep(lookEvery + time.Second)
		synctest.Wait()
		if !strings.Contains(r.read(file), c.ID) {
			t.Error("it doesn't look again")
		}
		cancel()
		r.s.Wait()
	})
}

// Apps from elsewhere are warned of, and one press ends that.
func TestElsewhere(t *testing.T) {
	r := newRig(t)
	check := r.s.Checks()[2]
	var c connected
	r.press("POST", "/api/other-apps", `{"way":"http","name":"Lab","scopes":["skills"],"mode":"ask"}`, http.StatusOK, &c)
	if f := check.Run(t.Context()); f.Level != care.OK {
		t.Errorf("%+v", f)
	}
	if err := r.reg.SetElsewhere(true); err != nil {
		t.Fatal(err)
	}
	if f := check.Run(t.Context()); f.Level != care.OK {
		t.Errorf("%+v", f)
	}
	r.press("POST", "/api/other-apps/"+c.ID, `{"scopes":["skills"],"mode":"ask","remote":true}`, http.StatusNoContent, nil)
	f := check.Run(t.Context())
	if f.Level != care.Warn || f.Fix == nil || !strings.Contains(f.Say, "Lab") {
		t.Fatalf("%+v", f)
	}
	if err := f.Fix.Do(t.Context()); err != nil || r.reg.Elsewhere() {
		t.Error(err)
	}
}

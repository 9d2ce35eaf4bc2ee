package gateway

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"conch/gateway/access"
	"conch/gateway/web"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestRoutes makes every new route, and what it asks of its caller, visible in review.
func TestRoutes(t *testing.T) {
	r := newRig(t, Config{})
	var lines []string
	for _, row := range r.g.mux.routes() {
		line := fmt.Sprintf("%-6s %-42s", row.rule.Need, row.pattern)
		if row.rule.Body > 0 {
			line += fmt.Sprintf(" json<=%d", row.rule.Body)
		}
		if row.rule.Document {
			line += " document"
		}
		if row.rule.Socket {
			line += " socket"
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	const golden = "testdata/routes.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the routes changed; look, then run the test with -update:\n%s", got)
	}
}

// TestPagesCallOnlyRoutes compares what the pages call with what there is.
func TestPagesCallOnlyRoutes(t *testing.T) {
	r := newRig(t, Config{})
	for _, e := range web.Endpoints {
		if _, there := r.g.mux.rules[e]; !there {
			t.Errorf("the pages call %q, which isn't a route", e)
		}
	}
}

// TestPaletteHasEveryPage holds what ⌘K leads to against the routes, both ways about. Pages with a name of their own in
// their path (a chat, a skill) are found elsewhere.
func TestPaletteHasEveryPage(t *testing.T) {
	r := newRig(t, Config{})
	leads := map[string]bool{}
	for _, p := range (web.Palette{Practice: true, Apps: []web.AppName{{ID: "one", Name: "One"}}}).Places() {
		path, _, _ := strings.Cut(p.To, "#")
		leads[path] = true
		pattern := "GET " + path
		if path == web.PathHome {
			pattern += "{$}"
		}
		if _, there := r.g.mux.rules[pattern]; !there && path != web.PathApps { // which is mounted
			t.Errorf("%s leads to %s, which isn't a route", p.Title, path)
		}
	}
	for _, row := range r.g.mux.routes() {
		path, get := strings.CutPrefix(row.pattern, "GET ")
		path = strings.TrimSuffix(path, "{$}")
		if !get || !row.rule.Document || row.rule.Need != access.Device || strings.Contains(path, "{") {
			continue
		}
		if !leads[path] {
			t.Errorf("⌘K doesn't find the page %s", path)
		}
	}
}

// TestZeroLevelAdmitsNobody is about a route whose level somebody forgot.
func TestZeroLevelAdmitsNobody(t *testing.T) {
	r := newRig(t, Config{})
	row := r.g.mux.rules["GET /api/status"]
	row.rule = access.Rule{}
	r.g.mux.rules["GET /api/status"] = row
	r.do("GET", "/api/status", "", http.StatusForbidden)
}

// TestPowerIsAddedByPagesOnly goes over what widens power with a key that proves this computer.
func TestPowerIsAddedByPagesOnly(t *testing.T) {
	r := newRig(t, Config{})
	id, _ := r.say("hello")
	r.ended(id)
	key, err := r.g.dir.Secret(keyName, access.KeySize)
	if err != nil {
		t.Fatal(err)
	}
	program := func(path, body string, want int) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "POST", r.srv.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(access.HeaderHere, access.EncodeKey(key))
		jar := r.page.Jar
		r.page.Jar = nil
		defer func() { r.page.Jar = jar }()
		return r.send(req, want)
	}
	program("/api/computer-use", `{"on":true}`, http.StatusForbidden)
	program("/api/chats/"+id+"/mode", `{"mode":"trust"}`, http.StatusForbidden)
	program("/api/chats", `{"text":"hello","mode":"trust"}`, http.StatusForbidden)
	program("/api/chats", `{"text":"hello","model":""}`, http.StatusForbidden)
	program("/api/questions/x", `{"choice":"always"}`, http.StatusForbidden)
	if r.g.use.On() {
		t.Fatal("a program turned it on")
	}
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	r.do("POST", "/api/chats/"+id+"/mode", `{"mode":"trust"}`, http.StatusNoContent)
	program("/api/chats/"+id+"/mode", `{"mode":"plan"}`, http.StatusNoContent)
	program("/api/questions/x", `{"choice":"no"}`, http.StatusConflict)
	program("/api/computer-use/pause", `{"pause":false}`, http.StatusForbidden)
	r.do("POST", "/api/computer-use/pause", `{"pause":false}`, http.StatusNoContent)
	if r.g.use.Pauses() {
		t.Error("a page can't turn pausing off")
	}
	program("/api/computer-use/pause", `{"pause":true}`, http.StatusNoContent)
	if !r.g.use.Pauses() {
		t.Error("pausing stays off")
	}
	program("/api/computer-use", `{"on":false}`, http.StatusNoContent)
	if r.g.use.On() {
		t.Error("narrowing needs only proof")
	}
	if got := program("/api/here/codes", `{}`, http.StatusOK); !strings.Contains(got, `"code":"`) {
		t.Errorf("a code for opening a page: %s", got)
	}
}

// TestBadBodies sends what isn't one JSON object that the route takes.
func TestBadBodies(t *testing.T) {
	r := newRig(t, Config{})
	for _, body := range []string{"{", "[]", `"x"`, `{"text":1}`, `{"text":"a","text":"b"}`, `{"text":"a"} {}`, `{"text":"a","more":1}`, `{"TEXT":"a"}`, "\xff"} {
		r.do("POST", "/api/chats", body, http.StatusBadRequest)
	}
	r.do("POST", "/api/chats", `{"text":"`+strings.Repeat("x", chatTooLong)+`"}`, http.StatusBadRequest)
	r.do("POST", "/api/chats", `{"text":"`+strings.Repeat("x", textBody)+`"}`, http.StatusRequestEntityTooLarge)
	r.do("POST", "/api/chats", `{"text":" "}`, http.StatusBadRequest)
	r.do("POST", "/api/computer-use", `{}`, http.StatusBadRequest)
	r.do("POST", "/api/computer-use/pause", `{}`, http.StatusBadRequest)
	r.do("POST", "/api/chats/nobody/messages", `{"text":"x"}`, http.StatusNotFound)
	r.do("POST", "/api/chats/nobody/mode", `{"mode":"ask"}`, http.StatusNotFound)
	r.do("POST", "/api/chats/nobody/stop", `{}`, http.StatusNotFound)
	r.do("GET", "/api/chats/nobody/events", "", http.StatusNotFound)
	r.do("DELETE", "/api/computer-use/apps/none", "", http.StatusNotFound)
	r.do("GET", "/api/practice/shot", "", http.StatusNotFound)
	r.do("GET", "/api/computer-use/shot/none", "", http.StatusNotFound)
	r.do("GET", "/live", "", http.StatusForbidden)
	if chats, _ := r.g.store.Chats(t.Context(), 10); len(chats) != 0 {
		t.Errorf("a bad message left a chat: %v", chats)
	}
}

const chatTooLong = 100_001

func TestCodesOverHTTP(t *testing.T) {
	r := newRig(t, Config{})
	code := r.g.NewCode()
	jar := r.page.Jar
	r.page.Jar = nil
	r.do("GET", "/", "", http.StatusUnauthorized)
	r.do("POST", "/api/here", `{"code":"`+code+`"}`, http.StatusNoContent)
	r.do("POST", "/api/here", `{"code":"`+code+`"}`, http.StatusForbidden)
	refused := 0
	for range 30 {
		req, _ := http.NewRequestWithContext(t.Context(), "POST", r.srv.URL+"/api/here", strings.NewReader(`{"code":"guess"}`))
		req.Header.Set("Content-Type", "application/json")
		res, err := r.page.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 {
		t.Error("guessing isn't throttled")
	}
	r.do("POST", "/api/here", `{"code":"`+r.g.NewCode()+`"}`, http.StatusNoContent)
	r.page.Jar = jar
	r.do("GET", "/api/here", "", http.StatusNoContent)
	if strings.Contains(r.log.String(), code) {
		t.Error("a code is in the log")
	}
}

package gateway

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/gateway/access"
	"conch/gateway/web"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestRoutes makes every new route, and what it asks of its caller, visible in review.
func TestRoutes(t *testing.T) {
	r := newRig(t, Config{})
	var lines []string
	for _, row := range r.g.table() {
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

// TestZeroLevelAdmitsNobody is about a route whose level somebody forgot.
func TestZeroLevelAdmitsNobody(t *testing.T) {
	r := newRig(t, Config{})
	row := r.g.mux.rules["GET /api/status"]
	row.rule = access.Rule{}
	r.g.mux.rules["GET /api/status"] = row
	r.do("GET", "/api/status", "", http.StatusForbidden)
}

// stranger is a kind of caller that must not get in.
type stranger struct {
	name string
	// dress makes a request, which has no proof yet, the stranger's.
	dress func(r *rig, req *http.Request)
	// want says which answer a route must give.
	want func(row route) int
}

func always(status int) func(route) int { return func(route) int { return status } }

// unless401 is for strangers who prove nothing: open routes answer them as anybody.
func unless401(row route) int {
	if row.rule.Need == access.Anyone {
		return 0
	}
	return http.StatusUnauthorized
}

func strangers(r *rig) []stranger {
	here, _ := url.Parse(r.srv.URL)
	good := r.page.Jar.Cookies(here)[0]
	port := here.Port()
	key, err := r.g.dir.Secret(keyName, access.KeySize)
	if err != nil {
		r.t.Fatal(err)
	}
	old := access.NewProof(key, func() time.Time { return time.Now().Add(-access.CookieAge - time.Hour) }).NewCookie(port)
	withCookie := func(headers ...string) func(*rig, *http.Request) {
		return func(_ *rig, req *http.Request) {
			req.AddCookie(good)
			for i := 0; i < len(headers); i += 2 {
				req.Header.Set(headers[i], headers[i+1])
			}
		}
	}
	form := func(kind string) func(*rig, *http.Request) {
		return func(r *rig, req *http.Request) {
			withCookie("Content-Type", kind, "Origin", r.srv.URL)(r, req)
			req.Body, req.ContentLength = io.NopCloser(strings.NewReader("a=b")), 3
		}
	}
	wrongBody := func(row route) int {
		if row.rule.Body == 0 {
			return http.StatusRequestEntityTooLarge
		}
		return http.StatusUnsupportedMediaType
	}
	return []stranger{
		{"nobody", func(*rig, *http.Request) {}, unless401},
		{"wrong key", func(_ *rig, req *http.Request) { req.Header.Set(access.HeaderHere, strings.Repeat("0", 64)) }, unless401},
		{"old cookie", func(_ *rig, req *http.Request) { req.AddCookie(old) }, unless401},
		{"forged cookie", func(_ *rig, req *http.Request) {
			req.AddCookie(&http.Cookie{Name: good.Name, Value: good.Value[:len(good.Value)-2] + "AA"})
		}, unless401},
		{"another Conch's cookie", func(_ *rig, req *http.Request) {
			req.AddCookie(&http.Cookie{Name: good.Name, Value: access.NewProof(key, time.Now).NewCookie("1").Value})
		}, unless401},
		{"proxy", withCookie("X-Forwarded-For", "127.0.0.1"), always(http.StatusUnauthorized)},
		{"rebound host", func(r *rig, req *http.Request) {
			withCookie("Origin", "http://evil.test:"+port)(r, req)
			req.Host = "evil.test:" + port
		}, always(http.StatusMisdirectedRequest)},
		{"cross-site fetch", withCookie("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"), always(http.StatusForbidden)},
		{"another port of this computer", withCookie("Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"), always(http.StatusForbidden)},
		{"frame", withCookie("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"), always(http.StatusForbidden)},
		{"link from another site", withCookie("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), func(row route) int {
			switch {
			case !row.rule.Document:
				return http.StatusForbidden
			case row.rule.Need == access.Anyone:
				return 0
			default:
				return http.StatusUnauthorized
			}
		}},
		{"null origin", withCookie("Origin", "null"), always(http.StatusForbidden)},
		{"another origin", withCookie("Origin", "http://evil.test"), always(http.StatusForbidden)},
		{"another port's origin", withCookie("Origin", "http://localhost:1"), always(http.StatusForbidden)},
		{"form", form("application/x-www-form-urlencoded"), wrongBody},
		{"multipart form", form("multipart/form-data; boundary=x"), wrongBody},
		{"text that could be JSON", form("text/plain"), wrongBody},
		{"upgrade from another origin", withCookie("Origin", "http://evil.test", "Connection", "Upgrade", "Upgrade", "websocket",
			"Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), always(http.StatusForbidden)},
	}
}

// TestEveryRouteAgainstEveryStranger walks both over a live server.
func TestEveryRouteAgainstEveryStranger(t *testing.T) {
	r := newRig(t, Config{})
	id, _ := r.say("hello")
	r.ended(id)
	client := &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	n := 0
	for _, s := range strangers(r) {
		for _, row := range r.g.table() {
			method, path, found := strings.Cut(row.pattern, " ")
			if !found {
				method, path = "POST", row.pattern+"nowhere"
			}
			path = strings.NewReplacer("{id}", id, "{name}", "see", "{$}", "").Replace(path)
			req, err := http.NewRequestWithContext(t.Context(), method, r.srv.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if row.rule.Socket { // what else is wrong must be seen, not the missing origin
				req.Header.Set("Origin", r.srv.URL)
			}
			s.dress(r, req)
			want := s.want(row)
			if s.name == "link from another site" && method != http.MethodGet && row.rule.Document {
				want = http.StatusForbidden
			}
			r.g.guard = access.NewGuard(r.g.proof, time.Now) // without a history of failures
			checkStranger(t, client, req, s, row, want)
			n++
		}
	}
	if got := r.transcript(id); strings.Count(got, "\n") != 3 {
		t.Errorf("a stranger changed the chat:\n%s", got)
	}
	if chats, _ := r.g.store.Chats(t.Context(), 10); len(chats) != 1 || r.g.use.On() {
		t.Error("a stranger changed something")
	}
	t.Logf("%d pairs", n)
}

func checkStranger(t *testing.T, client *http.Client, req *http.Request, s stranger, row route, want int) {
	t.Helper()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body)
	if want != 0 && res.StatusCode != want {
		t.Errorf("%s at %s: %d, want %d: %.200s", s.name, row.pattern, res.StatusCode, want, body)
	}
	for name := range res.Header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s at %s: %s is sent", s.name, row.pattern, name)
		}
	}
	if want != 0 && len(res.Cookies()) > 0 {
		t.Errorf("%s at %s was given a cookie", s.name, row.pattern)
	}
	if res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("%s at %s: headers %v", s.name, row.pattern, res.Header)
	}
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

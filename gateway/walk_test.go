package gateway

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/gateway/access"
	"conch/gateway/access/address"
	"conch/gateway/access/keep"
)

// stranger is a kind of caller that must not get in.
type stranger struct {
	name string
	away bool // it comes to the address; otherwise to the port of this computer
	// dress makes a request, which has no proof yet, the stranger's.
	dress func(req *http.Request)
	// want says which answer a route must give; 0 is that it answers as it answers anybody.
	want func(row route) int
}

const asAnybody = 0

// unproven says which answer somebody gets who proves nothing.
func unproven(away bool) func(route) int {
	return func(row route) int {
		open := row.rule.Need == access.Open || row.rule.Need == access.Door
		if open || !away && row.rule.Need == access.Anyone || away && row.rule.Need == access.Away {
			return asAnybody
		}
		return http.StatusUnauthorized
	}
}

func always(status int) func(route) int { return func(route) int { return status } }

func wears(headers ...string) func(*http.Request) {
	return func(req *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			req.Header.Add(headers[i], headers[i+1])
		}
	}
}

func and(all ...func(*http.Request)) func(*http.Request) {
	return func(req *http.Request) {
		for _, f := range all {
			f(req)
		}
	}
}

// strangers are all of them. Those who try something on top of it do so with good proof: what is wrong with them must
// be enough by itself.
func strangers(h *house) []stranger {
	out, outID := h.letIn()
	h.here("DELETE", "/api/devices/"+outID, "", http.StatusNoContent)
	in, _ := h.letIn()
	waits, _ := h.signIn()
	old := access.NewProof(must(h.g.dir.Secret(keyName, access.KeySize)), func() time.Time { return time.Now().Add(-access.CookieAge - time.Hour) })
	page := &http.Cookie{Name: access.CookieName(h.port), Value: h.g.proof.NewCookie(h.port).Value}
	cookie := func(name, value string) func(*http.Request) {
		return func(req *http.Request) { req.AddCookie(&http.Cookie{Name: name, Value: value}) }
	}
	here, device := cookie(page.Name, page.Value), cookie(access.DeviceCookie, h.cookie(in))
	key := wears(access.HeaderHere, h.key)
	own := []stranger{
		{"nobody", false, func(*http.Request) {}, unproven(false)},
		{"a wrong key", false, wears(access.HeaderHere, strings.Repeat("0", 64)), unproven(false)},
		{"an old cookie", false, cookie(page.Name, old.NewCookie(h.port).Value), unproven(false)},
		{"a forged cookie", false, cookie(page.Name, page.Value[:len(page.Value)-2]+"AA"), unproven(false)},
		{"another Conch's cookie", false, cookie(page.Name, h.g.proof.NewCookie("1").Value), unproven(false)},
		{"a device's cookie without HTTPS", false, device, unproven(false)},
		{"the address's name without HTTPS", false, and(here, device, key, func(r *http.Request) { r.Host = houseHost }), always(http.StatusMisdirectedRequest)},
		{"a word of HTTPS where there is no proxy", false, and(device, wears("X-Forwarded-Proto", "https"), func(r *http.Request) { r.Host = houseHost }), always(http.StatusMisdirectedRequest)},
		{"a program that asks for a page's right", false, key, func(row route) int {
			if row.rule.Need == access.Page {
				return http.StatusForbidden
			}
			return -1 // it is the person's own
		}},

		{"nobody elsewhere", true, func(*http.Request) {}, unproven(true)},
		{"a wrong cookie elsewhere", true, cookie(access.DeviceCookie, strings.Repeat("A", 43)), unproven(true)},
		{"a device not let in", true, cookie(access.DeviceCookie, h.cookie(waits)), func(row route) int {
			if row.rule.Need == access.Waiting {
				return -1
			}
			return unproven(true)(row)
		}},
		{"a removed device", true, cookie(access.DeviceCookie, h.cookie(out)), unproven(true)},
		{"the proof of this computer, elsewhere", true, and(here, key), unproven(true)},
		{"this computer's name at the address", true, and(here, device, key, func(r *http.Request) { r.Host = "localhost:" + h.port }), always(http.StatusMisdirectedRequest)},
		{"a device that wants what this computer may", true, device, func(row route) int {
			if slices.Contains([]access.Level{access.Anyone, access.Here, access.Page}, row.rule.Need) {
				return http.StatusForbidden
			}
			return -1 // it was let in
		}},
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"} {
		own = append(own, stranger{"a proxy that says " + name, false, and(here, key, wears(name, "127.0.0.1")), always(http.StatusUnauthorized)})
	}
	return append(own, tricks(h, here, device)...)
}

// tricks are of somebody whose browser has good cookies: what is wrong is how they are used.
func tricks(h *house, here, device func(*http.Request)) []stranger {
	var out []stranger
	for _, away := range []bool{false, true} {
		proof, base, at := here, h.url, " here"
		if away {
			proof, base, at = device, "https://"+houseHost, " elsewhere"
		}
		add := func(name string, want func(route) int, dress ...func(*http.Request)) {
			out = append(out, stranger{name + at, away, and(append([]func(*http.Request){proof}, dress...)...), want})
		}
		body := func(kind, text string) func(*http.Request) {
			return func(req *http.Request) {
				req.Header.Set("Content-Type", kind)
				req.Header.Set("Origin", base)
				req.Body, req.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
			}
		}
		forbidden := always(http.StatusForbidden)
		add("a rebound name", always(http.StatusMisdirectedRequest), func(r *http.Request) { r.Host = "evil.test" + r.URL.Host[strings.LastIndex(r.URL.Host, ":"):] }, wears("Origin", "http://evil.test"))
		add("a cross-site GET", forbidden, wears("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"))
		add("a cross-site POST", forbidden, wears("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Origin", "https://evil.test"))
		add("another port of the same name", forbidden, wears("Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"))
		add("a frame", forbidden, wears("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"))
		add("a link from another site", func(row route) int {
			switch {
			case !row.rule.Document || !strings.HasPrefix(row.pattern, "GET "):
				return http.StatusForbidden
			default:
				return unproven(away)(row)
			}
		}, wears("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"))
		add("an origin that is null", forbidden, wears("Origin", "null"))
		add("another origin", forbidden, wears("Origin", "https://evil.test"))
		add("an upgrade from another origin", forbidden, wears("Origin", "https://evil.test", "Connection", "Upgrade", "Upgrade", "websocket",
			"Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="))
		typed := func(row route) int {
			switch {
			case row.rule.Need == access.Door:
				return http.StatusForbidden // a page's origin has no business there, whatever it sends
			case row.rule.Body == 0:
				return http.StatusRequestEntityTooLarge
			}
			return http.StatusUnsupportedMediaType
		}
		for _, kind := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"} {
			add("a body of "+kind, typed, body(kind, `{"a":"b"}`))
		}
		add("a body that is too long", func(row route) int {
			if row.rule.Need == access.Door {
				return http.StatusForbidden
			}
			return http.StatusRequestEntityTooLarge
		}, body("application/json", strings.Repeat(" ", textBody+1)), wears("Expect", "100-continue"))
	}
	return out
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestEveryRouteAgainstEveryStranger walks both over a live server, on this computer's port and at the address.
func TestEveryRouteAgainstEveryStranger(t *testing.T) {
	h := newHouse(t)
	const private = "what only the person may read"
	h.here("POST", "/api/chats", `{"text":"`+private+`"}`, http.StatusCreated)
	chat := must(h.g.store.Chats(t.Context(), 1))[0].ID
	waitFor(t, "the turn ends", func() bool { _, running := h.g.runner.Running(chat); return !running })
	all := strangers(h)
	w := &walk{house: h, chat: chat, secrets: map[string]string{
		"the key": h.key, "the password": houseWord, "a chat": private, "a chat's id": chat, "the folder": h.home,
	}, flat: map[string]string{}}
	before, events := must(os.ReadFile(filepath.Join(h.home, keep.Name))), must(h.g.store.All(t.Context(), chat, 0))
	client := h.client(noJar{})
	n := 0
	for _, s := range all {
		for _, row := range h.g.mux.routes() {
			want := s.want(row)
			if want == -1 {
				continue
			}
			w.meet(client, s, row, want)
			n++
		}
	}
	if after := must(os.ReadFile(filepath.Join(h.home, keep.Name))); string(after) != string(before) {
		t.Errorf("a stranger changed who may come in:\n%s\n%s", before, after)
	}
	if after := must(h.g.store.All(t.Context(), chat, 0)); len(after) != len(events) {
		t.Error("a stranger changed the chat")
	}
	if chats := must(h.g.store.Chats(t.Context(), 10)); len(chats) != 1 || h.g.use.On() || len(h.g.devices.Waiting()) != 1 {
		t.Error("a stranger changed something")
	}
	h.secrets()
	t.Logf("%d strangers, %d pairs, %d different answers", len(all), n, len(w.flat))
}

// noJar keeps nothing: each stranger comes with what it wears.
type noJar struct{ http.CookieJar }

func (noJar) SetCookies(*url.URL, []*http.Cookie)    {}
func (noJar) Cookies(*url.URL) (none []*http.Cookie) { return nil }

// walk is strangers going from route to route.
type walk struct {
	*house
	chat    string
	secrets map[string]string
	flat    map[string]string // what is answered, by status and kind: always the same
}

// meet has one stranger ask one route.
func (w *walk) meet(client *http.Client, s stranger, row route, want int) {
	w.t.Helper()
	base := w.url
	if s.away {
		base = "https://" + houseHost
	}
	method, path, found := strings.Cut(row.pattern, " ")
	if !found {
		method, path = http.MethodPost, row.pattern
		if path == "/" {
			path = "/nowhere"
		}
	}
	path = strings.NewReplacer("{id}", w.chat, "{name}", "see", "{$}", "").Replace(path)
	req, err := http.NewRequestWithContext(w.t.Context(), method, base+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	s.dress(req)
	if row.rule.Socket && req.Header.Get("Origin") == "" { // what else is wrong must be seen, not the missing origin
		req.Header.Set("Origin", base)
	}
	w.g.guard = access.NewGuard(w.g.proof, &address.Outside{File: w.g.access, Devices: w.g.devices}, nil) // without a history of failures
	got := w.send(client, req)
	at := s.name + " at " + row.pattern
	if want != asAnybody && got.status != want {
		w.t.Errorf("%s: %d, want %d: %.200s", at, got.status, want, got.body)
	}
	if want == asAnybody && got.status == http.StatusUnauthorized {
		w.t.Errorf("%s: it is for anybody and refuses", at)
	}
	w.leaks(at, got)
	if want == asAnybody {
		return
	}
	if len(got.header.Values("Set-Cookie")) > 0 {
		w.t.Errorf("%s was given a cookie", at)
	}
	kind := got.header.Get("Content-Type")
	about := http.StatusText(got.status) + " " + kind
	switch {
	case got.status == http.StatusRequestEntityTooLarge && row.rule.Body == 0:
		about += ", where none is taken"
	case got.status == http.StatusForbidden && s.away && strings.Contains(s.name, "wants what"):
		about += ", to a device that was let in"
	case got.status == http.StatusForbidden && row.rule.Need == access.Page && strings.Contains(s.name, "program"):
		about += ", to the person's own program"
	case strings.HasPrefix(kind, "text/html") && s.away:
		about += ", elsewhere"
		if strings.HasPrefix(s.name, "a device not let in") {
			about += ", to one that waits"
		}
	}
	shown := got.body + "\n" + headers(got.header)
	if first, seen := w.flat[about]; !seen {
		w.flat[about] = shown
	} else if first != shown {
		w.t.Errorf("%s: not the flat answer for %q:\n%s\nbut\n%s", at, about, first, shown)
	}
}

// leaks looks for what no answer to a stranger may hold.
func (w *walk) leaks(at string, got answer) {
	w.t.Helper()
	shown := got.body + headers(got.header)
	for name, secret := range w.secrets {
		if strings.Contains(shown, secret) {
			w.t.Errorf("%s: %s is told", at, name)
		}
	}
	for name := range got.header {
		if strings.HasPrefix(name, "Access-Control-") || name == "Server" || name == "Location" {
			w.t.Errorf("%s: %s is sent", at, name)
		}
	}
	if got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("X-Frame-Options") != "DENY" {
		w.t.Errorf("%s: headers %v", at, got.header)
	}
}

// headers are all but the time and how the connection goes on.
func headers(h http.Header) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if name != "Date" && name != "Connection" {
			b.WriteString(name + ": " + strings.Join(h[name], ", ") + "\n")
		}
	}
	return b.String()
}

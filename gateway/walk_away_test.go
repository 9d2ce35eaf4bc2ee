package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"conch/gateway/access"
	"conch/gateway/access/keep"
	"conch/gateway/confirm"
	"conch/gateway/web"
)

// TestDevice goes through a device's life: signing in, waiting, being let in, chatting, widening, being removed.
func TestDevice(t *testing.T) {
	h := newHouse(t)
	c := h.client(nil)
	page := h.away(c, "GET", "/settings", "", http.StatusUnauthorized)
	if !strings.Contains(page, `id="signin"`) || strings.Contains(page, `id="rail"`) {
		t.Errorf("a stranger elsewhere sees %s", page)
	}
	h.away(c, "GET", "/api/device", "", http.StatusUnauthorized)
	h.away(c, "POST", "/api/sign-in", `{"password":"wrong"}`, http.StatusForbidden)
	if h.cookie(c) != "" || len(h.g.devices.Waiting()) != 0 {
		t.Fatal("a wrong password signs in")
	}

	c, id := h.signIn()
	if got := h.away(c, "GET", "/api/device", "", http.StatusOK); !strings.Contains(got, `"waiting"`) {
		t.Errorf("it waits: %s", got)
	}
	number := h.g.devices.Waiting()[0].Number
	if page := h.away(c, "GET", "/", "", http.StatusUnauthorized); !strings.Contains(page, number) || strings.Contains(page, `id="rail"`) {
		t.Errorf("while it waits it sees %s", page)
	}
	if page := h.here("GET", web.PathDevices, "", http.StatusOK); !strings.Contains(page, number) || !strings.Contains(page, id) {
		t.Error("this computer doesn't show who waits")
	}
	h.away(c, "POST", "/api/chats", `{"text":"hello"}`, http.StatusUnauthorized)
	h.away(c, "POST", "/api/devices/"+id, `{}`, http.StatusUnauthorized)

	// What was confirmed for the address was ten minutes ago.
	h.now.Store(int64(confirm.Lasts + time.Second))
	if got := h.here("POST", "/api/devices/"+id, `{}`, http.StatusForbidden); !strings.Contains(got, `"confirm-password"`) {
		t.Errorf("letting in without confirming: %s", got)
	}
	h.confirm("device")
	h.here("POST", "/api/devices/"+id, `{}`, http.StatusNoContent)
	h.here("POST", "/api/devices/"+id, `{}`, http.StatusConflict)
	if got := h.away(c, "GET", "/api/device", "", http.StatusOK); !strings.Contains(got, `"in"`) {
		t.Errorf("it was let in: %s", got)
	}

	var made started
	if err := json.Unmarshal([]byte(h.away(c, "POST", "/api/chats", `{"text":"hello from afar"}`, http.StatusCreated)), &made); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/chats/" + made.Chat, "/settings", "/settings/computer", web.PathDevices, "/activity", "/api/status"} {
		h.away(c, "GET", path, "", http.StatusOK)
	}
	if page := h.away(c, "GET", web.PathDevices, "", http.StatusOK); strings.Contains(page, ".pem") || strings.Contains(page, "address-set") {
		t.Error("a device sees where the key's file is, or a way to change the address")
	}
	h.widens(c, made.Chat)

	h.removed(c, id, made.Chat)
	h.secrets()
}

// widens tries from a device what gives the assistant more room.
func (h *house) widens(c *http.Client, chat string) {
	h.t.Helper()
	h.away(c, "POST", "/api/computer-use", `{"on":false}`, http.StatusNoContent)
	wide := [][3]string{
		{"POST", "/api/computer-use", `{"on":true}`},
		{"POST", "/api/computer-use/pause", `{"pause":false}`},
		{"POST", "/api/chats/" + chat + "/mode", `{"mode":"auto"}`},
		{"POST", "/api/chats/" + chat + "/mode", `{"mode":"trust"}`},
		{"POST", "/api/questions/none", `{"choice":"always"}`},
		{"POST", "/api/models", `{"kind":"server","address":"http://127.0.0.1:9","key":"k"}`},
		{"POST", "/api/models/usual", `{"model":""}`},
		{"POST", "/api/chats/" + chat + "/model", `{"model":""}`},
	}
	refused := func(when string) {
		h.t.Helper()
		for _, w := range wide {
			if got := h.away(c, w[0], w[1], w[2], http.StatusForbidden); !strings.Contains(got, `"confirm-password"`) {
				h.t.Errorf("%s, %s %s: %s", when, w[1], w[2], got)
			}
		}
		if h.g.use.On() || !h.g.use.Pauses() {
			h.t.Errorf("%s: a device widened", when)
		}
	}
	refused("before confirming")
	h.away(c, "POST", "/api/confirm", `{"what":"use","password":"wrong"}`, http.StatusForbidden)
	refused("after a wrong password")
	h.away(c, "POST", "/api/confirm", `{"what":"use","password":"`+houseWord+`"}`, http.StatusNoContent)
	h.away(c, "POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	h.away(c, "POST", "/api/chats/"+chat+"/model", `{"model":""}`, http.StatusNoContent)
	h.away(c, "POST", "/api/questions/none", `{"choice":"always"}`, http.StatusConflict) // there is none, but it may
	h.away(c, "POST", "/api/computer-use", `{"on":false}`, http.StatusNoContent)
	// What is for this computer alone stays so.
	for _, path := range []string{"/api/devices/x", "/api/address", "/api/password", "/api/confirm/on", "/api/confirm/off", "/api/here/codes", "/api/computer-use/reopen", "/api/computer-use/switches/see"} {
		if got := h.away(c, "POST", path, `{}`, http.StatusForbidden); !strings.Contains(got, `"here-only"`) {
			h.t.Errorf("%s from a device: %s", path, got)
		}
	}
	h.now.Add(int64(confirm.Lasts))
	refused("ten minutes after confirming")
}

// removed removes a device that follows a chat by a socket and by a stream, and sees both end.
func (h *house) removed(c *http.Client, id, chat string) {
	h.t.Helper()
	dial := websocket.Dialer{
		TLSClientConfig: &tls.Config{RootCAs: h.pool, ServerName: houseName, MinVersion: tls.VersionTLS13}, Jar: c.Jar,
		NetDialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, h.tls.Load().String())
		},
	}
	conn, res, err := dial.DialContext(h.t.Context(), "wss://"+houseHost+"/live?chat="+chat, http.Header{"Origin": {"https://" + houseHost}})
	if err != nil {
		h.t.Fatal(err)
	}
	_ = res.Body.Close()
	defer func() { _ = conn.Close() }()
	req, _ := http.NewRequestWithContext(h.t.Context(), "GET", "https://"+houseHost+"/api/chats/"+chat+"/events", nil)
	events, err := c.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = events.Body.Close() }()
	lines := bufio.NewReader(events.Body)
	if _, err := lines.ReadString('\n'); err != nil {
		h.t.Fatalf("the stream has no first line: %v", err)
	}

	h.here("DELETE", "/api/devices/"+id, "", http.StatusNoContent)
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	for {
		if _, _, err = conn.ReadMessage(); err != nil {
			break
		}
	}
	if isTimeout(err) {
		h.t.Error("the socket of a removed device stays")
	}
	for err = nil; err == nil; {
		_, err = lines.ReadString('\n')
	}
	h.away(c, "GET", "/api/status", "", http.StatusUnauthorized)
	if got := h.away(c, "GET", "/", "", http.StatusUnauthorized); !strings.Contains(got, `data-state="out"`) {
		h.t.Error("a removed device isn't shown where to sign in")
	}
}

// secrets looks for what must be nowhere but where it belongs.
func (h *house) secrets() {
	h.t.Helper()
	log := h.log.String()
	at, _ := url.Parse(h.url)
	secrets := map[string]string{"the password": houseWord, "the key of this computer": h.key, "the page's cookie": h.page.Jar.Cookies(at)[0].Value}
	for i, cookie := range h.cookies {
		secrets[fmt.Sprintf("the cookie of device %d", i)] = cookie
	}
	if log == "" || len(h.cookies) == 0 {
		h.t.Fatal("there is nothing to look for, or nowhere")
	}
	doc, err := os.ReadFile(filepath.Join(h.home, keep.Name))
	if err != nil {
		h.t.Fatal(err)
	}
	for name, secret := range secrets {
		if secret == "" {
			h.t.Fatalf("%s isn't known to this test", name)
		}
		if strings.Contains(log, secret) {
			h.t.Errorf("%s is in the log", name)
		}
		if strings.Contains(string(doc), secret) {
			h.t.Errorf("%s is in %s", name, keep.Name)
		}
	}
}

// TestAddressIsTurnedOnByWhoConfirmedHere is about the ways to turn it on that must not work, and turning it off.
func TestAddressIsTurnedOnByWhoConfirmedHere(t *testing.T) {
	h := noAddress(t)
	cert, key := h.certificate(houseName, time.Now().Add(time.Hour))
	body := func(name, cert, key string) string {
		b, _ := json.Marshal(map[string]any{"name": name, "certificate": cert, "key": key})
		return string(b)
	}
	good := body(houseName, cert, key)
	h.here("POST", "/api/address", good, http.StatusBadRequest) // there is no password
	if got := h.here("POST", "/api/devices/x", `{}`, http.StatusForbidden); !strings.Contains(got, `"confirm-set"`) {
		t.Errorf("letting in without a password: %s", got)
	}
	h.here("POST", "/api/password", `{"password":"short"}`, http.StatusBadRequest)
	h.here("POST", "/api/password", `{"password":"`+houseWord+`"}`, http.StatusNoContent)
	h.here("POST", "/api/address", good, http.StatusForbidden) // not confirmed
	h.confirm("address")
	late, lateKey := h.certificate(houseName, time.Now().Add(-time.Minute))
	other, otherKey := h.certificate("other.test", time.Now().Add(time.Hour))
	open, openKey := h.certificate(houseName, time.Now().Add(time.Hour))
	if err := os.Chmod(openKey, 0o644); err != nil { // it must be refused
		t.Fatal(err)
	}
	for what, b := range map[string]string{
		"no name": body("", cert, key), "an address with a path": body("conch.test/x", cert, key), "localhost": body("localhost", cert, key),
		"no files": body(houseName, "", ""), "a relative path": body(houseName, "cert.pem", key), "no such file": body(houseName, cert+"x", key),
		"a folder": body(houseName, filepath.Dir(cert), key), "another key": body(houseName, cert, otherKey), "the key twice": body(houseName, key, key),
		"one that ended": body(houseName, late, lateKey), "one of another name": body(houseName, other, otherKey), "an open key": body(houseName, open, openKey),
	} {
		got := h.here("POST", "/api/address", b, http.StatusBadRequest)
		if strings.Contains(got, "PRIVATE") || strings.Contains(got, "BEGIN") {
			t.Errorf("%s: what is in a file is told: %s", what, got)
		}
		if doc, _ := h.g.access.Read(); doc.Address.On || h.tls.Load() != nil {
			t.Fatalf("%s: it is on", what)
		}
	}
	h.here("POST", "/api/address", good, http.StatusNoContent)
	c, id := h.letIn()
	h.away(c, "GET", "/api/status", "", http.StatusOK)

	// A certificate that was renewed holds from the next connection on.
	renewed, renewedKey := h.certificate(houseName, time.Now().Add(48*time.Hour))
	for from, to := range map[string]string{renewed: cert, renewedKey: key} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	h.away(h.client(c.Jar), "GET", "/api/status", "", http.StatusOK)

	// A program with the key may turn it off, and so may a device; nobody else.
	h.here("DELETE", "/api/address", "", http.StatusNoContent)
	if conn, err := net.DialTimeout("tcp4", h.tls.Load().String(), time.Second); err == nil {
		_ = conn.Close()
		t.Error("the port still answers")
	}
	h.here("POST", "/api/address", good, http.StatusNoContent)
	h.away(h.client(c.Jar), "GET", "/api/status", "", http.StatusOK)
	h.away(h.client(c.Jar), "DELETE", "/api/address", "", http.StatusNoContent)
	waitFor(t, "the port closes", func() bool {
		conn, err := net.DialTimeout("tcp4", h.tls.Load().String(), time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	h.here("DELETE", "/api/devices/"+id, "", http.StatusNoContent)
}

// TestProxy is about a TLS proxy on this computer.
func TestProxy(t *testing.T) {
	h := noAddress(t)
	h.here("POST", "/api/password", `{"password":"`+houseWord+`"}`, http.StatusNoContent)
	h.confirm("address")
	through := func(proto, host, path string, cookies ...*http.Cookie) answer {
		t.Helper()
		req, _ := http.NewRequestWithContext(t.Context(), "GET", h.url+path, nil)
		req.Host = host
		for _, p := range strings.Fields(proto) {
			req.Header.Add("X-Forwarded-Proto", p)
		}
		req.Header.Set("X-Forwarded-For", "203.0.113.7")
		for _, c := range cookies {
			req.AddCookie(c)
		}
		return h.send(h.client(nil), req)
	}
	status := func(a answer, want int, what string) {
		t.Helper()
		if a.status != want {
			t.Errorf("%s: %d, want %d: %.120s", what, a.status, want, a.body)
		}
	}
	status(through("https", houseName, "/api/status"), http.StatusMisdirectedRequest, "before it is on")
	h.here("POST", "/api/address", `{"name":"Conch.Test","proxy":true}`, http.StatusNoContent)
	status(through("https", houseName, "/api/status"), http.StatusUnauthorized, "a stranger")
	status(through("https", houseName, "/"), http.StatusUnauthorized, "a stranger's page")
	status(through("http", houseName, "/"), http.StatusMisdirectedRequest, "plain HTTP")
	status(through("", houseName, "/"), http.StatusMisdirectedRequest, "no word of HTTPS")
	status(through("https https", houseName, "/"), http.StatusMisdirectedRequest, "two words")
	status(through("https", "evil.test", "/"), http.StatusMisdirectedRequest, "a rebound name")
	status(through("https", houseName+":4779", "/"), http.StatusMisdirectedRequest, "another port")
	// The proof of this computer is none through a proxy, whatever Host it sends.
	key := &http.Cookie{Name: access.CookieName(h.port), Value: h.g.proof.NewCookie(h.port).Value}
	status(through("https", houseName, "/api/status", key), http.StatusUnauthorized, "the page's cookie through the proxy")
	status(through("https", "localhost:"+h.port, "/api/status", key), http.StatusUnauthorized, "and with this computer's name")

	device := &http.Cookie{Name: access.DeviceCookie, Value: h.g.devices.SignIn("x", "203.0.113.7")}
	h.here("POST", "/api/devices/"+h.g.devices.Waiting()[0].ID, `{}`, http.StatusNoContent)
	status(through("https", houseName, "/api/status", device), http.StatusOK, "a device")
	status(through("http", houseName, "/api/status", device), http.StatusMisdirectedRequest, "a device over plain HTTP")
	h.here("DELETE", "/api/address", "", http.StatusNoContent)
	status(through("https", houseName, "/api/status", device), http.StatusMisdirectedRequest, "a device after it is off")
}

// TestSignInIsThrottled guesses the password from elsewhere.
func TestSignInIsThrottled(t *testing.T) {
	h := newHouse(t)
	c := h.client(nil)
	for range access.LimitSignIns.Each {
		h.away(c, "POST", "/api/sign-in", `{"password":"guess"}`, http.StatusForbidden)
	}
	h.away(c, "POST", "/api/sign-in", `{"password":"`+houseWord+`"}`, http.StatusTooManyRequests)
	h.confirm("device") // guessing there keeps nobody from confirming here
	h.now.Add(int64(access.LimitSignIns.Window + time.Second))
	h.away(c, "POST", "/api/sign-in", `{"password":"`+houseWord+`"}`, http.StatusNoContent)
}

// TestWrongSignInsAreAnsweredAlike compares what a browser elsewhere is told, whatever is wrong.
func TestWrongSignInsAreAnsweredAlike(t *testing.T) {
	h := newHouse(t)
	out, id := h.letIn()
	h.here("DELETE", "/api/devices/"+id, "", http.StatusNoContent)
	waits, _ := h.signIn()
	ask := func(cookie, password string) string {
		t.Helper()
		req := must(http.NewRequestWithContext(t.Context(), "POST", "https://"+houseHost+"/api/sign-in", strings.NewReader(`{"password":"`+password+`"}`)))
		req.Header.Set("Content-Type", "application/json")
		req.AddCookie(&http.Cookie{Name: access.DeviceCookie, Value: cookie})
		got := h.send(h.client(noJar{}), req)
		return fmt.Sprint(got.status, " ", got.body, headers(got.header))
	}
	want := ask("nothing", "wrong")
	if !strings.HasPrefix(want, "403 ") || strings.Contains(want, "Set-Cookie") {
		t.Fatal(want)
	}
	for name, got := range map[string]string{
		"a removed device": ask(h.cookie(out), "wrong"), "a waiting device": ask(h.cookie(waits), "wrong"), "a long one": ask("", strings.Repeat("x", 2000)),
	} {
		if got != want {
			t.Errorf("%s: %s\nnot %s", name, got, want)
		}
	}
	h.now.Add(int64(access.LimitSignIns.Window + time.Second))
	// Without a password there is nothing to guess, and nobody elsewhere learns that.
	if err := h.g.access.Change(func(d *keep.Doc) error { d.Hash = ""; return nil }); err != nil {
		t.Fatal(err)
	}
	if got := ask("", houseWord); got != want {
		t.Errorf("with no password set: %s\nnot %s", got, want)
	}
	if len(h.g.devices.Waiting()) != 1 {
		t.Error("a wrong password signed in")
	}
}

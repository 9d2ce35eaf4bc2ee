package mcp

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"

	"conch/driver/fake"
	"conch/gateway"
	"conch/gateway/chat"
	"conch/gateway/engine/byhand"
	"conch/gateway/leaktest"
	"conch/gateway/state"
	"conch/mcp/pair"
	"conch/mcp/wire"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const desk = `
-- screen --
display main 640x400
app org.xfce.mousepad "Mousepad"
window 1 "notes.txt - Mousepad" org.xfce.mousepad 0,0 400x300 name "Mousepad" front { field body 20,40 360x200 focused }
-- after open org.xfce.mousepad --
front 1
`

// glow is an edge that is always seen.
type glow struct{}

func (glow) Light(context.Context, string, string) error { return nil }
func (glow) Step(string, string)                         {}
func (glow) Dark(string)                                 {}

// rig is a running Conch with the door open.
type rig struct {
	t    *testing.T
	gw   *gateway.Gateway
	reg  *pair.Registry
	door *Door
	srv  *httptest.Server
	page *http.Client
	log  *logBuffer
	d    *fake.Driver
}

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}
func (l *logBuffer) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

func newRig(t *testing.T) *rig { return newRigServed(t, 0) }

// newRigServed is a rig whose server allows an answer only so long; 0 is for ever.
func newRigServed(t *testing.T, answers time.Duration) *rig {
	t.Helper()
	r := &rig{t: t, log: &logBuffer{}, d: fake.New(t, desk)}
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r.gw, err = gateway.New(t.Context(), gateway.Config{State: dir, Engine: byhand.Engine{}, Driver: r.d, Edge: glow{}, EdgeRequired: true, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	r.reg, err = pair.Open(dir, pair.Options{Log: log, Changed: func(id string) {
		if r.door != nil {
			r.door.Changed(id)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.door = New(Options{Gateway: r.gw, Clients: r.reg, Version: "test", Log: log})
	r.door.Mount(r.gw)
	r.srv = httptest.NewUnstartedServer(r.gw.Handler())
	r.srv.Config.WriteTimeout = answers
	r.srv.Start()
	jar, _ := cookiejar.New(nil)
	r.page = &http.Client{Jar: jar, Transport: &http.Transport{}}
	t.Cleanup(func() {
		r.page.CloseIdleConnections()
		for _, err := range []error{r.door.Close(context.Background()), r.gw.Close(context.Background()), dir.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
		r.srv.Close()
	})
	r.press("POST", "/api/here", `{"code":"`+r.gw.NewCode()+`"}`)
	return r
}

// press does something on a page, as the person.
func (r *rig) press(method, path, body string) string {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.srv.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := r.page.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	if res.StatusCode >= 300 {
		r.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, data)
	}
	return string(data)
}

// watch opens a page, so that somebody can see questions and press Stop.
func (r *rig) watch() {
	r.t.Helper()
	here, _ := url.Parse(r.srv.URL)
	h := http.Header{"Origin": {r.srv.URL}, "Cookie": {r.page.Jar.Cookies(here)[0].String()}}
	conn, res, err := websocket.DefaultDialer.DialContext(r.t.Context(), "ws"+strings.TrimPrefix(r.srv.URL, "http")+"/live", h)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = res.Body.Close()
	r.t.Cleanup(func() { _ = conn.Close() })
	if _, _, err := conn.ReadMessage(); err != nil { // it is followed from here on
		r.t.Fatal(err)
	}
}

func (r *rig) pair(kind pair.Kind, scopes ...string) (pair.Client, pair.Key) {
	r.t.Helper()
	c, key, err := r.reg.Pair(pair.Client{Name: "Cursor", Kind: kind, Scopes: scopes, Mode: chat.Ask})
	if err != nil {
		r.t.Fatal(err)
	}
	return c, key
}

// prove gets a launcher's session as a launcher does.
func (r *rig) prove(c pair.Client, key pair.Key) string {
	r.t.Helper()
	var hello wire.HelloAnswer
	r.post(wire.PathHello, wire.Hello{Client: c.ID}, &hello)
	var session wire.SessionAnswer
	r.post(wire.PathSession, wire.Session{Client: c.ID, Nonce: hello.Nonce, Proof: wire.Proof(key, c.ID, hello.Nonce)}, &session)
	if session.Token == "" || time.Until(session.Until) < 23*time.Hour {
		r.t.Fatalf("the session is %+v", session)
	}
	return session.Token
}

func (r *rig) post(path string, in, out any) {
	r.t.Helper()
	data, _ := json.Marshal(in)
	status, body, _ := r.send("POST", path, string(data), nil)
	if status != http.StatusOK || json.Unmarshal([]byte(body), out) != nil {
		r.t.Fatalf("%s: %d %s", path, status, body)
	}
}

// send makes a request as a program does.
func (r *rig) send(method, path, body string, h map[string]string) (int, string, http.Header) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.srv.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for k, v := range h {
		if k == "Host" {
			req.Host = v
			continue
		}
		req.Header.Set(k, v)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(data), res.Header
}

const both = "application/json, text/event-stream"

// as are the headers of a client that has a token or a key.
func as(bearer string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + bearer, "Accept": both, "Mcp-Protocol-Version": "2025-11-25"}
}

func modern(bearer, method, name string) map[string]string {
	h := map[string]string{"Authorization": "Bearer " + bearer, "Accept": both, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method}
	if name != "" {
		h["Mcp-Name"] = name
	}
	return h
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"conch/gateway/web"
)

// gateway serves the sample pages at /sample/<name> and stands in for the endpoints: it keeps what was asked
// and pushes what a test tells it to.
type gateway struct {
	*httptest.Server
	r *web.Renderer

	mu      sync.Mutex
	pages   map[string]web.PageView
	slow    chan chan struct{} // a page that is read is as it was then, and sent when its gate is closed
	calls   []string
	answer  map[string]string // what a call's path answers, beside the usual
	fail    map[string]string // a call's path to the error it answers with
	conns   map[*websocket.Conn]bool
	shot    int
	deaf    bool // no sockets
	noShots bool
	asked   []string
	place   string // what testing a place of models answers
	device  string // what a device that signed in is told; empty is that it isn't known
}

func serve(t *testing.T) *gateway {
	t.Helper()
	r, err := web.New(web.Assets())
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{r: r, pages: samples(), fail: map[string]string{}, conns: map[*websocket.Conn]bool{}, device: "{}"}
	mux := http.NewServeMux()
	mux.Handle("GET "+web.PathStatic, r.Static())
	mux.HandleFunc("GET /sample/{name}", func(w http.ResponseWriter, req *http.Request) { g.page(w, req.PathValue("name")) })
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { g.page(w, "home") })
	mux.HandleFunc("GET /chats/{id}", func(w http.ResponseWriter, _ *http.Request) { g.page(w, "chat-stopped") })
	mux.HandleFunc("GET /settings", func(w http.ResponseWriter, _ *http.Request) { g.page(w, "settings") })
	mux.HandleFunc("GET /api/computer-use/shot/{id}", func(w http.ResponseWriter, _ *http.Request) {
		g.mu.Lock()
		gone := g.noShots
		g.mu.Unlock()
		if gone {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		g.picture(w, desktop(7))
	})
	mux.HandleFunc("GET /api/practice/shot", func(w http.ResponseWriter, req *http.Request) {
		g.mu.Lock()
		n := g.shot
		g.mu.Unlock()
		tag := fmt.Sprintf(`"%d"`, n)
		w.Header().Set("ETag", tag)
		if req.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		g.picture(w, desktop(n))
	})
	mux.HandleFunc("/api/", g.api)
	mux.HandleFunc("GET /live", g.live)
	g.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		g.drop()
		g.CloseClientConnections()
		g.Close()
	})
	return g
}

func (g *gateway) page(w http.ResponseWriter, name string) {
	g.mu.Lock()
	v, ok := g.pages[name]
	slow := g.slow
	g.mu.Unlock()
	if slow != nil {
		gate := make(chan struct{})
		slow <- gate
		<-gate
	}
	if !ok {
		v = web.NotFound{}
	}
	web.Headers(w.Header())
	if err := g.r.Page(w, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (g *gateway) picture(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(data)
}

func (g *gateway) api(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(req.Body, 1<<16))
	g.mu.Lock()
	g.calls = append(g.calls, strings.TrimSpace(req.Method+" "+req.URL.Path+" "+string(body)))
	problem, device, answer := g.fail[req.URL.Path], g.device, g.answer[req.URL.Path]
	g.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case problem != "":
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, problem)
	case answer != "":
		_, _ = io.WriteString(w, answer)
	case req.URL.Path == "/api/device" && device == "":
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"code":"proof-needed","say":"Conch doesn't know this window yet."}`)
	case req.URL.Path == "/api/device":
		_, _ = io.WriteString(w, device)
	case req.URL.Path == "/api/care/fix":
		_, _ = io.WriteString(w, `{"fixed":true,"say":"It pauses again when you take over."}`)
	case req.URL.Path == "/api/models/find":
		_, _ = io.WriteString(w, `{"found":[]}`)
	case strings.HasPrefix(req.URL.Path, "/api/models") && strings.HasSuffix(req.URL.Path, "/test"), req.URL.Path == "/api/models" && req.Method == http.MethodPost:
		_, _ = io.WriteString(w, g.place)
	case req.URL.Path == "/api/models":
		_, _ = io.WriteString(w, modelsAnswer)
	case req.URL.Path == "/api/chats":
		_, _ = io.WriteString(w, `{"id":"c1"}`)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (g *gateway) live(w http.ResponseWriter, req *http.Request) {
	g.mu.Lock()
	g.asked = append(g.asked, req.URL.RawQuery)
	deaf := g.deaf
	g.mu.Unlock()
	if deaf {
		http.Error(w, "", http.StatusServiceUnavailable)
		return
	}
	up := websocket.Upgrader{}
	conn, err := up.Upgrade(w, req, nil)
	if err != nil {
		return
	}
	g.mu.Lock()
	g.conns[conn] = true
	g.mu.Unlock()
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			g.mu.Lock()
			delete(g.conns, conn)
			g.mu.Unlock()
			_ = conn.Close()
			return
		}
	}
}

// push sends updates to every page that follows.
func (g *gateway) push(t *testing.T, updates ...web.Update) {
	t.Helper()
	g.until(t, "a page follows", func() bool { return len(g.conns) > 0 })
	g.mu.Lock()
	defer g.mu.Unlock()
	for conn := range g.conns {
		for _, u := range updates {
			data, err := json.Marshal(u)
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.WriteMessage(websocket.TextMessage, data); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// drop hangs up on every page.
func (g *gateway) drop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for conn := range g.conns {
		_ = conn.Close()
	}
}

func (g *gateway) set(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

// until waits for something to be seen.
func (g *gateway) until(t *testing.T, what string, seen func() bool) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for {
		g.mu.Lock()
		ok := seen()
		calls := strings.Join(g.calls, "; ")
		g.mu.Unlock()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("never seen: %s (calls: %s)", what, calls)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// called waits for a call, by its beginning.
func (g *gateway) called(t *testing.T, call string) {
	t.Helper()
	g.until(t, call, func() bool {
		for _, c := range g.calls {
			if strings.HasPrefix(c, call) {
				return true
			}
		}
		return false
	})
}

// TestPreview serves the sample pages for a look by hand where CONCH_PREVIEW is set, until it is interrupted.
func TestPreview(t *testing.T) {
	if os.Getenv("CONCH_PREVIEW") == "" {
		t.Skip("set CONCH_PREVIEW to look at the pages by hand")
	}
	g := serve(t)
	for name := range g.pages {
		fmt.Println(g.URL + "/sample/" + name)
	}
	<-t.Context().Done()
}

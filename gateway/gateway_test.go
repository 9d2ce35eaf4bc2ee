package gateway

import (
	"bytes"
	"context"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/leaktest"

	"github.com/go-json-experiment/json"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// scripted is an engine that does what a test says.
type scripted func(ctx context.Context, t engine.Turn, yield func(engine.Event, error) bool)

func (scripted) ID() string { return "scripted" }

func (s scripted) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) { s(ctx, t, yield) }
}

// echo answers with the person's last message.
var echo = scripted(func(_ context.Context, t engine.Turn, yield func(engine.Event, error) bool) {
	yield(engine.Text{Piece: "You said: " + t.Messages[len(t.Messages)-1].Text}, nil)
})

// logBuffer is a log that tests read.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// rig is a gateway on a live server, with a page's client.
type rig struct {
	t    *testing.T
	g    *Gateway
	srv  *httptest.Server
	page *http.Client // has the cookie
	log  *logBuffer
}

func newRig(t *testing.T, cfg Config) *rig {
	t.Helper()
	r := &rig{t: t, log: &logBuffer{}}
	if cfg.Home == "" {
		cfg.Home = t.TempDir()
	}
	if cfg.Engine == nil {
		cfg.Engine = echo
	}
	cfg.Log = slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	g, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.g = g
	r.srv = httptest.NewServer(g.Handler())
	t.Cleanup(r.end)
	jar, _ := cookiejar.New(nil)
	r.page = &http.Client{Jar: jar, Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r.do("POST", "/api/here", `{"code":"`+g.NewCode()+`"}`, http.StatusNoContent)
	return r
}

// end closes all of it, as a program that ends would. Calling it again is free.
func (r *rig) end() {
	r.page.CloseIdleConnections()
	if err := r.g.Close(context.Background()); err != nil {
		r.t.Error(err)
	}
	r.srv.Close()
}

// do sends a request as a page, checks its status, and returns its body.
func (r *rig) do(method, path, body string, want int) string {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.srv.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Origin", r.srv.URL)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return r.send(req, want)
}

func (r *rig) send(req *http.Request, want int) string {
	r.t.Helper()
	res, err := r.page.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if res.StatusCode != want {
		r.t.Fatalf("%s %s: %d, want %d: %s", req.Method, req.URL.Path, res.StatusCode, want, data)
	}
	return string(data)
}

// say starts a chat and returns it with its turn.
func (r *rig) say(text string) (chatID, turn string) {
	r.t.Helper()
	body, _ := json.Marshal(map[string]string{"text": text})
	var got started
	if err := json.Unmarshal([]byte(r.do("POST", "/api/chats", string(body), http.StatusCreated)), &got); err != nil {
		r.t.Fatal(err)
	}
	return got.Chat, got.Turn
}

// until waits for an event in a chat's log.
func (r *rig) until(chatID string, what func(chat.Event) bool) chat.Event {
	r.t.Helper()
	sub := r.g.hub.Subscribe(chatID)
	defer sub.Close()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	var after uint64
	for {
		events, err := r.g.store.All(ctx, chatID, after)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, e := range events {
			after = e.Seq
			if what(e) {
				return e
			}
		}
		if _, ok := sub.Next(ctx); !ok {
			r.t.Fatalf("it never happened in %s:\n%s", chatID, r.transcript(chatID))
		}
	}
}

func (r *rig) ended(chatID string) chat.Event {
	r.t.Helper()
	return r.until(chatID, func(e chat.Event) bool { return e.Kind == chat.KindEnded })
}

// transcript is a chat's log, for a failed test to show and for others to search.
func (r *rig) transcript(chatID string) string {
	events, err := r.g.store.All(context.Background(), chatID, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range events {
		data, _ := json.Marshal(e)
		b.Write(append(data, '\n'))
	}
	return b.String()
}

func TestOneTurn(t *testing.T) {
	r := newRig(t, Config{})
	id, _ := r.say("hello there")
	if e := r.ended(id); e.State != chat.StateDone {
		t.Errorf("ended %+v", e)
	}
	page := r.do("GET", "/chats/"+id, "", http.StatusOK)
	for _, want := range []string{"hello there", "You said: hello there"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, path := range []string{"/", "/settings", "/settings/computer", "/activity", "/here"} {
		r.do("GET", path, "", http.StatusOK)
	}
	r.do("GET", "/nowhere", "", http.StatusNotFound)
}

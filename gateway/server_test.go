package gateway

import (
	"context"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/driver/fake"
	"conch/gateway/chat"
	"conch/gateway/engine/byhand"
)

// TestServeEndsEverything ends a program in the middle of typing, with a page open.
func TestServeEndsEverything(t *testing.T) {
	home := t.TempDir()
	d, edge := fake.New(t, desk), &shine{}
	if err := d.Apply("slow text 5ms"); err != nil {
		t.Fatal(err)
	}
	g, err := New(t.Context(), Config{Home: home, Engine: byhand.Engine{}, Driver: d, Edge: edge})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- g.Serve(ctx, ln) }()

	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	post := func(path, body string, want int) {
		t.Helper()
		res, err := client.Post("http://"+ln.Addr().String()+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Fatalf("%s: %d", path, res.StatusCode)
		}
	}
	post("/api/here", `{"code":"`+g.NewCode()+`"}`, http.StatusNoContent)
	post("/api/computer-use", `{"on":true}`, http.StatusNoContent)
	if err := g.use.Allow("org.xfce.mousepad", "Mousepad"); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("abcdefghi ", 400)
	post("/api/chats", `{"text":"open Mousepad then type \"`+text+`\""}`, http.StatusCreated)
	waitFor(t, "typing", func() bool { return len(d.Value("body")) > 20 })
	cancel()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Serve doesn't end")
	}
	if edge.on() || d.Begun() || len(d.Held()) > 0 || len(d.Value("body")) >= len(text) {
		t.Errorf("left behind: edge %v, following %v, held %v, typed %d", edge.on(), d.Begun(), d.Held(), len(d.Value("body")))
	}
	if _, err := g.store.Chats(t.Context(), 1); err == nil {
		t.Error("the database is still open")
	}
	again := newRig(t, Config{Home: home})
	chats, err := again.g.store.Chats(t.Context(), 1)
	if err != nil || len(chats) != 1 {
		t.Fatal(chats, err)
	}
	if e := again.ended(chats[0].ID); e.State != chat.StateCut {
		t.Errorf("ended %+v", e)
	}
}

func TestServesThisComputerOnly(t *testing.T) {
	g, err := New(t.Context(), Config{Home: t.TempDir(), Engine: echo})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp4", "0.0.0.0:0") // it must be refused
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Serve(t.Context(), ln); err == nil || !strings.Contains(err.Error(), "this computer only") {
		t.Errorf("Serve: %v", err)
	}
}

// TestDamagedChatsAreKeptAside starts on a database that isn't one.
func TestDamagedChatsAreKeptAside(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, chat.File), []byte(strings.Repeat("not a database ", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, Config{Home: home})
	id, _ := r.say("hello")
	r.ended(id)
	kept, err := os.ReadFile(filepath.Join(home, chat.File+".unreadable-1"))
	if err != nil || !strings.HasPrefix(string(kept), "not a database") {
		t.Errorf("it wasn't kept as it was: %v", err)
	}
	if !strings.Contains(r.log.String(), "damaged") {
		t.Error("nothing was said")
	}
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	if _, err := New(t.Context(), Config{Home: t.TempDir()}); err == nil {
		t.Error("there is no engine")
	}
	if _, err := New(t.Context(), Config{Home: "/dev/null/conch", Engine: echo}); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("no folder: %v", err)
	}
}

package launcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"conch/mcp/pair"
	"conch/mcp/wire"
)

func TestBothErasOverStdio(t *testing.T) {
	c := newConch(t)
	a := c.launch(c.pair("skills").ID)
	if got := a.ask(hello); !strings.Contains(got, `"protocolVersion":"2025-11-25"`) {
		t.Errorf("initialize: %s", got)
	}
	a.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if got := a.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.Contains(got, `"name":"echo"`) {
		t.Errorf("the list: %s", got)
	}
	if got := a.ask(call(2, "echo", `{"say":"héllo"}`)); !strings.Contains(got, `héllo`) {
		t.Errorf("a call: %s", got)
	}
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":7}`
	a.say(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{` + meta + `,"name":"echo","arguments":{}}}`)
	if got := a.hear(); !strings.Contains(got, "notifications/progress") || !strings.Contains(got, `"progressToken":7`) {
		t.Errorf("progress: %s", got)
	}
	if got := a.hear(); !strings.Contains(got, `"id":"x"`) || !strings.Contains(got, `"result"`) {
		t.Errorf("the answer after it: %s", got)
	}
}

// Conch is restarted under a launcher: the next request is answered as if nothing had been.
func TestConchIsRestarted(t *testing.T) {
	c := newConch(t)
	a := c.launch(c.pair("skills").ID)
	a.ask(hello)
	addr := c.addr
	c.stop()
	a.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	c.start(addr)
	if got := a.hear(); !strings.Contains(got, `"name":"echo"`) {
		t.Errorf("the request that came while it was away: %s", got)
	}
	if got := a.ask(call(2, "echo", `{}`)); !strings.Contains(got, `"result"`) {
		t.Errorf("a call afterwards: %s", got)
	}
}

// A call that was under way when Conch went is never made twice, and says that it may have happened.
func TestConchGoesAwayInACall(t *testing.T) {
	c := newConch(t)
	a := c.launch(c.pair("skills").ID)
	a.ask(call(1, "echo", `{}`))
	a.say(call(2, "wait", `{}`))
	<-c.tools.began
	c.stop()
	if got := a.hear(); !strings.Contains(got, `"id":2`) || !strings.Contains(got, "may have happened") && !strings.Contains(got, "Conch is closing") {
		t.Errorf("the call answers %s", got)
	}
	if n := len(c.tools.began); n != 0 {
		t.Errorf("it was made %d times more", n)
	}
}

func TestConchIsntRunning(t *testing.T) {
	c := newConch(t)
	id := c.pair("skills").ID
	c.stop()
	a := c.launch(id)
	if got := a.ask(hello); !strings.Contains(got, "Conch isn't running. Open it from the menu bar.") || !strings.Contains(got, `"id":0`) {
		t.Errorf("it says %s", got)
	}
}

func TestNotPairedAnyMore(t *testing.T) {
	c := newConch(t)
	p := c.pair("skills")
	a := c.launch(p.ID)
	a.ask(call(1, "echo", `{}`))
	a.say(call(2, "wait", `{}`))
	<-c.tools.began
	if was, err := c.reg.Remove(p.ID); !was || err != nil {
		t.Fatal(was, err)
	}
	<-c.tools.ended
	if got := a.hear(); !strings.Contains(got, `"id":2`) {
		t.Errorf("the call that ran answers %s", got)
	}
	if got := a.ask(call(3, "echo", `{}`)); !strings.Contains(got, `"error"`) || strings.Contains(got, "result") {
		t.Errorf("removed, it answers %s", got)
	}
}

// A cancelled call stops in Conch, and no other one; so does each when the app goes.
func TestCancelAndEnd(t *testing.T) {
	c := newConch(t)
	p := c.pair("skills")
	a, b := c.launch(p.ID), c.launch(p.ID)
	for _, one := range []*app{a, b} {
		one.ask(hello)
		one.say(call(5, "wait", `{}`))
		<-c.tools.began
	}
	a.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	<-c.tools.ended
	select {
	case <-c.tools.ended:
		t.Error("another launcher's call of the same id was cancelled too")
	default:
	}
	if got := a.ask(`{"jsonrpc":"2.0","id":6,"method":"ping"}`); !strings.Contains(got, `"id":6`) {
		t.Errorf("after it: %s", got)
	}
	b.quit()
	<-c.tools.ended
}

// An app of before the newest revision is told when its tools are others.
func TestToolsChange(t *testing.T) {
	c := newConch(t)
	p := c.pair()
	a := c.launch(p.ID)
	a.ask(hello)
	for { // the stream may not be open yet, so the change is made again until it is heard
		_, err := c.reg.Change(p.ID, func(p *pair.Client) { p.Scopes = []string{"skills"} }, func(pair.Client, pair.Client) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		a.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if got := a.hear(); strings.Contains(got, "notifications/tools/list_changed") {
			break
		}
	}
}

func TestWhatItCantRead(t *testing.T) {
	c := newConch(t)
	a := c.launch(c.pair("skills").ID)
	for line, want := range map[string]string{
		`not json`:                                    "-32700",
		`[{"jsonrpc":"2.0","id":1}]`:                  "-32700",
		strings.Repeat("x", lineMax+1):                "-32600",
		`{"id":1,"method":"a","id":2}`:                "-32700",
		`{"jsonrpc":"2.0","id":3,"method":"no/such"}`: "-32601",
	} {
		if got := a.ask(line); !strings.Contains(got, want) {
			t.Errorf("%.40s answers %s", line, got)
		}
	}
	a.say("") // an empty line is nothing
	if got := a.ask(`{"jsonrpc":"2.0","id":4,"method":"ping"}`); !strings.Contains(got, `"id":4`) {
		t.Errorf("after all that: %s", got)
	}
}

// Whoever holds Conch's port while it is away records all that a launcher sends. None of it is the key, or opens a
// door of the real one.
func TestASquatterLearnsNothing(t *testing.T) {
	c := newConch(t)
	p := c.pair("skills")
	key, err := os.ReadFile(c.dir.Path("mcp/keys/" + p.ID + ".key"))
	if err != nil {
		t.Fatal(err)
	}
	addr := c.addr
	c.stop()
	var mu sync.Mutex
	var heard bytes.Buffer
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	nonce := strings.Repeat("A", 75)
	squatter := &httptest.Server{Listener: ln, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_ = r.Write(&heard)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"nonce":%q,"token":"mine","until":"2030-01-01T00:00:00Z"}`, nonce)
	})}}
	squatter.Start()
	a := c.launch(p.ID)
	a.ask(hello)
	a.quit()
	squatter.CloseClientConnections()
	squatter.Close()
	if strings.Contains(heard.String(), string(key)[22:]) {
		t.Fatal("the squatter has the key")
	}
	c.start(addr)
	_, proof, _ := strings.Cut(heard.String(), `"proof":"`)
	proof, _, _ = strings.Cut(proof, `"`)
	if proof == "" {
		t.Fatalf("it heard no proof: %s", heard.String())
	}
	for _, try := range []string{nonce} {
		if _, _, err := c.reg.Session(p.ID, try, proof); !errors.Is(err, pair.ErrProof) {
			t.Errorf("what the squatter heard opens the door: %v", err)
		}
	}
	// A nonce that the squatter fetched from the real Conch beforehand is over after a minute, and this is one of
	// before a restart.
	if _, _, ok := c.reg.Bearer("mine"); ok {
		t.Error("its token is taken")
	}
}

// The starter is gone, so the launcher ends, whatever it waits for.
func TestParentGone(t *testing.T) {
	c := newConch(t)
	p := c.pair("skills")
	inR, inW := io.Pipe()
	gone, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- Run(context.Background(), Options{
			Client: p.ID, In: inR, Out: io.Discard, Err: io.Discard, Find: c.find, Gone: gone,
			Key: func() (wire.Key, error) {
				data, err := os.ReadFile(c.dir.Path("mcp/keys/" + p.ID + ".key"))
				return wire.Key(data), err
			},
		})
	}()
	_, _ = io.WriteString(inW, call(1, "wait", `{}`)+"\n")
	<-c.tools.began
	close(gone)
	if err := <-done; err != nil {
		t.Error(err)
	}
	<-c.tools.ended
	_ = inW.Close()
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: message\ndata: {}\n\ndata: [1,\ndata: 2]\n\n: x\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		_ = events(bytes.NewReader(stream), func(data []byte) {
			if len(data) == 0 {
				t.Fatal("an event without data")
			}
		})
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n\n[]\nx"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := Run(ctx, Options{
			In: bytes.NewReader(in), Out: &out, Err: io.Discard, Find: func(context.Context) (string, error) { return "", ErrNotRunning },
		})
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			var m struct {
				JSONRPC string `json:"jsonrpc"`
			}
			if json.Unmarshal(bytes.TrimRight(line, "\n"), &m) != nil || m.JSONRPC != "2.0" {
				t.Fatalf("%q writes %q", in, line)
			}
		}
	})
}

package launcher

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway"
	"conch/gateway/chat"
	"conch/gateway/engine/byhand"
	"conch/gateway/leaktest"
	"conch/gateway/state"
	"conch/gateway/tool"
	"conch/mcp"
	"conch/mcp/pair"
	"conch/mcp/wire"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// tools is a gateway with a tool that answers at once and one that waits until its app hangs up.
type tools struct {
	began, ended chan struct{}
}

func (tools) KnownTools() []tool.Tool {
	return []tool.Tool{
		{Name: "echo", Title: "Echo", Schema: []byte(`{"type":"object"}`), Effect: tool.Reads, Scope: "skills"},
		{Name: "wait", Title: "Wait", Schema: []byte(`{"type":"object"}`), Effect: tool.Changes, Scope: "skills"},
	}
}

func (t tools) ClientTools(_ context.Context, c gateway.Client, name string) []tool.Tool {
	var out []tool.Tool
	for _, one := range t.KnownTools() {
		if len(c.Scopes) > 0 && (name == "" || name == one.Name) {
			out = append(out, one)
		}
	}
	return out
}

func (t tools) ClientCall(ctx context.Context, _ gateway.Client, name string, args []byte, step func(string)) (tool.Result, error) {
	if name == "echo" {
		step("Echoing")
		return tool.Result{Text: string(args)}, nil
	}
	t.began <- struct{}{}
	<-ctx.Done()
	t.ended <- struct{}{}
	return tool.Result{}, context.Cause(ctx)
}

// conch is a door at an address that stays the same over restarts.
type conch struct {
	t     *testing.T
	dir   *state.Dir
	tools tools
	addr  string
	reg   *pair.Registry
	door  *mcp.Door
	gw    *gateway.Gateway
	srv   *httptest.Server
}

func newConch(t *testing.T) *conch {
	t.Helper()
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &conch{t: t, dir: dir, tools: tools{make(chan struct{}, 8), make(chan struct{}, 8)}}
	c.start("127.0.0.1:0")
	t.Cleanup(func() { c.stop(); dir.Close() })
	return c
}

func (c *conch) start(addr string) {
	c.t.Helper()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.addr == "" {
		c.addr = ln.Addr().String()
	}
	if c.reg, err = pair.Open(c.dir, pair.Options{Changed: func(id string) { c.door.Changed(id) }}); err != nil {
		c.t.Fatal(err)
	}
	c.door = mcp.New(mcp.Options{Gateway: c.tools, Clients: c.reg, Version: "test"})
	if c.gw, err = gateway.New(c.t.Context(), gateway.Config{State: c.dir, Engine: byhand.Engine{}}); err != nil {
		c.t.Fatal(err)
	}
	c.door.Mount(c.gw)
	c.srv = &httptest.Server{Listener: ln, Config: &http.Server{Handler: c.gw.Handler()}}
	c.srv.Start()
}

func (c *conch) stop() {
	if c.srv == nil {
		return
	}
	c.srv.CloseClientConnections()
	if err := errors.Join(c.door.Close(context.Background()), c.gw.Close(context.Background())); err != nil {
		c.t.Error(err)
	}
	c.srv.Close()
	c.srv = nil
}

func (c *conch) find(ctx context.Context) (string, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.addr)
	if err != nil {
		return "", ErrNotRunning
	}
	return "http://" + c.addr, conn.Close()
}

// app is an app with a launcher.
type app struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	errs *bytes.Buffer
	done chan error
	once sync.Once
}

func (c *conch) launch(id string) *app {
	c.t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	a := &app{t: c.t, in: inW, out: bufio.NewReader(outR), errs: &bytes.Buffer{}, done: make(chan error, 1)}
	go func() {
		err := Run(context.Background(), Options{
			Client: id, In: inR, Out: outW, Err: a.errs, Find: c.find, HowToStart: "Open it from the menu bar.",
			Key: func() (wire.Key, error) {
				data, err := os.ReadFile(c.dir.Path("mcp/keys/" + id + ".key"))
				return wire.Key(data), err
			},
		})
		_ = outW.Close()
		a.done <- err
	}()
	c.t.Cleanup(a.quit)
	return a
}

func (a *app) quit() {
	a.once.Do(func() {
		_ = a.in.Close()
		rest, _ := io.ReadAll(a.out)
		if err := <-a.done; err != nil {
			a.t.Error(err)
		}
		a.every(rest)
	})
}

// every checks that each line is one JSON-RPC message.
func (a *app) every(lines []byte) {
	a.t.Helper()
	for line := range bytes.Lines(lines) {
		var m struct {
			JSONRPC string `json:"jsonrpc"`
		}
		if err := json.Unmarshal(bytes.TrimRight(line, "\n"), &m); err != nil || m.JSONRPC != "2.0" {
			a.t.Errorf("on standard output: %q", line)
		}
	}
}

func (a *app) say(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

func (a *app) hear() string {
	a.t.Helper()
	line, err := a.out.ReadBytes('\n')
	if err != nil {
		a.t.Fatal(err)
	}
	a.every(line)
	return string(line)
}

// ask says a request and returns its answer.
func (a *app) ask(line string) string { a.t.Helper(); a.say(line); return a.hear() }

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-ai","version":"1"}}}`

func (c *conch) pair(scopes ...string) pair.Client {
	c.t.Helper()
	p, _, err := c.reg.Pair(pair.Client{Name: "Claude Desktop", Kind: pair.Launcher, Scopes: scopes, Mode: chat.Ask})
	if err != nil {
		c.t.Fatal(err)
	}
	return p
}

func call(id int, name, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, args)
}

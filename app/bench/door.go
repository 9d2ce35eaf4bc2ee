//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"conch/app/internal/trial"
	"conch/gateway"
	"conch/gateway/chat"
	"conch/gateway/engine/byhand"
	"conch/gateway/memory"
	"conch/gateway/state"
	"conch/gateway/tool"
	"conch/mcp"
	"conch/mcp/pair"
	"conch/mcp/wire"

	"github.com/go-json-experiment/json"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	doorCalls = 3000 // one after the other, each way
	doorWarm  = 300
	doorConns = 8
	doorFor   = 5 * time.Second // at doorConns
	doorApps  = 100
	// The apps were paired some time ago, as they always were but for once.
	doorRest = 4 * time.Second
)

// benchDoor compares a call through the door, with all that guards it, with the same tool on the library alone.
func benchDoor(ctx context.Context, r *report) (err error) {
	d, err := openDoor(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := pause(ctx, doorRest); err != nil {
		return err
	}
	one, err := dial(ctx, d.door)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, one.conn.Close()) }()
	other, err := dial(ctx, d.bare)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.conn.Close()) }()
	var door, bare []float64
	for i := range doorCalls + doorWarm {
		a, err := one.call(d.keys[0])
		if err != nil {
			return err
		}
		b, err := other.call("")
		if err != nil {
			return err
		}
		if i >= doorWarm {
			door, bare = append(door, a), append(bare, b)
		}
	}
	r.say("one connection: door %.3f ms (p99 %.2f), mcp-go alone %.3f ms (p99 %.2f)", median(door), quantile(door, 0.99), median(bare), quantile(bare, 0.99))
	r.figure("door_call_vs_mcpgo", median(door)/median(bare), "times")

	full, err := busy(ctx, d.door, d.keys[0])
	if err != nil {
		return err
	}
	alone, err := busy(ctx, d.bare, "")
	if err != nil {
		return err
	}
	r.say("%d connections: door %d calls, p50 %.2f ms; mcp-go alone %d calls, p50 %.2f ms, p99 %.2f ms", doorConns,
		len(full), median(full), len(alone), median(alone), quantile(alone, 0.99))
	r.figure("door_p99_ms", quantile(full, 0.99), "ms")
	r.figure("door_p99_vs_mcpgo", quantile(full, 0.99)/quantile(alone, 0.99), "times")

	start := time.Now()
	for _, key := range d.keys {
		if _, err := ask(ctx, d.door, key, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `"search_memory"`); err != nil {
			return err
		}
	}
	r.figure("door_100_apps_list_ms", ms(time.Since(start)), "ms")
	return nil
}

// doors are two servers with the same tool, and paired apps for the one.
type doors struct {
	door, bare string // where each answers
	keys       []pair.Key
	ends       []func() error // last first
}

func (d *doors) close() (err error) {
	for i := len(d.ends) - 1; i >= 0; i-- {
		err = errors.Join(err, d.ends[i]())
	}
	return err
}

func openDoor(ctx context.Context) (_ *doors, err error) {
	d := &doors{}
	defer func() {
		if err != nil {
			_ = d.close()
		}
	}()
	home, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return nil, err
	}
	d.ends = append(d.ends, func() error { return os.RemoveAll(home) })
	for i := range doorApps {
		c := pair.Client{Name: fmt.Sprint("App ", i), Kind: pair.HTTP, Scopes: []string{pair.MemoryRead, pair.Computer}, Mode: chat.Ask}
		_, key, err := trial.Pair(home, c)
		if err != nil {
			return nil, err
		}
		d.keys = append(d.keys, key)
	}
	dir, err := state.Open(home)
	if err != nil {
		return nil, err
	}
	d.ends = append(d.ends, dir.Close)
	gw, err := gateway.New(ctx, gateway.Config{State: dir, Engine: byhand.Engine{}})
	if err != nil {
		return nil, err
	}
	clients, err := pair.Open(dir, pair.Options{})
	if err != nil {
		return nil, errors.Join(err, gw.Close(ctx))
	}
	door := mcp.New(mcp.Options{Gateway: gw, Clients: clients, Version: "bench"})
	door.Mount(gw)
	if d.door, err = d.serve(ctx, gw.Serve); err != nil {
		return nil, err
	}
	d.ends = append(d.ends, func() error { return door.Close(context.WithoutCancel(ctx)) })
	if err := remember(ctx, d.door, gw); err != nil {
		return nil, err
	}
	alone, err := bareServer(gw.KnownTools())
	if err != nil {
		return nil, err
	}
	d.bare, err = d.serve(ctx, func(ctx context.Context, ln net.Listener) error {
		srv := &http.Server{Handler: alone, ReadHeaderTimeout: time.Second}
		defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	return d, err
}

// serve serves until the doors are closed and returns where.
func (d *doors) serve(ctx context.Context, serve func(context.Context, net.Listener) error) (string, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, ln) }()
	d.ends = append(d.ends, func() error { stop(); return <-ended })
	return "http://" + ln.Addr().String(), nil
}

// remember has Conch know a few facts, as a person tells it on a page.
func remember(ctx context.Context, url string, gw *gateway.Gateway) error {
	post := func(path string, cookies []*http.Cookie, in any) ([]*http.Cookie, error) {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+path, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/json")
		for _, c := range cookies {
			req.AddCookie(c)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		_ = res.Body.Close()
		if res.StatusCode >= 300 {
			return nil, fmt.Errorf("POST %s: %s", path, res.Status)
		}
		return res.Cookies(), nil
	}
	here, err := post("/api/here", nil, map[string]string{"code": gw.NewCode()})
	if err != nil {
		return err
	}
	for _, fact := range []string{"They take their coffee black.", "Their sister is Ada.", "Meetings are never before ten.", "They live in Lisbon."} {
		if _, err := post("/api/memory", here, map[string]string{"text": fact}); err != nil {
			return err
		}
	}
	return nil
}

// bareServer is the library alone with the same tool: no pairing, no guard, no Conch.
func bareServer(all []tool.Tool) (http.Handler, error) {
	s := server.NewMCPServer("bare", "1", server.WithToolCapabilities(true))
	for _, t := range all {
		if t.Name != memory.SearchTool {
			continue
		}
		s.AddTool(mcpgo.NewToolWithRawSchema(t.Name, t.About, t.Schema), func(ctx context.Context, req mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
			args, err := json.Marshal(req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			return mcpgo.NewToolResultText(t.Run(ctx, tool.Call{Args: args}).Text), nil
		})
		return server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithDisableStreaming(true)), nil
	}
	return nil, errors.New("there is no " + memory.SearchTool)
}

// ask sends a message on a connection of its own and makes sure that its answer has what it should.
func ask(ctx context.Context, url string, key pair.Key, body, want string) (float64, error) {
	l, err := dial(ctx, url)
	if err != nil {
		return 0, err
	}
	took, err := l.ask(key, body, want)
	return took, errors.Join(err, l.conn.Close())
}

// line is one connection that is kept. Go's own client hands each message through two more goroutines, whose time
// would be measured as the server's.
type line struct {
	host string
	conn net.Conn
	read *bufio.Reader
}

func dial(ctx context.Context, url string) (*line, error) {
	host := strings.TrimPrefix(url, "http://")
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp4", host)
	if err != nil {
		return nil, err
	}
	if by, ok := ctx.Deadline(); ok {
		err = conn.SetDeadline(by)
	}
	return &line{host, conn, bufio.NewReader(conn)}, err
}

// call makes the call once and returns how long it took, in ms.
func (l *line) call(key pair.Key) (float64, error) {
	return l.ask(key, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search_memory","arguments":{"query":"coffee"}}}`, "They take their coffee black.")
}

func (l *line) ask(key pair.Key, body, want string) (float64, error) {
	msg := "POST " + wire.PathDoor + " HTTP/1.1\r\nHost: " + l.host + "\r\nContent-Type: application/json\r\n" +
		"Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\n"
	if key != "" {
		msg += "Authorization: Bearer " + string(key) + "\r\n"
	}
	msg += fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	start := time.Now()
	if _, err := io.WriteString(l.conn, msg); err != nil {
		return 0, err
	}
	res, err := http.ReadResponse(l.read, nil)
	if err != nil {
		return 0, err
	}
	data, err := io.ReadAll(res.Body)
	took := ms(time.Since(start))
	_ = res.Body.Close()
	if err == nil && (res.StatusCode != http.StatusOK || !bytes.Contains(data, []byte(want)) || bytes.Contains(data, []byte(`"isError":true`))) {
		err = fmt.Errorf("it answers %s %.200s", res.Status, data)
	}
	return took, err
}

// busy makes calls over several connections at once and returns how long each took.
func busy(ctx context.Context, url string, key pair.Key) (all []float64, err error) {
	ctx, stop := context.WithTimeout(ctx, doorFor+time.Minute)
	defer stop()
	end := time.Now().Add(doorFor)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range doorConns {
		wg.Go(func() {
			var mine []float64
			l, failed := dial(ctx, url)
			for failed == nil && time.Now().Before(end) {
				var took float64
				if took, failed = l.call(key); failed == nil {
					mine = append(mine, took)
				}
			}
			if l != nil {
				failed = errors.Join(failed, l.conn.Close())
			}
			mu.Lock()
			defer mu.Unlock()
			all, err = append(all, mine...), errors.Join(err, failed)
		})
	}
	wg.Wait()
	return all, err
}

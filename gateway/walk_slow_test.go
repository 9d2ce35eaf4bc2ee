package gateway

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/gateway/access"
)

// TestStrangersAreAnsweredBeforeTheirBody sends the head of a request and none of its body: who is refused is
// refused at once, and keeps nothing waiting.
func TestStrangersAreAnsweredBeforeTheirBody(t *testing.T) {
	h := newHouse(t)
	for _, row := range h.g.mux.routes() {
		if unproven(false)(row) == asAnybody {
			continue
		}
		method, path, found := strings.Cut(row.pattern, " ")
		if !found {
			method, path = http.MethodPost, row.pattern
		}
		conn, err := net.Dial("tcp4", strings.TrimPrefix(h.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(4 * time.Second)) // far less than the body may take
		_, _ = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
			method, strings.NewReplacer("{$}", "", "{", "", "}", "").Replace(path), h.port)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", row.pattern, err)
		} else {
			_ = res.Body.Close()
			if res.StatusCode < 400 {
				t.Errorf("%s: %d", row.pattern, res.StatusCode)
			}
		}
		_ = conn.Close()
	}
}

// pipe is a listener whose connections are in memory, so that their deadlines go by a test's clock.
type pipe struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

type pipeConn struct{ net.Conn }

func at(port int) net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port} }

func (pipeConn) LocalAddr() net.Addr  { return at(7777) }
func (pipeConn) RemoteAddr() net.Addr { return at(5000) }

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipe) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipe) Addr() net.Addr { return at(7777) }

func (p *pipe) dial() net.Conn {
	mine, theirs := net.Pipe()
	p.conns <- pipeConn{theirs}
	return mine
}

// TestSlowStrangersAreCutOff sends a head, or a body, that never ends. Time is the bubble's, so this waits for none.
func TestSlowStrangersAreCutOff(t *testing.T) {
	for name, sent := range map[string]string{
		"nothing":       "",
		"half a head":   "POST /api/here HTTP/1.1\r\nHost: 127.0.0.1:7777\r\n",
		"half a body":   "POST /api/here HTTP/1.1\r\nHost: 127.0.0.1:7777\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{\"code\"",
		"half a chunk":  "POST /api/here HTTP/1.1\r\nHost: 127.0.0.1:7777\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{",
		"a body, later": "POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1:7777\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			// Only connections are in the bubble: what else a Conch runs has nothing to wait for there.
			g := newRig(t, Config{}).g
			synctest.Test(t, func(t *testing.T) {
				ln := &pipe{conns: make(chan net.Conn), done: make(chan struct{})}
				srv := g.server()
				served := make(chan error, 1)
				go func() { served <- srv.Serve(newDoorway(ln)) }()
				conn, began := ln.dial(), time.Now()
				if _, err := io.WriteString(conn, sent); err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, conn); err != nil { // until the server hangs up
					t.Fatal(err)
				}
				if took := time.Since(began); took > srv.ReadTimeout+time.Second {
					t.Errorf("held for %v", took)
				}
				_ = conn.Close()
				_ = srv.Close()
				if err := <-served; !errors.Is(err, http.ErrServerClosed) {
					t.Error(err)
				}
			})
		})
	}
}

// TestStrangersCantHoldAllConnections opens more connections than a stranger may hold, while a page keeps its own.
func TestStrangersCantHoldAllConnections(t *testing.T) {
	h := noAddress(t)
	again := func(want bool, when string) {
		t.Helper()
		reused := false
		req := must(http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused },
		}), "GET", h.url+"/api/status", nil))
		if got := h.send(h.page, req); got.status != http.StatusOK || reused != want {
			t.Errorf("%s: %d, the same connection: %v", when, got.status, reused)
		}
	}
	again(true, "before")
	var held []net.Conn
	for range 3 * unprovenEach {
		conn, err := net.Dial("tcp4", strings.TrimPrefix(h.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	// The oldest are dropped, so their other end sees that; the newest wait for their head as ever.
	for i, conn := range held[:2*unprovenEach] {
		_ = conn.SetReadDeadline(time.Now().Add(3 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Fatalf("connection %d of a stranger stays: %v", i, err)
		}
	}
	again(true, "while a stranger holds all it can")
	h.page.CloseIdleConnections()
	again(false, "with a new connection meanwhile")
	last := held[len(held)-1]
	_, _ = io.WriteString(last, "GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:"+h.port+"\r\nConnection: close\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(last), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the newest: %d", res.StatusCode)
	}
	for _, conn := range held {
		_ = conn.Close()
	}
}

func isTimeout(err error) bool {
	ne, ok := err.(net.Error) //nolint:errorlint // as net returns it
	return ok && ne.Timeout()
}

// TestDoor is about the level for programs that prove themselves to their handler.
func TestDoor(t *testing.T) {
	h := newHouse(t)
	ask := func(base string, dress func(*http.Request), want int) string {
		t.Helper()
		req := must(http.NewRequestWithContext(t.Context(), "POST", base+"/door", strings.NewReader(`{}`)))
		req.Header.Set("Content-Type", "application/json")
		dress(req)
		got := h.send(h.client(noJar{}), req)
		if got.status != want {
			t.Errorf("%d, want %d: %s", got.status, want, got.body)
		}
		return got.body
	}
	plain := func(*http.Request) {}
	if got := ask(h.url, plain, http.StatusOK); !strings.Contains(got, `"LooksLocal":true,"Secure":false`) {
		t.Errorf("from this computer: %s", got)
	}
	if got := ask("https://"+houseHost, plain, http.StatusOK); !strings.Contains(got, `"LooksLocal":false,"Secure":true`) {
		t.Errorf("at the address: %s", got)
	}
	for _, base := range []string{h.url, "https://" + houseHost} {
		ask(base, wears("Sec-Fetch-Site", "none"), http.StatusOK)
		ask(base, wears("Sec-Fetch-Site", "same-origin"), http.StatusForbidden)
		ask(base, wears("Origin", base), http.StatusForbidden)
		ask(base, wears("Origin", ""), http.StatusForbidden)
		ask(base, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusUnsupportedMediaType)
		ask(base, func(r *http.Request) {
			r.ContentLength, r.Body = smallBody+1, io.NopCloser(strings.NewReader(strings.Repeat(" ", smallBody+1)))
		}, http.StatusRequestEntityTooLarge)
		ask(base, func(r *http.Request) { r.Host = "evil.test" }, http.StatusMisdirectedRequest)
	}
	ask(h.url, wears("X-Forwarded-For", "127.0.0.1"), http.StatusUnauthorized)
	row := h.g.mux.rules["/door"]
	if row.rule.Need != access.Door {
		t.Error("a mounted route isn't listed")
	}
}

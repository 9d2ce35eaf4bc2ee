package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"conch/gateway"
	"conch/gateway/access"
	"conch/gateway/state"

	"github.com/go-json-experiment/json"
)

// peer is the running Conch, as its sub-commands speak to it.
type peer struct {
	address
	key    string
	client *http.Client
}

// requestLimit is how long one answer may take. What takes longer comes over the socket.
const requestLimit = 10 * time.Second

// findPeer finds the running Conch of this person.
func (c *call) findPeer(ctx context.Context) (*peer, error) {
	home, err := state.Home(c.getenv, os.UserHomeDir)
	if err != nil {
		return nil, err
	}
	a, key, err := findRunning(ctx, home, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	// No proxy from the environment: the key goes to this computer and nowhere else.
	return &peer{address: a, key: key, client: &http.Client{
		Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true},
		Timeout:   requestLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}, nil
}

// ask makes one request and reads the answer into out, which may be nil.
func (p *peer) ask(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.URL()+path, body)
	if err != nil {
		return err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set(access.HeaderHere, p.key)
	res, err := p.client.Do(req)
	if err != nil {
		return p.unreachable(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return p.unreachable(ctx, err)
	}
	if res.StatusCode >= 300 {
		return wording(res.StatusCode, data)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("read Conch's answer: %w", err)
	}
	return nil
}

// wording turns a refusal into words for the person.
func wording(status int, data []byte) error {
	var why gateway.Problem
	if json.Unmarshal(data, &why) != nil || why.Say == "" {
		return &said{
			Say:  fmt.Sprintf("Conch answered in a way that this command can't read (%d).", status),
			Next: "Is the running Conch another version? Quit it and start it again.", Code: exitFailed,
		}
	}
	return &said{Say: plain(why.Say), Next: plain(why.Next), Code: exitFailed}
}

func (p *peer) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &said{Say: "Conch runs, but doesn't answer.", Next: "If that goes on, quit it and start it again.", Code: exitFailed, Err: err}
}

// stream opens an answer that goes on: JSON values, one a line, until ctx ends.
func (p *peer) stream(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL()+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set(access.HeaderHere, p.key)
	client := *p.client
	client.Timeout = 0
	res, err := client.Do(req)
	if err != nil {
		return nil, p.unreachable(ctx, err)
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	data, _ := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	_ = res.Body.Close()
	return nil, wording(res.StatusCode, data)
}

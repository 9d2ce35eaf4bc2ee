package claudecode

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/tool"
)

const (
	server = "conch"
	prefix = "mcp__" + server + "__" // before the names of its tools, as claude writes them
	// maxBody is the size of the longest message that claude may send, in bytes.
	maxBody = 2 << 20
	// aliveIn is how often claude hears that a call is still under way.
	aliveIn = 15 * time.Second
	// newest is the protocol's version that is spoken where claude asks for one that isn't known here.
	newest = "2025-11-25"
)

var versions = []string{"2025-03-26", "2025-06-18", newest}

// call is a call that came in and waits for its answer.
type call struct {
	id     string // the model's own name for the call; empty where claude doesn't tell it
	name   string
	args   []byte
	answer chan<- tool.Result
	since  time.Time
}

// door serves the tools of one turn to one claude, over MCP on this computer: no session, no stream, no other client.
// A key that nobody else knows opens it. It closes with the turn.
type door struct {
	calls chan call

	ctx      context.Context
	cancel   context.CancelFunc
	tools    []tool.Tool
	key      string
	listener net.Listener
	http     *http.Server
	serving  sync.WaitGroup
}

func openDoor(ctx context.Context, tools []tool.Tool) (*door, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for claude: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	d := &door{calls: make(chan call), ctx: ctx, cancel: cancel, tools: tools, key: rand.Text(), listener: l}
	d.http = &http.Server{Handler: d, ReadHeaderTimeout: 10 * time.Second}
	d.serving.Go(func() { _ = d.http.Serve(l) }) // it ends when the door is closed
	return d, nil
}

// close ends every call under way, whose answers go nowhere.
func (d *door) close() {
	d.cancel()
	_ = d.http.Close()
	d.serving.Wait()
}

// config is what claude is told of the door.
func (d *door) config() ([]byte, error) {
	out, err := json.Marshal(map[string]any{"mcpServers": map[string]any{server: map[string]any{
		"type": "http", "url": "http://" + d.listener.Addr().String() + "/mcp", "timeout": 24 * 60 * 60 * 1000,
		"headers": map[string]string{"Authorization": "Bearer " + d.key},
	}}})
	if err != nil {
		return nil, fmt.Errorf("claude's configuration: %w", err)
	}
	return out, nil
}

// may says whether a request is claude's: from a program that has the key, to this very address, from no web page.
func (d *door) may(r *http.Request) bool {
	key := []byte("Bearer " + d.key)
	return subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), key) == 1 &&
		r.Host == d.listener.Addr().String() && len(r.Header.Values("Origin")) == 0
}

// message is a message of MCP.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type reply struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  any            `json:"result,omitzero"`
	Error   *fault         `json:"error,omitzero"`
}

// ServeHTTP answers one message.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !d.may(r):
		http.Error(w, "This is not for you.", http.StatusUnauthorized)
		return
	case r.URL.Path != "/mcp":
		http.NotFound(w, r)
		return
	case r.Method != http.MethodPost:
		http.Error(w, "Only POST.", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "Too long.", http.StatusRequestEntityTooLarge)
		return
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		http.Error(w, "Not a message.", http.StatusBadRequest)
		return
	}
	if len(m.ID) == 0 {
		w.WriteHeader(http.StatusAccepted) // what is only told needs nothing here
		return
	}
	if m.Method == "tools/call" {
		d.stream(w, r, m)
		return
	}
	result, wrong := d.does(r.Context(), m)
	w.Header().Set("Content-Type", "application/json")
	_ = json.MarshalWrite(w, reply{Version: "2.0", ID: m.ID, Result: result, Error: wrong}) // a claude that is gone needs no answer
}

// stream answers a call as a stream of one event: a call may wait for the person, and claude gives up on an answer of
// which nothing comes for five minutes.
func (d *door) stream(w http.ResponseWriter, r *http.Request, m message) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	done := make(chan reply, 1)
	go func() {
		result, wrong := d.does(r.Context(), m) // which ends with the turn and with the request
		done <- reply{Version: "2.0", ID: m.ID, Result: result, Error: wrong}
	}()
	alive := time.NewTicker(aliveIn)
	defer alive.Stop()
	for {
		select {
		case <-alive.C:
			if _, err := io.WriteString(w, ": waiting\n\n"); err != nil || flush() != nil {
				return
			}
		case answer := <-done:
			line, err := json.Marshal(answer)
			if err == nil {
				_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", line) // a claude that is gone needs no answer
			}
			return
		}
	}
}

type object = map[string]any

func (d *door) does(ctx context.Context, m message) (any, *fault) {
	switch m.Method {
	case "initialize":
		var p struct {
			Version string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(m.Params, &p) // without a version it is told ours
		if !slices.Contains(versions, p.Version) {
			p.Version = newest
		}
		return object{
			"protocolVersion": p.Version, "capabilities": object{"tools": object{}}, "serverInfo": object{"name": server, "version": "1"},
		}, nil
	case "ping":
		return object{}, nil
	case "tools/list":
		return object{"tools": d.list()}, nil
	case "tools/call":
		return d.call(ctx, m.Params)
	}
	return nil, &fault{-32601, "There is no such method."}
}

func (d *door) list() []object {
	out := []object{}
	for _, t := range d.tools {
		out = append(out, object{"name": t.Name, "title": t.Title, "description": t.About, "inputSchema": jsontext.Value(t.Schema)})
	}
	return out
}

// call puts a call to the turn and waits for its answer.
func (d *door) call(ctx context.Context, params jsontext.Value) (any, *fault) {
	var p struct {
		Name string         `json:"name"`
		Args jsontext.Value `json:"arguments"`
		Meta struct {
			ID string `json:"claudecode/toolUseId"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &fault{-32602, "These are no parameters of a call."}
	}
	answer := make(chan tool.Result, 1)
	select {
	case d.calls <- call{id: p.Meta.ID, name: p.Name, args: p.Args, answer: answer, since: time.Now()}:
	case <-ctx.Done():
		return nil, &fault{-32000, "The turn is over."}
	case <-d.ctx.Done():
		return nil, &fault{-32000, "The turn is over."}
	}
	select {
	case r := <-answer:
		return content(r), nil
	case <-ctx.Done():
	case <-d.ctx.Done():
	}
	return nil, &fault{-32000, "The turn is over."}
}

// content is an answer as MCP has it. A failed one is words alone.
func content(r tool.Result) object {
	text := r.Text
	if text == "" {
		text = "It failed."
		if !r.Failed {
			text = "Done."
		}
	}
	parts := []object{{"type": "text", "text": text}}
	if r.Picture != nil && !r.Failed {
		parts = append(parts, object{"type": "image", "mimeType": r.Picture.MIME, "data": base64.StdEncoding.EncodeToString(r.Picture.Data)})
	}
	return object{"content": parts, "isError": r.Failed}
}

package mcp

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// answer writes what the library answers: as JSON, or, once there was progress to tell, as a stream of events that
// ends with it. The library's own progress is lost when it comes right before the result, so the door writes it.
type answer struct {
	w        http.ResponseWriter
	id       jsontext.Value
	progress jsontext.Value // the token of who wants to hear of it; empty: nobody

	mu     sync.Mutex
	stream bool
	over   bool
	said   int
	body   bytes.Buffer // of the answer, once it is a stream
}

// Header is the answer's header.
func (a *answer) Header() http.Header { return a.w.Header() }

// WriteHeader sets the status, unless the stream has begun.
func (a *answer) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.stream {
		a.over = true
		a.w.Header().Del("Mcp-Session-Id")
		a.w.WriteHeader(status)
	}
}

// Write takes the answer.
func (a *answer) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stream {
		return a.body.Write(p)
	}
	a.over = true
	a.w.Header().Del("Mcp-Session-Id")
	return a.w.Write(p)
}

// step tells the app what its call is doing, if it asked to hear of it.
func (a *answer) step(say string) {
	if len(a.progress) == 0 || say == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	if !a.stream {
		a.stream = true
		h := a.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no")
		h.Del("Mcp-Session-Id")
		a.w.WriteHeader(http.StatusOK)
	}
	a.said++
	a.event(progress{"2.0", "notifications/progress", progressParams{a.progress, a.said, say}})
}

type progress struct {
	JSONRPC string         `json:"jsonrpc"`
	Method  string         `json:"method"`
	Params  progressParams `json:"params"`
}

type progressParams struct {
	Token    jsontext.Value `json:"progressToken"`
	Progress int            `json:"progress"`
	Message  string         `json:"message"`
}

func (a *answer) event(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		return
	}
	a.send(data)
}

func (a *answer) send(data []byte) {
	_, _ = a.w.Write([]byte("event: message\ndata: " + string(bytes.TrimSpace(data)) + "\n\n"))
	_ = http.NewResponseController(a.w).Flush()
}

// finish ends a stream with the answer.
func (a *answer) finish() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	if a.stream && a.body.Len() > 0 {
		a.send(a.body.Bytes())
	}
}

// flat is an answer that isn't JSON-RPC: what is said to somebody who isn't known, or who doesn't speak it.
func flat(w http.ResponseWriter, status int, code, say string) {
	data, err := json.Marshal(map[string]string{"code": code, "say": say}, json.Deterministic(true))
	if err != nil {
		data = []byte("{}")
	}
	writeJSON(w, status, data)
}

// rpcError is an error of JSON-RPC.
func rpcError(w http.ResponseWriter, status int, id jsontext.Value, code int, say string) {
	if len(id) == 0 {
		id = jsontext.Value("null")
	}
	data, err := json.Marshal(struct {
		JSONRPC string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Error   any            `json:"error"`
	}{"2.0", id, map[string]any{"code": code, "message": say}}, json.Deterministic(true))
	if err != nil {
		data = []byte("{}")
	}
	writeJSON(w, status, data)
}

func writeJSON(w http.ResponseWriter, status int, data []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

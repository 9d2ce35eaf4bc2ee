package enginetest

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// theKey is a key that must never be seen anywhere but in the header of a request.
const theKey = "sk-secret-0123456789-never-shown"

// reply answers one request.
type reply func(w http.ResponseWriter, r *http.Request)

// rig is an engine and the provider that it talks to.
type rig struct {
	t      *testing.T
	c      Case
	engine engine.Engine
	server *httptest.Server

	mu      sync.Mutex
	replies []reply
	always  reply // after the replies
	bodies  [][]byte
	waits   []time.Duration
	stopped chan struct{} // closed when the turn was told to stop
	only    int           // how many requests may have come in the end, since the turn was over then; 0: any number
	// sleep, where set, takes the place of waiting no time at all.
	sleep func(context.Context, time.Duration) error
}

// newRig starts a provider that answers requests with replies, one after the other.
func newRig(t *testing.T, c Case, replies ...reply) *rig {
	t.Helper()
	r := &rig{t: t, c: c, replies: replies, stopped: make(chan struct{})}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	via := &http.Transport{}
	r.engine = c.New(t, Setup{
		Base: r.server.URL, Key: theKey, HTTP: via,
		Retry: wire.Retry{Sleep: r.wait, Rand: func() float64 { return 0.5 }},
	})
	t.Cleanup(func() {
		via.CloseIdleConnections()
		r.server.CloseClientConnections()
		r.server.Close()
		if n := r.requests(); r.only > 0 && n != r.only {
			t.Errorf("%d requests came in the end, and %d until it was stopped", n, r.only)
		}
	})
	return r
}

func (r *rig) wait(ctx context.Context, d time.Duration) error {
	r.mu.Lock()
	r.waits = append(r.waits, d)
	sleep := r.sleep
	r.mu.Unlock()
	if sleep != nil {
		return sleep(ctx, d)
	}
	return ctx.Err()
}

func (r *rig) serve(w http.ResponseWriter, req *http.Request) {
	asks := req.Method == http.MethodPost
	if r.c.Asks != nil {
		asks = r.c.Asks(req)
	}
	if !asks {
		if r.c.Other == nil {
			http.NotFound(w, req)
			return
		}
		r.c.Other(w, req)
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	n := len(r.bodies)
	r.bodies = append(r.bodies, body)
	answer := r.always
	if n < len(r.replies) {
		answer = r.replies[n]
	}
	r.mu.Unlock()
	if answer == nil {
		r.t.Errorf("request %d was not expected", n+1)
		http.Error(w, "{}", http.StatusTeapot)
		return
	}
	answer(w, req)
}

// requests is how many requests for an answer came.
func (r *rig) requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

// seen reads a request, the first being 0.
func (r *rig) seen(n int) Seen {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if n >= len(r.bodies) {
		r.t.Fatalf("there were %d requests, not %d", len(r.bodies), n+1)
	}
	s, err := r.c.Read(r.bodies[n])
	if err != nil {
		r.t.Fatalf("request %d would be refused: %v", n+1, err)
	}
	return s
}

// says is the whole answer.
func (c Case) says(a Answer) reply { return c.raw(slices.Concat(c.Encode(a)...)) }

// raw is a body as it is.
func (c Case) raw(body []byte) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", c.Type)
		_, _ = w.Write(body)
	}
}

// fails is a refused request.
func fails(f Fault, header ...string) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Body)
	}
}

// turn is a turn that offers the computer tool and a plain one.
func (c Case) turn(said string) engine.Turn {
	return engine.Turn{
		Chat: "chat", Model: c.Model, System: "You are Conch.", Notes: []string{"A note."},
		Messages: []engine.Message{{Role: engine.Person, Text: said}},
		Tools: []tool.Tool{
			{Name: "computer", Title: "Computer", About: "Uses the computer.", Schema: []byte(`{"type":"object","properties":{"action":{"type":"string"}},"required":["action"]}`)},
			{Name: "note", Title: "Note", About: "Writes a note.", Schema: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)},
		},
	}
}

// took is all that a turn did.
type took struct {
	text, thinking string
	calls          []engine.ToolCall
	doing          []string
	usage          []engine.Usage
	err            error
}

// problem is the problem that ended the turn.
func (k took) problem() *engine.Problem {
	p, _ := errors.AsType[*engine.Problem](k.err)
	return p
}

// drive ranges over a turn as a chat does and answers its calls; nil answers with a sentence.
func drive(events iter.Seq2[engine.Event, error], answer func(engine.ToolCall) tool.Result) took {
	var k took
	for event, err := range events {
		if k.err != nil {
			k.err = errors.Join(k.err, errors.New("something came after an error"))
			return k
		}
		if err != nil {
			k.err = err
			continue
		}
		switch e := event.(type) {
		case engine.Text:
			k.text += e.Piece
		case engine.Thinking:
			k.thinking += e.Piece
		case engine.ToolCall:
			k.calls = append(k.calls, e)
			res := tool.Result{Text: "Done."}
			if answer != nil {
				res = answer(e)
			}
			e.Answer(res)
		case engine.Confirm:
			e.Answer(false)
		case engine.Doing:
			k.doing = append(k.doing, e.Say)
		case engine.Usage:
			k.usage = append(k.usage, e)
		}
	}
	return k
}

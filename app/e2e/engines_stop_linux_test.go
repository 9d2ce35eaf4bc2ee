package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"conch/driver/x11/xserver"
	"conch/gateway/chat"
	"conch/gateway/engine/enginetest"
)

// gate stands before a strict server. It counts requests for an answer, and holds one up where it is told to.
type gate struct {
	to   string
	http http.Transport

	mu       sync.Mutex
	brain    enginetest.Brain
	requests int
	cut      func(http.ResponseWriter, *http.Request, []byte) // takes the answer of the second request of a turn
	held     chan struct{}                                    // closed once it did
	turn     int                                              // requests of this turn
}

// asks are the addresses at which a model answers.
var asks = regexp.MustCompile(`/(messages|responses|completions|chat)$|:streamGenerateContent$`)

func (g *gate) think(s enginetest.Seen) enginetest.Answer {
	g.mu.Lock()
	brain := g.brain
	g.mu.Unlock()
	return brain(s)
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var cut func(http.ResponseWriter, *http.Request, []byte)
	if asks.MatchString(r.URL.Path) {
		g.mu.Lock()
		g.requests++
		g.turn++
		if g.turn == 2 {
			cut = g.cut
		}
		g.mu.Unlock()
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, g.to+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return
	}
	req.Header = r.Header.Clone()
	res, err := g.http.RoundTrip(req)
	if err != nil {
		return
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", res.Header.Get("Content-Type"))
	if cut != nil {
		cut(w, r, answer)
		return
	}
	w.WriteHeader(res.StatusCode)
	_, _ = w.Write(answer)
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.requests
}

// begin sets what the next turn meets.
func (g *gate) begin(b enginetest.Brain, cut func(http.ResponseWriter, *http.Request, []byte)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.brain, g.cut, g.turn, g.held = b, cut, 0, make(chan struct{})
}

// half sends half of an answer, and no more until whoever asked hangs up.
func (g *gate) half(w http.ResponseWriter, r *http.Request, answer []byte) {
	_, _ = w.Write(answer[:len(answer)/2])
	_ = http.NewResponseController(w).Flush()
	close(g.held)
	<-r.Context().Done()
}

// busy says that there is no answer for now, and when to ask again.
func (g *gate) busy(w http.ResponseWriter, _ *http.Request, _ []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", "20")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, `{"error":{"code":503,"status":"UNAVAILABLE","type":"overloaded_error","message":"Overloaded"}}`)
	close(g.held)
}

// types is a model that types texts, each in its own answer or all in one, and ends.
func types(atOnce bool, texts ...string) enginetest.Brain {
	n := 0
	return func(enginetest.Seen) enginetest.Answer {
		var a enginetest.Answer
		for n < len(texts) {
			call := enginetest.Does(`{"action":"type","text":"` + texts[n] + `"}`)
			n++
			call.ID = fmt.Sprint("call_", n)
			a.Calls = append(a.Calls, call)
			if !atOnce {
				return a
			}
		}
		if a.Calls == nil {
			a.Text = "Done."
		}
		return a
	}
}

// Stopped in the middle of an answer, of a batch, and while it waits for another try: nothing more arrives in any app,
// nothing stays held, and nothing more is asked of the model.
func TestEnginesStop(t *testing.T) {
	t.Parallel()
	d := newDesk(t, xserver.Options{WindowManager: "openbox", Bus: true}, "mousepad")
	e := newEditor(d)
	var all []mind
	for _, m := range minds() {
		switch m.name {
		case "anthropic toolset", "openai computer", "gemini computer", "ollama that sees", "chat completions":
			all = append(all, m)
		}
	}
	gates := make([]*gate, len(all))
	for i, m := range all {
		g := &gate{}
		g.to = m.serve(t, g.think).base
		front := httptest.NewServer(g)
		t.Cleanup(func() {
			front.CloseClientConnections()
			front.Close()
			g.http.CloseIdleConnections()
		})
		base := front.URL
		if m.kind == "server" {
			g.to, base = strings.TrimSuffix(g.to, "/v1"), base+"/v1"
		}
		gates[i] = g
		d.add(fmt.Sprint("place", i), m, base)
	}
	d.start(true, mousepad)
	for i, m := range all {
		d.choose(fmt.Sprint("place", i), m.model)
		g := gates[i]
		t.Run(m.name+", an answer", func(t *testing.T) {
			g.begin(types(false, "one ", "never"), g.half)
			stops(t, d, e, g, func(now string) bool { return closed(g.held) && strings.HasSuffix(now, "one ") })
		})
		t.Run(m.name+", a batch", func(t *testing.T) {
			g.begin(types(true, long(3300), "never"), nil)
			was := e.read()
			stops(t, d, e, g, func(now string) bool { return now != was })
		})
		t.Run(m.name+", another try", func(t *testing.T) {
			g.begin(types(false, "two ", "never"), g.busy)
			stops(t, d, e, g, func(now string) bool { return closed(g.held) && strings.HasSuffix(now, "two ") })
		})
		g.begin(types(false), nil)
		asked := g.count()
		d.ended(d.say("Are you there?"))
		if n := g.count() - asked; n != 1 {
			t.Errorf("%s: %d requests came for one answer", m.name, n)
		}
	}
	if strings.Contains(e.read(), "never") {
		t.Error("what was stopped was typed after all")
	}
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// stops begins a turn, stops it once it is time, and sees that this was all.
func stops(t *testing.T, was *desk, e *editor, g *gate, ready func(now string) bool) {
	d := *was
	d.t = t
	id := d.say("Type.")
	d.until("it is time to stop", func() bool { return ready(e.read()) })
	asked := g.count()
	d.do(http.MethodPost, "/api/chats/"+id+"/stop", struct{}{}, nil)
	if end := d.ended(id); end.State != chat.StateStopped {
		t.Errorf("it ended %q: %s", end.State, end.Text)
	}
	last := "\x00"
	d.until("the editor is done", func() bool {
		before := last
		last = e.read()
		return last == before
	})
	d.until("the edge is gone", func() bool { return d.edge() == 0 })
	if d.held() {
		t.Error("something is still held")
	}
	if n := g.count() - asked; n != 0 {
		t.Errorf("%d requests came after it was stopped", n)
	}
	if now := e.read(); now != last {
		t.Errorf("%d characters came after it was stopped", len(now)-len(last))
	}
}

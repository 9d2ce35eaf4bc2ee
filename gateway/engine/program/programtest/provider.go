package programtest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"conch/gateway/engine/enginetest"
)

// Key is what a Provider takes.
const Key = "sk-none-0123456789"

// Provider is a company on this computer, as the company's own real program talks to it. It reads no more of a request
// than a scripted model needs: such a program sends more than the API documents.
type Provider struct {
	*httptest.Server
	path   string // at which a model answers
	read   func(body []byte) (enginetest.Seen, error)
	answer func(enginetest.Seen) [][]byte

	mu   sync.Mutex
	seen []enginetest.Seen
	// cut, where set, sends something else than the answer.
	cut func(w http.ResponseWriter, r *http.Request, frames [][]byte)
}

func newProvider(t testing.TB, p *Provider) *Provider {
	t.Helper()
	p.Server = httptest.NewServer(p)
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != p.path {
		http.NotFound(w, r)
		return
	}
	if r.Header.Get("X-Api-Key") != Key && r.Header.Get("Authorization") != "Bearer "+Key {
		http.Error(w, "{}", http.StatusUnauthorized)
		return
	}
	s, err := p.read(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.seen = append(p.seen, s)
	cut := p.cut
	p.mu.Unlock()
	frames := p.answer(s)
	w.Header().Set("Content-Type", "text/event-stream")
	if cut != nil {
		cut(w, r, frames)
		return
	}
	_, _ = w.Write(bytes.Join(frames, nil))
}

// part sends most of an answer, and no more until whoever asked hangs up.
func part(w http.ResponseWriter, r *http.Request, frames [][]byte) {
	_, _ = w.Write(bytes.Join(frames[:len(frames)*2/3], nil))
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// busy has a request made again, and doesn't say when: a codex that is told waits for as long, and tells nobody.
func busy(w http.ResponseWriter, _ *http.Request, _ [][]byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
}

// Requests are the requests for an answer so far.
func (p *Provider) Requests() []enginetest.Seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

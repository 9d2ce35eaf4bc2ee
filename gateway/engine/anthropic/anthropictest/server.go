// Package anthropictest is a server that speaks Anthropic's Messages API and refuses what the real one refuses: a
// result that is missing, a picture in an error, thinking that was changed, a tool that a model doesn't take, and
// more. A scripted model thinks for it. It counts tokens as the real one does, as far as that is known, and keeps a
// cache of what it has read. It is for tests on this computer; it is no part of the program.
//
// What it holds to be right is written down here a second time, on purpose: it shares nothing with the engine.
package anthropictest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
)

// Key is the one key that a server takes.
const Key = "sk-ant-test-0123456789"

const maxRequest = 32 << 20

// Server is one server with one account's state.
type Server struct {
	URL string

	model  Model
	brain  enginetest.Brain
	secret string // for signatures

	mu      sync.Mutex
	said    map[string]string // what it answered, by the id of each call in it
	cache   cache
	asked   []Asked
	refused []string
	calls   int
}

// Asked is one request that was answered.
type Asked struct {
	Fresh, Read, Wrote, Out int // tokens
	Pictures                int // that the model was shown
	Seen                    enginetest.Seen
}

// In is all that was read.
func (a Asked) In() int { return a.Fresh + a.Read + a.Wrote }

// New starts a server on which a model thinks with a brain.
func New(t testing.TB, model string, brain enginetest.Brain) *Server {
	t.Helper()
	m, ok := modelOf(model)
	if !ok {
		t.Fatalf("there is no model %q", model)
	}
	s := &Server{model: m, brain: brain, secret: rand.Text(), said: map[string]string{}, cache: cache{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /v1/models/{id}", s.oneModel)
	server := httptest.NewServer(mux)
	s.URL = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return s
}

// Asked is what was answered so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// Refused says why requests were refused.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.refused...)
}

func (s *Server) refuse(w http.ResponseWriter, status int, kind, say string) {
	s.mu.Lock()
	s.refused = append(s.refused, say)
	s.mu.Unlock()
	body, err := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": say}, "request_id": "req_1"})
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// may checks what every request must have.
func (s *Server) may(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case r.Header.Get("X-Api-Key") != Key:
		s.refuse(w, 401, "authentication_error", "invalid x-api-key")
	case r.Header.Get("Authorization") != "":
		s.refuse(w, 401, "authentication_error", "two kinds of keys")
	case r.Header.Get("Anthropic-Version") != "2023-06-01":
		s.refuse(w, 400, "invalid_request_error", "anthropic-version: header is required")
	default:
		return true
	}
	return false
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	if !s.may(w, r) {
		return
	}
	if r.Header.Get("Content-Type") != "application/json" {
		s.refuse(w, 400, "invalid_request_error", "content-type must be application/json")
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	if err != nil {
		return
	}
	if len(body) > maxRequest {
		s.refuse(w, 413, "request_too_large", "Request exceeds the maximum size")
		return
	}
	var betas []string
	for _, h := range r.Header.Values("Anthropic-Beta") {
		for b := range strings.SplitSeq(h, ",") {
			betas = append(betas, strings.TrimSpace(b))
		}
	}
	p, err := read(body, betas, s.model)
	if err == nil {
		err = s.remembers(p)
	}
	if err != nil {
		status, kind := 400, "invalid_request_error"
		if f, ok := errors.AsType[*fault](err); ok && f.status != 0 {
			status, kind = f.status, f.kind
		}
		s.refuse(w, status, kind, err.Error())
		return
	}
	frames, err := s.think(p)
	if err != nil {
		s.refuse(w, 400, "invalid_request_error", err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, f := range frames {
		_, _ = w.Write(f)
	}
}

// think lets the brain answer and takes down what that took.
func (s *Server) think(p *parsed) ([][]byte, error) {
	seen := p.seen()
	answer := s.brain(seen)
	s.mu.Lock()
	defer s.mu.Unlock()
	units := p.units()
	fresh, readIn, wrote := s.cache.take(units)
	for i := range answer.Calls {
		s.calls++
		answer.Calls[i].ID = fmt.Sprintf("toolu_%04d", s.calls)
	}
	answer.Usage = engine.Usage{In: fresh + readIn + wrote, CacheRead: readIn, CacheMade: wrote, Out: answerTokens(answer)}
	a := Asked{Fresh: fresh, Read: readIn, Wrote: wrote, Out: answer.Usage.Out, Seen: seen}
	for _, u := range units {
		a.Pictures += u.pictures
	}
	if in := fresh + readIn + wrote; in > s.model.Window {
		return nil, fmt.Errorf("prompt is too long: %d tokens > %d maximum", in, s.model.Window)
	}
	s.asked = append(s.asked, a)
	frames, content := encode(answer, style{native: p.native, brief: false, model: s.model.ID, sign: func(thinking string) string {
		return s.sign(p, len(p.messages), thinking)
	}})
	for _, c := range answer.Calls {
		s.said[c.ID] = content
	}
	return frames, nil
}

// sign seals what a model thought: with the transcript that it was thought in, where the model binds it to that.
func (s *Server) sign(p *parsed, before int, thinking string) string {
	in := s.secret + "|" + s.model.ID + "|" + thinking
	if s.model.Binds {
		in += "|" + p.prefix(before)
	}
	return "sig_" + digest(in)
}

// remembers refuses a transcript that isn't the one that the server answered.
func (s *Server) remembers(p *parsed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range p.messages {
		if m.role != "assistant" {
			continue
		}
		dropped := false
		for n, b := range m.blocks {
			switch b.Type {
			case "thinking":
				if b.Signature == nil || b.Thinking == nil || *b.Signature == "" {
					return bad("messages.%d.content.%d: thinking blocks need a signature", i, n)
				}
				if *b.Signature == s.sign(p, i, *b.Thinking) {
					continue
				}
				if p.drops && s.ever(*b.Signature) {
					dropped = true
					continue
				}
				return bad("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, n)
			case "tool_use":
				was, ok := s.said[b.ID]
				if !ok && strings.HasPrefix(b.ID, "toolu_") {
					return bad("messages.%d.content.%d: tool_use that was never made", i, n)
				}
				if ok && was != canonical(m.raw) && !dropped {
					return bad("messages.%d: thinking or other blocks of this answer cannot be modified\n%s\n%s", i, was, canonical(m.raw))
				}
			}
		}
	}
	return nil
}

// ever says whether a signature is one of the server's own, for whatever transcript.
func (s *Server) ever(signature string) bool {
	for _, content := range s.said {
		if strings.Contains(content, signature) {
			return true
		}
	}
	return false
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if !s.may(w, r) {
		return
	}
	// Two pages, so that whoever asks must turn them.
	all := Models()
	half := len(all) / 2
	page := map[string]any{"data": infos(all[:half]), "has_more": true, "first_id": all[0].ID, "last_id": all[half-1].ID}
	if r.URL.Query().Get("after_id") == all[half-1].ID {
		page = map[string]any{"data": infos(all[half:]), "has_more": false, "first_id": all[half].ID, "last_id": all[len(all)-1].ID}
	}
	reply(w, page)
}

func (s *Server) oneModel(w http.ResponseWriter, r *http.Request) {
	if !s.may(w, r) {
		return
	}
	m, ok := modelOf(r.PathValue("id"))
	if !ok {
		s.refuse(w, 404, "not_found_error", "model: "+r.PathValue("id"))
		return
	}
	reply(w, infos([]Model{m})[0])
}

func reply(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

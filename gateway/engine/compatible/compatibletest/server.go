package compatibletest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"conch/gateway/engine/enginetest"
)

// Options are what a Server is made of.
type Options struct {
	Key    string // that it takes; empty: it asks for none
	Models []string
	List   string // its list of models as JSON, where it says more than their names
	Brain  enginetest.Brain
	Style  Style
	// What it doesn't take: pictures, tools, being asked for usage.
	Blind, Toolless, NoUsage bool
}

// Server is a server on this computer.
type Server struct {
	URL string // with its version
	o   Options

	mu      sync.Mutex
	said    map[string]enginetest.Call
	answers int
	refused []error
}

// New starts a server, which ends with the test.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{o: o, said: map[string]enginetest.Call{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.guarded(s.models))
	mux.HandleFunc("POST /v1/chat/completions", s.guarded(s.complete))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL + "/v1"
	return s
}

// Refused are the requests that it refused, and why.
func (s *Server) Refused() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refused)
}

// Answers is how many answers it gave.
func (s *Server) Answers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answers
}

func (s *Server) guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if want := "Bearer " + s.o.Key; s.o.Key != "" && r.Header.Get("Authorization") != want {
			s.refuse(w, &Refusal{http.StatusUnauthorized, "Invalid API key"})
			return
		}
		next(w, r)
	}
}

func (s *Server) refuse(w http.ResponseWriter, why *Refusal) {
	s.mu.Lock()
	s.refused = append(s.refused, why)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(why.Status)
	_, _ = w.Write(marshal(object{"object": "error", "message": why.Say, "type": "BadRequestError", "code": why.Status}))
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if s.o.List != "" {
		_, _ = io.WriteString(w, s.o.List)
		return
	}
	list := []object{}
	for _, id := range s.o.Models {
		list = append(list, object{"id": id, "object": "model"})
	}
	_, _ = w.Write(marshal(object{"object": "list", "data": list}))
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	frames, err := s.answer(body)
	if err != nil {
		why, ok := errors.AsType[*Refusal](err)
		if !ok {
			why = &Refusal{http.StatusBadRequest, err.Error()}
		}
		s.refuse(w, why)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, f := range frames {
		if _, err := w.Write(f); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
	}
}

// answer reads a request and thinks of an answer, whose calls must come back as they were from then on.
func (s *Server) answer(body []byte) ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := readAll(body)
	switch {
	case err != nil:
		return nil, err
	case s.o.NoUsage && r.request.Options != nil:
		return nil, refuse("Unrecognized request argument supplied: stream_options")
	case s.o.Toolless && len(r.request.Tools) > 0:
		return nil, refuse("%s does not support tools", r.request.Model)
	case s.o.Blind && bytes.Contains(body, []byte(`"image_url"`)):
		return nil, refuse("%s is not a multimodal model", r.request.Model)
	case !slices.Contains(s.o.Models, r.request.Model):
		return nil, &Refusal{http.StatusNotFound, "The model does not exist."}
	}
	for _, c := range r.said {
		was, ok := s.said[c.ID]
		if s.o.Style.NoIDs {
			break // it can't know its own again
		}
		if !ok || was.Name != c.Function.Name || !same(was.Args, c.Function.Arguments) {
			return nil, refuse("The call %q isn't as it was: %+v", c.ID, c)
		}
		if s.o.Style.Signed && !same(string(c.Extra), string(marshal(signature(c.ID)))) {
			return nil, refuse("Function call is missing a thought_signature: %q", c.ID)
		}
	}
	a := s.o.Brain(r.seen)
	for _, c := range a.Calls {
		s.said[c.ID] = c
	}
	style := s.o.Style
	style.Number = s.answers
	s.answers++
	return Encode(a, style), nil
}

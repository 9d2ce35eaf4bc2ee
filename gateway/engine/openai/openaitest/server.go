package openaitest

import (
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
	Key    string // that it takes
	Models []string
	Brain  enginetest.Brain
	Native bool
	Old    bool
	// Checks gives the nth answer, from 0, safety checks; nil: none has any.
	Checks func(n int) []Check
}

// Server is OpenAI on this computer.
type Server struct {
	URL string
	o   Options

	mu      sync.Mutex
	said    memory
	answers int
	refused []error
	choices []string
}

// New starts a server, which ends with the test.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{o: o, said: memory{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.guarded(s.models))
	mux.HandleFunc("POST /v1/responses", s.guarded(s.respond))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
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

// Choices is what the requests said about the choice of tools.
func (s *Server) Choices() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.choices)
}

func (s *Server) guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+s.o.Key {
			s.refuse(w, &Refusal{http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided."})
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
	_, _ = w.Write(marshal(object{"error": object{"message": why.Say, "type": "invalid_request_error", "code": why.Code, "param": nil}}))
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	list := []object{}
	for _, id := range s.o.Models {
		list = append(list, object{"id": id, "object": "model", "created": 1700000000, "owned_by": "system"})
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(marshal(object{"object": "list", "data": list}))
}

func (s *Server) respond(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	frames, err := s.answer(body)
	if err != nil {
		why, ok := errors.AsType[*Refusal](err)
		if !ok {
			why = &Refusal{http.StatusBadRequest, "invalid_request_error", err.Error()}
		}
		s.refuse(w, why)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, f := range frames {
		if _, err := w.Write(f); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
	}
}

// answer reads a request and thinks of an answer, which must come back as it was from then on.
func (s *Server) answer(body []byte) ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, seen, err := s.read(body)
	if err != nil {
		return nil, err
	}
	s.choices = append(s.choices, q.ToolChoice)
	a := s.o.Brain(seen)
	if q.ToolChoice == "none" {
		a.Calls = nil
	}
	style := Style{Native: s.o.Native, Old: s.o.Old, Number: s.answers}
	if s.o.Checks != nil {
		style.Checks = s.o.Checks(s.answers)
	}
	frames, items := Encode(a, style)
	var ids []string
	for _, it := range items {
		ids = append(ids, it["id"].(string))
	}
	for i, it := range items {
		s.said[ids[i]] = spoken{marshal(it), ids}
	}
	s.answers++
	return frames, nil
}

func (s *Server) read(body []byte) (request, enginetest.Seen, error) {
	r, err := readAll(body, s.said)
	if err != nil {
		return request{}, enginetest.Seen{}, err
	}
	if !slices.Contains(s.o.Models, r.request.Model) {
		return request{}, enginetest.Seen{}, &Refusal{http.StatusNotFound, "model_not_found", "The model does not exist or you do not have access to it."}
	}
	if r.native && !s.o.Native {
		return request{}, enginetest.Seen{}, refuse("Tool 'computer' is not supported with this model.")
	}
	return r.request, r.seen, nil
}

// Package ollamatest is a strict Ollama server on this computer: it speaks the real protocol, thinks with a scripted
// model, and refuses what Ollama refuses or what it would take in a way that wasn't meant. It is for tests.
package ollamatest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine/enginetest"
)

// Model is a model of the server's.
type Model struct {
	Name       string
	Can        []string
	Kind       string // the architecture
	Context    int    // the longest transcript that it was made for
	Parameters string // that the person set
	Remote     string // the server that really runs it; empty: this one
	Silent     bool   // the server is too old to say what the model can do
}

// Models are those that a server has, unless it is told others.
func Models() []Model {
	return []Model{
		{Name: "qwen3-vl:8b", Can: []string{"completion", "vision", "tools", "thinking"}, Kind: "qwen3vl", Context: 262144},
		{Name: "mistral-small3.2:24b", Can: []string{"completion", "vision", "tools"}, Kind: "mistral3", Context: 131072},
		{Name: "qwen3:4b", Can: []string{"completion", "tools", "thinking"}, Kind: "qwen3", Context: 40960, Parameters: "stop \"<|im_end|>\"\nnum_ctx 16384"},
		{Name: "llava:7b", Can: []string{"completion", "vision"}, Kind: "llama", Context: 4096},
		{Name: "nomic-embed-text:latest", Can: []string{"embedding"}, Kind: "nomic-bert", Context: 2048},
		{Name: "gpt-oss:120b-cloud", Can: []string{"completion", "tools", "thinking"}, Kind: "gptoss", Context: 131072, Remote: "https://ollama.com:443"},
	}
}

// Server is such a server.
type Server struct {
	*httptest.Server
	Brain  enginetest.Brain
	Models []Model
	// Before, where set, may answer a request for an answer instead; it says whether it did.
	Before func(n int, w http.ResponseWriter, r *http.Request) bool

	t       testing.TB
	mu      sync.Mutex
	bodies  [][]byte
	refused []string
}

// New starts a server, which t's end stops.
func New(t testing.TB, brain enginetest.Brain) *Server {
	s := &Server{Brain: brain, Models: Models(), t: t}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// Bodies are the requests for an answer that came.
func (s *Server) Bodies() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// Refused says why requests were refused.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refused)
}

// Refusal is a request that isn't taken.
type Refusal struct {
	Status int
	Say    string
}

func (r *Refusal) Error() string { return r.Say }

func bad(format string, args ...any) *Refusal {
	return &Refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func (s *Server) refuse(w http.ResponseWriter, r *Refusal) {
	s.mu.Lock()
	s.refused = append(s.refused, r.Say)
	s.mu.Unlock()
	w.WriteHeader(r.Status)
	s.write(w, object{"error": r.Say})
}

func (s *Server) write(w io.Writer, v any) {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		s.t.Error(err)
	}
	_, _ = w.Write(text)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	body, err := io.ReadAll(io.LimitReader(r.Body, 256<<20))
	if err != nil {
		return // the other side hung up
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /api/tags":
		var out []object
		for _, m := range s.Models {
			one := object{"name": m.Name, "model": m.Name, "size": 5_000_000_000, "details": object{"family": m.Kind}}
			if m.Remote != "" {
				one["remote_host"] = m.Remote
			}
			out = append(out, one)
		}
		s.write(w, object{"models": out})
	case "POST /api/show":
		if m, ok := s.find(w, body); ok {
			s.write(w, m.Show())
		}
	case "POST /api/chat":
		s.chat(w, r, body)
	default:
		http.NotFound(w, r)
	}
}

// find is the model that a request names.
func (s *Server) find(w http.ResponseWriter, body []byte) (Model, bool) {
	var q struct {
		Model string `json:"model"`
	}
	if json.Unmarshal(body, &q) != nil || q.Model == "" {
		s.refuse(w, bad("model is required"))
		return Model{}, false
	}
	i := slices.IndexFunc(s.Models, func(m Model) bool { return m.Name == q.Model })
	if i < 0 {
		s.refuse(w, &Refusal{http.StatusNotFound, "model '" + q.Model + "' not found"})
		return Model{}, false
	}
	return s.Models[i], true
}

// Show is what the server says about a model.
func (m Model) Show() map[string]any {
	out := object{
		"license": "…", "parameters": m.Parameters,
		"model_info": object{"general.architecture": m.Kind, m.Kind + ".context_length": m.Context, "tokenizer.ggml.model": "gpt2"},
	}
	if !m.Silent {
		out["capabilities"] = m.Can
	}
	if m.Remote != "" {
		out["remote_host"], out["remote_model"] = m.Remote, strings.TrimSuffix(m.Name, "-cloud")
	}
	return out
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request, body []byte) {
	s.mu.Lock()
	n := len(s.bodies)
	s.bodies = append(s.bodies, body)
	s.mu.Unlock()
	if s.Before != nil && s.Before(n, w, r) {
		return
	}
	m, ok := s.find(w, body)
	if !ok {
		return
	}
	d := Dialect{m}
	seen, err := d.Read(body)
	if err != nil {
		if refusal, ok := err.(*Refusal); ok { //nolint:errorlint // Read says so
			s.refuse(w, refusal)
			return
		}
		s.t.Error(err)
		return
	}
	w.Header().Set("Content-Type", Type)
	for _, line := range d.Encode(s.Brain(seen)) {
		if _, err := w.Write(line); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
	}
}

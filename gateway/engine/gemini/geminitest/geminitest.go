// Package geminitest is a strict Gemini API on this computer: it speaks the real protocol, thinks with a scripted
// model, and refuses what Google refuses, with Google's words. It is for tests.
package geminitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine/enginetest"
)

// MaxBody is the size of the largest request, in bytes.
const MaxBody = 20_000_000

// Model is a model of the server's.
type Model struct {
	ID       string
	Title    string
	Computer string // "desktop", "preview", or empty for one without Google's computer tool
	Inside   bool   // Gemini 3 and later: pictures inside answers to calls, and signatures that must come back
	In, Out  int    // tokens
	Methods  []string
}

// Models are those that a server has, unless it is told others.
func Models() []Model {
	chat := []string{"generateContent", "countTokens"}
	return []Model{
		{ID: "gemini-3.5-flash", Title: "Gemini 3.5 Flash", Computer: "desktop", Inside: true, In: 1048576, Out: 65536, Methods: chat},
		{ID: "gemini-3.1-pro-preview", Title: "Gemini 3.1 Pro Preview", Inside: true, In: 1048576, Out: 65536, Methods: chat},
		{ID: "gemini-2.5-flash", Title: "Gemini 2.5 Flash", In: 1048576, Out: 65536, Methods: chat},
		{ID: "gemini-2.5-computer-use-preview-10-2025", Title: "Gemini 2.5 Computer Use", Computer: "preview", In: 131072, Out: 65536, Methods: chat},
		{ID: "gemini-flash-latest", Title: "Gemini Flash Latest", Inside: true, In: 1048576, Out: 65536, Methods: chat},
		{ID: "gemini-2.5-flash-image", Title: "Nano Banana", In: 32768, Out: 32768, Methods: chat},
		{ID: "gemini-embedding-001", Title: "Gemini Embedding", In: 2048, Out: 1, Methods: []string{"embedContent"}},
		{ID: "gemma-3-27b-it", Title: "Gemma 3 27B", In: 131072, Out: 8192, Methods: chat},
	}
}

// Server is such an API.
type Server struct {
	*httptest.Server
	Key    string
	Brain  enginetest.Brain
	Models []Model
	Page   int // models on one page of the list; 0: all
	// Safety says what a person must be asked about a call; empty: nothing.
	Safety func(enginetest.Call) string
	// Before, where set, may answer a request for an answer instead; it says whether it did.
	Before func(n int, w http.ResponseWriter, r *http.Request) bool

	t        testing.TB
	mu       sync.Mutex
	requests int
	refused  []string
	bodies   [][]byte
}

// New starts a server with a key, which t's end stops.
func New(t testing.TB, key string, brain enginetest.Brain) *Server {
	s := &Server{Key: key, Brain: brain, Models: Models(), t: t}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// Requests is how many requests for an answer came.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Bodies are those requests.
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

// Refusal is a request that Google doesn't take.
type Refusal struct {
	Status int
	Word   string // "INVALID_ARGUMENT"
	Say    string
}

func (r *Refusal) Error() string { return r.Say }

// Body is the refusal as it is sent.
func (r *Refusal) Body() string {
	text, err := json.Marshal(map[string]any{"error": map[string]any{"code": r.Status, "message": r.Say, "status": r.Word}})
	if err != nil {
		return "{}"
	}
	return string(text)
}

func invalid(format string, args ...any) *Refusal {
	return &Refusal{http.StatusBadRequest, "INVALID_ARGUMENT", fmt.Sprintf(format, args...)}
}

func (s *Server) refuse(w http.ResponseWriter, r *Refusal) {
	s.mu.Lock()
	s.refused = append(s.refused, r.Say)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(r.Status)
	_, _ = io.WriteString(w, r.Body())
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("key") {
		s.t.Error("the key is in the address")
	}
	if key := r.Header.Get("x-goog-api-key"); key == "" {
		s.refuse(w, &Refusal{http.StatusForbidden, "PERMISSION_DENIED", "Method doesn't allow unregistered callers. Please use API Key."})
		return
	} else if key != s.Key {
		s.refuse(w, invalid("API key not valid. Please pass a valid API key."))
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/v1beta/models")
	switch {
	case ok && path == "" && r.Method == http.MethodGet:
		s.list(w, r)
	case ok && r.Method == http.MethodPost && r.URL.Query().Get("alt") == "sse":
		id, ok := strings.CutSuffix(strings.TrimPrefix(path, "/"), ":streamGenerateContent")
		i := slices.IndexFunc(s.Models, func(m Model) bool { return m.ID == id && slices.Contains(m.Methods, "generateContent") })
		if !ok || i < 0 {
			s.refuse(w, &Refusal{http.StatusNotFound, "NOT_FOUND", "models/" + id + " is not found for API version v1beta, or is not supported for generateContent."})
			return
		}
		s.answer(w, r, s.Models[i])
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	from, _ := strconv.Atoi(r.URL.Query().Get("pageToken"))
	to := len(s.Models)
	next := ""
	if s.Page > 0 && from+s.Page < to {
		to = from + s.Page
		next = strconv.Itoa(to)
	}
	var out []map[string]any
	for _, m := range s.Models[min(from, to):to] {
		out = append(out, map[string]any{
			"name": "models/" + m.ID, "displayName": m.Title, "inputTokenLimit": m.In, "outputTokenLimit": m.Out,
			"supportedGenerationMethods": m.Methods, "version": "001", "temperature": 1,
		})
	}
	all := map[string]any{"models": out}
	if next != "" {
		all["nextPageToken"] = next
	}
	text, err := json.Marshal(all)
	if err != nil {
		s.t.Error(err)
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_, _ = w.Write(text)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, m Model) {
	s.mu.Lock()
	n := s.requests
	s.requests++
	s.mu.Unlock()
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return // the other side hung up
	}
	s.mu.Lock()
	s.bodies = append(s.bodies, body)
	s.mu.Unlock()
	if s.Before != nil && s.Before(n, w, r) {
		return
	}
	d := Dialect{Model: m, Safety: s.Safety}
	seen, err := d.Read(body)
	if err != nil {
		if refusal, ok := err.(*Refusal); ok { //nolint:errorlint // Read says so
			s.refuse(w, refusal)
			return
		}
		s.t.Error(err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, frame := range d.Encode(s.Brain(seen)) {
		if _, err := w.Write(frame); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
	}
}

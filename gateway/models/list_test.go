package models

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/engine/described"
	"conch/gateway/engine/wire"
	"conch/gateway/secrets"
	"conch/gateway/state"
	"conch/gateway/tool"
)

// What a place said last is known until its key is another one, also when it said that it can't be used.
func TestLast(t *testing.T) {
	r := newRig(t)
	p := r.add("right-key")
	if _, asked := r.Last(p.ID); asked {
		t.Error("it was asked already")
	}
	if _, err := r.List(t.Context(), p.ID, true); err != nil {
		t.Fatal(err)
	}
	if a, asked := r.Last(p.ID); !asked || a.Problem != nil || len(a.Models) != 1 {
		t.Errorf("works: %+v", a)
	}
	r.key = "another-key"
	if _, err := r.List(t.Context(), p.ID, true); err == nil {
		t.Fatal("a key that isn't taken works")
	}
	if a, _ := r.Last(p.ID); a.Problem == nil || a.Problem.Kind != engine.BadKey || len(a.Models) != 1 {
		t.Errorf("doesn't work: %+v", a)
	}
	if err := r.SetKey(p.ID, "another-key"); err != nil {
		t.Fatal(err)
	}
	if a, asked := r.Last(p.ID); asked {
		t.Errorf("the answer to the old key is said of the new one: %+v", a)
	}
	if _, err := r.List(t.Context(), "none", true); !errors.Is(err, ErrNoPlace) {
		t.Errorf("no place: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.List(gone, p.ID, true); err == nil {
		t.Error("asked for nobody")
	}
	if a, asked := r.Last(p.ID); asked {
		t.Errorf("a person who went away makes a place broken: %+v", a)
	}
}

// dialed sends what is for some addresses to a server of the test's.
func dialed(t *testing.T, to map[string]string) *http.Transport {
	t.Helper()
	tr := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		at, ok := to[addr]
		if !ok {
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("refused")}
		}
		var d net.Dialer
		return d.DialContext(ctx, network, at)
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

func opened(t *testing.T, tr http.RoundTripper) *Models {
	t.Helper()
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return Open(Options{State: dir, Secrets: secrets.Files(dir), Spent: &purse{}, HTTP: tr, Retry: wire.Retry{Max: -1}})
}

func TestFind(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "127.0.0.1:8000" {
			w.WriteHeader(http.StatusUnauthorized) // a server that asks for a key
			return
		}
		if r.URL.Path != "/api/tags" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, `{"models":[]}`)
	}))
	t.Cleanup(srv.Close)
	at := srv.Listener.Addr().String()
	m := opened(t, dialed(t, map[string]string{"127.0.0.1:11434": at, "127.0.0.1:8000": at}))
	found := m.Find(t.Context())
	if len(found) != 2 || found[0].ID != "ollama" || found[1].ID != "vllm" {
		t.Fatalf("found %+v", found)
	}
	if _, err := m.Add("ollama", "", "", ""); err != nil {
		t.Fatal(err)
	}
	if found := m.Find(t.Context()); len(found) != 1 || found[0].ID != "vllm" {
		t.Errorf("what was added is found again: %+v", found)
	}
}

// seer is a server with two models of which one sees, and what it was asked.
type seer struct {
	mu     sync.Mutex
	bodies []string
	blind  bool // the model that thinks refuses pictures
}

func (s *seer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"data":[
			{"id":"reader","architecture":{"input_modalities":["text"]}},
			{"id":"eye","architecture":{"input_modalities":["text","image"]}},
			{"id":"other-eye","architecture":{"input_modalities":["text","image"]}}]}`)
		return
	}
	data, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies = append(s.bodies, string(data))
	var in struct {
		Model string `json:"model"`
	}
	_ = json.Unmarshal(data, &in)
	if s.blind && in.Model == "other-eye" && strings.Contains(string(data), "image_url") {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"this model does not support image input"}}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(words string) {
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"`+words+`"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}
	switch {
	case in.Model == "eye":
		say("A window with a button.")
	default:
		say("I read it.")
	}
}

func (s *seer) asked(model string) (n int, with string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.bodies {
		if strings.Contains(b, `"`+model+`"`) {
			n, with = n+1, b
		}
	}
	return n, with
}

func picture() *tool.Picture {
	return &tool.Picture{Data: []byte("\x89PNG\r\n\x1a\n"), MIME: "image/png", W: 10, H: 10}
}

// A model that can't see is told of a picture by one of its place that can.
func TestPicturesInWords(t *testing.T) {
	s := &seer{}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	m := opened(t, tr)
	p, err := m.Add("server", "Mine", srv.URL+"/v1", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Choose(t.Context(), p.ID+"/reader", true); err != nil {
		t.Fatal(err)
	}
	mind, err := m.Pick(t.Context(), chat.Chat{})
	if err != nil || mind.Model.Sees {
		t.Fatalf("%+v, %v", mind.Model, err)
	}
	answer := func(mind chat.Mind) string {
		t.Helper()
		var said strings.Builder
		for e, err := range mind.Engine.Turn(t.Context(), engine.Turn{Model: mind.Model, Messages: []engine.Message{{Role: engine.Person, Text: "What is it?", Picture: picture()}}}) {
			if err != nil {
				t.Fatal(err)
			}
			if text, ok := e.(engine.Text); ok {
				said.WriteString(text.Piece)
			}
		}
		return said.String()
	}
	if said := answer(mind); said != "I read it." {
		t.Errorf("said %q", said)
	}
	if n, with := s.asked("eye"); n != 1 || !strings.Contains(with, "image_url") {
		t.Errorf("the model that sees was asked %d times: %s", n, with)
	}
	if n, with := s.asked("reader"); n != 1 || strings.Contains(with, "image_url") || !strings.Contains(with, "A window with a button.") {
		t.Errorf("the model that reads was asked %d times: %s", n, with)
	}

	// One that turns out not to see answers all the same, and is known for it from then on.
	s.blind = true
	if err := m.Choose(t.Context(), p.ID+"/other-eye", true); err != nil {
		t.Fatal(err)
	}
	if mind, err = m.Pick(t.Context(), chat.Chat{}); err != nil || !mind.Model.Sees {
		t.Fatalf("%+v, %v", mind.Model, err)
	}
	if said := answer(mind); said != "I read it." {
		t.Errorf("said %q", said)
	}
	if mind, err = m.Pick(t.Context(), chat.Chat{}); err != nil || mind.Model.Sees {
		t.Errorf("what turned out blind sees: %+v, %v", mind.Model, err)
	}
	list, err := m.List(t.Context(), p.ID, false)
	if err != nil || len(list) != 3 || !list[1].Sees || list[2].Sees {
		t.Errorf("the list: %+v, %v", list, err)
	}
}

// Where a picture may go: never from a model on this computer to one elsewhere, and to no other company.
func TestWhoDescribes(t *testing.T) {
	here := engine.Model{ID: "here", Local: true}
	away := engine.Model{ID: "away"}
	sees := func(id string, local bool) engine.Model { return engine.Model{ID: id, Sees: true, Local: local} }
	for name, c := range map[string]struct {
		place string
		asked engine.Model
		has   map[string][]engine.Model
		want  string
	}{
		"the same place":             {"anthropic", away, map[string][]engine.Model{"anthropic": {away, sees("eye", false)}, "ollama": {sees("local", true)}}, "eye"},
		"the cheapest":               {"anthropic", away, map[string][]engine.Model{"anthropic": {{ID: "unknown", Sees: true}, {ID: "dear", Sees: true, Price: engine.Price{In: 5, Out: 25}}, {ID: "cheap", Sees: true, Price: engine.Price{In: 1, Out: 5}}}}, "cheap"},
		"not itself":                 {"anthropic", away, map[string][]engine.Model{"anthropic": {sees("away", false)}}, ""},
		"another of the company":     {"anthropic", away, map[string][]engine.Model{"anthropic": {away}, "anthropic-2": {sees("eye", false)}}, "eye"},
		"one on this computer":       {"anthropic", away, map[string][]engine.Model{"openai": {sees("eye", false)}, "ollama": {sees("local", true)}}, "local"},
		"no other company":           {"anthropic", away, map[string][]engine.Model{"openai": {sees("eye", false)}, "server": {sees("theirs", false)}}, ""},
		"no other server elsewhere":  {"server", away, map[string][]engine.Model{"server": {away}, "server-2": {sees("theirs", false)}}, ""},
		"local stays local":          {"ollama", here, map[string][]engine.Model{"ollama": {here, sees("cloud", false)}, "anthropic": {sees("eye", false)}}, ""},
		"local to another local one": {"ollama", here, map[string][]engine.Model{"ollama": {here}, "lmstudio": {sees("local", true)}}, "local"},
	} {
		m := opened(t, dialed(t, nil))
		for _, kind := range []string{"openai", "anthropic", "anthropic", "server", "server", "ollama", "lmstudio"} {
			base := ""
			if kind == "server" {
				base = "http://server.test"
			}
			p, err := m.Add(kind, "", base, "k")
			if err != nil {
				t.Fatal(err)
			}
			m.asked[p.ID] = Answer{Models: c.has[p.ID], At: m.opt.Now()}
		}
		by, err := m.describer(t.Context(), c.place, c.asked)
		if by.Model.ID != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, described.ErrNone) {
			t.Errorf("%s: %q, %v", name, by.Model.ID, err)
		}
	}
}

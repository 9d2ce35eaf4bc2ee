package gateway

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"conch/gateway/access"
	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/engine/wire"
	"conch/gateway/models"
	"conch/gateway/secrets"
	"conch/gateway/web"

	"github.com/go-json-experiment/json"
)

// provider is a server that speaks Chat Completions. What it answers to a key that it doesn't take quotes that key, as
// some do.
type provider struct {
	*httptest.Server
	mu   sync.Mutex
	key  string // that it takes
	busy int    // how many requests it answers with being busy
	use  string // what it says a request took
}

func (p *provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := r.Header.Get("Authorization")
	if got != "Bearer "+p.key {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"Incorrect key: `+got+`","code":"invalid_api_key"}}`)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"data":[{"id":"openai/little","name":"Little Model","architecture":{"input_modalities":["text","image"]},"pricing":{"prompt":"0.000002","completion":"0.000008"}},{"id":"openai/other"}]}`)
		return
	}
	if p.busy > 0 {
		p.busy--
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"Hello from the model."},"finish_reason":"stop"}]}`+"\n\n")
	_, _ = io.WriteString(w, `data: {"choices":[],"usage":`+p.use+`}`+"\n\ndata: [DONE]\n\n")
}

// elsewhere sends every request to the test's own server, so that a provider is one that is paid for.
type elsewhere struct {
	http.RoundTripper
	to string
}

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", e.to
	return e.RoundTripper.RoundTrip(r)
}

// newModelRig is a gateway whose models are all at one server.
func newModelRig(t *testing.T, key string) (*rig, *provider) {
	t.Helper()
	r := newRig(t, Config{})
	p := &provider{key: key, use: `{"prompt_tokens":100000,"completion_tokens":10000}`}
	p.Server = httptest.NewServer(p)
	tr := &http.Transport{}
	t.Cleanup(func() { tr.CloseIdleConnections(); p.Close() })
	r.g.models = models.Open(models.Options{
		State: r.g.dir, Secrets: r.g.cfg.Secrets, Spent: r.g.store, HTTP: elsewhere{tr, p.Listener.Addr().String()}, Now: r.g.cfg.Now, Log: r.g.log,
	})
	return r, p
}

func (r *rig) tested(method, path, body string, want int) tested {
	r.t.Helper()
	var got tested
	if err := json.Unmarshal([]byte(r.do(method, path, body, want)), &got); err != nil {
		r.t.Fatal(err)
	}
	return got
}

// TestModelsWhole goes from no model to an answer of one, what it cost, and back.
func TestModelsWhole(t *testing.T) {
	r, _ := newModelRig(t, "sk-right")
	if page := r.do("GET", web.PathModels, "", http.StatusOK); !strings.Contains(page, "press Find") || !strings.Contains(page, "Keys are kept in files") {
		t.Error("the empty page doesn't say how to begin")
	}
	tab := r.openTab("page=models")
	tab.until(shows("model-places", "press Find"))
	got := r.tested("POST", "/api/models", `{"kind":"openrouter","key":"sk-wrong"}`, http.StatusCreated)
	if got.Works || got.ID != "openrouter" || !strings.Contains(got.Say, "doesn't take this key") || got.Next != "Put a new one here." {
		t.Errorf("a wrong key: %+v", got)
	}
	tab.until(shows("model-places", "take this key"))
	r.do("POST", "/api/models/openrouter/key", `{"key":"sk-right"}`, http.StatusNoContent)
	tab.until(shows("model-places", "Not tested."))
	got = r.tested("POST", "/api/models/openrouter/test", `{}`, http.StatusOK)
	if !got.Works || got.Say != "OpenRouter works: 2 models." || len(got.Models) != 2 || got.Models[0].Marks != "sees pictures · $2 in, $8 out" {
		t.Errorf("a right key: %+v", got)
	}
	tab.until(shows("models-usual", "Little Model"))
	r.do("POST", "/api/models/usual", `{"model":"openrouter/none"}`, http.StatusServiceUnavailable)
	r.do("POST", "/api/models/usual", `{"model":"openrouter/openai/little"}`, http.StatusNoContent)
	if page := r.do("GET", "/settings", "", http.StatusOK); strings.Count(page, "Little Model") != 2 {
		t.Error("Settings doesn't say what answers")
	}
	id, _ := r.say("hello")
	inChat := r.openTab("chat=" + id)
	if e := r.ended(id); e.State != chat.StateDone {
		t.Fatalf("ended %+v", e)
	}
	inChat.until(shows("chat-cost", "$0.28"))
	page := r.do("GET", "/chats/"+id, "", http.StatusOK)
	for _, want := range []string{"Hello from the model.", "This chat has cost $0.28.", "What answers: Little Model"} {
		if !strings.Contains(page, want) {
			t.Errorf("the chat lacks %q", want)
		}
	}
	r.do("POST", "/api/chats/"+id+"/model", `{"model":"openrouter/openai/other"}`, http.StatusNoContent)
	inChat.until(shows("composer-state", "What answers: openai/other"))
	r.do("POST", "/api/chats/"+id+"/messages", `{"text":"again"}`, http.StatusOK)
	r.until(id, func(e chat.Event) bool { return e.Kind == chat.KindEnded && e.Seq > inChat.after })
	inChat.until(shows("chat-cost", "one request whose price isn’t known"))
	// A limit that is reached ends the next one, with the way to change it.
	r.do("POST", "/api/models/limits", `{"turn":-1,"day":0}`, http.StatusBadRequest)
	r.do("POST", "/api/models/limits", `{"day":0}`, http.StatusBadRequest)
	r.do("POST", "/api/models/limits", `{"turn":0,"day":0.25}`, http.StatusNoContent)
	tab.until(shows("models-limits", `value="0.25"`))
	limited, _ := r.say("once more")
	if e := r.ended(limited); e.State != chat.StateFailed || e.Rule != chat.RuleModels {
		t.Errorf("over the limit: %+v", e)
	}
	if page := r.do("GET", "/chats/"+limited, "", http.StatusOK); !strings.Contains(page, "Open Models") {
		t.Error("the chat doesn't lead to the limits")
	}
	r.do("DELETE", "/api/models/openrouter", "", http.StatusNoContent)
	tab.until(shows("model-places", "press Find"))
	inChat.until(shows("composer-state", "What answers: Plain words"))
	r.do("DELETE", "/api/models/openrouter", "", http.StatusNotFound)
}

// A chat begins in the mode and with the model that were picked, or it doesn't begin.
func TestFirstMessagePicks(t *testing.T) {
	r, _ := newModelRig(t, "sk-right")
	r.tested("POST", "/api/models", `{"kind":"openrouter","key":"sk-right"}`, http.StatusCreated)
	var got started
	if err := json.Unmarshal([]byte(r.do("POST", "/api/chats", `{"text":"hello","mode":"auto","model":"openrouter/openai/little"}`, http.StatusCreated)), &got); err != nil {
		t.Fatal(err)
	}
	r.ended(got.Chat)
	c, err := r.g.store.Chat(t.Context(), got.Chat)
	if err != nil || c.Mode != chat.Auto || c.Model != "openrouter/openai/little" {
		t.Errorf("it began as %+v, %v", c, err)
	}
	r.until(got.Chat, func(e chat.Event) bool { return strings.Contains(e.Text, "Hello from the model.") })
	for body, want := range map[string]int{
		`{"text":"hello","mode":"boldly"}`:             http.StatusBadRequest,
		`{"text":"hello","model":"openrouter/nobody"}`: http.StatusServiceUnavailable,
		`{"text":"hello","model":"nowhere/little"}`:    http.StatusNotFound,
	} {
		r.do("POST", "/api/chats", body, want)
	}
	if all, err := r.g.store.Chats(t.Context(), 9); err != nil || len(all) != 1 {
		t.Errorf("there are %d chats, %v", len(all), err)
	}
}

// While a provider is busy the chat says so, in the place of the answer.
func TestWaitingIsShown(t *testing.T) {
	r, p := newModelRig(t, "sk-right")
	p.set(func() { p.busy = 1 })
	r.tested("POST", "/api/models", `{"kind":"openrouter","key":"sk-right"}`, http.StatusCreated)
	r.do("POST", "/api/models/usual", `{"model":"openrouter/openai/little"}`, http.StatusNoContent)
	c, err := r.g.store.NewChat(t.Context(), "hello")
	if err != nil {
		t.Fatal(err)
	}
	tab := r.openTab("chat=" + c.ID)
	tab.until(func(u web.Update) bool { return u.ID == "chat-cost" })
	r.do("POST", "/api/chats/"+c.ID+"/messages", `{"text":"hello"}`, http.StatusOK)
	tab.until(shows("doing", "OpenRouter"))
	tab.until(func(u web.Update) bool { return u.ID == "doing" && strings.Contains(u.HTML, "hidden") })
	tab.until(shows(web.IDStream, "Hello from the model."))
}

// What a program of the person's own lacks here is said, with what to do, before it is added and after.
func TestMissingProgram(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("HOME", t.TempDir())
	if k, _ := models.KindOf("codex"); k.Missing() == nil {
		t.Skip("this computer has codex in a folder for everyone")
	}
	r, _ := newModelRig(t, "")
	const lacks, next = "Codex isn't on this computer.", "Install it, sign in with it once in a terminal, then try again."
	shown := strings.ReplaceAll(lacks+" "+next, "'", "&#39;")
	if page := r.do("GET", web.PathModels, "", http.StatusOK); !strings.Contains(page, `data-missing="`+shown+`">Codex (not on this computer)<`) {
		t.Error("who adds it isn't told what it lacks")
	}
	if got := r.tested("POST", "/api/models", `{"kind":"codex"}`, http.StatusCreated); got.Works || got.Say != lacks || got.Next != next {
		t.Errorf("%+v", got)
	}
	r.openTab("page=models").until(shows("model-places", shown))
	if err := os.WriteFile(filepath.Join(bin, "codex"), []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := r.tested("POST", "/api/models/codex/test", `{}`, http.StatusOK); got.Say != "Codex ended before it answered." {
		t.Errorf("%+v", got)
	}
	if page := r.do("GET", web.PathModels, "", http.StatusOK); strings.Contains(page, shown) || !strings.Contains(page, "ended before it answered") {
		t.Error("it is still said to be missing")
	}
}

// TestKeysAreNowhere adds a key that isn't taken, tests it and thinks with it, then looks for it in all there is.
func TestKeysAreNowhere(t *testing.T) {
	const wrong, other = "sk-canary-7d41c0ffee", "sk-canary-other-91aa"
	r, _ := newModelRig(t, "sk-right")
	var said strings.Builder
	do := func(method, path, body string, want int) {
		said.WriteString(r.do(method, path, body, want) + "\n")
	}
	do("POST", "/api/models", `{"kind":"openrouter","key":"`+wrong+`"}`, http.StatusCreated)
	do("POST", "/api/models", `{"kind":"server","name":"Attic","address":"https://attic.test/v1","key":"`+wrong+`"}`, http.StatusCreated)
	do("POST", "/api/models", `{"kind":"anthropic","key":"`+wrong+` and words"}`, http.StatusBadRequest)
	do("POST", "/api/models", `{"kind":"`+wrong+`","key":"`+wrong+`"}`, http.StatusBadRequest)
	do("POST", "/api/models", `{"kind":"server","address":"https://me:`+wrong+`@attic.test","key":""}`, http.StatusBadRequest)
	do("POST", "/api/models", `{"kind":"server","address":"https://attic.test/?key=`+wrong+`","key":""}`, http.StatusCreated) // without what follows
	do("POST", "/api/models", `{"kind":"openai","secret":"`+wrong+`"}`, http.StatusBadRequest)
	do("POST", "/api/models/openrouter/test", `{}`, http.StatusOK)
	do("POST", "/api/models/none/key", `{"key":"`+wrong+`"}`, http.StatusNotFound)
	// Chosen while it worked; the key is another one since.
	r.do("POST", "/api/models/openrouter/key", `{"key":"sk-right"}`, http.StatusNoContent)
	r.do("POST", "/api/models/usual", `{"model":"openrouter/openai/little"}`, http.StatusNoContent)
	do("POST", "/api/models/openrouter/key", `{"key":"`+other+`"}`, http.StatusNoContent)
	id, _ := r.say("hello")
	if e := r.ended(id); e.State != chat.StateFailed || e.Rule != chat.RuleModels {
		t.Errorf("ended %+v", e)
	}
	do("GET", "/api/models", "", http.StatusOK)
	for _, path := range []string{web.PathModels, "/settings", "/settings/checkup", "/settings/repair", "/activity", "/chats/" + id, "/api/care", "/api/status", "/api/activity"} {
		do("GET", path, "", http.StatusOK)
	}
	if !strings.Contains(said.String(), "Open Models") {
		t.Error("the chat doesn't lead to where the key is put right")
	}
	nowhere := func(where, text string) {
		t.Helper()
		if strings.Contains(text, wrong) || strings.Contains(text, other) {
			t.Errorf("a key is in %s", where)
		}
	}
	nowhere("an answer", said.String())
	nowhere("the log", r.log.String())
	nowhere("the chat's events", r.transcript(id))
	kept := 0
	err := filepath.WalkDir(r.g.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if rel, _ := filepath.Rel(r.g.home, path); filepath.Dir(rel) == "secrets" {
			info, err := d.Info()
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", rel, info.Mode(), err)
			}
			kept++
			return nil
		}
		nowhere(path, string(data))
		return nil
	})
	if err != nil || kept != 2 {
		t.Errorf("%d keys are kept, %v", kept, err)
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		if data, err := os.ReadFile(path); err == nil {
			nowhere("a command line", string(data))
		}
	}
	r.do("DELETE", "/api/models/openrouter", "", http.StatusNoContent)
	if _, err := r.g.cfg.Secrets.Get("model-openrouter"); err == nil {
		t.Error("the key of a place that was removed is still there")
	}
}

// What adds or changes is for a page; what a program of the person's own may do is to look, to test and to remove.
func TestModelsAreForPages(t *testing.T) {
	r, _ := newModelRig(t, "sk-right")
	r.tested("POST", "/api/models", `{"kind":"openrouter","key":"sk-right"}`, http.StatusCreated)
	id, _ := r.say("hello")
	r.ended(id)
	key, err := r.g.dir.Secret(keyName, access.KeySize)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{"POST", "/api/models", `{"kind":"openrouter","key":"sk-mine"}`, http.StatusForbidden},
		{"POST", "/api/models/openrouter/key", `{"key":"sk-mine"}`, http.StatusForbidden},
		{"POST", "/api/models/usual", `{"model":"openrouter/openai/little"}`, http.StatusForbidden},
		{"POST", "/api/chats/" + id + "/model", `{"model":"openrouter/openai/little"}`, http.StatusForbidden},
		{"POST", "/api/models/limits", `{"turn":0,"day":0}`, http.StatusForbidden},
		{"GET", "/api/models", "", http.StatusOK},
		{"POST", "/api/models/openrouter/test", `{}`, http.StatusOK},
		{"DELETE", "/api/models/openrouter", "", http.StatusNoContent},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, r.srv.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		req.Header.Set(access.HeaderHere, access.EncodeKey(key))
		jar := r.page.Jar
		r.page.Jar = nil
		r.send(req, c.want)
		r.page.Jar = jar
	}
	if n := len(r.g.models.Places()); n != 0 {
		t.Errorf("%d places are left", n)
	}
}

// Requests that make no sense, and a chat in which nobody writes.
func TestModelRefusals(t *testing.T) {
	r, _ := newModelRig(t, "sk-right")
	id, _ := r.say("hello")
	r.ended(id)
	app, err := r.g.store.ClientChat(t.Context(), "app1", "An app", chat.Ask)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, body string
		want       int
	}{
		{"/api/models", `{"kind":"hal"}`, http.StatusBadRequest},
		{"/api/models", `{"kind":"openai","key":"` + strings.Repeat("x", placeBody) + `"}`, http.StatusRequestEntityTooLarge},
		{"/api/models/usual", `{}`, http.StatusBadRequest},
		{"/api/models/usual", `{"model":"none/none"}`, http.StatusNotFound},
		{"/api/models/none/test", `{}`, http.StatusNotFound},
		{"/api/chats/" + id + "/model", `{}`, http.StatusBadRequest},
		{"/api/chats/" + id + "/model", `{"model":""}`, http.StatusNoContent},
		{"/api/chats/none/model", `{"model":""}`, http.StatusNotFound},
		{"/api/chats/" + app.ID + "/model", `{"model":""}`, http.StatusConflict},
	} {
		r.do("POST", c.path, c.body, c.want)
	}
}

// What runs on this computer is found, added in one press, and not offered again.
func TestFoundHere(t *testing.T) {
	r := newRig(t, Config{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Host != "127.0.0.1:11434" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, `{"models":[]}`)
	}))
	tr := &http.Transport{}
	t.Cleanup(func() { tr.CloseIdleConnections(); srv.Close() })
	r.g.models = models.Open(models.Options{
		State: r.g.dir, Secrets: secrets.Files(r.g.dir), Spent: r.g.store, HTTP: elsewhere{tr, srv.Listener.Addr().String()}, Retry: wire.Retry{Max: -1}, Log: r.g.log,
	})
	if got := r.do("POST", "/api/models/find", `{}`, http.StatusOK); !strings.Contains(got, `{"found":["Ollama"]}`) {
		t.Errorf("found %s", got)
	}
	if page := r.do("GET", web.PathModels, "", http.StatusOK); !strings.Contains(page, `data-found="ollama"`) {
		t.Error("what was found isn't offered")
	}
	got := r.tested("POST", "/api/models", `{"kind":"ollama"}`, http.StatusCreated)
	if !got.Works || got.Next == "" {
		t.Errorf("a server without a model: %+v", got)
	}
	page := r.do("GET", web.PathModels, "", http.StatusOK)
	if strings.Contains(page, `data-found="ollama"`) || !strings.Contains(page, "It answers, but has no model.") {
		t.Error("what was added is offered again, or isn't said to be empty")
	}
}

// Words of errors that nobody wrote for a person aren't told.
func TestModelsProblemHidesText(t *testing.T) {
	for _, err := range []error{io.ErrUnexpectedEOF, &engine.Problem{Say: "a", Next: "b", Err: io.ErrUnexpectedEOF}} {
		if p := modelsProblem(err); strings.Contains(p.Error()+p.Err.Error(), "EOF") {
			t.Errorf("%T: %v, %v", err, p, p.Err)
		}
	}
}

package models

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/leaktest"
	"conch/gateway/secrets"
	"conch/gateway/state"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// purse says what was spent.
type purse struct{ turn, day float64 }

func (p *purse) SpentIn(context.Context, string, string) (chat.Spent, error) {
	return chat.Spent{Dollars: p.turn}, nil
}

func (p *purse) SpentSince(context.Context, time.Time) (chat.Spent, error) {
	return chat.Spent{Dollars: p.day}, nil
}

type rig struct {
	*Models
	t     *testing.T
	dir   *state.Dir
	purse *purse
	now   time.Time
	key   string // that the server takes
	asked int
	url   string
}

// newRig is a person's models beside a server that speaks Chat Completions' list of models.
func newRig(t *testing.T) *rig {
	t.Helper()
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	r := &rig{t: t, dir: dir, purse: &purse{}, now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), key: "right-key"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.asked++
		if req.Header.Get("Authorization") != "Bearer "+r.key {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"message":"bad key right-key","type":"invalid_request_error"}}`))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"little-model","object":"model"}]}`))
	}))
	t.Cleanup(srv.Close)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	r.url = srv.URL
	r.Models = Open(Options{State: dir, Secrets: secrets.Files(dir), Spent: r.purse, HTTP: tr, Now: func() time.Time { return r.now }})
	return r
}

func (r *rig) add(key string) Place {
	r.t.Helper()
	p, err := r.Add("server", "My server", r.url, key)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// From nothing to an answer: a place, its test, its model, the default, a chat's own, and taking it all away again.
func TestFromKeyToMind(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	if _, err := r.Pick(ctx, chat.Chat{}); !errors.Is(err, ErrNone) {
		t.Errorf("nothing set up: %v", err)
	}
	p := r.add("wrong-key")
	_, err := r.List(ctx, p.ID, true)
	problem, ok := errors.AsType[*engine.Problem](err)
	if !ok || problem.Kind != engine.BadKey || strings.Contains(err.Error(), "key") == false || strings.Contains(err.Error(), "right-key") {
		t.Errorf("a wrong key: %v", err)
	}
	if err := r.SetKey(p.ID, " right-key "); err != nil {
		t.Fatal(err)
	}
	models, err := r.List(ctx, p.ID, true)
	if err != nil || len(models) != 1 || models[0].ID != "little-model" {
		t.Fatalf("%v, %v", models, err)
	}
	name := p.ID + "/little-model"
	if err := r.Choose(ctx, p.ID+"/no-such", true); err == nil {
		t.Error("a model that isn't there is chosen")
	}
	if err := r.Choose(ctx, name, true); err != nil {
		t.Fatal(err)
	}
	asked := r.asked
	for _, c := range []chat.Chat{{}, {Model: name}, {Model: "gone/model"}} {
		mind, err := r.Pick(ctx, c)
		if err != nil || mind.Model.ID != "little-model" || mind.Engine == nil || mind.System == "" {
			t.Errorf("%q picks %+v, %v", c.Model, mind.Model, err)
		}
	}
	if r.asked != asked {
		t.Error("picking asks the place")
	}
	if err := r.TurnedOutBlind(p.ID, "little-model"); err != nil {
		t.Fatal(err)
	}
	if mind, _ := r.Pick(ctx, chat.Chat{}); mind.Model.Sees {
		t.Error("what turned out blind is said to see")
	}
	data, err := os.ReadFile(r.dir.Path(File))
	if err != nil || strings.Contains(string(data), "right-key") {
		t.Errorf("the key is in the settings: %v", err)
	}
	if err := r.Remove(p.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Pick(ctx, chat.Chat{Model: name}); !errors.Is(err, ErrNone) || r.Default() != "" {
		t.Errorf("removed: %v, default %q", err, r.Default())
	}
	if _, err := r.opt.Secrets.Get(keyName(p.ID)); !errors.Is(err, secrets.ErrNone) {
		t.Error("a removed place's key is still there")
	}
}

func TestAskingAgain(t *testing.T) {
	r := newRig(t)
	p := r.add("right-key")
	for _, c := range []struct {
		after time.Duration
		fresh bool
		asks  int
	}{{0, false, 1}, {time.Minute, false, 1}, {0, true, 2}, {listedFor, false, 3}} {
		r.now = r.now.Add(c.after)
		if _, err := r.List(t.Context(), p.ID, c.fresh); err != nil || r.asked != c.asks {
			t.Errorf("%+v: asked %d times, %v", c, r.asked, err)
		}
	}
}

func TestWhatCantBeAdded(t *testing.T) {
	r := newRig(t)
	for name, in := range map[string][4]string{
		"no such kind":                {"hal", "", "", ""},
		"no key":                      {"anthropic", "", "", " "},
		"a key of two lines":          {"anthropic", "", "", "sk-1\nsk-2"},
		"a key with a word before it": {"openai", "", "", "Bearer sk-1"},
		"a provider's other address":  {"anthropic", "", "http://evil.test", "sk-1"},
		"no address":                  {"server", "", "", ""},
		"an address with a password":  {"server", "", "http://me:secret@host", ""},
		"another protocol":            {"server", "", "file:///etc/passwd", ""},
		"a long name":                 {"anthropic", strings.Repeat("n", nameMax+1), "", "sk-1"},
	} {
		var bad *Bad
		if _, err := r.Add(in[0], in[1], in[2], in[3]); !errors.As(err, &bad) || bad.Say == "" || bad.Next == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(r.Places()) != 0 {
		t.Errorf("left behind: %v", r.Places())
	}
}

// A limit ends a reply once it is reached, and a day's limit begins none.
func TestLimits(t *testing.T) {
	r := newRig(t)
	p := r.add("right-key")
	ctx := t.Context()
	if err := r.Choose(ctx, p.ID+"/little-model", true); err != nil {
		t.Fatal(err)
	}
	for _, l := range []Limits{{Turn: -1}, {Day: 1e9}} {
		if r.SetLimits(l) == nil {
			t.Errorf("%+v is taken", l)
		}
	}
	if err := r.Used(ctx, "c", "t"); err != nil {
		t.Errorf("without limits: %v", err)
	}
	if err := r.SetLimits(Limits{Turn: 0.5, Day: 2}); err != nil {
		t.Fatal(err)
	}
	limit := func(err error) bool {
		problem, ok := errors.AsType[*engine.Problem](err)
		return ok && problem.Kind == engine.Limit && problem.Next != ""
	}
	r.purse.turn, r.purse.day = 0.49, 1.99
	if err := r.Used(ctx, "c", "t"); err != nil {
		t.Errorf("below: %v", err)
	}
	r.purse.turn = 0.5
	if err := r.Used(ctx, "c", "t"); !limit(err) {
		t.Errorf("a reply's limit: %v", err)
	}
	r.purse.turn, r.purse.day = 0, 2
	if err := r.Used(ctx, "c", "t"); !limit(err) {
		t.Errorf("a day's limit: %v", err)
	}
	if _, err := r.Pick(ctx, chat.Chat{}); !limit(err) {
		t.Errorf("the next reply of the day: %v", err)
	}
}

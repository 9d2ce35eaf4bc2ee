package pair

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"conch/gateway/chat"
	"conch/gateway/state"
	"conch/mcp/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type rig struct {
	*Registry
	t    *testing.T
	dir  *state.Dir
	now  time.Time
	told []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &rig{t: t, dir: dir, now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
	r.open()
	return r
}

// open starts the registry on its folder, as a Conch that starts does.
func (r *rig) open() {
	r.t.Helper()
	var err error
	r.Registry, err = Open(r.dir, Options{Now: func() time.Time { return r.now }, Changed: func(id string) { r.told = append(r.told, id) }})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) pair(kind Kind, scopes ...string) (Client, Key) {
	r.t.Helper()
	c, key, err := r.Pair(Client{Name: "Cursor", App: "cursor", Kind: kind, Scopes: scopes, Mode: chat.Ask})
	if err != nil {
		r.t.Fatal(err)
	}
	return c, key
}

func (r *rig) nonce(id string) string {
	r.t.Helper()
	n, err := r.Nonce(id)
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// session proves a client, which has to work.
func (r *rig) session(c Client, key Key) string {
	r.t.Helper()
	n := r.nonce(c.ID)
	token, _, err := r.Session(c.ID, n, wire.Proof(key, c.ID, n))
	if err != nil {
		r.t.Fatal(err)
	}
	return token
}

func TestLauncherProvesItself(t *testing.T) {
	r := newRig(t)
	c, key := r.pair(Launcher, MemoryRead)
	if got, _, ok := r.Bearer(r.session(c, key)); !ok || got.ID != c.ID || !got.May(MemoryRead) || got.May(Computer) {
		t.Errorf("the session is %+v, %v", got, ok)
	}
	info, err := os.Stat(r.dir.Path(wire.KeyFile(c.ID)))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v %v", info, err)
	}
	data, err := os.ReadFile(r.dir.Path(File))
	if err != nil || bytes.Contains(data, []byte(key)) || !bytes.Contains(data, []byte(hashOf(string(key)))) {
		t.Errorf("the document has the key, or not its hash: %v", err)
	}
	if key2, err := os.ReadFile(r.dir.Path(wire.KeyFile(c.ID))); err != nil || string(key2) != string(key) {
		t.Errorf("the key's file doesn't have the key: %v", err)
	}
}

// Each wrong proof gets the one answer, and no session.
func TestWrongProofs(t *testing.T) {
	r := newRig(t)
	c, key := r.pair(Launcher)
	other, otherKey := r.pair(Launcher)
	web, webKey := r.pair(HTTP)
	used := r.nonce(c.ID)
	if _, _, err := r.Session(c.ID, used, wire.Proof(key, c.ID, used)); err != nil {
		t.Fatal(err)
	}
	old := r.nonce(c.ID)
	r.now = r.now.Add(nonceFor)
	fresh := r.nonce(c.ID)
	burnt := r.nonce(c.ID)
	if _, _, err := r.Session(c.ID, burnt, strings.Repeat("0", 64)); !errors.Is(err, ErrProof) {
		t.Errorf("a wrong proof: %v", err)
	}
	for name, try := range map[string][3]string{
		"a nonce for the second time":     {c.ID, used, wire.Proof(key, c.ID, used)},
		"a nonce after a minute":          {c.ID, old, wire.Proof(key, c.ID, old)},
		"a nonce after a wrong proof":     {c.ID, burnt, wire.Proof(key, c.ID, burnt)},
		"a nonce of another app":          {other.ID, fresh, wire.Proof(otherKey, other.ID, fresh)},
		"another app's key":               {c.ID, r.nonce(c.ID), wire.Proof(otherKey, c.ID, fresh)},
		"a nonce that isn't ours":         {c.ID, strings.Repeat("A", 75), wire.Proof(key, c.ID, strings.Repeat("A", 75))},
		"no nonce":                        {c.ID, "", wire.Proof(key, c.ID, "")},
		"no proof":                        {c.ID, r.nonce(c.ID), ""},
		"the key itself":                  {c.ID, r.nonce(c.ID), string(key)},
		"an app that nobody paired":       {"aaaaaaaaaaaaaaaa", r.nonce("aaaaaaaaaaaaaaaa"), wire.Proof("", "aaaaaaaaaaaaaaaa", fresh)},
		"an app that sends its key":       {web.ID, r.nonce(web.ID), wire.Proof(webKey, web.ID, fresh)},
		"an id that is a path":            {"../../here", r.nonce("../../here"), wire.Proof(key, "../../here", fresh)},
		"the empty key of a missing file": {"", r.nonce(""), wire.Proof("", "", fresh)},
	} {
		if token, _, err := r.Session(try[0], try[1], try[2]); !errors.Is(err, ErrProof) || token != "" {
			t.Errorf("%s: %q, %v", name, token, err)
		}
	}
	if _, _, err := r.Session(c.ID, fresh, wire.Proof(key, c.ID, fresh)); err != nil {
		t.Errorf("the right one afterwards: %v", err)
	}
}

func TestBearers(t *testing.T) {
	r := newRig(t)
	c, key := r.pair(Launcher)
	web, webKey := r.pair(HTTP)
	token := r.session(c, key)
	if got, _, ok := r.Bearer(string(webKey)); !ok || got.ID != web.ID {
		t.Errorf("an app's own key: %+v, %v", got, ok)
	}
	for name, bearer := range map[string]string{
		"a launcher's key":     string(key),
		"another app's secret": "cmcp." + web.ID + string(key)[21:],
		"no such app":          "cmcp.aaaaaaaaaaaaaaaa." + string(webKey)[22:],
		"nothing":              "",
		"half a key":           string(webKey)[:40],
		"a hash":               hashOf(string(webKey)),
		"a token and more":     token + "x",
	} {
		if got, _, ok := r.Bearer(bearer); ok {
			t.Errorf("%s is taken for %s", name, got.ID)
		}
	}
	r.now = r.now.Add(sessionFor)
	if _, _, ok := r.Bearer(token); ok {
		t.Error("a session lasts longer than a day")
	}
}

// What the person takes away holds at once: sessions end with their app and with Conch itself.
func TestRemovedAndRestarted(t *testing.T) {
	r := newRig(t)
	c, key := r.pair(Launcher)
	token := r.session(c, key)
	if was, err := r.Remove(c.ID); !was || err != nil {
		t.Fatal(was, err)
	}
	if _, _, ok := r.Bearer(token); ok {
		t.Error("a removed app's session goes on")
	}
	if _, err := os.Stat(r.dir.Path(wire.KeyFile(c.ID))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a removed app's key is still there: %v", err)
	}
	if was, err := r.Remove(c.ID); was || err != nil {
		t.Error("removed twice", was, err)
	}
	c, key = r.pair(Launcher)
	token = r.session(c, key)
	r.open()
	if _, _, ok := r.Bearer(token); ok {
		t.Error("a session outlives Conch")
	}
	if _, _, ok := r.Bearer(r.session(c, key)); !ok {
		t.Error("after a restart a launcher can't prove itself")
	}
	if err := os.WriteFile(r.dir.Path(File), []byte("not a list"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := r.Bearer(token); ok || len(r.List()) != 0 || r.Problem() == nil {
		t.Error("a list that can't be read pairs somebody")
	}
}

func TestSessionsAreBounded(t *testing.T) {
	r := newRig(t)
	c, key := r.pair(Launcher)
	first := r.session(c, key)
	for range sessionsEach {
		r.now = r.now.Add(time.Second)
		r.session(c, key)
	}
	if _, _, ok := r.Bearer(first); ok || len(r.sessions) != sessionsEach {
		t.Errorf("%d sessions", len(r.sessions))
	}
}

// Who would give more is asked first, and a no changes nothing.
func TestChangeAsksWhatWidens(t *testing.T) {
	r := newRig(t)
	c, _ := r.pair(Launcher, MemoryRead, Skills)
	no := errors.New("no")
	for name, change := range map[string]struct {
		edit   func(*Client)
		widens bool
	}{
		"fewer scopes":     {func(c *Client) { c.Scopes = []string{Skills} }, false},
		"another scope":    {func(c *Client) { c.Scopes = []string{Computer} }, true},
		"a careful mode":   {func(c *Client) { c.Mode = chat.Plan }, false},
		"a bold mode":      {func(c *Client) { c.Mode = chat.Auto }, true},
		"another name":     {func(c *Client) { c.Name = "My Cursor" }, false},
		"another key hash": {func(c *Client) { c.KeyHash, c.ID = "x", "y" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := r.Get(c.ID)
			asked := false
			_, err := r.Change(c.ID, change.edit, func(was, is Client) error {
				asked = Widens(was, is)
				return no
			})
			after, _ := r.Get(c.ID)
			if asked != change.widens || !errors.Is(err, no) || fmt.Sprint(before) != fmt.Sprint(after) {
				t.Errorf("widens %v, %v: %+v", asked, err, after)
			}
		})
	}
	if _, err := r.Change("aaaaaaaaaaaaaaaa", func(*Client) {}, nil); !errors.Is(err, ErrGone) {
		t.Errorf("an app that isn't there: %v", err)
	}
}

func TestWhatCantBePaired(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]Client{
		"no name":            {Kind: Launcher, Mode: chat.Ask},
		"a long name":        {Name: strings.Repeat("n", nameMax+1), Kind: Launcher, Mode: chat.Ask},
		"no kind":            {Name: "n", Mode: chat.Ask},
		"no mode":            {Name: "n", Kind: HTTP},
		"an unknown scope":   {Name: "n", Kind: HTTP, Mode: chat.Ask, Scopes: []string{"everything"}},
		"a scope of a path":  {Name: "n", Kind: HTTP, Mode: chat.Ask, Scopes: []string{"app:../x"}},
		"a launcher, remote": {Name: "n", Kind: Launcher, Mode: chat.Ask, Remote: true},
	} {
		var bad *Bad
		if _, _, err := r.Pair(c); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
	left, err := filepath.Glob(r.dir.Path("mcp/keys/*"))
	if err != nil || len(left) != 0 || len(r.List()) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestKeysNeverPrint(t *testing.T) {
	r := newRig(t)
	c, key := r.pair(Launcher)
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("paired", "client", c, "key", key)
	fmt.Fprintf(&b, "%v %+v %#v %s %q", key, key, key, key, key)
	if strings.Contains(b.String(), string(key)[22:]) || strings.Contains(b.String(), c.KeyHash) {
		t.Errorf("the key prints: %s", b.String())
	}
}

func FuzzBearer(f *testing.F) {
	for _, s := range []string{"", "cmcp.aaaaaaaaaaaaaaaa." + strings.Repeat("A", 43), "cmcps.x"} {
		f.Add(s, s, s)
	}
	dir, err := state.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	r, err := Open(dir, Options{})
	if err != nil {
		f.Fatal(err)
	}
	c, key, err := r.Pair(Client{Name: "n", Kind: Launcher, Mode: chat.Ask})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, bearer, nonce, proof string) {
		if _, _, ok := r.Bearer(bearer); ok {
			t.Fatalf("%q is somebody's", bearer)
		}
		if _, _, err := r.Session(c.ID, nonce, proof); err == nil {
			t.Fatalf("%q %q is a proof for %v", nonce, proof, key)
		}
	})
}

package otherapps

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"conch/driver/fake"
	"conch/gateway"
	"conch/gateway/confirm"
	"conch/gateway/engine/byhand"
	"conch/gateway/leaktest"
	"conch/gateway/state"
	"conch/gateway/web"
	"conch/mcp"
	"conch/mcp/connect"
	"conch/mcp/connect/apps"
	"conch/mcp/pair"
	"conch/mcp/wire"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const desk = `
-- screen --
display main 640x400
app org.xfce.mousepad "Mousepad"
window 1 "notes.txt - Mousepad" org.xfce.mousepad 0,0 400x300 name "Mousepad" front { field body 20,40 360x200 focused }
`

// rig is a running Conch with the page, for a person whose apps are in a home of their own.
type rig struct {
	t    *testing.T
	s    *Service
	gw   *gateway.Gateway
	reg  *pair.Registry
	dir  *state.Dir
	srv  *httptest.Server
	page *http.Client
	home string
	runs *processes
	// later is how far the gateway's clock is ahead.
	later atomic.Int64
}

// processes are what runs on the rig's computer; without a list that isn't known.
type processes struct{ list []apps.Program }

func (p *processes) Programs() ([]apps.Program, error) {
	if p.list == nil {
		return nil, errors.New("not known")
	}
	return p.list, nil
}

// newRig is one whose person just confirmed that it's them, in the system's way.
func newRig(t *testing.T) *rig {
	t.Helper()
	r := openRig(t, func(context.Context, string) error { return nil })
	r.press("POST", "/api/confirm", `{"what":"pair"}`, http.StatusNoContent, nil)
	return r
}

// openRig is one whose person confirmed nothing. Without a prompt of the system's they do that with a password.
func openRig(t *testing.T, prompt confirm.Prompt) *rig {
	t.Helper()
	r := &rig{t: t, home: t.TempDir(), runs: &processes{}}
	var err error
	if r.dir, err = state.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	var door *mcp.Door
	r.reg, err = pair.Open(r.dir, pair.Options{
		Changed: func(id string) {
			if door != nil {
				door.Changed(id)
			}
		},
		Proved: func(id string) { r.s.Proved(id) },
	})
	if err != nil {
		t.Fatal(err)
	}
	launcher := r.dir.Path("mcp/launcher")
	relink := func() (bool, error) { return true, os.WriteFile(launcher, []byte("#!/bin/sh\n"), 0o700) }
	if err := os.MkdirAll(filepath.Dir(launcher), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := relink(); err != nil {
		t.Fatal(err)
	}
	r.s = New(Options{
		State: r.dir, Clients: r.reg, Relink: relink, Version: "1.2.3",
		Connect: &connect.Connector{Launcher: launcher, Env: apps.Env{
			OS: apps.Linux, Home: r.home, Getenv: func(string) string { return "" },
			LookPath: func(string) (string, error) { return "", errors.New("not found") }, Processes: r.runs,
		}},
	})
	r.gw, err = gateway.New(t.Context(), gateway.Config{
		State: r.dir, Engine: byhand.Engine{}, Driver: fake.New(t, desk), Checks: r.s.Checks(), Confirm: prompt,
		Now: func() time.Time { return time.Now().Add(time.Duration(r.later.Load())) },
	})
	if err != nil {
		t.Fatal(err)
	}
	door = mcp.New(mcp.Options{Gateway: r.gw, Clients: r.reg, Version: "1.2.3"})
	door.Mount(r.gw)
	r.s.Mount(r.gw)
	r.srv = httptest.NewServer(r.gw.Handler())
	jar, _ := cookiejar.New(nil)
	r.page = &http.Client{Jar: jar, Transport: &http.Transport{}}
	t.Cleanup(func() {
		r.page.CloseIdleConnections()
		for _, err := range []error{door.Close(context.Background()), r.gw.Close(context.Background()), r.dir.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
		r.srv.Close()
	})
	r.press("POST", "/api/here", `{"code":"`+r.gw.NewCode()+`"}`, http.StatusNoContent, nil)
	return r
}

func (r *rig) do(c *http.Client, method, path, body string, h http.Header) (int, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.srv.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for k, v := range h {
		req.Header[k] = v
	}
	res, err := c.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// press does something on a page, as the person, and reads the answer.
func (r *rig) press(method, path, body string, want int, out any) string {
	r.t.Helper()
	status, data := r.do(r.page, method, path, body, nil)
	if status != want {
		r.t.Fatalf("%s %s: %d %s", method, path, status, data)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(data), out); err != nil {
			r.t.Fatal(err)
		}
	}
	return data
}

// write puts an app's settings where they are looked for.
func (r *rig) write(app, text string) string {
	r.t.Helper()
	a, ok := apps.ByID(app)
	if !ok {
		r.t.Fatal(app)
	}
	file := a.File(r.s.opt.Connect.Env)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		r.t.Fatal(err)
	}
	return file
}

func (r *rig) read(file string) string {
	r.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

// connect connects a known app as a person does on the page.
func (r *rig) connect(app, way, scopes string) (p planAnswer, c connected) {
	r.t.Helper()
	r.press("POST", "/api/other-apps/plan", `{"app":"`+app+`"}`, http.StatusOK, &p)
	r.press("POST", "/api/other-apps", `{"plan":"`+p.Plan+`","way":"`+way+`","scopes":[`+scopes+`],"mode":"ask"}`, http.StatusOK, &c)
	return p, c
}

func (r *rig) row(app string) web.AppRow {
	r.t.Helper()
	for _, row := range r.s.List(r.t.Context()).Found {
		if row.App == app {
			return row
		}
	}
	r.t.Fatalf("%s isn't on the page", app)
	return web.AppRow{}
}

// come has an app's launcher prove itself, as it does when the app starts.
func (r *rig) come(id string) {
	r.t.Helper()
	key, err := r.dir.Get(wire.KeyFile(id))
	if err != nil {
		r.t.Fatal(err)
	}
	nonce, err := r.reg.Nonce(id)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, _, err := r.reg.Session(id, nonce, wire.Proof(wire.Key(key), id, nonce)); err != nil {
		r.t.Fatal(err)
	}
}

const cursorHad = `{
  "mcpServers": {
    "other": {"command": "/usr/bin/other", "args": []}
  }
}
`

// A person connects an app, uses it, connects it again, changes it and removes it; the file is as it was.
func TestConnectFromEndToEnd(t *testing.T) {
	r := newRig(t)
	file := r.write("cursor", cursorHad)
	if row := r.row("cursor"); row.State != web.AppConnect || row.Paired != nil {
		t.Fatalf("%+v", row)
	}
	p, c := r.connect("cursor", "settings", `"memory.read"`)
	if p.File != file || p.Left != "" || !p.Link || p.Bundle || !strings.Contains(p.Lines, p.Plan) || !strings.Contains(r.read(file), p.Lines) {
		t.Errorf("the plan was %+v, the file is\n%s", p, r.read(file))
	}
	if !strings.Contains(c.Say, "Quit Cursor") || c.Header != "" || c.ID != p.Plan {
		t.Errorf("%+v", c)
	}
	if row := r.row("cursor"); row.State != web.AppReopen || !slices.Equal(row.Paired.Uses, []string{"What Conch knows"}) {
		t.Errorf("%+v", row)
	}
	r.come(c.ID)
	if row := r.row("cursor"); row.State != web.AppOn || row.Say != "" {
		t.Errorf("after it came: %+v", row)
	}
	page := r.press("GET", web.PathApps, "", http.StatusOK, nil)
	if !strings.Contains(page, "Connected</span>") || !strings.Contains(page, `data-change-app="`+c.ID+`"`) || !strings.Contains(page, "Not on this computer: Claude Desktop") {
		t.Errorf("the page:\n%s", page)
	}

	// Again starts afresh: one entry, one pairing, and the old one is gone.
	_, again := r.connect("cursor", "settings", ``)
	if text := r.read(file); strings.Contains(text, c.ID) || strings.Count(text, again.ID) != 1 {
		t.Errorf("connected again:\n%s", text)
	}
	if _, there := r.reg.Get(c.ID); there || len(r.reg.List()) != 1 {
		t.Errorf("paired: %v", r.reg.List())
	}
	r.press("POST", "/api/other-apps/"+again.ID, `{"scopes":["skills"],"mode":"auto","remote":false}`, http.StatusNoContent, nil)
	if c, _ := r.reg.Get(again.ID); !slices.Equal(c.Scopes, []string{"skills"}) || c.Mode != "auto" {
		t.Errorf("%+v", c)
	}
	r.press("POST", "/api/other-apps/"+again.ID, `{"scopes":["browser"],"mode":"auto"}`, http.StatusBadRequest, nil)
	var out removed
	r.press("DELETE", "/api/other-apps/"+again.ID, "", http.StatusOK, &out)
	if r.read(file) != cursorHad || len(r.reg.List()) != 0 || out.Next != "" {
		t.Errorf("%+v, paired %v, the file:\n%s", out, r.reg.List(), r.read(file))
	}
	r.press("DELETE", "/api/other-apps/"+again.ID, "", http.StatusNotFound, nil)
}

// A key shows once, and works.
func TestAnotherApp(t *testing.T) {
	r := newRig(t)
	var c, l connected
	r.press("POST", "/api/other-apps", `{"way":"http","name":"  My\nlab  ","scopes":["skills"],"mode":"ask"}`, http.StatusOK, &c)
	bearer := strings.TrimPrefix(c.Header, "Authorization: ")
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	h := http.Header{"Authorization": {bearer}, "Accept": {"application/json, text/event-stream"}}
	plain := &http.Client{Transport: &http.Transport{}}
	defer plain.CloseIdleConnections()
	if status, data := r.do(plain, "POST", strings.TrimPrefix(c.Address, r.srv.URL), list, h); status != http.StatusOK || !strings.Contains(data, "skill") {
		t.Errorf("%s: %d %s", c.Address, status, data)
	}
	if page := r.press("GET", web.PathApps, "", http.StatusOK, nil); strings.Contains(page, "cmcp.") || !strings.Contains(page, "Mylab") && !strings.Contains(page, "My lab") {
		t.Errorf("the page:\n%s", page)
	}
	r.press("POST", "/api/other-apps", `{"way":"launcher","name":"Editor","scopes":[],"mode":"ask"}`, http.StatusOK, &l)
	if !strings.Contains(l.Lines, l.ID) || strings.Contains(l.Lines, "cmcp.") || l.Header != "" {
		t.Errorf("%+v", l)
	}
	r.press("POST", "/api/other-apps", `{"way":"ftp","name":"Editor","scopes":[],"mode":"ask"}`, http.StatusBadRequest, nil)
	r.press("POST", "/api/other-apps", `{"way":"http","name":"","scopes":[],"mode":"ask"}`, http.StatusBadRequest, nil)
	r.press("POST", "/api/other-apps", `{"way":"http","name":"x","scopes":[],"mode":""}`, http.StatusBadRequest, nil)
}

// An app that can't be written to, one that adds Conch itself, and one that installs a file.
func TestOtherWays(t *testing.T) {
	r := newRig(t)
	const broken = `{ "mcpServers": { oops`
	file := r.write("cursor", broken)
	p, c := r.connect("cursor", "hand", ``)
	if p.Left == "" || p.Lines == "" || c.Lines != p.Lines || !strings.Contains(c.Lines, c.ID) || r.read(file) != broken {
		t.Errorf("%+v %+v", p, c)
	}
	if row := r.row("cursor"); row.State != web.AppWaits {
		t.Errorf("%+v", row)
	}
	r.come(c.ID)
	if row := r.row("cursor"); row.State != web.AppOn {
		t.Errorf("%+v", row)
	}
	r.press("POST", "/api/other-apps", `{"plan":"`+p.Plan+`","way":"settings","scopes":[],"mode":"ask"}`, http.StatusConflict, nil) // used up

	r.write("lm-studio", `{}`)
	_, c = r.connect("lm-studio", "link", ``)
	if !strings.HasPrefix(c.Link, "lmstudio://") || r.row("lm-studio").State != web.AppWaits {
		t.Errorf("%+v %+v", c, r.row("lm-studio"))
	}
	r.press("POST", "/api/other-apps/plan", `{"app":"zed"}`, http.StatusOK, &p)
	r.press("POST", "/api/other-apps", `{"plan":"`+p.Plan+`","way":"bundle","scopes":[],"mode":"ask"}`, http.StatusBadRequest, nil)
	r.press("POST", "/api/other-apps/plan", `{"app":"notepad"}`, http.StatusNotFound, nil)

	_, c = r.connect("claude-desktop", "bundle", ``)
	data := r.press("GET", c.Bundle, "", http.StatusOK, nil)
	z, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
	if err != nil || len(z.File) < 2 || z.File[0].Name != "manifest.json" {
		t.Fatalf("%v", err)
	}
	if strings.Contains(data, "cmcp.") {
		t.Error("a key is in the file")
	}
	r.press("GET", "/api/other-apps/aaaaaaaaaaaaaaaa/bundle", "", http.StatusNotFound, nil)
}

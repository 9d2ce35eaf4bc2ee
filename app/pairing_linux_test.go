package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/gateway"
	"conch/gateway/engine/byhand"
	"conch/gateway/state"
	"conch/gateway/web/webtest"
	"conch/mcp/connect/apps"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// paired is a Conch with its door and the page for other apps, for a person with a home of their own.
type paired struct {
	*testing.T
	gw   *gateway.Gateway
	door *door
	srv  *httptest.Server
	home string
	away func() // what leaves the page before Conch ends
}

// below are the programs of a folder, so that what else runs on the machine that tests says nothing.
type below struct {
	folder string
	all    apps.Processes
}

func (b below) Programs() (out []apps.Program, err error) {
	all, err := b.all.Programs()
	out = []apps.Program{}
	for _, p := range all {
		if strings.HasPrefix(p.File, b.folder+"/") {
			out = append(out, p)
		}
	}
	return out, err
}

func openPaired(t *testing.T) *paired {
	t.Helper()
	p := &paired{T: t, home: t.TempDir(), away: func() {}}
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	nowhere := func(string) (string, error) { return "", errors.New("not found") }
	env := apps.Env{
		OS: apps.Linux, Home: p.home, Getenv: func(string) string { return "" }, LookPath: nowhere, Processes: below{p.home, programs{}},
	}
	if p.door, err = newDoor(dir, env, nil, quiet()); err != nil {
		t.Fatal(err)
	}
	p.gw, err = gateway.New(t.Context(), gateway.Config{State: dir, Engine: byhand.Engine{}, Checks: p.door.apps.Checks(), Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	p.door.open(p.gw, quiet())
	p.srv = httptest.NewServer(p.gw.Handler())
	t.Cleanup(func() {
		p.away()
		if err := errors.Join(p.door.close(context.Background()), p.gw.Close(context.Background()), dir.Close()); err != nil {
			t.Error(err)
		}
		p.srv.Close()
	})
	return p
}

// write puts an app's settings where they are looked for, and says where that is.
func (p *paired) write(file, text string) string {
	p.Helper()
	file = filepath.Join(p.home, file)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		p.Fatal(err)
	}
	return file
}

// Without a password yet the person is led to one and on to what they pressed, with the keyboard alone. What they chose
// before stays, also when they change their mind and come back.
func TestPairingPage(t *testing.T) {
	b := webtest.Open(t)
	b.Set(webtest.Looks[0])
	p := openPaired(t)
	p.away = func() { b.Go("about:blank") }
	file := p.write(".cursor/mcp.json", "{}")
	press := func(css, key string) {
		t.Helper()
		b.Until(`(e => e && (e.focus(), document.activeElement === e))(document.querySelector('` + css + `'))`)
		b.Do(chromedp.KeyEvent(key))
	}
	open := func(id string) string { return `document.getElementById("` + id + `").open` }
	typing := func(id string) string {
		return open(id) + ` && document.activeElement === document.querySelector("#` + id + ` input")`
	}

	arrive := func() {
		t.Helper()
		b.Go(p.srv.URL + "/settings/apps#here=" + p.gw.NewCode())
		b.Until(`document.getElementById("other-apps") !== null && "ready" in document.body.dataset`)
	}
	arrive()
	press(`[data-connect-app="cursor"]`, kb.Enter)
	b.Until(open("app-sheet"))
	press(`#app-sheet [value="skills"]`, " ")
	press(`#app-sheet [value="auto"]`, " ")
	b.Do(chromedp.KeyEvent(kb.Enter)) // Enter in a form is its button: Connect
	b.Until(typing("password-set"))
	shoot(t, b, "pairing-password")
	if source := webtest.AxeSource(t); source != "" {
		for _, f := range b.Axe(source) {
			t.Errorf("%+v", f)
		}
	}
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`!` + open("password-set") + ` && ` + open("app-sheet") + ` && document.activeElement.value === "auto" && !document.querySelector("#app-sheet [aria-busy]")`)
	press(`#app-sheet [value="yes"]`, kb.Enter)
	b.Until(typing("password-set"))
	b.Do(chromedp.KeyEvent("short"), chromedp.KeyEvent(kb.Enter))
	b.Until(open("password-set")) // the browser itself says that it is too short
	b.Do(chromedp.KeyEvent(" horse of mine"), chromedp.KeyEvent(kb.Enter))
	b.Until(`!` + open("password-set") + ` && !` + open("app-sheet") + ` && document.getElementById("toasts").textContent.includes("Cursor is connected.")`)
	b.Until(`document.activeElement.dataset.changeApp !== undefined && document.activeElement.closest("[data-known-app=cursor]") !== null`)
	all := p.door.clients.List()
	if len(all) != 1 || !all[0].May("skills") || len(all[0].Scopes) != 1 || all[0].Mode != "auto" {
		t.Fatalf("%+v", all)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), all[0].ID) {
		t.Errorf("%s %v", text, err)
	}

	// It counts for ten minutes: giving more asks nothing now.
	press(`[data-change-app]`, kb.Enter)
	b.Until(open("app-sheet"))
	press(`#app-sheet [value="memory.read"]`, " ")
	press(`#app-sheet [value="yes"]`, kb.Enter)
	b.Until(`!` + open("app-sheet") + ` && document.querySelector("[data-change-app]").dataset.scopes === "memory.read skills"`)
	b.Until(`document.activeElement.dataset.changeApp !== undefined`)

	// In another browser of the person's it is asked for, and taking away asks nothing.
	b.Do(chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, "Network.clearBrowserCookies", nil, nil)
	}))
	b.Go("about:blank")
	arrive()
	press(`[data-change-app]`, kb.Enter)
	press(`#app-sheet [value="trust"]`, " ")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(typing("confirm-you"))
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`!` + open("confirm-you") + ` && ` + open("app-sheet") + ` && !document.querySelector("#app-sheet [aria-busy]")`)
	press(`#app-sheet [value="plan"]`, " ")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`!` + open("app-sheet") + ` && document.querySelector("[data-change-app]").dataset.mode === "plan"`)
	press(`[data-remove-paired]`, kb.Enter)
	b.Until(open("app-remove"))
	press(`#app-remove [value="yes"]`, kb.Enter)
	b.Until(`document.activeElement.dataset.connectApp === "cursor"`)
	if n := len(p.door.clients.List()); n != 0 {
		t.Errorf("%d apps are paired", n)
	}
	if faults := b.Faults(); faults != "" {
		t.Error(faults)
	}
}

// An app that writes its own settings is seen to be open, and what it wrote over Conch's lines is put right at once
// when it quits. The app is a real program of that name.
func TestOpenAppIsSeen(t *testing.T) {
	p := openPaired(t)
	file := p.write(".config/Claude/claude_desktop_config.json", `{"theme":"dark"}`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel() // before the door is closed, which waits for it
	p.door.apps.Start(ctx)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	page := &browser{origin: p.srv.URL, client: http.Client{Jar: jar}}
	defer page.client.CloseIdleConnections()
	post := func(path, body string, out any) {
		t.Helper()
		if err := page.ask(path, body, out); err != nil {
			t.Fatal(err)
		}
	}
	post("/api/here", `{"code":"`+p.gw.NewCode()+`"}`, nil)
	post("/api/password", `{"password":"correct horse"}`, nil)
	post("/api/confirm", `{"what":"pair","password":"correct horse"}`, nil)
	var plan struct {
		Plan  string `json:"plan"`
		First string `json:"first"`
	}
	look := func() string {
		t.Helper()
		post("/api/other-apps/plan", `{"app":"claude-desktop"}`, &plan)
		return plan.First
	}
	if first := look(); first != "" {
		t.Errorf("while it is closed: %s", first)
	}
	quit := p.start("usr/lib/claude-desktop/claude-desktop")
	if first := look(); !strings.HasPrefix(first, "Claude Desktop is open.") {
		t.Errorf("while it is open: %s", first)
	}
	var done struct {
		ID  string `json:"id"`
		Say string `json:"say"`
	}
	post("/api/other-apps", `{"plan":"`+plan.Plan+`","way":"settings","scopes":[],"mode":"ask"}`, &done)
	if !strings.Contains(done.Say, "it may write over Conch’s lines") {
		t.Error(done.Say)
	}
	if row := p.door.apps.List(t.Context()).Found[0]; !strings.Contains(row.Say, "It is open") {
		t.Errorf("%+v", row)
	}
	p.write(".config/Claude/claude_desktop_config.json", `{"theme":"light"}`)
	if row := p.door.apps.List(t.Context()).Found[0]; !strings.Contains(row.Say, "is open and writes over them: quit it first") {
		t.Errorf("%+v", row)
	}
	quit()
	if err := eventually(patience, func() error {
		text, err := os.ReadFile(file)
		if err == nil && !strings.Contains(string(text), done.ID) {
			err = errors.New("the lines aren't back: " + string(text))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if row := p.door.apps.List(t.Context()).Found[0]; strings.Contains(row.Say, "It is open") {
		t.Errorf("%+v", row)
	}
}

// start runs a program at a path in the home, until it is told to quit.
func (p *paired) start(path string) (quit func()) {
	p.Helper()
	cat, err := exec.LookPath("cat")
	if err != nil {
		p.Fatal(err)
	}
	program, err := os.ReadFile(cat)
	if err != nil {
		p.Fatal(err)
	}
	path = p.write(path, string(program))
	if err := os.Chmod(path, 0o700); err != nil {
		p.Fatal(err)
	}
	cmd := exec.CommandContext(p.Context(), path)
	in, err := cmd.StdinPipe()
	if err != nil {
		p.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	// It has begun once it says what it was told.
	if _, err := io.WriteString(in, "x"); err != nil {
		p.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		p.Fatal(err)
	}
	return func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			p.Error(err)
		}
	}
}

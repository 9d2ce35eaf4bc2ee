package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/driver/x11/xserver"
	"conch/gateway/engine/program/programtest"
	"conch/gateway/web/webtest"

	"github.com/chromedp/chromedp"
)

// reader is an app of the person's that reads the settings which Conch writes: the real one, which is asked.
type reader struct {
	app, file string   // file is its settings, in the home folder
	own       []string // how it is made to write settings of its own
	see       []string // how it is asked
	seen      string   // what it says in the line of a server that it reaches; Codex tries none
}

func readers() []reader {
	return []reader{
		{"claude-code", ".claude.json", []string{"claude", "mcp", "add", "-s", "user", "other", "--", "/bin/true", "x"}, []string{"claude", "mcp", "get", "conch"}, "Connected"},
		{"codex", ".codex/config.toml", []string{"codex", "mcp", "add", "other", "--", "/bin/true", "x"}, []string{"codex", "mcp", "list"}, "enabled"},
		{"gemini-cli", ".gemini/settings.json", []string{"gemini", "mcp", "add", "-s", "user", "other", "/bin/true", "x"}, []string{"gemini", "mcp", "list"}, "Connected"},
	}
}

// Line 2 of what issue 6 must show. The person's own apps, as npm brings them, see Conch connected after Connect on the
// page, through the real launcher, and gone after Remove; what they wrote into their settings stays to the byte.
func TestRealConnect(t *testing.T) {
	bin := filepath.Dir(programtest.Path(t, "claude"))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	d := newDesk(t, xserver.Options{})
	home := valueOf(d.x.Env(), "HOME")
	d.home = filepath.Join(home, ".conch") // where a launcher looks that nobody tells
	d.start(true)
	b := webtest.Open(t)
	b.Set(webtest.Looks[0])
	d.open(b, "/settings/apps")
	for i, r := range readers() {
		t.Run(r.app, func(t *testing.T) {
			one, page := d.as(t), b.For(t)
			r.run(t, home, r.own)
			r.sees(t, home, false)
			before := r.settings(t, home) // asking may write too
			one.connects(page, r.app, i == 0)
			after := r.settings(t, home)
			if !strings.Contains(after, "--client") || strings.Contains(after, "cmcp") {
				t.Errorf("its settings: %s", after)
			}
			r.sees(t, home, true)
			wrote := r.settings(t, home) != after
			one.removes(page, r.app)
			if got := r.settings(t, home); !wrote && got != before {
				t.Errorf("it had %s\nnow it has %s", before, got)
			}
			r.sees(t, home, false)
		})
	}
	if faults := b.Faults(); faults != "" {
		t.Errorf("the page: %s", faults)
	}
}

// run runs one of its commands.
func (r reader) run(t *testing.T, home string, args []string) string {
	t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args[1:]...)
	cmd.Dir = home
	// Gemini CLI starts nothing in a folder that nobody said it may trust.
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1", "GEMINI_CLI_TRUST_WORKSPACE=true"}
	out, err := cmd.CombinedOutput()
	t.Logf("%s: %v\n%s", strings.Join(args, " "), err, out)
	return string(out)
}

// sees asks it for Conch.
func (r reader) sees(t *testing.T, home string, want bool) {
	t.Helper()
	got := false
	for line := range strings.Lines(r.run(t, home, r.see)) {
		got = got || strings.Contains(line, r.seen) && !strings.Contains(line, "other")
	}
	if got != want {
		t.Errorf("it says that Conch is connected: %v", got)
	}
}

func (r reader) settings(t *testing.T, home string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(home, r.file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// connects connects an app on the page. The first one takes that the person sets a password.
func (d *desk) connects(b *webtest.Browser, app string, first bool) {
	d.t.Helper()
	b.Go(d.at("/settings/apps"))
	press(b, `[data-connect-app="`+app+`"]`)
	b.Until(`document.getElementById("app-sheet").open && document.querySelector("[data-plan=lines]").textContent.includes("conch")`)
	press(b, `#app-sheet [value="memory.read"]`)
	press(b, `#app-sheet [value="yes"]`)
	if first {
		b.Until(`document.getElementById("password-set").open`)
		b.Do(chromedp.SendKeys(chromedp.CSS("#password-set [name=password]"), "correct horse"))
		press(b, "#password-set [value=yes]")
	}
	b.Until(`!document.getElementById("app-sheet").open && document.querySelector('[data-known-app="` + app + `"] [data-remove-paired]')`)
}

func (d *desk) removes(b *webtest.Browser, app string) {
	d.t.Helper()
	press(b, `[data-known-app="`+app+`"] [data-remove-paired]`)
	b.Until(`document.getElementById("app-remove").open`)
	press(b, `#app-remove [value="yes"]`)
	b.Until(`document.querySelector('[data-connect-app="` + app + `"]')`)
}

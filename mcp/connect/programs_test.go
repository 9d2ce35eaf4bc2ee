package connect_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/mcp/connect/apps"
)

// TestRealSettings asks the real programs what they see in the settings that Conch wrote. They aren't everywhere,
// and starting them may reach their makers, so it runs only where CONCH_PROGRAMS names the folder they are in.
func TestRealSettings(t *testing.T) {
	bin := os.Getenv("CONCH_PROGRAMS")
	if bin == "" {
		t.Skip("CONCH_PROGRAMS is not set: the folder with claude, codex and gemini")
	}
	for _, c := range []struct {
		app  string
		own  [][]string // how the program is made to write settings of its own
		more [][]string // and once more
		see  []string   // how it is asked for ours
		list []string   // and for all
	}{
		{
			"claude-code",
			[][]string{{"claude", "mcp", "add", "-s", "user", "other", "--", "/bin/true", "x"}},
			[][]string{{"claude", "mcp", "add", "-s", "user", "third", "--", "/bin/true", "y"}},
			[]string{"claude", "mcp", "get", "conch"},
			[]string{"claude", "mcp", "list"},
		},
		{
			"codex",
			[][]string{{"codex", "mcp", "add", "other", "--", "/bin/true", "x"}},
			[][]string{{"codex", "mcp", "add", "third", "--", "/bin/true", "y"}},
			[]string{"codex", "mcp", "list"},
			[]string{"codex", "mcp", "list"},
		},
		{
			"gemini-cli",
			[][]string{{"gemini", "mcp", "add", "-s", "user", "other", "/bin/true", "x"}},
			[][]string{{"gemini", "mcp", "add", "-s", "user", "third", "/bin/true", "y"}},
			[]string{"gemini", "mcp", "list"},
			[]string{"gemini", "mcp", "list"},
		},
	} {
		t.Run(c.app, func(t *testing.T) {
			for _, own := range []bool{false, true} {
				b := newBench(t, apps.Linux, c.app)
				b.Launcher = filepath.Join(b.Env.Home, "conch")
				script := "#!/bin/sh\ntouch \"$HOME/started\"\nexec cat >/dev/null\n"
				if err := os.WriteFile(b.Launcher, []byte(script), 0o700); err != nil {
					t.Fatal(err)
				}
				work := filepath.Join(b.Env.Home, "work")
				if err := os.MkdirAll(work, 0o700); err != nil {
					t.Fatal(err)
				}
				program := func(args ...string) string {
					cmd := exec.CommandContext(t.Context(), filepath.Join(bin, args[0]), args[1:]...)
					cmd.Dir = work
					cmd.Env = []string{"HOME=" + b.Env.Home, "PATH=" + bin + ":" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1"}
					out, err := cmd.CombinedOutput()
					t.Logf("%s: %v\n%s", strings.Join(args, " "), err, out)
					return string(out)
				}
				if own {
					for _, args := range c.own {
						program(args...)
					}
					t.Logf("its own settings:\n%s", b.text())
				}
				before := b.text()
				if own == (before == "(none)") {
					t.Errorf("own %v: %s", own, before)
				}
				if out := program(c.see...); strings.Contains(out, b.Launcher) {
					t.Errorf("seen before it is there: %s", out)
				}
				before = b.text() // asking may write too
				r := b.connect("c-1")
				after := b.text()
				t.Logf("with the entry:\n%s", after)
				if out := program(c.see...); !strings.Contains(out, b.Launcher) || !strings.Contains(out, "launcher --client c-1") {
					t.Errorf("not seen: %s", out)
				}
				wrote := b.text() != after
				t.Logf("the program wrote its settings meanwhile: %v\n%s", wrote, b.text())
				b.remove("c-1", r.Receipt)
				if !wrote {
					b.is(before)
				}
				if out := program(c.see...); strings.Contains(out, b.Launcher) {
					t.Errorf("still seen: %s", out)
				}
				// Now the program writes the file anew with ours in it.
				r = b.connect("c-1")
				for _, args := range c.more {
					program(args...)
				}
				t.Logf("written by both:\n%s", b.text())
				if f := b.found(); len(f) != 1 {
					t.Errorf("found %+v", f)
				}
				b.remove("c-1", r.Receipt)
				t.Logf("ours taken out:\n%s", b.text())
				if out := program(c.list...); strings.Contains(out, b.Launcher) || !strings.Contains(out, "third") || own && !strings.Contains(out, "other") {
					t.Errorf("ours is seen, or theirs isn't: %s", out)
				}
			}
		})
	}
}

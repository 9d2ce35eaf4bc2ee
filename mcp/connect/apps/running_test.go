package apps_test

import (
	"errors"
	"testing"

	"conch/mcp/connect/apps"
)

type runs []apps.Program

func (r runs) Programs() ([]apps.Program, error) {
	if r == nil {
		return nil, errors.New("not known")
	}
	return r, nil
}

// Which programs are which app, as they show among all that runs.
func TestRunning(t *testing.T) {
	claude := "/usr/lib/claude-desktop/node_modules/electron/dist/electron"
	for _, c := range []struct {
		file string
		args []string
		want string // the app; empty is none
	}{
		{"/Applications/Claude.app/Contents/MacOS/Claude", []string{"/Applications/Claude.app/Contents/MacOS/Claude"}, "claude-desktop"},
		{"/usr/bin/claude-desktop", nil, "claude-desktop"},
		{"/usr/bin/bash", []string{"/bin/bash", "/usr/bin/claude-desktop"}, "claude-desktop"},
		{claude, []string{claude, "--no-sandbox", "/usr/lib/claude-desktop/app.asar"}, "claude-desktop"},
		{"/usr/lib/electron39/electron", []string{"electron", "--x", "/home/a/.local/share/claude-desktop/app.asar"}, "claude-desktop"},
		{"/tmp/.mount_claudeAw0754/usr/lib/node_modules/electron/dist/electron", []string{"electron"}, "claude-desktop"},
		{"", []string{"/usr/bin/claude-desktop"}, "claude-desktop"},
		// A helper of it that goes on when it has quit.
		{claude, []string{claude, "/usr/lib/claude-desktop/app.asar.unpacked/cowork-vm-service.js"}, ""},
		{"/home/a/.local/share/claude/versions/2.1.0", []string{"claude"}, "claude-code"},
		{"/usr/bin/node", []string{"claude"}, "claude-code"},
		{"/usr/bin/node", []string{"node", "--max-old-space-size=4096", "/usr/local/bin/claude", "-p"}, "claude-code"},
		{"/opt/homebrew/bin/claude", []string{"claude", "mcp", "list"}, "claude-code"},
		// Programs that only name one.
		{"/usr/bin/vim", []string{"vim", "/usr/bin/claude"}, ""},
		{"/usr/bin/grep", []string{"grep", "claude-desktop"}, ""},
		{"/home/a/src/claude-desktop/build", []string{"./build"}, ""},
		{"/home/a/claude/server", []string{"server", "--client", "claude"}, ""},
		{"/usr/bin/node", []string{"node", "/home/a/claude/server.js"}, ""},
		{"/opt/conch/conch-launcher", []string{"/home/a/.conch/mcp/launcher", "launcher", "--client", "claude"}, ""},
		{"/usr/bin/node", []string{"node"}, ""},
		{"", nil, ""},
	} {
		e := env(apps.Linux, t.TempDir(), nil)
		e.Processes = runs{{File: c.file, Args: c.args}}
		for _, a := range apps.All() {
			want := apps.Closed
			if a.ID == c.want {
				want = apps.Open
			}
			if got := a.Running(e); got != want {
				t.Errorf("%s %q: %s is %d, want %d", c.file, c.args, a.ID, got, want)
			}
		}
	}
	a := apps.All()[0]
	e := env(apps.Linux, t.TempDir(), nil)
	if got := a.Running(e); got != apps.Unknown {
		t.Errorf("nobody tells what runs: %d", got)
	}
	e.Processes = runs(nil)
	if got := a.Running(e); got != apps.Unknown {
		t.Errorf("it can't be told: %d", got)
	}
	e.Processes = runs{}
	if got := a.Running(e); got != apps.Closed {
		t.Errorf("nothing runs: %d", got)
	}
}

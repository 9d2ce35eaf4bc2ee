package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// conch is the real program, built and started for a test.
type conch struct {
	t       *testing.T
	cmd     *exec.Cmd
	program string
	env     []string
	opened  string // the file that the last page was opened with, where there is a display
}

// startConch builds the program and starts it in a folder of its own, with nothing of this environment but
// what env says. It ends with the test.
func startConch(t *testing.T, env ...string) *conch {
	t.Helper()
	dir := t.TempDir()
	c := &conch{t: t, program: filepath.Join(dir, "conch"), opened: filepath.Join(dir, "opened.html")}
	if out, err := exec.Command("go", "build", "-o", c.program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := fakeOpener(dir); err != nil {
		t.Fatal(err)
	}
	c.env = append([]string{
		"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir, "CONCH_HOME=" + filepath.Join(dir, "home"), "OPENED=" + c.opened,
	}, env...)
	c.cmd = c.command("--no-open")
	c.cmd.Stderr = os.Stderr
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Signal(os.Interrupt)
		_ = c.cmd.Wait()
	})
	if err := eventually(patience, func() error { return c.ask(http.MethodGet, "/api/status", nil, nil) }); err != nil {
		t.Fatal(err)
	}
	return c
}

// dir is the folder that the program has as its home.
func (c *conch) dir() string { return filepath.Dir(c.program) }

func (c *conch) command(args ...string) *exec.Cmd {
	cmd := exec.Command(c.program, args...)
	cmd.Env = c.env
	return cmd
}

// run runs a sub-command and returns what it says.
func (c *conch) run(args ...string) string {
	c.t.Helper()
	out, err := c.command(args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("conch %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (c *conch) ask(method, path string, in, out any) error {
	p, err := c.peer()
	if err != nil {
		return err
	}
	return p.ask(c.t.Context(), method, path, in, out)
}

func (c *conch) peer() (*peer, error) {
	getenv := func(name string) string {
		for _, pair := range c.env {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	}
	return (&call{getenv: getenv}).findPeer(c.t.Context())
}

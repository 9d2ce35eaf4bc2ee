package e2e

import (
	"bytes"
	"errors"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"conch/driver/x11/xserver"
	"conch/gateway"
)

// greeting is what issue 2 wants typed, and sentence how it says so.
const (
	greeting = "héllo, мир 👋"
	sentence = `open Mousepad then type "` + greeting + `" then press ctrl+a`
)

// talk is one running sub-command.
type talk struct {
	d   *desk
	cmd *exec.Cmd

	mu  sync.Mutex
	out bytes.Buffer
}

func (k *talk) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.out.Write(p)
}

// String is what it printed so far.
func (k *talk) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.out.String()
}

// run starts a sub-command.
func (d *desk) run(args ...string) *talk {
	d.t.Helper()
	k := &talk{d: d, cmd: d.Command(args...)}
	k.cmd.Stdout, k.cmd.Stderr = k, k
	if err := k.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = k.cmd.Process.Kill() })
	return k
}

// ends waits for its end and wants this exit code.
func (k *talk) ends(code int) string {
	k.d.t.Helper()
	var exit *exec.ExitError
	if err := k.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		k.d.t.Fatal(err)
	}
	if got := k.cmd.ProcessState.ExitCode(); got != code {
		k.d.t.Errorf("%v ended with %d, want %d:\n%s", k.cmd.Args[1:], got, code, k)
	}
	return k.String()
}

func (k *talk) shows(pattern string) {
	k.d.t.Helper()
	if !regexp.MustCompile(pattern).MatchString(k.String()) {
		k.d.t.Errorf("the terminal doesn't show %q:\n%s", pattern, k)
	}
}

// Line 2 of what issue 2 must show: what is said in a terminal is really done, and each step is shown there.
func TestSay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, xserver.Options{WindowManager: "openbox", Bus: true}, "mousepad")
	e := newEditor(d)
	d.start(true, mousepad)
	keymap := d.keymap()

	k := d.run("say", sentence)
	k.ends(0)
	e.holds(greeting)
	if got := e.selected(); got != greeting {
		t.Errorf("after ctrl+a %q is selected", got)
	}
	k.shows(`(?m)^✓ .*Mousepad(.|\n)*^✓ .*(T|t)yp(.|\n)*^✓ .*(P|p)ress`)
	d.run("say", "open Mousepad then press ctrl+s").ends(0)
	e.saved(greeting)
	d.run("say", "open Mousepad then press ctrl+a then press Delete").ends(0)
	e.holds("")

	t.Run("asked", func(t *testing.T) { asked(t, d, e) })
	t.Run("conch stop", func(t *testing.T) {
		halted(t, d, e, func(*talk) {
			k := d.run("stop")
			k.ends(0)
			k.shows("(?i)stopped")
		})
	})
	t.Run("ctrl+c", func(t *testing.T) {
		halted(t, d, e, func(k *talk) {
			if err := k.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		})
	})
	idle := d.run("status")
	idle.ends(0)
	idle.shows(`runs at http://localhost:\d+`)
	nothing := d.run("stop")
	nothing.ends(0)
	nothing.shows("Nothing was using your computer")
	d.gone(keymap)
}

// asked runs the same line for a person who has not allowed the app before, and answers in their place.
func asked(t *testing.T, was *desk, e *editor) {
	d := *was
	d.t, d.home = t, t.TempDir()
	d.start(true)
	for _, answer := range []struct {
		choice string
		code   int
		shows  string
		holds  string
	}{{"no", 4, `Not allowed\.`, ""}, {"once", 0, `Allowed once\.`, greeting}} {
		k := d.run("say", sentence)
		var s gateway.Status
		d.until("it asks", func() bool { s = d.status(); return s.State == gateway.Asking })
		q := d.asked(s.Chat)
		if q.Text != "Use Mousepad on your computer?" {
			t.Errorf("it asks %q", q.Text)
		}
		if e.read() != "" {
			t.Error("it typed before it was allowed to")
		}
		d.do(http.MethodPost, "/api/questions/"+q.ID, map[string]string{"choice": answer.choice}, nil)
		k.ends(answer.code)
		k.shows(`\? Use Mousepad on your computer\?`)
		k.shows(answer.shows)
		e.holds(answer.holds)
	}
	d.run("say", "open Mousepad")
	var s gateway.Status
	d.until("another chat is asked anew", func() bool { s = d.status(); return s.State == gateway.Asking })
	d.run("stop").ends(0)
	d.until("nothing waits any more", func() bool { return d.status().State == gateway.Idle })
}

// halted stops a long typing while it is under way: nothing comes after, and nothing of it stays.
func halted(t *testing.T, was *desk, e *editor, stop func(*talk)) {
	d := *was
	d.t = t
	d.run("say", "open Mousepad then press ctrl+a then press Delete").ends(0)
	e.holds("")
	whole := long(3300) // a step types at most 20,000 characters
	k := d.run("say", `open Mousepad then type "`+whole+`"`)
	d.untilSaid(func() string { return "it types; the terminal shows\n" + k.String() }, func() bool { return e.read() != "" })
	if !strings.Contains(d.status().Say, "Typing") || d.edge() != 5 {
		t.Errorf("while it types: %+v, %d windows", d.status(), d.edge())
	}
	stop(k)
	k.ends(130)
	k.shows("■|You stopped this")
	n := e.cutOff(whole)
	d.until("the edge is gone", func() bool { return d.edge() == 0 })
	d.run("say", "look").ends(0)
	if got := e.read(); len(got) != n {
		t.Errorf("%d characters more were typed after it had stopped", len(got)-n)
	}
	if d.held() {
		t.Error("something is still held")
	}
}

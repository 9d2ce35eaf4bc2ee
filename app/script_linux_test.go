package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"conch/driver/x11/xserver"
	"conch/gateway"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if code, is := helper(os.Args[1:]); is {
		os.Exit(code)
	}
	testscript.Main(leaks{m}, map[string]func(){"conch": main})
}

// leaks looks for goroutines that the package's own tests left behind.
type leaks struct{ m *testing.M }

func (l leaks) Run() int {
	code := l.m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

// TestScripts runs the program as people run it. Each script has a Conch folder of its own, and whatever it
// leaves running is ended with it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("CONCH_HOME", filepath.Join(env.WorkDir, "conch"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector waits a second at each end otherwise
			bin := filepath.Join(env.WorkDir, ".fake")
			env.Setenv("OPENED", filepath.Join(env.WorkDir, "opened.html"))
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			return fakeOpener(bin)
		},
		Condition: func(cond string) (bool, error) {
			if cond != "x11" {
				return false, fmt.Errorf("no condition %q", cond)
			}
			err := xserver.Have("Xvfb", "openbox", "dbus-daemon", "mousepad")
			if err != nil && strings.Contains(os.Getenv("CONCH_REQUIRE"), "x11") {
				return false, err
			}
			return err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"running": isRunning, "turnon": turnOn, "awaitfile": awaitFile, "killhard": killHard, "remember": remember, "noleft": noLeft, "screenready": screenReady,
			"awaitstate": awaitState,
			"redeem":     redeem, "terminate": terminate, "terminal": terminal,
		},
	})
}

// fakeOpener puts an xdg-open into dir that keeps a copy of what it was asked to open, in $OPENED.
func fakeOpener(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	const script = "#!/bin/sh\ncp -- \"$1\" \"$OPENED.tmp\" && mv -- \"$OPENED.tmp\" \"$OPENED\"\n"
	return os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700)
}

func check(ts *testscript.TestScript, err error) {
	if err != nil {
		ts.Fatalf("%v", err)
	}
}

func scriptPeer(ts *testscript.TestScript) *peer {
	c := &call{getenv: ts.Getenv}
	p, err := c.findPeer(context.Background())
	check(ts, err)
	return p
}

// isRunning waits until Conch answers.
func isRunning(ts *testscript.TestScript, _ bool, _ []string) {
	c := &call{getenv: ts.Getenv}
	check(ts, eventually(patience, func() error {
		p, err := c.findPeer(context.Background())
		if err != nil {
			return err
		}
		return p.ask(context.Background(), http.MethodGet, "/api/status", nil, nil)
	}))
}

// turnOn turns using apps on, as a person does on the page.
func turnOn(ts *testscript.TestScript, _ bool, _ []string) {
	p := scriptPeer(ts)
	var got struct {
		Code string `json:"code"`
	}
	check(ts, p.ask(context.Background(), http.MethodPost, "/api/here/codes", struct{}{}, &got))
	b, err := newBrowser(p.Port, got.Code)
	check(ts, err)
	check(ts, b.post("/api/computer-use", `{"on":true}`))
}

// redeem takes the code out of a file that leads a browser to Conch and hands it in: once it works, or with
// “!” it must be refused.
func redeem(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	_, code, _ := strings.Cut(text, "#here=")
	code, _, _ = strings.Cut(code, `"`)
	_, err := newBrowser(scriptPeer(ts).Port, code)
	if neg == (err == nil) {
		ts.Fatalf("redeeming the code: %v", err)
	}
}

func awaitFile(ts *testscript.TestScript, _ bool, args []string) {
	check(ts, eventually(patience, func() error {
		_, err := os.Stat(ts.MkAbs(args[0]))
		return err
	}))
}

// terminate asks Conch to end, as a session's end does.
func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	process, err := os.FindProcess(scriptPeer(ts).PID)
	check(ts, err)
	check(ts, process.Signal(syscall.SIGTERM))
}

// screenReady waits until Conch can use its screen.
func screenReady(ts *testscript.TestScript, _ bool, _ []string) {
	p := scriptPeer(ts)
	check(ts, eventually(patience, func() error {
		var s gateway.Status
		err := p.ask(context.Background(), http.MethodGet, "/api/status", nil, &s)
		if err == nil && s.Screen != "" {
			err = errors.New(s.Screen)
		}
		return err
	}))
}

// awaitState waits until Conch is in a state of gateway.Status.
func awaitState(ts *testscript.TestScript, _ bool, args []string) {
	p := scriptPeer(ts)
	check(ts, eventually(patience, func() error {
		var s gateway.Status
		err := p.ask(context.Background(), http.MethodGet, "/api/status", nil, &s)
		if err == nil && string(s.State) != args[0] {
			err = fmt.Errorf("Conch is %s (%s)", s.State, s.Say)
		}
		return err
	}))
}

// remember writes the processes below Conch, which is what a practice desktop is made of, to $WORK/left.
func remember(ts *testscript.TestScript, _ bool, _ []string) {
	children, err := descendants(scriptPeer(ts).PID)
	check(ts, err)
	if len(children) < 5 {
		ts.Fatalf("Conch has only %d processes below it, so their end would prove nothing", len(children))
	}
	var list []string
	for _, pid := range children {
		list = append(list, strconv.Itoa(pid))
	}
	check(ts, os.WriteFile(ts.MkAbs("left"), []byte(strings.Join(list, " ")), 0o600))
}

// killHard ends Conch as a crash would.
func killHard(ts *testscript.TestScript, neg bool, args []string) {
	remember(ts, neg, args)
	process, err := os.FindProcess(scriptPeer(ts).PID)
	check(ts, err)
	check(ts, process.Kill())
}

// noLeft waits until none of the remembered processes is there any more.
func noLeft(ts *testscript.TestScript, _ bool, _ []string) {
	check(ts, eventually(patience, func() error {
		for _, pid := range strings.Fields(ts.ReadFile("left")) {
			if state, name := processState(pid); state != "" && state != "Z" {
				return fmt.Errorf("process %s (%s) is still there", pid, name)
			}
		}
		return nil
	}))
}

// processState reads the state and the name of a process; "" when it is gone.
func processState(pid string) (state, name string) {
	text, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return "", ""
	}
	open, end := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
	fields := strings.Fields(string(text[end+1:]))
	return fields[0], string(text[open+1 : end])
}

// descendants lists the processes below pid.
func descendants(pid int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	below := map[int][]int{}
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if errors.Is(err, os.ErrNotExist) || len(text) == 0 {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		parent, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, err
		}
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if err != nil {
			return nil, err
		}
		below[parent] = append(below[parent], child)
	}
	var all []int
	for next := below[pid]; len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, below[next[0]]...)
	}
	return all, nil
}

package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/app/internal/trial"
	"conch/driver/x11/xconn"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
	"conch/gateway"
	"conch/gateway/chat"
	"conch/gateway/leaktest"

	"github.com/go-json-experiment/json"
	"github.com/jezek/xgb/xproto"
	"go.uber.org/goleak"
)

// The ids of apps that the tests use.
const mousepad = "org.xfce.mousepad"

// patience is how long anything may take. A loaded machine is not an error.
const patience = 60 * time.Second

// binary is the program under test, built once, with the race detector as these tests are.
var binary func() (string, error)

func TestMain(m *testing.M) {
	xfixture.Main()
	assistantMain()
	dir, err := os.MkdirTemp("", "conch-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = sync.OnceValues(func() (string, error) {
		if _, err := trial.BuildLauncher(context.Background(), dir, "-race"); err != nil {
			return "", err
		}
		return trial.Build(context.Background(), dir, "-race")
	})
	leaktest.Main(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// desk is a private desktop, a person's folder, and Conch running for that person.
type desk struct {
	*trial.Conch
	t    *testing.T
	x    *xserver.Server // nil: the practice desktop is the only one
	conn *xconn.Conn
	root xproto.Window
	home string

	killed *bool // of the Conch that runs
}

// newDesk starts a desktop. Where a program is missing the test is skipped, or fails when CONCH_REQUIRE says so.
func newDesk(t *testing.T, o xserver.Options, programs ...string) *desk {
	t.Helper()
	if err := xserver.Have(programs...); err != nil {
		xtest.Missing(t, err)
	}
	d := &desk{t: t, x: xtest.Start(t, o), home: filepath.Join(t.TempDir(), "conch")}
	d.connect(d.x.Display(), d.x.Getenv)
	return d
}

// connect looks at a display as any other program can.
func (d *desk) connect(display string, getenv func(string) string) {
	d.t.Helper()
	conn, err := xconn.Dial(d.t.Context(), display, getenv)
	if err != nil {
		d.t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for {
			if ev, err := conn.WaitForEvent(); ev == nil && err == nil {
				return
			}
		}
	}()
	d.t.Cleanup(func() {
		conn.Close()
		<-read
	})
	d.conn, d.root = conn, conn.Screen.Root
}

// start starts Conch on the desktop. It ends with the test, and any complaint of its own fails it.
func (d *desk) start(on bool, allowed ...string) {
	d.t.Helper()
	bin, err := binary()
	if err != nil {
		d.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	c, err := trial.Start(ctx, trial.Options{Bin: bin, Home: d.home, Desktop: d.x, On: on, Allowed: allowed})
	if err != nil {
		d.t.Fatal(err)
	}
	killed := false
	d.Conch, d.killed = c, &killed
	d.t.Cleanup(func() {
		if err := c.Close(); err != nil && !killed {
			d.t.Error(err)
		}
		d.quiet(c)
	})
	d.until("the screen is ready", func() bool { return d.status().Screen == "" })
}

// quiet fails the test when a Conch has complained.
func (d *desk) quiet(c *trial.Conch) {
	d.t.Helper()
	for line := range strings.Lines(c.Output()) {
		for _, bad := range []string{"DATA RACE", "panic", "level=WARN", "level=ERROR"} {
			if strings.Contains(line, bad) && !strings.Contains(line, "turns were cut off when Conch ended last") {
				d.t.Fatalf("Conch printed %s:\n%s", bad, c.Output())
			}
		}
	}
}

// kill ends Conch as a crash would.
func (d *desk) kill() {
	d.t.Helper()
	*d.killed = true
	d.Kill()
	d.quiet(d.Conch)
}

// until asks again and again until is says yes.
func (d *desk) until(what string, is func() bool) {
	d.t.Helper()
	d.untilSaid(func() string { return what }, is)
}

func (d *desk) untilSaid(what func() string, is func() bool) {
	d.t.Helper()
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !is(); <-tick.C {
		if time.Now().After(end) {
			d.t.Fatalf("never seen: %s", what())
		}
	}
}

func (d *desk) do(method, path string, in, out any) {
	d.t.Helper()
	if err := d.Do(d.t.Context(), method, path, in, out); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) status() (s gateway.Status) {
	d.t.Helper()
	d.do(http.MethodGet, "/api/status", nil, &s)
	return s
}

// say starts a chat and returns its id.
func (d *desk) say(text string) string {
	d.t.Helper()
	id, err := d.Say(d.t.Context(), text)
	if err != nil {
		d.t.Fatal(err)
	}
	return id
}

// await follows a chat's log from its start until an event is one that is wanted.
func (d *desk) await(id, what string, want func(chat.Event) bool) chat.Event {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	body, err := d.Stream(ctx, "/api/chats/"+id+"/events")
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = body.Close() }()
	var seen strings.Builder
	for in := bufio.NewReader(body); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			d.t.Fatalf("the chat never had %s: %v\n%s", what, errors.Join(err, ctx.Err()), seen.String())
		}
		if len(line) <= 1 {
			continue
		}
		seen.Write(line)
		var e chat.Event
		if err := json.Unmarshal(line, &e); err != nil {
			d.t.Fatal(err)
		}
		if want(e) {
			return e
		}
	}
}

// ended waits until a chat's turn is over.
func (d *desk) ended(id string) chat.Event {
	d.t.Helper()
	return d.await(id, "an end", func(e chat.Event) bool { return e.Kind == chat.KindEnded })
}

// asked waits for a chat's question.
func (d *desk) asked(id string) chat.Event {
	d.t.Helper()
	return d.await(id, "a question", func(e chat.Event) bool { return e.Kind == chat.KindAsked })
}

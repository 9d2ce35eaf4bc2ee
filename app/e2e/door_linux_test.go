package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/app/internal/trial"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
	"conch/gateway"
	"conch/gateway/chat"
	"conch/gateway/web/webtest"
	"conch/mcp/pair"
)

// answerAfter is how long the person lets the question wait: longer than such an app waits for a call.
const answerAfter = 70 * time.Second

// Line 5 of what issue 6 must show. An app as Claude Desktop is one does a task on the practice desktop, and its person
// answers after 70 seconds: no call of it times out, it is done once, and what was typed is there.
func TestAnotherApp(t *testing.T) {
	t.Parallel()
	if err := xserver.Have("Xvfb", "openbox", "dbus-daemon", "mousepad"); err != nil {
		xtest.Missing(t, err)
	}
	after := answerAfter
	if testing.Short() {
		after = 0
	}
	d := &desk{t: t, home: filepath.Join(t.TempDir(), "conch")}
	client, _, err := trial.Pair(d.home, pair.Client{Name: "Claude Desktop", Kind: pair.Launcher, Scopes: []string{pair.Computer}, Mode: chat.Ask})
	if err != nil {
		t.Fatal(err)
	}
	d.start(true)
	b := webtest.Open(t)
	d.open(b, "/activity") // somebody is there

	heards := d.assistant(client)
	d.until("the person is asked", func() bool { return d.status().State == gateway.Asking })
	wait := time.NewTimer(after)
	defer wait.Stop()
	<-wait.C
	log := d.status()
	if log.State != gateway.Asking {
		t.Fatalf("the question didn't wait for the person: %+v", log)
	}
	q := d.asked(log.Chat)
	d.do("POST", "/api/questions/"+q.ID, map[string]string{"choice": "once"}, nil)

	got := <-heards
	var calls []string
	for _, h := range got {
		calls = append(calls, h.Call)
		t.Logf("%-10s %5.1f s  failed %v, picture %v: %.90s", h.Call, h.Seconds, h.Failed, h.Picture, h.Text)
		if h.Failed || h.Seconds >= assistantLimit.Seconds() {
			t.Errorf("%s: %.300s", h.Call, h.Text)
		}
	}
	want := []string{"initialize", "list", "open", "open", "type", "look"}
	if after == 0 {
		want = []string{"initialize", "list", "open", "type", "look"}
	}
	if !slices.Equal(calls, want) || !got[len(got)-1].Picture {
		t.Errorf("it made %v", calls)
	}
	get := getter(d.practiceEnv())
	e := &editor{d: d, bus: accessibility(d, get)}
	if e.text, err = find(e.bus, "mousepad", "text"); err != nil {
		t.Fatal(err)
	}
	e.holds(greeting)
	if faults := b.Faults(); faults != "" {
		t.Errorf("the page: %s", faults)
	}
}

// assistant starts the app and gives, once it has ended, all that it was answered.
func (d *desk) assistant(c pair.Client) <-chan []heard {
	d.t.Helper()
	launcher := filepath.Join(d.home, "mcp", "launcher")
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "CONCH_HOME=" + d.home, assistantEnv + "=" + launcher + " " + c.ID, "GORACE=atexit_sleep_ms=0"}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	all := make(chan []heard, 1)
	go func() {
		var got []heard
		defer func() { all <- got }()
		for in := bufio.NewReader(out); ; {
			line, err := in.ReadBytes('\n')
			if err != nil {
				break
			}
			var h heard
			if err := json.Unmarshal(line, &h); err != nil {
				d.t.Errorf("the app says %q", line)
			}
			got = append(got, h)
		}
		if err := cmd.Wait(); err != nil {
			d.t.Errorf("the app ended with %v: %s", err, errs.String())
		}
	}()
	d.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return all
}

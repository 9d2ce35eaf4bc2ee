package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
	"conch/gateway/web/webtest"
)

// Without a display Conch brings a practice desktop, and its page shows it live: what an app draws there, and
// what Conch does there.
func TestPractice(t *testing.T) {
	t.Parallel()
	if err := xserver.Have("Xvfb", "openbox", "dbus-daemon", "mousepad", "xterm"); err != nil {
		xtest.Missing(t, err)
	}
	d := &desk{t: t, home: filepath.Join(t.TempDir(), "conch")}
	d.start(true, mousepad)
	b := webtest.Open(t)
	b.Set(webtest.Looks[0])
	d.open(b, "/")
	ready := `document.getElementById("practice").dataset.state === "ready"`
	b.Until(ready)
	env := d.practiceEnv()
	get := getter(env)
	d.connect(get("DISPLAY"), get)

	// An app of its own draws something in a colour that nothing else has.
	p, err := xfixture.Start(env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	w, err := p.Open(xfixture.Spec{X: 300, Y: 200, W: 500, H: 300, Title: "Drawn", Class: "Drawn", Color: 0x00aa55})
	if err != nil {
		t.Fatal(err)
	}
	b.Until(green)
	if err := w.Paint(0xaa5500); err != nil {
		t.Fatal(err)
	}
	b.Until("!" + green)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	// And what Conch does there shows in the chat, then on the desktop at rest.
	write(b, sentence)
	b.Until(`document.querySelector("#stream .steps:not([data-running])")`)
	b.Until(`document.getElementById("live").hidden && ` + ready)
	if n := d.edge(); n != 0 {
		t.Errorf("%d windows of the edge are left", n)
	}
	if faults := b.Faults(); faults != "" {
		t.Errorf("the page: %s", faults)
	}
}

// getter looks names up in an environment.
func getter(env []string) func(string) string {
	return func(name string) string {
		for _, e := range env {
			if v, ok := strings.CutPrefix(e, name+"="); ok {
				return v
			}
		}
		return ""
	}
}

// green says whether the middle of the practice desktop's picture is as the app drew it.
const green = `(() => {
	const shot = document.querySelector("#practice .shot");
	if (!shot?.naturalWidth) return false;
	const c = document.createElement("canvas");
	c.width = shot.naturalWidth; c.height = shot.naturalHeight;
	const g = c.getContext("2d");
	g.drawImage(shot, 0, 0);
	const [r, gr, bl] = g.getImageData(c.width * 550 / 1280, c.height * 350 / 800, 1, 1).data;
	return Math.abs(r) < 12 && Math.abs(gr - 0xaa) < 12 && Math.abs(bl - 0x55) < 12;
})()`

// practiceEnv is the environment of the practice desktop's programs, read from one of them.
func (d *desk) practiceEnv() (env []string) {
	d.t.Helper()
	d.until("a program of the practice desktop", func() bool {
		all, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, at := range all {
			stat, err := os.ReadFile(at)
			if err != nil || !strings.Contains(string(stat), "(openbox)") {
				continue
			}
			if f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])); f[1] != strconv.Itoa(d.PID) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(filepath.Dir(at), "environ"))
			if err == nil && len(text) > 0 {
				env = strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
				return true
			}
		}
		return false
	})
	return env
}

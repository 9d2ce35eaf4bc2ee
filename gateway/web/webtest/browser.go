// Package webtest looks at Conch's pages as a person's browser does: it opens them in a headless Chromium at
// several widths, light and dark, photographs them, and has axe judge them. It is for tests only and is
// never part of the program.
package webtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Look is how a page is looked at.
type Look struct {
	Name  string
	W, H  int
	Dark  bool
	Touch bool
	Still bool // reduced motion
}

// Looks are the four that every page must stand.
var Looks = []Look{
	{Name: "1280-light", W: 1280, H: 800},
	{Name: "1280-dark", W: 1280, H: 800, Dark: true},
	{Name: "390-light", W: 390, H: 844, Touch: true},
	{Name: "390-dark", W: 390, H: 844, Dark: true, Touch: true},
}

// Browser is one tab of a headless Chromium with a profile of its own.
type Browser struct {
	t   *testing.T
	ctx context.Context
}

// Required says whether CONCH_REQUIRE names a thing, so that its absence fails a test rather than skips it.
func Required(what string) bool {
	return slices.Contains(strings.FieldsFunc(os.Getenv("CONCH_REQUIRE"), func(r rune) bool { return r == ',' || r == ' ' }), what)
}

// Open starts a browser that goes with the test. Without Chromium the test is skipped, or fails where
// CONCH_REQUIRE names "browser".
func Open(t *testing.T) *Browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if Required("browser") {
			t.Fatal("no Chromium: install it with apt-get install chromium")
		}
		t.Skip("no Chromium")
	}
	profile := t.TempDir()
	opts := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck, chromedp.UserDataDir(profile),
	}
	for _, flag := range []string{
		"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync",
		"disable-dev-shm-usage", "hide-scrollbars",
	} {
		opts = append(opts, chromedp.Flag(flag, true))
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, closeTab := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		closeTab()
		stop()
	})
	b := &Browser{t: t, ctx: ctx}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank"), watch()); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return b
}

// watch has every page keep what it was refused and what went wrong in its scripts.
func watch() chromedp.Action[chromedp.Void] {
	const script = `window.faults = [];
		addEventListener("securitypolicyviolation", e => faults.push("refused by the policy: " + e.violatedDirective + " " + e.blockedURI));
		addEventListener("error", e => faults.push("error: " + (e.message || "couldn't load " + (e.target.src || e.target.href))), true);
		addEventListener("unhandledrejection", e => faults.push("unhandled: " + e.reason));`
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return t.Call(ctx, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": script}, nil)
	})
}

// Faults answers what the page's policy refused and what went wrong in its scripts since it was opened.
func (b *Browser) Faults() string {
	b.t.Helper()
	return b.Eval(`window.faults.join("; ")`)
}

// For is the same tab for another test, such as a part of this one.
func (b *Browser) For(t *testing.T) *Browser { return &Browser{t: t, ctx: b.ctx} }

// Context is the tab's, for steps of chromedp's own.
func (b *Browser) Context() context.Context { return b.ctx }

// Do runs steps and fails the test when one takes longer than 20 seconds or goes wrong.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	for _, s := range steps {
		if err := again(ctx, s); err != nil {
			b.t.Fatalf("browser: %v", err)
		}
	}
}

// again does one step, once more where its element was replaced between being found and being used, as live parts
// are: nothing has been done with it by then.
func again(ctx context.Context, s chromedp.Action[chromedp.Void]) error {
	for {
		err := chromedp.Do(ctx, s)
		if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "Could not find node with given id") {
			return err
		}
	}
}

// Set gives the tab a size and a person's wishes.
func (b *Browser) Set(l Look) {
	b.t.Helper()
	scheme, motion := "light", "no-preference"
	if l.Dark {
		scheme = "dark"
	}
	if l.Still {
		motion = "reduce"
	}
	type args = map[string]any
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if err := t.Call(ctx, "Emulation.setEmulatedMedia", args{"features": []args{
			{"name": "prefers-color-scheme", "value": scheme},
			{"name": "prefers-reduced-motion", "value": motion},
		}}, nil); err != nil {
			return err
		}
		if err := t.Call(ctx, "Emulation.setTouchEmulationEnabled", args{"enabled": l.Touch}, nil); err != nil {
			return err
		}
		return t.Call(ctx, "Emulation.setDeviceMetricsOverride",
			args{"width": l.W, "height": l.H, "deviceScaleFactor": 1, "mobile": l.Touch}, nil)
	}))
}

// Go opens an address and waits until its script has run and its pictures are there.
func (b *Browser) Go(url string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(url))
	b.Ready()
}

// Ready waits for what Go waits for, after a press that leads to another page.
func (b *Browser) Ready() {
	b.t.Helper()
	b.Until(`document.readyState === "complete" && (!document.querySelector("[data-live]") || "ready" in document.body.dataset) && [...document.images].every(i => i.complete || i.hidden)`)
}

// Settle waits until all that moves has come to rest. A page on which something never does fails the test: it
// may be on the very screen that Conch waits for to become still.
func (b *Browser) Settle() {
	b.t.Helper()
	b.Until(`document.getAnimations().every(a => a.playState !== "running")`)
}

// patience is how long a page may take for anything. A loaded machine is not an error.
const patience = 30 * time.Second

// Until waits for a JavaScript expression to be true.
func (b *Browser) Until(expr string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expr+")"))
		if ok {
			return
		}
		select {
		case <-ctx.Done():
			b.t.Fatalf("browser: never came true: %s (%v)", expr, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Eval answers what a JavaScript expression is, as text.
func (b *Browser) Eval(expr string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 15*time.Second)
	defer cancel()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+expr+")"))
	if err != nil {
		b.t.Fatalf("browser: %s: %v", expr, err)
	}
	return s
}

// Shot photographs what is in view, as PNG.
func (b *Browser) Shot() []byte {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatalf("photograph the page: %v", err)
	}
	return png
}

// Finding is what axe has against a page.
type Finding struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// Serious says whether a person can't do without it.
func (f Finding) Serious() bool { return f.Impact == "serious" || f.Impact == "critical" }

func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s", f.ID, f.Impact, f.Help)
	for _, n := range f.Nodes {
		fmt.Fprintf(&b, "\n    %s\n      %s", n.HTML, strings.ReplaceAll(n.Summary, "\n", "\n      "))
	}
	return b.String()
}

// AxeSource reads axe-core from the file that CONCH_AXE names (axe.min.js of the npm package axe-core). Without
// one it answers "", or fails the test where CONCH_REQUIRE names "axe".
func AxeSource(t *testing.T) string {
	t.Helper()
	path := os.Getenv("CONCH_AXE")
	if path == "" {
		if Required("axe") {
			t.Fatal("no axe-core: unpack `npm pack axe-core` and set CONCH_AXE to its axe.min.js")
		}
		return ""
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read axe-core: %v", err)
	}
	return string(src)
}

// Axe has axe judge the page that shows, by WCAG 2.2 A and AA and its best practices.
func (b *Browser) Axe(source string) []Finding {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](source)); err != nil {
		b.t.Fatalf("load axe: %v", err)
	}
	raw, err := chromedp.Run(ctx, chromedp.Evaluate[string](
		`axe.run({resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("run axe: %v", err)
	}
	var found []Finding
	if err := json.Unmarshal([]byte(raw), &found); err != nil {
		b.t.Fatalf("read what axe found: %v", err)
	}
	return found
}

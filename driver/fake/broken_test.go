package fake

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"

	"conch/driver"
	"conch/driver/drivertest"
	"conch/driver/key"
)

// broken is a driver with one fault, each of a kind that some real driver has had. The suite must find it.
type broken struct {
	*Driver
	fault string
}

// faults maps each fault to the test of the suite that it has to fail.
var faults = map[string]string{
	"clicks land beside the point":           "a-click-lands-on-the-button,-as-the-window-reports",
	"scrolls by one too many":                "the-wheel-turns-by-clicks",
	"Release does nothing":                   "keys-that-are-held-are-lifted",
	"Release fails after a cancel":           "a-drag-that-is-stopped-lets-go",
	"drops what isn't ASCII":                 "text-arrives-and-is-counted",
	"drops and says so":                      "text-arrives-and-is-counted",
	"types on after a cancel":                "a-cancel-stops-typing",
	"counts bytes":                           "text-arrives-and-is-counted",
	"presses on a cancelled context":         "a-cancelled-context-posts-nothing",
	"covers nothing":                         "a-covered-window's-pixels-are-nowhere",
	"covers without saying which":            "a-covered-window's-pixels-are-nowhere",
	"lists windows back to front":            "windows-are-listed-front-to-back",
	"shows ours":                             "windows-of-ours-are-nowhere",
	"the pointer is a change":                "moving-the-pointer-changes-nothing",
	"never changes":                          "changes-are-counted",
	"the frame is of another size":           "a-picture-and-its-frame-agree",
	"the frame is half a display off":        "a-picture-and-its-frame-agree",
	"keeps the old display":                  "a-display-that-changes-size-makes-pictures-stale",
	"End leaves keys down":                   "End-lifts-what-is-held",
	"looks without Begin":                    "looking-needs-Begin",
	"is ready without a display":             "a-lost-display-is-said-in-a-sentence",
	"opens anything":                         "apps-that-aren't-there-can't-be-opened",
	"takes any key":                          "a-key-that-isn't-one-is-refused",
	"lists password fields that are covered": "password-fields-are-listed-where-they-are-seen",
	"a password field is a field":            "what-has-the-keys-is-the-field-or-nothing",
	"types into whatever is there":           "what-is-meant-for-another-window-isn't-sent",
	"clicks on whatever is there":            "what-is-meant-for-another-window-isn't-sent",
	"lifts only where it may press":          "what-is-meant-for-the-window-in-front-arrives-there",
	"waits for a change for ever, once":      "waiting-for-a-change-ends-with-its-context",
}

const faultEnv = "CONCH_TEST_FAKE_FAULT"

// TestSuiteFindsFaults runs the suite again in a process of its own with each fault.
func TestSuiteFindsFaults(t *testing.T) {
	if os.Getenv(faultEnv) != "" {
		t.Skip("this is such a process")
	}
	for fault, test := range faults {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestBroken$/^"+strings.NewReplacer("'", ".", ",", ".").Replace(test)+"$")
			cmd.Env = append(os.Environ(), faultEnv+"="+fault)
			out, err := cmd.CombinedOutput()
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
				t.Fatalf("the suite passes (%v):\n%s", err, out)
			}
			if !strings.Contains(string(out), "--- FAIL: TestBroken/"+test) {
				t.Errorf("it fails in another way:\n%s", out)
			}
		})
	}
}

// TestBroken is the suite with a fault.
func TestBroken(t *testing.T) {
	fault := os.Getenv(faultEnv)
	if fault == "" {
		t.Skip("run by TestSuiteFindsFaults")
	}
	drivertest.RunIn(t, func(t *testing.T) drivertest.Rig {
		d := New(t, "-- screen --\ndisplay main 1000x700\n")
		return drivertest.Rig{Driver: &broken{d, fault}, Desk: &rig{d: d}, Named: true}
	}, synctest.Test)
}

func (b *broken) is(fault string) bool { return b.fault == fault }

func (b *broken) Move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	if b.is("clicks land beside the point") {
		p.X += 80
	}
	err := b.Driver.Move(ctx, p, into)
	if b.is("the pointer is a change") {
		_ = b.Apply("repaint 1")
	}
	return err
}

func (b *broken) Scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	if b.is("scrolls by one too many") {
		dy++
	}
	return b.Driver.Scroll(ctx, dx, dy, into)
}

func (b *broken) Button(ctx context.Context, n driver.Button, down bool, into driver.Into) error {
	if b.is("presses on a cancelled context") {
		ctx = context.WithoutCancel(ctx)
	}
	if b.is("clicks on whatever is there") {
		into = driver.Anywhere
	}
	return b.Driver.Button(ctx, n, down, into)
}

func (b *broken) Key(ctx context.Context, k key.Key, down bool, into driver.Into) error {
	if b.is("takes any key") && !k.Known() {
		return nil
	}
	if ws, err := b.Windows(ctx); b.is("lifts only where it may press") && !down && err == nil && into.Keys(ws) != nil {
		return driver.ErrElsewhere
	}
	return b.Driver.Key(ctx, k, down, into)
}

func (b *broken) Text(ctx context.Context, s string, into driver.Into) (int, error) {
	ascii := strings.Map(func(r rune) rune {
		if r > 0x7f {
			return -1
		}
		return r
	}, s)
	switch {
	case b.is("types into whatever is there"):
		return b.Driver.Text(ctx, s, driver.Anywhere)
	case b.is("drops what isn't ASCII"):
		_, err := b.Driver.Text(ctx, ascii, into)
		return len(graphemes(s)), err
	case b.is("drops and says so"):
		return b.Driver.Text(ctx, ascii, into)
	case b.is("counts bytes"):
		_, err := b.Driver.Text(ctx, s, into)
		return len(s), err
	case b.is("types on after a cancel"):
		n, err := b.Driver.Text(ctx, s, into)
		if err != nil {
			_, _ = b.Driver.Text(context.WithoutCancel(ctx), "still typing", into)
		}
		return n, err
	}
	return b.Driver.Text(ctx, s, into)
}

func (b *broken) Release(ctx context.Context) error {
	if b.is("Release does nothing") {
		return nil
	}
	if deadline, ok := ctx.Deadline(); b.is("Release fails after a cancel") && ok && !deadline.IsZero() {
		return context.Canceled
	}
	return b.Driver.Release(ctx)
}

func (b *broken) End(ctx context.Context) error {
	if b.is("End leaves keys down") {
		return nil
	}
	return b.Driver.End(ctx)
}

func (b *broken) Ready(ctx context.Context) error {
	if b.is("is ready without a display") {
		return nil
	}
	return b.Driver.Ready(ctx)
}

func (b *broken) Open(ctx context.Context, id driver.AppID) error {
	if err := b.Driver.Open(ctx, id); !b.is("opens anything") {
		return err
	}
	return nil
}

func (b *broken) Look(ctx context.Context, s driver.Shot) (*driver.Picture, error) {
	if b.is("looks without Begin") {
		_ = b.Begin(ctx)
	}
	if b.is("covers nothing") {
		s.Cover = nil
	}
	p, err := b.Driver.Look(ctx, s)
	if err != nil {
		return p, err
	}
	switch {
	case b.is("covers without saying which"):
		p.Covered = nil
	case b.is("the frame is of another size"):
		p.W *= 2
	case b.is("the frame is half a display off"):
		p.Area.X += p.Area.W / 2
	}
	return p, nil
}

func (b *broken) Windows(ctx context.Context) ([]driver.Window, error) {
	ws, err := b.Driver.Windows(ctx)
	switch {
	case b.is("lists windows back to front"):
		for i, j := 0, len(ws)-1; i < j; i, j = i+1, j-1 {
			ws[i], ws[j] = ws[j], ws[i]
		}
	case b.is("shows ours"):
		ws = append(ws, driver.Window{ID: 99, Title: "Edge"})
	}
	return ws, err
}

func (b *broken) Displays(ctx context.Context) ([]driver.Display, error) {
	all, err := b.Driver.Displays(ctx)
	if b.is("keeps the old display") && len(all) > 0 {
		all[0].Bounds.W, all[0].Bounds.H = 1000, 700
	}
	return all, err
}

func (b *broken) Secrets(ctx context.Context) ([]driver.ScreenRect, error) {
	if !b.is("lists password fields that are covered") {
		return b.Driver.Secrets(ctx)
	}
	ws, err := b.Windows(ctx)
	var out []driver.ScreenRect
	for _, w := range ws {
		if w.Title == "Sign in" {
			out = append(out, driver.ScreenRect{X: 60, Y: 180, W: 300, H: 60})
		}
	}
	return out, err
}

func (b *broken) Focus(ctx context.Context) (driver.Focus, error) {
	f, err := b.Driver.Focus(ctx)
	if b.is("a password field is a field") {
		f.Control.Secure = false
	}
	return f, err
}

func (b *broken) Changed(ctx context.Context, seen uint64) (uint64, error) {
	switch {
	case b.is("never changes"):
		<-ctx.Done()
		return seen, ctx.Err()
	case b.is("waits for a change for ever, once"):
		return b.Driver.Changed(context.WithoutCancel(ctx), seen)
	}
	return b.Driver.Changed(ctx, seen)
}

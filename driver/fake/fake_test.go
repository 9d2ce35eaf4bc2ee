package fake

import (
	"context"
	"errors"
	"image/color"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"conch/driver"
	"conch/driver/key"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const notes = `
-- screen --
# two displays, the main one to the left
display side 800x600 at 0,0
display main 1440x900 @2 at -1440,0 main
app org.gnome.Calculator "Calculator" exe /usr/bin/gnome-calculator also "Sums" also "Rechner"
window 7 "Notes" com.apple.Notes 100,80 600x400 { field body 120,120 560x280; button save "Save" 620,420 60x24 }
window 3 "Vault" org.keepassxc.KeePassXC 50,50 300x300 name "KeePassXC" {
	field secret 60,90 200x30 label "Password" secure text "hunter2"
	button open "Open" 60,130 80x24
}
window 1 "Edge" conch 0,0 800x10 ours through
-- after click save --
window 9 "1Password" com.1password.1password 300,200 500x300 front { button ok "OK" 400,400 60x24 }
-- after click ok --
close 9
-- after type body "bye" --
wait 200ms
title 7 "Notes (edited)"
-- after key ctrl+q --
unready locked
-- after open org.gnome.Calculator --
window 20 "Calculator" org.gnome.Calculator 10,10 100x100 front draws 100ms
-- after look 2 --
front 3
`

func begin(t *testing.T, archive string) (*Driver, context.Context) {
	t.Helper()
	d := New(t, archive)
	if err := d.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d, t.Context()
}

func do(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func click(t *testing.T, d *Driver, x, y float64) {
	t.Helper()
	ctx := t.Context()
	do(t, d.Move(ctx, driver.ScreenPoint{X: x, Y: y}, driver.Anywhere), d.Button(ctx, driver.Left, true, driver.Anywhere), d.Button(ctx, driver.Left, false, driver.Anywhere))
}

func titles(t *testing.T, d *Driver) string {
	t.Helper()
	ws, err := d.Windows(t.Context())
	do(t, err)
	var out []string
	for _, w := range ws {
		s := w.Title
		if w.Focused {
			s = "*" + s
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestWindowsAndClicks(t *testing.T) {
	d, ctx := begin(t, notes)
	ws, err := d.Windows(ctx)
	do(t, err)
	want := driver.Window{
		ID: 3, PID: 1003, App: "org.keepassxc.KeePassXC", AppName: "KeePassXC", Exe: "/usr/bin/keepassxc", Class: "KeePassXC",
		Instance: "keepassxc", Title: "Vault", Role: "normal", Bounds: driver.ScreenRect{X: 50, Y: 50, W: 300, H: 300},
		Visible: []driver.ScreenRect{{X: 50, Y: 50, W: 300, H: 30}, {X: 50, Y: 80, W: 50, H: 270}},
	}
	if got := titles(t, d); got != "*Notes Vault" {
		t.Fatalf("windows are %s", got)
	}
	if diff := cmp.Diff(want, ws[1]); diff != "" {
		t.Error(diff)
	}
	click(t, d, 650, 430)
	if got := titles(t, d); d.Clicked("save") != 1 || got != "*1Password Notes Vault" {
		t.Errorf("save was clicked %d times, windows are %s", d.Clicked("save"), got)
	}
	click(t, d, 410, 410)
	if got := titles(t, d); d.Clicked("ok") != 1 || got != "*Notes Vault" {
		t.Errorf("ok was clicked %d times, windows are %s", d.Clicked("ok"), got)
	}
	// A press that is lifted elsewhere clicks nothing.
	do(t, d.Move(ctx, driver.ScreenPoint{X: 650, Y: 430}, driver.Anywhere), d.Button(ctx, driver.Left, true, driver.Anywhere), d.Move(ctx, driver.ScreenPoint{X: 70, Y: 60}, driver.Anywhere))
	if got := d.Held(); !slices.Equal(got, []string{"left button"}) {
		t.Errorf("held: %v", got)
	}
	do(t, d.Button(ctx, driver.Left, false, driver.Anywhere), d.Button(ctx, driver.Left, false, driver.Anywhere))
	if d.Clicked("save") != 1 || len(d.Held()) != 0 {
		t.Errorf("save was clicked %d times, held %v", d.Clicked("save"), d.Held())
	}
	if err := d.Move(ctx, driver.ScreenPoint{X: 5000, Y: 5}, driver.Anywhere); err == nil {
		t.Error("the pointer left the screen")
	}
	got := []string{}
	for _, e := range d.Landed(9) {
		got = append(got, e.String())
	}
	if diff := cmp.Diff([]string{"move 410,410", "button left down", "button left up"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTypingAndKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ctx := begin(t, notes)
		n, err := d.Text(ctx, "héllo 👨‍👩‍👧 bye\n", driver.Anywhere)
		do(t, err)
		if n != 12 || d.Value("body") != "héllo 👨‍👩‍👧 bye\n" {
			t.Errorf("%d typed, the field holds %q", n, d.Value("body"))
		}
		before := d.Changes()
		time.Sleep(199 * time.Millisecond)
		if got := titles(t, d); got != "*Notes Vault" {
			t.Errorf("too early: %s", got)
		}
		seen, err := d.Changed(ctx, before)
		if got := titles(t, d); err != nil || seen != before+1 || got != "*Notes (edited) Vault" {
			t.Errorf("%d changes after %d, %v, %s", seen, before, err, got)
		}
		for _, k := range []key.Key{"BackSpace", "ж"} {
			do(t, d.Key(ctx, k, true, driver.Anywhere), d.Key(ctx, k, false, driver.Anywhere))
		}
		do(t, d.Key(ctx, key.Shift, true, driver.Anywhere), d.Key(ctx, "ж", true, driver.Anywhere), d.Key(ctx, "ж", false, driver.Anywhere), d.Key(ctx, key.Shift, false, driver.Anywhere))
		if got := d.Value("body"); got != "héllo 👨‍👩‍👧 byeжЖ" {
			t.Errorf("the field holds %q", got)
		}
		do(t, d.Key(ctx, key.Control, true, driver.Anywhere), d.Key(ctx, "a", true, driver.Anywhere), d.Key(ctx, "a", false, driver.Anywhere), d.Key(ctx, key.Control, false, driver.Anywhere))
		if _, err := d.Text(ctx, "x", driver.Anywhere); err != nil || d.Value("body") != "x" {
			t.Errorf("%v, the field holds %q", err, d.Value("body"))
		}
		var no *driver.NoKeyError
		if err := d.Key(ctx, "nope", true, driver.Anywhere); !errors.As(err, &no) {
			t.Errorf("an unknown key gives %v", err)
		}
		do(t, d.Apply("person holds"))
		if n, err := d.Text(ctx, "abc", driver.Anywhere); n != 0 || !errors.Is(err, driver.ErrHeldByPerson) {
			t.Errorf("%d, %v while the person holds a key", n, err)
		}
		do(t, d.Apply("person lets go"), d.Key(ctx, key.Control, true, driver.Anywhere), d.Key(ctx, "q", true, driver.Anywhere))
		var u *driver.Unready
		if err := d.Ready(ctx); !errors.As(err, &u) || u.Why != driver.WhyLocked {
			t.Errorf("Ready: %v", err)
		}
		if _, err := d.Text(ctx, "x", driver.Anywhere); !errors.As(err, &u) {
			t.Errorf("typing on a locked screen: %v", err)
		}
		do(t, d.Release(ctx)) // works when nothing else does
		if len(d.Held()) != 0 {
			t.Errorf("held: %v", d.Held())
		}
	})
}

func TestCancelStopsEachMethod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ctx := begin(t, notes)
		p := driver.ScreenPoint{X: 10, Y: 10}
		calls := map[string]func(context.Context) error{
			"ready": d.Ready, "begin": d.Begin, "end": d.End, "release": d.Release, "answers": d.Answers,
			"displays": func(c context.Context) error { _, err := d.Displays(c); return err },
			"look":     func(c context.Context) error { _, err := d.Look(c, driver.Shot{}); return err },
			"windows":  func(c context.Context) error { _, err := d.Windows(c); return err },
			"pointer":  func(c context.Context) error { _, err := d.Pointer(c); return err },
			"control":  func(c context.Context) error { _, err := d.Control(c, p); return err },
			"focus":    func(c context.Context) error { _, err := d.Focus(c); return err },
			"secrets":  func(c context.Context) error { _, err := d.Secrets(c); return err },
			"find":     func(c context.Context) error { _, err := d.Find(c, "save"); return err },
			"move":     func(c context.Context) error { return d.Move(c, p, driver.Anywhere) },
			"button":   func(c context.Context) error { return d.Button(c, driver.Left, true, driver.Anywhere) },
			"scroll":   func(c context.Context) error { return d.Scroll(c, 0, 1, driver.Anywhere) },
			"key":      func(c context.Context) error { return d.Key(c, "a", true, driver.Anywhere) },
			"text":     func(c context.Context) error { _, err := d.Text(c, "abc", driver.Anywhere); return err },
			"apps":     func(c context.Context) error { _, err := d.Apps(c); return err },
			"open":     func(c context.Context) error { return d.Open(c, "org.gnome.Calculator") },
		}
		if len(calls) != len(methods) {
			t.Errorf("%d methods are asked, %d can misbehave", len(calls), len(methods))
		}
		for name, call := range calls {
			d.Forget()
			gone, cancel := context.WithCancel(ctx)
			cancel()
			if err := call(gone); !errors.Is(err, context.Canceled) || len(d.Events()) != 0 {
				t.Errorf("%s on a cancelled context: %v, %v", name, err, d.Events())
			}
			do(t, d.Apply("hang "+name))
			late, cancel := context.WithTimeout(ctx, time.Minute)
			start := time.Now()
			if err := call(late); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute || len(d.Events()) != 0 {
				t.Errorf("%s that hangs: %v after %v, %v", name, err, time.Since(start), d.Events())
			}
			cancel()
			do(t, d.Apply("fail "+name+` "as written"`))
			if err := call(ctx); err == nil || err.Error() != "as written" {
				t.Errorf("%s that fails: %v", name, err)
			}
			do(t, d.Apply("fine "+name))
			d.Forget()
		}
		// Text stops between two graphemes.
		do(t, d.Apply("slow text 10ms"))
		late, cancel := context.WithTimeout(ctx, 35*time.Millisecond)
		defer cancel()
		if n, err := d.Text(late, "abcdef", driver.Anywhere); n != 3 || !errors.Is(err, context.DeadlineExceeded) || d.Value("body") != "abc" {
			t.Errorf("%d typed, %v, %q", n, err, d.Value("body"))
		}
	})
}

func TestChangedWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(t, notes)
		ctx := t.Context()
		if _, err := d.Changed(ctx, 0); !errors.Is(err, driver.ErrNotBegun) {
			t.Errorf("Changed before Begin: %v", err)
		}
		if _, err := d.Look(ctx, driver.Shot{}); !errors.Is(err, driver.ErrNotBegun) {
			t.Errorf("Look before Begin: %v", err)
		}
		do(t, d.Begin(ctx))
		late, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if n, err := d.Changed(late, 0); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a still screen: %d, %v", n, err)
		}
		// Ours and the pointer don't count.
		do(t, d.Move(ctx, driver.ScreenPoint{X: 1, Y: 1}, driver.Anywhere), d.Apply("repaint 1\nmove 1 0,5"), d.Begin(ctx))
		if d.Changes() != 0 {
			t.Errorf("%d changes of what doesn't count", d.Changes())
		}
		do(t, d.Open(ctx, "org.gnome.Calculator"))
		start, n := time.Now(), uint64(0)
		for {
			quiet, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			now, err := d.Changed(quiet, n)
			cancel()
			if err != nil {
				break
			}
			n = now
		}
		if took := time.Since(start); n != 5 || took != 130*time.Millisecond { // drawn at 0, 20 … 80
			t.Errorf("%d changes, still after %v", n, took)
		}
		go func() { time.Sleep(time.Second); _ = d.End(ctx) }()
		if _, err := d.Changed(ctx, n); !errors.Is(err, driver.ErrNotBegun) {
			t.Errorf("Changed through End: %v", err)
		}
		do(t, d.Begin(ctx))
		if d.Changes() != 0 {
			t.Error("End kept the count")
		}
		go func() { time.Sleep(time.Second); _ = d.Close() }()
		var u *driver.Unready
		if _, err := d.Changed(ctx, 0); !errors.As(err, &u) {
			t.Errorf("Changed through Close: %v", err)
		}
	})
}

func TestApps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ctx := begin(t, notes)
		apps, err := d.Apps(ctx)
		want := []driver.App{
			{ID: "org.gnome.Calculator", Name: "Calculator", Also: []string{"Sums", "Rechner"}, Exe: "/usr/bin/gnome-calculator"},
			{ID: "com.apple.Notes", Name: "Notes", Exe: "/usr/bin/notes", Running: true},
			{ID: "org.keepassxc.KeePassXC", Name: "KeePassXC", Exe: "/usr/bin/keepassxc", Running: true},
		}
		if diff := cmp.Diff(want, apps); err != nil || diff != "" {
			t.Error(err, diff)
		}
		do(t, d.Open(ctx, "org.keepassxc.KeePassXC")) // has a window: it comes to the front
		if got := titles(t, d); got != "*Vault Notes" {
			t.Errorf("windows are %s", got)
		}
		do(t, d.Open(ctx, "org.gnome.Calculator"), d.Open(ctx, "org.gnome.Calculator")) // started once
		if got := titles(t, d); got != "*Calculator Vault Notes" {
			t.Errorf("windows are %s", got)
		}
		if err := d.Open(ctx, "org.example.None"); !errors.Is(err, driver.ErrNoApp) {
			t.Errorf("an app that isn't there: %v", err)
		}
	})
}

func TestControls(t *testing.T) {
	d, ctx := begin(t, notes)
	c, err := d.Control(ctx, driver.ScreenPoint{X: 70, Y: 100})
	want := driver.Control{Role: "textbox", Name: "Password", Secure: true, Bounds: driver.ScreenRect{X: 60, Y: 90, W: 200, H: 30}, Window: 3}
	if diff := cmp.Diff(want, c); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := d.Control(ctx, driver.ScreenPoint{X: 300, Y: 90}); !errors.Is(err, driver.ErrNoControl) {
		t.Errorf("a window without a control there: %v", err)
	}
	found, err := d.Find(ctx, "sav")
	if err != nil || len(found) != 1 || found[0].Name != "Save" || found[0].Role != "button" {
		t.Errorf("found %v, %v", found, err)
	}
	if _, err := d.Find(ctx, "password"); !errors.Is(err, driver.ErrNoControl) {
		t.Errorf("found one in a window behind: %v", err)
	}
}

func TestLook(t *testing.T) {
	d, ctx := begin(t, notes)
	p, err := d.Look(ctx, driver.Shot{})
	do(t, err)
	if p.W != 2880 || p.H != 1800 || p.Display.ID != "main" || p.Area != (driver.ScreenRect{X: -1440, W: 1440, H: 900}) {
		t.Errorf("%dx%d of %v, %v", p.W, p.H, p.Display, p.Area)
	}
	cover := func(w driver.Window) string {
		if w.App == "org.keepassxc.KeePassXC" {
			return w.AppName + " — kept away"
		}
		return ""
	}
	shot := driver.Shot{Display: "side", MaxW: 500, Cover: cover}
	p, err = d.Look(ctx, shot)
	do(t, err)
	if p.W != 500 || p.H != 375 || !slices.Equal(p.Covered, []driver.WindowID{3}) {
		t.Errorf("%dx%d, covered %v", p.W, p.H, p.Covered)
	}
	if got := titles(t, d); got != "*Vault Notes" { // after the second look
		t.Errorf("windows are %s", got)
	}
	// What a covered window holds makes no difference; what another holds does.
	do(t, d.Move(ctx, driver.ScreenPoint{X: 799, Y: 599}, driver.Anywhere))
	first, err := d.Look(ctx, shot)
	do(t, err, d.Apply("repaint 3\nrepaint 1"))
	same, err := d.Look(ctx, shot)
	do(t, err, d.Apply("repaint 7"))
	other, err := d.Look(ctx, shot)
	do(t, err)
	if !slices.Equal(first.Pix.Pix, same.Pix.Pix) {
		t.Error("the picture depends on what a covered window holds")
	}
	if slices.Equal(same.Pix.Pix, other.Pix.Pix) {
		t.Error("a window that was painted anew looks the same")
	}
	a, b := Content(7, 1)
	at, _ := other.Pixel(driver.ScreenPoint{X: 600, Y: 440})
	if got := other.Pix.RGBAAt(at.X, at.Y); got.R > a.R || got.R < b.R || got.G != a.G {
		t.Errorf("the content is %v, want between %v and %v", got, a, b)
	}
	// A part, in device pixels.
	zoom, err := d.Look(ctx, driver.Shot{Area: driver.ScreenRect{X: -1440, Y: 0, W: 100.3, H: 50}})
	if err != nil || zoom.W != 201 || zoom.H != 100 || zoom.Area.W != 100.5 {
		t.Errorf("%v, %v", zoom, err)
	}
	for _, s := range []driver.Shot{{Display: "none"}, {Area: driver.ScreenRect{X: 5000, W: 5, H: 5}}} {
		if p, err := d.Look(ctx, s); err == nil {
			t.Errorf("Look(%v) gives %v", s, p)
		}
	}
	if at, in := first.Pixel(driver.ScreenPoint{X: 799, Y: 599}); !in || first.Pix.RGBAAt(at.X, at.Y) == wallpaper {
		t.Error("the pointer isn't in the picture")
	}
	if got := first.Pix.RGBAAt(400, 10); got == (color.RGBA{}) {
		t.Error("the picture isn't opaque")
	}
}

func TestDisplaysChange(t *testing.T) {
	d, ctx := begin(t, notes)
	p, err := d.Look(ctx, driver.Shot{})
	do(t, err)
	now, _ := d.Displays(ctx)
	do(t, p.Check(now))
	for _, change := range []string{"display main 1280x900 @2", "display main 1440x900 @1", "undisplay main"} {
		do(t, d.Apply(change))
		now, _ = d.Displays(ctx)
		var stale *driver.StaleError
		if err := p.Check(now); !errors.As(err, &stale) {
			t.Errorf("%s: %v", change, err)
		}
		main := 0
		for _, v := range now {
			if v.Main {
				main++
			}
		}
		if main != 1 {
			t.Errorf("%s: %d main displays", change, main)
		}
	}
}

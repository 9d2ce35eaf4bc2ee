package computer

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/driver"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
	"conch/gateway/tool"
)

// The log of a whole turn says which step had which rule, and nothing of what was typed or seen.
func TestLogsAreClean(t *testing.T) {
	var b bytes.Buffer
	var mu sync.Mutex
	log := slog.New(slog.NewTextHandler(lockedWriter{&mu, &b}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	old := slog.Default()
	slog.SetDefault(log)
	defer slog.SetDefault(old)
	r := newRig(t, desk, func(c *Config) { c.Log = log })
	secrets := []string{"hunter2", "notes.txt", "user@host", "PayPal", "Passwords -", "Copy", "Pay now", "findme"}
	for _, args := range []string{
		`{"action":"screenshot"}`, click(200, 200), `{"action":"type","text":"hunter2"}`, `{"action":"type","text":"hunter2\u0007"}`,
		`{"action":"type","text":"hunter2","bogus":"hunter2"}`, `{"action":"key","text":"h u n t e r 2"}`, `{"action":"find","text":"findme"}`,
		`{"action":"open_app","text":"hunter2"}`, click(1000, 200), click(5000, 5000), `{"action":"key","text":"hunter2"}`,
	} {
		call := tool.Call{Chat: "a", Turn: "a1", Args: []byte(args), Step: func(s string) { log.Info("step", "say", s) }}
		res := r.Run(context.Background(), call)
		log.Info("call", "call", call, "result", res, "picture", res.Picture, "act", r)
		if res.Failed && strings.Contains(res.Text, "hunter2") && !strings.Contains(args, `"key"`) {
			t.Errorf("a failed step repeats what was written: %s", res.Text)
		}
	}
	r.apply("hang text")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	r.in(ctx, "a", "a1", `{"action":"type","text":"hunter2"}`)
	r.apply("fine text")
	r.EndTurn("a1")
	mu.Lock()
	defer mu.Unlock()
	out := b.String()
	for _, s := range secrets {
		if strings.Contains(out, s) {
			i := strings.Index(out, s)
			t.Errorf("%q is in the log: …%s…", s, out[max(0, i-200):min(len(out), i+100)])
		}
	}
	for _, want := range []string{"action=left_click rule=each-app-asks", "rule=kept-away failed=true", "action=unreadable", "action=type", "took="} {
		if !strings.Contains(strings.ReplaceAll(out, "rule=yes-here", "rule=each-app-asks"), want) {
			t.Errorf("the log lacks %q:\n%s", want, out)
		}
	}
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// LogValue keeps a rig out of the log that it writes.
func (r *rig) LogValue() slog.Value { return slog.StringValue("rig") }

func TestEveryStepTaints(t *testing.T) {
	r := newRig(t, desk)
	r.must(`{"action":"screenshot"}`)
	r.must(click(200, 200))
	r.say(click(1000, 200)) // refused on what was seen
	if got := strings.Join(r.p.taints, "|"); got != strings.Repeat("a: what was on your screen|", 2)+"a: what was on your screen" {
		t.Errorf("noted %s", got)
	}
}

func TestKeptAwaySteps(t *testing.T) {
	r := newRig(t, desk)
	r.p.mode = guard.FullTrust
	r.p.allowed["org.keepassxc.KeePassXC"], r.p.allowed["chromium"] = true, true
	r.must(`{"action":"screenshot"}`)
	for args, say := range map[string]string{
		click(1000, 200): "password manager",
		click(200, 500):  "terminal",
		click(600, 500):  "banking",
		`{"action":"mouse_move","coordinate":[1000,200]}`:                                   "password manager",
		`{"action":"scroll","scroll_direction":"up","coordinate":[1000,200]}`:               "password manager",
		`{"action":"left_click_drag","start_coordinate":[200,200],"coordinate":[1000,200]}`: "password manager",
		`{"action":"left_click_drag","start_coordinate":[870,200],"coordinate":[1250,210]}`: "password manager",
		`{"action":"left_mouse_down","coordinate":[200,500]}`:                               "terminal",
		`{"action":"open_app","text":"KeePassXC"}`:                                          "password manager",
		`{"action":"open_app","text":"debian-xterm"}`:                                       "terminal",
		`{"action":"open_app","text":"gnome-terminal"}`:                                     "terminal",
		`{"action":"open_app","text":"/usr/bin/xterm"}`:                                     "terminal",
		`{"action":"open_app","text":"System Settings"}`:                                    "settings",
		`{"action":"open_app","text":"nothing like it"}`:                                    "list_apps",
	} {
		res := r.say(args)
		if !res.Failed || !strings.Contains(res.Text, say) {
			t.Errorf("%s: %s", args, res.Text)
		}
	}
	r.apply("front 3")
	for _, args := range []string{`{"action":"type","text":"x"}`, `{"action":"key","text":"ctrl+c"}`, `{"action":"hold_key","text":"a","duration":1}`} {
		if res := r.say(args); !res.Failed || !strings.Contains(res.Text, "password manager") {
			t.Errorf("%s: %s", args, res.Text)
		}
	}
	if len(r.d.Events()) > 0 {
		t.Errorf("events %v", r.events())
	}
	res := r.must(`{"action":"find","text":"copy"}`)
	if !strings.Contains(res.Text, "KeePassXC is in front; I can't see it.") || strings.Contains(string(res.Data), "Copy") || strings.Contains(res.Text, "“Copy”") {
		t.Errorf("%s %s", res.Text, res.Data)
	}
}

// A control is told with its point only where it can be seen, in its window or a menu of the same app.
func TestFindShowsOnlyWhatIsSeen(t *testing.T) {
	frame := driver.Frame{Area: driver.ScreenRect{W: 400, H: 300}, W: 400, H: 300}
	whole := driver.ScreenRect{W: 400, H: 300}
	editor := driver.Window{ID: 1, PID: 5, App: "org.xfce.mousepad", Title: "x", Bounds: whole, Focused: true}
	box := driver.ScreenRect{X: 10, Y: 10, W: 100, H: 100}
	save := driver.Control{Role: "button", Name: "Save", Bounds: driver.ScreenRect{X: 20, Y: 20, W: 40, H: 20}, Window: 1}
	for name, c := range map[string]struct {
		above []driver.Window
		want  bool
	}{
		"nothing above":             {nil, true},
		"a menu of its own":         {[]driver.Window{{ID: 2, PID: 5, Role: "menu", Bounds: box}}, true},
		"another app's window":      {[]driver.Window{{ID: 2, PID: 6, App: "other", Title: "y", Bounds: box}}, false},
		"a kept-away one":           {[]driver.Window{{ID: 2, PID: 6, Class: "XTerm", Title: "y", Bounds: box}}, false},
		"a dialog of its own":       {[]driver.Window{{ID: 2, PID: 5, App: "org.xfce.mousepad", Title: "y", Bounds: box}}, true},
		"a kept-away one elsewhere": {[]driver.Window{{ID: 2, Class: "XTerm", Bounds: driver.ScreenRect{X: 300, W: 50, H: 50}}}, true},
	} {
		ws := append(c.above, editor)
		driver.Visible(ws, []driver.Display{{Bounds: whole}})
		kept := policy.KeptAmong(ws)
		pic := &driver.Picture{Frame: frame, Windows: ws}
		got, ok := place1(save, pic, kept, scene{ws, kept})
		if ok != c.want || ok && (got.X != 40 || got.Y != 30) {
			t.Errorf("%s: %+v %v", name, got, ok)
		}
		out := save
		out.Bounds.X = 500
		if _, ok := place1(out, pic, kept, scene{ws, kept}); ok {
			t.Errorf("%s: a control outside the picture is told", name)
		}
	}
}

// A button that was left down drags: its way is judged as a drag's is.
func TestDownAndMoveIsADrag(t *testing.T) {
	r := newRig(t, desk)
	r.p.answers = always
	r.must(`{"action":"screenshot"}`)
	r.must(`{"action":"left_mouse_down","coordinate":[870,200]}`)
	for _, args := range []string{`{"action":"mouse_move","coordinate":[1250,210]}`, `{"action":"left_mouse_up","coordinate":[1250,210]}`} {
		if res := r.say(args); !res.Failed || !strings.Contains(res.Text, "password manager") {
			t.Errorf("%s: %s", args, res.Text)
		}
	}
	if held := r.d.Held(); len(held) != 1 {
		t.Errorf("held %v", held)
	}
	r.EndTurn("a1")
	if r.landed(3) > 0 {
		t.Error("it was dropped on the password manager")
	}
	r.clean()
}

// The same screen is not encoded twice, and the page's picture keeps its address; a changed one has another,
// and the old one is gone. All of it ends with the turn.
func TestPictureForThePage(t *testing.T) {
	var mu sync.Mutex
	told := map[string]int{}
	r := newRig(t, desk, func(c *Config) { c.OnLive = func(chat string) { mu.Lock(); told[chat]++; mu.Unlock() } })
	if _, ok := r.Live("a"); ok {
		t.Error("live before anything was done")
	}
	one := r.must(`{"action":"screenshot"}`)
	l, ok := r.Live("a")
	if !ok || l.PictureID == "" || l.W != one.Picture.W || l.H != one.Picture.H || l.Used != 1 || l.Max != Steps || l.Step != "Looking at the screen" || l.Ripple != nil {
		t.Errorf("%+v %v", l, ok)
	}
	again := r.must(`{"action":"screenshot"}`)
	if &one.Picture.Data[0] != &again.Picture.Data[0] {
		t.Error("the same screen was encoded again")
	}
	if l2, _ := r.Live("a"); l2.PictureID != l.PictureID {
		t.Error("the same picture has another address")
	}
	p, ok := r.Shot(l.PictureID)
	if !ok || !bytes.Equal(p.Data, one.Picture.Data) {
		t.Error("the page gets another picture")
	}
	for _, id := range []string{"", "1", l.PictureID + "x"} {
		if _, ok := r.Shot(id); ok {
			t.Errorf("picture %q is served", id)
		}
	}
	r.must(click(200, 200))
	l3, _ := r.Live("a")
	if l3.PictureID == l.PictureID || l3.Ripple == nil || *l3.Ripple != (driver.PicPoint{X: 200, Y: 200}) {
		t.Errorf("%+v", l3)
	}
	if _, ok := r.Shot(l.PictureID); ok {
		t.Error("an older picture is served")
	}
	r.EndTurn("a1")
	if _, ok := r.Shot(l3.PictureID); ok {
		t.Error("a picture is served after its turn")
	}
	if _, ok := r.Live("a"); ok {
		t.Error("live after its turn")
	}
	mu.Lock()
	defer mu.Unlock()
	if told["a"] < 6 || len(told) != 1 {
		t.Errorf("pages were told %v", told)
	}
	r.clean()
}

// The picture waits for a screen that draws, up to the cap, and says when it still does.
func TestSettles(t *testing.T) {
	draws := func(how string) string { return desk + "-- after click save --\ndraws 1 " + how + "\n" }
	cfg := func(c *Config) {
		c.Quiet, c.First, c.Cap = 60*time.Millisecond, 60*time.Millisecond, 900*time.Millisecond
	}
	r := newRig(t, draws("300ms"), cfg)
	r.must(`{"action":"screenshot"}`)
	begun := time.Now()
	res := r.must(click(160, 372))
	if took := time.Since(begun); took < 300*time.Millisecond || strings.Contains(res.Text, "still changing") {
		t.Errorf("answered after %v: %s", took, res.Text)
	}
	r = newRig(t, draws("10s"), cfg)
	r.must(`{"action":"screenshot"}`)
	if res := r.must(click(160, 372)); !strings.Contains(res.Text, "The screen is still changing.") {
		t.Errorf("%s", res.Text)
	}
}

// A step that opened a window beside a kept-away one waits until the new one can be seen whole, and no other does.
func TestNewWindowsDry(t *testing.T) {
	for what, want := range map[string]bool{
		"window 8 \"Save as\" org.xfce.mousepad 150,150 200x100 front": true, "move 1 90,90": true, "repaint 1": false, "title 1 \"x\"": false,
	} {
		for _, screen := range []string{desk, strings.NewReplacer("org.keepassxc.KeePassXC", "org.example.Tea", "KeePassXC", "Tea", "debian-xterm", "org.example.Pot", "PayPal", "Cups").Replace(desk)} {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, strings.ReplaceAll(screen, `"XTerm"`, `"Tea"`)+"-- after click save --\n"+what+"\n")
				r.must(`{"action":"screenshot"}`)
				begun := time.Now()
				r.must(click(160, 372))
				if waited := time.Since(begun) >= Dry; waited != (want && screen == desk) {
					t.Errorf("%s: waited %v", what, waited)
				}
			})
		}
	}
}

// Steps of one turn that come at once are done one after another; a race of turns leaves one with the computer.
func TestAtOnce(t *testing.T) {
	r := newRig(t, desk)
	r.p.answers = always
	r.must(`{"action":"screenshot"}`)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			chat, turn := "a", "a1"
			if i%4 == 3 {
				chat, turn = "b", fmt.Sprint("b", i)
			}
			r.in(context.Background(), chat, turn, `{"action":"left_click","coordinate":[200,200],"text":"ctrl"}`)
			r.Live(chat)
			if i%4 == 3 {
				r.EndTurn(turn)
			}
		})
	}
	wg.Wait()
	var open int
	for _, e := range r.d.Events() { // each click is whole before the next begins
		switch e.String() {
		case "key Control_L down":
			open++
		case "key Control_L up":
			open--
		}
		if open < 0 || open > 1 {
			t.Fatal("two steps ran at once")
		}
	}
	wg.Go(func() { r.EndTurn("a1") })
	wg.Go(func() { r.EndTurn("a1") })
	wg.Go(func() { r.StopAll() })
	wg.Wait()
	r.clean()
}

func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		w        driver.Window
		id, name string
		sure     bool
	}{
		{driver.Window{App: "org.xfce.mousepad", AppName: "Mousepad", Exe: "/usr/bin/mousepad"}, "org.xfce.mousepad", "Mousepad", true},
		{driver.Window{App: "org.xfce.mousepad"}, "org.xfce.mousepad", "Mousepad", true},
		{driver.Window{Exe: "/opt/tool/run"}, "program:/opt/tool/run", "Run", true},
		{driver.Window{Class: "strange"}, "class:strange", "Strange", false},
		{driver.Window{ID: 7}, "window:7", "an app I can't name", false},
		{driver.Window{App: "x", AppName: "A\nname\x1b[31m that " + strings.Repeat("goes on ", 20)}, "x", "A name [31m that" + strings.Repeat(" goes on", 5) + " goe…", true},
	} {
		id, name, sure := identify(c.w)
		if string(id) != c.id || name != c.name || sure != c.sure {
			t.Errorf("%+v is %q %q %v", c.w, id, name, sure)
		}
	}
	menu := driver.Window{ID: 2, PID: 5, Role: "menu"}
	owner := driver.Window{ID: 1, PID: 5, App: "org.xfce.mousepad", AppName: "Mousepad", Title: "x"}
	if tg := targetOf([]driver.Window{menu, owner}, 0, nil); tg.app != owner.App || tg.window != 2 {
		t.Errorf("a menu is %+v", tg)
	}
}

package computer

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/driver"
	"conch/driver/fake"
	"conch/driver/key"
	"conch/gateway/ask"
	"conch/gateway/tool"
)

// tripwire calls trip right after the n-th input that the driver was asked for, or right before it.
type tripwire struct {
	driver.Driver
	before bool
	mu     sync.Mutex
	n      int
	trip   func()
}

// step begins an input, and is followed by what it returns.
func (w *tripwire) step() (after func()) {
	w.mu.Lock()
	w.n--
	now := w.n == 0
	w.mu.Unlock()
	switch {
	case !now:
		return func() {}
	case w.before:
		w.trip()
		return func() {}
	}
	return w.trip
}

func (w *tripwire) Move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	defer w.step()()
	return w.Driver.Move(ctx, p, into)
}

func (w *tripwire) Button(ctx context.Context, b driver.Button, down bool, into driver.Into) error {
	defer w.step()()
	return w.Driver.Button(ctx, b, down, into)
}

func (w *tripwire) Scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	defer w.step()()
	return w.Driver.Scroll(ctx, dx, dy, into)
}

func (w *tripwire) Key(ctx context.Context, k key.Key, down bool, into driver.Into) error {
	defer w.step()()
	return w.Driver.Key(ctx, k, down, into)
}

func (w *tripwire) Text(ctx context.Context, s string, into driver.Into) (int, error) {
	defer w.step()()
	return w.Driver.Text(ctx, s, into)
}

var steps = []string{
	`{"action":"left_click","coordinate":[200,200],"text":"ctrl+shift"}`,
	`{"action":"triple_click","coordinate":[200,200]}`,
	`{"action":"left_click_drag","start_coordinate":[150,200],"coordinate":[400,250],"text":"shift"}`,
	`{"action":"left_mouse_down","coordinate":[200,200]}`,
	`{"action":"key","text":"ctrl+shift+alt+s","repeat":3}`,
	`{"action":"key","text":"ctrl+a BackSpace Tab"}`,
	`{"action":"hold_key","text":"ctrl+shift+x","duration":5}`,
	`{"action":"scroll","scroll_direction":"down","scroll_amount":50,"coordinate":[200,200],"text":"ctrl"}`,
	`{"action":"type","text":"` + strings.Repeat("Stop lands between pieces. ", 20) + `"}`,
}

// Stop at every event of every gesture, by the turn's context and by the computer itself: nothing is held, no
// event comes after but what lifts, and the edge is dark.
func TestStopAtEveryEvent(t *testing.T) {
	first := newRig(t, desk)
	first.must(`{"action":"screenshot"}`)
	frame := first.session("a").frame
	for _, args := range steps {
		for _, how := range []string{"context", "StopAll", "EndTurn"} {
			most := 0
			for n := 1; n < 60; n++ {
				tripped := false
				synctest.Test(t, func(t *testing.T) { tripped = stopAt(t, frame, args, how, n) })
				if !tripped {
					break
				}
				most = n
			}
			if most < 2 {
				t.Errorf("%s: only %d places to stop", args, most)
			}
		}
	}
}

func stopAt(t *testing.T, frame driver.Frame, args, how string, n int) (tripped bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	wire := &tripwire{}
	r := newRig(t, desk, func(c *Config) {
		wire.Driver = c.Driver
		c.Driver = wire
	})
	r.changeSession("a", func(k *session) { k.frame, k.seen = frame, true }) // as a look before would have left it
	done := make(chan struct{})
	after := 0
	wire.mu.Lock()
	wire.n = n
	wire.mu.Unlock()
	wire.trip = func() {
		tripped = true
		after = len(r.d.Events())
		switch how {
		case "context":
			cancel()
			close(done)
		case "StopAll":
			go func() { r.StopAll(); close(done) }()
		case "EndTurn":
			go func() { r.EndTurn("a1"); close(done) }()
		}
		if how != "context" { // the press of Stop has been heard
			for {
				r.mu.Lock()
				x := r.held.turns["a1"]
				heard := x == nil || x.ctx.Err() != nil
				r.mu.Unlock()
				if heard {
					break
				}
				time.Sleep(time.Microsecond)
			}
		}
	}
	res := r.in(ctx, "a", "a1", args)
	if tripped {
		<-done
		if !res.Failed && how != "context" { // it may have been the last event; the picture was not taken then
			t.Errorf("%s at %d: %s", args, n, res.Text)
		}
		for _, e := range r.d.Events()[after:] {
			if e.Down || e.Kind == fake.Moved || e.Kind == fake.Scrolled || e.Kind == fake.Typed || e.Kind == fake.Opened {
				t.Errorf("%s stopped by %s at %d: %v came after", args, how, n, e)
			}
		}
		if held := r.d.Held(); len(held) > 0 {
			t.Errorf("%s stopped by %s at %d: still held: %v", args, how, n, held)
		}
	}
	r.EndTurn("a1")
	r.EndTurn("a1")
	r.clean()
	if _, _, ok := r.StopAll(); ok {
		t.Error("something was left to stop")
	}
	return tripped
}

// A question that waits goes away with its turn, and nothing is done.
func TestStopWhileAsking(t *testing.T) {
	r := newRig(t, desk)
	r.p.answers = nil // waits for ever
	r.must(`{"action":"screenshot"}`)
	got := make(chan tool.Result)
	go func() { got <- r.say(click(200, 200)) }()
	until(t, "asked", func() bool { return r.p.questions() == 1 })
	if chat, turn, ok := r.StopAll(); !ok || chat != "a" || turn != "a1" {
		t.Errorf("stopped %q %q %v", chat, turn, ok)
	}
	if res := <-got; !res.Failed || !strings.Contains(res.Text, "Stopped before anything was done") {
		t.Errorf("%s", res.Text)
	}
	if len(r.d.Events()) > 0 {
		t.Errorf("events %v", r.events())
	}
	r.clean()
	if res := r.say(`{"action":"screenshot"}`); !res.Failed || !strings.Contains(res.Text, "turn is over") {
		t.Errorf("a late step of a stopped turn: %s", res.Text)
	}
	r.clean()
}

func TestHold(t *testing.T) {
	r := newRig(t, desk)
	ctx := context.Background()
	r.must(`{"action":"screenshot"}`)
	res := r.in(ctx, "b", "b1", `{"action":"screenshot"}`)
	if !res.Failed || !strings.Contains(res.Text, "The chat “Chat a” is using the computer") {
		t.Errorf("%s", res.Text)
	}
	if chat, turn, ok := r.Holder(); !ok || chat != "a" || turn != "a1" {
		t.Errorf("%q %q %v has it", chat, turn, ok)
	}
	r.EndTurn("b1") // ending a turn that has nothing takes nothing from the other
	if _, ok := r.Live("a"); !ok {
		t.Error("chat a lost the computer")
	}
	if _, ok := r.Live("b"); ok {
		t.Error("chat b is live")
	}
	r.EndTurn("a1")
	r.clean()
	if res := r.in(ctx, "b", "b2", `{"action":"screenshot"}`); res.Failed {
		t.Errorf("%s", res.Text)
	}
	if res := r.in(ctx, "b", "b2", click(200, 200)); res.Failed {
		t.Errorf("%s", res.Text)
	}
	// A turn's id belongs to one chat.
	if res := r.in(ctx, "a", "b2", `{"action":"screenshot"}`); !res.Failed {
		t.Error("chat a used chat b's turn")
	}
	r.EndTurn("b2")
	r.clean()
}

// Points of one chat's picture mean nothing in another chat.
func TestPointsAreOfOneChat(t *testing.T) {
	r := newRig(t, desk)
	r.must(`{"action":"screenshot"}`)
	r.EndTurn("a1")
	if res := r.in(context.Background(), "b", "b1", click(200, 200)); !res.Failed || !strings.Contains(res.Text, "screenshot first") {
		t.Errorf("%s", res.Text)
	}
	r.EndTurn("b1")
	if res := r.in(context.Background(), "a", "a2", click(200, 200)); res.Failed {
		t.Errorf("%s", res.Text)
	}
	r.Forget("a")
	if res := r.in(context.Background(), "a", "a2", click(200, 200)); !res.Failed {
		t.Error("a forgotten chat still points")
	}
}

// stubborn doesn't come back from Look when its context ends, as no driver should.
type stubborn struct {
	driver.Driver
	mu  sync.Mutex
	let chan struct{}
}

func (s *stubborn) Look(ctx context.Context, shot driver.Shot) (*driver.Picture, error) {
	s.mu.Lock()
	let := s.let
	s.mu.Unlock()
	if let != nil {
		<-let
	}
	return s.Driver.Look(ctx, shot)
}

// A driver call that hangs is given up, and the computer isn't given to anybody before it has come back.
func TestStubbornDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &stubborn{let: make(chan struct{})}
		r := newRig(t, desk, func(c *Config) {
			st.Driver = c.Driver
			c.Driver, c.Limit = st, 2*time.Second
		})
		begun := time.Now()
		res := r.say(`{"action":"screenshot"}`)
		if !res.Failed || !strings.Contains(res.Text, "taking a picture took longer than 2s") {
			t.Errorf("%s", res.Text)
		}
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("given up after %v", took)
		}
		if res := r.say(click(1, 1)); !res.Failed || len(r.d.Events()) > 0 {
			t.Errorf("acted while a call was out: %s", res.Text)
		}
		r.EndTurn("a1")
		if !r.edge.dark() {
			t.Error("the edge is lit")
		}
		other := func() tool.Result { return r.in(context.Background(), "b", "b1", `{"action":"screenshot"}`) }
		if res := other(); !res.Failed || !strings.Contains(res.Text, "is using the computer") {
			t.Errorf("given on while a call was out: %s", res.Text)
		}
		st.mu.Lock()
		close(st.let)
		st.let = nil
		st.mu.Unlock()
		synctest.Wait()
		if res := other(); res.Failed {
			t.Errorf("%s", res.Text)
		}
		r.EndTurn("b1")
		r.clean()
	})
}

// Each driver call that fails or hangs gives a sentence, and never a success.
func TestFaults(t *testing.T) {
	for _, method := range []string{"ready", "begin", "displays", "windows", "look", "pointer", "move", "button"} {
		for _, fault := range []string{"fail " + method + ` "broken inside"`, "hang " + method} {
			t.Run(fault, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, desk)
					r.must(`{"action":"screenshot"}`)
					r.apply(fault)
					args := `{"action":"left_click","text":"ctrl"}`
					if method == "displays" { // which only a point needs
						args = click(200, 200)
					}
					res := r.say(args)
					if !res.Failed || strings.Contains(res.Text, "broken inside") {
						t.Errorf("%s", res.Text)
					}
					if len(r.d.Events()) > 0 && !strings.Contains(res.Text, "may have happened") {
						t.Errorf("events %v, but: %s", r.events(), res.Text)
					}
					if held := r.d.Held(); len(held) > 0 {
						t.Errorf("held %v", held)
					}
					r.apply("fine " + method)
					r.EndTurn("a1")
					r.clean()
				})
			})
		}
	}
	for say, line := range map[string]string{
		"The screen is locked.":   `unready locked "The screen is locked."`,
		"The display went. Look.": `unready lost "The display went." "Look."`,
		"holding a key or button": "person holds",
	} {
		r := newRig(t, desk)
		r.must(`{"action":"screenshot"}`)
		r.apply(line)
		if res := r.say(`{"action":"key","text":"ctrl+s"}`); !res.Failed || !strings.Contains(res.Text, say) {
			t.Errorf("%s: %s", line, res.Text)
		}
	}
}

// Typing stops when the keys go to another window, and says how far it came.
func TestTypingFollowsNoWindow(t *testing.T) {
	for _, change := range []string{"front 3", "front 2", "front 4"} {
		r := newRig(t, desk+"-- after type body \"twenty\" --\n"+change+"\n")
		r.p.answers = always
		r.must(`{"action":"screenshot"}`)
		text := "one two twenty " + strings.Repeat("secret words follow ", 20)
		res := r.say(`{"action":"type","text":"` + text + `"}`)
		if !res.Failed || !strings.Contains(res.Text, "characters were typed") || !strings.Contains(res.Text, "may have happened") {
			t.Errorf("%s: %s", change, res.Text)
		}
		if strings.Contains(res.Text, "secret") {
			t.Errorf("the text shows: %s", res.Text)
		}
		typed := r.landed(2) + r.landed(3) + r.landed(4)
		if typed > 64 { // one piece at most: the rest of the one under way
			t.Errorf("%s: %d events went astray", change, typed)
		}
	}
}

// Keys that are never pressed reach no window, and a prompt in front that doesn't have the focus stops keys too.
func TestKeysThatAreNeverPressed(t *testing.T) {
	r := newRig(t, desk)
	r.p.answers = func(ask.Question) ask.Choice { return ask.Always }
	for _, k := range []string{"super+Escape", "⌘⎋", "ctrl+alt+t", "alt+F2", "ctrl+alt+Delete", "a super+l", "shift+Delete"} {
		for _, args := range []string{`{"action":"key","text":"` + k + `"}`, `{"action":"hold_key","text":"` + k + `","duration":1}`} {
			if res := r.say(args); !res.Failed {
				t.Errorf("%s: %s", args, res.Text)
			}
		}
	}
	r.apply("window 9 \"\" org.kde.krunner 0,0 300x40 role menu back\nfront 9\nfocus 1")
	if res := r.say(`{"action":"type","text":"x"}`); !res.Failed || !strings.Contains(res.Text, "commands can be run") {
		t.Errorf("typed under a launcher: %s", res.Text)
	}
	if len(r.d.Events()) > 0 {
		t.Errorf("events %v", r.events())
	}
}

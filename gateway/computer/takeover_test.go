package computer

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/driver"
	"conch/gateway/ask"
)

// witness hears what a test has the person do.
type witness struct {
	mu  sync.Mutex
	to  chan driver.PersonEvent // nil: nobody listens
	n   int                     // how often somebody began to
	err error
}

func (w *witness) Watch(ctx context.Context) (<-chan driver.PersonEvent, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	w.n++
	out := make(chan driver.PersonEvent, 64)
	w.to = out
	context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		close(out)
		if w.to == out {
			w.to = nil
		}
	})
	return out, nil
}

// does has the person do something, now.
func (w *witness) does(deed driver.Deed, far float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		w.to <- driver.PersonEvent{Deed: deed, Move: far, At: time.Now()}
	}
}

// pausing is a person with a wish of their own.
type pausing struct {
	*person
	on bool
}

func (p pausing) Pauses() bool { return p.on }

// takeoverRig has a turn "a1" that has looked and sent input once, so that what the person does counts. It must
// run in a bubble.
func takeoverRig(t *testing.T, change ...func(*Config)) (*rig, *witness, *tripwire) {
	t.Helper()
	w, wire := &witness{}, &tripwire{trip: func() {}}
	r := newRig(t, desk, append([]func(*Config){func(c *Config) {
		wire.Driver = c.Driver
		c.Driver, c.Watcher = wire, w
	}}, change...)...)
	r.must(`{"action":"screenshot"}`)
	r.must(click(200, 200))
	time.Sleep(3 * time.Second) // what answering the question about the app left is over
	return r, w, wire
}

// at has trip run at the n-th input from now.
func (w *tripwire) at(n int, trip func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n, w.trip = n, trip
}

func takeoverQuestions(p *person) (titles []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.asked {
		if strings.HasPrefix(q.Title, "You took the ") {
			titles = append(titles, q.Title)
		}
	}
	return titles
}

// The person takes the mouse or keyboard at every event of every gesture: what is held goes up, nothing is sent
// after, the person is asked once, and their answer holds.
func TestTakingOverAtEveryEvent(t *testing.T) {
	deeds := []driver.Deed{driver.DeedKey, driver.DeedButton, driver.DeedScroll}
	tries := 0
	for _, args := range steps {
		most := 0
		for n := 1; n < 60; n += 1 + n/8 { // long gestures repeat themselves
			tripped, deed, choice := false, deeds[tries%3], ask.Choice(tries%2)
			tries++
			synctest.Test(t, func(t *testing.T) { tripped = takeAt(t, args, deed, choice, n) })
			if !tripped {
				break
			}
			most = n
		}
		if most < 2 {
			t.Errorf("%s: only %d places to take over", args, most)
		}
	}
}

func takeAt(t *testing.T, args string, deed driver.Deed, choice ask.Choice, n int) (tripped bool) {
	r, w, wire := takeoverRig(t)
	defer r.EndTurn("a1")
	sent := 0
	wire.at(n, func() {
		tripped = true
		w.does(deed, 0)
		synctest.Wait() // heard
		sent = len(r.d.Events())
	})
	r.p.do(func() {
		r.p.answers = func(q ask.Question) ask.Choice {
			if held := r.d.Held(); strings.HasPrefix(q.Title, "You took") && len(held) > 0 {
				t.Errorf("%s at %d: while the person is asked %v is held", args, n, held)
			}
			return choice
		}
	})
	res := r.say(args)
	if !tripped {
		return false
	}
	asked := takeoverQuestions(r.p)
	if !res.Failed && len(asked) == 0 { // it was the step's last event: the next one asks
		res = r.say(`{"action":"key","text":"a"}`)
		asked = takeoverQuestions(r.p)
	} else {
		for _, e := range r.d.Events()[sent:] {
			if !strings.Contains(e.String(), "up") {
				t.Errorf("%s at %d: after the person took over it sent %v", args, n, e)
			}
		}
	}
	want := "You took the mouse. Go on?"
	if deed == driver.DeedKey {
		want = "You took the keyboard. Go on?"
	}
	if !res.Failed || !slices.Equal(asked, []string{want}) {
		t.Errorf("%s at %d: %q, asked %q, want one question %q", args, n, res.Text, asked, want)
	}
	next := r.say(click(200, 200))
	switch {
	case choice == ask.Once && (next.Failed || !strings.Contains(res.Text, "say to go on")):
		t.Errorf("%s at %d: told to go on, it says %q and then %q", args, n, res.Text, next.Text)
	case choice == ask.No && (!next.Failed || !strings.Contains(next.Text, "go on alone")):
		t.Errorf("%s at %d: told not to go on, it says %q", args, n, next.Text)
	}
	if asked := takeoverQuestions(r.p); len(asked) != 1 {
		t.Errorf("%s at %d: asked %q, want once", args, n, asked)
	}
	if look := r.say(`{"action":"screenshot"}`); look.Failed {
		t.Errorf("%s at %d: looking is refused: %s", args, n, look.Text)
	}
	return true
}

// Stop while the person is asked is Stop.
func TestStopWhileTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w, _ := takeoverRig(t)
		r.p.do(func() { r.p.answers = nil }) // waits until the end of the turn
		w.does(driver.DeedButton, 0)
		synctest.Wait()
		done := make(chan string)
		go func() { done <- r.say(`{"action":"type","text":"hello"}`).Text }()
		time.Sleep(time.Second)
		synctest.Wait()
		if asked := takeoverQuestions(r.p); len(asked) != 1 {
			t.Errorf("asked %q", asked)
		}
		r.EndTurn("a1")
		if say := <-done; !strings.HasPrefix(say, "Stopped") {
			t.Errorf("it says %q", say)
		}
		r.clean()
	})
	// The first key of Stop stops the input, and no question flashes up before the second.
	synctest.Test(t, func(t *testing.T) {
		r, w, wire := takeoverRig(t)
		wire.at(2, func() { w.does(driver.DeedKey, 0); synctest.Wait() })
		done := make(chan string)
		go func() { done <- r.say(steps[len(steps)-1]).Text }()
		time.Sleep(200 * time.Millisecond)
		r.EndTurn("a1")
		if say := <-done; !strings.HasPrefix(say, "Stopped") {
			t.Errorf("it says %q", say)
		}
		if asked := takeoverQuestions(r.p); len(asked) != 0 {
			t.Errorf("asked %q", asked)
		}
		r.clean()
	})
}

// Between steps: the next one that sends input asks before it sends anything, and looks don't ask.
func TestTakingOverBetweenSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w, _ := takeoverRig(t)
		defer r.EndTurn("a1")
		before := len(r.d.Events())
		for range 5 {
			w.does(driver.DeedMove, 15)
			time.Sleep(20 * time.Millisecond)
		}
		synctest.Wait()
		r.must(`{"action":"screenshot"}`)
		if asked := takeoverQuestions(r.p); len(asked) != 0 {
			t.Errorf("a look asks %q", asked)
		}
		if res := r.say(click(200, 200)); !res.Failed || len(takeoverQuestions(r.p)) != 1 {
			t.Errorf("%q, asked %q", res.Text, takeoverQuestions(r.p))
		}
		if after := len(r.d.Events()); after != before {
			t.Errorf("%d events were sent before the answer", after-before)
		}
		w.does(driver.DeedMove, 500) // the way back from the answer
		synctest.Wait()
		r.must(click(200, 200))
	})
}

// It is the person's own choice, and nobody is listened to who doesn't want it, when the turn is over, or for a look.
func TestTakingOverIsAChoice(t *testing.T) {
	for _, on := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r, w, _ := takeoverRig(t, func(c *Config) { c.Settings = pausing{c.Settings.(*person), on} })
			w.does(driver.DeedKey, 0)
			synctest.Wait()
			if res := r.say(click(200, 200)); res.Failed != on || (len(takeoverQuestions(r.p)) == 1) != on || (w.n == 1) != on {
				t.Errorf("with the wish %v: %q, asked %q, listened %d times", on, res.Text, takeoverQuestions(r.p), w.n)
			}
			r.EndTurn("a1")
			synctest.Wait()
			if w.to != nil {
				t.Error("the person is still listened to after the turn")
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := &witness{}
		r := newRig(t, desk, func(c *Config) { c.Watcher = w })
		defer r.EndTurn("a1")
		r.must(`{"action":"screenshot"}`)
		if w.n != 0 {
			t.Error("the person is listened to for a look")
		}
		w.err = errors.New("no")
		r.must(click(200, 200)) // where nobody can be heard, Stop is still there
	})
}

// Every case of what counts and what doesn't.
func TestTakeover(t *testing.T) {
	begin := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	event := func(deed driver.Deed, far float64, ms int) driver.PersonEvent {
		return driver.PersonEvent{Deed: deed, Move: far, At: at(ms)}
	}
	for name, c := range map[string]struct {
		acted  int // when Conch sent input, in ms; 0 never
		events []driver.PersonEvent
		want   driver.Deed
	}{
		"before any input of Conch's": {0, []driver.PersonEvent{event(driver.DeedKey, 0, 10)}, 0},
		"a key":                       {10, []driver.PersonEvent{event(driver.DeedKey, 0, 11)}, driver.DeedKey},
		"a click":                     {10, []driver.PersonEvent{event(driver.DeedButton, 0, 11)}, driver.DeedButton},
		"the wheel":                   {10, []driver.PersonEvent{event(driver.DeedScroll, 0, 11)}, driver.DeedScroll},
		"a touch":                     {10, []driver.PersonEvent{event(driver.DeedMove, 39, 500)}, 0},
		"a long movement":             {10, []driver.PersonEvent{event(driver.DeedMove, 20, 500), event(driver.DeedMove, 20, 600)}, driver.DeedMove},
		"touches far apart":           {10, []driver.PersonEvent{event(driver.DeedMove, 39, 500), event(driver.DeedMove, 39, 1200)}, 0},
		"right after Conch's own":     {400, []driver.PersonEvent{event(driver.DeedMove, 500, 500)}, 0},
		"the first counts":            {10, []driver.PersonEvent{event(driver.DeedKey, 0, 11), event(driver.DeedButton, 0, 12)}, driver.DeedKey},
	} {
		var k takeover
		if c.acted > 0 {
			k.act(at(c.acted))
		}
		for _, e := range c.events {
			k.heard(e)
		}
		if by, _ := k.taken(); by != c.want {
			t.Errorf("%s: taken by %d, want %d", name, by, c.want)
		}
	}
}

// Random events: it is never taken before Conch acted, while a question is open or shortly after; a context for
// input ends exactly when it is taken; and once it is, it stays so until the person has answered.
func TestTakeoverRandom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 30))
		for range 300 {
			var k takeover
			var answered []func()
			var beside context.Context
			free := func() {}
			acted, quiet := false, time.Time{}
			for range 120 {
				time.Sleep(time.Duration(r.IntN(900)) * time.Millisecond)
				was, _ := k.taken()
				switch r.IntN(6) {
				case 0:
					k.act(time.Now())
					acted = true
				case 1:
					answered = append(answered, k.asking())
				case 2:
					if n := len(answered); n > 0 {
						answered[n-1]()
						answered, quiet = answered[:n-1], time.Now().Add(answerAfter)
					}
				case 3:
					free()
					beside, free = k.during(t.Context())
				case 4:
					if was != 0 {
						k.settle(true)
						if by, alone := k.taken(); by != 0 || alone {
							t.Fatal("told to go on, it doesn't")
						}
						free()
						beside, free = nil, func() {}
					}
				default:
					deed := driver.Deed(1 + r.IntN(4))
					k.heard(driver.PersonEvent{Deed: deed, Move: float64(r.IntN(120)), At: time.Now()})
					by, _ := k.taken()
					deaf := !acted || len(answered) > 0 || time.Now().Before(quiet)
					if was == 0 && by != 0 && deaf {
						t.Fatal("what doesn't count was taken for taking over")
					}
					if was == 0 && by == 0 && !deaf && deed != driver.DeedMove {
						t.Fatal("what counts was missed")
					}
				}
				if by, _ := k.taken(); beside != nil && beside.Err() == nil == (by != 0) {
					t.Fatalf("taken by %d, and input may go on: %v", by, beside.Err() == nil)
				}
			}
			free()
			for _, f := range answered {
				f()
			}
		}
	})
}

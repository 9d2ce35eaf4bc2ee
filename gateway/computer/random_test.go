package computer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/fake"
	"conch/driver/key"
	"conch/gateway/ask"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
	"conch/gateway/tool"
)

// small is a little desktop, so that pictures of it are quick: two apps, a password manager and a terminal.
const small = `
-- screen --
display main 240x160
app org.xfce.mousepad "Mousepad"
app org.gnome.Calculator "Calculator"
app org.keepassxc.KeePassXC "KeePassXC"
app debian-xterm "XTerm"
window 1 "notes.txt - Mousepad" org.xfce.mousepad 0,0 120x80 name "Mousepad" front { field body 10,10 100x50 focused; button save "Save" 10,62 40x16 }
window 2 "Calculator" org.gnome.Calculator 120,0 120x80 name "Calculator" { button seven "7" 130,10 40x40 }
window 3 "Passwords - KeePassXC" org.keepassxc.KeePassXC 0,80 120x80 name "KeePassXC" { field vault 10,90 100x50 }
window 4 "user@host" debian-xterm 120,80 120x80 name "XTerm" { field shell 130,90 100x60 }
`

// onlooker is a driver that knows, at each event, whether it may come at all.
type onlooker struct {
	*fake.Driver
	w *world
}

func (d onlooker) Move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	d.w.event("move")
	return d.Driver.Move(ctx, p, into)
}

func (d onlooker) Button(ctx context.Context, b driver.Button, down bool, into driver.Into) error {
	if down { // lifting what was pressed is always right
		d.w.event("button")
	}
	return d.Driver.Button(ctx, b, down, into)
}

func (d onlooker) Scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	d.w.event("scroll")
	return d.Driver.Scroll(ctx, dx, dy, into)
}

func (d onlooker) Key(ctx context.Context, k key.Key, down bool, into driver.Into) error {
	if down {
		d.w.event("key")
	}
	return d.Driver.Key(ctx, k, down, into)
}

func (d onlooker) Text(ctx context.Context, s string, into driver.Into) (int, error) {
	d.w.event("text")
	return d.Driver.Text(ctx, s, into)
}

func (d onlooker) Open(ctx context.Context, id driver.AppID) error {
	d.w.event("open")
	return d.Driver.Open(ctx, id)
}

// world is a computer among chats that start, stop, ask and restart.
type world struct {
	t     *testing.T
	r     *rand.Rand
	d     *fake.Driver
	c     *Computer
	desk  *ask.Desk
	p     *person
	edge  *edge
	turns map[string]string // running, by chat
	n     int               // of turns so far
	wg    sync.WaitGroup
	busy  atomic.Int64
	moved chan struct{} // a step ended, or a question was put

	mu     sync.Mutex
	over   map[string]bool // turns that have been ended, once ending them returned
	off    bool            // the switch is off, and turning it off returned
	events int
	said   map[string]int
	wrong  string
}

// event is asked right at each event, from the goroutine that makes it.
func (w *world) event(what string) {
	_, turn, held := w.c.Holder()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events++
	switch {
	case w.wrong != "":
	case !held:
		w.wrong = what + " without a holder"
	case w.over[turn]:
		w.wrong = what + " after its turn was stopped"
	case w.off:
		w.wrong = what + " while using apps is off"
	}
}

func (w *world) start() {
	w.desk = ask.NewDesk(ask.Options{Seen: func(string) bool { return true }, Expiry: time.Minute, Changed: func(ask.Change) { w.stir() }})
	w.c = New(Config{
		Driver: onlooker{w.d, w}, Edge: w.edge, EdgeRequired: true, Asker: w.desk, Settings: w.p, Chats: w.p, Desktop: policy.Linux,
		Quiet: time.Nanosecond, First: time.Nanosecond, Cap: time.Millisecond, Dry: time.Nanosecond, Steps: 20,
	})
}

var randomSteps = []string{
	`{"action":"screenshot"}`, `{"action":"left_click","coordinate":[20,20]}`, `{"action":"left_click","coordinate":[150,30]}`,
	`{"action":"left_click","coordinate":[20,100]}`, `{"action":"left_click","coordinate":[150,100]}`, `{"action":"type","text":"héllo"}`,
	`{"action":"key","text":"ctrl+s"}`, `{"action":"key","text":"super+Escape"}`, `{"action":"scroll","scroll_direction":"down"}`,
	`{"action":"left_click_drag","start_coordinate":[20,20],"coordinate":[60,40]}`, `{"action":"left_click_drag","start_coordinate":[20,20],"coordinate":[60,140]}`,
	`{"action":"open_app","text":"Calculator"}`, `{"action":"open_app","text":"KeePassXC"}`, `{"action":"left_mouse_down"}`, `{"action":"left_mouse_up"}`,
	`{"action":"mouse_move","coordinate":[30,30]}`, `{"action":"nonsense"}`, `not json`,
}

// step does one random step in a running turn, beside everything else.
func (w *world) step(chat, turn string) {
	args := randomSteps[w.r.IntN(len(randomSteps))]
	w.busy.Add(1)
	w.wg.Go(func() {
		defer w.stir()
		defer w.busy.Add(-1)
		res := w.c.Run(context.Background(), tool.Call{Chat: chat, Turn: turn, Args: []byte(args)})
		w.mu.Lock()
		w.said[res.Text]++
		w.mu.Unlock()
		if res.Text == "" || res.Failed && res.Picture != nil {
			w.t.Errorf("%s answers %q, failed %v, with picture %v", args, res.Text, res.Failed, res.Picture != nil)
		}
	})
}

func (w *world) end(chat string) {
	turn := w.turns[chat]
	if turn == "" {
		return
	}
	w.c.EndTurn(turn)
	w.mu.Lock()
	w.over[turn] = true
	w.mu.Unlock()
	delete(w.turns, chat)
}

// one is one random event of the world.
func (w *world) one() {
	chat := string(rune('a' + w.r.IntN(3)))
	switch n := w.r.IntN(100); {
	case n < 45:
		if w.turns[chat] == "" {
			w.n++
			w.turns[chat] = chat + strconv.Itoa(w.n)
		}
		if w.busy.Load() < 6 {
			w.step(chat, w.turns[chat])
		}
		if w.r.IntN(5) > 0 {
			w.calm()
		}
	case n < 65:
		if qs := w.desk.Waiting(); len(qs) > 0 {
			w.desk.Answer(qs[w.r.IntN(len(qs))].ID, []ask.Choice{ask.No, ask.Once, ask.Once, ask.Always}[w.r.IntN(4)])
		}
	case n < 73:
		w.end(chat)
	case n < 76:
		if c, _, ok := w.c.Holder(); ok {
			w.end(c)
		}
	case n < 80: // the switch: off has ended whoever holds the computer by the time it returns, as the gateway does
		on := w.r.IntN(6) > 0
		if on {
			w.mu.Lock()
			w.off = false
			w.mu.Unlock()
		}
		w.p.do(func() { w.p.on = on })
		if !on {
			if c, _, ok := w.c.Holder(); ok {
				w.end(c)
			}
			w.settled()
		}
	case n < 86:
		w.p.do(func() { w.p.mode = []guard.Mode{guard.Plan, guard.AskFirst, guard.Auto, guard.FullTrust}[w.r.IntN(4)] })
	case n < 88:
		w.p.do(func() { w.p.away = w.r.IntN(8) == 0 })
	case n < 90:
		w.p.do(func() { w.p.read = !w.p.read })
	case n < 98:
		if err := w.d.Apply(fmt.Sprintf("front %d", 1+w.r.IntN(4))); err != nil {
			w.t.Fatal(err)
		}
	case n < 99:
		w.p.do(func() { clear(w.p.allowed) })
	default:
		w.restart()
	}
}

// settled waits until what was judged while the switch was on is over, and has no step that could have begun before.
func (w *world) settled() {
	w.answerAll()
	w.wg.Wait()
	w.mu.Lock()
	w.off = true
	w.mu.Unlock()
}

func (w *world) stir() {
	select {
	case w.moved <- struct{}{}:
	default:
	}
}

// calm waits until every step has ended or some question waits.
func (w *world) calm() {
	for w.busy.Load() > 0 && len(w.desk.Waiting()) == 0 {
		<-w.moved
	}
}

// answerAll says no to whatever waits, until nothing runs.
func (w *world) answerAll() {
	for w.busy.Load() > 0 {
		w.calm()
		for _, q := range w.desk.Waiting() {
			w.desk.Answer(q.ID, ask.No)
		}
	}
}

// restart ends Conch and starts it again on the same settings.
func (w *world) restart() {
	for chat := range w.turns {
		w.end(chat)
	}
	w.answerAll()
	w.wg.Wait()
	w.check()
	w.start()
}

// check looks at what must be so while nothing runs.
func (w *world) check() {
	w.t.Helper()
	if held := w.d.Held(); len(held) > 0 {
		w.t.Fatalf("still held: %v", held)
	}
	if !w.edge.dark() {
		w.t.Fatal("the edge is still lit")
	}
	if _, turn, ok := w.c.Holder(); ok {
		w.t.Fatalf("%s still has the computer", turn)
	}
	for _, kept := range []driver.WindowID{3, 4} {
		if in := harm(w.d.Landed(kept)); len(in) > 0 {
			w.t.Fatalf("in window %d, which is kept away: %v", kept, in)
		}
	}
	w.d.Forget()
}

// Whatever happens in whatever order: never two holders, never input without one, never after Stop, never while it's
// off, never in a window that is kept away. CONCH_STEPS says how many random events (100,000 before a release); the seed repeats their choice.
func TestRandomEvents(t *testing.T) {
	steps := 30_000
	if n, err := strconv.Atoi(os.Getenv("CONCH_STEPS")); err == nil {
		steps = n
	}
	seed := rand.Uint64()
	t.Logf("%d steps, seed %d", steps, seed)
	w := &world{
		t: t, r: rand.New(rand.NewPCG(seed, 7)), d: fake.New(t, small), turns: map[string]string{}, over: map[string]bool{}, said: map[string]int{}, moved: make(chan struct{}, 1),
		p: &person{on: true, mode: guard.AskFirst, allowed: map[driver.AppID]bool{}}, edge: &edge{lit: map[string]bool{}},
	}
	w.start()
	for i := range steps {
		w.one()
		w.edge.mu.Lock()
		lit := len(w.edge.lit)
		w.edge.mu.Unlock()
		w.mu.Lock()
		wrong := w.wrong
		w.mu.Unlock()
		if wrong != "" || lit > 1 {
			t.Fatalf("step %d: %s; %d edges are lit", i, wrong, lit)
		}
	}
	w.restart()
	t.Logf("%d turns, %d events", w.n, w.events)
	if w.events < steps/100 {
		t.Errorf("too little was done: %v", w.said)
	}
}

package computer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"conch/driver"
	"conch/driver/fake"
	"conch/gateway/ask"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
	"conch/gateway/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is a desktop with an editor, a calculator, a password manager, a terminal and a bank's page.
const desk = `
-- screen --
display main 1280x800
app org.xfce.mousepad "Mousepad"
app org.gnome.Calculator "Calculator"
app org.keepassxc.KeePassXC "KeePassXC"
app debian-xterm "XTerm"
window 1 "notes.txt - Mousepad" org.xfce.mousepad 100,100 400x300 name "Mousepad" front { field body 120,140 360x200 focused; button save "Save" 120,360 80x24 }
window 2 "Calculator" org.gnome.Calculator 550,100 300x300 name "Calculator" { button seven "7" 560,140 40x40 }
window 3 "Passwords - KeePassXC" org.keepassxc.KeePassXC 900,100 300x300 name "KeePassXC" { field vault 920,140 200x40; button copy "Copy" 920,200 80x24 }
window 4 "user@host" debian-xterm 100,450 400x300 name "XTerm" { field shell 110,480 380x250 }
window 5 "PayPal - Chromium" chromium 550,450 400x300 name "Chromium" { button pay "Pay now" 560,500 80x24 }
-- after open org.gnome.Calculator --
front 2
-- after open org.xfce.mousepad --
front 1
`

// person is everybody around the computer: the chats, the switch, and who answers questions.
type person struct {
	mu       sync.Mutex
	on       bool
	mode     guard.Mode
	away     bool
	read     bool
	allowed  map[driver.AppID]bool
	taints   []string
	taintErr error
	asked    []ask.Question
	answers  func(ask.Question) ask.Choice
}

func (p *person) do(f func()) { p.mu.Lock(); defer p.mu.Unlock(); f() }

func (p *person) On() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.on }
func (p *person) Allowed(id driver.AppID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.allowed[id]
}

func (p *person) Turn(string) guard.Turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return guard.Turn{Surface: guard.InChat, Origin: guard.Person, Mode: p.mode, Attended: !p.away, ReadOutside: p.read}
}
func (p *person) Title(chat string) string { return "Chat " + chat }
func (p *person) questions() int           { p.mu.Lock(); defer p.mu.Unlock(); return len(p.asked) }
func (p *person) Allow(id driver.AppID, _ string) error {
	p.do(func() { p.allowed[id] = true })
	return nil
}

func (p *person) Taint(_ context.Context, chat, source string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taints = append(p.taints, chat+": "+source)
	return p.taintErr
}

// Put answers as the test says; an Always is kept as the desk of questions keeps it.
func (p *person) Put(ctx context.Context, q ask.Question) ask.Choice {
	p.mu.Lock()
	p.asked = append(p.asked, q)
	answers := p.answers
	p.mu.Unlock()
	if answers == nil {
		<-ctx.Done()
		return ask.No
	}
	c := answers(q)
	if ctx.Err() != nil {
		return ask.No
	}
	if c == ask.Always {
		if !q.Always || q.Keep() != nil {
			return ask.Once
		}
	}
	return c
}

// edge notes what it was told, and can fail.
type edge struct {
	mu    sync.Mutex
	lit   map[string]bool
	steps []string
	err   error
}

func (e *edge) Light(_ context.Context, turn, label string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return e.err
	}
	e.lit[turn] = true
	e.steps = append(e.steps, label)
	return nil
}

func (e *edge) Step(turn, label string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.lit[turn] {
		panic("a step on a dark edge")
	}
	e.steps = append(e.steps, label)
}

func (e *edge) Dark(turn string) { e.mu.Lock(); defer e.mu.Unlock(); delete(e.lit, turn) }

func (e *edge) dark() bool { e.mu.Lock(); defer e.mu.Unlock(); return len(e.lit) == 0 }

// rig is a computer on a written desktop.
type rig struct {
	*Computer
	t    *testing.T
	d    *fake.Driver
	p    *person
	edge *edge
}

func once(ask.Question) ask.Choice   { return ask.Once }
func never(ask.Question) ask.Choice  { return ask.No }
func always(ask.Question) ask.Choice { return ask.Always }

func newRig(t *testing.T, screen string, change ...func(*Config)) *rig {
	t.Helper()
	d := fake.New(t, screen)
	p := &person{on: true, mode: guard.AskFirst, allowed: map[driver.AppID]bool{}, answers: once}
	e := &edge{lit: map[string]bool{}}
	cfg := Config{
		Driver: d, Edge: e, Asker: p, Settings: p, Chats: p, EdgeRequired: true, Desktop: policy.Linux,
		Quiet: 5 * time.Millisecond, First: 10 * time.Millisecond, Cap: 200 * time.Millisecond, Limit: time.Minute,
	}
	for _, f := range change {
		f(&cfg)
	}
	return &rig{New(cfg), t, d, p, e}
}

// say does one step in chat "a", turn "a1".
func (r *rig) say(args string) tool.Result { return r.in(context.Background(), "a", "a1", args) }

func (r *rig) in(ctx context.Context, chat, turn, args string) tool.Result {
	r.t.Helper()
	res := r.Run(ctx, tool.Call{Chat: chat, Turn: turn, Args: []byte(args)})
	if res.Text == "" {
		r.t.Errorf("%s: no sentence", args)
	}
	if res.Failed == (res.Picture != nil) {
		r.t.Errorf("%s: failed %v with picture %v: %s", args, res.Failed, res.Picture != nil, res.Text)
	}
	return res
}

// must does a step that has to work.
func (r *rig) must(args string) tool.Result {
	r.t.Helper()
	res := r.say(args)
	if res.Failed {
		r.t.Fatalf("%s: %s", args, res.Text)
	}
	return res
}

// events lists the input so far as text.
func (r *rig) events() []string {
	var out []string
	for _, e := range r.d.Events() {
		out = append(out, e.String())
	}
	return out
}

func (r *rig) apply(lines string) {
	r.t.Helper()
	if err := r.d.Apply(lines); err != nil {
		r.t.Fatal(err)
	}
}

// clean checks that nothing is left of any turn.
func (r *rig) clean() {
	r.t.Helper()
	if held := r.d.Held(); len(held) > 0 {
		r.t.Errorf("still held: %v", held)
	}
	if !r.edge.dark() {
		r.t.Error("the edge is still lit")
	}
	if chat, _, ok := r.Holder(); ok {
		r.t.Errorf("chat %s still has the computer", chat)
	}
	if r.d.Begun() {
		r.t.Error("the driver still follows the screen")
	}
	if r.pixels.last != nil || r.pixels.latest != nil {
		r.t.Error("the picture is still in memory")
	}
}

func click(x, y int) string { return fmt.Sprintf(`{"action":"left_click","coordinate":[%d,%d]}`, x, y) }

func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !f(); {
		if time.Now().After(end) {
			t.Fatalf("never %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

var errNo = errors.New("no")

// kinds lists the kinds of input that arrived in a window.
func (r *rig) landed(id driver.WindowID) int {
	return len(slices.DeleteFunc(r.d.Landed(id), func(e fake.Event) bool { return e.Kind == fake.Moved }))
}

package computer

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"conch/driver"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
	"conch/gateway/tool"
)

// ToolName is what models call the tool.
const ToolName = "computer"

//go:embed computer.md
var about string

//go:embed schema.json
var schema []byte

// Computer is the computer as chats use it: one chat at a time, one step at a time. Make one with New.
type Computer struct {
	cfg    Config
	drv    *limited
	token  chan struct{} // held by the step that runs
	pixels pixels

	mu    sync.Mutex
	held  held
	chats map[string]*session
}

// New makes a Computer. It reads nothing and shows nothing until a step comes.
func New(cfg Config) *Computer {
	c := &Computer{cfg: cfg.filled(), token: make(chan struct{}, 1), chats: map[string]*session{}}
	c.held.turns, c.pixels.to = map[string]*turn{}, encoded
	c.drv = &limited{Driver: cfg.Driver, limit: c.cfg.Limit, free: c.freed, acts: c.acts}
	return c
}

// Tool is the tool as engines and chats are offered it.
func (c *Computer) Tool() tool.Tool {
	said := strings.TrimSpace(about)
	return tool.Tool{
		Name: ToolName, Title: "Use your apps", About: said, Schema: schema, Effect: tool.Sends, Scope: "computer", Steps: true,
		OnGrid: &tool.Words{About: inCells.Replace(said), Schema: []byte(inCells.Replace(string(schema)))}, Run: c.Run,
	}
}

// step is one call while it runs.
type step struct {
	c      *Computer
	t      *turn
	before int // steps of the turn before this one
	act    Action
	say    func(string)
	limits tool.Limits  // of the answer's picture
	blind  bool         // nobody looks at it
	onGrid bool         // the model's points are cells of a grid
	frame  driver.Frame // of the picture that the step's points are in
	seen   bool
	sent   int // input sent before this step

	windows []driver.Window // as they were before it
	typed   string          // what its turn has typed before it
	part    *part           // what of it is sent now, where it has several parts
	yes     pressed         // what the person allowed to press, until it is pressed
	mute    bool            // an app didn't say in time what is in it: it isn't asked again

	word  policy.Action // for the log
	rule  string        // the last rule that decided
	cause string        // the type of what went wrong; never its text
	did   string        // what was done, for the chat's log
	app   string        // what it used, or was to use, by its name
	told  string        // why it failed, for the person; empty: as it is said to the model
	spoke bool          // it has said what it is doing
	broke bool          // something went wrong, or was done in part: it was more than refused
}

// Run does one step. Its answer never holds what was typed.
func (c *Computer) Run(ctx context.Context, in tool.Call) tool.Result {
	begun := time.Now()
	t, before, err := c.enter(in.Chat, in.Turn)
	if err != nil {
		return failed(why(err))
	}
	s := &step{c: c, t: t, before: before, say: in.Step, limits: in.Picture, blind: in.Blind, onGrid: in.OnGrid, word: "unreadable"}
	if s.say == nil {
		s.say = func(string) {}
	}
	r := s.try(ctx, in.Args)
	r.Rule, r.Refused, r.Kind, r.App = s.rule, r.Failed && !s.broke, string(s.word), s.app
	if r.Failed {
		r.Told = s.told
	}
	switch {
	case !r.Failed:
		r.Did = s.did
	case r.Refused && !s.spoke && s.act != nil:
		r.Did = wantedSay(s.act)
	}
	c.cfg.Log.InfoContext(ctx, "computer step", "chat", t.chat, "turn", t.id, "step", before+1, "action", s.word, "rule", s.rule,
		"failed", r.Failed, "cause", s.cause, "took", time.Since(begun).Round(time.Millisecond))
	return r
}

// try reads a step, passes the gate and waits for its turn.
func (s *step) try(ctx context.Context, args []byte) tool.Result {
	act, err := Parse(args)
	if err == nil && s.onGrid {
		act, err = fromCells(act, s.c.session(s.t.chat).frame)
	}
	if err != nil {
		// A step that can't be read is still one of the turn's steps, and off is said before anything else.
		if v, refused := s.gate(s.c.gateFacts(s.t, s.before, policy.Screenshot)); refused {
			return failed(v.Say)
		}
		s.told = unreadTold
		return failed(err.Error())
	}
	s.act, s.word = act, act.Word()
	if v, refused := s.gate(s.gateFacts()); refused {
		return failed(v.Say)
	}
	ctx, free := both(ctx, s.t.ctx)
	defer free()
	select {
	case s.c.token <- struct{}{}:
		defer func() { <-s.c.token }()
	case <-ctx.Done():
		return failed(stoppedSay(false))
	}
	return s.run(ctx)
}

// gate asks the rules that need nothing of the screen, and notes which one refused.
func (s *step) gate(f guard.Facts) (guard.Verdict, bool) {
	v, refused := guard.Gate(f)
	if refused {
		s.rule, s.told = v.Rule, guard.Told(v.Rule)
	}
	return v, refused
}

func (s *step) gateFacts() guard.Facts {
	f := s.c.gateFacts(s.t, s.before, s.act.Word())
	f.Refused = refusedKey(s.act, s.c.cfg.Desktop)
	f.Protected = s.namesOwn()
	return f
}

// run does a step that may be done as far as is known without looking, and has the token.
func (s *step) run(ctx context.Context) (r tool.Result) {
	c := s.c
	if c.cfg.Driver == nil {
		return failed("There is no screen that Conch can use here.")
	}
	if v, refused := s.gate(s.gateFacts()); refused { // it may have waited for another step
		return failed(v.Say)
	}
	if !c.take(s.t) {
		f := s.gateFacts()
		f.Holds = false
		return failed(guard.Decide(f).Say)
	}
	s.sent, s.typed = c.drv.sent(), s.t.typed
	err := c.cfg.Chats.Taint(ctx, s.t.chat, TaintSource)
	if err != nil {
		return s.fail(ctx, &sayError{say: "Conch couldn't note that this chat looks at your screen, so it doesn't look.", err: err})
	}
	if err := c.drv.Ready(ctx); err != nil {
		return s.fail(ctx, err)
	}
	if err := c.drv.Begin(ctx); err != nil {
		return s.fail(ctx, err)
	}
	carryOut := s.carryOut
	if policy.ReachOf(s.act.Word()) != policy.Looks {
		carryOut = func(ctx context.Context) (outcome, error) { return s.besides(ctx, s.carryOut) }
	}
	done, err := carryOut(ctx)
	if err != nil {
		return s.fail(ctx, err)
	}
	s.did = loggedSay(s.act, done.say)
	return s.answer(ctx, done)
}

// sayError is a refusal or failure with its sentence for a person.
type sayError struct {
	say  string
	told string // for the person, where say is for the model; empty: as it is
	err  error  // why, for whoever unwraps it; nil for a refusal
}

// refusal is what a rule refused.
func refusal(v guard.Verdict) error { return &sayError{say: v.Say, told: guard.Told(v.Rule)} }

func (e *sayError) Error() string { return e.say }
func (e *sayError) Unwrap() error { return e.err }

func failed(say string) tool.Result { return tool.Result{Text: say, Failed: true} }

// fail ends a step that went wrong: what is held goes up, and the sentence says what happened, whether
// something may have been done, and what to do next.
func (s *step) fail(ctx context.Context, err error) tool.Result {
	acted := s.c.drv.sent() > s.sent
	s.cause = fmt.Sprintf("%T", err)
	said, ok := errors.AsType[*sayError](err)
	s.broke = !ok || said.err != nil || acted
	if acted {
		s.t.down = false
		_ = s.c.drv.Release(context.WithoutCancel(ctx))
	}
	if ctx.Err() != nil {
		return failed(stoppedSay(acted))
	}
	s.told = errorTold(err, acted)
	return failed(errorSay(err, acted))
}

// outcome is what a step did, before it is looked at.
type outcome struct {
	say    string // "Clicked in Mousepad."
	data   []byte
	zoom   *driver.ScreenRect // what to look at instead of the whole display
	acted  bool               // input was sent, so the screen may be about to change
	change uint64             // the screen's count of changes right before
	ripple *driver.PicPoint
	find   *Find // to be answered in the new picture
	cursor bool  // likewise
	target target
}

// Live is what the live card shows of a turn.
type Live struct {
	PictureID string // for Shot; empty until there is one
	W, H      int    // its size in pixels
	Step      string // "Typing in Mousepad"
	App       string // the app used last, by its name; empty until one was
	Used, Max int
	Ripple    *driver.PicPoint // the last click; nil when there was none
}

// Live returns what the turn of a chat is doing, while it holds the computer.
func (c *Computer) Live(chat string) (Live, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.held.owner
	if o == nil || o.chat != chat || o.ending {
		return Live{}, false
	}
	l := Live{Step: o.label, App: o.app, Used: o.used, Max: c.cfg.Steps}
	if o.picture != nil {
		l.PictureID, l.W, l.H = o.picture.id, o.picture.picture.W, o.picture.picture.H
	}
	if o.ripple != nil {
		p := *o.ripple
		l.Ripple = &p
	}
	return l, true
}

// Shot returns the latest picture, while its turn lasts. An older one is gone.
func (c *Computer) Shot(id string) (tool.Picture, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.held.owner; o != nil && !o.ending && o.picture != nil && o.picture.id == id {
		return o.picture.picture, true
	}
	return tool.Picture{}, false
}

// doing tells everybody what the step does now, and the edge where it is lit and doesn't know.
func (s *step) doing(label string, tell bool) {
	c := s.c
	c.mu.Lock()
	s.t.label = label
	tell = tell && s.t.lit
	c.mu.Unlock()
	s.spoke = true
	s.say(label)
	if tell {
		c.cfg.Edge.Step(s.t.id, label)
	}
	c.cfg.OnLive(s.t.chat)
}

// light makes sure that the edge is lit before anything is seen or touched. app is the name of what is used
// from here on; empty when it is no app, or not known.
func (s *step) light(ctx context.Context, label, app string) error {
	c := s.c
	c.mu.Lock()
	lit := s.t.lit
	if app != "" {
		s.t.app, s.app = app, app
	}
	c.mu.Unlock()
	if !lit && c.cfg.Edge != nil {
		err := c.cfg.Edge.Light(ctx, s.t.id, label)
		if ctx.Err() != nil {
			c.cfg.Edge.Dark(s.t.id)
			return ctx.Err()
		}
		if err != nil && c.cfg.EdgeRequired {
			return &sayError{say: "Conch can't show that it uses the computer, so it doesn't. " + sentence(err.Error()), err: err}
		}
		if err == nil {
			c.mu.Lock()
			s.t.lit = true
			over := s.t.ending
			c.mu.Unlock()
			if over {
				c.cfg.Edge.Dark(s.t.id)
				return errTurnOver
			}
		}
	} else if !lit && c.cfg.EdgeRequired {
		return &sayError{say: "Conch can't show that it uses the computer, so it doesn't."}
	}
	s.doing(label, lit)
	return nil
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return capital(s)
}

// asUnready finds the driver's own sentence in an error.
func asUnready(err error) (*driver.Unready, bool) { return errors.AsType[*driver.Unready](err) }

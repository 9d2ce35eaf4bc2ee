package computer

import (
	"context"
	"errors"
	"sync"
	"time"

	"conch/driver"
	"conch/driver/gesture"
	"conch/gateway/ask"
)

// What counts as a person taking the mouse.
const (
	// A pointer moved less than takeFar points within takeWithin was only touched.
	takeFar    = 40
	takeWithin = 600 * time.Millisecond
	// ownAfter is how long a movement may still come of Conch's own input: platforms make some up by themselves.
	ownAfter = 250 * time.Millisecond
	// answerAfter is how long a person who answered a question may still be on the way back from the answer.
	answerAfter = 2 * time.Second
	// stopSoon is how long a question waits for the rest of a Stop, whose first key is a key like any other.
	stopSoon = 400 * time.Millisecond
)

// errTaken is why the input of a step ends when the person takes the mouse or keyboard.
var errTaken = errors.New("the person took the mouse or keyboard")

// takeover decides when what a person does counts as taking over: once Conch has sent input in this turn, any key,
// button or turn of the wheel, and a movement that is no mere touch. While a question to the person is open and
// shortly after its answer nothing counts, since they may need the mouse for it. The zero value is ready.
type takeover struct {
	mu    sync.Mutex
	acted time.Time // when Conch sent input last; zero before the first
	deaf  time.Time // nothing before then counts
	asked int       // questions that are open
	begun time.Time // of the movement that goes on
	moved float64   // in it, in points
	by    driver.Deed
	alone bool // the person said that they go on alone
	stop  context.CancelCauseFunc

	ended chan struct{} // closed when nobody listens any more; nil when nobody began to
}

// act notes input of Conch's own.
func (t *takeover) act(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.acted = now
}

// heard takes in one thing that the person did.
func (t *takeover) heard(e driver.PersonEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by != 0 || t.acted.IsZero() || t.asked > 0 || e.At.Before(t.deaf) {
		return
	}
	if e.Deed == driver.DeedMove {
		if e.At.Sub(t.acted) < ownAfter {
			t.begun = time.Time{}
			return
		}
		if t.begun.IsZero() || e.At.Sub(t.begun) > takeWithin {
			t.begun, t.moved = e.At, 0
		}
		if t.moved += e.Move; t.moved < takeFar {
			return
		}
	}
	t.by = e.Deed
	if t.stop != nil {
		t.stop(errTaken)
	}
}

// during returns a context for a step's input that ends when the person takes over, and what ends that.
func (t *takeover) during(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop = cancel
	if t.by != 0 {
		cancel(errTaken)
	}
	return ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stop = nil
		cancel(nil)
	}
}

// taken says with what the person has taken over, and whether they have said to go on alone.
func (t *takeover) taken() (by driver.Deed, alone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.by, t.alone
}

// asking counts an open question; the function that it returns is for when it is answered.
func (t *takeover) asking() (answered func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.asked--
		t.deaf, t.begun = time.Now().Add(answerAfter), time.Time{}
	}
}

// settle keeps what the person answered.
func (t *takeover) settle(goOn bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alone = !goOn
	if goOn {
		t.by = 0
	}
}

// listen hears the person from now until the turn ends, unless they don't want that, or it can't be.
func (s *step) listen() {
	c, t := s.c, &s.t.person
	if pauses, ok := c.cfg.Settings.(interface{ Pauses() bool }); ok && !pauses.Pauses() || c.cfg.Watcher == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended != nil {
		return
	}
	heard, err := c.cfg.Watcher.Watch(s.t.ctx)
	if err != nil {
		c.cfg.Log.WarnContext(s.t.ctx, "a person taking the mouse isn't noticed", "turn", s.t.id, "error", err)
		return
	}
	ended := make(chan struct{})
	t.ended = ended
	go func() {
		defer close(ended)
		for e := range heard {
			t.heard(e)
		}
	}()
}

// listened waits until nobody listens any more, which is soon once the turn's context has ended.
func (t *takeover) listened() {
	t.mu.Lock()
	ended := t.ended
	t.mu.Unlock()
	if ended == nil {
		return
	}
	limit := time.NewTimer(grace)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
	}
}

// besides does what sends input, unless the person has taken the mouse or keyboard, and only as long as they don't.
// When they do it asks whether to go on. The step fails either way: the screen may be another one by now.
func (s *step) besides(ctx context.Context, do func(context.Context) (outcome, error)) (outcome, error) {
	t := &s.t.person
	s.listen()
	by, alone := t.taken()
	if alone {
		return outcome{}, &sayError{say: aloneSay, told: aloneTold}
	}
	if by != 0 { // since the last step
		return outcome{}, s.goOn(ctx, by)
	}
	beside, free := t.during(ctx)
	o, err := do(beside)
	taken := errors.Is(context.Cause(beside), errTaken)
	free()
	if err == nil || ctx.Err() != nil || !taken {
		return o, err
	}
	by, _ = t.taken()
	said := s.goOn(ctx, by)
	if short, ok := errors.AsType[*gesture.ShortError](err); ok {
		said = &gesture.ShortError{Typed: short.Typed, Asked: short.Asked, Err: said}
	}
	return outcome{}, said
}

const aloneSay = "The person wants to go on alone. Do nothing more on their computer in this turn: say how far you got."

const aloneTold = "You go on alone, so nothing more is done in this turn."

// goOn lifts all that is held and asks the person who took over whether to go on. Until they answer nothing is sent.
func (s *step) goOn(ctx context.Context, by driver.Deed) error {
	s.t.down = false
	if err := s.c.drv.Release(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	soon := time.NewTimer(stopSoon)
	defer soon.Stop()
	select {
	case <-soon.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	what := "mouse"
	if by == driver.DeedKey {
		what = "keyboard"
	}
	s.doing("Waiting, because you took the "+what, true)
	answered := s.t.person.asking()
	choice := s.c.cfg.Asker.Put(ctx, ask.Question{
		Chat: s.t.chat, Turn: s.t.id, Title: "You took the " + what + ". Go on?",
		Why: "Conch has stopped what it was doing, and looks again before it goes on.",
	})
	answered()
	if err := ctx.Err(); err != nil {
		return err
	}
	goOn := choice == ask.Once || choice == ask.Always
	s.t.person.settle(goOn)
	if !goOn {
		return &sayError{aloneSay, aloneTold, errTaken}
	}
	return &sayError{
		"The person took the " + what + ", so I stopped. They say to go on: take a screenshot and look again first.",
		"You took the " + what + ", so I stopped, and look again before I go on.", errTaken,
	}
}

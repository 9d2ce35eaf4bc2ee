// Package overlay is the pearl edge around every screen and the Stop card: what a person sees while their
// computer is used, and how they stop it from anywhere.
//
// Next is the whole behaviour, a pure function; an Overlay runs its effects through a Painter and a Keys,
// one of each per platform (overlay/x11). A Scene is what should be on the screen, as plain data; overlay/draw
// turns it into pixels, for the platforms and for golden images alike.
//
// It never decides whether the computer may be used, it never touches another program's window, and
// while no turn is lit it holds no key.
package overlay

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Painter shows scenes on one computer's screens.
type Painter interface {
	// Screens says what there is to paint on now.
	Screens(context.Context) (Screens, error)
	// Paint makes the screen show s and returns once that has been seen to be so, or says why it is not.
	// A dark scene (Scene.Dark) takes everything away.
	Paint(context.Context, Scene) error
	// Events brings StopPressed (on the card), ScreensChanged and Lost. It is never closed.
	Events() <-chan Event
	Close() error
}

// Keys holds the Stop key for as long as it is told to. Presses come as StopPressed on Events.
type Keys interface {
	// Grab takes the first Stop key that no other program holds. The error says why there is none.
	Grab(context.Context) (Held, error)
	Ungrab(context.Context) error
	// Events brings StopPressed and KeyChanged. It may be the same channel as the Painter's.
	Events() <-chan Event
}

// Held is the Stop key that works now.
type Held struct {
	Key    string // as written on the card, such as "Super+Esc"; "" when there is none
	Second bool   // the usual key is taken, so this is another one
	Why    string // for a person: why it isn't the usual key, or why there is none
}

var (
	// ErrStopped says that the person has stopped this turn, so the edge won't be lit for it again.
	ErrStopped = errors.New("you stopped this, so the screen's edge isn't lit for it again")
	// ErrEnded says that the turn ended, or another took its place, before the edge was shown.
	ErrEnded = errors.New("the screen's edge isn't lit: the turn is over")
	// ErrNoScreen says that there is nothing to show the edge on.
	ErrNoScreen = errors.New("there is no screen to show the edge on, so the computer can't be used")
	// ErrClosed says that the overlay has been closed.
	ErrClosed = errors.New("the screen's edge is closed: Conch is ending")
)

// Config is what an Overlay is made of.
type Config struct {
	Painter Painter           // nil: nothing can be shown, and Light refuses
	Keys    Keys              // nil: there is no Stop key, only the card
	Stop    func(turn string) // interrupts a turn; called at most once for each, never from within a method here
	// ReducedMotion holds the glow still whatever the desktop's own setting says.
	ReducedMotion bool
	// First is run before the first turn is lit, and again before the next as long as it fails; its error is why
	// the turn isn't lit. nil is nothing to run.
	First func(context.Context) error
	// Limit is how long one painting may take before it counts as failed; 0 means five seconds.
	Limit time.Duration
}

// Status is what the menu and the settings page say about the edge.
type Status struct {
	Lit      bool
	Turn     string
	Label    string // what is being done
	Stopping bool   // Stop was pressed and the turn has not ended yet
	Held            // the key that works, while lit
	Fault    string // why the edge could not be shown the last time; "" when it could
}

// Overlay is the edge and the card of one computer. Its methods may be called from several goroutines.
type Overlay struct {
	c    Config
	wake chan struct{}
	done chan struct{} // closed when the runner has ended

	first  sync.Mutex // held while First runs
	passed bool       // guarded by first
	bg     sync.WaitGroup

	mu      sync.Mutex // guards all below
	queue   []asked
	closing bool
	status  Status

	// Only the runner touches these.
	m        Model
	waiting  []asked    // those who wait for the edge to be shown
	busy     *showing   // what the Painter is doing
	next     *showing   // what it does after that: only the newest scene counts
	finished chan error // how busy came out
}

// New makes an Overlay and starts its runner, which Close ends.
func New(c Config) *Overlay {
	if c.Limit <= 0 {
		c.Limit = 5 * time.Second
	}
	if c.Stop == nil {
		c.Stop = func(string) {}
	}
	o := &Overlay{c: c, wake: make(chan struct{}, 1), done: make(chan struct{}), finished: make(chan error, 1)}
	go o.run()
	return o
}

// Light lights the edge for a turn and returns once it is really shown, or says why it is not. label is what
// is being done, in a few words. For a turn that is lit already it only changes the label. When ctx ends
// first, a turn that is not shown yet is dark again. After any error Dark is still safe to call.
func (o *Overlay) Light(ctx context.Context, turn, label string) error {
	if turn == "" {
		return fmt.Errorf("light the edge: the turn has no id")
	}
	if o.c.Painter == nil {
		return ErrNoScreen
	}
	if err := o.ready(ctx); err != nil {
		return err
	}
	reply := make(chan error, 1)
	if !o.ask(asked{Began{Turn: turn, Label: label}, reply}) {
		return ErrClosed
	}
	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
		select {
		case err := <-reply: // both at once: it is shown
			return err
		default:
		}
		o.ask(asked{event: gaveUp{Turn: turn}})
		return fmt.Errorf("light the edge: %w", ctx.Err())
	}
}

// ready runs First until it has passed once.
func (o *Overlay) ready(ctx context.Context) error {
	o.first.Lock()
	defer o.first.Unlock()
	if o.passed || o.c.First == nil {
		return nil
	}
	if err := o.c.First(ctx); err != nil {
		return err
	}
	o.passed = true
	return nil
}

// Step changes what the card says is being done. It returns at once, and only the newest step is shown.
func (o *Overlay) Step(turn, label string) { o.ask(asked{event: Step{turn, label}}) }

// Dark ends the edge for a turn and returns once it is gone. For a turn that isn't lit it does nothing.
func (o *Overlay) Dark(turn string) {
	reply := make(chan error, 1)
	if o.ask(asked{Ended{turn}, reply}) {
		<-reply //nolint:errcheck // always nil: it only says when
	}
}

// Status says how things stand.
func (o *Overlay) Status() Status {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.status
}

// Close takes everything away, interrupts a turn that is lit, closes the Painter and waits for all of it.
func (o *Overlay) Close() error {
	o.mu.Lock()
	first := !o.closing
	o.closing = true
	o.mu.Unlock()
	if first {
		o.nudge()
	}
	<-o.done
	o.bg.Wait()
	if first && o.c.Painter != nil {
		return o.c.Painter.Close()
	}
	return nil
}

// ask hands a to the runner; false after Close.
func (o *Overlay) ask(a asked) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing {
		return false
	}
	if s, ok := a.event.(Step); ok && len(o.queue) > 0 {
		if last, ok := o.queue[len(o.queue)-1].event.(Step); ok && last.Turn == s.Turn {
			o.queue[len(o.queue)-1] = a // nobody has seen the older one
			return true
		}
	}
	o.queue = append(o.queue, a)
	o.nudge()
	return true
}

func (o *Overlay) nudge() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

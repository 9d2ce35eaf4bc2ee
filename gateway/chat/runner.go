package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"unicode/utf8"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// TextMax is the size of the longest message, in bytes.
const TextMax = 100_000

// Options are what a Runner needs.
type Options struct {
	Store *Store
	// Pick says what thinks for a turn of a chat. Without it, or with its error, the turn fails in the words of the
	// *engine.Problem.
	Pick func(ctx context.Context, chat string) (Mind, error)
	// Tools says what a turn is offered, and what Conch tells the engine beside it. Calls find their tool in
	// this very list.
	Tools func(ctx context.Context, chat, turn string) ([]tool.Tool, []string)
	// Permit judges a call of a tool that doesn't judge its own steps, and asks the person where it must. It returns
	// the rule that decided, and the refusal that answers the call, if it is refused. Without it every such call is.
	Permit func(ctx context.Context, chat, turn string, t tool.Tool, args []byte) (rule string, refusal *tool.Result)
	// Confirm puts a provider's own question to the person; without it the answer is no.
	Confirm func(ctx context.Context, chat, turn, title, why string) bool
	// Use is told what each request to a model took. Its error ends the turn: a limit that the person set.
	Use func(ctx context.Context, chat, turn string, m engine.Model, u engine.Usage) error
	// Live is told the words of an answer as they come; may be nil. It must not block.
	Live func(chat string, t LiveText)
	// Ending lets go of what a turn held; its end is written down after that. Ended is told that it is over,
	// before anybody who waits for it. Both may be nil.
	Ending, Ended func(chat, turn string)
	Log           *slog.Logger
}

// Runner runs turns, one at a time in each chat.
type Runner struct {
	opt  Options
	base context.Context
	stop context.CancelCauseFunc
	wg   sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	running map[string]*turn // by chat
}

// Mind is what thinks for a turn.
type Mind struct {
	Engine engine.Engine
	Model  engine.Model
	System string
}

// turn is one turn that runs.
type turn struct {
	id, chat string
	job      *Job // what it does where it isn't a person's message
	end      Event
	ctx      context.Context
	cancel   context.CancelCauseFunc
	done     chan struct{} // closed when all of it is over and written down
}

// NewRunner returns a runner without turns. Close ends it.
func NewRunner(opt Options) *Runner {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Live == nil {
		opt.Live = func(string, LiveText) {}
	}
	if opt.Ending == nil {
		opt.Ending = func(string, string) {}
	}
	if opt.Ended == nil {
		opt.Ended = func(string, string) {}
	}
	if opt.Pick == nil {
		opt.Pick = func(context.Context, string) (Mind, error) {
			return Mind{}, &engine.Problem{Say: "Nothing here can answer yet.", Next: "Add a model in Settings → Models."}
		}
	}
	if opt.Permit == nil {
		opt.Permit = func(context.Context, string, string, tool.Tool, []byte) (string, *tool.Result) {
			return "", &tool.Result{Failed: true, Refused: true, Text: "Nobody can say whether this may be done, so it isn't."}
		}
	}
	if opt.Confirm == nil {
		opt.Confirm = func(context.Context, string, string, string, string) bool { return false }
	}
	if opt.Use == nil {
		opt.Use = func(context.Context, string, string, engine.Model, engine.Usage) error { return nil }
	}
	if opt.Tools == nil {
		opt.Tools = func(context.Context, string, string) ([]tool.Tool, []string) { return nil, nil }
	}
	base, stop := context.WithCancelCause(context.Background())
	return &Runner{opt: opt, base: base, stop: stop, running: map[string]*turn{}}
}

// CheckText says why a message can't be taken: a *TextError, or nil.
func CheckText(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return &TextError{Say: "There is nothing in this message."}
	case !utf8.ValidString(text):
		return &TextError{Say: "This message isn't text that I can read."}
	case len(text) > TextMax:
		return &TextError{Say: fmt.Sprintf("This message is too long: %d of at most %d bytes.", len(text), TextMax)}
	}
	return nil
}

// Start takes a person's message and starts the turn that answers it. A *BusyError says that the chat's last
// message is still being worked on, a *TextError what is wrong with the message.
func (r *Runner) Start(ctx context.Context, chat, text string) (turnID string, err error) {
	if err := CheckText(text); err != nil {
		return "", err
	}
	c, err := r.opt.Store.Chat(ctx, chat)
	if err != nil {
		return "", err
	}
	if c.Origin != ByPerson {
		return "", ErrReadOnly
	}
	t, err := r.begin(ctx, chat, text, nil)
	if err != nil {
		return "", err
	}
	return t.id, nil
}

// Job is a turn that no person's message began.
type Job struct {
	Mind  Mind
	Tools []tool.Tool
	Step  func(string) // told what a tool is doing, beside the log; may be nil
}

// Do runs a turn of a paired app's chat; said is what its log shows. It returns how the turn ended once all of it
// has. When ctx ends the turn is stopped, and Do still waits for its end.
func (r *Runner) Do(ctx context.Context, chat, said string, j Job) (Event, error) {
	if err := ctx.Err(); err != nil {
		return Event{}, err
	}
	t, err := r.begin(ctx, chat, said, &j)
	if err != nil {
		return Event{}, err
	}
	defer context.AfterFunc(ctx, func() { t.cancel(ErrHungUp) })()
	<-t.done
	return t.end, nil
}

func (r *Runner) begin(ctx context.Context, chat, text string, j *Job) (*turn, error) {
	t := &turn{id: NewID(), chat: chat, job: j, done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(r.base)
	if err := r.claim(t); err != nil {
		t.cancel(nil)
		return nil, err
	}
	// The message is in the log before anything is done because of it. A caller that hangs up in between must
	// not leave a turn that is written down and never runs.
	if err := r.opt.Store.beginTurn(context.WithoutCancel(ctx), chat, t.id, text); err != nil {
		r.release(t)
		return nil, err
	}
	go r.run(t)
	return t, nil
}

// claim makes t the chat's turn, or says that there is one.
func (r *Runner) claim(t *turn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosing
	}
	if had := r.running[t.chat]; had != nil {
		return &BusyError{Chat: t.chat, Turn: had.id}
	}
	r.running[t.chat] = t
	r.wg.Add(1)
	return nil
}

func (r *Runner) release(t *turn) {
	r.mu.Lock()
	delete(r.running, t.chat)
	r.mu.Unlock()
	t.cancel(nil)
	r.opt.Ended(t.chat, t.id)
	close(t.done)
	r.wg.Done()
}

// Running says which turn a chat runs.
func (r *Runner) Running(chat string) (turnID string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.running[chat]
	if t == nil {
		return "", false
	}
	return t.id, true
}

// All lists the turns that run: their chats, by turn.
func (r *Runner) All() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[string]string, len(r.running))
	for chat, t := range r.running {
		out[t.id] = chat
	}
	return out
}

// Interrupt stops a turn as the person and waits until all of it has ended, or until ctx ends. It says
// whether the turn was running.
func (r *Runner) Interrupt(ctx context.Context, turnID string) (was bool, err error) {
	r.mu.Lock()
	var t *turn
	for _, one := range r.running {
		if one.id == turnID {
			t = one
		}
	}
	r.mu.Unlock()
	if t == nil {
		return false, nil
	}
	t.cancel(ErrStopped)
	select {
	case <-t.done:
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// Close interrupts every turn, starts no more, and waits until all have ended or ctx ends.
func (r *Runner) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.stop(ErrClosing)
	done := make(chan struct{})
	go func() { r.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return errors.New("a turn didn't end in time")
	}
}

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
	Store  *Store
	Engine engine.Engine
	// Tools says what a turn is offered, and what Conch tells the engine beside it. Calls find their tool in
	// this very list.
	Tools func(ctx context.Context, chat, turn string) ([]tool.Tool, []string)
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

// turn is one turn that runs.
type turn struct {
	id, chat string
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
	if _, err := r.opt.Store.Chat(ctx, chat); err != nil {
		return "", err
	}
	t := &turn{id: NewID(), chat: chat, done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(r.base)
	if err := r.claim(t); err != nil {
		t.cancel(nil)
		return "", err
	}
	// The message is in the log before anything is done because of it. A caller that hangs up in between must
	// not leave a turn that is written down and never runs.
	if err := r.opt.Store.beginTurn(context.WithoutCancel(ctx), chat, t.id, text); err != nil {
		r.release(t)
		return "", err
	}
	go r.run(t)
	return t.id, nil
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

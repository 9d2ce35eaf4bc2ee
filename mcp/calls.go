package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"conch/gateway"
	"conch/gateway/tool"
)

const (
	// answerWithin is how long a call is waited for. Most apps give up after about a minute, so by then they are told
	// that it goes on.
	answerWithin = 45 * time.Second
	// keptFor is how long the answer to such a call is kept for the same call made again.
	keptFor = 10 * time.Minute
	// keptMax bounds what is kept: pictures are among it.
	keptMax = 32
)

// calls makes each call once. A call that takes longer than apps wait goes on after they were told so, and the same
// call made again gets its answer instead of being made twice.
type calls struct {
	gw  Gateway
	now func() time.Time

	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
	slow   map[string]*call // told to go on, by who calls what
}

// call is one call that is made.
type call struct {
	done   chan struct{} // closed once result is there
	result tool.Result
	err    error
	end    context.CancelCauseFunc
	over   time.Time // when it was over; read once done is closed

	mu   sync.Mutex
	step func(string) // of whoever waits for it
}

func newCalls(gw Gateway, now func() time.Time) *calls {
	return &calls{gw: gw, now: now, slow: map[string]*call{}}
}

var errHungUp = errors.New("the app hung up")

// make makes a call and waits for its answer. When ctx ends before that, because the app hung up, the call is
// stopped. waits isn't empty when it goes on without anybody: it names the call that is to be made again.
func (cs *calls) make(ctx context.Context, c gateway.Client, name string, args []byte, step func(string)) (r tool.Result, waits string, err error) {
	key := keyOf(c, name, args)
	one, err := cs.begin(ctx, key, c, name, args, step)
	if err != nil {
		return tool.Result{}, "", err
	}
	defer one.tell(nil)
	late := time.NewTimer(answerWithin)
	defer late.Stop()
	select {
	case <-one.done:
		cs.forget(key, one)
		return one.result, "", one.err
	case <-ctx.Done():
		cs.forget(key, one)
		one.end(errHungUp)
		<-one.done
		return tool.Result{}, "", context.Cause(ctx)
	case <-late.C:
		cs.keep(key, one)
		return tool.Result{}, key, nil
	}
}

// begin joins the same call, where it is still going on or its answer is still kept, or begins it.
func (cs *calls) begin(ctx context.Context, key string, c gateway.Client, name string, args []byte, step func(string)) (*call, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.prune()
	if one := cs.slow[key]; one != nil {
		one.tell(step)
		return one, nil
	}
	if cs.closed {
		return nil, errClosing
	}
	// The call outlives the request that began it: it ends when its app hangs up before it was told to come back.
	run, end := context.WithCancelCause(context.WithoutCancel(ctx))
	one := &call{done: make(chan struct{}), end: end, step: step} // before it runs: its first step is told too
	cs.wg.Go(func() {
		defer end(nil)
		defer close(one.done)
		one.result, one.err = cs.gw.ClientCall(run, c, name, args, one.say)
		one.over = cs.now()
	})
	return one, nil
}

func (cs *calls) keep(key string, one *call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.prune()
	if len(cs.slow) >= keptMax {
		for old, other := range cs.slow { // any that is over; one that runs is never given up for another
			if other.isOver() {
				delete(cs.slow, old)
				break
			}
		}
	}
	cs.slow[key] = one
}

func (cs *calls) forget(key string, one *call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.slow[key] == one {
		delete(cs.slow, key)
	}
}

// prune forgets answers that nobody came for in time.
func (cs *calls) prune() {
	now := cs.now()
	for key, one := range cs.slow {
		if one.isOver() && now.Sub(one.over) >= keptFor {
			delete(cs.slow, key)
		}
	}
}

func (c *call) isOver() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// close makes no more calls, ends those that nobody waits for, and waits until all are over, or for ctx.
func (cs *calls) close(ctx context.Context) error {
	cs.mu.Lock()
	cs.closed = true
	for _, one := range cs.slow {
		one.end(errClosing)
	}
	cs.mu.Unlock()
	done := make(chan struct{})
	go func() { cs.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return errors.New("a call of another app didn't end in time")
	}
}

func (c *call) tell(step func(string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step = step
}

func (c *call) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.step != nil {
		c.step(text)
	}
}

// keyOf tells one app's call from every other.
func keyOf(c gateway.Client, name string, args []byte) string {
	sum := sha256.Sum256([]byte(c.ID + " " + name + " " + string(args)))
	return hex.EncodeToString(sum[:])
}

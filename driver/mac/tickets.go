package mac

import (
	"context"
	"sync"
)

// answer is what macOS says to a question that takes a while.
type answer struct {
	code   int
	say    string
	pixels *rawPixels // of a picture only
}

// tickets are the questions that wait for an answer. A block of macOS's knows its question by number alone: when
// nobody waits any more, the number leads nowhere and the late answer changes nothing.
type tickets struct {
	mu   sync.Mutex
	last uint64
	open map[uint64]chan answer
}

// ask asks by start, with a number that nobody had before, and waits. After ctx ends the answer is thrown away;
// cancel, when there is one, is called then.
func (t *tickets) ask(ctx context.Context, start func(ticket uint64), cancel func(ticket uint64)) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	c := make(chan answer, 1)
	t.mu.Lock()
	t.last++
	n := t.last
	if t.open == nil {
		t.open = map[uint64]chan answer{}
	}
	t.open[n] = c
	t.mu.Unlock()
	start(n)
	select {
	case a := <-c:
		return a, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	delete(t.open, n)
	t.mu.Unlock()
	if cancel != nil {
		cancel(n)
	}
	select {
	case a := <-c: // it came at the last moment
		if a.pixels != nil {
			a.pixels.free()
		}
	default:
	}
	return answer{}, ctx.Err()
}

// answer hands a in and says whether somebody took it. It never waits, and only the first answer counts.
func (t *tickets) answer(ticket uint64, a answer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok := t.open[ticket]
	if !ok {
		return false
	}
	delete(t.open, ticket)
	c <- a // has room: it is sent to once
	return true
}

// hearers are who is told of changes, by watch.
type hearers struct {
	mu   sync.Mutex
	last uint64
	all  map[uint64]chan watched
}

func (h *hearers) add(c chan watched) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	if h.all == nil {
		h.all = map[uint64]chan watched{}
	}
	h.all[h.last] = c
	return h.last
}

func (h *hearers) remove(n uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, n)
}

// tell never waits: a full channel has told of a change already. That a watch stopped must not be lost, so then
// what waits is dropped for it.
func (h *hearers) tell(n uint64, w watched) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.all[n]
	if !ok {
		return
	}
	for {
		select {
		case c <- w:
			return
		default:
		}
		if !w.stopped {
			return
		}
		select {
		case <-c:
		default:
		}
	}
}

package wire

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"conch/gateway/engine"
)

// Retry says how long a client has patience. The zero value has the usual.
type Retry struct {
	Max   int           // tries after the first; 0: 6; less than 0: none
	Total time.Duration // of all waits of one request; 0: three minutes
	Quiet time.Duration // how long nothing may come before an answer counts as broken off; 0: five minutes

	Now   func() time.Time                           // nil: the clock
	Sleep func(context.Context, time.Duration) error // nil: a timer; returns at once when the context ends
	Rand  func() float64                             // nil: chance; in [0,1)
}

const (
	usualTries  = 6
	usualTotal  = 3 * time.Minute
	usualQuiet  = 5 * time.Minute
	firstWait   = time.Second
	longestWait = 30 * time.Second
	// longestAsked is more than anybody waits; it keeps the sums small.
	longestAsked = 24 * time.Hour
	netTries     = 2 // an address that doesn't answer isn't asked as often as a place that is busy
)

func (r Retry) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

func (r Retry) quiet() time.Duration {
	if r.Quiet > 0 {
		return r.Quiet
	}
	return usualQuiet
}

func (r Retry) tries() int {
	if r.Max == 0 {
		return usualTries
	}
	return max(r.Max, 0)
}

func (r Retry) total() time.Duration {
	if r.Total > 0 {
		return r.Total
	}
	return usualTotal
}

func (r Retry) sleep(ctx context.Context, d time.Duration) error {
	if r.Sleep != nil {
		return r.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tries are the tries of one request.
type tries struct {
	c      *Client
	out    *Out
	n      int
	waited time.Duration
	said   bool
}

// goesOn takes back what was said about waiting. It is false when whoever ranges broke off.
func (t *tries) goesOn() bool {
	if !t.said {
		return true
	}
	t.said = false
	return t.out.Event(engine.Doing{})
}

// again waits before another try. It is false when there is no use in one; the error says that whoever ranges
// broke off.
func (t *tries) again(ctx context.Context, err error) (bool, error) {
	say, after, most, ok := t.c.passing(err)
	if !ok || t.n >= min(most, t.c.tries()) {
		return false, nil
	}
	t.n++
	wait := max(after, t.pause())
	if t.waited+wait > t.c.total() {
		return false, nil
	}
	t.waited += wait
	if t.out != nil {
		t.said = true
		if !t.out.Event(engine.Doing{Say: say}) {
			return false, ErrBroken
		}
	}
	if err := t.c.sleep(ctx, wait); err != nil {
		return false, err
	}
	return ctx.Err() == nil, nil
}

// pause doubles from try to try, and differs a little so that many don't come back at the same time.
func (t *tries) pause() time.Duration {
	chance := rand.Float64
	if t.c.Rand != nil {
		chance = t.c.Rand
	}
	d := min(firstWait<<min(t.n-1, 10), longestWait)
	return d*3/4 + time.Duration(chance()*float64(d)/4)
}

// passing says whether an error may pass by waiting, what a person is told meanwhile, how long the provider asks to
// wait and how many tries are worth it.
func (c *Client) passing(err error) (say string, after time.Duration, most int, ok bool) {
	busy := "Waiting for " + c.Where.Place + ", which is busy"
	if f, is := errors.AsType[Fault](err); is {
		return busy, f.After, usualTries, c.kind(f) == engine.Busy
	}
	if n, is := errors.AsType[*NetError](err); is {
		// A server of the person's own that isn't running doesn't start by itself.
		return "Trying to reach " + c.Where.Place, 0, netTries, !n.Quiet && !(n.Refused && c.Where.Own)
	}
	if errors.Is(err, ErrCut) {
		return "Asking " + c.Where.Place + " again", 0, netTries, true
	}
	return "", 0, 0, false
}

// retryAfter is how long a provider asks to wait: in milliseconds, in seconds, or until a time.
func retryAfter(h http.Header, now time.Time) time.Duration {
	const longest = longestAsked
	seconds := func(s string, unit time.Duration) (time.Duration, bool) {
		n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || !(n >= 0) {
			return 0, false
		}
		return time.Duration(min(n*float64(unit), float64(longest))), true
	}
	if d, ok := seconds(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	if d, ok := seconds(h.Get("Retry-After"), time.Second); ok {
		return d
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return min(max(at.Sub(now), 0), longest)
	}
	return 0
}

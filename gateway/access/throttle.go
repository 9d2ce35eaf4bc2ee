package access

import (
	"net/netip"
	"sync"
	"time"
)

const (
	failWindow  = time.Minute
	failsEach   = 20  // wrong proofs in a window from one address
	failsAll    = 100 // and from all
	maxFailures = 1024
)

// throttle counts failures per address and for everyone.
type throttle struct {
	now func() time.Time

	mu    sync.Mutex
	start time.Time
	each  map[netip.Addr]int
	all   int
}

func newThrottle(now func() time.Time) *throttle {
	if now == nil {
		now = time.Now
	}
	return &throttle{now: now, each: map[netip.Addr]int{}}
}

// allow counts one failure of remote (host:port) and says whether it is still within bounds.
func (t *throttle) allow(remote string) bool {
	addr, err := netip.ParseAddrPort(remote)
	if err != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.now(); now.Sub(t.start) > failWindow || now.Before(t.start) {
		t.start, t.all = now, 0
		clear(t.each)
	}
	ip := addr.Addr().Unmap()
	if _, known := t.each[ip]; known || len(t.each) < maxFailures {
		t.each[ip]++
	}
	t.all++
	return t.each[ip] <= failsEach && t.all <= failsAll
}

package access

import (
	"net/netip"
	"sync"
	"time"
)

// Limit says how many tries go within a window: from one address, and from all of them together.
type Limit struct {
	Each, All int
	Window    time.Duration
}

// The limits. Those of the password are tight, since a person chose it; the others are for guesses at 256 bits,
// and keep a log and a processor from being filled.
var (
	LimitProofs   = Limit{Each: 20, All: 100, Window: time.Minute}
	LimitCodes    = Limit{Each: 20, All: 100, Window: time.Minute}
	LimitSignIns  = Limit{Each: 5, All: 30, Window: 5 * time.Minute}
	LimitConfirms = Limit{Each: 5, All: 15, Window: time.Minute}
)

// mostAddresses bounds what is remembered. A window's All is far below it, so nobody is forgotten in favour of
// somebody who calls from everywhere.
const mostAddresses = 1024

// Throttle counts tries per address, then for everyone. It is safe for several goroutines.
type Throttle struct {
	limit Limit
	now   func() time.Time

	mu   sync.Mutex
	each map[netip.Prefix]*window
	all  window
}

// window is how many tries there were since when.
type window struct {
	since time.Time
	n     int
}

// NewThrottle makes one; nil is the clock of this computer.
func NewThrottle(limit Limit, now func() time.Time) *Throttle {
	if now == nil {
		now = time.Now
	}
	return &Throttle{limit: limit, now: now, each: map[netip.Prefix]*window{}}
}

// Try counts one try from an address and says whether it is within bounds. It is counted before the work that it
// asks for, so that many at once are no way around. A try that was refused makes nobody wait longer.
func (t *Throttle) Try(from netip.Addr) bool {
	if !from.IsValid() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.forget(now)
	key := household(from)
	w := t.each[key]
	if w == nil {
		w = &window{since: now}
		if len(t.each) < mostAddresses {
			t.each[key] = w
		}
	}
	if w.n >= t.limit.Each {
		return false // this address has had its own: it takes nothing from the others
	}
	if t.all.n >= t.limit.All {
		return false
	}
	if t.all.n == 0 {
		t.all.since = now
	}
	w.n++
	t.all.n++
	return true
}

// Right takes back the tries of an address that turned out to be right.
func (t *Throttle) Right(from netip.Addr) {
	if !from.IsValid() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := household(from)
	if w := t.each[key]; w != nil {
		t.all.n = max(0, t.all.n-w.n)
		delete(t.each, key)
	}
}

// forget drops what is over. A clock that was set back makes nobody wait for it.
func (t *Throttle) forget(now time.Time) {
	over := func(w *window) bool { return now.Sub(w.since) > t.limit.Window || now.Before(w.since) }
	for key, w := range t.each {
		if over(w) {
			delete(t.each, key)
		}
	}
	if over(&t.all) {
		t.all = window{}
	}
}

// household is whom an address counts for: whoever has one IPv6 address has 2⁶⁴ of them.
func household(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // never fails: the address is valid and has that many
	return p
}

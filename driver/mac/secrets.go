package mac

import (
	"sync"
	"time"

	"conch/driver"
)

// secret is a password field.
type secret struct {
	pid int
	at  driver.ScreenRect
}

// secretsLater is how much later than its pixels what an app says of itself may come.
const secretsLater = 500 * time.Millisecond

// secrets keeps the last answer about password fields for as long as the screen stays as it was.
type secrets struct {
	mu     sync.Mutex // guards all below
	fields []secret
	count  uint64
	since  time.Time // when the screen was first known to have this count
	good   bool      // asked late enough after the last change to count on
}

// get returns the last answer while it counts.
func (s *secrets) get(count uint64) ([]secret, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fields, s.good && s.count == count
}

func (s *secrets) last() []secret {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fields
}

// put keeps an answer that was begun at a moment when the screen had changed count times.
func (s *secrets) put(fields []secret, count uint64, begun time.Time, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count != count || s.since.IsZero() {
		s.count, s.since = count, begun
	}
	s.fields, s.good = fields, whole && begun.Sub(s.since) >= secretsLater
}

func (s *secrets) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fields, s.count, s.since, s.good = nil, 0, time.Time{}, false
}

// seen cuts fields to what can be seen of the windows of their apps.
func seen(fields []secret, ws []driver.Window) []driver.ScreenRect {
	var out []driver.ScreenRect
	for _, f := range fields {
		for _, w := range ws {
			if w.PID != f.pid {
				continue
			}
			for _, part := range w.Visible {
				if r := part.Intersect(f.at); !r.Empty() {
					out = append(out, r)
				}
			}
		}
	}
	return out
}

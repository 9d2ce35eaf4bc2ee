package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"sync"
	"time"
)

const (
	// CodeAge is how long a one-time code can be redeemed.
	CodeAge = 2 * time.Minute
	// MaxCodes is how many codes wait at most; one more takes the place of the oldest.
	MaxCodes = 32
)

// Codes are one-time codes by which a browser gets its cookie. Only their hashes are kept.
type Codes struct {
	now func() time.Time

	mu      sync.Mutex
	waiting []code // oldest first
}

type code struct {
	sum  [sha256.Size]byte
	made time.Time
}

// NewCodes returns an empty set of codes.
func NewCodes(now func() time.Time) *Codes {
	if now == nil {
		now = time.Now
	}
	return &Codes{now: now}
}

// New makes a code. It is only ever in the address's fragment, never on a command line.
func (c *Codes) New() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails, by its documentation
	text := base64.RawURLEncoding.EncodeToString(raw)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget()
	if len(c.waiting) >= MaxCodes {
		c.waiting = slices.Delete(c.waiting, 0, 1)
	}
	c.waiting = append(c.waiting, code{sha256.Sum256([]byte(text)), c.now()})
	return text
}

// Redeem takes a code and says whether it was good. A good one is good once.
func (c *Codes) Redeem(text string) bool {
	sum := sha256.Sum256([]byte(text))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget()
	i := slices.IndexFunc(c.waiting, func(w code) bool { return w.sum == sum })
	if i < 0 {
		return false
	}
	c.waiting = slices.Delete(c.waiting, i, i+1)
	return true
}

func (c *Codes) forget() {
	now := c.now()
	c.waiting = slices.DeleteFunc(c.waiting, func(w code) bool {
		age := now.Sub(w.made)
		return age < 0 || age > CodeAge
	})
}

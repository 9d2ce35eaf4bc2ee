package gateway

import (
	"context"
	"sync"

	"conch/driver"
)

// following counts who follows the screen, so that a page that shows the practice desktop and a turn that
// uses the computer don't end it under each other.
type following struct {
	driver driver.Driver

	mu sync.Mutex
	n  int
}

// follower is the driver as one user of it sees it: Begin and End are its own.
type follower struct {
	driver.Driver
	all   *following
	begun bool // guarded by all.mu
}

func newFollowing(d driver.Driver) *following { return &following{driver: d} }

func (f *following) follower() *follower { return &follower{Driver: f.driver, all: f} }

func (f *follower) Begin(ctx context.Context) error {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	// The driver is asked each time: it says whether the screen was lost since, and answers at once if not.
	if err := f.Driver.Begin(ctx); err != nil {
		return err
	}
	if !f.begun {
		f.begun = true
		f.all.n++
	}
	return nil
}

func (f *follower) End(ctx context.Context) error {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	if !f.begun {
		return nil
	}
	f.begun = false
	f.all.n--
	if f.all.n > 0 {
		return f.Release(ctx)
	}
	return f.Driver.End(ctx)
}

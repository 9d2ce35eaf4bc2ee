package mac

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"conch/driver"
)

func parseDisplay(id string) (uint32, error) {
	n, err := strconv.ParseUint(id, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("there is no display %q", id)
	}
	return uint32(n), nil
}

// How the displays are followed while a turn runs.
const (
	watchWithin  = 5 * time.Second
	displaysEach = time.Second // displays come and go without a word in any stream
	toldRoom     = 64
)

// follower counts changes of the screen between Begin and End. See docs/decisions for why by streams.
type follower struct {
	mu    sync.Mutex
	begun bool
	n     uint64
	wake  chan struct{} // closed at the next change; nil when nobody waits
	run   *run
}

// run is one Begin to End.
type run struct {
	sys   system
	log   *slog.Logger
	stop  context.CancelFunc
	ctx   context.Context
	told  chan watched
	again chan chan struct{} // asks for a new watch, answered when that stands
	done  sync.WaitGroup

	// Only the run's own goroutine touches these after begin.
	watch    *watching
	displays []rawDisplay
	blur     bool // under the follower's lock
}

func (f *follower) on() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.begun
}

func (f *follower) count() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// begin starts a watch. The caller sees to it that begin and end don't cross.
func (f *follower) begin(ctx context.Context, sys system, log *slog.Logger) error {
	if f.on() {
		return nil
	}
	ds, err := sys.displays()
	if err != nil {
		return err
	}
	r := &run{sys: sys, log: log, told: make(chan watched, toldRoom), again: make(chan chan struct{}), displays: ds}
	if err := r.start(ctx); err != nil {
		return fmt.Errorf("follow the screen: %w", err)
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	f.mu.Lock()
	f.begun, f.n, f.run = true, 0, r
	r.blur = r.watch.blur
	f.mu.Unlock()
	r.done.Go(func() { f.follow(r) })
	return nil
}

// start begins a watch of the displays that r knows.
func (r *run) start(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, watchWithin)
	defer cancel()
	var ids []uint32
	for _, d := range r.displays {
		ids = append(ids, d.id)
	}
	w, err := r.sys.watch(limit, ids, r.told)
	if err != nil {
		return err
	}
	r.watch = w
	return nil
}

func (f *follower) end() {
	f.mu.Lock()
	r := f.run
	f.begun, f.run = false, nil
	f.stir()
	f.mu.Unlock()
	if r == nil {
		return
	}
	r.stop()
	r.done.Wait()
}

// follow takes what the watch tells until the run ends, and watches anew when displays change or the watch ends.
func (f *follower) follow(r *run) {
	tick := time.NewTicker(displaysEach)
	defer tick.Stop()
	defer func() {
		if r.watch != nil {
			r.watch.stop()
		}
	}()
	for {
		select {
		case <-r.ctx.Done():
			return
		case w := <-r.told:
			f.touch()
			if w.stopped && r.watch != nil { // the person ended it from the menu bar, or macOS did
				r.watch.stop()
				r.watch = nil
			}
		case <-tick.C:
			ds, err := r.sys.displays()
			moved := err == nil && !slices.EqualFunc(ds, r.displays, sameDisplay)
			if moved {
				r.displays = ds
				f.touch()
			}
			if moved || r.watch == nil {
				f.renew(r)
			}
			if r.watch == nil {
				f.touch() // nobody knows, so it doesn't count as still
			}
		case answer := <-r.again:
			f.renew(r)
			close(answer)
		}
	}
}

func sameDisplay(a, b rawDisplay) bool {
	return a.id == b.id && a.bounds == b.bounds && a.scale == b.scale
}

func (f *follower) renew(r *run) {
	if r.watch != nil {
		r.watch.stop()
		r.watch = nil
	}
	if err := r.start(r.ctx); err != nil {
		if r.ctx.Err() == nil {
			r.log.Debug("mac: the screen can't be followed right now", "error", err)
		}
		return
	}
	f.mu.Lock()
	r.blur = r.watch.blur
	f.mu.Unlock()
}

// sharpen begins the watch anew when it could not tell our own windows apart: by now, with the edge lit, macOS
// knows of some.
func (f *follower) sharpen(ctx context.Context) {
	f.mu.Lock()
	r := f.run
	blur := r != nil && r.blur
	f.mu.Unlock()
	if !blur {
		return
	}
	answer := make(chan struct{})
	select {
	case r.again <- answer:
	case <-ctx.Done():
		return
	case <-r.ctx.Done():
		return
	}
	select {
	case <-answer:
	case <-ctx.Done():
	case <-r.ctx.Done():
	}
}

func (f *follower) touch() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	f.stir()
}

// stir wakes whoever waits. The lock is held.
func (f *follower) stir() {
	if f.wake != nil {
		close(f.wake)
		f.wake = nil
	}
}

func (f *follower) changed(ctx context.Context, seen uint64) (uint64, error) {
	for {
		f.mu.Lock()
		n, begun := f.n, f.begun
		if f.wake == nil {
			f.wake = make(chan struct{})
		}
		wake := f.wake
		f.mu.Unlock()
		switch {
		case !begun:
			return n, driver.ErrNotBegun
		case n > seen:
			return n, nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return n, ctx.Err()
		}
	}
}

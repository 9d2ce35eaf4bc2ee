//go:build linux

package x11

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"conch/driver/x11/xraw"
)

// A program that answers no ping, such as xterm, shows that it has taken its keys in another way: it goes back
// to sleep. While it has an event to handle, one of its threads is running or waiting for a processor. So the
// keys count as taken once all its threads sleep, look after look, and were woken in between no more than they
// had been before any key was sent.

// idleLook is how long between two looks, idleLooks how many must be alike, and idleLimit when a program that
// never rests is no longer waited for.
const (
	idleLook  = 3 * time.Millisecond
	idleLooks = 4
	idleLimit = time.Second
)

// X-Resource's requests and the kind of id that is asked for.
const (
	resQueryVersion   = 0
	resQueryClientIDs = 4
	resLocalPID       = 2
)

// owner asks the server for the process that a window belongs to; 0 when it isn't on this computer.
func (h *hands) owner(ctx context.Context, window uint32) int {
	if h.res == 0 {
		return 0
	}
	got, err := h.conn.Request(ctx, request(h.res, resQueryClientIDs, 1, window, resLocalPID))
	if err != nil || len(got) < 48 || u32(got, 8) == 0 || u32(got, 40) < 4 {
		return 0
	}
	pid := int(u32(got, 44))
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/task", pid)); err != nil {
		return 0
	}
	return pid
}

// openResource makes X-Resource ready where the server has it.
func openResource(ctx context.Context, c *xraw.Conn) byte {
	ext, err := c.Extension(ctx, "X-Resource")
	if err != nil {
		return 0
	}
	const client12 = 1 | 2<<8 // client ids came with 1.2
	if _, err := c.Request(ctx, request(ext.Major, resQueryVersion, client12)); err != nil {
		return 0
	}
	return ext.Major
}

// pulseLooks is how many looks at most a program's own activity is measured with.
const pulseLooks = 20

// pulse measures how often a program is woken between two looks when it has nothing of ours to do. Most are not
// at all, which shows as soon as what they are just doing is over.
func (h *hands) pulse(ctx context.Context, pid int) (uint64, error) {
	if pid == 0 {
		return 0, nil
	}
	var recent []uint64
	last, _ := activity(pid)
	tick := time.NewTicker(idleLook)
	defer tick.Stop()
	for range pulseLooks {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		now, _ := activity(pid)
		recent = append(recent, now-last)
		last = now
		if n := len(recent); n >= idleLooks && slices.Max(recent[n-idleLooks:]) == 0 {
			return 0, nil
		}
	}
	return slices.Max(recent[pulseLooks/2:]), nil
}

// rest waits until the target's program rests. It says no when that can't be known or the program never does.
func (h *hands) rest(ctx context.Context) (bool, error) {
	if h.to.pid == 0 {
		return false, nil
	}
	tick := time.NewTicker(idleLook)
	defer tick.Stop()
	late := time.NewTimer(idleLimit)
	defer late.Stop()
	var last uint64
	for alike := 0; alike < idleLooks; {
		// The program may sleep because the server owes it an answer; once we have ours it has had its own.
		if err := h.conn.Sync(ctx); err != nil {
			return false, err
		}
		now, asleep := activity(h.to.pid)
		if alike++; !asleep || now-last > h.to.pulse {
			alike = 0
		}
		last = now
		select {
		case <-tick.C:
		case <-late.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return true, nil
}

// activity sums up how often the threads of a process went to sleep or lost the processor, and says whether
// all of them sleep now (proc(5)). A process that has gone rests.
func activity(pid int) (sum uint64, asleep bool) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) == 0 {
		return 0, true
	}
	asleep = true
	for _, t := range tasks {
		b, err := os.ReadFile(t) // #nosec G304 -- in /proc
		if err != nil {
			continue
		}
		for line := range bytes.Lines(b) {
			name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":\t"))
			switch string(name) {
			case "State":
				asleep = asleep && len(value) > 0 && (value[0] == 'S' || value[0] == 'T' || value[0] == 'Z')
			case "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches":
				var n uint64
				_, _ = fmt.Sscan(string(value), &n)
				sum += n
			}
		}
	}
	return sum, asleep
}

//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"conch/app/internal/fixture"
	"conch/app/internal/trial"
	"conch/driver/x11/xserver"
)

// benchStart measures from the start of the process to its first answer.
func benchStart(ctx context.Context, r *report) error {
	s, err := xserver.Start(ctx, xserver.Options{WindowManager: "openbox"})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	dir, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin, err := trial.Build(ctx, dir)
	if err != nil {
		return err
	}
	var took []float64
	for i := range 9 {
		start := time.Now()
		c, err := trial.Start(ctx, trial.Options{Bin: bin, Home: fmt.Sprintf("%s/home%d", dir, i), Desktop: s})
		if err != nil {
			return err
		}
		took = append(took, ms(time.Since(start)))
		if err := c.Close(); err != nil {
			return err
		}
	}
	r.say("start: %v", took)
	r.figure("start_ms", median(took), "ms")
	return nil
}

// idleFor is how long an idle Conch is watched.
const idleFor = 30 * time.Second

// benchIdle watches a Conch with its page open that nobody uses.
func benchIdle(ctx context.Context, r *report) error {
	s, err := xserver.Start(ctx, xserver.Options{WindowManager: "openbox", Bus: true})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	c, done, err := started(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	page, err := c.Page(ctx, "/")
	if err != nil {
		return err
	}
	profile, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(profile) }()
	if _, err := s.Run("chromium", append(fixture.Flags(profile), "--app="+page)...); err != nil {
		return err
	}
	if err := pause(ctx, 5*time.Second); err != nil { // the page loads and settles
		return err
	}
	cpu, err := cpuOf(ctx, c.PID, idleFor)
	if err != nil {
		return err
	}
	rss, err := rssOf(c.PID)
	if err != nil {
		return err
	}
	r.figure("idle_cpu_percent", cpu, "percent_of_a_core")
	r.figure("idle_rss_mb", rss, "MB")
	return nil
}

// benchEdge watches a Conch whose edge is lit on a Full HD screen while nothing else happens.
func benchEdge(ctx context.Context, r *report) error {
	s, err := xserver.Start(ctx, xserver.Options{Width: 1920, Height: 1080, WindowManager: "openbox", Bus: true, Compositor: true})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	c, done, err := started(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	if _, err := c.Say(ctx, "wait 40"); err != nil {
		return err
	}
	if err := pause(ctx, 2*time.Second); err != nil {
		return err
	}
	cpu, err := cpuOf(ctx, c.PID, 15*time.Second)
	if err != nil {
		return err
	}
	if ok, err := c.Stop(ctx); err != nil || !ok {
		return fmt.Errorf("the edge was not lit all the time: %w", err)
	}
	r.figure("edge_cpu_percent", cpu, "percent_of_a_core")
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cpuOf is the share of one core that a process uses over a while, in percent, to a tenth.
func cpuOf(ctx context.Context, pid int, d time.Duration) (float64, error) {
	before, err := nanoseconds(pid)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := pause(ctx, d); err != nil {
		return 0, err
	}
	after, err := nanoseconds(pid)
	if err != nil {
		return 0, err
	}
	return float64(after-before) / float64(time.Since(start).Nanoseconds()) * 100, nil
}

// nanoseconds is the processor time of all threads of a process (proc(5), schedstat: time on the processor).
func nanoseconds(pid int) (int64, error) {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, t := range tasks {
		b, err := os.ReadFile(dir + "/" + t.Name() + "/schedstat")
		if err != nil {
			continue // the thread has just ended
		}
		n, err := strconv.ParseInt(strings.Fields(string(b))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// rssOf is the resident memory of a process in megabytes (proc(5), status: VmRSS).
func rssOf(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for _, line := range bytes.Split(b, []byte("\n")) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			kb, err := strconv.ParseFloat(strings.Fields(string(rest))[0], 64)
			return kb / 1000, err
		}
	}
	return 0, fmt.Errorf("no VmRSS of %d", pid)
}

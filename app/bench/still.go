//go:build linux

package main

import (
	"context"
	"math/rand/v2"
	"time"

	"conch/app/internal/fixture"
	"conch/driver/gesture"
	"conch/driver/x11"
	"conch/driver/x11/xserver"
	"conch/gateway/computer"

	"golang.org/x/sys/unix"
)

// sleepPeers is what the reference waits before each picture (claude-quickstarts, _screenshot_delay).
const sleepPeers = 2000.0

// benchStill lets a window redraw for 50 to 1500 ms and sees how long after its last change the wait answers,
// and whether it ever answers while the window still draws.
func benchStill(ctx context.Context, r *report) error {
	s, err := xserver.Start(ctx, xserver.Options{WindowManager: "openbox", Bus: true})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	a, err := fixture.Start(ctx, s, fixture.GTK, "Bench still")
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	d, err := x11.Open(ctx, x11.Options{Env: s.Env()})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if err := d.Begin(ctx); err != nil {
		return err
	}
	if err := quiet(ctx, d); err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	var lags, saved []float64
	early := 0
	for range 40 {
		a.Forget()
		seen, err := changes(ctx, d)
		if err != nil {
			return err
		}
		start := monotonic()
		if err := a.Draw(50 + rnd.IntN(1450)); err != nil {
			return err
		}
		still, _, err := gesture.SettleAfter(ctx, d, seen, computer.First, computer.Quiet, computer.Cap)
		if err != nil {
			return err
		}
		answered := monotonic()
		last, err := a.Await(ctx, func(e fixture.Event) bool { return e.Ev == "drawn" })
		if err != nil {
			return err
		}
		if still && answered < last.At {
			early++
			r.say("still: answered %.0f ms after it began, and it drew until %.0f ms", (answered-start)*1000, (last.At-start)*1000)
			continue
		}
		if still {
			lags = append(lags, (answered-last.At)*1000)
			saved = append(saved, sleepPeers/((answered-start)*1000))
		}
	}
	r.say("still: %v", lags)
	r.figure("still_lag_ms_median", median(lags), "ms")
	r.figure("still_early", float64(early), "answers")
	r.figure("still_vs_sleep", median(saved), "times_faster")
	return nil
}

// changes is how often the screen has changed so far.
func changes(ctx context.Context, d *x11.Driver) (uint64, error) {
	now, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	n, err := d.Changed(now, ^uint64(0))
	if err != nil && ctx.Err() == nil && now.Err() != nil {
		err = nil
	}
	return n, err
}

// monotonic is the clock that the fixtures and the X server tell time by, in seconds.
func monotonic() float64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return float64(t.Sec) + float64(t.Nsec)/1e9
}

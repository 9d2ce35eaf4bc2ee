//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"conch/app/internal/trial"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// stops is how often the typing is stopped. The 99th percentile of 100 is the second largest.
const stops = 100

// benchStop types 5,000 characters through the whole program, again and again, and stops it at a random moment
// with the same request that every Stop makes. The X server's own times of the events say when the last came.
func benchStop(ctx context.Context, r *report) error {
	s, err := xserver.Start(ctx, xserver.Options{WindowManager: "openbox", Bus: true})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	p, err := xfixture.Start(s.Env())
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	w, err := p.Open(xfixture.Spec{X: 100, Y: 200, W: 600, H: 400, Title: "Bench stop", Class: "Conchbench", Color: 0x3b6ea5})
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c, done, err := started(ctx, s, "program:"+self) // how an app without an entry is known
	if err != nil {
		return err
	}
	defer done()
	conn, err := xgb.NewConnDisplay(s.Display())
	if err != nil {
		return err
	}
	defer conn.Close()
	text := "type \"" + strings.Repeat("The quick brown fox jumps over it all. ", 128) + "\""
	rnd := rand.New(rand.NewPCG(7, 8))
	var took []float64
	after, held := 0, 0
	late := 0
	for len(took) < stops {
		one, err := stopOnce(ctx, c, w, conn, text, time.Duration(rnd.IntN(60))*time.Millisecond)
		if errors.Is(err, errLate) && late < stops {
			late++ // all was typed before Stop came
			continue
		}
		if err != nil {
			return err
		}
		took = append(took, one.ms)
		after, held = after+one.after, held+one.held
	}
	r.say("stop: %d more came too late to stop anything; %v", late, took)
	r.figure("stop_ms_p99", quantile(took, 0.99), "ms")
	r.figure("stop_events_after", float64(after), "events")
	r.figure("stop_held_after", float64(held), "keys")
	return nil
}

// errLate says that all was typed before Stop came.
var errLate = errors.New("Stop found nothing to stop")

// oneStop is how one Stop went.
type oneStop struct {
	ms    float64 // from the request to the last key event; 0 when none came after it
	after int     // events after Stop had answered
	held  int     // keys down then
}

func stopOnce(ctx context.Context, c *trial.Conch, w *xfixture.Window, conn *xgb.Conn, text string, wait time.Duration) (oneStop, error) {
	var one oneStop
	if err := w.Forget(); err != nil {
		return one, err
	}
	if err := w.Focus(); err != nil {
		return one, err
	}
	if _, err := c.Say(ctx, text); err != nil {
		return one, err
	}
	if err := typing(ctx, w); err != nil {
		return one, err
	}
	if err := pause(ctx, wait); err != nil {
		return one, err
	}
	asked := monotonic()
	ok, err := c.Stop(ctx)
	answered := monotonic()
	if err != nil {
		return one, err
	}
	if !ok {
		return one, errLate
	}
	keys, err := xproto.QueryKeymap(conn).Reply()
	if err != nil {
		return one, err
	}
	for _, b := range keys.Keys {
		for ; b != 0; b &= b - 1 {
			one.held++
		}
	}
	// The window reads its events in its own time; what came late would still come now.
	if err := pause(ctx, 150*time.Millisecond); err != nil {
		return one, err
	}
	events, err := w.Events()
	if err != nil {
		return one, err
	}
	for _, e := range events {
		if e.Kind != "keydown" && e.Kind != "keyup" {
			continue
		}
		at := sinceBoot(e.Time, asked)
		one.ms = max(one.ms, (at-asked)*1000)
		if at > answered+0.001 { // the server counts whole milliseconds
			one.after++
		}
	}
	return one, nil
}

// sinceBoot is a server time on the monotonic clock, near the moment now: the server counts milliseconds of
// the same clock in 32 bits.
func sinceBoot(t uint32, now float64) float64 {
	ms := int64(now * 1000)
	return float64(ms+int64(int32(t-uint32(ms)))) / 1000
}

// typing waits until the window got its first key.
func typing(ctx context.Context, w *xfixture.Window) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		text, err := w.Text()
		if err != nil {
			return err
		}
		if text != "" {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("nothing was typed: %w", ctx.Err())
		}
	}
}

// started builds and starts the program on s with using apps on, and app allowed.
func started(ctx context.Context, s *xserver.Server, apps ...string) (*trial.Conch, func(), error) {
	dir, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) }
	bin, err := trial.Build(ctx, dir)
	if err != nil {
		remove()
		return nil, nil, err
	}
	c, err := trial.Start(ctx, trial.Options{Bin: bin, Home: dir + "/home", Desktop: s, On: true, Allowed: apps})
	if err != nil {
		remove()
		return nil, nil, err
	}
	return c, func() {
		_ = c.Close()
		remove()
	}, nil
}

//go:build linux

package x11

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"conch/driver"
)

// drawnWindow is a window and when it changed last.
type drawnWindow struct {
	driver.Window
	drawn time.Time // zero: nobody follows it
}

const (
	// secretsLater is how much later than its pixels what an app says of itself may come: a browser tells of a page
	// some time after it painted it.
	secretsLater = 500 * time.Millisecond
	// secretsRest is how long an app that didn't answer isn't asked again.
	secretsRest = 2 * time.Second
	// mostSecretWindows bounds how many windows are asked about at once.
	mostSecretWindows = 24
)

// secretFields keeps what is known of password fields, by window.
type secretFields struct {
	mu    sync.Mutex
	known map[driver.WindowID]secretsOf
}

// secretsOf is what a window's app last said of it.
type secretsOf struct {
	begun  time.Time // when it was asked
	rest   time.Time // it isn't asked before this
	title  string
	bounds driver.ScreenRect
	fields []driver.ScreenRect
}

// counts says whether an answer still holds for w.
func (s secretsOf) counts(w drawnWindow, now time.Time) bool {
	if now.Before(s.rest) {
		return true
	}
	same := s.title == w.Title && s.bounds.W == w.Bounds.W && s.bounds.H == w.Bounds.H
	return same && !w.drawn.IsZero() && s.begun.Sub(w.drawn) >= secretsLater
}

// seen is where the fields can be seen now.
func (s secretsOf) seen(w driver.Window) []driver.ScreenRect {
	var out []driver.ScreenRect
	for _, f := range s.fields {
		f.X, f.Y = f.X+w.Bounds.X-s.bounds.X, f.Y+w.Bounds.Y-s.bounds.Y
		for _, part := range w.Visible {
			if r := part.Intersect(f); !r.Empty() {
				out = append(out, r)
			}
		}
	}
	return out
}

// Secrets lists the parts of password fields that can be seen in some windows. Those that changed are asked all at
// once; what isn't answered in time is as it was.
func (a *a11y) Secrets(ctx context.Context, ws []drawnWindow) ([]driver.ScreenRect, error) {
	k := &a.secrets
	k.mu.Lock()
	known := make(map[driver.WindowID]secretsOf, len(ws))
	var asked []drawnWindow
	for _, w := range ws {
		s := k.known[w.ID]
		known[w.ID] = s
		if !s.counts(w, time.Now()) && len(asked) < mostSecretWindows {
			asked = append(asked, w)
		}
	}
	k.mu.Unlock()
	if len(asked) > 0 {
		answers, err := ask(ctx, a, driver.LookUp, func(ctx context.Context, t *tongue) (map[driver.WindowID]secretsOf, error) {
			return t.secrets(ctx, asked, known)
		})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && !errors.Is(err, driver.ErrNoControl):
			return nil, err
		}
		for id, s := range answers {
			known[id] = s
		}
	}
	k.mu.Lock()
	k.known = known // windows that have gone are forgotten
	k.mu.Unlock()
	var out []driver.ScreenRect
	for _, w := range ws {
		out = append(out, known[w.ID].seen(w.Window)...)
	}
	return out, nil
}

// secrets asks about each window, at once, as one app may hang.
func (t *tongue) secrets(ctx context.Context, ws []drawnWindow, known map[driver.WindowID]secretsOf) (map[driver.WindowID]secretsOf, error) {
	begun := time.Now()
	apps, err := t.apps(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[driver.WindowID]secretsOf, len(ws))
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, w := range ws {
		s := secretsOf{begun: begun, title: w.Title, bounds: w.Bounds}
		if len(apps[w.PID]) == 0 {
			out[w.ID] = s
			continue
		}
		all.Go(func() {
			fields, err := t.secretsIn(ctx, apps[w.PID], w.Window)
			if s.fields = fields; err != nil {
				s = known[w.ID]
				s.rest = begun.Add(secretsRest)
			}
			mu.Lock()
			defer mu.Unlock()
			out[w.ID] = s
		})
	}
	all.Wait()
	return out, nil
}

// secretsIn lists the password fields of one window. An error is the end of the time.
func (t *tongue) secretsIn(ctx context.Context, apps []node, w driver.Window) ([]driver.ScreenRect, error) {
	tops, err := t.framesOf(ctx, apps, w)
	if err != nil {
		return nil, ctx.Err()
	}
	var out []driver.ScreenRect
	for _, top := range tops {
		found, ok := answerMatches(t.sendMatches(ctx, top.node, ruleForRole(rolePassword)))
		if !ok && ctx.Err() == nil {
			s, err := t.surveyByHand(ctx, top)
			if err != nil {
				return nil, err
			}
			found = s.secret
		}
		for _, n := range found {
			c, bits, ok := t.describe(ctx, n, top.scale)
			if ok && bits.shown() && !c.Bounds.Empty() && !slices.Contains(out, c.Bounds) {
				out = append(out, c.Bounds)
			}
		}
	}
	return out, ctx.Err()
}

func (a *a11y) forget() {
	a.secrets.mu.Lock()
	a.secrets.known = nil
	a.secrets.mu.Unlock()
	a.lastMu.Lock()
	a.last = lastFocus{}
	a.lastMu.Unlock()
}

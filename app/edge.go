package main

import (
	"context"
	"sync/atomic"

	"conch/gateway"
	"conch/gateway/computer"
	"conch/overlay"
)

// edge is the glowing edge as the gateway is given it: that of the screen as it is open now, which may be
// another one than a moment ago.
type edge struct {
	screen  *screen
	gateway atomic.Pointer[gateway.Gateway] // set once it is there, which is before any turn
}

var _ computer.Edge = (*edge)(nil)

// Light lights the edge for a turn and returns once it is really shown, or says why it is not.
func (e *edge) Light(ctx context.Context, turn, label string) error {
	o, err := e.overlay(ctx)
	if err != nil {
		return err
	}
	return o.Light(ctx, turn, label)
}

// Step changes what the card says is being done.
func (e *edge) Step(turn, label string) {
	if o := e.screen.overlay(); o != nil {
		o.Step(turn, label)
	}
}

// Dark ends the edge for a turn and returns once it is gone.
func (e *edge) Dark(turn string) {
	if o := e.screen.overlay(); o != nil {
		o.Dark(turn)
	}
}

// stop interrupts a turn, for the card and the Stop key.
func (e *edge) stop(turn string) {
	if gw := e.gateway.Load(); gw != nil {
		_, _ = gw.Interrupt(context.Background(), turn) // returns when the turn has ended; the overlay waits aside
	}
}

// stopKey says which keys stop from anywhere: those that are held while the edge is lit, otherwise the usual.
func (e *edge) stopKey() gateway.StopKey {
	o := e.screen.overlay()
	if o == nil {
		return gateway.StopKey{}
	}
	if s := o.Status(); s.Lit {
		return gateway.StopKey{Keys: s.Key, Say: s.Why}
	}
	return gateway.StopKey{Keys: usualStopKey}
}

func (e *edge) overlay(ctx context.Context) (*overlay.Overlay, error) {
	if _, err := e.screen.now(ctx); err != nil {
		return nil, err
	}
	if o := e.screen.overlay(); o != nil {
		return o, nil
	}
	return nil, overlay.ErrNoScreen
}

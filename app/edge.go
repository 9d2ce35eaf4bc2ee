package main

import (
	"context"

	"conch/overlay"
)

// edge is the glowing edge as the gateway is given it: that of the screen as it is open now, which may be
// another one than a moment ago.
type edge struct {
	screen *screen
	stop   func(turn string) // interrupts a turn
}

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

// Status says how things stand with the edge and the Stop key.
func (e *edge) Status() overlay.Status {
	if o := e.screen.overlay(); o != nil {
		return o.Status()
	}
	return overlay.Status{}
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

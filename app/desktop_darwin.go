package main

import (
	"context"
	"errors"
	"log/slog"

	"conch/driver/mac"
	"conch/gateway/computer/policy"
	"conch/overlay"
	overlaymac "conch/overlay/mac"
)

const (
	// desktopKeys says whose key chords are judged.
	desktopKeys = policy.Mac
	// usualStopKey is what stops from anywhere unless another program has it.
	usualStopKey = "⌘⎋"
)

// wantPractice: there is no practice desktop on a Mac.
func wantPractice(bool, func(string) string) bool { return false }

// displayOpener returns what opens this Mac's screen: its driver, and its edge.
func displayOpener(_ bool, e *edge, tried *tries, log *slog.Logger) func(context.Context) (*display, error) {
	return func(ctx context.Context) (*display, error) {
		d, err := mac.Open(ctx, mac.Options{Log: log, Tried: tried.tell})
		if err != nil {
			return nil, err
		}
		desktop, err := overlaymac.Open(ctx)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		return &display{
			Driver: overlay.Behind(d, desktop),
			overlay: overlay.New(overlay.Config{
				Painter: desktop, Keys: desktop, Stop: e.stop,
				First: func(ctx context.Context) error { return overlay.SelfTest(ctx, desktop, d) },
			}),
			mends: mends{test: func(ctx context.Context) error { return overlay.SelfTest(ctx, desktop, d) }},
		}, nil
	}
}

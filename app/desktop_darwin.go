package main

import (
	"context"
	"log/slog"

	"conch/driver"
	"conch/gateway/computer/policy"
)

const (
	// desktopKeys says whose key chords are judged.
	desktopKeys = policy.Mac
	// usualStopKey is what stops from anywhere unless another program has it.
	usualStopKey = "⌘⎋"
)

// wantPractice: there is no practice desktop on a Mac.
func wantPractice(bool, func(string) string) bool { return false }

// displayOpener says honestly that the Mac's driver isn't built yet. Chats and pages work without it.
func displayOpener(bool, *edge, *slog.Logger) func(context.Context) (*display, error) {
	return func(context.Context) (*display, error) {
		return nil, &driver.Unready{
			Why: driver.WhyNoDisplay, Say: "This Conch can't use a Mac's screen yet.", Next: "It can on Linux, under X11.",
		}
	}
}

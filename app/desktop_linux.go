package main

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"conch/driver"
	"conch/driver/x11"
	"conch/driver/x11/xserver"
	"conch/gateway/computer/policy"
)

const (
	// desktopKeys says whose key chords are judged.
	desktopKeys = policy.Linux
	// usualStopKey is what stops from anywhere unless another program has it.
	usualStopKey = "Super+Esc"
)

// wantPractice says whether Conch brings a screen of its own: where the person asks for one, and where
// nothing says that there is another.
func wantPractice(asked bool, getenv func(string) string) bool {
	return asked || (getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" && getenv("XDG_SESSION_TYPE") != "wayland")
}

// displayOpener returns what opens the screen: the person's own, or a practice desktop.
func displayOpener(practice bool, edge *edge, log *slog.Logger) func(context.Context) (*display, error) {
	if !practice {
		return func(ctx context.Context) (*display, error) { return openX11(ctx, os.Environ(), nil, log) }
	}
	return func(ctx context.Context) (*display, error) {
		desktop, err := startPractice(ctx, log)
		var missing *xserver.MissingError
		if errors.As(err, &missing) {
			return nil, &driver.Unready{
				Why: driver.WhyNoDisplay, Err: err,
				Say:  "There's no display here, and a part of the practice desktop is missing: " + missing.Program + ".",
				Next: "Install it (on Debian: apt-get install " + missing.Package + ") and start Conch again.",
			}
		}
		if err != nil {
			return nil, err
		}
		return openX11(ctx, desktop.Env(), desktop.Close, log)
	}
}

// openX11 opens the display that env leads to. closeRest is run when it closes, or can't be opened.
func openX11(ctx context.Context, env []string, closeRest func() error, log *slog.Logger) (*display, error) {
	d, err := x11.Open(ctx, x11.Options{Env: env, Log: log})
	if err != nil {
		if closeRest != nil {
			err = errors.Join(err, closeRest())
		}
		return nil, err
	}
	return &display{Driver: d, closeRest: closeRest}, nil
}

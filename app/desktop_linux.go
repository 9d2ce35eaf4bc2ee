package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"

	"conch/driver"
	"conch/driver/x11"
	"conch/driver/x11/xserver"
	"conch/gateway/computer/policy"
	"conch/overlay"
	overlayx11 "conch/overlay/x11"
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
func displayOpener(practice bool, e *edge, _ *tries, log *slog.Logger) func(context.Context) (*display, error) {
	if !practice {
		return func(ctx context.Context) (*display, error) { return openX11(ctx, os.Environ(), e, log) }
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
		d, err := openX11(ctx, desktop.Env(), e, log)
		if err != nil {
			return nil, errors.Join(err, desktop.Close())
		}
		d.closeRest = desktop.Close
		return d, nil
	}
}

// openX11 opens the display that env leads to, and its edge. The two have connections of their own, so that
// the edge and Stop don't wait for what the driver is doing.
func openX11(ctx context.Context, env []string, e *edge, log *slog.Logger) (*display, error) {
	getenv := func(name string) string {
		for _, pair := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	}
	o := x11.Options{Env: env, Log: log}
	if exe, err := os.Executable(); err == nil {
		o.Guardian = []string{exe, x11.GuardianArg}
	}
	d, err := x11.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	// Presses from afar (x11vnc) count on the card, since what the driver presses goes behind it.
	painter, err := overlayx11.Open(ctx, getenv("DISPLAY"), overlayx11.Env(getenv), overlayx11.HearOthers())
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &display{
		Driver: overlay.Behind(d, painter),
		overlay: overlay.New(overlay.Config{
			Painter: painter, Keys: painter, Stop: e.stop,
			First: func(ctx context.Context) error { return overlay.SelfTest(ctx, painter, d) },
		}),
		mends: x11Mends(d, painter),
	}, nil
}

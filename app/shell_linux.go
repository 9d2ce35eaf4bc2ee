package main

import (
	"context"
	"log/slog"
)

// desktopShell is a Linux desktop: an icon on its panel, and the person's own browser for pages.
type desktopShell struct{ getenv func(string) string }

func newShell(getenv func(string) string) shell { return desktopShell{getenv} }

// runMain runs the program; nothing here needs the main thread.
func runMain(ctx context.Context, c *call) int { return c.main(ctx) }

// Start begins with the panel's icon.
func (d desktopShell) Start(ctx context.Context, log *slog.Logger, tray bool, m menuDo) (stop func()) {
	if !tray {
		return func() {}
	}
	return startTray(ctx, log, d.getenv, m)
}

// Show has no window to show anything in.
func (desktopShell) Show(string) error { return errNoWindow }

// Login is the autostart folder.
func (d desktopShell) Login() login { return newAutostart(d.getenv) }

// Quiet: what starts by itself is told so on its command line.
func (desktopShell) Quiet() bool { return false }

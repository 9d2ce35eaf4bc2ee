package main

import (
	"context"
	"errors"
	"log/slog"
)

// shell is the desktop around the program: the menu, and on a Mac a window for the pages.
type shell interface {
	// Start puts Conch on the desktop, with an icon in the menu bar where tray says so, and returns what takes
	// it off again.
	Start(ctx context.Context, log *slog.Logger, tray bool, m menuDo) (stop func())
	// Show shows an address of Conch's own in Conch's window, or returns errNoWindow.
	Show(address string) error
	// Login is whether Conch starts when the person logs in.
	Login() login
	// Quiet says that the computer started Conch and not the person, so no page should come up.
	Quiet() bool
}

// errNoWindow says that pages are for the browser here.
var errNoWindow = errors.New("there is no window of Conch's own here")

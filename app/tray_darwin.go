package main

import (
	"context"
	"log/slog"
)

// startTray puts nothing into the menu bar: the Mac's menu isn't built yet.
func startTray(context.Context, *slog.Logger, func(string) string, menuDo) (stop func()) {
	return func() {}
}

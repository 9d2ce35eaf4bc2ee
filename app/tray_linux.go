package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/systray"
	"github.com/godbus/dbus/v5"
)

// startTray puts Conch into the menu bar and returns what takes it out again. Without a session bus there is
// no menu bar to be in, and Conch is used by its page and its commands alone.
//
// We connect to the bus first: the library would start a bus of its own where there is none, and panics at
// its end without a connection. It then shares ours, since both ask for the process's session bus.
func startTray(ctx context.Context, log *slog.Logger, getenv func(string) string, m menuDo) (stop func()) {
	none := func() {}
	if !haveBus(getenv) {
		log.Info("no session bus, so no icon in the menu bar")
		return none
	}
	bus, err := dbus.SessionBus()
	if err != nil {
		log.Info("the session bus doesn't answer, so no icon in the menu bar", "error", err)
		return none
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		systray.Run(func() {
			systray.SetIcon(trayIcon)
			systray.SetTitle("Conch")
			fillMenu(ctx, m)
		}, cancel)
	}()
	return func() {
		cancel()
		systray.Quit()
		<-ended
		_ = bus.Close()
	}
}

// haveBus says whether a session bus is there already. It starts none.
func haveBus(getenv func(string) string) bool {
	switch address := getenv("DBUS_SESSION_BUS_ADDRESS"); {
	case strings.HasPrefix(address, "unix:"), strings.HasPrefix(address, "tcp:"):
		return true
	case address != "": // "autolaunch:" would start one, "disabled:" says that there is none
		return false
	}
	dir := getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = fmt.Sprintf("/run/user/%d", os.Getuid())
	}
	info, err := os.Stat(filepath.Join(dir, "bus"))
	return err == nil && info.Mode()&os.ModeSocket != 0
}

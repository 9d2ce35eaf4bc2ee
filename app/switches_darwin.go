package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"conch/driver/mac"
	"conch/gateway"
)

// newSwitches is what macOS allows.
func newSwitches(d switchDeps) gateway.Switches {
	exe, err := os.Executable()
	if err != nil {
		d.log.Warn("it isn't known which program this is, so no fresh look at the permissions", "error", err)
	}
	return newMacPermissions(macSystem{
		May:   mac.May,
		Fresh: func(ctx context.Context) (see, click mac.Look, err error) { return mac.Fresh(ctx, exe) },
		// Both bring up something of macOS's, so they are called for a press alone.
		Ask: mac.Ask, Settings: mac.OpenSettings, Who: mac.WhoAmI,
		Reopen: func() error {
			app, is := bundleOf(exe)
			if !is {
				return fmt.Errorf("%s isn't in an app, so there is none to open", exe)
			}
			return reopenAfter(os.Getpid(), "/usr/bin/open", app)
		},
		Tried: d.tried, Build: buildOf(exe),
	}, d.dir, d.quit, time.Now, d.log)
}

// bundleOf is the app that a program is the main program of.
func bundleOf(exe string) (app string, is bool) {
	app = filepath.Dir(filepath.Dir(filepath.Dir(exe)))
	return app, strings.HasSuffix(app, ".app") && strings.HasSuffix(exe, "/Contents/MacOS/conch")
}

// buildOf tells one build from the next.
func buildOf(exe string) string {
	info, err := os.Stat(exe)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d-%d", info.Size(), info.ModTime().Unix())
}

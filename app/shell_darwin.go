package main

/*
#cgo CFLAGS: -fobjc-arc -fblocks -Wall
#cgo LDFLAGS: -framework AppKit -framework CoreGraphics -framework Foundation -framework WebKit
#include <stdlib.h>
#include "page_darwin.h"
*/
import "C"

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"fyne.io/systray"
	"github.com/progrium/darwinkit/dispatch"
	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/foundation"
	"github.com/progrium/darwinkit/objc"

	"conch/app/internal/shellicon"
)

// macShell is a Mac's desktop: the icon in the menu bar, the main menu, and the window for the pages. AppKit has
// the main thread; the program runs beside it and reaches AppKit through the main queue, which it never waits
// for here.
type macShell struct {
	leave   *leaving
	log     *slog.Logger
	atLogin atomic.Bool

	mu sync.Mutex
	do menuDo // empty until the program has begun

	// Only on the main thread:
	window  *pageWindow
	trayEnd func()
}

func newShell(func(string) string) shell { return &macShell{log: slog.Default()} }

// onMain does something on the main thread soon.
func onMain(do func()) {
	dispatch.MainQueue().DispatchAsync(func() { objc.WithAutoreleasePool(do) })
}

// runMain gives the main thread to AppKit and runs the program beside it. Sub-commands, and a Conch without a
// screen (over ssh), need no AppKit.
func runMain(ctx context.Context, c *call) int {
	s, ok := c.shell.(*macShell)
	if !ok || !c.serves() || C.cn_app_has_screen() == 0 {
		return c.main(ctx)
	}
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	app := appkit.Application_SharedApplication()
	s.leave = &leaving{
		quit:      quit,
		reply:     func() { onMain(func() { app.ReplyToApplicationShouldTerminate(true) }) },
		terminate: func() { onMain(func() { app.Terminate(nil) }) },
	}
	app.SetDelegate(s.delegate(func() { s.leave.programEnded(c.main(ctx)) }, app))
	app.Run()
	// Ended by systray's own end of the loop: the program was told before, or is now.
	quit()
	return s.leave.exitCode()
}

func (s *macShell) delegate(program func(), app appkit.Application) *appkit.ApplicationDelegate {
	d := &appkit.ApplicationDelegate{}
	d.SetApplicationDidFinishLaunching(func(foundation.Notification) {
		s.atLogin.Store(C.cn_app_at_login() != 0)
		// Also outside a bundle: no place in the Dock.
		objc.Call[uint64](app, objc.Sel("setActivationPolicy:"), appkit.ApplicationActivationPolicyAccessory)
		go program()
	})
	d.SetApplicationShouldTerminate(func(appkit.Application) appkit.ApplicationTerminateReply {
		if s.leave.asked() {
			return appkit.TerminateNow
		}
		return appkit.TerminateLater
	})
	d.SetApplicationWillTerminate(func(foundation.Notification) {
		if s.trayEnd != nil {
			s.trayEnd()
		}
		os.Exit(s.leave.exitCode()) // AppKit would say 0 whatever happened
	})
	// Opening Conch again shows its window, also where macOS keeps the icon out of the menu bar.
	d.SetApplicationShouldHandleReopenHasVisibleWindows(func(appkit.Application, bool) bool {
		s.reopened()
		return false
	})
	return d
}

// reopened brings the window back as it was, or a first one.
func (s *macShell) reopened() {
	if s.window != nil {
		s.window.front()
		return
	}
	s.mu.Lock()
	press := s.do.Press
	s.mu.Unlock()
	if press != nil {
		press(doOpen)
	}
}

// Start puts the icon into the menu bar. Without a main loop (no screen) there is none.
func (s *macShell) Start(ctx context.Context, log *slog.Logger, tray bool, m menuDo) (stop func()) {
	s.mu.Lock()
	s.do, s.log = m, log
	s.mu.Unlock()
	if !tray || s.leave == nil {
		return func() {}
	}
	icon, err := shellicon.MenuBar(32) // 16 points at two pixels each
	if err != nil {
		log.Error("the menu bar's icon could not be drawn", "error", err)
		icon = trayIcon
	}
	start, end := systray.RunWithExternalLoop(func() {
		systray.SetTemplateIcon(icon, icon)
		fillMenu(ctx, m)
	}, nil)
	onMain(func() {
		s.trayEnd = end
		start()
	})
	return func() {} // the icon goes with the process; its end is in applicationWillTerminate
}

// Show shows an address in Conch's window.
func (s *macShell) Show(address string) error {
	if s.leave == nil {
		return errNoWindow
	}
	onMain(func() {
		if s.window == nil {
			s.window = newPageWindow(address)
		}
		s.window.show(address)
	})
	return nil
}

// Login is SMAppService's.
func (s *macShell) Login() login { return loginService{} }

// Quiet says that macOS started Conch at login.
func (s *macShell) Quiet() bool { return s.atLogin.Load() }

package mac

import (
	"context"
	"math"
	"slices"
	"strconv"

	"conch/driver"
)

func displayID(id uint32) string { return strconv.FormatUint(uint64(id), 10) }

// displays turns macOS's list into ours, the main one first. A display that mirrors another has the same
// bounds; only the first of such is listed, since a point on it is a point on both.
func displays(raw []rawDisplay) []driver.Display {
	var out []driver.Display
	for _, r := range raw {
		d := driver.Display{ID: displayID(r.id), Name: r.name, Bounds: r.bounds, Scale: r.scale, Main: r.main}
		if d.Name == "" {
			d.Name = "Display"
		}
		if same := slices.IndexFunc(out, func(o driver.Display) bool { return o.Bounds == d.Bounds }); same >= 0 {
			if d.Main {
				out[same] = d
			}
			continue
		}
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b driver.Display) int {
		switch {
		case a.Main == b.Main:
			return 0
		case a.Main:
			return -1
		}
		return 1
	})
	return out
}

// desk is one moment of the screen: its displays and its windows, front to back, ours left out.
type desk struct {
	displays []driver.Display
	windows  []driver.Window
}

// Windows lists the windows front to back, our own left out.
func (d *Driver) Windows(ctx context.Context) ([]driver.Window, error) {
	if err := d.open(ctx); err != nil {
		return nil, err
	}
	k, err := d.desk()
	return k.windows, err
}

func (d *Driver) desk() (desk, error) {
	ds, err := d.sys.displays()
	if err != nil {
		return desk{}, err
	}
	ws, err := d.sys.windows()
	if err != nil {
		return desk{}, err
	}
	focus, err := d.sys.focus()
	if err != nil {
		d.log.Debug("mac: what has the keys isn't known", "error", err)
		focus = rawFocus{}
	}
	return newDesk(ds, ws, focus, d.sys.self()), nil
}

func newDesk(ds []rawDisplay, ws []rawWindow, focus rawFocus, self int) desk {
	k := desk{displays: displays(ds)}
	for _, w := range ws {
		if w.pid == self || w.alpha <= 0 || w.bounds.Empty() {
			continue
		}
		bounds := w.bounds
		if hollow(w, k.displays) {
			if bounds = dockStrip(w, ds); bounds.Empty() {
				continue
			}
		}
		k.windows = append(k.windows, driver.Window{
			ID: driver.WindowID(w.id), PID: w.pid, App: driver.AppID(w.bundle), AppName: w.owner, Exe: w.exe,
			Class: w.bundle, Title: w.title, Role: role(w), Bounds: bounds,
		})
	}
	driver.Visible(k.windows, k.displays)
	if i := focused(k.windows, focus); i >= 0 {
		k.windows[i].Focused = true
	}
	return k
}

// Window levels (CGWindowLevel.h): what a window's layer says about what it is.
const (
	levelNormal   = 0
	levelModal    = 8
	levelDock     = 20
	levelMenuBar  = 24
	levelStatus   = 25
	levelMenu     = 101
	levelOverlay  = 102
	levelHelp     = 200
	levelDragging = 500
)

// Parts of the system that own windows on every Mac.
const (
	bundleDock          = "com.apple.dock"
	bundleNotifications = "com.apple.notificationcenterui"
	bundleManager       = "com.apple.WindowManager"
	bundleControl       = "com.apple.controlcenter"
)

func role(w rawWindow) string {
	switch {
	case w.layer < levelNormal:
		return "desktop"
	case w.bundle == bundleNotifications:
		return "notification"
	case w.layer == levelModal:
		return "dialog"
	case w.layer >= levelDock && w.layer <= levelStatus:
		return "dock"
	case w.layer == levelMenu || w.layer == levelOverlay || w.layer == levelHelp || w.layer == levelDragging:
		return "menu"
	}
	return "normal"
}

// hollow says whether a window is a transparent sheet over a whole display that clicks go through, which macOS
// keeps there for parts of itself. Taken for what it seems, it would hide every window behind it.
func hollow(w rawWindow, ds []driver.Display) bool {
	switch w.bundle {
	case bundleDock, bundleNotifications, bundleManager, bundleControl:
	default:
		return false
	}
	if w.layer < levelNormal {
		return false // the wallpaper
	}
	for _, d := range ds {
		if w.bounds.Intersect(d.Bounds) == d.Bounds {
			return true
		}
	}
	return false
}

// dockStrip is where the Dock itself is within its sheet: what the visible part of its display leaves at the
// left, right or bottom. It is empty where the Dock hides, and where macOS did not say.
func dockStrip(w rawWindow, ds []rawDisplay) driver.ScreenRect {
	if w.bundle != bundleDock || w.layer != levelDock {
		return driver.ScreenRect{}
	}
	main := mainHeight(ds)
	for _, d := range ds {
		if !d.known || w.bounds.Intersect(d.bounds) != d.bounds {
			continue
		}
		b, v := d.bounds, d.visible.Screen(main)
		for _, strip := range []driver.ScreenRect{
			{X: b.X, Y: v.Y + v.H, W: b.W, H: b.Y + b.H - v.Y - v.H},
			{X: b.X, Y: v.Y, W: v.X - b.X, H: v.H},
			{X: v.X + v.W, Y: v.Y, W: b.X + b.W - v.X - v.W, H: v.H},
		} {
			if strip.W >= 1 && strip.H >= 1 { // rounding is no Dock
				return strip
			}
		}
	}
	return driver.ScreenRect{}
}

// mainHeight is what AppKit counts up from.
func mainHeight(ds []rawDisplay) float64 {
	for _, d := range ds {
		if d.main {
			return d.bounds.H
		}
	}
	return 0
}

// focused finds the window that has the keys: that of the app in use which is where accessibility says its
// focused window is, otherwise the app's foremost one. It is none when a window of ours has them.
func focused(ws []driver.Window, f rawFocus) int {
	first := -1
	for i, w := range ws {
		if w.PID != f.pid || f.pid == 0 || w.Role == "desktop" || w.Role == "dock" {
			continue
		}
		if near(w.Bounds, f.window) {
			return i
		}
		if first < 0 && w.Role != "menu" {
			first = i
		}
	}
	return first
}

func near(a, b driver.ScreenRect) bool {
	const slack = 1.5 // one of them may be rounded
	for _, d := range []float64{a.X - b.X, a.Y - b.Y, a.W - b.W, a.H - b.H} {
		if math.Abs(d) > slack {
			return false
		}
	}
	return true
}

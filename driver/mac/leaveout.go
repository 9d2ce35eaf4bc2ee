package mac

import (
	"slices"

	"conch/driver"
)

// leaveOut is what a picture is taken without: whole apps by process, and single windows. No window of an app
// that is left out is among the windows, since ScreenCaptureKit shows an excepted window whose app is excluded.
type leaveOut struct {
	pids    []int
	windows []uint32
}

// shield is what of a list of windows is kept away from a picture, and why.
type shield struct {
	labels map[driver.WindowID]string
	leave  leaveOut
}

// newShield asks cover about each window once, and decides what macOS is to leave out: our own process always,
// an app when all of its windows are kept away (so that one which it opens this very moment is out too), and
// otherwise single windows. The system's own processes own windows of all kinds, so theirs are always single.
func newShield(ws []driver.Window, self int, cover func(driver.Window) string) shield {
	s := shield{labels: map[driver.WindowID]string{}, leave: leaveOut{pids: []int{self}}}
	if cover == nil {
		return s
	}
	open := map[int]bool{} // apps that may not be left out whole
	for _, w := range ws {
		if label := cover(w); label != "" {
			s.labels[w.ID] = label
		}
		if s.labels[w.ID] == "" || w.PID == 0 || ofSystem(w) {
			open[w.PID] = true
		}
	}
	for _, w := range ws {
		switch {
		case s.labels[w.ID] == "":
		case open[w.PID]:
			s.leave.windows = append(s.leave.windows, uint32(w.ID))
		case !slices.Contains(s.leave.pids, w.PID):
			s.leave.pids = append(s.leave.pids, w.PID)
		}
	}
	return s
}

// ofSystem says whether a window belongs to a part of macOS whose other windows a picture can't do without: the
// wallpaper and the menu bar among them.
func ofSystem(w driver.Window) bool {
	return w.Role == "desktop" || w.Role == "dock" || w.App == "" || w.App == bundleDock
}

// same says whether two lists show the same windows in the same places, as far as area goes: what was taken
// between them is then a picture of both.
func same(before, after []driver.Window, area driver.ScreenRect) bool {
	a, b := within(before, area), within(after, area)
	return slices.EqualFunc(a, b, func(v, w driver.Window) bool {
		return v.ID == w.ID && v.PID == w.PID && v.App == w.App && v.Title == w.Title && v.Bounds == w.Bounds
	})
}

func within(ws []driver.Window, area driver.ScreenRect) []driver.Window {
	var out []driver.Window
	for _, w := range ws {
		if !w.Bounds.Intersect(area).Empty() {
			out = append(out, w)
		}
	}
	return out
}

package mac

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/driver"
)

var (
	mainScreen = rawDisplay{
		id: 1, main: true, scale: 2, bounds: driver.ScreenRect{W: 1440, H: 900}, known: true,
		visible: driver.AppKitRect{Y: 70, W: 1440, H: 805},
	}
	leftScreen = rawDisplay{
		id: 2, scale: 1, bounds: driver.ScreenRect{X: -1920, Y: -180, W: 1920, H: 1080}, known: true,
		visible: driver.AppKitRect{X: -1920, W: 1920, H: 1055},
	}
)

// TestDesk is a desktop as macOS lists it: ours, sheets that are clicked through, the Dock, wallpaper, a menu.
func TestDesk(t *testing.T) {
	all := mainScreen.bounds
	ws := []rawWindow{
		{id: 1, pid: simSelf, layer: 1000, alpha: 1, bounds: all, owner: "Conch"},
		{id: 2, pid: 5, layer: levelMenu, alpha: 1, bounds: driver.ScreenRect{X: 10, Y: 24, W: 200, H: 300}, owner: "Notes", bundle: "com.apple.Notes"},
		{id: 3, pid: 2, layer: levelStatus, alpha: 1, bounds: driver.ScreenRect{X: 1300, W: 30, H: 24}, owner: "Control Center", bundle: bundleControl},
		{id: 4, pid: 9, layer: levelMenuBar, alpha: 1, bounds: driver.ScreenRect{W: 1440, H: 24}, owner: "Window Server"},
		{id: 5, pid: 3, layer: 23, alpha: 1, bounds: all, owner: "Notification Center", bundle: bundleNotifications},
		{id: 6, pid: 4, layer: levelDock, alpha: 1, bounds: all, owner: "Dock", bundle: bundleDock, title: "Dock"},
		{id: 7, pid: 6, layer: levelNormal, alpha: 0, bounds: all, owner: "Ghost", bundle: "x.ghost"},
		{id: 8, pid: 5, layer: levelNormal, alpha: 1, bounds: driver.ScreenRect{X: 100, Y: 100, W: 600, H: 400}, owner: "Notes", bundle: "com.apple.Notes", title: "All notes"},
		{id: 9, pid: 5, layer: levelNormal, alpha: 1, bounds: driver.ScreenRect{X: -1800, Y: -100, W: 600, H: 400}, owner: "Notes", bundle: "com.apple.Notes", title: "Second"},
		{id: 10, pid: 4, layer: -2147483601, alpha: 1, bounds: all, owner: "Dock", bundle: bundleDock, title: "Wallpaper"},
	}
	k := newDesk([]rawDisplay{leftScreen, mainScreen}, ws, rawFocus{5, driver.ScreenRect{X: -1800.4, Y: -100, W: 600, H: 400}}, simSelf)
	if len(k.displays) != 2 || !k.displays[0].Main || k.displays[1].Bounds != leftScreen.bounds {
		t.Errorf("displays: %+v", k.displays)
	}
	type brief struct {
		ID      driver.WindowID
		Role    string
		Focused bool
	}
	var got []brief
	for _, w := range k.windows {
		got = append(got, brief{w.ID, w.Role, w.Focused})
	}
	want := []brief{{2, "menu", false}, {3, "dock", false}, {4, "dock", false}, {6, "dock", false}, {8, "normal", false}, {9, "normal", true}, {10, "desktop", false}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if dock := k.windows[3].Bounds; dock != (driver.ScreenRect{Y: 830, W: 1440, H: 70}) {
		t.Errorf("the Dock is at %v", dock)
	}
	for p, id := range map[driver.ScreenPoint]driver.WindowID{
		{X: 300, Y: 300}: 8, {X: 150, Y: 150}: 2, {X: 700, Y: 850}: 6, {X: 700, Y: 700}: 10, {X: -1500, Y: 0}: 9, {X: 5, Y: 5}: 4,
	} {
		if w, _ := driver.At(k.windows, p); w.ID != id {
			t.Errorf("at %v is window %d, want %d", p, w.ID, id)
		}
	}
}

func TestDockStrip(t *testing.T) {
	dock := rawWindow{pid: 4, layer: levelDock, alpha: 1, bounds: mainScreen.bounds, bundle: bundleDock}
	for name, c := range map[string]struct {
		visible driver.AppKitRect
		known   bool
		want    driver.ScreenRect
	}{
		"below":     {driver.AppKitRect{Y: 70, W: 1440, H: 805}, true, driver.ScreenRect{Y: 830, W: 1440, H: 70}},
		"left":      {driver.AppKitRect{X: 80, W: 1360, H: 875}, true, driver.ScreenRect{Y: 25, W: 80, H: 875}},
		"right":     {driver.AppKitRect{W: 1360, H: 875}, true, driver.ScreenRect{X: 1360, Y: 25, W: 80, H: 875}},
		"hidden":    {driver.AppKitRect{W: 1440, H: 875}, true, driver.ScreenRect{}},
		"not known": {driver.AppKitRect{}, false, driver.ScreenRect{}},
	} {
		d := mainScreen
		d.visible, d.known = c.visible, c.known
		if got := dockStrip(dock, []rawDisplay{d}); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestFocused(t *testing.T) {
	ws := []driver.Window{
		{ID: 1, PID: 5, Role: "menu", Bounds: driver.ScreenRect{W: 5, H: 5}},
		{ID: 2, PID: 5, Role: "normal", Bounds: driver.ScreenRect{W: 10, H: 10}},
		{ID: 3, PID: 6, Role: "normal", Bounds: driver.ScreenRect{X: 50, W: 10, H: 10}},
		{ID: 4, PID: 5, Role: "normal", Bounds: driver.ScreenRect{X: 90, W: 10, H: 10}},
	}
	for name, c := range map[string]struct {
		f    rawFocus
		want int
	}{
		"by place":                {rawFocus{5, driver.ScreenRect{X: 90, W: 10, H: 10}}, 3},
		"place not known":         {rawFocus{5, driver.ScreenRect{}}, 1},
		"a window not in sight":   {rawFocus{5, driver.ScreenRect{X: 400, W: 10, H: 10}}, 1},
		"another app":             {rawFocus{6, driver.ScreenRect{}}, 2},
		"ours, or one without":    {rawFocus{simSelf, driver.ScreenRect{X: 90, W: 10, H: 10}}, -1},
		"nothing known":           {rawFocus{}, -1},
		"place of another's":      {rawFocus{6, driver.ScreenRect{W: 10, H: 10}}, 2},
		"a menu by place has the": {rawFocus{5, driver.ScreenRect{W: 5, H: 5}}, 0},
	} {
		if got := focused(ws, c.f); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestMirroredDisplaysCountOnce(t *testing.T) {
	mirror := mainScreen
	mirror.id, mirror.main = 9, false
	for _, ds := range [][]rawDisplay{{mirror, mainScreen}, {mainScreen, mirror}} {
		if got := displays(ds); len(got) != 1 || got[0].ID != "1" || !got[0].Main {
			t.Errorf("%+v", got)
		}
	}
}

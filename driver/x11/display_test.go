//go:build linux

package x11

import (
	"errors"
	"image"
	"testing"

	"conch/driver"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"

	"github.com/google/go-cmp/cmp"
)

func rect(x0, y0, x1, y1 int) image.Rectangle { return image.Rect(x0, y0, x1, y1) }

func TestMonitorsBecomeDisplays(t *testing.T) {
	root := rect(0, 0, 3840, 1080)
	left, right := monitor{"L", rect(0, 0, 1920, 1080), false}, monitor{"R", rect(1920, 0, 3840, 1080), false}
	main := func(m monitor) monitor { m.primary = true; return m }
	for name, c := range map[string]struct {
		in   []monitor
		want []string // the main one first
	}{
		"none":                          {nil, []string{"screen"}},
		"one":                           {[]monitor{right}, []string{"R"}},
		"the primary is the main one":   {[]monitor{left, main(right)}, []string{"R", "L"}},
		"else the one at the origin":    {[]monitor{right, left}, []string{"L", "R"}},
		"a mirror is one":               {[]monitor{left, {"M", left.rect, true}}, []string{"M"}},
		"a smaller mirror is one":       {[]monitor{{"S", rect(0, 0, 1280, 720), true}, left, right}, []string{"L", "R"}},
		"overlapping ones are two":      {[]monitor{left, {"O", rect(1000, 0, 2920, 1080), false}}, []string{"L", "O"}},
		"one outside the root is none":  {[]monitor{left, {"F", rect(9000, 0, 9100, 100), false}}, []string{"L"}},
		"one of no size is none either": {[]monitor{left, {"Z", rect(10, 10, 10, 10), true}}, []string{"L"}},
	} {
		ds := displays(root, c.in)
		var got []string
		for i, d := range ds {
			got = append(got, d.ID)
			if d.Main != (i == 0) || d.Scale != 1 || d.Bounds.Empty() {
				t.Errorf("%s: %+v", name, d)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// xrandr changes the monitors of the private desktop.
func (k *desk) xrandr(args ...string) {
	k.t.Helper()
	if err := xserver.Have("xrandr"); err != nil {
		xtest.Missing(k.t, err)
	}
	if out, err := k.x.Command("xrandr", args...).CombinedOutput(); err != nil {
		k.t.Fatalf("xrandr %v: %v: %s", args, err, out)
	}
}

func (k *desk) displays() []driver.Display {
	k.t.Helper()
	ds, err := k.d.Displays(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	return ds
}

func TestTwoDisplays(t *testing.T) {
	k := newDesk(t, xserver.Options{Width: 1600, Height: 700, Background: 0x336699})
	k.xrandr("--setmonitor", "Left", "800/211x600/158+0+0", "screen")
	k.xrandr("--setmonitor", "Right", "800/211x700/158+800+0", "none")
	k.window(xfixture.Spec{X: 900, Y: 100, W: 50, H: 50, Class: "One", Color: 0xff0000})
	want := []driver.Display{
		{ID: "Left", Name: "Left", Bounds: driver.ScreenRect{W: 800, H: 600}, Scale: 1, Main: true},
		{ID: "Right", Name: "Right", Bounds: driver.ScreenRect{X: 800, W: 800, H: 700}, Scale: 1},
	}
	if diff := cmp.Diff(want, k.displays()); diff != "" {
		t.Fatal(diff)
	}
	p := k.look(driver.Shot{Display: "Right"})
	if p.W != 800 || p.H != 700 || p.Pix.RGBAAt(120, 120).R != 0xff {
		t.Errorf("the right display's picture is %d by %d with %v", p.W, p.H, p.Pix.RGBAAt(120, 120))
	}
	at, err := p.Place(driver.PicPoint{X: 120, Y: 120})
	if err != nil || at != (driver.ScreenPoint{X: 920.5, Y: 120.5}) {
		t.Errorf("its pixel 120,120 is at %v, %v", at, err)
	}
	if p := k.look(driver.Shot{}); p.Frame.Display.ID != "Left" || p.H != 600 {
		t.Errorf("the main display's picture is %+v", p.Frame)
	}
}

func TestResizeMakesPicturesOld(t *testing.T) {
	k := newDesk(t, xserver.Options{Width: 1280, Height: 800})
	k.xrandr("--setmonitor", "One", "1280/211x800/158+0+0", "screen")
	p := k.look(driver.Shot{})
	if err := p.Check(k.displays()); err != nil {
		t.Fatalf("a fresh picture is %v", err)
	}
	before, after := k.change(func() {
		k.xrandr("--delmonitor", "One")
		k.xrandr("--setmonitor", "One", "1000/211x600/158+100+50", "screen")
	})
	if after <= before {
		t.Error("another size does not count as a change")
	}
	var stale *driver.StaleError
	if err := p.Check(k.displays()); !errors.As(err, &stale) {
		t.Errorf("the old picture is %v", err)
	}
	q := k.look(driver.Shot{})
	if q.Frame.Display.Bounds != (driver.ScreenRect{X: 100, Y: 50, W: 1000, H: 600}) || q.W != 1000 || q.Check(k.displays()) != nil {
		t.Errorf("the new picture is %+v", q.Frame)
	}
}

package driver

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAppKit places displays by hand as AppKit and Core Graphics name them.
func TestAppKit(t *testing.T) {
	const main = 900 // a 1440×900 main display
	for name, c := range map[string]struct {
		screen ScreenRect
		appkit AppKitRect
	}{
		"main":                     {ScreenRect{0, 0, 1440, 900}, AppKitRect{0, 0, 1440, 900}},
		"left, tops level":         {ScreenRect{-1920, 0, 1920, 1080}, AppKitRect{-1920, -180, 1920, 1080}},
		"left, bottoms level":      {ScreenRect{-1920, -180, 1920, 1080}, AppKitRect{-1920, 0, 1920, 1080}},
		"above":                    {ScreenRect{0, -1080, 1920, 1080}, AppKitRect{0, 900, 1920, 1080}},
		"below":                    {ScreenRect{100, 900, 800, 600}, AppKitRect{100, -600, 800, 600}},
		"menu bar":                 {ScreenRect{0, 0, 1440, 24}, AppKitRect{0, 876, 1440, 24}},
		"fractional, Retina (1.5)": {ScreenRect{10.5, 20.25, 100.5, 33.75}, AppKitRect{10.5, 846, 100.5, 33.75}},
	} {
		if got := c.screen.AppKit(main); got != c.appkit {
			t.Errorf("%s: %v in AppKit is %v, want %v", name, c.screen, got, c.appkit)
		}
		if got := c.appkit.Screen(main); got != c.screen {
			t.Errorf("%s: %v on the desktop is %v, want %v", name, c.appkit, got, c.screen)
		}
	}
}

// TestAppKitProperties holds over random displays (left, above, Retina fractions): there and back is the same
// place, sizes stay, what lies inside stays inside, and what is higher on the screen has the larger AppKit Y.
func TestAppKitProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 20_000 {
		scale := []float64{1, 1.25, 1.5, 2, 3}[r.IntN(5)]
		n := func(span int) float64 { return float64(r.IntN(2*span)-span) / scale }
		main := float64(600+r.IntN(2000)) / scale
		d := ScreenRect{n(6000), n(4000), 1 + float64(r.IntN(6000))/scale, 1 + float64(r.IntN(4000))/scale}
		a := d.AppKit(main)
		if back := a.Screen(main); !nearRect(back, d) {
			t.Fatalf("%v came back as %v (main %v)", d, back, main)
		}
		if a.W != d.W || a.H != d.H || a.X != d.X {
			t.Fatalf("%v became %v: another size or column", d, a)
		}
		p := ScreenPoint{d.X + d.W*r.Float64(), d.Y + d.H*r.Float64()}
		q := p.AppKit(main)
		if q.X < a.X || q.X > a.X+a.W || q.Y < a.Y-1e-6 || q.Y > a.Y+a.H+1e-6 {
			t.Fatalf("%v lies in %v, but %v not in %v", p, d, q, a)
		}
		if back := q.Screen(main); math.Abs(back.Y-p.Y) > 1e-6 || back.X != p.X {
			t.Fatalf("%v came back as %v", p, back)
		}
		higher := ScreenPoint{p.X, p.Y - 1}
		if !(higher.AppKit(main).Y > q.Y) {
			t.Fatalf("%v is higher than %v, but not in AppKit", higher, p)
		}
	}
}

func nearRect(a, b ScreenRect) bool {
	return math.Abs(a.Y-b.Y) < 1e-6 && a.X == b.X && a.W == b.W && a.H == b.H
}

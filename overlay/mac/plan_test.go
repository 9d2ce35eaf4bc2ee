package mac

import (
	"math"
	"math/rand/v2"
	"testing"

	"conch/driver"
	"conch/overlay"
	"conch/overlay/draw"
)

// lit is the scene of a lit overlay on some displays.
func lit(displays []driver.Display, key, step string) overlay.Scene {
	m := overlay.Model{
		Turn: "a", Label: step, Held: overlay.Held{Key: key},
		Screens: overlay.Screens{Displays: displays, Blend: true, Zoom: 1},
	}
	return m.Scene()
}

// desks are arrangements of displays in points, as a Mac names them.
func desks() map[string][]driver.Display {
	at := func(x, y, w, h, scale float64, main bool) driver.Display {
		return driver.Display{Bounds: driver.ScreenRect{X: x, Y: y, W: w, H: h}, Scale: scale, Main: main}
	}
	r := rand.New(rand.NewPCG(7, 7))
	out := map[string][]driver.Display{
		"one":         {at(0, 0, 1440, 900, 2, true)},
		"left":        {at(0, 0, 1512, 982, 2, true), at(-2560, -458, 2560, 1440, 1, false)},
		"above":       {at(0, 0, 1440, 900, 2, true), at(-240, -1080, 1920, 1080, 1, false)},
		"left, above": {at(0, 0, 1440, 900, 2, true), at(-1920, -1080, 1920, 1080, 1, false), at(1440, 300, 1280, 800, 2, false)},
	}
	for range 200 {
		n := func(span int) float64 { return float64(r.IntN(2*span)-span) / 2 }
		out["random "+string(rune('a'+r.IntN(26)))+string(rune('a'+r.IntN(26)))] = []driver.Display{
			at(0, 0, 800+n(700), 600+n(500), 2, true), at(n(9000), n(5000), 900+n(800), 700+n(600), 1, false),
		}
	}
	return out
}

// TestPanels holds for every arrangement: the panels of a display lie within it in AppKit's space, don't overlap,
// cover the whole rim, are thin, and turn about the display's middle.
func TestPanels(t *testing.T) {
	for name, all := range desks() {
		s := lit(all, "⌘⎋", "Typing in Notes")
		height := all[0].Bounds.H
		if len(s.Edges) != len(all) {
			t.Fatalf("%s: %d edges for %d displays", name, len(s.Edges), len(all))
		}
		for _, e := range s.Edges {
			whole := e.Display.Bounds.AppKit(height)
			area := 0.0
			ps := panels(e, height)
			for i, p := range ps {
				f := p.frame
				if f.X < whole.X || f.Y < whole.Y-1e-6 || f.X+f.W > whole.X+whole.W || f.Y+f.H > whole.Y+whole.H+1e-6 {
					t.Fatalf("%s: panel %v reaches out of its display %v", name, f, whole)
				}
				if min(f.W, f.H) > overlay.Core+overlay.Fade {
					t.Fatalf("%s: panel %v is no thin strip", name, f)
				}
				for _, o := range ps[i+1:] {
					if overlaps(f, o.frame) {
						t.Fatalf("%s: panels %v and %v overlap", name, f, o.frame)
					}
				}
				area += f.W * f.H
				if x, y := f.X+p.centre.X, f.Y+p.centre.Y; math.Abs(x-whole.X-whole.W/2) > 1e-6 || math.Abs(y-whole.Y-whole.H/2) > 1e-6 {
					t.Fatalf("%s: panel %v turns about %v,%v, want the middle of %v", name, f, x, y, whole)
				}
				if far := farthest(p); far > span(e.Display)/2+1e-6 {
					t.Fatalf("%s: a corner of panel %v is %v from the middle, and the spectrum reaches %v", name, f, far, span(e.Display)/2)
				}
			}
			d := e.Depth
			if rim := whole.W*whole.H - (whole.W-2*d)*(whole.H-2*d); math.Abs(rim-area) > 1e-3 {
				t.Fatalf("%s: the panels cover %v of a rim of %v", name, area, rim)
			}
			if ps[overlay.Top].frame.Y < ps[overlay.Bottom].frame.Y {
				t.Fatalf("%s: the top panel is below the bottom one", name)
			}
		}
	}
}

func overlaps(a, b driver.AppKitRect) bool {
	const eps = 1e-6
	return a.X+eps < b.X+b.W && b.X+eps < a.X+a.W && a.Y+eps < b.Y+b.H && b.Y+eps < a.Y+a.H
}

func farthest(p panel) float64 {
	far := 0.0
	for _, x := range []float64{0, p.frame.W} {
		for _, y := range []float64{0, p.frame.H} {
			far = math.Max(far, math.Hypot(x-p.centre.X, y-p.centre.Y))
		}
	}
	return far
}

// opacity is what a panel's fades make of a point in it, composed as Core Animation composes a mask's layers.
func (p panel) opacity(x, y, depth float64) float64 {
	clear := 1.0
	for _, f := range p.fades {
		if x < f.at.X || x > f.at.X+f.at.W || y < f.at.Y || y > f.at.Y+f.at.H {
			continue
		}
		start, end := f.ends()
		u, v := (x-f.at.X)/f.at.W, (y-f.at.Y)/f.at.H
		dx, dy := end.X-start.X, end.Y-start.Y
		clear *= 1 - alphaAt(fadeStops(depth, true), (u-start.X)*dx+(v-start.Y)*dy)
	}
	return 1 - clear
}

func alphaAt(stops []stop, t float64) float64 {
	for i := 1; i < len(stops); i++ {
		if a, b := stops[i-1], stops[i]; t <= b.at {
			u := math.Max(0, (t-a.at)/(b.at-a.at))
			return (float64(a.colour.A) + u*(float64(b.colour.A)-float64(a.colour.A))) / 255
		}
	}
	return 0
}

// TestGlowHasNoSeam walks along the borders between panels and around the rim: the rim is opaque, the inside is
// clear, and across a border the opacity is the same on both sides.
func TestGlowHasNoSeam(t *testing.T) {
	e := lit([]driver.Display{{Bounds: driver.ScreenRect{W: 1440, H: 900}, Main: true}}, "", "").Edges[0]
	ps := panels(e, 900)
	at := func(x, y float64) float64 { // on the display, from its bottom left
		best := -1.0
		for _, p := range ps {
			if lx, ly := x-p.frame.X, y-p.frame.Y; lx >= 0 && ly >= 0 && lx <= p.frame.W && ly <= p.frame.H {
				best = math.Max(best, p.opacity(lx, ly, e.Depth))
			}
		}
		return math.Max(0, best)
	}
	for x := 0.0; x <= 1440; x += 7 {
		for _, y := range []float64{1, 899} {
			if a := at(x, y); a < .97 {
				t.Fatalf("the rim at %v,%v has opacity %v", x, y, a)
			}
		}
		if x < e.Depth || x > 1440-e.Depth {
			continue
		}
		for _, y := range []float64{e.Depth, 900 - e.Depth} {
			if a := at(x, y); a > .03 {
				t.Fatalf("inside, at %v,%v, the opacity is %v", x, y, a)
			}
		}
	}
	for x := 0.5; x < e.Depth; x++ { // from a corner's square into the side's strip
		for _, y := range []float64{e.Depth, 900 - e.Depth} {
			for _, x := range []float64{x, 1440 - x} {
				if a, b := at(x, y-.01), at(x, y+.01); math.Abs(a-b) > .03 {
					t.Fatalf("a seam at %v,%v: %v and %v", x, y, a, b)
				}
			}
		}
	}
}

func TestStops(t *testing.T) {
	pearl := pearlStops()
	if pearl[0].at != 0 || pearl[len(pearl)-1].at != 1 || pearl[0].colour != pearl[len(pearl)-1].colour {
		t.Errorf("the spectrum doesn't close: %v … %v", pearl[0], pearl[len(pearl)-1])
	}
	half := (len(pearl) - 1) / draw.Turns
	for i := 1; i < len(pearl); i++ {
		if pearl[i].at <= pearl[i-1].at {
			t.Errorf("stop %d is at %v after %v", i, pearl[i].at, pearl[i-1].at)
		}
		if i+half < len(pearl) && pearl[i].colour != pearl[i+half].colour {
			t.Errorf("a turn by %v rad doesn't look like the start: stop %d", turnBy, i)
		}
		// Between two stops Core Animation mixes plainly; that must come out as the spectrum's own colour.
		a, b, want := pearl[i-1].colour, pearl[i].colour, draw.Pearl((pearl[i-1].at+pearl[i].at)/2*draw.Turns)
		for _, d := range []int{
			(int(a.R)+int(b.R))/2 - int(want.R), (int(a.G)+int(b.G))/2 - int(want.G), (int(a.B)+int(b.B))/2 - int(want.B),
		} {
			if d > 3 || d < -3 {
				t.Errorf("between %v and %v the spectrum is off by %d", pearl[i-1], pearl[i], d)
			}
		}
	}
	last := uint8(255)
	stops := fadeStops(overlay.Core+overlay.Fade, true)
	for _, s := range stops {
		if s.colour.A > last {
			t.Errorf("the glow grows inwards at %v", s.at)
		}
		last = s.colour.A
	}
	if stops[0].colour.A != 255 || last != 0 {
		t.Errorf("the glow goes from %d to %d, want 255 to 0", stops[0].colour.A, last)
	}
	if rate < rateMin || rate > rateMax || rateMin < 15 || rateMax > 30 {
		t.Errorf("the glow has %d to %d frames a second", rateMin, rateMax)
	}
}

// TestLayOut holds for cards of every size: everything lies within the card, text doesn't touch the button, and
// what is on the button lies on it.
func TestLayOut(t *testing.T) {
	for name, all := range desks() {
		for _, key := range []string{"⌘⎋", "⌃⌘⎋", ""} {
			for _, step := range []string{"", "Clicking in Notes"} {
				c := lit(all, key, step).Card
				l := layOut(c)
				whole := driver.AppKitRect{W: c.Bounds.W, H: c.Bounds.H}
				for part, r := range map[string]driver.AppKitRect{"icon": l.icon, "title": l.title, "step": l.step, "stop": l.stop} {
					if !within(r, whole) {
						t.Errorf("%s: the %s at %v reaches out of the card %v", name, part, r, whole)
					}
					if part != "stop" && overlaps(r, l.stop) {
						t.Errorf("%s: the %s at %v lies under Stop at %v", name, part, r, l.stop)
					}
				}
				for part, r := range map[string]driver.AppKitRect{"word": l.word, "key": l.key} {
					if !within(r, l.stop) && r.H > 0 {
						t.Errorf("%s: the %s at %v reaches out of Stop %v", name, part, r, l.stop)
					}
				}
				if overlaps(l.title, l.step) || overlaps(l.word, l.key) || overlaps(l.icon, l.title) {
					t.Errorf("%s: parts of the card overlap: %+v", name, l)
				}
				if on := c.Bounds.AppKit(all[0].Bounds.H); math.Abs(on.X+l.stop.X-c.Stop.AppKit(all[0].Bounds.H).X) > 1e-6 ||
					math.Abs(on.Y+l.stop.Y-c.Stop.AppKit(all[0].Bounds.H).Y) > 1e-6 {
					t.Errorf("%s: Stop is drawn at %v of %v, and its place is %v", name, l.stop, on, c.Stop)
				}
			}
		}
	}
}

func within(r, whole driver.AppKitRect) bool {
	const eps = 1e-6
	return r.X >= whole.X-eps && r.Y >= whole.Y-eps && r.X+r.W <= whole.X+whole.W+eps && r.Y+r.H <= whole.Y+whole.H+eps
}

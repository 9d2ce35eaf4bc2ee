package driver

import (
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"
)

// frames are pictures of displays with any origin and scale, whole, shrunk and cropped.
func frames() map[string]Frame {
	out := map[string]Frame{}
	for _, origin := range []ScreenPoint{{0, 0}, {-1440, 280}, {-2560.5, -1440}, {1920, -37}} {
		for _, scale := range []float64{1, 1.25, 1.5, 1.75, 2} {
			d := Display{ID: "d", Bounds: ScreenRect{origin.X, origin.Y, 1366, 768}, Scale: scale}
			name := fmt.Sprintf("%v @%g", origin, scale)
			out[name] = Frame{d, d.Bounds, int(1366 * scale), int(768 * scale)}
			out[name+" shrunk"] = Frame{d, d.Bounds, 911, 512}
			out[name+" odd"] = Frame{d, d.Bounds, 1000, 563}
			part := ScreenRect{origin.X + 100.5, origin.Y + 33.25, 400, 300}
			out[name+" crop"] = Frame{d, part, int(400 * scale), int(300 * scale)}
			out[name+" small crop"] = Frame{d, part, 77, 58}
		}
	}
	return out
}

// Every pixel becomes a point inside the picture that comes back to that very pixel, and neighbours are as far
// apart as their size says.
func TestEveryPixelRoundTrips(t *testing.T) {
	for name, f := range frames() {
		sx, sy := f.Area.W/float64(f.W), f.Area.H/float64(f.H)
		for y := 0; y < f.H; y += 1 + f.H/97 {
			for x := 0; x < f.W; x++ {
				p := PicPoint{x, y}
				at, err := f.Place(p)
				if err != nil || !f.Area.Contains(at) {
					t.Fatalf("%s: %v is at %v, %v", name, p, at, err)
				}
				back, in := f.Pixel(at)
				if !in || back != p {
					t.Fatalf("%s: %v is at %v, which is %v", name, p, at, back)
				}
				if math.Abs(at.X-(f.Area.X+(float64(x)+0.5)*sx)) > 1e-6 || math.Abs(at.Y-(f.Area.Y+(float64(y)+0.5)*sy)) > 1e-6 {
					t.Fatalf("%s: %v is at %v", name, p, at)
				}
			}
		}
	}
}

// A display whose points aren't whole pixels is shown up to its edge, by pixels that reach over it. Each of them still
// is a point of the display, whatever its size, scale and place.
func TestEveryPixelIsOnTheDisplay(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		scale := []float64{1, 1.1, 1.25, 1.5, 1.75, 2, 3}[r.IntN(7)]
		b := ScreenRect{float64(r.IntN(5000) - 2500), float64(r.IntN(5000) - 2500), float64(1 + r.IntN(3000)), float64(1 + r.IntN(3000))}
		w, h := int(math.Ceil(b.W*scale-1e-9)), int(math.Ceil(b.H*scale-1e-9))
		f := Frame{Display{ID: "d", Bounds: b, Scale: scale}, ScreenRect{b.X, b.Y, float64(w) / scale, float64(h) / scale}, w, h}
		for _, p := range []PicPoint{{0, 0}, {w - 1, 0}, {0, h - 1}, {w - 1, h - 1}, {r.IntN(w), r.IntN(h)}} {
			at, err := f.Place(p)
			if back, in := f.Pixel(at); err != nil || !b.Contains(at) || !in || back != p {
				t.Fatalf("%+v: %v is at %v, which is %v: %v", f, p, at, back, err)
			}
		}
	}
}

// Every point of the screen is in the pixel that is within one point (or one pixel) of it.
func TestEveryPointHasItsPixel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, f := range frames() {
		sx, sy := f.Area.W/float64(f.W), f.Area.H/float64(f.H)
		for range 500 {
			at := ScreenPoint{f.Area.X + r.Float64()*f.Area.W, f.Area.Y + r.Float64()*f.Area.H}
			p, in := f.Pixel(at)
			mid, err := f.Place(p)
			if !in || err != nil || math.Abs(mid.X-at.X) > sx/2+1e-6 || math.Abs(mid.Y-at.Y) > sy/2+1e-6 {
				t.Fatalf("%s: %v is in %v, whose middle is %v (%v)", name, at, p, mid, err)
			}
		}
		for _, at := range []ScreenPoint{
			{f.Area.X - 0.01, f.Area.Y}, {f.Area.X, f.Area.Y - 0.01}, {f.Area.X + f.Area.W, f.Area.Y}, {f.Area.X, f.Area.Y + f.Area.H},
		} {
			if p, in := f.Pixel(at); in {
				t.Errorf("%s: %v outside is in %v", name, at, p)
			}
		}
	}
}

func TestOutsideIsRefused(t *testing.T) {
	f := Frame{Display{}, ScreenRect{0, 0, 1920, 1080}, 1366, 768}
	for _, p := range []PicPoint{{-1, 0}, {0, -1}, {1366, 0}, {0, 768}, {1800, 100}, {math.MaxInt, 5}, {5, math.MinInt}} {
		at, err := f.Place(p)
		var e *OutsideError
		if !errors.As(err, &e) || e.At != p || e.W != 1366 || e.H != 768 || at != (ScreenPoint{}) {
			t.Errorf("%v is at %v, %v", p, at, err)
		}
	}
	if _, err := (Frame{}).Place(PicPoint{}); err == nil {
		t.Error("a picture without pixels has a point")
	}
	if _, in := (Frame{}).Pixel(ScreenPoint{}); in {
		t.Error("a picture without pixels shows a point")
	}
}

func TestPart(t *testing.T) {
	for name, f := range frames() {
		whole, err := f.Part(PicRect{0, 0, f.W, f.H})
		if err != nil || !nearly(whole, f.Area) {
			t.Errorf("%s: the whole is %v, %v; want %v", name, whole, err, f.Area)
		}
		// The parts of a picture that is cut in four make up the picture.
		mx, my := f.W/3, f.H/2
		area := 0.0
		for _, r := range []PicRect{{0, 0, mx, my}, {mx, 0, f.W, my}, {0, my, mx, f.H}, {mx, my, f.W, f.H}} {
			part, err := f.Part(r)
			if err != nil || part.Intersect(f.Area).Empty() {
				t.Errorf("%s: %v is %v, %v", name, r, part, err)
			}
			area += part.W * part.H
			a, _ := f.Place(PicPoint{r.X0, r.Y0})
			b, _ := f.Place(PicPoint{r.X1 - 1, r.Y1 - 1})
			if !part.Contains(a) || !part.Contains(b) {
				t.Errorf("%s: %v is %v without %v or %v", name, r, part, a, b)
			}
		}
		if math.Abs(area-f.Area.W*f.Area.H) > 1e-3 {
			t.Errorf("%s: four parts have %g of %g", name, area, f.Area.W*f.Area.H)
		}
		for _, r := range []PicRect{{}, {5, 5, 5, 9}, {9, 5, 5, 9}, {-1, 0, 5, 5}, {0, 0, f.W + 1, 5}, {0, 0, 5, f.H + 1}} {
			if part, err := f.Part(r); err == nil {
				t.Errorf("%s: %v is %v", name, r, part)
			}
		}
	}
}

func nearly(a, b ScreenRect) bool {
	return math.Abs(a.X-b.X) < 1e-6 && math.Abs(a.Y-b.Y) < 1e-6 && math.Abs(a.W-b.W) < 1e-6 && math.Abs(a.H-b.H) < 1e-6
}

func TestCheck(t *testing.T) {
	d := Display{ID: "HDMI-1", Name: "Screen", Bounds: ScreenRect{-1920, 0, 1920, 1080}, Scale: 1}
	f := Frame{Display: d, Area: d.Bounds, W: 1366, H: 768}
	other := Display{ID: "eDP-1", Bounds: ScreenRect{0, 0, 1280, 800}, Scale: 2, Main: true}
	renamed, main := d, d
	renamed.Name, main.Main = "Another name", true
	for _, now := range [][]Display{{d}, {other, d}, {renamed}, {main, other}} {
		if err := f.Check(now); err != nil {
			t.Errorf("%v: %v", now, err)
		}
	}
	moved, sized, scaled := d, d, d
	moved.Bounds.X, sized.Bounds.W, scaled.Scale = 0, 1280, 2
	for _, now := range [][]Display{nil, {other}, {moved}, {sized, other}, {other, scaled}} {
		var e *StaleError
		if err := f.Check(now); !errors.As(err, &e) || e.Was != d {
			t.Errorf("%v: %v", now, err)
		}
	}
}

func randomRect(r *rand.Rand, span int) ScreenRect {
	return ScreenRect{float64(r.IntN(span) - span/4), float64(r.IntN(span) - span/4), float64(r.IntN(span)), float64(r.IntN(span))}
}

// What Subtract leaves is exactly what lies in one rectangle and not in the other.
func TestSubtract(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 5000 {
		a, b := randomRect(r, 12), randomRect(r, 12)
		parts := a.Subtract(b)
		for i := range 20 * 20 {
			p := ScreenPoint{float64(i%20) - 3.5, float64(i/20) - 3.5}
			n := 0
			for _, part := range parts {
				if part.Contains(p) {
					n++
				}
			}
			want := 0
			if a.Contains(p) && !b.Contains(p) {
				want = 1
			}
			if n != want {
				t.Fatalf("%v without %v is %v: %v is in %d of them", a, b, parts, p, n)
			}
		}
		if len(parts) > 4 {
			t.Fatalf("%v without %v has %d parts", a, b, len(parts))
		}
	}
}

// A window's visible parts are where a click would land in it, and no two overlap.
func TestVisible(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 400 {
		displays := []Display{{ID: "a", Bounds: ScreenRect{0, 0, 20, 15}}, {ID: "b", Bounds: ScreenRect{-10, 3, 10, 9}}}
		switch r.IntN(3) {
		case 0:
			displays = displays[:1]
		case 1:
			displays = append(displays, Display{ID: "mirror", Bounds: ScreenRect{5, 0, 18, 20}})
		}
		var ws []Window
		for i := range 1 + r.IntN(7) {
			ws = append(ws, Window{ID: WindowID(i + 1), Bounds: randomRect(r, 25)})
		}
		Visible(ws, displays)
		for i := range 45 * 45 {
			p := ScreenPoint{float64(i%45) - 14.5, float64(i/45) - 14.5}
			on := false
			for _, d := range displays {
				on = on || d.Bounds.Contains(p)
			}
			var top WindowID
			for _, w := range ws {
				if top == 0 && w.Bounds.Contains(p) {
					top = w.ID
				}
			}
			if at, _ := At(ws, p); on && at.ID != top {
				t.Fatalf("at %v is window %d, want %d", p, at.ID, top)
			}
			for _, w := range ws {
				n := 0
				for _, part := range w.Visible {
					if part.Contains(p) {
						n++
					}
				}
				want := 0
				if on && w.ID == top {
					want = 1
				}
				if n != want {
					t.Fatalf("%v is in %d visible parts of window %d, want %d\n%+v", p, n, w.ID, want, ws)
				}
			}
		}
	}
}

func TestAtAndFocused(t *testing.T) {
	ws := []Window{
		{ID: 1, Bounds: ScreenRect{10, 10, 10, 10}},
		{ID: 2, Bounds: ScreenRect{0, 0, 100, 100}, Focused: true},
		{ID: 3, Bounds: ScreenRect{50, 50, 100, 100}},
	}
	for p, want := range map[ScreenPoint]WindowID{{15, 15}: 1, {20, 15}: 2, {9.99, 15}: 2, {75, 75}: 2, {100, 75}: 3, {149, 149}: 3, {150, 150}: 0} {
		if w, ok := At(ws, p); w.ID != want || ok != (want != 0) {
			t.Errorf("at %v is window %d, want %d", p, w.ID, want)
		}
	}
	// A hole in the topmost window: a click there lands below it.
	holed := []Window{{ID: 1, Bounds: ScreenRect{0, 0, 30, 30}, Visible: []ScreenRect{{0, 0, 30, 10}}}, {ID: 2, Bounds: ScreenRect{0, 0, 30, 30}, Visible: []ScreenRect{{0, 10, 30, 20}}}}
	if w, _ := At(holed, ScreenPoint{5, 20}); w.ID != 2 {
		t.Errorf("in the hole is window %d", w.ID)
	}
	if w, ok := Focused(ws); !ok || w.ID != 2 {
		t.Errorf("window %d has the keys", w.ID)
	}
	if _, ok := Focused(ws[:1]); ok {
		t.Error("a window without the keys has them")
	}
}

// Around takes each pixel that shows any of a rectangle, Within those that show nothing else.
func TestAroundAndWithin(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for name, f := range frames() {
		sx, sy := f.Area.W/float64(f.W), f.Area.H/float64(f.H)
		for range 40 {
			rect := ScreenRect{f.Area.X - 20 + r.Float64()*f.Area.W, f.Area.Y - 20 + r.Float64()*f.Area.H, r.Float64() * 90, r.Float64() * 90}
			around, within := f.Around(rect), f.Within(rect)
			if !within.In(around) || !around.In(image.Rect(0, 0, f.W, f.H)) {
				t.Fatalf("%s: %v is around %v, within %v", name, rect, around, within)
			}
			box := around.Inset(-3)
			for y := max(0, box.Min.Y); y < min(f.H, box.Max.Y); y++ {
				for x := max(0, box.Min.X); x < min(f.W, box.Max.X); x++ {
					px := ScreenRect{f.Area.X + float64(x)*sx, f.Area.Y + float64(y)*sy, sx, sy}
					c := px.Intersect(rect)
					touches := c.W*c.H > 1e-6*sx*sy
					filled := c.W*c.H > (1-1e-6)*sx*sy
					in, inside := image.Pt(x, y).In(around), image.Pt(x, y).In(within)
					if touches && !in || inside && !filled {
						t.Fatalf("%s: %v, pixel %d,%d: in Around %v, in Within %v, shows %g of it", name, rect, x, y, in, inside, c.W*c.H/(sx*sy))
					}
				}
			}
		}
		if got := f.Around(f.Area); got != image.Rect(0, 0, f.W, f.H) {
			t.Errorf("%s: the whole area is around %v", name, got)
		}
		if got := f.Within(f.Area); got != image.Rect(0, 0, f.W, f.H) {
			t.Errorf("%s: the whole area is within %v", name, got)
		}
		if !f.Around(ScreenRect{f.Area.X - 50, f.Area.Y, 50, 50}).Empty() || !f.Within(ScreenRect{}).Empty() {
			t.Errorf("%s: what isn't shown has pixels", name)
		}
	}
}

func TestSentences(t *testing.T) {
	for err, want := range map[error]string{
		&OutsideError{PicPoint{1500, 5}, 1366, 768}:                "the point 1500,5 is outside the picture, which is 1366 by 768 pixels",
		&Unready{Say: "The screen is locked."}:                     "The screen is locked.",
		&Unready{Say: "The screen is locked.", Next: "Unlock it."}: "The screen is locked. Unlock it.",
		&NoKeyError{"ẞ"}: "this keyboard can't make “ẞ”",
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	cause := errors.New("cause")
	if !errors.Is(&Unready{Err: cause}, cause) {
		t.Error("the cause is lost")
	}
}

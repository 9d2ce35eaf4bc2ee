package draw

import (
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"conch/driver"
	"conch/overlay"
)

var update = flag.Bool("update", false, "write the golden images afresh")

// scene is what a lit model shows on one screen, made the way the product makes it.
func scene(t *testing.T, s overlay.Screens, events ...overlay.Event) overlay.Scene {
	t.Helper()
	m := overlay.Model{Screens: s}
	events = append([]overlay.Event{
		overlay.Began{Turn: "a", Label: "Typing in Mousepad"},
		overlay.KeyChanged{Held: overlay.Held{Key: "Super+Esc"}},
		overlay.Painted{Turn: "a"},
	}, events...)
	for _, e := range events {
		m, _ = overlay.Next(m, e)
	}
	return m.Scene()
}

func oneScreen(w, h float64, blend bool) overlay.Screens {
	return overlay.Screens{Blend: blend, Displays: []driver.Display{
		{ID: "a", Bounds: driver.ScreenRect{W: w, H: h}, Main: true, Scale: 1},
	}}
}

func pen(t *testing.T) *Pen {
	t.Helper()
	p, err := NewPen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// desktop is a plain backdrop, half of it light and half dark, so that a golden image shows both.
func desktop(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(lch{.97, .004, 250}.rgb()), image.Point{}, draw.Src)
	dark := image.Rect(w/2, 0, w, h)
	draw.Draw(img, dark, image.NewUniform(lch{.24, .02, 265}.rgb()), image.Point{}, draw.Src)
	return img
}

func golden(t *testing.T, name string, got *image.RGBA) {
	t.Helper()
	path := filepath.Join("..", "testdata", name+".png")
	if *update {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v; run with -update and look at it", err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if want.Bounds() != got.Bounds() {
		t.Fatalf("%s is %v, want %v", name, got.Bounds(), want.Bounds())
	}
	// Other processors round the curves' coverage a little differently; a change of ours is far larger.
	const close, few = 6, 40
	far := 0
	for y := range got.Rect.Dy() {
		for x := range got.Rect.Dx() {
			w, g := color.RGBAModel.Convert(want.At(x, y)).(color.RGBA), got.RGBAAt(x, y)
			for _, d := range []int{int(w.R) - int(g.R), int(w.G) - int(g.G), int(w.B) - int(g.B)} {
				if d > close || d < -close {
					far++
					break
				}
			}
		}
	}
	if far > few {
		t.Errorf("%s: %d pixels differ from the golden image; if that is meant, run with -update and look at it", name, far)
	}
}

func TestGolden(t *testing.T) {
	p := pen(t)
	img := desktop(960, 540)
	p.Scene(img, scene(t, oneScreen(960, 540, true)), Look{}, .1)
	golden(t, "edge", img)

	img = desktop(960, 540)
	p.Scene(img, scene(t, oneScreen(960, 540, false), overlay.KeyChanged{Held: overlay.Held{Key: "Ctrl+Super+Esc"}}), Look{Hover: true}, .35)
	golden(t, "edge-plain", img)

	s := oneScreen(960, 200, true)
	s.Zoom = 2
	img = desktop(960, 200)
	p.Scene(img, scene(t, s, overlay.Step{Turn: "a", Label: "Clicking “Сохранить” in a window with a name that goes on and on"}), Look{Pressed: true}, .6)
	golden(t, "card-large", img)

	img = desktop(960, 200)
	p.Scene(img, scene(t, oneScreen(960, 200, true), overlay.StopPressed{}), Look{}, .85)
	golden(t, "card-stopping", img)
}

// TestRingCloses walks around the screen along its rim, at many turns and sizes: no two neighbours may differ
// by a step that an eye would see, where strips and corners meet least of all.
func TestRingCloses(t *testing.T) {
	for _, size := range [][2]int{{1280, 800}, {1920, 1080}, {800, 1280}, {641, 403}} {
		for _, blend := range []bool{true, false} {
			s := scene(t, oneScreen(float64(size[0]), float64(size[1]), blend))
			r := RingOf(s.Edges[0], blend)
			for _, turn := range []float64{0, .13, .5, .77, .999} {
				rim := rimOf(r, turn)
				for i, c := range rim {
					n := rim[(i+1)%len(rim)]
					if c.A != 255 {
						t.Fatalf("%v turn %v: the rim's pixel %d is not opaque: %v", size, turn, i, c)
					}
					for _, d := range []int{int(c.R) - int(n.R), int(c.G) - int(n.G), int(c.B) - int(n.B)} {
						if d > 5 || d < -5 {
							t.Fatalf("%v blend %v turn %v: a seam at %d of %d: %v then %v", size, blend, turn, i, len(rim), c, n)
						}
					}
				}
			}
		}
	}
}

// rimOf reads the outermost pixels of a ring, clockwise from the top left.
func rimOf(r Ring, turn float64) []color.RGBA {
	var img [4]*image.RGBA
	for s := range img {
		img[s] = r.Strip(overlay.Side(s), r.Texture(overlay.Side(s)), turn)
	}
	var out []color.RGBA
	for x := range r.W {
		out = append(out, img[overlay.Top].RGBAAt(x, 0))
	}
	column := func(s overlay.Side, x int) (c []color.RGBA) {
		for y := range img[s].Rect.Dy() {
			c = append(c, img[s].RGBAAt(x, y))
		}
		return c
	}
	out = append(out, column(overlay.Top, r.W-1)...)
	out = append(out, column(overlay.Right, r.Depth-1)...)
	out = append(out, column(overlay.Bottom, r.W-1)...)
	for x := r.W - 1; x >= 0; x-- {
		out = append(out, img[overlay.Bottom].RGBAAt(x, r.Depth-1))
	}
	up := append(column(overlay.Top, 0), append(column(overlay.Left, 0), column(overlay.Bottom, 0)...)...)
	for i := len(up) - 1; i >= 0; i-- {
		out = append(out, up[i])
	}
	return out
}

func TestFadesInwards(t *testing.T) {
	r := Ring{W: 1280, H: 800, Depth: overlay.Core + overlay.Fade, Blend: true}
	left := r.Strip(overlay.Left, r.Texture(overlay.Left), 0)
	last := uint8(255)
	for x := range r.Depth {
		a := left.RGBAAt(x, 100).A
		if a > last || x < overlay.Core-2 && a != 255 {
			t.Errorf("at depth %d the edge has opacity %d after %d", x, a, last)
		}
		last = a
	}
	if last > 3 {
		t.Errorf("the edge ends with opacity %d, want it to fade out", last)
	}
}

func TestFit(t *testing.T) {
	p := pen(t)
	for _, s := range []string{
		"Typing in Mousepad", "a very long line that can't possibly fit into the room that there is",
		"two\nlines\tand\x00more", "\u202eright to left", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦 family", "日本語のとても長いウィンドウの題名がここにある", "", "\xff\xfe",
	} {
		got := p.fit(s, 180, regular, 13)
		if w := float64(p.width(got, regular, 13)) / 64; w > 180 {
			t.Errorf("%q became %q, %v wide, want at most 180", s, got, w)
		}
		for _, r := range got {
			if r < ' ' || r == '\u202e' || r == '\uFFFD' {
				t.Errorf("%q became %q, with the character %U", s, got, r)
			}
		}
	}
	if got := p.fit("Typing in Mousepad", 180, regular, 13); got != "Typing in Mousepad" {
		t.Errorf("what fits became %q", got)
	}
}

func FuzzOneLine(f *testing.F) {
	for _, s := range []string{"Typing in Notes", "a\x00b", "\xff\xfe", "a\r\n\tb", "⌃⌘⎋", strings.Repeat("é", 1500)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := OneLine(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\r\n\t") || OneLine(got) != got {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func FuzzFit(f *testing.F) {
	f.Add("Typing in Mousepad — a very long name of a very long document.txt")
	f.Add("e\u0301\u0301\u0301👩‍👩‍👧‍👦")
	p, err := NewPen()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = p.Close() })
	f.Fuzz(func(t *testing.T, s string) {
		if w := float64(p.width(p.fit(s, 150, regular, 13), regular, 13)) / 64; w > 150 {
			t.Errorf("%q is %v wide, want at most 150", s, w)
		}
	})
}

func BenchmarkRing(b *testing.B) {
	r := Ring{W: 1920, H: 1080, Depth: overlay.Core + overlay.Fade, Blend: true}
	for b.Loop() {
		for s := range overlay.Side(4) {
			r.Texture(s)
		}
	}
}

func BenchmarkCard(b *testing.B) {
	p, err := NewPen()
	if err != nil {
		b.Fatal(err)
	}
	m := overlay.Model{Turn: "a", Label: "Typing in Mousepad", Screens: oneScreen(1920, 1080, true)}
	for b.Loop() {
		p.Card(m.Scene().Card, Look{Blend: true})
	}
}

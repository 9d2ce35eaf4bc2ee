package raster

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFit(t *testing.T) {
	for _, c := range []struct{ w, h, mw, mh, area, ow, oh int }{
		{1280, 800, 1568, 1568, 1_050_000, 1280, 800},
		{1920, 1080, 1568, 1568, 1_050_000, 1366, 768},
		{3840, 2160, 1568, 1568, 1_050_000, 1366, 768},
		{5120, 2880, 1568, 1568, 1_050_000, 1366, 768},
		{7680, 4320, 1568, 1568, 1_050_000, 1366, 768},
		{3440, 1440, 1568, 1568, 1_050_000, 1568, 656},
		{1080, 1920, 1568, 1568, 1_050_000, 768, 1366},
		{1512, 982, 1568, 1568, 1_050_000, 1271, 825},
		{1, 100_000, 1568, 1568, 1_050_000, 1, 1568},
		{100_000, 1, 1568, 1568, 1_050_000, 1568, 1},
		{1, 100_000, 0, 0, 500, 1, 500},
		{1, 1, 1568, 1568, 1_050_000, 1, 1},
		{640, 480, 0, 0, 0, 640, 480},
		{4000, 10, 100, 0, 0, 100, 1},
		{0, 10, 100, 100, 100, 0, 0},
		{10, -1, 100, 100, 100, 0, 0},
	} {
		if w, h := Fit(c.w, c.h, c.mw, c.mh, c.area); w != c.ow || h != c.oh {
			t.Errorf("Fit(%d, %d, %d, %d, %d) = %d, %d; want %d, %d", c.w, c.h, c.mw, c.mh, c.area, w, h, c.ow, c.oh)
		}
	}
}

func TestFitHoldsItsLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		w, h := 1+r.IntN(1<<r.IntN(15)), 1+r.IntN(1<<r.IntN(15))
		mw, mh, area := r.IntN(3000), r.IntN(3000), r.IntN(2_000_000)
		ow, oh := Fit(w, h, mw, mh, area)
		if ow < 1 || oh < 1 || ow > w || oh > h || mw > 0 && ow > mw || mh > 0 && oh > mh || area > 0 && ow*oh > area {
			t.Fatalf("Fit(%d, %d, %d, %d, %d) = %d, %d", w, h, mw, mh, area, ow, oh)
		}
		// The aspect is kept to within one pixel, unless an edge of one pixel made that impossible.
		if ow > 1 && oh > 1 && (math.Abs(float64(ow)*float64(h)/float64(w)-float64(oh)) > 1.01+float64(h)/float64(w)) {
			t.Fatalf("Fit(%d, %d, %d, %d, %d) = %d, %d bends the picture", w, h, mw, mh, area, ow, oh)
		}
	}
}

func random(seed uint64, w, h int) *image.RGBA {
	r := rand.New(rand.NewPCG(seed, 9))
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
	}
	return img
}

func bgrx(img *image.RGBA) []byte {
	out := make([]byte, len(img.Pix))
	for i := 0; i < len(out); i += 4 {
		out[i], out[i+1], out[i+2] = img.Pix[i+2], img.Pix[i+1], img.Pix[i]
	}
	return out
}

// mean is the exact box filter, slowly.
func mean(src *image.RGBA, dw, dh, x, y, ch int) float64 {
	sw, sh := src.Rect.Dx(), src.Rect.Dy()
	x0, x1 := float64(x)*float64(sw)/float64(dw), float64(x+1)*float64(sw)/float64(dw)
	y0, y1 := float64(y)*float64(sh)/float64(dh), float64(y+1)*float64(sh)/float64(dh)
	var sum float64
	for sy := int(y0); sy < sh && float64(sy) < y1; sy++ {
		for sx := int(x0); sx < sw && float64(sx) < x1; sx++ {
			wx := math.Min(x1, float64(sx+1)) - math.Max(x0, float64(sx))
			wy := math.Min(y1, float64(sy+1)) - math.Max(y0, float64(sy))
			sum += wx * wy * float64(src.Pix[src.PixOffset(sx, sy)+ch])
		}
	}
	return sum / ((x1 - x0) * (y1 - y0))
}

func TestScaleIsTheMean(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 300 {
		sw, sh := 1+r.IntN(90), 1+r.IntN(90)
		dw, dh := 1+r.IntN(sw), 1+r.IntN(sh)
		if n%20 == 0 { // tall reductions take other code
			sw, sh, dw, dh = 700, 40, 1+r.IntN(3), 2
		}
		tolerance := 2.5
		if sw > 8*dw || sh > 8*dh {
			tolerance = 5 // many small weights, each rounded to a 256th
		}
		src := random(uint64(n), sw, sh)
		dst := image.NewRGBA(image.Rect(0, 0, dw, dh))
		ScaleRGBA(dst, src)
		other := image.NewRGBA(dst.Rect)
		ScaleBGRX(other, bgrx(src), src.Stride, sw, sh)
		for y := range dh {
			for x := range dw {
				o := dst.PixOffset(x, y)
				for ch := range 3 {
					want := mean(src, dw, dh, x, y, ch)
					if math.Abs(float64(dst.Pix[o+ch])-want) > tolerance {
						t.Fatalf("%dx%d to %dx%d: pixel %d,%d channel %d is %d, want %.2f", sw, sh, dw, dh, x, y, ch, dst.Pix[o+ch], want)
					}
					if dst.Pix[o+ch] != other.Pix[o+ch] {
						t.Fatalf("RGBA and BGRX differ at %d,%d", x, y)
					}
				}
				if dst.Pix[o+3] != 255 || other.Pix[o+3] != 255 {
					t.Fatalf("pixel %d,%d isn't opaque", x, y)
				}
			}
		}
	}
}

func TestFlatStaysFlat(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		sw, sh := 1+r.IntN(900), 1+r.IntN(60)
		dw, dh := 1+r.IntN(sw), 1+r.IntN(sh)
		c := color.RGBA{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), 255}
		if r.IntN(4) == 0 {
			c = color.RGBA{255, 255, 255, 255}
		}
		src, dst := image.NewRGBA(image.Rect(0, 0, sw, sh)), image.NewRGBA(image.Rect(0, 0, dw, dh))
		for i := 0; i < len(src.Pix); i += 4 {
			copy(src.Pix[i:], []byte{c.R, c.G, c.B, 0})
		}
		ScaleRGBA(dst, src)
		for y := range dh {
			for x := range dw {
				if got := dst.RGBAAt(x, y); got != c {
					t.Fatalf("%dx%d to %dx%d: pixel %d,%d is %v, want %v", sw, sh, dw, dh, x, y, got, c)
				}
			}
		}
	}
}

// Weights of each pixel sum to 256 and stay inside the source, for every pair of sizes.
func TestPlanSumsExactly(t *testing.T) {
	for _, src := range []int{1, 2, 3, 7, 255, 256, 257, 1000, 1080, 1920, 3840} {
		for dst := 1; dst <= src; dst += 1 + dst/9 {
			p := newPlan(dst, src)
			check := func(i, at int, w []uint32) {
				sum := uint32(0)
				for _, v := range w {
					sum += v
				}
				if sum != 256 || at < 0 || at+len(w) > src {
					t.Fatalf("%d to %d: pixel %d takes %v from %d", src, dst, i, w, at)
				}
			}
			for i := range dst {
				at, w := p.tap(i)
				check(i, at, w)
			}
			p.pad(src)
			for i, at := range p.at {
				check(i, at, p.w[i*p.width:][:p.width])
			}
		}
	}
}

// Big pictures are scaled by two goroutines; the result is the same as by one.
func TestScaleInTwoParts(t *testing.T) {
	src := random(7, 800, 701)
	whole := image.NewRGBA(image.Rect(0, 0, 555, 333))
	ScaleRGBA(whole, src)
	// A stride wider than the picture, and a target that is a part of another image.
	wide := image.NewRGBA(image.Rect(0, 0, 900, 720))
	for y := range 701 {
		copy(wide.Pix[y*wide.Stride:], src.Pix[y*src.Stride:][:4*800])
	}
	big := image.NewRGBA(image.Rect(0, 0, 600, 400))
	part := big.SubImage(image.Rect(20, 30, 575, 363)).(*image.RGBA)
	ScaleRGBA(part, wide.SubImage(image.Rect(0, 0, 800, 701)).(*image.RGBA))
	for y := range 333 {
		for x := range 555 {
			if whole.RGBAAt(x, y) != big.RGBAAt(x+20, y+30) {
				t.Fatalf("pixel %d,%d differs", x, y)
			}
		}
	}
	if big.RGBAAt(19, 30) != (color.RGBA{}) || big.RGBAAt(575, 362) != (color.RGBA{}) {
		t.Error("scaling painted outside its target")
	}
	short := func() (ok bool) {
		defer func() { ok = recover() != nil }()
		ScaleBGRX(whole, make([]byte, 100), 3200, 800, 701)
		return
	}
	if !short() {
		t.Error("a source that is too short was read")
	}
}

func TestDrawCursor(t *testing.T) {
	c := Cursor{W: 2, H: 2, HotX: 1, HotY: 0, ARGB: []uint32{0xff102030, 0x80400000, 0, 0xffffffff}}
	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	for i := range img.Pix {
		img.Pix[i] = 100
	}
	DrawCursor(img, c, image.Pt(2, 1))
	for p, want := range map[image.Point]color.RGBA{
		{1, 1}: {0x10, 0x20, 0x30, 255},
		{2, 1}: {0x40 + 50, 50, 50, 255}, // half of 100 shows through
		{1, 2}: {100, 100, 100, 100},
		{2, 2}: {255, 255, 255, 255},
		{3, 1}: {100, 100, 100, 100},
	} {
		if got := img.RGBAAt(p.X, p.Y); got != want {
			t.Errorf("pixel %v is %v, want %v", p, got, want)
		}
	}
	for x := -5; x < 9; x++ { // cut off at every edge, never outside
		for y := -5; y < 9; y++ {
			DrawCursor(img, c, image.Pt(x, y))
		}
	}
	DrawCursor(img, Cursor{W: 9, H: 9, ARGB: make([]uint32, 3)}, image.Pt(1, 1))
}

func TestCover(t *testing.T) {
	base := random(11, 400, 300)
	img := image.NewRGBA(base.Rect)
	copy(img.Pix, base.Pix)
	parts := []image.Rectangle{image.Rect(10, 10, 350, 60), image.Rect(10, 60, 60, 200), image.Rect(390, 290, 500, 500)}
	Cover(img, parts, "KeePassXC — kept away")
	light := 0
	for y := range 300 {
		for x := range 400 {
			in := -1
			for i, r := range parts {
				if image.Pt(x, y).In(r) {
					in = i
				}
			}
			got := img.RGBAAt(x, y)
			switch {
			case in < 0 && got != base.RGBAAt(x, y):
				t.Fatalf("pixel %d,%d outside the parts was painted", x, y)
			case in >= 0 && !between(got):
				t.Fatalf("pixel %d,%d shows %v", x, y, got)
			case in > 0 && got != CoverFill:
				t.Fatalf("the label reaches into part %d at %d,%d", in, x, y)
			case in == 0 && got != CoverFill:
				light++
			}
		}
	}
	if light < 150 {
		t.Errorf("the label has %d pixels, too few to read", light)
	}
	for label, box := range map[string]image.Rectangle{ // no room, nothing to say, nothing to see
		"KeePassXC — kept away": image.Rect(0, 0, 40, 40), "\n\x00\u202e": image.Rect(0, 0, 400, 300), "x": image.Rect(500, 0, 600, 50),
	} {
		Cover(img, []image.Rectangle{box}, label)
		for y := box.Min.Y; y < min(300, box.Max.Y); y++ {
			for x := box.Min.X; x < min(400, box.Max.X); x++ {
				if img.RGBAAt(x, y) != CoverFill {
					t.Fatalf("%q in %v left %v at %d,%d", label, box, img.RGBAAt(x, y), x, y)
				}
			}
		}
	}
}

// between says whether c is the box's colour, the label's, or one on the way from one to the other.
func between(c color.RGBA) bool {
	f := (float64(c.R) - float64(CoverFill.R)) / (255 - float64(CoverFill.R))
	near := func(v, from byte) bool { return math.Abs(float64(v)-float64(from)-f*(255-float64(from))) < 3 }
	return f >= 0 && near(c.G, CoverFill.G) && near(c.B, CoverFill.B) && c.A == 255
}

func TestPixelsAreForgotten(t *testing.T) {
	img := New(64, 64)
	for i := range img.Pix {
		img.Pix[i] = 7
	}
	Free(img)
	if img.Pix != nil {
		t.Error("a freed image still has pixels")
	}
	again := New(32, 32)
	if again.Rect.Dx() != 32 || len(again.Pix) != 4*32*32 || again.Stride != 4*32 {
		t.Fatalf("%v, %d bytes", again.Rect, len(again.Pix))
	}
	for _, b := range again.Pix {
		if b != 0 {
			t.Fatal("pixels outlived their image")
		}
	}
	Free(nil)
	Free(&image.RGBA{})
}

package raster

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/adler32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// desk paints something like a screen: panels, a gradient, and many lines of small text.
func desk(w, h, lines int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, color.RGBA{0xf6, 0xf4, 0xf2, 255})
		}
	}
	draw.Draw(img, image.Rect(0, 0, w, min(h, 28)), image.NewUniform(color.RGBA{40, 44, 52, 255}), image.Point{}, draw.Src)
	face := newFace(12)
	for i := range lines {
		d := font.Drawer{Dst: img, Src: image.Black, Face: face, Dot: fixed.P(8+(i%3)*w/3, 44+i/3*15)}
		d.DrawString(fmt.Sprintf("%03d %x", i, sha256.Sum256([]byte{byte(i)}))[:52])
	}
	return img
}

func TestPNGDecodesIdentically(t *testing.T) {
	for _, img := range []*image.RGBA{
		random(1, 1, 1), random(2, 3, 1), random(3, 1, 9), random(4, 61, 47), random(5, 640, 480), desk(1366, 768, 90),
		desk(700, 500, 30).SubImage(image.Rect(13, 17, 600, 466)).(*image.RGBA),
	} {
		var out bytes.Buffer
		if !encodePNG(&out, img, 1<<30) {
			t.Fatal("gave up without a limit")
		}
		got, err := png.Decode(&out)
		if err != nil {
			t.Fatalf("%v: %v", img.Rect, err)
		}
		if _, plain := got.(*image.RGBA); !plain {
			t.Errorf("decoded as %T", got)
		}
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				want := img.RGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y)
				want.A = 255
				if g := color.RGBAModel.Convert(got.At(x, y)); g != want {
					t.Fatalf("%v: pixel %d,%d is %v, want %v", img.Rect, x, y, g, want)
				}
			}
		}
	}
}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		name string
		img  *image.RGBA
		mime string
	}{
		{"a calm screen", desk(1366, 768, 30), PNG},
		{"dense text", desk(1366, 768, 144), PNG},
		{"a photograph", photo(1366, 768), JPEG},
		{"noise of 1.15 megapixels", random(8, 1240, 930), JPEG},
		{"the longest edges", random(8, MaxEdge, 100), JPEG},
		{"one pixel", random(8, 1, 1), PNG},
		{"one column", random(8, 1, MaxEdge), PNG},
	} {
		mime, data, err := Encode(c.img)
		if err != nil || mime != c.mime || len(data) > MaxBytes {
			t.Errorf("%s: %s, %d bytes, %v; want %s", c.name, mime, len(data), err, c.mime)
			continue
		}
		decode := map[string]func(b *bytes.Reader) (image.Image, error){
			PNG:  func(b *bytes.Reader) (image.Image, error) { return png.Decode(b) },
			JPEG: func(b *bytes.Reader) (image.Image, error) { return jpeg.Decode(b) },
		}[mime]
		got, err := decode(bytes.NewReader(data))
		if err != nil || got.Bounds().Size() != c.img.Rect.Size() {
			t.Errorf("%s: decodes as %v, %v", c.name, got, err)
		}
		t.Logf("%s: %s, %d bytes", c.name, mime, len(data))
	}
}

// photo paints what JPEG is for: soft shapes with a little grain.
func photo(w, h int) *image.RGBA {
	r := rand.New(rand.NewPCG(4, 4))
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := func(k float64) byte {
				return byte(127 + 90*math.Sin(float64(x)/k)*math.Cos(float64(y)/(k+31)) + 12*r.Float64())
			}
			img.SetRGBA(x, y, color.RGBA{v(90), v(140), v(60), 255})
		}
	}
	return img
}

// Small text stays legible in whatever a picture half of text and half of a photograph becomes.
func TestTextStaysLegible(t *testing.T) {
	want := desk(1366, 768, 144)
	draw.Draw(want, image.Rect(900, 0, 1366, 768), photo(466, 768), image.Point{}, draw.Src)
	mime, data, err := Encode(want)
	if err != nil || mime != JPEG {
		t.Fatalf("%s, %v", mime, err)
	}
	got, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	off, n := 0, 0
	for y := 40; y < 700; y++ {
		for x := range 900 {
			a, b := color.GrayModel.Convert(want.At(x, y)).(color.Gray).Y, color.GrayModel.Convert(got.At(x, y)).(color.Gray).Y
			d := int(a) - int(b)
			off, n = off+max(d, -d), n+1
		}
	}
	if off > 6*n {
		t.Errorf("text is off by %.1f of 255 on average", float64(off)/float64(n))
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, img := range []*image.RGBA{
		image.NewRGBA(image.Rect(0, 0, MaxEdge+1, 1)), image.NewRGBA(image.Rect(0, 0, 1, 5120)), {},
	} {
		mime, data, err := Encode(img)
		var e *TooLargeError
		if !errors.As(err, &e) || mime != "" || data != nil {
			t.Errorf("%v: %s, %d bytes, %v", img.Rect, mime, len(data), err)
		}
	}
}

// Whatever the limit is, it holds: quality goes down first, and then the picture is refused.
func TestEncodeHoldsAnyLimit(t *testing.T) {
	img := random(9, 250, 200)
	sizes := map[int]bool{}
	refused := false
	for most := 60_000; most > 1000; most = most * 3 / 4 {
		_, data, err := encode(img, most/3, most/2, most)
		var e *TooLargeError
		switch {
		case errors.As(err, &e):
			refused = e.Bytes > most
		case err != nil || len(data) > most:
			t.Errorf("at most %d: %d bytes, %v", most, len(data), err)
		default:
			sizes[len(data)] = true
		}
	}
	if !refused || len(sizes) < 3 {
		t.Errorf("refused: %v, sizes %v", refused, sizes)
	}
}

func TestPNGGivesUp(t *testing.T) {
	var out bytes.Buffer
	if encodePNG(&out, random(10, 1000, 900), 100_000) {
		t.Errorf("noise fits in %d bytes", out.Len())
	}
	if out.Len() != 0 {
		t.Error("it wrote before it gave up")
	}
}

func TestCombineIsAdler(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		b := random(r.Uint64(), 1+r.IntN(200), 1+r.IntN(200)).Pix
		n := r.IntN(len(b) + 1)
		if got, want := combine(adler32.Checksum(b[:n]), adler32.Checksum(b[n:]), len(b)-n), adler32.Checksum(b); got != want {
			t.Fatalf("%d and %d bytes: %08x, want %08x", n, len(b)-n, got, want)
		}
	}
}

func FuzzEncode(f *testing.F) {
	f.Add(uint16(3), uint16(5), []byte("some pixels"))
	f.Add(uint16(600), uint16(600), []byte{0, 255})
	f.Fuzz(func(t *testing.T, w, h uint16, pix []byte) {
		if w == 0 || h == 0 || w > 700 || h > 700 {
			t.Skip()
		}
		img := image.NewRGBA(image.Rect(0, 0, int(w), int(h)))
		for i := range img.Pix {
			if len(pix) > 0 {
				img.Pix[i] = pix[i*7%len(pix)] ^ byte(i>>8)
			}
		}
		mime, data, err := Encode(img)
		if err != nil || len(data) > MaxBytes {
			t.Fatalf("%s, %d bytes, %v", mime, len(data), err)
		}
		got, _, err := image.Decode(bytes.NewReader(data))
		if err != nil || got.Bounds() != img.Rect {
			t.Fatal(err)
		}
	})
}

func BenchmarkScale(b *testing.B) {
	for _, c := range []struct{ sw, sh, dw, dh int }{{1280, 800, 1280, 800}, {1920, 1080, 1366, 768}, {3840, 2160, 1366, 768}} {
		src := bgrx(random(1, c.sw, c.sh))
		b.Run(fmt.Sprintf("%dx%d", c.sw, c.sh), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dst := New(c.dw, c.dh)
				ScaleBGRX(dst, src, 4*c.sw, c.sw, c.sh)
				Free(dst)
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, c := range []struct {
		name string
		img  *image.RGBA
	}{{"calm", desk(1366, 768, 30)}, {"busy", desk(1366, 768, 144)}, {"photo", photo(1366, 768)}, {"noise", random(1, 1366, 768)}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Encode(c.img); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

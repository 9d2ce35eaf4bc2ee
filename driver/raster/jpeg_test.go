package raster

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"runtime"
	"testing"
)

// Whatever the size, the strips decode to the pixels that image/jpeg alone gives.
func TestStripsAreTheSamePicture(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(11)) // more strips than there are restart markers
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{1, 1}, {15, 33}, {1366, 768}, {1279, 801}, {2000, 17}, {16, 2000}, {2000, 2000}, {640, 1999}} {
		img := image.NewRGBA(image.Rectangle{Max: size})
		for i := range img.Pix {
			img.Pix[i] = byte(i/7) ^ byte(r.Uint32()&0x1f)
		}
		var whole, strips bytes.Buffer
		if err := jpeg.Encode(&whole, img, &jpeg.Options{Quality: 80}); err != nil {
			t.Fatal(err)
		}
		if err := encodeJPEG(&strips, img, 80); err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		want, err := jpeg.Decode(&whole)
		if err != nil {
			t.Fatal(err)
		}
		got, err := jpeg.Decode(&strips)
		if err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		w, g := want.(*image.YCbCr), got.(*image.YCbCr)
		if w.Rect != g.Rect || !bytes.Equal(w.Y, g.Y) || !bytes.Equal(w.Cb, g.Cb) || !bytes.Equal(w.Cr, g.Cr) {
			t.Errorf("%v: another picture came out", size)
		}
	}
}

package raster

import (
	"bytes"
	"fmt"
	"image"
	"sync"
)

// Limits of an encoded picture.
const (
	// MaxBytes is what no encoded picture exceeds.
	MaxBytes = 700_000
	// MaxEdge is the longest edge that models take in a chat with many pictures (2000 pixels), at which one
	// picture too large makes every later turn fail.
	MaxEdge = 2000
	// pngAtOnce is up to where a PNG is taken without a second look. A megapixel of a desktop with windows on a
	// smooth wallpaper is a PNG of 335 kB in 3 ms, or a JPEG of 129 kB in 17: the PNG is made five times as fast
	// and keeps small coloured text sharp, which 4:2:0 smears. In base64 it is half of what a client takes.
	pngAtOnce = 400_000
	// pngAtMost is from where a JPEG is always the smaller one. Between the two, both are made: dense text is
	// smaller, and sharp, as a PNG; photographs and gradients as a JPEG.
	pngAtMost = 450_000
)

// Types of an encoded picture.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
)

// qualities of a JPEG, tried from the first until it is small enough. Small text is clear at 80.
var qualities = []int{80, 60, 40, 20, 8}

// TooLargeError says that a picture can't be encoded within the limits.
type TooLargeError struct{ W, H, Bytes int }

func (e *TooLargeError) Error() string {
	if e.Bytes > 0 {
		return fmt.Sprintf("a picture of %d by %d pixels needs %d bytes, and %d is the most; ask for a smaller one", e.W, e.H, e.Bytes, MaxBytes)
	}
	return fmt.Sprintf("a picture of %d by %d pixels is too large: %d is the longest edge; ask for a smaller one", e.W, e.H, MaxEdge)
}

// Encode returns img as a PNG where that is small, else as a JPEG, and its type. Alpha is ignored: a picture
// of a screen is opaque. The data is never longer than MaxBytes; the error is a *TooLargeError.
func Encode(img *image.RGBA) (mime string, data []byte, err error) {
	return encode(img, pngAtOnce, pngAtMost, MaxBytes)
}

func encode(img *image.RGBA, atOnce, atMost, most int) (mime string, data []byte, err error) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if w <= 0 || h <= 0 || w > MaxEdge || h > MaxEdge {
		return "", nil, &TooLargeError{W: w, H: h}
	}
	sharp, soft := newBuffer(), newBuffer()
	defer freeBuffer(sharp)
	defer freeBuffer(soft)
	isPNG := encodePNG(sharp, img, atMost)
	if isPNG && sharp.Len() <= atOnce {
		return PNG, bytes.Clone(sharp.Bytes()), nil
	}
	for _, q := range qualities {
		soft.Reset()
		if err := encodeJPEG(soft, img, q); err != nil {
			return "", nil, fmt.Errorf("encode a JPEG: %w", err)
		}
		if isPNG && soft.Len() >= sharp.Len() {
			return PNG, bytes.Clone(sharp.Bytes()), nil
		}
		if soft.Len() <= most {
			return JPEG, bytes.Clone(soft.Bytes()), nil
		}
	}
	return "", nil, &TooLargeError{W: w, H: h, Bytes: soft.Len()}
}

var buffers sync.Pool

func newBuffer() *bytes.Buffer {
	if b, ok := buffers.Get().(*bytes.Buffer); ok {
		return b
	}
	return new(bytes.Buffer)
}

func freeBuffer(b *bytes.Buffer) {
	clear(b.Bytes())
	b.Reset()
	buffers.Put(b)
}

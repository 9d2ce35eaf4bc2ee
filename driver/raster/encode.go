package raster

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"sync"
)

// Limits of an encoded picture.
const (
	// MaxBytes is what no encoded picture exceeds.
	MaxBytes = 700_000
	// MaxEdge is the longest edge that models take in a chat with many pictures (2000 pixels), at which one
	// picture too large makes every later turn fail.
	MaxEdge = 2000
	// pngLimit is where a JPEG takes over: below about 100 Mbit/s sending the bytes takes longer than making them.
	pngLimit = 200_000
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
	return encode(img, pngLimit, MaxBytes)
}

func encode(img *image.RGBA, pngUpTo, most int) (mime string, data []byte, err error) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if w <= 0 || h <= 0 || w > MaxEdge || h > MaxEdge {
		return "", nil, &TooLargeError{W: w, H: h}
	}
	buf, _ := buffers.Get().(*bytes.Buffer)
	if buf == nil {
		buf = new(bytes.Buffer)
	}
	defer func() {
		clear(buf.Bytes())
		buffers.Put(buf)
	}()
	buf.Reset()
	if encodePNG(buf, img, pngUpTo) {
		return PNG, bytes.Clone(buf.Bytes()), nil
	}
	for _, q := range qualities {
		buf.Reset()
		if err := jpeg.Encode(buf, img, &jpeg.Options{Quality: q}); err != nil {
			return "", nil, fmt.Errorf("encode a JPEG: %w", err)
		}
		if buf.Len() <= most {
			return JPEG, bytes.Clone(buf.Bytes()), nil
		}
	}
	return "", nil, &TooLargeError{W: w, H: h, Bytes: buf.Len()}
}

var buffers sync.Pool

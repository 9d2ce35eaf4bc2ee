// Package raster is everything Conch does to pixels: shrinking a screen, drawing the pointer, painting over
// windows that are kept away, and encoding a picture so that it is small and its text stays legible. It is
// shared by all platforms. It never reads a screen, never writes a file, and never enlarges.
package raster

import (
	"image"
	"math"
	"sync"
)

// Fit returns the largest size of w by h's aspect that is within maxW by maxH and has at most maxArea
// pixels. A limit of 0 is no limit. It never enlarges; each edge is at least 1, so an extreme aspect gives
// way before a limit does. Without a size it returns 0, 0.
func Fit(w, h, maxW, maxH, maxArea int) (int, int) {
	if w <= 0 || h <= 0 {
		return 0, 0
	}
	scale := 1.0
	if maxW > 0 {
		scale = math.Min(scale, float64(maxW)/float64(w))
	}
	if maxH > 0 {
		scale = math.Min(scale, float64(maxH)/float64(h))
	}
	if maxArea > 0 {
		scale = math.Min(scale, math.Sqrt(float64(maxArea)/(float64(w)*float64(h))))
	}
	if scale >= 1 {
		return w, h
	}
	// The longer edge is rounded down and the other follows from it, so that the aspect is kept best.
	long, short := max(w, h), min(w, h)
	l := max(1, int(float64(long)*scale+1e-9))
	s := max(1, int(math.Round(float64(short)*float64(l)/float64(long))))
	if maxArea > 0 && l*s > maxArea {
		s = max(1, maxArea/l)
		l = max(1, min(l, maxArea/s)) // an edge of one pixel: the other gives way
	}
	ow, oh := l, s
	if h > w {
		ow, oh = s, l
	}
	if maxW > 0 {
		ow = min(ow, maxW)
	}
	if maxH > 0 {
		oh = min(oh, maxH)
	}
	return ow, oh
}

// pictures holds pixel buffers between two pictures: a picture is several megabytes, ten times a second.
var pictures sync.Pool

// New returns an image of w by h whose pixels are whatever was there before: paint all of them.
func New(w, h int) *image.RGBA {
	n := 4 * w * h
	if b, ok := pictures.Get().(*[]byte); ok && cap(*b) >= n {
		return &image.RGBA{Pix: (*b)[:n], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	}
	return image.NewRGBA(image.Rect(0, 0, w, h))
}

// Free gives the pixels of an image back, blanked, for a later New. Nothing may use img afterwards.
// Freeing is a saving, not a duty; nil is ignored.
func Free(img *image.RGBA) {
	if img == nil || cap(img.Pix) == 0 {
		return
	}
	b := img.Pix[:cap(img.Pix)]
	clear(b) // nothing of a screen outlives its picture
	img.Pix, img.Rect = nil, image.Rectangle{}
	pictures.Put(&b)
}

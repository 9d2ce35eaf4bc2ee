package raster

import "image"

// Cursor is the pointer's picture: W by H pixels, each 0xAARRGGBB with the colours already multiplied by
// alpha (as XFixes gives it), and the pixel in it that points.
type Cursor struct {
	W, H       int
	HotX, HotY int
	ARGB       []uint32
}

// DrawCursor draws c at its own size so that its hot spot is on the pixel at of dst. It is meant for after
// scaling: a pointer that shrinks with a big screen can't be seen. What reaches outside is cut off.
func DrawCursor(dst *image.RGBA, c Cursor, at image.Point) {
	if c.W <= 0 || c.H <= 0 || len(c.ARGB) < c.W*c.H {
		return
	}
	origin := at.Sub(image.Pt(c.HotX, c.HotY))
	box := image.Rect(0, 0, c.W, c.H).Add(origin).Intersect(dst.Rect)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		row := dst.Pix[dst.PixOffset(box.Min.X, y):]
		from := c.ARGB[(y-origin.Y)*c.W+box.Min.X-origin.X:]
		for x := range box.Dx() {
			v := from[x]
			a := v >> 24
			if a == 0 {
				continue
			}
			p := row[4*x : 4*x+4 : 4*x+4]
			p[0] = over(p[0], v>>16&0xff, a)
			p[1] = over(p[1], v>>8&0xff, a)
			p[2] = over(p[2], v&0xff, a)
			p[3] = 0xff
		}
	}
}

func over(under byte, premultiplied, alpha uint32) byte {
	return byte(min(255, premultiplied+(uint32(under)*(255-alpha)+127)/255))
}

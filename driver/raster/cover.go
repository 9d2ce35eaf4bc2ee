package raster

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// What a covered window looks like: a plain box that can't be taken for an app's content.
var (
	CoverFill = color.RGBA{0x5b, 0x60, 0x68, 0xff}
	CoverText = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// Cover paints the parts of dst (a covered window's visible rectangles, in dst's pixels) with a plain opaque
// box, and writes label once, in the part where it fits best; where it fits nowhere it is left out. Nothing
// outside the parts is touched.
func Cover(dst *image.RGBA, parts []image.Rectangle, label string) {
	fill := image.NewUniform(CoverFill)
	for _, r := range parts {
		draw.Draw(dst, r.Intersect(dst.Rect), fill, image.Point{}, draw.Src)
	}
	label = oneLine(label)
	if label == "" {
		return
	}
	for _, size := range labelSizes {
		face := newFace(size)
		width, height := font.MeasureString(face, label).Ceil(), face.Metrics().Height.Ceil()
		if box, ok := roomiest(dst.Rect, parts, width+2*labelPad, height+labelPad); ok {
			write(dst, face, box, label, width)
			return
		}
	}
}

const labelPad = 6

// labelSizes are tried from the first: the last is the smallest that a model still reads.
var labelSizes = []float64{16, 13, 11}

// oneLine keeps what can be printed: a window's title may hold anything.
func oneLine(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == 80 {
			b.WriteRune('…')
			break
		}
		if unicode.IsSpace(r) {
			r = ' '
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			n++
		}
	}
	return strings.TrimSpace(b.String())
}

// roomiest returns the largest visible part that holds w by h.
func roomiest(in image.Rectangle, parts []image.Rectangle, w, h int) (image.Rectangle, bool) {
	var best image.Rectangle
	for _, r := range parts {
		r = r.Intersect(in)
		if r.Dx() >= w && r.Dy() >= h && r.Dx()*r.Dy() > best.Dx()*best.Dy() {
			best = r
		}
	}
	return best, !best.Empty()
}

func write(dst *image.RGBA, face font.Face, box image.Rectangle, label string, width int) {
	m := face.Metrics()
	x := box.Min.X + (box.Dx()-width)/2
	y := box.Min.Y + (box.Dy()+m.Ascent.Ceil()-m.Descent.Ceil())/2
	d := font.Drawer{
		Dst:  dst.SubImage(box).(*image.RGBA),
		Src:  image.NewUniform(CoverText),
		Face: face,
		Dot:  fixed.P(x, y),
	}
	d.DrawString(label)
}

var labelFont = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic("raster: the built-in font: " + err.Error())
	}
	return f
})

// newFace returns a face for one use: a face may not be shared by goroutines.
func newFace(size float64) font.Face {
	f, err := opentype.NewFace(labelFont(), &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic("raster: the built-in font: " + err.Error())
	}
	return f
}

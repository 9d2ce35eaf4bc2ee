// Package shellicon draws Conch's shell: as a template for a menu bar, which a Mac tints for a light or dark bar
// by its opacity alone, and as the icon of the app. It reads and writes no file, and holds no picture.
package shellicon

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"golang.org/x/image/vector"
)

// MenuBar is the template for a menu bar, size pixels square, as PNG: black where the shell is, with the spiral
// and the ridges left out of it. A menu bar shows it at half as many points.
func MenuBar(size int) ([]byte, error) {
	d, err := newDrawing(size, 1)
	if err != nil {
		return nil, err
	}
	alpha := d.mask(func(r *vector.Rasterizer) { fill(r, d.place, d.outline) })
	cut := d.mask(func(r *vector.Rasterizer) {
		stroke(r, d.place, d.spiral, 1.9)
		stroke(r, d.place, d.ridges, 1.1)
	})
	img := image.NewNRGBA(alpha.Rect)
	for i, a := range alpha.Pix {
		img.Pix[4*i+3] = uint8(int(a) * (255 - int(cut.Pix[i])) / 255)
	}
	return encode(img)
}

// App is the icon of the app, size pixels square: the shell on a tile of porcelain.
func App(size int) (image.Image, error) {
	d, err := newDrawing(size, 0.62)
	if err != nil {
		return nil, err
	}
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	side := float64(size)
	// A Mac's icons leave a tenth free at each side; the corner's radius is 0.225 of the tile.
	tile := d.mask(func(r *vector.Rasterizer) { roundedSquare(r, side*0.1, side*0.9, side*0.8*0.225) })
	paint(img, tile, gradient{size, rgb(0xfffdfb), rgb(0xf6efe9), rgb(0xeae0da)})
	paint(img, d.mask(func(r *vector.Rasterizer) { fill(r, d.place, d.outline) }), gradient{size, rgb(0xf9bda9), rgb(0xe97a5f), rgb(0xc5506a)})
	ridge := color.NRGBA{255, 255, 255, 97}
	paint(img, d.mask(func(r *vector.Rasterizer) { stroke(r, d.place, d.ridges, 0.9) }), gradient{size, ridge, ridge, ridge})
	paint(img, d.mask(func(r *vector.Rasterizer) { stroke(r, d.place, d.spiral, 1.9) }), gradient{size, rgb(0xc9f0ee), rgb(0xfff6f1), rgb(0xe2d6fb)})
	return img, nil
}

// icnsTypes are the sizes of an app's icon, as Apple's icon files name them: the plain ones and those for two
// pixels a point.
var icnsTypes = []struct {
	name string
	size int
}{
	{"ic11", 32}, {"ic12", 64}, {"ic07", 128}, {"ic13", 256}, {"ic08", 256}, {"ic14", 512}, {"ic09", 512}, {"ic10", 1024},
}

// ICNS is the app's icon in all its sizes, as an Apple icon file.
func ICNS() ([]byte, error) {
	var body bytes.Buffer
	for _, t := range icnsTypes {
		img, err := App(t.size)
		if err != nil {
			return nil, err
		}
		data, err := encode(img)
		if err != nil {
			return nil, err
		}
		entry(&body, t.name, data)
	}
	var out bytes.Buffer
	entry(&out, "icns", body.Bytes())
	return out.Bytes(), nil
}

// entry is a name, the length of all of it, and what is in it.
func entry(out *bytes.Buffer, name string, data []byte) {
	out.WriteString(name)
	_ = binary.Write(out, binary.BigEndian, uint32(len(data)+8))
	out.Write(data)
}

func encode(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img)
	return b.Bytes(), err
}

// drawing is the shell in the middle of a picture.
type drawing struct {
	size                    int
	place                   place
	outline, spiral, ridges [][]point
}

// newDrawing makes the shell as wide as share of the picture.
func newDrawing(size int, share float64) (d drawing, err error) {
	d.size = size
	scale := float64(size) / square * share
	offset := float64(size) * (1 - share) / 2
	d.place = place{scale, offset, offset}
	for _, p := range []struct {
		to   *[][]point
		path string
	}{{&d.outline, outline}, {&d.spiral, spiral}, {&d.ridges, ridges}} {
		if *p.to, err = lines(p.path); err != nil {
			return d, err
		}
	}
	return d, nil
}

func (d drawing) mask(do func(*vector.Rasterizer)) *image.Alpha {
	r := vector.NewRasterizer(d.size, d.size)
	do(r)
	m := image.NewAlpha(image.Rect(0, 0, d.size, d.size))
	r.Draw(m, m.Rect, image.Opaque, image.Point{})
	return m
}

func roundedSquare(r *vector.Rasterizer, from, to, radius float64) {
	const k = 0.5523 // a quarter circle as a cubic
	a, b, q := float32(from), float32(to), float32(radius)
	c := q * (1 - k)
	r.MoveTo(a+q, a)
	r.LineTo(b-q, a)
	r.CubeTo(b-c, a, b, a+c, b, a+q)
	r.LineTo(b, b-q)
	r.CubeTo(b, b-c, b-c, b, b-q, b)
	r.LineTo(a+q, b)
	r.CubeTo(a+c, b, a, b-c, a, b-q)
	r.LineTo(a, a+q)
	r.CubeTo(a, a+c, a+c, a, a+q, a)
	r.ClosePath()
}

func paint(img *image.NRGBA, mask *image.Alpha, with image.Image) {
	draw.DrawMask(img, img.Rect, with, image.Point{}, mask, image.Point{}, draw.Over)
}

func rgb(c uint32) color.NRGBA { return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255} }

// gradient goes through three colours from the top left to the bottom right.
type gradient struct {
	size     int
	a, b, c2 color.NRGBA
}

// ColorModel, Bounds and At make it an image.
func (g gradient) ColorModel() color.Model { return color.NRGBAModel }

// Bounds is the whole picture.
func (g gradient) Bounds() image.Rectangle { return image.Rect(0, 0, g.size, g.size) }

// At is the colour of a pixel.
func (g gradient) At(x, y int) color.Color {
	t := float64(x+y) / float64(2*g.size)
	from, to := g.a, g.b
	if t *= 2; t > 1 {
		from, to, t = g.b, g.c2, t-1
	}
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*t + 0.5) }
	return color.NRGBA{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B), mix(from.A, to.A)}
}

package fake

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"conch/driver"
	"conch/driver/raster"
)

// Look draws the windows and hands the picture out.
func (d *Driver) Look(ctx context.Context, s driver.Shot) (*driver.Picture, error) {
	if err := d.enter(ctx, "look"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	if !d.begun {
		return nil, driver.ErrNotBegun
	}
	f, err := d.frame(s)
	if err != nil {
		return nil, err
	}
	p := &driver.Picture{Frame: f, Windows: d.desk.list(), Change: d.change, Taken: time.Now()}
	labels := map[driver.WindowID]string{}
	for _, w := range p.Windows {
		if s.Cover == nil {
			break
		}
		if label := s.Cover(w); label != "" {
			labels[w.ID] = label
		}
	}
	p.Pix = d.paint(f, labels)
	for _, w := range p.Windows {
		label, ok := labels[w.ID]
		if !ok {
			continue
		}
		var parts []image.Rectangle
		seen := false
		for _, v := range w.Visible {
			seen = seen || !v.Intersect(f.Area).Empty()
			if r := f.Within(v); !r.Empty() {
				parts = append(parts, r)
			}
		}
		if seen {
			p.Covered = append(p.Covered, w.ID)
		}
		raster.Cover(p.Pix, parts, label)
	}
	if at, in := f.Pixel(d.desk.pointer); in {
		raster.DrawCursor(p.Pix, arrow, image.Pt(at.X, at.Y))
	}
	d.looks++
	d.after("look", "")
	for _, sc := range d.scripts {
		if sc.on == "look" && sc.count == d.looks {
			d.run(sc.steps)
		}
	}
	return p, nil
}

// frame works out which part of which display a picture shows, at what size.
func (d *Driver) frame(s driver.Shot) (driver.Frame, error) {
	var on *driver.Display
	for i, v := range d.desk.displays {
		if v.ID == s.Display || s.Display == "" && v.Main {
			on = &d.desk.displays[i]
		}
	}
	if on == nil {
		return driver.Frame{}, fmt.Errorf("there is no display called %q", s.Display)
	}
	area := on.Bounds
	if !s.Area.Empty() {
		if area = s.Area.Intersect(on.Bounds); area.Empty() {
			return driver.Frame{}, fmt.Errorf("the area is outside the display %q", on.ID)
		}
	}
	// Whole device pixels, as a real screen has; what only rounding adds is none.
	const slack = 1e-9
	k := on.Scale
	x0, y0 := math.Floor((area.X-on.Bounds.X)*k+slack), math.Floor((area.Y-on.Bounds.Y)*k+slack)
	x1, y1 := math.Ceil((area.X+area.W-on.Bounds.X)*k-slack), math.Ceil((area.Y+area.H-on.Bounds.Y)*k-slack)
	f := driver.Frame{Display: *on, Area: driver.ScreenRect{X: on.Bounds.X + x0/k, Y: on.Bounds.Y + y0/k, W: (x1 - x0) / k, H: (y1 - y0) / k}}
	f.W, f.H = raster.Fit(int(x1-x0), int(y1-y0), s.MaxW, s.MaxH, s.MaxArea)
	return f, nil
}

// paint draws the windows back to front in device pixels, and shrinks that to the frame's size. Of a covered
// window nothing but a plain fill is drawn.
func (d *Driver) paint(f driver.Frame, covered map[driver.WindowID]string) *image.RGBA {
	dev := f
	dev.W, dev.H = int(math.Round(f.Area.W*f.Display.Scale)), int(math.Round(f.Area.H*f.Display.Scale))
	img := raster.New(dev.W, dev.H)
	fill(img, img.Rect, wallpaper)
	for i := len(d.desk.windows) - 1; i >= 0; i-- {
		w := d.desk.windows[i]
		box := dev.Around(w.Bounds)
		switch _, hide := covered[w.ID]; {
		case w.ours || box.Empty():
		case hide:
			fill(img, box, raster.CoverFill)
		default:
			w.drawOn(img.SubImage(box).(*image.RGBA), dev)
		}
	}
	if dev.W == f.W && dev.H == f.H {
		return img
	}
	out := raster.New(f.W, f.H)
	raster.ScaleRGBA(out, img)
	raster.Free(img)
	return out
}

var wallpaper = color.RGBA{0x3a, 0x5a, 0x6a, 0xff}

func fill(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// Content returns the two colours that a window's content is made of: stripes that no other window has, and
// others each time it is painted anew. A window with a color has that one, and is plain.
func Content(id driver.WindowID, paint uint64) (a, b color.RGBA) {
	h := (uint64(id)*0x9e3779b97f4a7c15 + paint*0xd1342543de82ef95) * 0xbf58476d1ce4e5b9
	a = color.RGBA{byte(0x80 | h>>56), byte(0x80 | h>>48), byte(0x80 | h>>40), 0xff}
	return a, color.RGBA{a.R - 0x10, a.G, a.B - 0x10, 0xff}
}

// drawOn draws w on the part of a picture where it is: stripes, a title bar, and its controls with their text.
func (w *window) drawOn(img *image.RGBA, dev driver.Frame) {
	if w.fill != nil {
		fill(img, img.Rect, *w.fill)
	} else {
		a, b := Content(w.ID, w.paint)
		fill(img, img.Rect, a)
		for y := img.Rect.Min.Y &^ 15; y < img.Rect.Max.Y; y += 16 {
			fill(img, image.Rect(img.Rect.Min.X, y, img.Rect.Max.X, y+8).Intersect(img.Rect), b)
		}
		bar := driver.ScreenRect{X: w.Bounds.X, Y: w.Bounds.Y, W: w.Bounds.W, H: min(24, w.Bounds.H)}
		fill(img, dev.Around(bar), color.RGBA{0x2c, 0x2f, 0x36, 0xff})
		say(img, dev, bar, w.Title, color.White)
	}
	for _, c := range w.controls {
		ground, ink, text := color.RGBA{0xfa, 0xfa, 0xfa, 0xff}, color.Color(color.Black), c.text
		if c.role != "textbox" {
			ground, ink, text = color.RGBA{0xd8, 0xdc, 0xe2, 0xff}, color.Black, c.label
		}
		if c.secure {
			text = strings.Repeat("*", utf8.RuneCountInString(text))
		}
		if c.selected {
			ground = color.RGBA{0xb8, 0xd4, 0xff, 0xff}
		}
		fill(img, dev.Around(c.bounds).Intersect(img.Rect), ground)
		say(img, dev, c.bounds, text, ink)
	}
}

// say writes text into a box, in one small type at any scale, as many lines as fit.
func say(img *image.RGBA, dev driver.Frame, box driver.ScreenRect, text string, ink color.Color) {
	in := dev.Around(box).Intersect(img.Rect)
	if in.Empty() || text == "" {
		return
	}
	at := dev.Around(box).Min
	y := at.Y + 16
	for line := range strings.SplitSeq(text, "\n") {
		if y-12 > in.Max.Y {
			break
		}
		if len(line) > 400 {
			line = strconv.Itoa(len(line)) + " bytes"
		}
		d := font.Drawer{Dst: img.SubImage(in).(*image.RGBA), Src: image.NewUniform(ink), Face: basicfont.Face7x13, Dot: fixed.P(at.X+5, y)}
		d.DrawString(line)
		y += 15
	}
}

// arrow is the pointer: white with a black rim, pointing with its top left pixel.
var arrow = newArrow()

func newArrow() raster.Cursor {
	c := raster.Cursor{W: 12, H: 18, ARGB: make([]uint32, 12*18)}
	for y := range c.H {
		wide := min(y*2/3, 17-y+3)
		for x := 0; x <= wide && x < c.W; x++ {
			c.ARGB[y*c.W+x] = 0xffffffff
			if x == 0 || x == wide || y == c.H-1 {
				c.ARGB[y*c.W+x] = 0xff000000
			}
		}
	}
	return c
}

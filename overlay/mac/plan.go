package mac

import (
	"image/color"
	"math"

	"conch/driver"
	"conch/overlay"
	"conch/overlay/draw"
)

// panel is one panel of the edge as AppKit is to make it.
type panel struct {
	side  overlay.Side
	frame driver.AppKitRect
	// In the panel's own space: points from its bottom left.
	centre driver.AppKitPoint // of the display, about which the spectrum turns
	fades  []fade
}

// fade is a gradient that is opaque at one side and gone at the other. A panel is seen as far as any of its fades
// is opaque.
type fade struct {
	at   driver.AppKitRect
	from overlay.Side
}

// panels plans the four panels of a display's edge. Top and bottom own the corners, where the glow comes from two
// sides at once.
func panels(e overlay.Edge, mainHeight float64) [4]panel {
	b := e.Display.Bounds
	middle := driver.ScreenPoint{X: b.X + b.W/2, Y: b.Y + b.H/2}.AppKit(mainHeight)
	var out [4]panel
	for s := range out {
		side := overlay.Side(s)
		f := e.Strips[s].AppKit(mainHeight)
		p := panel{side: side, frame: f, centre: driver.AppKitPoint{X: middle.X - f.X, Y: middle.Y - f.Y}}
		p.fades = []fade{{driver.AppKitRect{W: f.W, H: f.H}, side}}
		if side == overlay.Top || side == overlay.Bottom {
			p.fades = append(p.fades,
				fade{driver.AppKitRect{W: e.Depth, H: f.H}, overlay.Left},
				fade{driver.AppKitRect{X: f.W - e.Depth, W: e.Depth, H: f.H}, overlay.Right})
		}
		out[s] = p
	}
	return out
}

// span is the side of a square about a display's middle that covers the display however it is turned.
func span(d driver.Display) float64 { return math.Ceil(math.Hypot(d.Bounds.W, d.Bounds.H)) }

// ends are where a fade begins and ends, in the unit space of a layer (from its bottom left).
func (f fade) ends() (start, end driver.AppKitPoint) {
	switch f.from {
	case overlay.Top:
		return driver.AppKitPoint{X: .5, Y: 1}, driver.AppKitPoint{X: .5}
	case overlay.Bottom:
		return driver.AppKitPoint{X: .5}, driver.AppKitPoint{X: .5, Y: 1}
	case overlay.Right:
		return driver.AppKitPoint{X: 1, Y: .5}, driver.AppKitPoint{Y: .5}
	default:
		return driver.AppKitPoint{Y: .5}, driver.AppKitPoint{X: 1, Y: .5}
	}
}

// stop is one colour of a gradient, at a place from 0 to 1.
type stop struct {
	at     float64
	colour color.RGBA // not premultiplied
}

// fadeStops are the opacities of a fade from the rim inwards, the same as on every other platform.
func fadeStops(depth float64, blend bool) []stop {
	r := draw.Ring{Depth: int(depth), Blend: blend}
	var out []stop
	for i := range int(depth) + 1 {
		a := r.Opacity(float64(i))
		out = append(out, stop{float64(i) / math.Floor(depth), color.RGBA{255, 255, 255, uint8(math.Round(255 * a))}})
	}
	return out
}

// pearlStops are the colours of the conic gradient. The spectrum comes draw.Turns times around, so half a turn
// (for two) looks like the start again.
func pearlStops() []stop {
	const each = 40 // per spectrum: no step between two can be seen
	n := each * draw.Turns
	out := make([]stop, n+1)
	for i := range out {
		t := float64(i) / float64(n)
		out[i] = stop{t, draw.Pearl(t * draw.Turns)}
	}
	return out
}

// turnBy is by which angle the spectrum turns, clockwise, until it looks as at the start, in radians.
const turnBy = -2 * math.Pi / draw.Turns

// The glow's motion: turnBy in turnTime, at a rate that can't be told from a faster one (macOS takes them as a
// hint, in frames a second).
const (
	turnTime = 24 // seconds
	rateMin  = 15
	rateMax  = 30
	rate     = 20
)

// layout is where things lie in the card, from its bottom left, and how large its text is, in points.
type layout struct {
	icon, title, step, stop, word, key driver.AppKitRect

	radius, stopRadius                     float64
	titleSize, stepSize, wordSize, keySize float64
}

// layOut places what the card says. Without a step the title has the height to itself; without a key the word on
// the button has.
func layOut(c overlay.Card) layout {
	z := c.Zoom
	if z <= 0 {
		z = 1
	}
	h := c.Bounds.H
	l := layout{
		radius: 12 * z, stopRadius: 9 * z,
		titleSize: 13 * z, stepSize: 12 * z, wordSize: 14 * z, keySize: 11 * z,
	}
	// Bounds and Stop count down from the top left of the desktop; within the card that is y from its top.
	sx, sy := c.Stop.X-c.Bounds.X, c.Stop.Y-c.Bounds.Y
	l.stop = driver.AppKitRect{X: sx, Y: h - sy - c.Stop.H, W: c.Stop.W, H: c.Stop.H}
	icon := math.Round(34 * z)
	l.icon = driver.AppKitRect{X: math.Round(13 * z), Y: math.Floor((h - icon) / 2), W: icon, H: icon}
	x := l.icon.X + icon + math.Round(9*z)
	line := func(size float64) float64 { return math.Ceil(size * 1.4) }
	text := func(middle, size float64) driver.AppKitRect {
		return driver.AppKitRect{X: x, Y: middle - line(size)/2, W: math.Max(0, sx-x-math.Round(8*z)), H: line(size)}
	}
	if c.Step == "" {
		l.title = text(h/2, l.titleSize)
	} else {
		l.title, l.step = text(h/2+10*z, l.titleSize), text(h/2-9*z, l.stepSize)
	}
	in := func(middle, size float64) driver.AppKitRect { // within the button
		return driver.AppKitRect{X: l.stop.X, Y: l.stop.Y + middle - line(size)/2, W: l.stop.W, H: line(size)}
	}
	if c.Key == "" || c.Stopping {
		l.word = in(l.stop.H/2, l.wordSize)
	} else {
		l.word, l.key = in(l.stop.H/2+8*z, l.wordSize), in(l.stop.H/2-10*z, l.keySize)
	}
	return l
}

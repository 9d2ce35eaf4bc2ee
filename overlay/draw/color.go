// Package draw turns scenes of the overlay into pixels: the pearl edge, the Stop card and its text. The
// platforms upload what it draws, so that the edge looks the same everywhere, and a whole Scene can be drawn
// into one image to look at or to keep as a golden file.
//
// It never talks to a screen. Its pictures are premultiplied, as image.RGBA is.
package draw

import (
	"image/color"
	"math"
)

// lch is a colour in OKLCH: lightness 0–1, chroma, hue in degrees (Björn Ottosson's Oklab).
type lch struct{ l, c, h float64 }

// lab is the same colour in Oklab, where colours are mixed.
type lab struct{ l, a, b float64 }

func (k lch) lab() lab {
	s, c := math.Sincos(k.h * math.Pi / 180)
	return lab{k.l, k.c * c, k.c * s}
}

func (k lch) rgb() color.RGBA { return k.lab().rgb() }

// rgb converts to opaque sRGB; what is out of gamut is cut off per channel, by less than can be seen here.
func (k lab) rgb() color.RGBA {
	l := cube(k.l + 0.3963377774*k.a + 0.2158037573*k.b)
	m := cube(k.l - 0.1055613458*k.a - 0.0638541728*k.b)
	s := cube(k.l - 0.0894841775*k.a - 1.2914855480*k.b)
	return color.RGBA{
		R: encode(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		G: encode(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		B: encode(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
		A: 255,
	}
}

func cube(x float64) float64 { return x * x * x }

// encode is sRGB's transfer function, to 0–255.
func encode(x float64) uint8 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 255
	case x <= 0.0031308:
		x *= 12.92
	default:
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return uint8(math.Round(x * 255))
}

func mix(a, b lab, t float64) lab {
	return lab{a.l + (b.l-a.l)*t, a.a + (b.a-a.a)*t, a.b + (b.b-a.b)*t}
}

// alpha returns c with its opacity multiplied, premultiplied.
func alpha(c color.RGBA, a float64) color.RGBA {
	f := func(v uint8) uint8 { return uint8(math.Round(float64(v) * a)) }
	return color.RGBA{f(c.R), f(c.G), f(c.B), f(c.A)}
}

// The card's colours are the light theme's (design tokens): a light card with a border and a shadow is seen
// on a light and on a dark desktop alike.
var (
	surface   = lch{.995, .004, 70}.rgb()
	ink       = lch{.25, .012, 60}.rgb()
	muted     = lch{.47, .012, 60}.rgb()
	border    = lch{.86, .010, 70}.rgb()
	stopFill  = lch{.55, .19, 25}
	stopHover = lch{.50, .185, 25}
	stopDown  = lch{.43, .165, 25}
	stopIdle  = lch{.93, .006, 70} // after it was pressed
	onStop    = lch{1, 0, 0}.rgb()
	shade     = lch{.25, .03, 60}.rgb()
)

// Colors are the card's, for who draws it with the platform's own text and controls.
type Colors struct{ Surface, Border, Ink, Muted, Stop, StopIdle, OnStop color.RGBA }

// CardColors returns the card's colours, opaque.
func CardColors() Colors {
	return Colors{surface, border, ink, muted, stopFill.rgb(), stopIdle.rgb(), onStop}
}

// pearl is the spectrum of the edge: accent-tinted white, aqua, periwinkle, lilac and rose, between the light
// and the dark theme's lightness so that it shows on both.
var pearl = []lab{
	lch{.88, .055, 40}.lab(),
	lch{.81, .105, 195}.lab(),
	lch{.74, .125, 275}.lab(),
	lch{.76, .125, 320}.lab(),
	lch{.79, .12, 10}.lab(),
}

// Pearl is the spectrum's colour at t, which wraps around at 1.
func Pearl(t float64) color.RGBA { return pearlAt(t).rgb() }

func pearlAt(t float64) lab {
	t -= math.Floor(t)
	x := t * float64(len(pearl))
	i := int(x)
	if i >= len(pearl) { // t a hair below 1
		i = len(pearl) - 1
	}
	u := x - float64(i)
	u = u * u * (3 - 2*u) // no edge where two stretches meet
	return mix(pearl[i], pearl[(i+1)%len(pearl)], u)
}

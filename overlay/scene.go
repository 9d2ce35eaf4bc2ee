package overlay

import (
	"math"

	"conch/driver"
)

// Screens is what there is to paint on.
type Screens struct {
	Displays []driver.Display
	Blend    bool    // windows may be translucent: a compositor runs. Otherwise every pixel is opaque.
	Still    bool    // the person wants reduced motion
	Zoom     float64 // how large the person has text, 1 being 96 dots per inch; 0 reads as 1
}

// Side is one side of a screen.
type Side int

// The sides, clockwise.
const (
	Top Side = iota
	Right
	Bottom
	Left
)

// Scene is what should be on the screen. The zero value is nothing.
type Scene struct {
	Edges []Edge
	Card  Card
	Blend bool
	Still bool // the spectrum doesn't turn
}

// Dark says whether the scene shows nothing.
func (s Scene) Dark() bool { return len(s.Edges) == 0 }

// Edge is the edge of one display: four strips that don't overlap, by Side. Top and Bottom own the corners.
type Edge struct {
	Display driver.Display
	Depth   float64 // of the strips
	Strips  [4]driver.ScreenRect
}

// Card is the Stop card.
type Card struct {
	Bounds   driver.ScreenRect
	Stop     driver.ScreenRect // the button; what takes the press
	Title    string
	Step     string
	Key      string // what is written under Stop; "" when no key works
	Stopping bool
	Zoom     float64
}

// Sizes in points at 96 dots per inch (design: 6 px core fading over 28 px; a card of 360×64).
const (
	Core    = 6
	Fade    = 28
	CardW   = 360
	CardH   = 64
	cardTop = 18 // from the top of the display: clear of the core, over the fading
	stopW   = 84
	stopH   = 44
	cardPad = (CardH - stopH) / 2
)

// Scene is what a lit model shows; a dark one shows nothing.
func (m Model) Scene() Scene {
	if !m.Lit() {
		return Scene{}
	}
	s := Scene{Blend: m.Screens.Blend, Still: m.Screens.Still || m.Stopping}
	depth := float64(Core)
	if s.Blend {
		depth += Fade
	}
	main := -1
	for i, d := range m.Screens.Displays {
		if d.Bounds.W < 2*depth || d.Bounds.H < 2*depth {
			continue // too small to be a screen that anyone looks at
		}
		s.Edges = append(s.Edges, edgeOf(d, depth))
		if main < 0 || d.Main {
			main = i
		}
	}
	if main < 0 {
		return Scene{}
	}
	s.Card = m.card(m.Screens.Displays[main])
	return s
}

func edgeOf(d driver.Display, depth float64) Edge {
	b := d.Bounds
	return Edge{d, depth, [4]driver.ScreenRect{
		Top:    {X: b.X, Y: b.Y, W: b.W, H: depth},
		Right:  {X: b.X + b.W - depth, Y: b.Y + depth, W: depth, H: b.H - 2*depth},
		Bottom: {X: b.X, Y: b.Y + b.H - depth, W: b.W, H: depth},
		Left:   {X: b.X, Y: b.Y + depth, W: depth, H: b.H - 2*depth},
	}}
}

func (m Model) card(d driver.Display) Card {
	z := m.Screens.Zoom
	if z <= 0 {
		z = 1
	}
	// On a small screen the card is drawn smaller rather than cut off.
	z = math.Min(z, math.Min(d.Bounds.W/(CardW+2*cardTop), d.Bounds.H/(CardH+2*cardTop)))
	w, h := math.Round(CardW*z), math.Round(CardH*z)
	box := driver.ScreenRect{
		X: d.Bounds.X + math.Floor((d.Bounds.W-w)/2),
		Y: d.Bounds.Y + math.Round(cardTop*math.Min(z, 1)), W: w, H: h,
	}
	pad := math.Round(cardPad * z)
	sw, sh := math.Round(stopW*z), math.Round(stopH*z)
	c := Card{
		Bounds: box,
		Stop:   driver.ScreenRect{X: box.X + box.W - pad - sw, Y: box.Y + math.Floor((box.H-sh)/2), W: sw, H: sh},
		Title:  "Conch is using your computer", Step: m.Label, Key: m.Held.Key, Zoom: z,
	}
	if m.Stopping {
		c.Title, c.Step, c.Stopping = "Stopping", "Letting go of your computer", true
	}
	return c
}

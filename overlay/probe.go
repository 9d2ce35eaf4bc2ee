package overlay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"conch/driver"
)

// Prober is what a Painter also is: it can show a panel that nothing else on a screen looks like, made in the
// same way as the edge and the card, to find out whether pictures really leave our windows out.
type Prober interface {
	// ShowProbe shows p on the main display, each cell as a square, and returns where, once it has been seen to
	// be on the screen. It lets every press through.
	ShowProbe(ctx context.Context, p Probe) (driver.ScreenRect, error)
	// HideProbe takes it away. Without one it does nothing.
	HideProbe(ctx context.Context) error
}

// The probe panel is ProbeW by ProbeH cells of ProbeCell points.
const (
	ProbeW    = 32
	ProbeH    = 8
	ProbeCell = 8
)

// Probe says which cells of a probe panel are white; the others are black. It is chequered by chance, so that
// no wallpaper and no window looks like it.
type Probe [ProbeW * ProbeH]bool

// White says whether the cell in a column and row, counted from the top left, is white.
func (p *Probe) White(x, y int) bool { return p[y*ProbeW+x] }

func newProbe() Probe {
	var p Probe
	var b [len(p) / 8]byte
	_, _ = rand.Read(b[:]) // never fails
	for i := range p {
		p[i] = b[i/8]&(1<<(i%8)) != 0
	}
	return p
}

// ProbeBounds is where a probe panel goes: at the top centre of the main display, below where the card is. The
// zero rectangle means that there is no display for it.
func ProbeBounds(displays []driver.Display) driver.ScreenRect {
	const w, h, top = ProbeW * ProbeCell, ProbeH * ProbeCell, 2*cardTop + CardH
	main := -1
	for i, d := range displays {
		if d.Bounds.W >= w && d.Bounds.H >= top+h && (main < 0 || d.Main) {
			main = i
		}
	}
	if main < 0 {
		return driver.ScreenRect{}
	}
	b := displays[main].Bounds
	return driver.ScreenRect{X: b.X + float64(int(b.W-w)/2), Y: b.Y + top, W: w, H: h}
}

// ErrSeen says that Conch's own windows are in the pictures that its driver takes, so the assistant would see
// the edge and the Stop card.
var ErrSeen = errors.New("Conch's own windows are in the pictures that it takes of the screen")

// SelfTest shows a probe panel, takes one picture of where it is, and says whether our windows are really left
// out of pictures: nil when they are, ErrSeen when they aren't, another error when it can't be told. Where nobody
// follows the screen, it does so while it looks.
func SelfTest(ctx context.Context, p Prober, d driver.Driver) (err error) {
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeAfter)
	defer cancel()
	probe := newProbe()
	at, err := p.ShowProbe(ctx, probe)
	defer func() { err = errors.Join(err, p.HideProbe(after)) }()
	if err != nil {
		return fmt.Errorf("show the panel that tests pictures: %w", err)
	}
	pic, err := d.Look(ctx, driver.Shot{Area: at})
	if errors.Is(err, driver.ErrNotBegun) {
		if err := d.Begin(ctx); err != nil {
			return fmt.Errorf("take the picture that tests pictures: %w", err)
		}
		defer func() { err = errors.Join(err, d.End(after)) }()
		pic, err = d.Look(ctx, driver.Shot{Area: at})
	}
	if err != nil {
		return fmt.Errorf("take the picture that tests pictures: %w", err)
	}
	return probe.judge(pic, at)
}

// probeAfter is how long a SelfTest may take to put everything back once its context has ended.
const probeAfter = 3 * time.Second

// alike is how much of the probe a picture may have by chance. Of 256 cells that are black or white by the toss
// of a coin, three in four agree with any picture about once in 10¹⁵ times.
const alike = .75

// judge says whether pic shows the probe. Colours may come out changed (a display's profile, a night shift), so
// only what is lighter and what is darker counts.
func (p *Probe) judge(pic *driver.Picture, at driver.ScreenRect) error {
	var light [len(p)]int
	sum := 0
	for y := range ProbeH {
		for x := range ProbeW {
			middle := driver.ScreenPoint{X: at.X + (float64(x)+.5)*ProbeCell, Y: at.Y + (float64(y)+.5)*ProbeCell}
			px, in := pic.Pixel(middle)
			if !in {
				return errors.New("the picture that tests pictures doesn't show where the panel is")
			}
			c := pic.Pix.RGBAAt(pic.Pix.Rect.Min.X+px.X, pic.Pix.Rect.Min.Y+px.Y)
			light[y*ProbeW+x] = int(c.R) + int(c.G) + int(c.B)
			sum += light[y*ProbeW+x]
		}
	}
	same := 0
	for i, l := range light {
		if (l*len(light) > sum) == p[i] {
			same++
		}
	}
	if float64(same) >= alike*float64(len(light)) {
		return ErrSeen
	}
	return nil
}

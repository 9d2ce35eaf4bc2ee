//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"conch/driver"
	"conch/overlay"
	"conch/overlay/draw"
)

// errUnseen says that the windows are there and the screen doesn't show them.
var errUnseen = errors.New("the glowing edge is drawn but the screen doesn't show it; something lies over it, such as a lock screen")

// Paint shows s and returns once the screen has been read back and shows it.
func (d *Desktop) Paint(ctx context.Context, s overlay.Scene) error {
	rebuilt, err := ask(ctx, d, func() (bool, error) { return d.paint(s) })
	if err != nil || !rebuilt {
		return err
	}
	// A compositor shows a window some frames after the server has it.
	look := time.NewTicker(8 * time.Millisecond)
	defer look.Stop()
	for {
		seen, err := ask(ctx, d, d.seen)
		if seen {
			return nil
		}
		if err != nil {
			return seenLater(ctx, err)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return seenLater(ctx, ctx.Err())
		}
	}
}

// seenLater says what a deadline means here.
func seenLater(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%w (%w)", errUnseen, ctx.Err())
	}
	return err
}

// paint brings the windows to what s says. rebuilt: there are new windows, to be looked for on the screen.
func (d *Desktop) paint(s overlay.Scene) (rebuilt bool, err error) {
	if s.Dark() {
		d.clear()
		return false, d.sync()
	}
	if !sameEdges(d.scene, s) {
		if err := d.rebuild(s); err != nil {
			d.clear()
			return false, err
		}
		rebuilt = true
	} else if err := d.updateCard(s.Card); err != nil {
		return false, err
	}
	d.scene = s
	bounds := s.Card.Bounds
	d.card.Store(&bounds)
	d.setTurning(!s.Still)
	return rebuilt, d.sync()
}

func sameEdges(a, b overlay.Scene) bool {
	return a.Blend == b.Blend && a.Card.Bounds == b.Card.Bounds && a.Card.Stop == b.Card.Stop &&
		slices.Equal(a.Edges, b.Edges)
}

// rebuild makes everything afresh and takes the old away only then, so that the edge is never gone between.
func (d *Desktop) rebuild(s overlay.Scene) error {
	stack, err := d.stacking()
	if err != nil {
		return err
	}
	if d.locked(s.Edges, stack) {
		return &driver.Unready{
			Why: driver.WhyLocked, Say: "Your screen is locked, so Conch doesn't use it.", Next: "Unlock it, then ask again.",
		}
	}
	var rings []*ring
	drop := func() {
		for _, r := range rings {
			r.free()
		}
	}
	for _, e := range s.Edges {
		r, err := d.newRing(e, s.Blend)
		if err != nil {
			drop()
			return err
		}
		rings = append(rings, r)
	}
	card, err := d.newCard(s.Card, s.Blend)
	if err != nil {
		drop()
		return err
	}
	for _, r := range rings {
		for _, w := range r.windows() {
			xproto.MapWindow(d.conn, w)
		}
	}
	xproto.MapWindow(d.conn, card.window)
	d.raise(rings, card)
	d.removeWindows()
	d.rings, d.stop = rings, card
	return d.sync()
}

func (d *Desktop) removeWindows() {
	for _, r := range d.rings {
		r.free()
	}
	if d.stop != nil {
		d.stop.free()
	}
	d.rings, d.stop = nil, nil
}

// clear takes everything off the screen.
func (d *Desktop) clear() {
	d.setTurning(false)
	d.removeWindows()
	d.scene, d.aside = overlay.Scene{}, false
	d.asideNow.Store(false)
	d.card.Store(nil)
	if d.later != nil {
		d.later.Stop()
		d.later = nil
	}
}

// seen reads the screen back: every strip must show a colour of the spectrum somewhere along it. The server's
// word that a window is mapped isn't enough, since a compositor may not paint it.
func (d *Desktop) seen() (bool, error) {
	for _, r := range d.rings {
		for side, s := range r.strips {
			shown := false
			for _, part := range []int{2, 3, 5} { // a half, a third, a fifth of the way
				x, y := s.at.Min.X+s.at.Dx()/part, s.at.Min.Y+s.at.Dy()/part
				switch overlay.Side(side) { // two pixels from the rim, within the core
				case overlay.Top:
					y = s.at.Min.Y + 2
				case overlay.Bottom:
					y = s.at.Max.Y - 3
				case overlay.Left:
					x = s.at.Min.X + 2
				case overlay.Right:
					x = s.at.Max.X - 3
				}
				c, err := d.pixel(x, y)
				if err != nil {
					return false, err
				}
				if pearly(c) {
					shown = true
					break
				}
			}
			if !shown {
				return false, nil
			}
		}
	}
	return d.cardSeen()
}

// pixel reads one pixel of the screen, as a person sees it. Outside the screen it is transparent.
func (d *Desktop) pixel(x, y int) (color.RGBA, error) {
	g, err := xproto.GetImage(d.conn, xproto.ImageFormatZPixmap, xproto.Drawable(d.screen.Root), int16(x), int16(y), 1, 1, 0xffffffff).Reply()
	var match xproto.MatchError
	if errors.As(err, &match) { // the screen just became smaller
		return color.RGBA{}, nil
	}
	if err != nil {
		return color.RGBA{}, fmt.Errorf("read the screen: %w", err)
	}
	if len(g.Data) < 4 {
		return color.RGBA{}, errColours
	}
	if g.Depth == 30 { // ten bits a colour
		v := xgb.Get32(g.Data)
		return color.RGBA{byte(v >> 22), byte(v >> 12), byte(v >> 2), 255}, nil
	}
	if d.visual.big {
		return color.RGBA{g.Data[1], g.Data[2], g.Data[3], 255}, nil
	}
	return color.RGBA{g.Data[2], g.Data[1], g.Data[0], 255}, nil
}

// pearly says whether a pixel is close to a colour of the spectrum.
func pearly(c color.RGBA) bool {
	if c.A == 0 {
		return false
	}
	const steps, most = 200, 3 * 14 * 14
	for i := range steps {
		p := draw.Pearl(float64(i) / steps)
		dr, dg, db := int(p.R)-int(c.R), int(p.G)-int(c.G), int(p.B)-int(c.B)
		if dr*dr+dg*dg+db*db <= most {
			return true
		}
	}
	return false
}

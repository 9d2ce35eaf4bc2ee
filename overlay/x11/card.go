//go:build linux

package x11

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"

	"conch/driver"
	"conch/driver/x11/xraw"
	"conch/overlay"
	"conch/overlay/draw"
)

// cardWindow is the Stop card on the screen.
type cardWindow struct {
	d      *Desktop
	window xproto.Window
	at     image.Rectangle // of the window, shadow and all
	part   image.Rectangle // of the card itself, in the window
	stop   image.Rectangle // of the button, in the window
	says   overlay.Card
	look   draw.Look
	pix    *image.RGBA // what it shows
}

// newCard makes the card's window, not yet shown.
func (d *Desktop) newCard(c overlay.Card, blend bool) (w *cardWindow, err error) {
	look := draw.Look{Blend: blend}
	margin := draw.Margin(c, look)
	box := rect(c.Bounds)
	w = &cardWindow{d: d, at: box.Inset(-margin), says: c, look: look}
	w.part = box.Sub(w.at.Min)
	w.stop = rect(c.Stop).Sub(w.at.Min)
	w.pix = d.pen.Card(c, look)
	pm, err := d.pixmap(d.kind(blend), w.pix)
	if err != nil {
		return nil, fmt.Errorf("draw the Stop card: %w", err)
	}
	defer xproto.FreePixmap(d.conn, pm) // the window keeps it
	if w.window, err = d.window(d.kind(blend), w.at, "Conch", pm); err != nil {
		return nil, fmt.Errorf("draw the Stop card: %w", err)
	}
	if blend {
		d.takeInput(w.window, w.part)
	} else {
		w.roundCorners()
	}
	if d.aside {
		d.letThrough(w.window)
	}
	// XInput2 on the other connection, because a core event doesn't say which device it came from.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err = d.xi.Load().Select(ctx, uint32(w.window), xraw.AllMasterDevices,
		xraw.ButtonPress, xraw.ButtonRelease, xraw.Motion, xraw.Enter, xraw.Leave)
	if err != nil {
		w.free()
		return nil, fmt.Errorf("make the Stop card take presses: %w", err)
	}
	return w, nil
}

// roundCorners cuts the corners off row by row, where no pixel can be translucent.
func (w *cardWindow) roundCorners() {
	width, height := w.at.Dx(), w.at.Dy()
	rows := make([]xproto.Rectangle, height)
	for y := range rows {
		in := draw.CornerInset(w.says, min(y, height-1-y))
		rows[y] = xproto.Rectangle{X: int16(in), Y: int16(y), Width: uint16(width - 2*in), Height: 1}
	}
	shape.Rectangles(w.d.conn, shape.SoSet, shape.SkBounding, xproto.ClipOrderingYSorted, w.window, 0, 0, rows)
}

func (w *cardWindow) free() { xproto.DestroyWindow(w.d.conn, w.window) }

// updateCard makes the card say something else.
func (d *Desktop) updateCard(c overlay.Card) error {
	if d.stop == nil || d.stop.says == c {
		return nil
	}
	d.stop.says = c
	return d.stop.redraw()
}

func (w *cardWindow) redraw() error {
	w.pix = w.d.pen.Card(w.says, w.look)
	pm, err := w.d.pixmap(w.d.kind(w.look.Blend), w.pix)
	if err != nil {
		return fmt.Errorf("draw the Stop card: %w", err)
	}
	defer xproto.FreePixmap(w.d.conn, pm)
	xproto.ChangeWindowAttributes(w.d.conn, w.window, xproto.CwBackPixmap, []uint32{uint32(pm)})
	xproto.ClearArea(w.d.conn, false, w.window, 0, 0, 0, 0)
	return nil
}

// show draws the button as it looks now, if that is new.
func (w *cardWindow) show(hover, pressed bool) {
	if w.look.Hover == hover && w.look.Pressed == pressed {
		return
	}
	w.look.Hover, w.look.Pressed = hover, pressed
	_ = w.redraw() // a card that looks unpressed still works; a lost connection is told on its own
}

// cardSeen says whether the screen shows the button.
func (d *Desktop) cardSeen() (bool, error) {
	w := d.stop
	for _, p := range []image.Point{
		{w.stop.Min.X + 6, w.stop.Min.Y + w.stop.Dy()/2},
		{w.stop.Max.X - 7, w.stop.Min.Y + w.stop.Dy()/2},
		{w.stop.Min.X + w.stop.Dx()/2, w.stop.Max.Y - 4},
	} {
		got, err := d.pixel(w.at.Min.X+p.X, w.at.Min.Y+p.Y)
		if err != nil {
			return false, err
		}
		want := w.pix.RGBAAt(p.X, p.Y)
		dr, dg, db := int(got.R)-int(want.R), int(got.G)-int(want.G), int(got.B)-int(want.B)
		if dr*dr+dg*dg+db*db <= 3*14*14 {
			return true, nil
		}
	}
	return false, nil
}

// pointed takes in what a pointer does on the card. Stop acts on the press, not on the release: a person who
// reaches for it is in a hurry.
func (w *cardWindow) pointed(in xraw.Input) {
	on := image.Pt(in.X, in.Y).In(w.stop) && !w.says.Stopping
	switch in.Type {
	case xraw.ButtonPress:
		if in.Detail == 1 && on {
			w.show(true, true)
			w.d.emit(overlay.StopPressed{})
		}
	case xraw.ButtonRelease:
		w.show(on, false)
	case xraw.Leave:
		w.show(false, false)
	default:
		w.show(on, w.look.Pressed && on)
	}
}

// Aside lets presses at p through the card while Conch itself presses there. Away from the card it costs nothing.
func (d *Desktop) Aside(ctx context.Context, p driver.ScreenPoint) error {
	box := d.card.Load()
	if box == nil || !box.Contains(p) {
		return nil
	}
	return d.call(ctx, func() error {
		if d.stop == nil || d.aside {
			return nil
		}
		d.aside = true
		d.asideNow.Store(true)
		d.letThrough(d.stop.window)
		d.stop.show(false, false)
		return d.sync()
	})
}

// Back makes the card take presses again.
func (d *Desktop) Back() {
	if !d.asideNow.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = d.call(ctx, func() error {
		d.aside = false
		d.asideNow.Store(false)
		if d.stop != nil {
			d.takeInput(d.stop.window, d.stop.part)
		}
		return nil
	})
}

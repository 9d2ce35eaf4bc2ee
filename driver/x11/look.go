//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"time"

	"conch/driver"
	"conch/driver/raster"

	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"
)

// Windows lists the windows front to back, ours left out.
func (d *Driver) Windows(ctx context.Context) ([]driver.Window, error) {
	return run(ctx, d, func(context.Context) ([]driver.Window, error) {
		t, err := d.readTree()
		if err != nil {
			return nil, err
		}
		return t.windows(), nil
	})
}

// Pointer says where the pointer is.
func (d *Driver) Pointer(ctx context.Context) (driver.ScreenPoint, error) {
	return run(ctx, d, func(context.Context) (driver.ScreenPoint, error) {
		p, err := xproto.QueryPointer(d.conn.Conn, d.conn.Screen.Root).Reply()
		if err != nil {
			return driver.ScreenPoint{}, fmt.Errorf("ask where the pointer is: %w", err)
		}
		return driver.ScreenPoint{X: float64(p.RootX), Y: float64(p.RootY)}, nil
	})
}

// Look takes a picture. s.Cover is called while the server is held, so it must be quick and must not ask the
// driver anything.
func (d *Driver) Look(ctx context.Context, s driver.Shot) (*driver.Picture, error) {
	if err := d.begun(ctx); err != nil {
		return nil, err
	}
	if err := d.follow.settle(ctx, d); err != nil {
		return nil, err
	}
	v, err := run(ctx, d, d.view(s))
	if err != nil {
		return nil, err
	}
	again, err := d.redraw(ctx, v.doubtful)
	if err != nil {
		return nil, err
	}
	if !again {
		return v.picture, nil
	}
	raster.Free(v.picture.Pix)
	if v, err = run(ctx, d, d.view(s)); err != nil {
		return nil, err
	}
	return v.picture, nil
}

// shotView is a picture, with the windows in it that could not be drawn whole.
type shotView struct {
	picture  *driver.Picture
	doubtful []xproto.Window
}

func (d *Driver) view(s driver.Shot) func(context.Context) (shotView, error) {
	return func(ctx context.Context) (shotView, error) {
		select {
		case d.looking <- struct{}{}:
			defer func() { <-d.looking }()
		case <-ctx.Done():
			return shotView{}, ctx.Err()
		}
		return d.look(s)
	}
}

// exposure is what was read from the server for one picture.
type exposure struct {
	frame  driver.Frame
	area   image.Rectangle
	tree   *tree
	labels map[*top]string // what Cover said
	hidden map[*top]bool   // was not read
	change uint64
	cursor *xfixes.GetCursorImageReply // nil where there is none
	bgrx   []byte

	doubtful []xproto.Window // were painted over in part
}

func (d *Driver) look(s driver.Shot) (shotView, error) {
	e, err := d.expose(s)
	if err != nil {
		return shotView{}, err
	}
	f := &e.frame
	f.W, f.H = raster.Fit(e.area.Dx(), e.area.Dy(), s.MaxW, s.MaxH, s.MaxArea)
	p := &driver.Picture{
		Frame: *f, Pix: raster.New(f.W, f.H), Windows: e.tree.windows(), Change: e.change, Taken: time.Now(),
	}
	raster.ScaleBGRX(p.Pix, e.bgrx, 4*e.area.Dx(), e.area.Dx(), e.area.Dy())
	p.Covered = e.label(p)
	e.pointer(p)
	return shotView{p, e.doubtful}, nil
}

// expose holds the server still, lists, draws and reads. Nothing in between waits for any other program.
func (d *Driver) expose(s driver.Shot) (*exposure, error) {
	x := d.conn.Conn
	e := &exposure{change: d.follow.count(), labels: map[*top]string{}}
	xproto.GrabServer(x)
	held := true
	ungrab := func() {
		if held {
			held = false
			xproto.UngrabServer(x)
		}
	}
	defer ungrab()
	fence := d.fence()
	screens, cursor := d.askDisplays(), xfixes.GetCursorImage(x)
	var err error
	if e.tree, err = d.readTree(); err != nil {
		return nil, err
	}
	ds, err := screens.read(d)
	if err != nil {
		return nil, err
	}
	if e.frame.Display, err = pick(ds, s.Display); err != nil {
		return nil, err
	}
	if e.area, err = part(e.frame.Display, s.Area); err != nil {
		return nil, err
	}
	e.frame.Area = screenRect(e.area)
	if err := d.pass(fence); err != nil { // every event before this list of windows has been taken
		return nil, err
	}
	e.ask(s.Cover)
	e.hidden = d.follow.judged(d, e.tree, func(w *top) bool { return e.labels[w] != "" })
	e.doubtful = d.canvas.draw(d, e.tree, e.area, e.hidden)
	px := d.canvas.read(d, e.area.Size())
	ungrab()
	if e.bgrx, err = px.wait(); err != nil {
		return nil, fmt.Errorf("read the picture: %w", err)
	}
	if e.cursor, err = cursor.Reply(); err != nil {
		d.log.Debug("x11: no pointer in the picture", "error", err)
	}
	return e, nil
}

func (e *exposure) ask(cover func(driver.Window) string) {
	if cover == nil {
		return
	}
	for i := len(e.tree.tops) - 1; i >= 0; i-- {
		if w := e.tree.tops[i]; !w.own {
			if label := cover(w.win); label != "" {
				e.labels[w] = label
			}
		}
	}
}

// errNoArea says that a part was asked for that is not on the display.
var errNoArea = errors.New("that part is not on the screen")

// part cuts the display to the asked area, in whole pixels.
func part(disp driver.Display, area driver.ScreenRect) (image.Rectangle, error) {
	b := disp.Bounds
	if area != (driver.ScreenRect{}) {
		if b = b.Intersect(area); b.Empty() {
			return image.Rectangle{}, errNoArea
		}
	}
	return image.Rect(int(math.Floor(b.X)), int(math.Floor(b.Y)), int(math.Ceil(b.X+b.W)), int(math.Ceil(b.Y+b.H))), nil
}

// label writes on each box why it is there, where nothing is in front of it, and lists those that would have
// been seen, front to back.
func (e *exposure) label(p *driver.Picture) []driver.WindowID {
	var covered []driver.WindowID
	var above, solid region
	for i := len(e.tree.tops) - 1; i >= 0; i-- {
		w := e.tree.tops[i]
		if w.own {
			continue
		}
		if e.hidden[w] {
			seen := w.outline().clip(e.area).without(solid)
			if e.labels[w] != "" && !seen.empty() {
				covered = append(covered, w.win.ID)
			}
			raster.Cover(p.Pix, inPicture(seen.without(above), e.area, p.W, p.H), e.labels[w])
			solid = append(solid, w.outline()...)
		}
		above = append(above, w.rect)
		solid = append(solid, w.solid...)
	}
	return covered
}

// inPicture returns the pixels of the picture that lie wholly in r.
func inPicture(r region, area image.Rectangle, w, h int) []image.Rectangle {
	var out []image.Rectangle
	for _, p := range r {
		p = p.Sub(area.Min)
		q := image.Rectangle{
			Min: image.Pt((p.Min.X*w+area.Dx()-1)/area.Dx(), (p.Min.Y*h+area.Dy()-1)/area.Dy()),
			Max: image.Pt(p.Max.X*w/area.Dx(), p.Max.Y*h/area.Dy()),
		}
		if q.Min.X < q.Max.X && q.Min.Y < q.Max.Y {
			out = append(out, q)
		}
	}
	return out
}

// pointer draws the pointer at its own size: scaled with the screen it would be too small to see on a large one.
func (e *exposure) pointer(p *driver.Picture) {
	c := e.cursor
	if c == nil {
		return
	}
	at, ok := p.Pixel(driver.ScreenPoint{X: float64(c.X), Y: float64(c.Y)})
	if !ok {
		return
	}
	raster.DrawCursor(p.Pix, raster.Cursor{
		W: int(c.Width), H: int(c.Height), HotX: int(c.Xhot), HotY: int(c.Yhot), ARGB: c.CursorImage,
	}, image.Pt(at.X, at.Y))
}

//go:build linux

package x11

import (
	"bytes"
	"context"
	"image"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/raster"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"

	"github.com/jezek/xgb/xproto"
)

// desk is a private desktop with a driver that looks at it and a program of another process on it.
type desk struct {
	t   testing.TB
	x   *xserver.Server
	d   *Driver
	app *xfixture.Program
}

func newDesk(t testing.TB, o xserver.Options) *desk {
	t.Helper()
	k := &desk{t: t, x: xtest.Start(t, o)}
	k.app = k.program()
	k.d = k.open(Options{})
	return k
}

func (k *desk) program() *xfixture.Program {
	k.t.Helper()
	p, err := xfixture.Start(k.x.Env())
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { _ = p.Close() })
	return p
}

func (k *desk) open(o Options) *Driver {
	k.t.Helper()
	o.Env = k.x.Env()
	d, err := Open(k.t.Context(), o)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() {
		if err := d.Close(); err != nil {
			k.t.Errorf("Close: %v", err)
		}
	})
	return d
}

func (k *desk) window(s xfixture.Spec) *xfixture.Window {
	k.t.Helper()
	w, err := k.app.Open(s)
	if err != nil {
		k.t.Fatal(err)
	}
	return w
}

func (k *desk) look(s driver.Shot) *driver.Picture {
	k.t.Helper()
	if err := k.d.Begin(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	p, err := k.d.Look(k.t.Context(), s)
	if err != nil {
		k.t.Fatalf("Look: %v", err)
	}
	return p
}

func (k *desk) windows() []driver.Window {
	k.t.Helper()
	ws, err := k.d.Windows(k.t.Context())
	if err != nil {
		k.t.Fatalf("Windows: %v", err)
	}
	return ws
}

// classes is the window list as the names of its windows, front to back.
func classes(ws []driver.Window) []string {
	var out []string
	for _, w := range ws {
		out = append(out, w.Class)
	}
	return out
}

// eventually waits for something that other programs bring about.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-ctx.Done():
			t.Fatalf("this never came: %s", what)
		case <-tick.C:
		}
	}
}

// grabRoot reads the screen as it is, our own windows and all: what the driver itself never does.
func (k *desk) grabRoot(area image.Rectangle) *image.RGBA {
	k.t.Helper()
	return k.grab(xproto.Drawable(k.d.conn.Screen.Root), area)
}

func (k *desk) grab(of xproto.Drawable, area image.Rectangle) *image.RGBA {
	k.t.Helper()
	img := image.NewRGBA(image.Rectangle{Max: area.Size()})
	const rows = 128
	for y := 0; y < area.Dy(); y += rows {
		h := min(rows, area.Dy()-y)
		r, err := xproto.GetImage(k.d.conn.Conn, xproto.ImageFormatZPixmap, of,
			int16(area.Min.X), int16(area.Min.Y+y), uint16(area.Dx()), uint16(h), ^uint32(0)).Reply()
		if err != nil {
			k.t.Fatalf("grab the root: %v", err)
		}
		for i := 0; i+3 < len(r.Data); i += 4 {
			o := 4*y*area.Dx() + i
			img.Pix[o], img.Pix[o+1], img.Pix[o+2], img.Pix[o+3] = r.Data[i+2], r.Data[i+1], r.Data[i], 0xff
		}
	}
	return img
}

// bare is what a picture is made of: full size, without the pointer and the labels, which come last.
func (k *desk) bare(s driver.Shot) *image.RGBA {
	k.t.Helper()
	if err := k.d.Begin(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	if err := k.d.follow.settle(k.t.Context(), k.d); err != nil {
		k.t.Fatal(err)
	}
	k.d.looking <- struct{}{}
	defer func() { <-k.d.looking }()
	e, err := k.d.expose(s)
	if err != nil {
		k.t.Fatalf("expose: %v", err)
	}
	img := image.NewRGBA(image.Rectangle{Max: e.area.Size()})
	raster.ScaleBGRX(img, e.bgrx, 4*e.area.Dx(), e.area.Dx(), e.area.Dy())
	return img
}

func differing(a, b *image.RGBA) (n int, where image.Rectangle) {
	if a.Rect != b.Rect {
		return a.Rect.Dx() * a.Rect.Dy(), a.Rect
	}
	for y := range a.Rect.Dy() {
		if bytes.Equal(a.Pix[y*a.Stride:][:4*a.Rect.Dx()], b.Pix[y*b.Stride:][:4*a.Rect.Dx()]) {
			continue
		}
		for x := range a.Rect.Dx() {
			i := a.PixOffset(x, y)
			if [4]byte(a.Pix[i:i+4]) != [4]byte(b.Pix[i:i+4]) {
				n++
				where = where.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return n, where
}

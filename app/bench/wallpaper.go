//go:build linux

package main

import (
	"math"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// wallpaper paints the root as desktops come: a smooth picture of slow waves in two colours. It stays when this
// connection ends, and is where wallpaper setters say that it is (_XROOTPMAP_ID).
func wallpaper(display string, w, h int) error {
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		return err
	}
	defer conn.Close()
	screen := xproto.Setup(conn).DefaultScreen(conn)
	pix, err := xproto.NewPixmapId(conn)
	if err != nil {
		return err
	}
	gc, err := xproto.NewGcontextId(conn)
	if err != nil {
		return err
	}
	root := xproto.Drawable(screen.Root)
	xproto.CreatePixmap(conn, screen.RootDepth, pix, root, uint16(w), uint16(h))
	xproto.CreateGC(conn, gc, root, 0, nil)
	const band = 16 // rows in one request, which may have 256 kB
	for y := 0; y < h; y += band {
		n := min(band, h-y)
		data := make([]byte, 0, w*n*4)
		for r := y; r < y+n; r++ {
			for x := range w {
				data = append(data, colourAt(float64(x)/float64(w), float64(r)/float64(h))...)
			}
		}
		if err := xproto.PutImageChecked(conn, xproto.ImageFormatZPixmap, xproto.Drawable(pix), gc,
			uint16(w), uint16(n), 0, int16(y), 0, screen.RootDepth, data).Check(); err != nil {
			return err
		}
	}
	const name = "_XROOTPMAP_ID"
	atom, err := xproto.InternAtom(conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return err
	}
	id := []byte{byte(pix), byte(pix >> 8), byte(pix >> 16), byte(pix >> 24)}
	xproto.ChangeProperty(conn, xproto.PropModeReplace, screen.Root, atom.Atom, xproto.AtomPixmap, 32, 1, id)
	xproto.ChangeWindowAttributes(conn, screen.Root, xproto.CwBackPixmap, []uint32{uint32(pix)})
	xproto.ClearArea(conn, false, screen.Root, 0, 0, 0, 0)
	return xproto.SetCloseDownModeChecked(conn, xproto.CloseDownRetainPermanent).Check()
}

// colourAt is a pixel, BGRX.
func colourAt(x, y float64) []byte {
	wave := 0.5 + 0.25*math.Sin(5*x+3*math.Sin(2*y)) + 0.25*math.Sin(4*y-2*x+math.Sin(7*x))
	mix := func(a, b float64) byte { return byte(a + (b-a)*wave) }
	return []byte{mix(150, 225), mix(90, 205), mix(60, 215), 0}
}

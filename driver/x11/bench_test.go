//go:build linux

package x11

import (
	"image"
	"slices"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/raster"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"

	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"
)

// busyDesk is a 1920 by 1080 desktop with a window manager and some windows, one of them kept away.
func busyDesk(b *testing.B) *desk {
	k := newDesk(b, xserver.Options{Width: 1920, Height: 1080, WindowManager: "openbox", Background: 0x335577})
	for i, s := range []xfixture.Spec{
		{X: 60, Y: 60, W: 900, H: 600, Class: "Editor", Color: 0xffffff, Other: 0xf0f0e8, Checks: true},
		{X: 700, Y: 300, W: 1000, H: 700, Class: "Browser", Color: 0xfafafa, Other: 0x204060, Checks: true},
		{X: 300, Y: 500, W: 500, H: 400, Class: "Secret", Color: secretA},
		{X: 1200, Y: 100, W: 600, H: 500, Class: "Files", Color: 0xeeeeee},
		{X: 1300, Y: 700, W: 300, H: 200, Class: "Calculator", Color: 0x303030},
		{X: 1350, Y: 720, W: 160, H: 300, Class: "Menu", Color: 0xdddddd, Override: true},
	} {
		s.Title = string(rune('A' + i))
		k.window(s)
	}
	k.try(k.d.Begin(b.Context()))
	k.still()
	return k
}

// megapixel is what a model is given.
var megapixel = driver.Shot{MaxW: 1568, MaxH: 1568, MaxArea: 1_050_000, Cover: cover("Secret")}

func BenchmarkLook(b *testing.B) {
	k := busyDesk(b)
	for b.Loop() {
		raster.Free(k.look(megapixel).Pix)
	}
}

// BenchmarkLookAgainstBare takes a whole picture, encoded, and the barest way to one (the root read into shared
// memory, scaled, encoded) in turn, so that the load of the machine is in both.
func BenchmarkLookAgainstBare(b *testing.B) {
	k := busyDesk(b)
	bare := k.bareWay()
	var ours, floor []time.Duration
	for b.Loop() {
		start := time.Now()
		p := k.look(megapixel)
		encode(b, p.Pix)
		mid := time.Now()
		bare()
		ours, floor = append(ours, mid.Sub(start)), append(floor, time.Since(mid))
	}
	o, f := median(ours), median(floor)
	b.ReportMetric(float64(o)/1e6, "look-ms")
	b.ReportMetric(float64(f)/1e6, "bare-ms")
	b.ReportMetric(float64(o)/float64(f), "x-bare")
}

func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}

func encode(b *testing.B, img *image.RGBA) {
	if _, _, err := raster.Encode(img); err != nil {
		b.Fatal(err)
	}
	raster.Free(img)
}

func (k *desk) bareWay() func() {
	var s segment
	id, err := shm.NewSegId(k.d.conn.Conn)
	k.try(err)
	s.id = id
	const w, h = 1920, 1080
	if !s.room(k.d, 4*w*h) {
		k.t.Skip("no shared memory here")
	}
	k.t.Cleanup(func() { _ = s.free(k.d) })
	return func() {
		_, err := shm.GetImage(k.d.conn.Conn, xproto.Drawable(k.d.conn.Screen.Root), 0, 0, w, h, ^uint32(0),
			xproto.ImageFormatZPixmap, s.id, 0).Reply()
		k.try(err)
		ow, oh := raster.Fit(w, h, megapixel.MaxW, megapixel.MaxH, megapixel.MaxArea)
		img := raster.New(ow, oh)
		raster.ScaleBGRX(img, s.mem, 4*w, w, h)
		encode(k.t.(*testing.B), img)
	}
}

func BenchmarkWindows(b *testing.B) {
	k := busyDesk(b)
	for b.Loop() {
		k.windows()
	}
}

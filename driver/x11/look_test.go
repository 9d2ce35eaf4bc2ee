//go:build linux

package x11

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"testing"

	"conch/driver"
	"conch/driver/raster"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"

	"github.com/jezek/xgb/xproto"
)

// desktops are the kinds of desktop that a picture must be right on.
func desktops() map[string]xserver.Options {
	out := map[string]xserver.Options{}
	for _, wm := range []string{"", "openbox"} {
		for _, picom := range []bool{false, true} {
			out[fmt.Sprintf("wm=%s,picom=%t", wm, picom)] = xserver.Options{WindowManager: wm, Compositor: picom, Background: 0x336699}
		}
	}
	return out
}

func onDesktops(t *testing.T, f func(*testing.T, *desk)) {
	for name, o := range desktops() {
		t.Run(name, func(t *testing.T) {
			f(t, newDesk(t, o))
		})
	}
}

// crowd opens windows of every kind that pictures have to get right.
func (k *desk) crowd() *artist {
	a := newArtist(k)
	a.wallpaper()
	for _, s := range []xfixture.Spec{
		{X: 100, Y: 80, W: 400, H: 300, Class: "Checks", Color: 0xff0000, Other: 0x00ff00, Checks: true},
		{X: 300, Y: 200, W: 400, H: 300, Class: "Bordered", Color: 0x0000ff, Other: 0xffffff, Checks: true, Border: 6},
		{X: -60, Y: 500, W: 200, H: 400, Class: "Outside", Color: 0xffff00, Other: 0x202020, Checks: true},
		{X: 1200, Y: -50, W: 300, H: 200, Class: "Corner", Color: 0x123456},
		{X: 600, Y: 120, W: 300, H: 200, Class: "Glass", Color: 0x80ff8040, Alpha: true},
		{X: 640, Y: 150, W: 120, H: 260, Class: "Menu", Color: 0xdddddd, Other: 0x222222, Checks: true, Override: true},
		{X: 900, Y: 600, W: 1, H: 1, Class: "Dot", Color: 0xff00ff, Override: true},
	} {
		k.window(s)
	}
	return a
}

func TestComposedEqualsGrabbed(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		a := k.crowd()
		// Windows of this process count as anybody's here, so that odd shapes can be among them.
		none := func(driver.Window) bool { return false }
		k.d = k.open(Options{Own: none})
		ragged := a.strip(image.Rect(820, 380, 1120, 640), 0x804000, false)
		a.outline(ragged, image.Rect(0, 0, 100, 40), image.Rect(50, 60, 300, 90), image.Rect(10, 100, 20, 260))
		all := image.Rect(0, 0, 1280, 800)
		k.bare(driver.Shot{}) // begins and settles
		eventually(t, "composed and grabbed pictures are the same", func() bool {
			n, where := differing(k.bare(driver.Shot{}), k.grabRoot(all))
			if n > 0 {
				t.Logf("%d pixels differ in %v", n, where)
			}
			return n == 0
		})
		part := image.Rect(333, 144, 950, 551)
		if n, where := differing(k.bare(driver.Shot{Area: screenRect(part)}), k.grabRoot(part)); n > 0 {
			t.Errorf("a part of the screen: %d pixels differ in %v", n, where)
		}
	})
}

func TestOurWindowsAreInNoPicture(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		a := k.crowd()
		k.bare(driver.Shot{})
		before := k.settled()
		listed := len(k.windows())
		for _, r := range []image.Rectangle{
			image.Rect(0, 0, 1280, 24), image.Rect(0, 776, 1280, 800), image.Rect(0, 24, 24, 776), image.Rect(1256, 24, 1280, 776),
		} {
			a.through(a.strip(r, 0xc0ff80ff, true))
		}
		card := a.strip(image.Rect(460, 20, 820, 84), 0xffffff, false)
		for i := range 20 {
			a.fill(card, uint32(0x0f0f0f*i))
			if n, where := differing(before, k.bare(driver.Shot{})); n > 0 {
				t.Fatalf("with our own windows %d pixels differ in %v", n, where)
			}
		}
		if got := len(k.windows()); got != listed {
			t.Errorf("%d windows are listed with ours shown, %d without", got, listed)
		}
	})
}

// settled takes pictures until two in a row are the same.
func (k *desk) settled() *image.RGBA {
	k.t.Helper()
	last := k.bare(driver.Shot{})
	eventually(k.t, "the screen is still", func() bool {
		next := k.bare(driver.Shot{})
		n, _ := differing(last, next)
		last = next
		return n == 0
	})
	return last
}

// cover hides the windows of one class.
func cover(class string) func(driver.Window) string {
	return func(w driver.Window) string {
		if w.Class == class {
			return "Kept away"
		}
		return ""
	}
}

// secret colours are nowhere else on the desk, nor between any two of its colours.
const (
	secretA = 0x00ff02
	secretB = 0xff02fd
)

func rgba(c uint32) color.RGBA {
	return color.RGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 0xff}
}

// secrets finds pixels of the secret colours.
func secrets(img *image.RGBA) (n int, where image.Rectangle) {
	for _, c := range []uint32{secretA, secretB} {
		m, in := colored(img, rgba(c))
		n, where = n+m, where.Union(in)
	}
	return n, where
}

// colored finds pixels of one colour.
func colored(img *image.RGBA, c color.RGBA) (n int, where image.Rectangle) {
	want := []byte{c.R, c.G, c.B, c.A}
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride:][:4*img.Rect.Dx()]
		for at := 0; ; {
			i := bytes.Index(row[at:], want)
			if i < 0 {
				break
			}
			if at += i; at%4 == 0 {
				n++
				where = where.Union(image.Rect(at/4, y, at/4+1, y+1))
				at += 4
			} else {
				at++
			}
		}
	}
	return n, where
}

func TestKeptAwayIsNeverRead(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		secret := k.window(xfixture.Spec{X: 200, Y: 150, W: 400, H: 300, Class: "Secret", Title: "vault", Color: secretA, Other: secretB, BlinkMS: 3})
		k.window(xfixture.Spec{X: 350, Y: 250, W: 300, H: 300, Class: "Front", Color: 0x405060})
		glass := k.window(xfixture.Spec{X: 250, Y: 200, W: 200, H: 100, Class: "Glass", Color: 0x80402010, Alpha: true, Override: true})
		shot := driver.Shot{Cover: cover("Secret")}
		for i := range 60 {
			switch i % 6 {
			case 1:
				k.try(secret.Move(200+5*i, 150+2*i))
			case 3:
				k.try(glass.Move(220+i, 190+3*i))
			case 5:
				k.try(secret.Resize(400-i, 300+i))
			}
			p := k.look(shot)
			if n, where := secrets(p.Pix); n > 0 {
				t.Fatalf("picture %d shows %d pixels of the kept-away window in %v", i, n, where)
			}
			if len(p.Covered) != 1 {
				t.Fatalf("picture %d names %v as covered", i, p.Covered)
			}
		}
		// And without a cover it is there, so the test would see it.
		eventually(t, "the secret window is seen where nobody covers it", func() bool {
			n, _ := secrets(k.look(driver.Shot{}).Pix)
			return n > 0
		})
	})
}

// grabWindow reads a window's own pixels.
func (k *desk) grabWindow(w *xfixture.Window) *image.RGBA {
	k.t.Helper()
	g, err := xproto.GetGeometry(k.d.conn.Conn, xproto.Drawable(w.ID)).Reply()
	k.try(err)
	return k.grab(xproto.Drawable(w.ID), image.Rect(0, 0, int(g.Width), int(g.Height)))
}

func (k *desk) try(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// A window without a background starts as a copy of what is below it.
func TestCopiesOfKeptAwayPixelsAreCovered(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		k.window(xfixture.Spec{X: 200, Y: 150, W: 400, H: 300, Class: "Secret", Color: secretA})
		shot := driver.Shot{Cover: cover("Secret")}
		k.look(shot)
		leak := k.window(xfixture.Spec{X: 300, Y: 200, W: 500, H: 100, Class: "Hollow", NoBack: true, Override: true})
		for i := range 10 {
			p := k.look(shot)
			if n, where := secrets(p.Pix); n > 0 {
				t.Fatalf("picture %d shows %d copied pixels in %v", i, n, where)
			}
		}
		if n, _ := secrets(k.grabWindow(leak)); n == 0 {
			t.Error("no copy was made, so the test shows nothing")
		}
		k.try(leak.Resize(510, 180))
		if n, where := secrets(k.look(shot).Pix); n > 0 {
			t.Fatalf("after growing: %d copied pixels in %v", n, where)
		}
		k.try(leak.Paint(0x778899))
		eventually(t, "what the app has drawn itself is shown again", func() bool {
			p := k.look(shot)
			if n, where := secrets(p.Pix); n > 0 {
				t.Fatalf("after drawing: %d copied pixels in %v", n, where)
			}
			return p.Pix.RGBAAt(400, 250) == color.RGBA{0x77, 0x88, 0x99, 0xff}
		})
	})
}

// Also where it was made just before anyone looked.
func TestCopiesFromBeforeBeginAreCovered(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		k.window(xfixture.Spec{X: 200, Y: 150, W: 400, H: 300, Class: "Secret", Color: secretA})
		leak := k.window(xfixture.Spec{X: 300, Y: 200, W: 500, H: 100, Class: "Hollow", NoBack: true, Override: true})
		shot := driver.Shot{Cover: cover("Secret")}
		for range 5 {
			if n, where := secrets(k.look(shot).Pix); n > 0 {
				t.Fatalf("%d copied pixels in %v", n, where)
			}
		}
		k.try(leak.Paint(0x778899))
		eventually(t, "what the app has drawn itself is shown", func() bool {
			return k.look(shot).Pix.RGBAAt(400, 250) == color.RGBA{0x77, 0x88, 0x99, 0xff}
		})
	})
}

// A window whose background the server paints, and which has nothing to draw itself, is not taken for a copy.
func TestStillWindowsOverKeptAwayOnesAreSeen(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		k.window(xfixture.Spec{X: 200, Y: 150, W: 400, H: 300, Class: "Secret", Color: secretA})
		k.window(xfixture.Spec{X: 300, Y: 200, W: 200, H: 100, Class: "Before", Color: 0x112233})
		shot := driver.Shot{Cover: cover("Secret")}
		see := func(x, y int, c uint32) {
			t.Helper()
			p := k.look(shot)
			if n, where := secrets(p.Pix); n > 0 {
				t.Errorf("%d kept-away pixels in %v", n, where)
			}
			if got := p.Pix.RGBAAt(x, y); got != rgba(c) {
				t.Errorf("the window over it is %v, not %06x", got, c)
			}
		}
		see(400, 260, 0x112233)
		during := k.window(xfixture.Spec{X: 240, Y: 320, W: 200, H: 100, Class: "During", Color: 0x445566})
		see(300, 380, 0x445566)
		k.try(during.Resize(250, 90))
		eventually(t, "it has the new size", func() bool { return k.find("During").Bounds.W > 240 })
		see(470, 380, 0x445566)
	})
}

func TestCoverPaintsItsPlaceInTheStack(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	k.window(xfixture.Spec{X: 100, Y: 100, W: 400, H: 300, Class: "Secret", Color: secretA})
	k.window(xfixture.Spec{X: 300, Y: 200, W: 400, H: 300, Class: "Front", Color: 0x405060})
	k.window(xfixture.Spec{X: 800, Y: 600, W: 50, H: 50, Class: "Secret", Color: secretA})
	k.window(xfixture.Spec{X: 780, Y: 580, W: 100, H: 100, Class: "Front", Color: 0x405060})
	p := k.look(driver.Shot{Cover: cover("Secret")})
	if got := p.Pix.RGBAAt(110, 390); got != raster.CoverFill {
		t.Errorf("the kept-away window's corner is %v", got)
	}
	if got := p.Pix.RGBAAt(400, 300); got != (color.RGBA{0x40, 0x50, 0x60, 0xff}) {
		t.Errorf("the window in front of it is %v", got)
	}
	ws := p.Windows
	if len(p.Covered) != 1 || p.Covered[0] != ws[3].ID {
		t.Errorf("covered: %v of %v; the hidden one does not count", p.Covered, ws)
	}
	if n, _ := colored(p.Pix, raster.CoverText); n == 0 {
		t.Error("the box has no label")
	}
}

func TestSmallerPictureAndPart(t *testing.T) {
	k := newDesk(t, xserver.Options{Width: 1920, Height: 1080})
	k.window(xfixture.Spec{X: 960, Y: 540, W: 200, H: 200, Class: "One", Color: 0xff0000})
	p := k.look(driver.Shot{MaxW: 1366, MaxH: 1366, MaxArea: 1_050_000})
	if p.W != 1366 || p.H != 768 || p.Pix.Rect.Dx() != p.W {
		t.Fatalf("the picture is %d by %d", p.W, p.H)
	}
	if got := p.Pix.RGBAAt(p.W/2+20, p.H/2+20); got != (color.RGBA{0xff, 0, 0, 0xff}) {
		t.Errorf("the middle is %v", got)
	}
	part := k.look(driver.Shot{Area: driver.ScreenRect{X: 950.5, Y: 530, W: 20, H: 20}})
	if part.Area != (driver.ScreenRect{X: 950, Y: 530, W: 21, H: 20}) || part.W != 21 {
		t.Errorf("the part is %+v", part.Frame)
	}
	if _, err := k.d.Look(t.Context(), driver.Shot{Area: driver.ScreenRect{X: 5000, Y: 0, W: 10, H: 10}}); err == nil {
		t.Error("a part outside the screen was shown")
	}
	if _, err := k.d.Look(t.Context(), driver.Shot{Display: "DP-9"}); err == nil {
		t.Error("a display that is not there was shown")
	}
}

// A server that shares no memory gives the same picture through the connection.
func TestWithoutSharedMemory(t *testing.T) {
	k := newDesk(t, xserver.Options{Background: 0x336699})
	k.crowd()
	want := k.settled()
	k.d.looking <- struct{}{}
	if err := k.d.canvas.shm.free(k.d); err != nil {
		t.Error(err)
	}
	k.d.canvas.shm.denied = true
	<-k.d.looking
	if n, where := differing(want, k.bare(driver.Shot{})); n > 0 {
		t.Errorf("%d pixels differ in %v", n, where)
	}
}

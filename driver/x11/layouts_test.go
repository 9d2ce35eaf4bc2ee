//go:build linux

package x11

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/raster"
	"conch/driver/x11/xfixture"

	"github.com/jezek/xgb/xproto"
)

// TestRandomLayouts lays out windows at random, some kept away, on one to three displays with and without a
// window manager and a compositor, and changes them under way. CONCH_LAYOUTS says how many (200),
// CONCH_SEED which ones.
func TestRandomLayouts(t *testing.T) {
	layouts := 200
	if n, err := strconv.Atoi(os.Getenv("CONCH_LAYOUTS")); err == nil {
		layouts = n
	}
	if testing.Short() {
		layouts = 20
	}
	seed := rand.Uint64()
	if n, err := strconv.ParseUint(os.Getenv("CONCH_SEED"), 10, 64); err == nil {
		seed = n
	}
	for name, o := range desktops() {
		t.Run(name, func(t *testing.T) {
			o.Width, o.Height = 1400, 700
			l := &layouter{desk: newDesk(t, o), rnd: rand.New(rand.NewPCG(seed, 1))}
			// A window manager decides whose parent is what, and picom leaves a window that was taken off the root on
			// the screen for good, for a person to see and for new windows to copy.
			if o.WindowManager == "" && !o.Compositor {
				l.away = newArtist(l.desk)
				l.nest = l.away.hidden()
			}
			t.Logf("seed %d", seed)
			l.setDisplays()
			l.try(l.d.Begin(t.Context()))
			for i := range layouts / len(desktops()) {
				l.round(i)
				if t.Failed() {
					t.Fatalf("in round %d of seed %d, after:\n%s", i, seed, strings.Join(l.did[max(0, len(l.did)-40):], "\n"))
				}
			}
		})
	}
}

// layouter is a desk whose windows come, move and go at random.
type layouter struct {
	*desk
	rnd     *rand.Rand
	away    *artist       // nil where windows keep their parent
	nest    xproto.Window // of away
	windows []*laid
	next    int
	did     []string // what was changed, for who looks for a fault
}

func (l *layouter) note(format string, args ...any) {
	l.did = append(l.did, fmt.Sprintf(format, args...))
}

type laid struct {
	w      *xfixture.Window
	class  string
	secret bool
	glass  bool // lets others shine through
	hollow bool // shows copies of others where it has not been drawn on
	color  color.RGBA
}

// setDisplays makes three displays of different sizes, with a part of the desktop that none shows.
func (l *layouter) setDisplays() {
	l.xrandr("--setmonitor", "A", "600/150x400/100+0+0", "screen")
	l.xrandr("--setmonitor", "B", "500/150x700/100+600+0", "none")
	l.xrandr("--setmonitor", "C", "300/150x300/100+1100+250", "none")
}

func (l *layouter) round(i int) {
	for n := 1 + l.rnd.IntN(3); n > 0; n-- {
		l.change()
	}
	for len(l.windows) > 9 {
		l.drop(l.rnd.IntN(len(l.windows)))
	}
	for _, d := range l.displays() {
		shot := driver.Shot{Display: d.ID, Cover: func(w driver.Window) string {
			if len(w.Class) > 6 && w.Class[:6] == "Secret" {
				return "Kept away"
			}
			return ""
		}}
		if i%3 == 1 {
			shot.MaxArea = 60_000
		}
		l.check(shot)
	}
}

func (l *layouter) drop(i int) {
	l.note("close %s", l.windows[i].class)
	l.try(l.windows[i].w.Close())
	l.windows = append(l.windows[:i], l.windows[i+1:]...)
}

// change opens, moves, resizes, raises, hides, shows, paints or closes a window, takes it off the root for a moment,
// or pauses watching.
func (l *layouter) change() {
	if len(l.windows) < 3 {
		l.add()
		return
	}
	i := l.rnd.IntN(len(l.windows))
	w, at, size := l.windows[i], l.place(), l.size()
	deed := l.rnd.IntN(12)
	l.note("%s %s %v %v", [...]string{
		"open after", "open after", "move", "move", "resize", "raise", "lower", "close", "hide", "show", "reparent", "end after",
	}[deed], w.class, at, size)
	switch deed {
	case 0, 1:
		l.add()
	case 2, 3:
		l.try(w.w.Move(at.X, at.Y))
	case 4:
		l.try(w.w.Resize(size.X, size.Y))
	case 5:
		l.try(w.w.Raise())
	case 6:
		l.try(w.w.Lower())
	case 7:
		l.drop(i)
	case 8:
		l.try(w.w.Hide())
	case 9:
		l.try(w.w.Show())
	case 10:
		if l.away != nil {
			l.away.moveTo(xproto.Window(w.w.ID), l.nest, image.Point{})
			l.away.moveTo(xproto.Window(w.w.ID), l.away.conn.Screen.Root, at)
		}
	case 11:
		l.try(l.d.End(l.t.Context())) // the next picture begins anew
	}
}

// place and size are of windows, some of it beside every display.
func (l *layouter) place() image.Point { return image.Pt(l.rnd.IntN(1600)-150, l.rnd.IntN(900)-150) }
func (l *layouter) size() image.Point  { return image.Pt(20+l.rnd.IntN(500), 20+l.rnd.IntN(400)) }

func (l *layouter) add() {
	l.next++
	w, at, size := &laid{secret: l.rnd.IntN(3) == 0}, l.place(), l.size()
	s := xfixture.Spec{
		X: at.X, Y: at.Y, W: size.X, H: size.Y,
		Border: l.rnd.IntN(2) * l.rnd.IntN(5), Override: l.rnd.IntN(4) == 0,
	}
	if w.secret {
		s.Class, s.Color, s.Other = fmt.Sprintf("Secret%d", l.next), secretA, secretB
		s.BlinkMS = l.rnd.IntN(2) * 5
	} else {
		w.color = color.RGBA{uint8(16 * (1 + l.rnd.IntN(14))), uint8(16 * (1 + l.rnd.IntN(6))), uint8(l.next % 64), 0xff}
		s.Class, s.Color = fmt.Sprintf("Plain%d", l.next), uint32(w.color.R)<<16|uint32(w.color.G)<<8|uint32(w.color.B)
		if w.glass = l.rnd.IntN(4) == 0; w.glass {
			s.Alpha, s.Color = true, s.Color|0x90000000
		} else {
			w.hollow = l.rnd.IntN(3) == 0
			s.NoBack = w.hollow
		}
	}
	w.class, w.w = s.Class, l.window(s)
	l.note("opened %d %s %v %v, border %d, glass %v, hollow %v, override %v, blinks %v", w.w.ID, s.Class, at, size, s.Border, w.glass, w.hollow, s.Override, s.BlinkMS > 0)
	l.windows = append(l.windows, w)
	if s.NoBack && l.rnd.IntN(2) == 0 {
		l.note("paint %s", s.Class)
		l.try(w.w.Paint(s.Color))
	}
}

// check takes a picture and holds what is on it against the list that came with it. A kept-away window must not
// show for a moment; other windows may take one until what the list says is drawn.
func (l *layouter) check(shot driver.Shot) {
	var wrong string
	for range 100 {
		p := l.look(shot)
		find := secrets
		if shot.MaxArea != 0 {
			find = tinted // a narrow strip has no pixel that is all of it
		}
		if n, where := find(p.Pix); n > 0 {
			l.t.Errorf("%d pixels of a kept-away window in %v of %v", n, where, p.Area)
			for _, w := range p.Windows {
				l.note("there is %d %s %v", w.ID, w.Class, w.Bounds)
			}
			return
		}
		if wrong = l.wrong(p, shot.MaxArea != 0); wrong == "" {
			return
		}
		ctx, cancel := context.WithTimeout(l.t.Context(), 20*time.Millisecond)
		_, _ = l.d.Changed(ctx, p.Change)
		cancel()
	}
	l.t.Error(wrong)
}

// tinted finds pixels with half or more of a secret colour in them. No other colour here is as vivid.
func tinted(img *image.RGBA) (n int, where image.Rectangle) {
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			c := img.RGBAAt(x, y)
			r, g, b := int(c.R), int(c.G), int(c.B)
			if g > max(r, b)+120 || min(r, b) > g+120 {
				n, where = n+1, where.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return n, where
}

// wrong compares a picture with its own list of windows at some points.
func (l *layouter) wrong(p *driver.Picture, smaller bool) string {
	byClass := map[string]*laid{}
	for _, w := range l.windows {
		byClass[w.class] = w
	}
	for range 60 {
		at := driver.PicPoint{X: l.rnd.IntN(p.W), Y: l.rnd.IntN(p.H)}
		on, err := p.Place(at)
		l.try(err)
		top, ok := driver.At(p.Windows, on)
		got := p.Pix.RGBAAt(at.X, at.Y)
		w := byClass[top.Class]
		switch {
		case !ok || w == nil || !within(top.Bounds, on, 30) || !alone(p.Windows, on, top.ID) || l.nearPointer(p, at):
		case w.secret:
			if !slices.Contains(p.Covered, top.ID) {
				return fmt.Sprintf("%s is at %v and not named as covered", top.Class, on)
			}
			if got != raster.CoverFill && !between(got, raster.CoverFill, raster.CoverText) {
				return fmt.Sprintf("%s is at %v and the picture shows %v there", top.Class, on, got)
			}
		case got == w.color || w.glass || w.hollow || got == raster.CoverFill || smaller:
			// A part that may still be a copy of a kept-away window is a box as well.
		default:
			return fmt.Sprintf("%s (%v) is at %v and the picture shows %v there", top.Class, w.color, on, got)
		}
	}
	return ""
}

// within says whether p is inside r by a margin, clear of frames.
func within(r driver.ScreenRect, p driver.ScreenPoint, margin float64) bool {
	return driver.ScreenRect{X: r.X + margin, Y: r.Y + margin, W: r.W - 2*margin, H: r.H - 2*margin}.Contains(p)
}

// alone says whether nothing but one window is within a pixel of a smaller picture.
func alone(ws []driver.Window, p driver.ScreenPoint, id driver.WindowID) bool {
	for _, by := range [][2]float64{{-4, -4}, {4, -4}, {-4, 4}, {4, 4}} {
		if w, ok := driver.At(ws, driver.ScreenPoint{X: p.X + by[0], Y: p.Y + by[1]}); !ok || w.ID != id {
			return false
		}
	}
	return true
}

// between says whether c is on the way from a to b, as the edge of a letter is.
func between(c, a, b color.RGBA) bool {
	in := func(v, x, y uint8) bool { return v >= min(x, y) && v <= max(x, y) }
	return in(c.R, a.R, b.R) && in(c.G, a.G, b.G) && in(c.B, a.B, b.B)
}

func (l *layouter) nearPointer(p *driver.Picture, at driver.PicPoint) bool {
	on, err := l.d.Pointer(l.t.Context())
	l.try(err)
	px, ok := p.Pixel(on)
	return ok && image.Pt(at.X, at.Y).In(image.Rect(px.X-32, px.Y-32, px.X+32, px.Y+32))
}

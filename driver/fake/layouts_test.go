package fake

import (
	"bytes"
	"fmt"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"conch/driver"
)

// randomDesk writes down one or two displays and some windows that overlap, stick out and hide one another;
// some are kept away.
func randomDesk(r *rand.Rand) (archive string, away []driver.WindowID) {
	var b strings.Builder
	b.WriteString("-- screen --\n")
	scale := []string{"1", "1.25", "1.5", "2"}[r.IntN(4)]
	fmt.Fprintf(&b, "display main %dx%d @%s main\n", 120+r.IntN(80), 90+r.IntN(60), scale)
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "display side %dx%d at %d,%d\n", 60+r.IntN(80), 50+r.IntN(60), -140, r.IntN(80)-40)
	}
	for id := 1; id <= 1+r.IntN(8); id++ {
		app := "org.example.Plain"
		if r.IntN(3) == 0 {
			app = "org.example.Vault"
			away = append(away, driver.WindowID(id))
		}
		fmt.Fprintf(&b, "window %d \"W\" %s %d,%d %dx%d\n", id, app, r.IntN(330)-160, r.IntN(200)-60, 1+r.IntN(140), 1+r.IntN(110))
	}
	return b.String(), away
}

func coverVault(w driver.Window) string {
	if w.App == "org.example.Vault" {
		return "Kept away"
	}
	return ""
}

// In no layout does a picture depend on what a kept-away window holds, and what isn't kept away is shown.
func TestNoPixelOfAKeptAwayWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(2024, 12))
	covered, plain := 0, 0
	for n := range 2000 {
		archive, away := randomDesk(r)
		d := New(t, archive)
		ctx := t.Context()
		do(t, d.Begin(ctx))
		displays, err := d.Displays(ctx)
		do(t, err)
		for _, v := range displays {
			shot := driver.Shot{Display: v.ID, Cover: coverVault}
			switch r.IntN(3) {
			case 0:
				shot.MaxW = 20 + r.IntN(90)
			case 1:
				shot.Area = driver.ScreenRect{X: v.Bounds.X + float64(r.IntN(40)), Y: v.Bounds.Y + float64(r.IntN(40)), W: 30.5, H: 41}
			}
			first, err := d.Look(ctx, shot)
			do(t, err)
			for _, id := range away {
				do(t, d.Apply(fmt.Sprintf("repaint %d\ntitle %d \"%d\"", id, id, n)))
			}
			again, err := d.Look(ctx, shot)
			do(t, err)
			if !bytes.Equal(first.Pix.Pix, again.Pix.Pix) {
				t.Fatalf("layout %d, %+v: a kept-away window is seen\n%s", n, shot, archive)
			}
			var want []driver.WindowID
			for _, w := range first.Windows {
				seen := slices.ContainsFunc(w.Visible, func(p driver.ScreenRect) bool { return !p.Intersect(first.Area).Empty() })
				switch {
				case slices.Contains(away, w.ID) && seen:
					want = append(want, w.ID)
					covered++
				case seen && shot.MaxW == 0:
					plain += shown(t, first, w)
				}
			}
			if !slices.Equal(want, first.Covered) {
				t.Fatalf("layout %d: covered %v, want %v\n%s", n, first.Covered, want, archive)
			}
		}
		do(t, d.Close())
	}
	if covered < 500 || plain < 300 {
		t.Errorf("%d covered and %d plain windows were seen: too few to mean anything", covered, plain)
	}
}

// shown fails unless each visible part of w that is big enough shows w's own content, and counts those parts.
func shown(t *testing.T, p *driver.Picture, w driver.Window) int {
	t.Helper()
	a, b := Content(w.ID, 0)
	n := 0
	for _, part := range w.Visible {
		if part.Y < w.Bounds.Y+24 { // the title bar
			part.H -= w.Bounds.Y + 24 - part.Y
			part.Y = w.Bounds.Y + 24
		}
		if part.H <= 0 {
			continue
		}
		in := p.Within(part)
		if in.Dx() < 20 || in.Dy() < 20 {
			continue
		}
		n++
		for _, at := range [][2]int{{in.Max.X - 1, in.Max.Y - 1}, {in.Max.X - 1, in.Min.Y}} {
			got := p.Pix.RGBAAt(at[0], at[1])
			if pointer, on := p.Pixel(driver.ScreenPoint{}); on && at[0] < pointer.X+12 && at[1] < pointer.Y+18 {
				continue
			}
			if got != a && got != b {
				t.Fatalf("window %d shows %v at %v, want %v or %v", w.ID, got, at, a, b)
			}
		}
	}
	return n
}

// A click lands in the window that the list says is on top, in every layout.
func TestClicksLandOnTop(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		archive, _ := randomDesk(r)
		d := New(t, archive)
		ctx := t.Context()
		for range 10 {
			p := driver.ScreenPoint{X: float64(r.IntN(120)), Y: float64(r.IntN(90))}
			ws, err := d.Windows(ctx)
			do(t, err)
			want, _ := driver.At(ws, p)
			d.Forget()
			click(t, d, p.X, p.Y)
			for _, e := range d.Events() {
				if e.Window != want.ID {
					t.Fatalf("%v at %v landed in %d, want %d\n%s", e, p, e.Window, want.ID, archive)
				}
			}
		}
		do(t, d.Close())
	}
}

func TestContentIsUnique(t *testing.T) {
	seen := map[color.RGBA]string{}
	for id := driver.WindowID(1); id < 60; id++ {
		for paint := range uint64(3) {
			a, b := Content(id, paint)
			for _, c := range []color.RGBA{a, b} {
				if who, dup := seen[c]; dup {
					t.Errorf("window %d painted %d times looks like %s: %v", id, paint, who, c)
				}
				seen[c] = fmt.Sprintf("window %d painted %d times", id, paint)
			}
		}
	}
}

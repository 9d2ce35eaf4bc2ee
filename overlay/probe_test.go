package overlay

import (
	"context"
	"errors"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"conch/driver"
	"conch/driver/fake"
)

// screenWithProbe is a driver on a written desktop and its Prober; leaks says how the probe comes into pictures.
type screenWithProbe struct {
	*fake.Driver
	leaks    func(c color.RGBA, white bool) color.RGBA // nil: not at all
	probe    *Probe
	at       driver.ScreenRect
	showErr  error
	shows    int
	cut      bool
	lookErr  error
	lookedAt driver.ScreenRect
}

func (s *screenWithProbe) ShowProbe(ctx context.Context, p Probe) (driver.ScreenRect, error) {
	if s.showErr != nil {
		return driver.ScreenRect{}, s.showErr
	}
	all, err := s.Displays(ctx)
	if err != nil {
		return driver.ScreenRect{}, err
	}
	s.probe, s.at = &p, ProbeBounds(all)
	s.shows++
	return s.at, nil
}

func (s *screenWithProbe) HideProbe(context.Context) error { s.probe = nil; return nil }

func (s *screenWithProbe) Look(ctx context.Context, shot driver.Shot) (*driver.Picture, error) {
	if s.lookErr != nil {
		return nil, s.lookErr
	}
	s.lookedAt = shot.Area
	if s.cut {
		shot.Area.W /= 2
	}
	pic, err := s.Driver.Look(ctx, shot)
	if err != nil || s.leaks == nil || s.probe == nil {
		return pic, err
	}
	for y := range pic.H {
		for x := range pic.W {
			p, err := pic.Place(driver.PicPoint{X: x, Y: y})
			if err != nil {
				return nil, err
			}
			cx, cy := int((p.X-s.at.X)/ProbeCell), int((p.Y-s.at.Y)/ProbeCell)
			if s.at.Contains(p) {
				pic.Pix.SetRGBA(x, y, s.leaks(pic.Pix.RGBAAt(x, y), s.probe.White(cx, cy)))
			}
		}
	}
	return pic, nil
}

const probeDesk = `
-- screen --
display main 1280x800
app org.xfce.mousepad "Mousepad"
window 1 "notes.txt - Mousepad" org.xfce.mousepad 100,50 900x500 name "Mousepad" front { field body 300,90 660x300 focused; button save "Save" 520,110 80x24 }
`

func plain(_ color.RGBA, white bool) color.RGBA {
	if white {
		return color.RGBA{255, 255, 255, 255}
	}
	return color.RGBA{0, 0, 0, 255}
}

func TestSelfTest(t *testing.T) {
	broken := errors.New("no picture")
	for name, c := range map[string]struct {
		change func(*screenWithProbe)
		want   error // nil: left out
	}{
		"left out":   {func(*screenWithProbe) {}, nil},
		"seen":       {func(s *screenWithProbe) { s.leaks = plain }, ErrSeen},
		"seen, warm": {func(s *screenWithProbe) { s.leaks = warm }, ErrSeen},
		"seen through a see-through panel": {func(s *screenWithProbe) {
			s.leaks = func(c color.RGBA, white bool) color.RGBA {
				over := plain(c, white)
				return color.RGBA{(c.R + over.R) / 2, c.G/2 + over.G/2, c.B/2 + over.B/2, 255}
			}
		}, ErrSeen},
		"not shown":  {func(s *screenWithProbe) { s.showErr = broken }, broken},
		"no picture": {func(s *screenWithProbe) { s.lookErr = broken }, broken},
	} {
		t.Run(name, func(t *testing.T) {
			s := &screenWithProbe{Driver: fake.New(t, probeDesk)}
			c.change(s)
			if err := SelfTest(t.Context(), s, s); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("the test says %v, want %v", err, c.want)
			}
			if s.probe != nil || s.Begun() {
				t.Error("something is left of the test")
			}
			if s.shows > 0 && s.lookErr == nil && s.lookedAt != s.at {
				t.Errorf("the picture was of %v, want %v: no more than where the panel is", s.lookedAt, s.at)
			}
		})
	}
	// Where somebody follows the screen already, they go on.
	s := &screenWithProbe{Driver: fake.New(t, probeDesk)}
	if err := s.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := SelfTest(t.Context(), s, s); err != nil || !s.Begun() {
		t.Errorf("beside a turn the test says %v, and the turn still follows the screen: %v", err, s.Begun())
	}
	s = &screenWithProbe{Driver: fake.New(t, probeDesk), cut: true}
	if err := SelfTest(t.Context(), s, s); err == nil || errors.Is(err, ErrSeen) {
		t.Errorf("with half a picture the test says %v, want that it can't be told", err)
	}
}

// warm is a display's profile and a night shift at once.
func warm(_ color.RGBA, white bool) color.RGBA {
	if white {
		return color.RGBA{240, 200, 120, 255}
	}
	return color.RGBA{60, 40, 10, 255}
}

// TestProbeIsSeenByNothingElse judges pictures that have nothing of the probe in them: flat, noisy, chequered and
// the pictures of other probes.
func TestProbeIsSeenByNothingElse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	at := driver.ScreenRect{W: ProbeW * ProbeCell, H: ProbeH * ProbeCell}
	picture := func(f func(x, y int) color.RGBA) *driver.Picture {
		pix := image.NewRGBA(image.Rect(0, 0, int(at.W), int(at.H)))
		for y := range pix.Rect.Dy() {
			for x := range pix.Rect.Dx() {
				pix.SetRGBA(x, y, f(x, y))
			}
		}
		return &driver.Picture{Frame: driver.Frame{Area: at, W: int(at.W), H: int(at.H)}, Pix: pix}
	}
	for range 200 {
		p, other := newProbe(), newProbe()
		for name, f := range map[string]func(x, y int) color.RGBA{
			"black":       func(int, int) color.RGBA { return color.RGBA{A: 255} },
			"white":       func(int, int) color.RGBA { return color.RGBA{255, 255, 255, 255} },
			"noise":       func(int, int) color.RGBA { v := uint8(r.IntN(256)); return color.RGBA{v, v, v, 255} },
			"chequered":   func(x, y int) color.RGBA { return plain(color.RGBA{}, (x/ProbeCell+y/ProbeCell)%2 == 0) },
			"a shade":     func(x, _ int) color.RGBA { return color.RGBA{uint8(x), uint8(x), uint8(x), 255} },
			"other probe": func(x, y int) color.RGBA { return plain(color.RGBA{}, other.White(x/ProbeCell, y/ProbeCell)) },
		} {
			if err := p.judge(picture(f), at); err != nil {
				t.Fatalf("%s is taken for the probe: %v", name, err)
			}
		}
		if err := p.judge(picture(func(x, y int) color.RGBA { return plain(color.RGBA{}, p.White(x/ProbeCell, y/ProbeCell)) }), at); !errors.Is(err, ErrSeen) {
			t.Fatalf("the probe itself isn't seen: %v", err)
		}
	}
}

func TestProbeBounds(t *testing.T) {
	display := func(x, y, w, h float64, main bool) driver.Display {
		return driver.Display{Bounds: driver.ScreenRect{X: x, Y: y, W: w, H: h}, Main: main}
	}
	for name, all := range map[string][]driver.Display{
		"one":   {display(0, 0, 1280, 800, true)},
		"left":  {display(-1920, -200, 1920, 1080, false), display(0, 0, 1440, 900, true)},
		"above": {display(0, 0, 1440, 900, false), display(0, -1080, 1920, 1080, true)},
	} {
		at := ProbeBounds(all)
		inside := 0
		for _, d := range all {
			if d.Main && at.Intersect(d.Bounds) == at {
				inside++
			}
		}
		if inside != 1 || at.W != ProbeW*ProbeCell || at.H != ProbeH*ProbeCell {
			t.Errorf("%s: the panel is at %v, want it whole on the main display", name, at)
		}
	}
	if at := ProbeBounds([]driver.Display{display(0, 0, 200, 100, true)}); !at.Empty() {
		t.Errorf("on a tiny screen the panel is at %v", at)
	}
}

package mac

import (
	"context"
	"errors"
	"image/color"
	"testing"
	"testing/synctest"
	"time"

	"conch/driver"
	"conch/driver/drivertest"
)

var (
	red   = color.RGBA{200, 0, 0, 255}
	green = color.RGBA{0, 200, 0, 255}
	blue  = color.RGBA{0, 0, 200, 255}
)

func win(title string, x, y float64, c color.RGBA) drivertest.Win {
	return drivertest.Win{Title: title, App: title, Bounds: driver.ScreenRect{X: x, Y: y, W: 100, H: 100}, Color: c}
}

// begun opens a driver over s and begins.
func begun(t *testing.T, s *sim) *Driver {
	t.Helper()
	d := s.driver()
	if err := d.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func small() *sim {
	return newSim(rawDisplay{id: 1, main: true, scale: 1, bounds: driver.ScreenRect{W: 400, H: 300}})
}

func at(p *driver.Picture, x, y float64) color.RGBA {
	q, _ := p.Pixel(driver.ScreenPoint{X: x, Y: y})
	return p.Pix.RGBAAt(q.X, q.Y)
}

// TestLookTriesAgain: an answer that never comes, or a fault, is tried once more; a refusal is not.
func TestLookTriesAgain(t *testing.T) {
	fault := errors.New("a fault of macOS")
	for name, c := range map[string]struct {
		answers  []error
		want     error
		captures int
		after    time.Duration
	}{
		"at once":               {[]error{nil}, nil, 1, 0},
		"a fault":               {[]error{fault, nil}, nil, 2, 0},
		"two faults":            {[]error{fault, fault}, fault, 2, 0},
		"no answer, then one":   {[]error{context.DeadlineExceeded, nil}, nil, 2, captureWithin},
		"never an answer":       {[]error{context.DeadlineExceeded, context.DeadlineExceeded}, errors.New("macOS gave no picture within 10 seconds"), 2, 2 * captureWithin},
		"the person says no":    {[]error{errDenied, nil}, errDenied, 1, 0},
		"a fault, then refused": {[]error{fault, errDenied}, errDenied, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := small()
				s.onShot = func(n int) error { return c.answers[n-1] }
				d := begun(t, s)
				start := time.Now()
				_, err := d.Look(t.Context(), driver.Shot{})
				if !errors.Is(err, c.want) && (err == nil || c.want == nil || err.Error() != c.want.Error()) {
					t.Errorf("%v, want %v", err, c.want)
				}
				var no *driver.Unready
				if denied := errors.Is(c.want, errDenied); errors.As(err, &no) != denied || denied && (no.Why != driver.WhyPermission || no.Next == "") {
					t.Errorf("a refusal is said as %#v", err)
				}
				if s.captures != c.captures || time.Since(start) != c.after {
					t.Errorf("%d pictures in %v, want %d in %v", s.captures, time.Since(start), c.captures, c.after)
				}
			})
		})
	}
}

// TestLookEndsWithItsContext: while no answer comes, and while another picture is taken.
func TestLookEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := small()
		s.onShot = func(int) error { return context.DeadlineExceeded }
		d := begun(t, s)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		first := make(chan error, 1)
		go func() { _, err := d.Look(ctx, driver.Shot{}); first <- err }()
		synctest.Wait()
		short, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer stop()
		if _, err := d.Look(short, driver.Shot{}); !errors.Is(err, context.DeadlineExceeded) || s.captures != 1 {
			t.Errorf("the second: %v, %d pictures at once", err, s.captures)
		}
		if err := <-first; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the first: %v", err)
		}
	})
}

// TestLookBetweenTwoLists: a window that comes or moves while the picture is taken makes another one, and when that
// never ends what must be covered is covered where it was and where it is.
func TestLookBetweenTwoLists(t *testing.T) {
	cover := func(w driver.Window) string {
		if w.Title == "Secret" {
			return "kept away"
		}
		return ""
	}
	t.Run("once", func(t *testing.T) {
		s := small()
		s.Open(t, win("Plain", 0, 0, green))
		s.late = func(n int) {
			if n == 1 {
				s.Open(t, win("Secret", 200, 0, red))
			}
		}
		d := begun(t, s)
		p, err := d.Look(t.Context(), driver.Shot{Cover: cover})
		if err != nil || s.captures != 2 || len(p.Covered) != 1 || at(p, 250, 50) == red || at(p, 50, 50) != green {
			t.Errorf("%v, %d pictures, covered %v, %v", err, s.captures, p.Covered, at(p, 250, 50))
		}
	})
	t.Run("on and on", func(t *testing.T) {
		s := small()
		s.Open(t, win("Secret", 0, 0, red))
		s.late = func(n int) { // it wanders, and on the way a new one comes
			defer s.lock()()
			s.wins[len(s.wins)-1].spec.Bounds.X = float64(n * 40)
			if n == stillTries {
				s.wins = append([]*simWin{{s: s, id: 9999, pid: 777, alpha: 1, spec: win("Secret", 250, 150, red), color: red}}, s.wins...)
			}
		}
		d := begun(t, s)
		p, err := d.Look(t.Context(), driver.Shot{Cover: cover})
		if err != nil || s.captures != stillTries || len(p.Covered) != 2 {
			t.Fatalf("%v, %d pictures, covered %v", err, s.captures, p.Covered)
		}
		for _, q := range []driver.ScreenPoint{{X: 85, Y: 95}, {X: 210, Y: 95}, {X: 345, Y: 245}} {
			if c := at(p, q.X, q.Y); c == red || c == (color.RGBA{0, 0, 0, 255}) {
				t.Errorf("at %v is %v", q, c)
			}
		}
	})
	t.Run("the display changes", func(t *testing.T) {
		s := small()
		s.late = func(n int) { s.Resize(t, 400+n, 300) }
		d := begun(t, s)
		if p, err := d.Look(t.Context(), driver.Shot{}); err == nil {
			t.Errorf("a picture of a display that is not there any more: %v", p.Frame)
		}
	})
}

// TestFrame: an area becomes whole device pixels of its display, wherever that is and however fine.
func TestFrame(t *testing.T) {
	ds := []driver.Display{
		{ID: "1", Bounds: driver.ScreenRect{W: 1440, H: 900}, Scale: 2, Main: true},
		{ID: "2", Bounds: driver.ScreenRect{X: -1280, Y: -720.5, W: 1280, H: 720}, Scale: 1.5},
	}
	f, err := frame(ds, driver.Shot{Area: driver.ScreenRect{X: 10.2, Y: 20.3, W: 100, H: 50}})
	if err != nil || f.W != 201 || f.H != 101 || f.Area != (driver.ScreenRect{X: 10, Y: 20, W: 100.5, H: 50.5}) {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = frame(ds, driver.Shot{Display: "2"})
	if err != nil || f.W != 1920 || f.H != 1080 || f.Area != ds[1].Bounds {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = frame(ds, driver.Shot{Display: "2", Area: driver.ScreenRect{X: -2000, Y: -800, W: 1000, H: 1000}})
	if err != nil || f.Area.X != -1280 || f.Area.Y != -720.5 || float64(f.W) != f.Area.W*1.5 || float64(f.H) != f.Area.H*1.5 {
		t.Errorf("%+v, %v", f, err)
	}
	for _, s := range []driver.Shot{{Display: "3"}, {Area: driver.ScreenRect{X: 5000, W: 10, H: 10}}, {Display: "2", Area: driver.ScreenRect{X: 1, Y: 1, W: 10, H: 10}}} {
		if f, err := frame(ds, s); err == nil {
			t.Errorf("%+v is %+v", s, f)
		}
	}
}

// TestFollow: a watch that ends is begun anew, displays that change are noticed, and where nobody can look the
// screen doesn't count as still.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := small()
		d := begun(t, s)
		wait := func(what string, seen uint64) uint64 {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			n, err := d.Changed(ctx, seen)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return n
		}
		still := func(n uint64) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			if now, err := d.Changed(ctx, n); !errors.Is(err, context.DeadlineExceeded) || now != n {
				t.Fatalf("%d changes after %d, %v", now, n, err)
			}
		}
		still(0)
		w := s.Open(t, win("A", 0, 0, blue))
		n := wait("a window", 0)
		s.mu.Lock()
		for _, c := range s.told {
			c <- watched{stopped: true}
		}
		s.mu.Unlock()
		n = wait("the watch ended", n)
		still(n)
		w.Paint(t, green)
		n = wait("after that", n)
		s.Resize(t, 500, 400)
		n = wait("a display changed", n)
		still(n)
		w.Paint(t, red)
		wait("after that too", n)
		s.mu.Lock()
		watches := len(s.told)
		s.mu.Unlock()
		if watches != 1 {
			t.Errorf("%d watches at once", watches)
		}
	})
}

// TestSharpen: a watch that could not tell our own windows apart is begun anew before the next picture.
func TestSharpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := small()
		s.ownKnown = false
		d := begun(t, s)
		s.mu.Lock()
		s.ownKnown = true
		s.mu.Unlock()
		for range 3 {
			if _, err := d.Look(t.Context(), driver.Shot{}); err != nil {
				t.Fatal(err)
			}
		}
		if s.asked != 2 {
			t.Errorf("%d watches were begun, want 2", s.asked)
		}
	})
}

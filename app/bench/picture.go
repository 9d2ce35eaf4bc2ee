//go:build linux

package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"conch/app/internal/fixture"
	"conch/driver"
	"conch/driver/raster"
	"conch/driver/x11"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/gateway/computer"
	"conch/overlay"
	overlayx11 "conch/overlay/x11"
)

// shot is the picture that an answer of the computer tool carries, with the plain X window kept away.
func shot() driver.Shot {
	return driver.Shot{
		MaxW: computer.MaxEdge, MaxH: computer.MaxEdge, MaxArea: computer.MaxArea,
		Cover: func(w driver.Window) string {
			if w.Class == "Conchraw" {
				return "Kept away"
			}
			return ""
		},
	}
}

// scene is a Full HD desktop as people have it: text, buttons, gradients, a window that is kept away.
func scene(ctx context.Context, o xserver.Options) (s *xserver.Server, end func(), err error) {
	o.Width, o.Height, o.WindowManager, o.Bus, o.Background = 1920, 1080, "openbox", true, 0x6c7a89
	if s, err = xserver.Start(ctx, o); err != nil {
		return nil, nil, err
	}
	if err := wallpaper(s.Display(), o.Width, o.Height); err != nil {
		_ = s.Close()
		return nil, nil, err
	}
	var apps []*fixture.App
	end = func() {
		for _, a := range apps {
			_ = a.Close()
		}
		_ = s.Close()
	}
	for _, k := range []fixture.Kind{fixture.GTK, fixture.Qt, fixture.Raw} {
		a, err := fixture.Start(ctx, s, k, "Bench "+string(k))
		if err != nil {
			end()
			return nil, nil, err
		}
		apps = append(apps, a)
	}
	text := filepath.Join(s.Getenv("HOME"), "letter.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("The quick brown fox jumps over the lazy dog. 0123456789\n", 60)), 0o600); err != nil {
		end()
		return nil, nil, err
	}
	for _, c := range [][]string{{"mousepad", text}, {"galculator"}, {"pcmanfm", "/usr/share"}} {
		if _, err := s.Run(c[0], c[1:]...); err != nil {
			end()
			return nil, nil, err
		}
	}
	return s, end, nil
}

func benchPicture(ctx context.Context, r *report) error {
	if err := xserver.Have("scrot", "convert", "mousepad", "galculator", "pcmanfm"); err != nil {
		return err
	}
	s, end, err := scene(ctx, xserver.Options{})
	if err != nil {
		return err
	}
	defer end()
	d, err := x11.Open(ctx, x11.Options{Env: s.Env()})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	edge, err := light(ctx, s)
	if err != nil {
		return err
	}
	defer edge()
	if err := d.Begin(ctx); err != nil {
		return err
	}
	if err := quiet(ctx, d); err != nil {
		return err
	}
	floor, err := newFloor(s.Display(), 1920, 1080)
	if err != nil {
		return err
	}
	defer floor.close()
	var ours, bare, peers []float64
	largest := 0
	for i := range 40 {
		t, n, err := timed(func() (int, error) { return look(ctx, d, shot()) })
		if err != nil {
			return err
		}
		ours, largest = append(ours, t), max(largest, n)
		if t, _, err = timed(func() (int, error) { return floor.picture() }); err != nil {
			return err
		}
		bare = append(bare, t)
		if i%5 == 0 {
			if t, _, err = timed(func() (int, error) { return reference(s) }); err != nil {
				return err
			}
			peers = append(peers, t)
		}
	}
	n, err := hardest(ctx, s, d)
	if err != nil {
		return err
	}
	r.say("picture: ours %v, floor %v, reference %v", ours, bare, peers)
	r.figure("picture_ms", median(ours), "ms")
	r.figure("picture_vs_reference", median(peers)/median(ours), "times_faster")
	r.figure("picture_vs_floor", median(ours)/median(bare), "times_slower")
	r.figure("picture_bytes_max", float64(max(largest, n)), "bytes")
	return nil
}

// look is one picture as the tool makes it, up to the bytes that a model is sent.
func look(ctx context.Context, d driver.Driver, s driver.Shot) (int, error) {
	p, err := d.Look(ctx, s)
	if err != nil {
		return 0, err
	}
	_, data, err := raster.Encode(p.Pix)
	raster.Free(p.Pix)
	if err != nil {
		return 0, err
	}
	_ = base64.StdEncoding.EncodeToString(data)
	return len(data), nil
}

// reference is what peers do: a screenshot to a file, ImageMagick, base64 (claude-quickstarts, computer.py).
func reference(s *xserver.Server) (int, error) {
	file := filepath.Join(s.Getenv("HOME"), "shot.png")
	defer func() { _ = os.Remove(file) }()
	w, h := raster.Fit(1920, 1080, computer.MaxEdge, computer.MaxEdge, computer.MaxArea)
	for _, c := range []*exec.Cmd{
		s.Command("scrot", "-o", "-p", file),
		s.Command("convert", file, "-resize", fmt.Sprintf("%dx%d!", w, h), file),
	} {
		if out, err := c.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%v: %w: %s", c.Args, err, out)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	_ = base64.StdEncoding.EncodeToString(data)
	return len(data), nil
}

// hardest returns the bytes of the largest of several pictures that don't compress: noise over the screen.
func hardest(ctx context.Context, s *xserver.Server, d driver.Driver) (int, error) {
	p, err := xfixture.Start(s.Env())
	if err != nil {
		return 0, err
	}
	defer func() { _ = p.Close() }()
	largest := 0
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		for range 40 {
			_, err := p.Open(xfixture.Spec{
				X: rnd.IntN(1700), Y: rnd.IntN(900), W: 220, H: 180, Override: true, Checks: true,
				Color: rnd.Uint32N(1 << 24), Other: rnd.Uint32N(1 << 24), Class: "Noise",
			})
			if err != nil {
				return 0, err
			}
		}
		n, err := look(ctx, d, shot())
		if err != nil {
			return 0, err
		}
		largest = max(largest, n)
	}
	// The worst that any screen can show: every pixel its own colour.
	img := image.NewRGBA(image.Rect(0, 0, 1366, 768))
	for i := range img.Pix {
		img.Pix[i] = byte(rnd.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	_, data, err := raster.Encode(img)
	if err != nil {
		return 0, err
	}
	return max(largest, len(data)), nil
}

// light shows the edge and the card, as in a turn.
func light(ctx context.Context, s *xserver.Server) (func(), error) {
	p, err := overlayx11.Open(ctx, s.Display())
	if err != nil {
		return nil, err
	}
	o := overlay.New(overlay.Config{Painter: p, Keys: p, Stop: func(string) {}})
	if err := o.Light(ctx, "bench", "Measuring"); err != nil {
		_ = o.Close()
		return nil, err
	}
	return func() { _ = o.Close() }, nil
}

// quiet waits until the programs of the scene have finished drawing.
func quiet(ctx context.Context, d driver.Driver) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	seen := uint64(0)
	for {
		wait, stop := context.WithTimeout(ctx, 1500*time.Millisecond)
		now, err := d.Changed(wait, seen)
		stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return nil // nothing for a second and a half
		}
		seen = now
	}
}

func timed(f func() (int, error)) (milliseconds float64, n int, err error) {
	start := time.Now()
	n, err = f()
	return ms(time.Since(start)), n, err
}

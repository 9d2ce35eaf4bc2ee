//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"conch/app/internal/fixture"
	"conch/driver"
	"conch/driver/gesture"
	"conch/driver/x11"
	"conch/driver/x11/xserver"

	"github.com/rivo/uniseg"
)

// alphabets are what people write in; each grapheme of a text comes from one of them by chance.
var alphabets = []func(*rand.Rand) string{
	func(r *rand.Rand) string { return string(rune(' ' + r.IntN(95))) },
	pick("àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿąćęłńśźżčďěňřšťůžğışőű"),
	pick("абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФ"),
	func(r *rand.Rand) string { return string(rune(0x4e00 + r.IntN(0x9fa5-0x4e00))) },
	pickWord("👋 🌊 🐚 😀 🎉 ❤ ⭐ 👍🏽 👩‍💻 🇩🇪 🏳️‍🌈 🧜‍♀️"),
}

func pick(s string) func(*rand.Rand) string {
	rs := []rune(s)
	return func(r *rand.Rand) string { return string(rs[r.IntN(len(rs))]) }
}

func pickWord(s string) func(*rand.Rand) string {
	ws := strings.Fields(s)
	return func(r *rand.Rand) string { return ws[r.IntN(len(ws))] }
}

// graphemes is a random text of n graphemes, a new line every 80.
func graphemes(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		if i%80 == 79 {
			b.WriteByte('\n')
			continue
		}
		b.WriteString(alphabets[r.IntN(len(alphabets))](r))
	}
	return b.String()
}

// right counts the graphemes of want that got has at the same place; what follows a lost one is wrong too, as
// a reader would see it.
func right(got, want string) (same, all int) {
	g, w := cut(got), cut(want)
	for i := range w {
		if i < len(g) && g[i] == w[i] {
			same++
		}
	}
	return same, len(w)
}

func cut(s string) []string {
	var out []string
	for it := uniseg.NewGraphemes(s); it.Next(); {
		out = append(out, it.Str())
	}
	return out
}

func benchType(ctx context.Context, r *report) error {
	if err := xserver.Have("xdotool"); err != nil {
		return err
	}
	s, err := xserver.Start(ctx, xserver.Options{WindowManager: "openbox", Bus: true})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	d, err := x11.Open(ctx, x11.Options{Env: s.Env()})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	rnd := rand.New(rand.NewPCG(5, 6))
	same, all, perSecond, peer := 0, 0, 0.0, 0.0
	for _, kind := range []fixture.Kind{fixture.Raw, fixture.GTK} {
		a, err := fixture.Start(ctx, s, kind, "Bench typing")
		if err != nil {
			return err
		}
		n, m, speed, err := typeInto(ctx, d, a, graphemes(rnd, 5000))
		if err == nil && kind == fixture.GTK {
			perSecond = speed
			peer, err = xdotoolSpeed(ctx, r, s, a, rnd)
		}
		_ = a.Close()
		if err != nil {
			return err
		}
		r.say("typing into %s: %d of %d right, %.0f a second", kind, n, m, speed)
		same, all = same+n, all+m
	}
	r.figure("type_right_percent", 100*float64(same)/float64(all), "percent")
	r.figure("type_per_second", perSecond, "graphemes")
	r.figure("type_vs_xdotool", perSecond/peer, "times_faster")
	return nil
}

// typeInto types want and reads back what the application has. Its speed is up to the moment when the
// application has it all.
func typeInto(ctx context.Context, d driver.Driver, a *fixture.App, want string) (same, all int, perSecond float64, err error) {
	if err := a.Clear(ctx); err != nil {
		return 0, 0, 0, err
	}
	ws, err := d.Windows(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	w, _ := driver.Focused(ws)
	into := func(context.Context, *driver.ScreenPoint) (driver.Into, error) { return driver.IntoWindow(w.ID), nil }
	start := time.Now()
	if _, err := gesture.Type(ctx, d, want, into); err != nil {
		return 0, 0, 0, fmt.Errorf("type into %s: %w", a.Kind, err)
	}
	took := time.Since(start)
	got, err := settled(ctx, a, want)
	if err != nil {
		return 0, 0, 0, err
	}
	same, all = right(got, want)
	return same, all, float64(all) / took.Seconds(), nil
}

// settled reads the field until it has what is wanted, or no longer changes.
func settled(ctx context.Context, a *fixture.App, want string) (string, error) {
	last := ""
	for range 100 {
		got, err := a.Text(ctx)
		if err != nil || got == want {
			return got, err
		}
		if got == last && got != "" && len(got) >= len(want) {
			return got, nil
		}
		last = got
	}
	return last, nil
}

// xdotoolDelays are tried from the shortest; 12 ms is xdotool's own (xdotool(1), type).
var xdotoolDelays = []int{2, 6, 12, 25, 50}

const xdotoolUsual = 12

// xdotoolSpeed is how many graphemes a second xdotool types at the shortest delay at which it makes no mistake
// in 150 of them. Where it makes some at each, it is that of its usual delay, which flatters it.
func xdotoolSpeed(ctx context.Context, r *report, s *xserver.Server, a *fixture.App, rnd *rand.Rand) (float64, error) {
	usual := 0.0
	for _, delay := range xdotoolDelays {
		want := graphemes(rnd, 150)
		if err := a.Clear(ctx); err != nil {
			return 0, err
		}
		start := time.Now()
		if out, err := s.Command("xdotool", "type", "--delay", strconv.Itoa(delay), want).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("xdotool: %w: %s", err, out)
		}
		took := time.Since(start)
		got, err := settled(ctx, a, want)
		if err != nil {
			return 0, err
		}
		same, all := right(got, want)
		speed := float64(all) / took.Seconds()
		r.say("xdotool --delay %d: %d of %d right, %.0f a second", delay, same, all, speed)
		if same == all {
			return speed, nil
		}
		if delay == xdotoolUsual {
			usual = speed
		}
	}
	return usual, nil
}

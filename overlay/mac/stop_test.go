package mac

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestHeld(t *testing.T) {
	overlayKey := symbolic{escape, carbonCommand, true} // what macOS 26 has with the Game Overlay on
	off := symbolic{escape, carbonCommand, false}
	forceQuit := symbolic{escape, carbonCommand | carbonOption, true}
	both := []bool{true, true}
	for name, c := range map[string]struct {
		reach
		want   string
		second bool
		says   string // a part of it; "" nothing
	}{
		"free":                             {reach{both, nil, true}, "⌘⎋", false, ""},
		"free, no tap":                     {reach{both, nil, false}, "⌘⎋", false, ""},
		"Force Quit is another key":        {reach{both, []symbolic{forceQuit}, true}, "⌘⎋", false, ""},
		"Game Overlay switched off":        {reach{both, []symbolic{off, forceQuit}, true}, "⌘⎋", false, ""},
		"Game Overlay":                     {reach{both, []symbolic{forceQuit, overlayKey}, true}, "⌃⌘⎋", true, "Game Controllers"},
		"Game Overlay, no tap":             {reach{both, []symbolic{overlayKey}, false}, "⌃⌘⎋", true, "press ⌃⌘⎋"},
		"with more bits than modifiers":    {reach{both, []symbolic{{escape, carbonCommand | 1<<17, true}}, true}, "⌃⌘⎋", true, "macOS"},
		"another app":                      {reach{[]bool{false, true}, nil, true}, "⌃⌘⎋", true, "Another app"},
		"another app and the Game Overlay": {reach{[]bool{true, false}, []symbolic{overlayKey}, true}, "⌘⎋", false, "all the same"},
		"both taken, the tap hears":        {reach{[]bool{false, false}, nil, true}, "⌘⎋", false, "all the same"},
		"both macOS's own": {
			reach{both, []symbolic{overlayKey, {escape, carbonCommand | carbonControl, true}}, true},
			"⌘⎋", false, "all the same",
		},
		"nothing is left":     {reach{[]bool{false, false}, nil, false}, "", false, "card"},
		"nothing was tried":   {reach{}, "", false, "card"},
		"another key's clash": {reach{both, []symbolic{{49, carbonCommand, true}}, true}, "⌘⎋", false, ""},
	} {
		got := held(c.reach)
		if got.Key != c.want || got.Second != c.second {
			t.Errorf("%s: the key is %q (second %v), want %q (%v)", name, got.Key, got.Second, c.want, c.second)
		}
		if (got.Why == "") != (c.says == "") || !strings.Contains(got.Why, c.says) {
			t.Errorf("%s: it says %q, want something with %q", name, got.Why, c.says)
		}
	}
}

// TestHeldAlwaysTrue drives the decision with random states of a Mac. What it names works: the hot key is ours,
// or the tap hears it; a key that macOS opens something with is never named without a word; and where nothing
// works, it says so.
func TestHeldAlwaysTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	for range 20_000 {
		s := reach{tap: r.IntN(2) == 0}
		for range r.IntN(len(chords) + 1) {
			s.registered = append(s.registered, r.IntN(2) == 0)
		}
		for range r.IntN(6) {
			s.system = append(s.system, symbolic{
				[]uint32{escape, 49, 53, 12}[r.IntN(4)],
				[]uint32{carbonCommand, carbonCommand | carbonControl, carbonCommand | carbonOption, carbonShift, 0}[r.IntN(5)],
				r.IntN(2) == 0,
			})
		}
		got := held(s)
		if got.Key == "" {
			if got.Why == "" {
				t.Fatalf("%+v: no key and no word", s)
			}
			if s.tap || len(s.registered) > 0 && s.registered[0] {
				t.Fatalf("%+v: no key is named, though one works", s)
			}
			continue
		}
		named := -1
		for i, c := range chords {
			if c.name == got.Key {
				named = i
			}
		}
		if named < 0 {
			t.Fatalf("%+v: it names %q", s, got.Key)
		}
		works := s.tap || named < len(s.registered) && s.registered[named]
		if !works || got.Second != (named > 0) {
			t.Fatalf("%+v: it names %q (second %v), which doesn't work", s, got.Key, got.Second)
		}
		if s.taken(chords[named]) && got.Why == "" {
			t.Fatalf("%+v: %q is macOS's own too, and nobody is told", s, got.Key)
		}
	}
}

// TestChords: ⌥⌘⎋ is Force Quit, and no chord may be pressed by its keys.
func TestChords(t *testing.T) {
	const flagOption = 1 << 19
	if chords[0].name != "⌘⎋" || chords[1].name != "⌃⌘⎋" {
		t.Errorf("the Stop keys are %v", chords)
	}
	pairs := map[uint32]uint64{carbonCommand: flagCommand, carbonControl: flagControl, carbonOption: flagOption}
	for _, c := range chords {
		if c.carbon&carbonOption != 0 || c.flags&flagOption != 0 {
			t.Errorf("%s has ⌥ in it", c.name)
		}
		for carbon, flag := range pairs {
			if (c.carbon&carbon != 0) != (c.flags&flag != 0) {
				t.Errorf("%s is another chord for Carbon than for Core Graphics", c.name)
			}
		}
	}
}

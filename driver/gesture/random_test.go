package gesture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"conch/driver"
	"conch/driver/fake"
)

// Random gestures one after another, some of them cancelled, refused, or hit by a dialog, a lock or a hanging
// driver: after each, nothing that it pressed is held, and after a failure nothing at all.
func TestRandomGestures(t *testing.T) {
	names := []string{}
	for name := range all {
		names = append(names, name)
	}
	for seed := range uint64(150) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 5))
			d := fake.New(t, screen)
			mouseDown := false
			for step := range 25 {
				name := names[r.IntN(len(names))]
				ctx, cancel := context.WithCancel(t.Context())
				disturb := []string{"", "", "", "cancel", "refuse", "window 9 \"Surprise\" x 100,100 700x500 front", "unready locked", "hang key", "hang button", "fail move \"boom\"", "close 1"}[r.IntN(11)]
				at := time.Duration(r.IntN(int(300 * time.Millisecond)))
				var refused atomic.Bool
				timer := time.AfterFunc(at, func() {
					switch disturb {
					case "":
					case "cancel":
						cancel()
					case "refuse":
						refused.Store(true)
					default:
						if err := d.Apply(disturb); err != nil {
							t.Error(err)
						}
					}
				})
				limit, stop := context.WithTimeout(ctx, 10*time.Second)
				err := all[name](limit, d, anywhere(func(context.Context, *driver.ScreenPoint) error {
					if refused.Load() {
						return errors.New("refused")
					}
					return nil
				}))
				timer.Stop()
				synctest.Wait()
				switch {
				case err != nil:
					mouseDown = false
				case name == "mouse down":
					mouseDown = true
				case name == "mouse up", strings.Contains(name, "click"), name == "drag":
					mouseDown = false // they lift the same button
				}
				held := d.Held()
				if len(held) > 1 || len(held) == 1 && !mouseDown {
					t.Fatalf("seed %d, step %d: %s (%q after %v): %v, held %v", seed, step, name, disturb, at, err, held)
				}
				n := len(d.Events())
				time.Sleep(time.Second)
				if len(d.Events()) != n {
					t.Fatalf("seed %d, step %d: %s: events came after it had returned", seed, step, name)
				}
				stop()
				cancel()
				if err := d.Apply("ready\nfine key\nfine button\nfine move\nclose 9"); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Pieces are the text again, and are never cut inside a grapheme.
func FuzzCut(f *testing.F) {
	f.Add("hello", 3)
	f.Add(strings.Repeat("👨‍👩‍👧‍👦é", 80), 1)
	f.Add("a\u0301\u0302\r\n\u200d", 70)
	f.Fuzz(func(t *testing.T, s string, times int) {
		if !utf8.ValidString(s) || times < 0 || times > 200 || len(s)*times > 20_000 {
			t.Skip()
		}
		s = strings.Repeat(s, times)
		pieces, n := cut(s)
		var back strings.Builder
		sum := 0
		for i, p := range pieces {
			back.WriteString(p.text)
			sum += p.graphemes
			if p.graphemes < 1 || p.graphemes > pieceLength || i < len(pieces)-1 && p.graphemes != pieceLength {
				t.Fatalf("piece %d of %d has %d graphemes", i, len(pieces), p.graphemes)
			}
		}
		if back.String() != s || sum != n || n != uniseg.GraphemeClusterCount(s) {
			t.Fatalf("%q: %d pieces with %d graphemes of %d, %q", s, len(pieces), sum, n, back.String())
		}
	})
}

// A guard is asked before the first event and before each press, with the point that the event goes to.
func TestGuardIsAskedFirst(t *testing.T) {
	for name, do := range all {
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(t, screen)
			asked := -1 // how many events there were at the last question
			at := driver.ScreenPoint{}
			pressed := func(g []fake.Event) error {
				for _, e := range g {
					if e.Kind == fake.Pressed && e.Down && e.At != at {
						return fmt.Errorf("pressed at %v, asked about %v", e.At, at)
					}
				}
				return nil
			}
			err := do(t.Context(), d, anywhere(func(_ context.Context, p *driver.ScreenPoint) error {
				ev := d.Events()
				if asked < 0 && len(ev) > 0 {
					t.Errorf("%s: %v came before any question", name, ev)
				}
				if asked >= 0 {
					if err := pressed(ev[asked:]); err != nil {
						t.Errorf("%s: %v", name, err)
					}
					downs := 0
					for _, e := range ev[asked:] {
						if e.Down && e.Key.Mod() == 0 {
							downs++
						}
					}
					if downs > 1 {
						t.Errorf("%s: %d presses on one question", name, downs)
					}
				}
				asked = len(ev)
				if p != nil {
					at = *p
				}
				return nil
			}))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := pressed(d.Events()[asked:]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

package computer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/driver"
	"conch/driver/fake"
	"conch/driver/raster"
	"conch/gateway/tool"
)

// looks counts the pictures that are taken.
type looks struct {
	*fake.Driver
	n int
}

func (l *looks) Look(ctx context.Context, s driver.Shot) (*driver.Picture, error) {
	l.n++
	return l.Driver.Look(ctx, s)
}

func (r *rig) call(c tool.Call, args string) tool.Result {
	r.t.Helper()
	c.Chat, c.Turn, c.Args = "a", "a1", []byte(args)
	res := r.Run(context.Background(), c)
	if res.Failed || res.Text == "" {
		r.t.Fatalf("%s: %q", args, res.Text)
	}
	return res
}

func (r *rig) blindly(args string) tool.Result {
	r.t.Helper()
	return r.call(tool.Call{Blind: true}, args)
}

// fits says why a picture is more than can be taken; empty when it fits.
func fits(w, h int, l tool.Limits) string {
	tiles := 0
	if l.Tile > 0 {
		tiles = ((w + l.Tile - 1) / l.Tile) * ((h + l.Tile - 1) / l.Tile)
	}
	switch {
	case w < 1 || h < 1, max(w, h) > MaxEdge, w*h > MaxArea:
		return "it isn't a picture, or larger than any"
	case l.Edge > 0 && max(w, h) > l.Edge:
		return "an edge is too long"
	case l.Area > 0 && w*h > l.Area:
		return "there are too many pixels"
	case l.Tile > 0 && l.Tiles > 0 && tiles > l.Tiles:
		return fmt.Sprintf("there are %d tiles", tiles)
	}
	return ""
}

func someLimits(r *rand.Rand) (l tool.Limits) {
	if r.IntN(3) > 0 {
		l.Edge = 16 + r.IntN(2500)
	}
	if r.IntN(3) > 0 {
		l.Area = 256 + r.IntN(1_500_000)
	}
	if r.IntN(4) > 0 {
		l.Tile, l.Tiles = 1+r.IntN(64), 1+r.IntN(2500)
	}
	return l
}

// A screen of any shape fits any limits, as large as may be.
func TestLimitsOfAnyScreen(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 20_000 {
		w, h, l := 1+r.IntN(8000), 1+r.IntN(5000), someLimits(r)
		size := func(s driver.Shot) (int, int) { return raster.Fit(w, h, s.MaxW, s.MaxH, s.MaxArea) }
		shot := bounded(l)
		pw, ph := size(shot)
		if l.Tile > 0 {
			pw, ph = size(tiled(shot, l, w, h, 0))
		}
		if why := fits(pw, ph, l); why != "" {
			t.Fatalf("%dx%d for %+v is %dx%d: %s", w, h, l, pw, ph, why)
		}
		if long := max(pw, ph); long < max(w, h) && l.Tile > 0 {
			shot.MaxW, shot.MaxH = long+1, long+1
			if lw, lh := size(shot); max(lw, lh) > long && fits(lw, lh, l) == "" {
				t.Fatalf("%dx%d for %+v is %dx%d, and %dx%d would fit", w, h, l, pw, ph, lw, lh)
			}
		}
	}
}

// A model gets pictures that it takes as they are, of the whole screen and of parts, and its points go where they were aimed.
func TestPicturesFitTheModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	for range 25 {
		w, h, scale := 60+r.IntN(500), 60+r.IntN(400), []string{"", " @2", " @1.25", " @1.5"}[r.IntN(4)]
		l := someLimits(r)
		display := fmt.Sprintf("%dx%d%s at %d,%d", w, h, scale, r.IntN(500)-250, r.IntN(500)-250)
		rig := newRig(t, "-- screen --\ndisplay one "+display+" main\n", func(c *Config) { c.Quiet, c.First = time.Millisecond, time.Millisecond })
		what := fmt.Sprintf("%s for %+v", display, l)
		p := rig.call(tool.Call{Picture: l}, `{"action":"screenshot"}`).Picture
		checkPicture(t, what, p)
		if why := fits(p.W, p.H, l); why != "" {
			t.Errorf("%s is %dx%d: %s", what, p.W, p.H, why)
		}
		x0, y0 := r.IntN(p.W), r.IntN(p.H)
		region := fmt.Sprintf(`{"action":"zoom","region":[%d,%d,%d,%d]}`, x0, y0, x0+1+r.IntN(p.W-x0), y0+1+r.IntN(p.H-y0))
		z := rig.call(tool.Call{Picture: l}, region).Picture
		if why := fits(z.W, z.H, l); why != "" {
			t.Errorf("%s of %s is %dx%d: %s", region, what, z.W, z.H, why)
		}
		f := rig.session("a").frame
		for range 5 {
			at := driver.PicPoint{X: r.IntN(p.W), Y: r.IntN(p.H)}
			want, err := f.Place(at)
			if back, in := f.Pixel(want); err != nil || !in || back != at {
				t.Errorf("%s: %v is %v on the screen, and %v again: %v", what, at, want, back, err)
			}
			rig.d.Forget()
			rig.call(tool.Call{Picture: l, Blind: true}, click(at.X, at.Y))
			if got := rig.d.Events()[0].At; got != want {
				t.Errorf("%s: %v was clicked at %v, not %v", what, at, got, want)
			}
		}
	}
}

// A picture says that it shows what the one before it in its turn showed, and only then.
func TestSamePictures(t *testing.T) {
	const look, hop = `{"action":"screenshot"}`, `{"action":"mouse_move","coordinate":[150,150]}`
	r := newRig(t, desk)
	same := func(what string, res tool.Result, want bool) {
		t.Helper()
		if res.Picture == nil || res.Picture.Same != want {
			t.Errorf("%s: %+v", what, res.Picture)
		}
	}
	same("the first", r.must(look), false)
	first := r.must(look)
	same("again", first, true)
	same("nothing happened", r.must(`{"action":"cursor_position"}`), true)
	r.apply("repaint 1")
	same("repainted", r.must(look), false)
	same("repainted, again", r.must(look), true)
	same("a part", r.must(`{"action":"zoom","region":[100,100,300,200]}`), false)
	same("the whole after a part", r.must(look), false)
	same("smaller", r.call(tool.Call{Picture: tool.Limits{Edge: 640}}, look), false)
	same("smaller again", r.call(tool.Call{Picture: tool.Limits{Edge: 640}}, look), true)
	same("as large as before", r.must(look), false)
	if res := r.say(`{"action":"left_click","coordinate":[950,150]}`); !res.Failed {
		t.Error("clicked in what is kept away")
	}
	same("after a refusal", r.must(look), true)
	r.blindly(hop)
	r.apply("repaint 1")
	same("after a step that nobody looked at", r.must(look), false)
	r.EndTurn("a1")
	same("another turn", r.in(context.Background(), "a", "a2", look), false)
	r.EndTurn("a2")
	r.clean()
}

// A step that nobody looks at is done as any other, and no picture is made of it.
func TestBlindSteps(t *testing.T) {
	var seen *looks
	r := newRig(t, desk, func(c *Config) {
		seen = &looks{Driver: c.Driver.(*fake.Driver)}
		c.Driver = seen
	})
	encoded := 0
	to := r.pixels.to
	r.pixels.to = func(p *driver.Picture) (tool.Picture, error) { encoded++; return to(p) }
	for _, args := range []string{`{"action":"find","text":"save"}`, `{"action":"cursor_position"}`} {
		if res := newRig(t, desk).blindly(args); res.Picture == nil {
			t.Errorf("%s, before any other: %q without a picture, which its point is in", args, res.Text)
		}
	}
	found := r.must(`{"action":"find","text":"save"}`)
	taken, made := seen.n, encoded
	for args, want := range map[string]string{
		`{"action":"screenshot"}`:                         "No picture was asked for.",
		click(200, 200):                                   "Clicked in Mousepad.",
		`{"action":"type","text":"a"}`:                    "Typed 1 character in Mousepad.",
		`{"action":"wait","duration":0.01}`:               "Waited",
		`{"action":"zoom","region":[100,100,300,200]}`:    "No picture was asked for.",
		`{"action":"find","text":"save"}`:                 "Found button “Save” at 160,372.",
		`{"action":"list_apps"}`:                          "Calculator",
		`{"action":"mouse_move","coordinate":[160,170]}`:  "",
		`{"action":"open_app","text":"Mousepad"}`:         "",
		`{"action":"cursor_position"}`:                    "The pointer is at ",
		`{"action":"left_click","coordinate":[200,210]}`:  "Clicked in Mousepad.",
		`{"action":"key","text":"ctrl+a"}`:                "Mousepad",
		`{"action":"scroll","scroll_direction":"down"}`:   "",
		`{"action":"hold_key","text":"a","duration":0.1}`: "",
	} {
		if res := r.blindly(args); res.Picture != nil || !strings.Contains(res.Text, want) {
			t.Errorf("%s: %q, picture %v", args, res.Text, res.Picture != nil)
		}
	}
	if seen.n != taken || encoded != made {
		t.Errorf("%d pictures were taken and %d encoded that nobody looks at", seen.n-taken, encoded-made)
	}
	if res := r.call(tool.Call{Blind: true}, `{"action":"find","text":"save"}`); string(res.Data) != string(found.Data) {
		t.Errorf("found %s, and %s in the picture", res.Data, found.Data)
	}
	if res := r.Run(context.Background(), tool.Call{Chat: "a", Turn: "a1", Blind: true, Args: []byte(click(950, 150))}); !res.Failed || !strings.Contains(res.Text, "password manager") {
		t.Errorf("in what is kept away: %s", res.Text)
	}
	if n := r.landed(3); n > 0 {
		t.Errorf("%d events in what is kept away", n)
	}
	r.EndTurn("a1")
	r.clean()
}

// The next step finds the screen still, and the next picture waits for what opened since the last one.
func TestBlindStepsSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := func(c *Config) { c.Quiet, c.First, c.Cap = Quiet, First, Cap }
		r := newRig(t, desk+"-- after click save --\ndraws 1 150ms\n", cfg)
		r.must(`{"action":"screenshot"}`)
		begun := time.Now()
		r.blindly(click(160, 372))
		if took := time.Since(begun); took < 150*time.Millisecond {
			t.Errorf("answered after %v, while the screen changed", took)
		}
		r = newRig(t, desk+"-- after click save --\ndraws 1 10s\n", cfg)
		r.must(`{"action":"screenshot"}`)
		if res := r.blindly(click(160, 372)); !strings.Contains(res.Text, stillChanging) {
			t.Errorf("%s", res.Text)
		}
		r = newRig(t, desk+"-- after click save --\nwindow 8 \"Save as\" org.xfce.mousepad 150,150 200x100 front\n")
		r.must(`{"action":"screenshot"}`)
		begun = time.Now()
		r.blindly(click(160, 372))
		r.blindly(`{"action":"mouse_move","coordinate":[160,170]}`)
		if took := time.Since(begun); took >= Dry {
			t.Errorf("two steps that nobody looks at took %v", took)
		}
		r.must(`{"action":"screenshot"}`)
		if took := time.Since(begun); took < Dry {
			t.Errorf("a picture after %v, which a new window may not be whole in", took)
		}
		r.must(`{"action":"screenshot"}`)
	})
}

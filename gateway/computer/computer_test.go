package computer

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"strings"
	"testing"

	"conch/driver"
	"conch/driver/raster"
	"conch/gateway/ask"
	"conch/gateway/guard"
	"conch/gateway/tool"
)

// Every action does what it says, with the sentences of the golden file.
func TestActions(t *testing.T) {
	r := newRig(t, desk)
	var b strings.Builder
	for _, c := range []string{
		`{"action":"screenshot"}`,
		`{"action":"left_click","coordinate":[200,200]}`,
		`{"action":"right_click","coordinate":"210,200"}`,
		`{"action":"middle_click","coordinate":{"x":220,"y":200}}`,
		`{"action":"double_click","coordinate":[200,210]}`,
		`{"action":"triple_click","coordinate":[200,210]}`,
		`{"action":"left_click","text":"ctrl+shift"}`,
		`{"action":"mouse_move","coordinate":[300,300]}`,
		`{"action":"cursor_position"}`,
		`{"action":"left_click_drag","start_coordinate":[150,200],"coordinate":[600,250]}`,
		`{"action":"left_click","coordinate":[200,200]}`,
		`{"action":"left_mouse_down","coordinate":[200,200]}`,
		`{"action":"mouse_move","coordinate":[260,240]}`,
		`{"action":"left_mouse_up"}`,
		`{"action":"type","text":"héllo, мир 👋"}`,
		`{"action":"type","text":"x"}`,
		`{"action":"key","text":"ctrl+a"}`,
		`{"action":"key","text":"a","repeat":3}`,
		`{"action":"key","text":"Tab Tab Return"}`,
		`{"action":"hold_key","text":"shift","duration":0.01}`,
		`{"action":"scroll","scroll_direction":"down","coordinate":[200,200]}`,
		`{"action":"scroll","scroll_direction":"left","scroll_amount":5,"text":"ctrl"}`,
		`{"action":"wait","duration":0.01}`,
		`{"action":"zoom","region":[100,100,300,200]}`,
		`{"action":"open_app","text":"calculator"}`,
		`{"action":"open_app","text":"org.xfce.mousepad"}`,
		`{"action":"list_apps"}`,
		`{"action":"list_apps","text":"mouse"}`,
		`{"action":"list_apps","text":"no such app"}`,
		`{"action":"find","text":"save"}`,
		`{"action":"find","text":"nothing like that"}`,
	} {
		r.d.Forget()
		res := r.say(c)
		fmt.Fprintf(&b, "> %s\n%s\n", c, res.Text)
		if res.Failed {
			t.Errorf("%s: %s", c, res.Text)
			continue
		}
		if res.Data != nil {
			fmt.Fprintf(&b, "data %s\n", res.Data)
		}
		for _, e := range r.events() {
			fmt.Fprintf(&b, "  %s\n", e)
		}
		checkPicture(t, c, res.Picture)
	}
	b.WriteString("\nsteps\n" + strings.Join(r.edge.steps, "\n") + "\n")
	golden(t, "testdata/actions.golden", b.String())
	if got := r.p.questions(); got != 2 {
		t.Errorf("%d questions, want one for each app", got)
	}
	r.EndTurn("a1")
	r.clean()
}

func checkPicture(t *testing.T, what string, p *tool.Picture) {
	t.Helper()
	cfg, _, err := image.DecodeConfig(bytes.NewReader(p.Data))
	if err != nil || cfg.Width != p.W || cfg.Height != p.H {
		t.Errorf("%s: %v, a picture of %dx%d says it is %dx%d", what, err, cfg.Width, cfg.Height, p.W, p.H)
	}
	if p.W*p.H > MaxArea || max(p.W, p.H) > MaxEdge || len(p.Data) > raster.MaxBytes {
		t.Errorf("%s: %dx%d in %d bytes", what, p.W, p.H, len(p.Data))
	}
}

// Displays of every shape give a picture within the limits, and a click lands where it was aimed.
func TestDisplays(t *testing.T) {
	for _, display := range []string{
		"800x600", "1280x800", "1920x1080", "3440x1440", "5120x2880", "7680x4320", "1080x1920", "4000x100", "1440x900 @2", "1512x982 @2 at -1512,40",
		"1920x1080 @1.25 at 1920,-300", "1366x768 @1.5",
	} {
		t.Run(display, func(t *testing.T) {
			if testing.Short() && strings.Contains(display, "4320") {
				t.Skip("a picture of 33 million pixels takes long")
			}
			r := newRig(t, "-- screen --\ndisplay one "+display+" main\n")
			res := r.must(`{"action":"screenshot"}`)
			checkPicture(t, display, res.Picture)
			k := r.session("a")
			at, in := k.frame.Pixel(driver.ScreenPoint{X: k.frame.Area.X + k.frame.Area.W/3, Y: k.frame.Area.Y + k.frame.Area.H/2})
			if !in {
				t.Fatal("the middle isn't in the picture")
			}
			r.d.Forget()
			r.must(click(at.X, at.Y))
			want, _ := k.frame.Place(at)
			if got := r.d.Events()[0].At; got != want {
				t.Errorf("clicked at %v, want %v", got, want)
			}
			res = r.say(click(res.Picture.W, 0))
			if !res.Failed || !strings.Contains(res.Text, "outside the picture") {
				t.Errorf("a point outside: %s", res.Text)
			}
		})
	}
}

func TestOffUnattendedAndModes(t *testing.T) {
	for _, c := range []struct {
		name, say string
		change    func(*person)
	}{
		{"off", "is off", func(p *person) { p.on = false }},
		{"unattended", "press Stop", func(p *person) { p.away = true }},
		{"no mode", "can't tell", func(p *person) { p.mode = guard.ModeUnknown }},
		{"no taint", "couldn't note", func(p *person) { p.taintErr = errNo }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, desk)
			c.change(r.p)
			for _, args := range []string{`{"action":"screenshot"}`, `{"action":"open_app","text":"Mousepad"}`, `{"action":"key","text":"a"}`} {
				if res := r.say(args); !res.Failed || !strings.Contains(res.Text, c.say) {
					t.Errorf("%s: %v %s", args, res.Failed, res.Text)
				}
			}
			if len(r.d.Events()) > 0 || !r.edge.dark() {
				t.Errorf("events %v", r.events())
			}
			r.EndTurn("a1")
			r.clean()
		})
	}
	t.Run("nothing is there", func(t *testing.T) {
		for _, cfg := range []Config{{}, {Driver: newRig(t, desk).d}} {
			if res := New(cfg).Run(context.Background(), tool.Call{Chat: "a", Turn: "t", Args: []byte(`{"action":"screenshot"}`)}); !res.Failed {
				t.Errorf("%s", res.Text)
			}
		}
	})
	t.Run("plan looks and does nothing", func(t *testing.T) {
		r := newRig(t, desk)
		r.p.mode = guard.Plan
		r.must(`{"action":"screenshot"}`)
		for _, args := range []string{click(200, 200), `{"action":"type","text":"x"}`, `{"action":"open_app","text":"Mousepad"}`, `{"action":"mouse_move","coordinate":[5,5]}`} {
			if res := r.say(args); !res.Failed || !strings.Contains(res.Text, "only plans") {
				t.Errorf("%s: %s", args, res.Text)
			}
		}
		if len(r.d.Events()) > 0 {
			t.Errorf("events %v", r.events())
		}
	})
}

func TestEdgeIsRequired(t *testing.T) {
	r := newRig(t, desk)
	r.edge.err = errNo
	if res := r.say(`{"action":"screenshot"}`); !res.Failed || !strings.Contains(res.Text, "can't show that it uses the computer") {
		t.Errorf("looked without an edge: %s", res.Text)
	}
	r = newRig(t, desk, func(c *Config) { c.Edge = nil })
	if res := r.say(`{"action":"screenshot"}`); !res.Failed {
		t.Error("looked without an edge")
	}
	r = newRig(t, desk, func(c *Config) { c.Edge, c.EdgeRequired = nil, false })
	r.must(`{"action":"screenshot"}`)
	r.EndTurn("a1")
	r.clean()
}

func TestQuestions(t *testing.T) {
	t.Run("no", func(t *testing.T) {
		r := newRig(t, desk)
		r.p.answers = never
		r.must(`{"action":"screenshot"}`)
		for range 2 { // a no is not kept: the next try asks again
			if res := r.say(click(200, 200)); !res.Failed || !strings.Contains(res.Text, "didn't allow using Mousepad") {
				t.Errorf("%s", res.Text)
			}
		}
		if r.p.questions() != 2 || len(r.d.Events()) > 0 {
			t.Errorf("%d questions, events %v", r.p.questions(), r.events())
		}
	})
	t.Run("once is for this chat and this app", func(t *testing.T) {
		r := newRig(t, desk)
		r.must(`{"action":"screenshot"}`)
		r.must(click(200, 200))
		r.must(`{"action":"type","text":"x"}`)
		r.EndTurn("a1")
		r.in(context.Background(), "a", "a2", click(200, 200))
		if r.p.questions() != 1 {
			t.Errorf("%d questions", r.p.questions())
		}
		q := r.p.asked[0]
		if q.Title != "Use Mousepad on your computer?" || q.App != "Mousepad" || q.Why == "" || !q.Always || q.Chat != "a" || q.Turn != "a1" {
			t.Errorf("%+v", q)
		}
		r.in(context.Background(), "a", "a2", click(600, 200))
		r.EndTurn("a2")
		r.in(context.Background(), "b", "b1", `{"action":"screenshot"}`)
		r.in(context.Background(), "b", "b1", click(200, 200))
		if r.p.questions() != 3 {
			t.Errorf("%d questions", r.p.questions())
		}
	})
	t.Run("always is for every chat, until it reads", func(t *testing.T) {
		r := newRig(t, desk)
		r.p.answers = always
		r.must(`{"action":"screenshot"}`)
		r.must(click(200, 200))
		r.EndTurn("a1")
		r.p.answers = never
		in := func(args string) tool.Result { return r.in(context.Background(), "b", "b1", args) }
		in(`{"action":"screenshot"}`)
		if res := in(click(200, 200)); res.Failed || r.p.questions() != 1 {
			t.Errorf("asked again: %s", res.Text)
		}
		r.p.do(func() { r.p.read = true })
		if res := in(click(200, 200)); !res.Failed || r.p.questions() != 2 {
			t.Errorf("not asked after reading: %s", res.Text)
		}
		if q := r.p.asked[1]; q.Always || !strings.Contains(q.Why, "read something from outside") {
			t.Errorf("%+v", q)
		}
		r.p.do(func() { r.p.answers = once })
		in(click(200, 200))
		if res := in(click(200, 200)); res.Failed || r.p.questions() != 3 {
			t.Errorf("asked more than once after reading: %d, %s", r.p.questions(), res.Text)
		}
	})
	t.Run("a yes from before reading is asked again", func(t *testing.T) {
		for _, mode := range []guard.Mode{guard.AskFirst, guard.Auto, guard.FullTrust} {
			r := newRig(t, desk)
			r.p.mode = mode
			r.must(`{"action":"screenshot"}`)
			r.must(click(200, 200))
			before := r.p.questions()
			if (mode == guard.FullTrust) != (before == 0) {
				t.Errorf("mode %d asked %d times", mode, before)
			}
			r.p.do(func() { r.p.read = true })
			r.must(click(200, 200))
			if r.p.questions() != before+1 {
				t.Errorf("mode %d didn't ask after reading", mode)
			}
		}
	})
	t.Run("what was read while the person was thinking isn't covered", func(t *testing.T) {
		r := newRig(t, desk)
		n := 0
		r.p.answers = func(ask.Question) ask.Choice {
			n++
			r.p.do(func() { r.p.read = true })
			return ask.Once
		}
		r.must(`{"action":"screenshot"}`)
		r.must(click(200, 200))
		if n != 2 {
			t.Errorf("%d questions, want a second one", n)
		}
	})
	t.Run("a drag asks for both apps", func(t *testing.T) {
		r := newRig(t, desk)
		r.must(`{"action":"screenshot"}`)
		r.must(`{"action":"left_click_drag","start_coordinate":[200,200],"coordinate":[600,250]}`)
		if r.p.questions() != 2 {
			t.Errorf("%d questions", r.p.questions())
		}
	})
}

// A window that comes to the front between the question and the click is not clicked.
func TestWindowComesInBetween(t *testing.T) {
	for _, c := range []struct{ name, change, say string }{
		{"kept away", "move 3 100,100 500x500\nfront 3", "password manager"},
		{"another app", "move 2 100,100 500x500\nfront 2", ""},
		{"off", "", "is off"},
		{"the display", "display main 1024x768", "Look again first"},
	} {
		for _, args := range []string{click(200, 200), `{"action":"left_click_drag","start_coordinate":[200,200],"coordinate":[300,300]}`} {
			t.Run(c.name, func(t *testing.T) {
				r := newRig(t, desk)
				r.must(`{"action":"screenshot"}`)
				asked := 0
				r.p.answers = func(q ask.Question) ask.Choice {
					asked++
					if asked > 1 { // the other app is asked about in its turn
						return ask.No
					}
					if c.change == "" {
						r.p.do(func() { r.p.on = false })
					} else {
						r.apply(c.change)
					}
					return ask.Once
				}
				res := r.say(args)
				if !res.Failed || !strings.Contains(res.Text, c.say) {
					t.Errorf("%v %s", res.Failed, res.Text)
				}
				if len(r.d.Events()) > 0 {
					t.Errorf("events %v", r.events())
				}
			})
		}
	}
}

// The switch, read again at each step, stops a turn that was under way.
func TestOffMidTurn(t *testing.T) {
	r := newRig(t, desk)
	r.must(`{"action":"screenshot"}`)
	r.must(click(200, 200))
	r.p.do(func() { r.p.on = false })
	r.d.Forget()
	for _, args := range []string{click(200, 200), `{"action":"screenshot"}`} {
		if res := r.say(args); !res.Failed || !strings.Contains(res.Text, "is off") {
			t.Errorf("%s", res.Text)
		}
	}
	if len(r.d.Events()) > 0 {
		t.Errorf("events %v", r.events())
	}
}

func TestSteps(t *testing.T) {
	r := newRig(t, desk, func(c *Config) { c.Steps = 5 })
	r.must(`{"action":"screenshot"}`)
	r.say(`{"action":"key","text":"super+Escape"}`) // refused
	r.say(`{"action":"nonsense"}`)                  // unreadable
	r.say(click(1000, 200))                         // kept away
	r.must(`{"action":"screenshot"}`)
	for range 2 {
		if res := r.say(`{"action":"screenshot"}`); !res.Failed || !strings.Contains(res.Text, "all 5 steps") {
			t.Errorf("%s", res.Text)
		}
	}
	if l, ok := r.Live("a"); !ok || l.Max != 5 {
		t.Errorf("%+v %v", l, ok)
	}
	r.EndTurn("a1")
	if res := r.in(context.Background(), "a", "a2", `{"action":"screenshot"}`); res.Failed {
		t.Errorf("the next turn: %s", res.Text)
	}
}

func TestStale(t *testing.T) {
	r := newRig(t, desk)
	if res := r.say(click(200, 200)); !res.Failed || !strings.Contains(res.Text, "screenshot first") {
		t.Errorf("clicked without a picture: %s", res.Text)
	}
	r.must(`{"action":"screenshot"}`)
	r.apply("display main 1024x768")
	for _, args := range []string{click(200, 200), `{"action":"zoom","region":[0,0,50,50]}`} {
		if res := r.say(args); !res.Failed || !strings.Contains(res.Text, "Look again first") {
			t.Errorf("%s: %s", args, res.Text)
		}
	}
	if len(r.d.Events()) > 0 {
		t.Errorf("events %v", r.events())
	}
	if res := r.must(`{"action":"screenshot"}`); !strings.Contains(res.Text, "1024 by 768") {
		t.Errorf("%s", res.Text)
	}
	r.must(click(200, 200))
}

// A zoom is in the screen's own pixels, and the points that follow are still those of the whole picture.
func TestZoomKeepsPoints(t *testing.T) {
	r := newRig(t, strings.Replace(desk, "1280x800", "2560x1600", 1))
	full := r.must(`{"action":"screenshot"}`)
	z := r.must(`{"action":"zoom","region":[50,50,150,150]}`)
	if z.Picture.W < 190 || z.Picture.W > 200 { // 100 pixels of the picture are 197 of the screen
		t.Errorf("a zoom of 100 in %d is %d wide", full.Picture.W, z.Picture.W)
	}
	r.d.Forget()
	r.must(click(150, 150))
	if at := r.d.Events()[0].At; at.X < 290 || at.X > 300 {
		t.Errorf("clicked at %v", at)
	}
}

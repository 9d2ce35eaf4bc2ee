package computer

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/fake"
	"conch/driver/raster"
	"conch/gateway/ask"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
)

// mail is a desktop with a message being written, a question, a sign-in page, and an app that names nothing.
const mail = `
-- screen --
display main 1280x800
window 1 "Write: Hello - Thunderbird" org.mozilla.Thunderbird 100,100 400x300 name "Thunderbird" front { field to 120,140 200x24 label "To"; field body 120,170 360x100 label "Body" lines focused; button send "Send" 120,360 80x24; button reply "Reply" 220,360 80x24; control link long "How banks send money abroad, and what it costs you" 120,280 300x20; control row mail "Please send the invoice before you delete it" 120,300 300x20; button icon "" 320,360 24x24 }
window 2 "Sure?" org.example.Files 600,100 300x200 name "Files" role dialog { field name 620,140 100x24 label "Name"; button keep "Keep" 620,240 80x24; button gone "Delete" 720,240 80x24 default }
window 3 "Sign in" org.example.Shop 600,400 300x200 name "Shop" { field user 620,440 200x24 label "User"; field pass 620,480 200x24 label "Password" secure; button in "Log in" 620,520 80x24 }
window 4 "Old" org.example.Old 100,500 300x200 name "Old" role normal
`

func (r *rig) titles() []string {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	var out []string
	for _, q := range r.p.asked {
		out = append(out, q.Title)
	}
	return out
}

// refused does a step that must be refused without any input.
func (r *rig) refused(args, say string) {
	r.t.Helper()
	r.d.Forget()
	if res := r.say(args); !res.Failed || !strings.Contains(res.Text, say) {
		r.t.Errorf("%s: %v %s; want %q", args, res.Failed, res.Text, say)
	}
	for _, e := range r.d.Events() {
		if e.Kind != fake.Moved {
			r.t.Errorf("%s: sent %v", args, e)
		}
	}
}

func TestHighStakesAsk(t *testing.T) {
	const send = "Press “Send” in Thunderbird?"
	t.Run("each time, in every mode", func(t *testing.T) {
		for _, mode := range []guard.Mode{guard.AskFirst, guard.Auto, guard.FullTrust} {
			for _, read := range []bool{false, true} {
				r := newRig(t, mail)
				r.p.mode, r.p.read = mode, read
				r.must(`{"action":"screenshot"}`)
				r.must(click(130, 370))
				r.must(click(130, 370))
				want := []string{"Use Thunderbird on your computer?", send, send}
				if mode == guard.FullTrust && !read {
					want = nil
				}
				if got := r.titles(); strings.Join(got, "|") != strings.Join(want, "|") {
					t.Errorf("mode %v, read %v: asked %q, want %q", mode, read, got, want)
				}
				for _, q := range r.p.asked[min(1, len(r.p.asked)):] {
					if q.Always || q.App != "Thunderbird" || q.Why == "" {
						t.Errorf("the question %+v", q)
					}
				}
				if n := r.d.Clicked("send"); n != 2 {
					t.Errorf("%d clicks", n)
				}
			}
		}
	})
	t.Run("no is no", func(t *testing.T) {
		r := newRig(t, mail)
		r.p.answers = func(q ask.Question) ask.Choice {
			if q.Title == send {
				return ask.No
			}
			return ask.Always
		}
		r.must(`{"action":"screenshot"}`)
		for _, args := range []string{
			click(130, 370), `{"action":"double_click","coordinate":[130,370]}`, `{"action":"right_click","coordinate":[130,370]}`,
			`{"action":"left_mouse_down","coordinate":[130,370]}`, `{"action":"middle_click","coordinate":[130,370]}`,
		} {
			r.refused(args, "didn't allow pressing “Send” in Thunderbird")
		}
		if res := r.say(`{"action":"left_click_drag","start_coordinate":[300,200],"coordinate":[130,370]}`); !res.Failed || !strings.Contains(res.Text, "“Send”") || r.d.Clicked("send") > 0 {
			t.Errorf("a drag that ends on it: %s", res.Text)
		}
	})
	t.Run("what is no button doesn't ask", func(t *testing.T) {
		r := newRig(t, mail)
		r.must(`{"action":"screenshot"}`)
		for _, args := range []string{click(230, 370), click(130, 290), click(130, 310), click(200, 200), `{"action":"mouse_move","coordinate":[130,370]}`, `{"action":"scroll","scroll_direction":"down","coordinate":[130,370]}`} {
			r.must(args)
		}
		if got := r.titles(); len(got) != 1 {
			t.Errorf("asked %q", got)
		}
	})
	t.Run("down and up are one press", func(t *testing.T) {
		r := newRig(t, mail)
		r.must(`{"action":"screenshot"}`)
		r.must(`{"action":"left_mouse_down","coordinate":[130,370]}`)
		r.must(`{"action":"left_mouse_up"}`)
		r.must(`{"action":"left_mouse_down","coordinate":[230,370]}`)
		r.p.answers = never
		if res := r.say(`{"action":"left_mouse_up","coordinate":[130,370]}`); !res.Failed {
			t.Errorf("lifted over another one: %s", res.Text)
		}
		if got := strings.Join(r.titles(), "|"); got != "Use Thunderbird on your computer?|"+send+"|"+send {
			t.Errorf("asked %q", got)
		}
	})
	t.Run("keys", func(t *testing.T) {
		r := newRig(t, mail)
		r.p.allowed["org.example.Files"], r.p.allowed["org.mozilla.Thunderbird"] = true, true
		r.p.answers = never
		r.must(`{"action":"screenshot"}`)
		r.must(`{"action":"type","text":"two\nlines"}`) // Return in a text of several lines begins a new one
		r.apply("front 2\nkeys name")
		r.refused(`{"action":"key","text":"Return"}`, "“Delete”")
		r.refused(`{"action":"key","text":"KP_Enter"}`, "“Delete”")
		r.refused(`{"action":"hold_key","text":"Return","duration":0.1}`, "“Delete”")
		r.must(`{"action":"key","text":"space"}`)
		if res := r.say(`{"action":"type","text":"a name\n"}`); !res.Failed || r.d.Value("name") != " a name" && !strings.HasSuffix(r.d.Value("name"), "a name") {
			t.Errorf("%s, %q", res.Text, r.d.Value("name"))
		}
		r.apply("keys gone")
		r.refused(`{"action":"key","text":"space"}`, "“Delete”")
		r.refused(`{"action":"type","text":" "}`, "“Delete”")
		r.apply("keys keep")
		r.must(`{"action":"key","text":"Return"}`)
		if r.d.Clicked("keep") != 1 || r.d.Clicked("gone") != 0 {
			t.Errorf("kept %d, deleted %d", r.d.Clicked("keep"), r.d.Clicked("gone"))
		}
		r.p.answers = once
		before := r.p.questions()
		r.apply("keys name")
		r.must(`{"action":"key","text":"Return","repeat":3}`)
		if r.d.Clicked("gone") != 3 || r.p.questions()-before != 3 {
			t.Errorf("deleted %d, asked %d times", r.d.Clicked("gone"), r.p.questions()-before)
		}
	})
	t.Run("keys that move on to it", func(t *testing.T) {
		r := newRig(t, mail+"-- after key Tab --\nkeys gone\n")
		r.p.allowed["org.example.Files"] = true
		r.apply("front 2\nkeys name")
		r.p.answers = never
		r.must(`{"action":"screenshot"}`)
		if res := r.say(`{"action":"key","text":"Tab space"}`); !res.Failed || !strings.Contains(res.Text, "“Delete”") || r.d.Clicked("gone") > 0 {
			t.Errorf("%s", res.Text)
		}
	})
}

func TestNamesThatChange(t *testing.T) {
	for name, c := range map[string]struct {
		script, args, say string
		clicked           int
	}{
		"renamed while asking":    {`label send "Delete everything"`, click(130, 370), "changed", 0},
		"harmless while asking":   {`label send "Reply"`, click(130, 370), "changed", 0},
		"gone while asking":       {`close 1`, click(130, 370), "in between", 0},
		"another one in its spot": {"window 1 \"Write: Hello - Thunderbird\" org.mozilla.Thunderbird 100,100 400x300 name \"Thunderbird\" { button pay \"Pay now\" 120,360 80x24 }", click(130, 370), "changed", 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, mail)
			r.p.answers = func(q ask.Question) ask.Choice {
				if strings.HasPrefix(q.Title, "Press") {
					r.apply(c.script)
				}
				return ask.Once
			}
			r.must(`{"action":"screenshot"}`)
			r.refused(c.args, c.say)
			if r.d.Clicked("send")+r.d.Clicked("pay") != c.clicked {
				t.Error("pressed")
			}
		})
	}
	t.Run("harmless until the pointer is there", func(t *testing.T) {
		r := newRig(t, mail)
		r.must(`{"action":"screenshot"}`)
		d := &onMove{Driver: r.d, then: func() { r.apply(`label reply "Send to all"`) }}
		r.drv.Driver = d
		if res := r.say(click(230, 370)); !res.Failed || !strings.Contains(res.Text, "changed") || r.d.Clicked("reply") > 0 {
			t.Errorf("%s", res.Text)
		}
	})
}

// onMove does something once the pointer has moved.
type onMove struct {
	driver.Driver
	then func()
}

func (d *onMove) Move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	err := d.Driver.Move(ctx, p, into)
	d.then()
	return err
}

func TestPasswordFields(t *testing.T) {
	r := newRig(t, mail)
	r.p.mode = guard.FullTrust
	r.apply("front 3\nkeys pass")
	res := r.must(`{"action":"screenshot"}`)
	img, _, err := image.Decode(bytes.NewReader(res.Picture.Data))
	if err != nil {
		t.Fatal(err)
	}
	fill := color.RGBAModel.Convert(img.At(800, 500)).(color.RGBA)
	if fill != raster.CoverFill {
		t.Errorf("the password field shows %v", fill)
	}
	if got := color.RGBAModel.Convert(img.At(800, 460)).(color.RGBA); got == raster.CoverFill {
		t.Error("the field beside it is covered as well")
	}
	for _, args := range []string{`{"action":"type","text":"hunter2"}`, `{"action":"key","text":"a"}`, `{"action":"key","text":"ctrl+v"}`, `{"action":"hold_key","text":"a","duration":0.1}`} {
		r.refused(args, "password field")
	}
	r.must(click(700, 490)) // the person may type there
	r.must(click(700, 450))
	r.must(`{"action":"type","text":"anna"}`)
	r.apply("keys pass")
	r.refused(`{"action":"type","text":"x"}`, "password field")
	if r.d.Value("pass") != "" || r.d.Value("user") != "anna" {
		t.Errorf("%q, %q", r.d.Value("pass"), r.d.Value("user"))
	}
	t.Run("that gets the keys while typing", func(t *testing.T) {
		for _, script := range []string{"after type user \"ann\"", "after type user \"\t\""} {
			r := newRig(t, mail+"-- "+strings.ReplaceAll(script, "\t", `\t`)+" --\nkeys pass\n")
			r.p.mode = guard.FullTrust
			r.apply("front 3\nkeys user")
			r.must(`{"action":"screenshot"}`)
			long := strings.Repeat("hunter2 ", 30)
			res := r.say(`{"action":"type","text":"anna\t` + long + `"}`)
			if !res.Failed || !strings.Contains(res.Text, "password field") {
				t.Errorf("%s: %s", script, res.Text)
			}
			if n := len(r.d.Value("pass")); n > mostPiece || strings.Contains(script, `\t`) && n > 0 {
				t.Errorf("%s: %d characters arrived", script, n)
			}
		}
	})
}

func TestUnreadNamesAreSaidOnce(t *testing.T) {
	r := newRig(t, mail)
	r.must(`{"action":"screenshot"}`)
	for _, c := range []struct {
		args string
		say  bool
	}{
		{click(230, 370), false}, // a name
		{click(330, 370), true},  // a button without one
		{click(330, 370), false}, // said before
		{click(150, 550), true},  // an app that tells nothing
		{click(150, 560), false},
		{click(1200, 20), false}, // the desktop
	} {
		if res := r.must(c.args); strings.Contains(res.Text, unreadSay) != c.say {
			t.Errorf("%s: %s", c.args, res.Text)
		}
	}
}

// A look-up that hangs costs a step no more than its limit, once.
func TestLookUpsHoldNothingUp(t *testing.T) {
	for _, fault := range []string{"hang control\nhang focus\nhang secrets", "fail control \"no\"\nfail focus \"no\"\nfail secrets \"no\""} {
		r := newRig(t, mail)
		r.p.mode = guard.FullTrust
		r.must(`{"action":"screenshot"}`)
		start := time.Now()
		r.must(click(230, 370))
		usual := time.Since(start)
		r.apply(fault)
		start = time.Now()
		res := r.must(click(230, 370))
		took := time.Since(start)
		if !strings.Contains(res.Text, unreadSay) || r.d.Clicked("reply") != 2 {
			t.Errorf("%s", res.Text)
		}
		// One look-up of the name and, where the screen changes while the picture is taken, two of passwords.
		if most := usual + 3*driver.LookUp + 400*time.Millisecond; took > most {
			t.Errorf("%q: took %v, at most %v", fault, took, most)
		}
		r.must(`{"action":"type","text":"one\ntwo"}`)
	}
}

func TestOwnFilesAreOutOfReach(t *testing.T) {
	const files = `
-- screen --
display main 1280x800
window 1 "Open" org.xfce.mousepad 100,100 400x300 name "Mousepad" role dialog front { field path 120,140 300x24 label "Path"; control row dot ".conch" 120,180 300x20; control row docs "Documents" 120,210 300x20 }
window 2 "access.json - Mousepad" org.xfce.mousepad 600,100 400x300 name "Mousepad"
window 3 "new-thing.json - Kate" org.kde.kate 600,450 400x300 name "Kate"
`
	names := []string{"access.json"}
	r := newRig(t, files, func(c *Config) {
		c.Own = func() policy.Own { return policy.NewOwn("/home/anna/.conch", names) }
	})
	r.p.mode = guard.FullTrust
	res := r.must(`{"action":"screenshot"}`)
	if !strings.Contains(res.Text, "A window of Mousepad") {
		t.Errorf("%s", res.Text)
	}
	r.refused(click(700, 200), "its own files")
	r.must(click(130, 220))
	r.refused(click(130, 190), "keeps for itself")
	r.refused(`{"action":"type","text":"/home/anna/.conch/here/key"}`, "keeps for itself")
	r.must(`{"action":"type","text":"/home/anna/.con"}`)
	r.refused(`{"action":"type","text":"ch"}`, "keeps for itself")
	r.refused(`{"action":"key","text":"c h"}`, "keeps for itself")
	r.must(`{"action":"key","text":"x BackSpace"}`)
	r.refused(`{"action":"key","text":"c h"}`, "keeps for itself")
	if v := r.d.Value("path"); strings.Contains(v, ".conch") {
		t.Errorf("it says %q", v)
	}
	r.must(click(700, 500))
	names = append(names, "new-thing.json") // a new file is kept away by being declared
	r.refused(click(700, 500), "its own files")
}

func TestScreenThatSleepsIsLeftAlone(t *testing.T) {
	for why, say := range map[string]string{"locked": "is locked", "asleep": "is asleep"} {
		r := newRig(t, mail)
		r.p.mode = guard.FullTrust
		r.must(`{"action":"screenshot"}`)
		r.apply("unready " + why)
		for _, args := range []string{`{"action":"screenshot"}`, click(200, 200), `{"action":"type","text":"x"}`, `{"action":"open_app","text":"Files"}`} {
			r.refused(args, say)
		}
		r.apply("ready")
		r.must(click(200, 200))
		// It locks between the decision and the event.
		r.drv.Driver = &onMove{Driver: r.d, then: func() { r.apply("unready " + why) }}
		r.refused(click(230, 370), say)
		var u *driver.Unready
		if err := r.d.Ready(t.Context()); !errors.As(err, &u) {
			t.Error(err)
		}
	}
}

package computer

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/driver"
	"conch/driver/key"
	"conch/gateway/computer/policy"
)

func pt(x, y int) *driver.PicPoint { return &driver.PicPoint{X: x, Y: y} }

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Action
	}{
		{`{"action":"screenshot"}`, Screenshot{}},
		{`{"action":"screenshot","coordinate":null,"text":null,"repeat":null,"region":null}`, Screenshot{}},
		{`{"action":"left_click","coordinate":[120,300]}`, Click{driver.Left, 1, pt(120, 300), 0}},
		{`{"action":"left_click","coordinate":[120.0,3e2]}`, Click{driver.Left, 1, pt(120, 300), 0}},
		{`{"action":"left_click","coordinate":["120","300"]}`, Click{driver.Left, 1, pt(120, 300), 0}},
		{`{"action":"left_click","coordinate":"120,300"}`, Click{driver.Left, 1, pt(120, 300), 0}},
		{`{"action":"left_click","coordinate":"120 300"}`, Click{driver.Left, 1, pt(120, 300), 0}},
		{`{"action":"left_click","coordinate":"[120, 300]"}`, Click{driver.Left, 1, pt(120, 300), 0}},
		{`{"action":"left_click","coordinate":"(120, 300)"}`, Click{driver.Left, 1, pt(120, 300), 0}},
		{`{"action":"left_click","coordinate":{"x":120,"y":300}}`, Click{driver.Left, 1, pt(120, 300), 0}},
		{`{"action":"left_click","coordinate":{"y":"300","x":"120"}}`, Click{driver.Left, 1, pt(120, 300), 0}},
		{`{"action":"left_click"}`, Click{driver.Left, 1, nil, 0}},
		{`{"action":"left_click","coordinate":[0,0],"text":"ctrl+shift"}`, Click{driver.Left, 1, pt(0, 0), key.ModControl | key.ModShift}},
		{`{"action":"right_click","coordinate":[1,2]}`, Click{driver.Right, 1, pt(1, 2), 0}},
		{`{"action":"middle_click","coordinate":[1,2]}`, Click{driver.Middle, 1, pt(1, 2), 0}},
		{`{"action":"double_click","coordinate":[1,2]}`, Click{driver.Left, 2, pt(1, 2), 0}},
		{`{"action":"triple_click","coordinate":[1,2],"text":""}`, Click{driver.Left, 3, pt(1, 2), 0}},
		{`{"action":"mouse_move","coordinate":[1,2]}`, Move{driver.PicPoint{X: 1, Y: 2}}},
		{`{"action":"left_click_drag","start_coordinate":[1,2],"coordinate":[3,4]}`, Drag{pt(1, 2), *pt(3, 4), 0}},
		{`{"action":"left_click_drag","coordinate":[3,4]}`, Drag{nil, *pt(3, 4), 0}},
		{`{"action":"left_mouse_down"}`, Button{true, nil}},
		{`{"action":"left_mouse_up","coordinate":[3,4]}`, Button{false, pt(3, 4)}},
		{`{"action":"type","text":"héllo, мир 👋\r\n\tx"}`, Type{"héllo, мир 👋\n\tx"}},
		{`{"action":"key","text":"ctrl+s"}`, Keys{[]key.Chord{{Mods: key.ModControl, Key: "s"}}, 1}},
		{`{"action":"key","text":"Tab Tab Return","repeat":2}`, Keys{[]key.Chord{{Key: "Tab"}, {Key: "Tab"}, {Key: "Return"}}, 2}},
		{`{"action":"hold_key","text":"shift","duration":1.5}`, Hold{key.Chord{Key: key.Shift}, 1500 * time.Millisecond}},
		{`{"action":"scroll","scroll_direction":"down"}`, Scroll{nil, 0, 3, 0}},
		{`{"action":"scroll","scroll_direction":"up","scroll_amount":5,"coordinate":[1,2],"text":"ctrl"}`, Scroll{pt(1, 2), 0, -5, key.ModControl}},
		{`{"action":"scroll","scroll_direction":"left","scroll_amount":1.0}`, Scroll{nil, -1, 0, 0}},
		{`{"action":"scroll","scroll_direction":"right","scroll_amount":100}`, Scroll{nil, 100, 0, 0}},
		{`{"action":"wait","duration":300}`, Wait{300 * time.Second}},
		{`{"action":"zoom","region":[1,2,3,4]}`, Zoom{driver.PicRect{X0: 1, Y0: 2, X1: 3, Y1: 4}}},
		{`{"action":"zoom","region":"1,2,3,4"}`, Zoom{driver.PicRect{X0: 1, Y0: 2, X1: 3, Y1: 4}}},
		{`{"action":"zoom","region":{"x0":1,"y0":2,"x1":3,"y1":4}}`, Zoom{driver.PicRect{X0: 1, Y0: 2, X1: 3, Y1: 4}}},
		{`{"action":"cursor_position"}`, Cursor{}},
		{`{"action":"open_app","text":" Mousepad "}`, Open{"Mousepad"}},
		{`{"action":"list_apps"}`, List{}},
		{`{"action":"list_apps","text":"edit"}`, List{"edit"}},
		{`{"action":"find","text":"Save"}`, Find{"Save"}},
	} {
		got, err := Parse([]byte(c.in))
		if err != nil || !cmp.Equal(got, c.want) {
			t.Errorf("%s\n\tgot  %#v, %v\n\twant %#v", c.in, got, err, c.want)
			continue
		}
		if word := fmt.Sprintf("%q", got.Word()); !strings.Contains(c.in, word) {
			t.Errorf("%s is called %s", c.in, word)
		}
	}
	seen := map[policy.Action]bool{}
	for a := range words {
		seen[a] = true
	}
	for _, a := range policy.Actions() {
		if !seen[a] {
			t.Errorf("no row reads %s", a)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	long := strings.Repeat("x", maxText+1)
	for _, c := range []struct{ in, say string }{
		{``, "isn't valid JSON"},
		{`[]`, "must be a JSON object"},
		{`{}`, "has no action"},
		{`{"action":"ACTION"}`, `no action "ACTION"`},
		{`{"Action":"screenshot"}`, `no parameter "Action"`},
		{`{"action":"screenshot","action":"type"}`, "twice"},
		{`{"action":"screenshot"} {}`, "isn't valid JSON"},
		{`{"action":"screenshot","delay":2}`, `no parameter "delay"`},
		{`{"action":7}`, "action must be text"},
		{`{"action":"screenshot","text":"x"}`, "screenshot takes no text"},
		{`{"action":"left_click","coordinate":[1,2],"repeat":2}`, "left_click takes no repeat"},
		{`{"action":"mouse_move"}`, "mouse_move needs coordinate"},
		{`{"action":"left_click","coordinate":[1]}`, "whole numbers from 0 to 100000"},
		{`{"action":"left_click","coordinate":[1,2,3]}`, "[x, y]"},
		{`{"action":"left_click","coordinate":[-1,2]}`, "whole numbers"},
		{`{"action":"left_click","coordinate":[1.5,2]}`, "whole numbers"},
		{`{"action":"left_click","coordinate":[1,100001]}`, "whole numbers"},
		{`{"action":"left_click","coordinate":"1;2"}`, "whole numbers"},
		{`{"action":"left_click","coordinate":"NaN,2"}`, "whole numbers"},
		{`{"action":"left_click","coordinate":{"x":1}}`, "whole numbers"},
		{`{"action":"left_click","coordinate":{"x":1,"y":2,"z":3}}`, "whole numbers"},
		{`{"action":"left_click","coordinate":{"x":1,"x":1,"y":2}}`, "twice"},
		{`{"action":"left_click","coordinate":true}`, "whole numbers"},
		{`{"action":"left_click","coordinate":[null,2]}`, "whole numbers"},
		{`{"action":"left_click","coordinate":[1,2],"text":"ctrl+a"}`, "Only ctrl, shift, alt and super"},
		{`{"action":"type","text":""}`, "1 to 20000 characters"},
		{`{"action":"type","text":"` + long + `"}`, "this has 20001"},
		{`{"action":"type","text":"a\u001bb"}`, "Character 2 of the text can't be typed (U+001B)"},
		{`{"action":"type","text":5}`, "text must be text"},
		{`{"action":"key","text":"ctrl+nosuchkey"}`, "nosuchkey"},
		{`{"action":"key","text":"a","repeat":0}`, "repeat must be a whole number from 1 to 100"},
		{`{"action":"key","text":"a","repeat":101}`, "from 1 to 100"},
		{`{"action":"key","text":"a","repeat":1.5}`, "whole number"},
		{`{"action":"key","text":"a","repeat":"2"}`, "repeat must be a whole number"},
		{`{"action":"hold_key","text":"a"}`, "hold_key needs duration"},
		{`{"action":"hold_key","text":"Tab Tab","duration":1}`, "two keys"},
		{`{"action":"wait","duration":0}`, "more than 0 and at most 300 seconds"},
		{`{"action":"wait","duration":301}`, "at most 300 seconds"},
		{`{"action":"wait","duration":"3"}`, "duration must be a number of seconds"},
		{`{"action":"scroll","scroll_direction":"sideways"}`, "up, down, left or right"},
		{`{"action":"scroll","scroll_direction":"Up"}`, "up, down, left or right"},
		{`{"action":"scroll","scroll_direction":"up","scroll_amount":0}`, "from 1 to 100"},
		{`{"action":"zoom","region":[5,5,5,9]}`, "top left first"},
		{`{"action":"zoom","region":[1,2,3]}`, "[x0, y0, x1, y1]"},
		{`{"action":"open_app","text":"  "}`, "1 to 200 characters"},
		{`{"action":"find","text":"` + strings.Repeat("x", 201) + `"}`, "this has 201"},
		{`{"action":"type","text":"` + strings.Repeat("x", maxArgs) + `"}`, "too long"},
	} {
		got, err := Parse([]byte(c.in))
		if got != nil || err == nil || !strings.Contains(err.Error(), c.say) {
			in := c.in
			if len(in) > 80 {
				in = in[:80] + "…"
			}
			t.Errorf("%s\n\tgot %v, %v\n\twant an error with %q", in, got, err, c.say)
		}
	}
}

// Text never shows, whatever prints it.
func TestTextIsHidden(t *testing.T) {
	act, err := Parse([]byte(`{"action":"type","text":"hunter2 is the secret"}`))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	log.Info("x", "act", act, "text", act.(Type).Text)
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "act", act, "text", act.(Type).Text)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&b, verb+"\n", act)
		fmt.Fprintf(&b, verb+"\n", act.(Type).Text)
	}
	if strings.Contains(b.String(), "hunter2") || strings.Contains(b.String(), "68756e746572") {
		t.Errorf("the text shows:\n%s", b.String())
	}
}

// An error says nothing of the text beside it.
func TestErrorsHideText(t *testing.T) {
	for _, in := range []string{
		`{"action":"type","text":"hunter2","repeat":3}`, `{"action":"type","text":"hunter2"`, `{"action":"type","text":"hunter2","text":"hunter2"}`,
		`{"action":"type","text":["hunter2"]}`, `{"action":"type","text":"hunter2\u0001"}`, `{"action":"tpye","text":"hunter2"}`,
	} {
		if _, err := Parse([]byte(in)); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s gives %v", in, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"action":"left_click","coordinate":[120,300],"text":"ctrl"}`))
	f.Add([]byte(`{"action":"key","text":"ctrl+s","repeat":3}`))
	f.Add([]byte(`{"action":"scroll","scroll_direction":"down","scroll_amount":3,"coordinate":"1,2"}`))
	f.Add([]byte(`{"action":"zoom","region":{"x0":1,"y0":2,"x1":3,"y1":4}}`))
	f.Add([]byte(`{"action":"wait","duration":1e300}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		act, err := Parse(in)
		if (act == nil) != (err != nil) {
			t.Fatalf("%q gives %v and %v", in, act, err)
		}
		if err != nil {
			if s := err.Error(); s == "" || len(s) > 2000 {
				t.Fatalf("%q: %d bytes of error", in, len(s))
			}
			return
		}
		if policy.ReachOf(act.Word()) == policy.ReachUnknown {
			t.Fatalf("%q is an action that the policy doesn't know", in)
		}
		points, _ := aims(act)
		for _, p := range points {
			if p.X < 0 || p.Y < 0 || p.X > maxPosition || p.Y > maxPosition {
				t.Fatalf("%q: point %v", in, p)
			}
		}
		switch a := act.(type) {
		case Keys:
			if a.Repeat < 1 || a.Repeat > maxRepeat || len(a.Chords) == 0 {
				t.Fatalf("%q: %d times %d keys", in, a.Repeat, len(a.Chords))
			}
		case Wait:
			if a.For <= 0 || a.For > maxSeconds*time.Second {
				t.Fatalf("%q waits %v", in, a.For)
			}
		case Type:
			if strings.ContainsAny(string(a.Text), "\x00\x1b\r\x7f") || a.Text == "" {
				t.Fatalf("%q types control characters", in)
			}
		default:
		}
	})
}

// What models are told is reviewed when it changes.
func TestTool(t *testing.T) {
	tl := New(Config{}).Tool()
	got := fmt.Sprintf("%s\n%s\n\n%s\n\n%s", tl.Name, tl.Title, tl.About, tl.Schema)
	golden(t, "testdata/tool.golden", got)
	for _, a := range policy.Actions() {
		if !bytes.Contains(tl.Schema, []byte(`"`+string(a)+`"`)) || !strings.Contains(tl.About, string(a)) {
			t.Errorf("%s isn't told to models", a)
		}
	}
}

// golden compares with a file; UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s is different (UPDATE_GOLDEN=1 writes it): %v\n%s", path, err, cmp.Diff(string(want), got))
	}
}

package computer

import (
	"bytes"
	"context"
	"image"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"conch/driver"
	"conch/driver/fake"
	"conch/gateway/ask"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
	"conch/gateway/tool"
)

// Screens that try to get something done elsewhere. Each file says what it tries, shows the screen, does steps and
// says what must hold. In "steps", a line is a step, or:
//
//	apply: LINE           the screen changes
//	at windows N: LINE    it changes while the next step looks at the windows for the N-th time
//	when asked W: LINE    it changes while a question that begins so is answered
//	answer W no           such a question is answered with no
//
// In "hold": refused "why" (each step that the last change was for, and why), untouched WINDOW [but N keys], presses
// WINDOW N, clicked CONTROL N, value FIELD "…" [but N more], longer FIELD N (no longer than that), without FIELD "…",
// asked "…", unseen WINDOW (in any picture), unseen-now WINDOW (in one taken at the end).
func TestAttackersScreens(t *testing.T) {
	files, err := filepath.Glob("testdata/attacks/*.txtar")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d screens, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			runAttack(t, txtar.Parse(b))
		})
	}
}

// attack is one such screen while it is tried.
type attack struct {
	*rig
	at       map[int][]string // changes, by how often the windows were looked at
	looks    int
	when     map[string]string
	no       []string
	results  []tool.Result
	pictures []image.Image
}

// watched lets the screen change while it is looked at.
type watched struct {
	driver.Driver
	a *attack
}

func (w *watched) Windows(ctx context.Context) ([]driver.Window, error) {
	w.a.looks++
	for _, line := range w.a.at[w.a.looks] {
		w.a.apply(line)
	}
	return w.Driver.Windows(ctx)
}

func runAttack(t *testing.T, ar *txtar.Archive) {
	var screen txtar.Archive
	var steps, hold string
	for _, f := range ar.Files {
		switch f.Name {
		case "steps":
			steps = string(f.Data)
		case "hold":
			hold = string(f.Data)
		default:
			screen.Files = append(screen.Files, f)
		}
	}
	if strings.TrimSpace(string(ar.Comment)) == "" || steps == "" || hold == "" {
		t.Fatal("it doesn't say what it tries, does and holds")
	}
	a := &attack{at: map[int][]string{}, when: map[string]string{}}
	a.rig = newRig(t, string(txtar.Format(&screen)), func(c *Config) {
		c.Own = func() policy.Own {
			return policy.NewOwn("/home/anna/.conch", []string{"access.json", "mcp/clients.json"})
		}
		c.Cap = 300 * time.Millisecond
	})
	a.drv.Driver = &watched{a.d, a}
	a.p.mode, a.p.answers = guard.Auto, a.answer
	for line := range strings.Lines(steps) {
		a.line(strings.TrimSpace(line))
	}
	for line := range strings.Lines(hold) {
		a.hold(strings.TrimSpace(line))
	}
	a.EndTurn("a1")
	a.clean()
}

func (a *attack) answer(q ask.Question) ask.Choice {
	for w, line := range a.when {
		if strings.HasPrefix(q.Title, w) {
			a.apply(line)
		}
	}
	for _, w := range a.no {
		if strings.HasPrefix(q.Title, w) {
			return ask.No
		}
	}
	return ask.Once
}

func (a *attack) line(line string) {
	a.t.Helper()
	switch word, rest, _ := strings.Cut(line, " "); {
	case line == "":
	case line[0] == '{':
		a.looks = 0
		r := a.say(line)
		a.at = map[int][]string{}
		a.results = append(a.results, r)
		if r.Picture != nil {
			img, kind, err := image.Decode(bytes.NewReader(r.Picture.Data))
			if err != nil || kind != "png" {
				a.t.Fatalf("a picture of kind %q: %v", kind, err)
			}
			a.pictures = append(a.pictures, img)
		}
	case word == "apply:":
		a.apply(rest)
	case word == "at":
		n, change, _ := strings.Cut(strings.TrimPrefix(rest, "windows "), ": ")
		i, err := strconv.Atoi(n)
		if err != nil {
			a.t.Fatalf("%q", line)
		}
		a.at[i] = append(a.at[i], change)
	case word == "when":
		w, change, _ := strings.Cut(strings.TrimPrefix(rest, "asked "), ": ")
		a.when[w] = change
	case word == "answer":
		a.no = append(a.no, strings.TrimSuffix(rest, " no"))
	default:
		a.t.Fatalf("%q is no step", line)
	}
}

func (a *attack) hold(line string) {
	a.t.Helper()
	if line == "" {
		return
	}
	word, rest, _ := strings.Cut(line, " ")
	what, more, _ := strings.Cut(rest, " ")
	id, _ := strconv.Atoi(what)
	win := driver.WindowID(id)
	quoted := func(s string) string {
		q, err := strconv.QuotedPrefix(s)
		if err != nil {
			a.t.Fatalf("%q", line)
		}
		s, _ = strconv.Unquote(q)
		return s
	}
	number := func(s string) int { n, _ := strconv.Atoi(s[strings.LastIndexByte(s, ' ')+1:]); return n }
	switch word {
	case "refused":
		last := a.results[len(a.results)-1]
		if why := quoted(rest); !last.Failed || !strings.Contains(last.Text, why) {
			a.t.Errorf("the last step: %v %s; want %q", last.Failed, last.Text, why)
		}
	case "untouched":
		most := 0
		if more != "" {
			most = number(more)
		}
		if n := a.landed(win); n > most {
			a.t.Errorf("%d events arrived in window %d: %v", n, id, a.d.Landed(win))
		}
	case "presses":
		n := 0
		for _, e := range a.d.Landed(win) {
			if e.Kind == fake.Pressed && e.Down {
				n++
			}
		}
		if n != number(more) {
			a.t.Errorf("window %d was pressed %d times", id, n)
		}
	case "clicked":
		if n := a.d.Clicked(what); n != number(more) {
			a.t.Errorf("%s was clicked %d times", what, n)
		}
	case "value":
		want, most := quoted(more), 0
		if strings.Contains(more, " but ") {
			most = number(more)
		}
		if v := a.d.Value(what); !strings.HasPrefix(v, want) || utf8.RuneCountInString(v) > utf8.RuneCountInString(want)+most {
			a.t.Errorf("%s holds %q", what, v)
		}
	case "longer":
		if v := a.d.Value(what); utf8.RuneCountInString(v) > number(more) {
			a.t.Errorf("%s holds %q", what, v)
		}
	case "without":
		if v := a.d.Value(what); strings.Contains(v, quoted(more)) {
			a.t.Errorf("%s holds %q", what, v)
		}
	case "asked":
		if all := strings.Join(a.titles(), "\n"); !strings.Contains(all, quoted(rest)) {
			a.t.Errorf("asked %q", all)
		}
	case "unseen":
		a.unseen(win, a.pictures)
	case "unseen-now":
		a.pictures = nil
		a.line(`{"action":"screenshot"}`)
		a.unseen(win, a.pictures)
	default:
		a.t.Fatalf("nothing holds %q", line)
	}
}

// unseen looks for a window's own colours, however often it was painted.
func (a *attack) unseen(id driver.WindowID, pictures []image.Image) {
	a.t.Helper()
	if len(pictures) == 0 {
		a.t.Error("there is no picture to look in")
	}
	for _, img := range pictures {
		for paint := range uint64(12) {
			one, two := fake.Content(id, paint)
			for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 3 {
				for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x += 7 {
					r, g, b, _ := img.At(x, y).RGBA()
					if c := [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}; c == [3]uint8{one.R, one.G, one.B} || c == [3]uint8{two.R, two.G, two.B} {
						a.t.Fatalf("window %d is seen at %d,%d", id, x, y)
					}
				}
			}
		}
	}
}

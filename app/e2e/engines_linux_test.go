package e2e

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // what pictures are
	_ "image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
	"conch/gateway/tool"

	"github.com/go-json-experiment/json"
)

// What the task has written, and what its file must hold in the end: the calculator's result comes over the clipboard.
const (
	verse = "Grüße aus Köln\nÇa va déjà très bien\nZażółć gęślą jaźń\n"
	sum   = "98*7=" // no key twice: the calculator overlooks a button that is pressed again at once
	total = "686"
)

// cancel is a button that only the editor's dialog has.
const cancel = "Cancel"

// The practice desktop, and a point in the page of its editor.
const deskW, deskH, pageX, pageY = 1280, 800, 382, 237

// writer is a scripted model that does the task. It reads each answer, as a model does, and stops at one that failed.
type writer struct {
	mu    sync.Mutex
	file  string
	blind bool
	cells bool // it names points by cells of a grid
	n     int  // of its answers
	again int  // times that it did a step once more
	w, h  int  // of the last picture
	told  string
	wrong []string
}

// page is where the editor's page is, in the pixels of what this model was shown or told.
func (w *writer) page() (x, y int) {
	if !w.blind {
		return w.named(pageX*w.w/deskW, pageY*w.h/deskH)
	}
	m := regexp.MustCompile(`(\d+),(\d+): the page of Mousepad`).FindStringSubmatch(w.told)
	if m == nil {
		w.wrong = append(w.wrong, "nobody said where the page is: "+w.told)
		return 0, 0
	}
	x, _ = strconv.Atoi(m[1]) // digits only
	y, _ = strconv.Atoi(m[2])
	return x, y
}

// named is a pixel of the picture as the model names points.
func (w *writer) named(x, y int) (int, int) {
	if !w.cells {
		return x, y
	}
	return tool.PixelCell(x, w.w), tool.PixelCell(y, w.h)
}

// calls are the nth answer's.
func (w *writer) calls() []string {
	q := func(s string) string {
		text, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	look := `{"action":"find","text":` + q(cancel) + `}`
	switch w.n {
	case 0:
		return []string{`{"action":"screenshot"}`}
	case 1, 11:
		return []string{`{"action":"open_app","text":"Mousepad"}`}
	case 2:
		x, y := w.page()
		return []string{fmt.Sprintf(`{"action":"left_click","coordinate":[%d,%d]}`, x, y)}
	case 3:
		return []string{`{"action":"type","text":` + q(verse) + `}`}
	case 4:
		return []string{`{"action":"key","text":"ctrl+s"}`}
	case 5:
		return []string{look}
	case 6:
		return []string{`{"action":"type","text":` + q(w.file) + `}`, `{"action":"key","text":"Return"}`}
	case 7:
		if w.sees(cancel) { // GTK's dialog takes no Return within a fifth of a second of a change to the name
			return []string{`{"action":"key","text":"Return"}`, look}
		}
		return []string{look}
	case 8:
		return []string{`{"action":"open_app","text":"Galculator"}`}
	case 9:
		return []string{`{"action":"type","text":` + q(sum) + `}`}
	case 10:
		return []string{`{"action":"key","text":"ctrl+c"}`}
	case 12:
		return []string{`{"action":"key","text":"ctrl+v"}`, `{"action":"key","text":"ctrl+s"}`}
	}
	return nil
}

// look reads a request: what the last calls were answered, and the newest picture.
func (w *writer) look(s enginetest.Seen) {
	newest := s.Results[max(len(s.Results)-s.Newest, 0):]
	if w.cameBetween(newest) {
		return
	}
	for _, r := range newest {
		w.told = r.Text
		if r.Failed {
			w.wrong = append(w.wrong, fmt.Sprintf("after %d answers: %s", w.n, r.Text))
		}
	}
	for i := len(s.Results) - 1; i >= 0; i-- {
		if p := s.Results[i].Picture; p != nil {
			w.size(p)
			return
		}
	}
	if w.n > 0 && !w.blind {
		w.wrong = append(w.wrong, fmt.Sprintf("no picture after %d answers", w.n))
	}
}

// cameBetween goes back to a step of which nothing was done, since a window came up just before it.
func (w *writer) cameBetween(newest []enginetest.Result) bool {
	if len(newest) == 0 || !newest[0].Failed || w.again >= 5 {
		return false
	}
	said := newest[0].Text
	if !strings.Contains(said, "Another window came in between") || strings.Contains(said, "were typed") {
		return false
	}
	w.n--
	w.again++
	return true
}

// ready says whether the last answer is what the next step needs.
func (w *writer) ready() bool {
	switch w.n {
	case 2, 9, 12: // an app is slow to start, or came up behind the editor
		return w.sees(" is in front.")
	case 6: // the dialog is slow to come
		return w.sees(cancel)
	case 8:
		return !w.sees(cancel)
	}
	return true
}

func (w *writer) sees(what string) bool { return strings.Contains(w.told, what) }

func (w *writer) size(p []byte) {
	c, _, err := image.DecodeConfig(bytes.NewReader(p))
	if err != nil {
		w.wrong = append(w.wrong, err.Error())
	}
	w.w, w.h = c.Width, c.Height
}

func (w *writer) think(s enginetest.Seen) enginetest.Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	use := engine.Usage{In: 1000, Out: 20}
	if s.Shown != nil { // the one who sees, for the one who doesn't
		w.size(s.Shown)
		x, y := tool.PixelCell(pageX*w.w/deskW, w.w), tool.PixelCell(pageY*w.h/deskH, w.h) // it names points so
		return enginetest.Answer{Text: fmt.Sprintf("An editor and a calculator.\n%d,%d: the page of Mousepad", x, y), Usage: use}
	}
	w.look(s)
	if !w.ready() && w.again < 20 {
		w.n--
		w.again++
	}
	all := w.calls()
	if len(w.wrong) > 0 || all == nil {
		return enginetest.Answer{Text: "Done.", Usage: use}
	}
	a := enginetest.Answer{Thinking: "Next.", Usage: use}
	for i, args := range all {
		a.Calls = append(a.Calls, enginetest.Call{ID: fmt.Sprintf("call_%d_%d_%d", w.n, w.again, i), Name: "computer", Args: args})
	}
	w.n++
	return a
}

// Every engine and every dialect does the same with the person's own apps: the same words in, the same bytes in the
// end, through the gateway, the guard, the computer tool and a real X server.
func TestEngines(t *testing.T) {
	t.Parallel()
	if err := xserver.Have("Xvfb", "openbox", "dbus-daemon", "mousepad", "galculator"); err != nil {
		xtest.Missing(t, err)
	}
	d := &desk{t: t, home: filepath.Join(t.TempDir(), "conch")}
	all := minds()
	writers, servers := make([]*writer, len(all)), make([]served, len(all))
	for i, m := range all {
		writers[i] = &writer{blind: m.blind, cells: m.cells}
		servers[i] = m.serve(t, writers[i].think)
		d.add(fmt.Sprint("place", i), m, servers[i].base)
	}
	d.start(true, mousepad)
	env := d.practiceEnv()
	home := valueOf(env, "HOME")
	for i, m := range all {
		t.Run(m.name, func(t *testing.T) {
			one := *d
			one.t = t
			one.closeApps(valueOf(env, "DISPLAY"))
			writers[i].file = filepath.Join(home, fmt.Sprintf("verse %d.txt", i))
			one.choose(fmt.Sprint("place", i), m.model)
			one.wrote(writers[i], servers[i])
		})
	}
}

// wrote lets a model do the task and reads the file. The person allows the calculator when they are asked.
func (d *desk) wrote(w *writer, s served) {
	d.t.Helper()
	id := d.say("Write the verse, add the sum, and save it all.")
	defer d.watches(id)()
	d.t.Cleanup(func() { _, _ = d.Stop(context.Background()) }) // the next one shall not wait for a task that failed
	q := d.stepwise(id, "a question", func(e chat.Event) bool { return e.Kind == chat.KindAsked || e.Kind == chat.KindEnded })
	if q.Text != "Use Galculator on your computer?" {
		d.t.Fatalf("it asks %q; %q; %d requests refused", q.Text, w.wrong, s.refused())
	}
	d.do(http.MethodPost, "/api/questions/"+q.ID, map[string]string{"choice": "once"}, nil)
	end := d.stepwise(id, "an end", func(e chat.Event) bool { return e.Kind == chat.KindEnded })
	w.mu.Lock()
	defer w.mu.Unlock()
	d.t.Logf("%d steps were done once more", w.again)
	if end.State != chat.StateDone || len(w.wrong) > 0 || s.refused() > 0 {
		d.t.Fatalf("it ended %q (%q %q); %q; %d requests refused", end.State, end.Text, end.More, w.wrong, s.refused())
	}
	read := func() string {
		b, err := os.ReadFile(w.file)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	const want = verse + total
	d.untilSaid(func() string { return fmt.Sprintf("%q in the file, which has %q", want, read()) },
		func() bool { return strings.TrimSuffix(read(), "\n") == want })
}

// stepwise awaits an event of a long turn: patience is with each of its steps.
func (d *desk) stepwise(id, what string, want func(chat.Event) bool) chat.Event {
	d.t.Helper()
	for n := 1; ; n++ {
		steps := 0
		e := d.await(id, fmt.Sprintf("%s, or step %d", what, n), func(e chat.Event) bool {
			if e.Kind == chat.KindStepDone {
				steps++
			}
			return want(e) || steps >= n
		})
		if want(e) {
			return e
		}
	}
}

// watches keeps somebody there who follows a chat and could press Stop, as a practice desktop wants.
func (d *desk) watches(id string) (leave func()) {
	d.t.Helper()
	body, err := d.Stream(d.t.Context(), "/api/chats/"+id+"/events")
	if err != nil {
		d.t.Fatal(err)
	}
	return func() { _ = body.Close() }
}

func valueOf(env []string, name string) string {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}

// closeApps ends the practice desktop's editor and calculator, so that each task begins with none.
func (d *desk) closeApps(display string) {
	d.t.Helper()
	d.until("the apps are closed", func() bool {
		left := 0
		all, _ := filepath.Glob("/proc/[0-9]*/comm")
		for _, at := range all {
			name, err := os.ReadFile(at)
			if app := strings.TrimSpace(string(name)); err != nil || app != "mousepad" && app != "galculator" {
				continue
			}
			env, err := os.ReadFile(filepath.Join(filepath.Dir(at), "environ"))
			if err != nil || valueOf(strings.Split(string(env), "\x00"), "DISPLAY") != display {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(at))); err == nil {
				left++
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		return left == 0
	})
}

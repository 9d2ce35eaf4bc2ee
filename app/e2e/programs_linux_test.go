package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
	"conch/gateway/chat"
	"conch/gateway/engine/claudecode"
	"conch/gateway/engine/codex"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/program/programtest"
	"conch/gateway/web/webtest"

	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"
)

// What the task writes, of one kind of letters in each word.
const accents = "Grüße, ça va déjà, zażółć gęślą jaźń"

// real is a program of a person's own: the real one, which thinks with a scripted model.
type real struct {
	kind     string // of the place
	name     string // of it
	program  string
	provider func(testing.TB, enginetest.Brain) *programtest.Provider
	env      func(t testing.TB, home string, p *programtest.Provider) []string
}

func reals() []real {
	return []real{
		{"claude-code", "Claude Code", claudecode.Program, programtest.NewAnthropic, func(_ testing.TB, home string, p *programtest.Provider) []string {
			return programtest.ClaudeEnv(home, p)
		}},
		{"codex", "Codex", codex.Program, programtest.NewOpenAI, programtest.CodexEnv},
	}
}

// hand is the scripted model of such a program. It opens the editor, types once that is in front, and ends.
type hand struct {
	home string // of whoever the program runs for, by which its processes are known

	mu    sync.Mutex
	text  string // that it types; empty: it only says hello
	opens int
	typed bool
	wrong []string
}

// begin sets what is typed in the next turn.
func (h *hand) begin(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text, h.opens, h.typed = text, 0, false
}

func (h *hand) faults() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.wrong
}

func (h *hand) think(s enginetest.Seen) enginetest.Answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keys()
	if h.opens > 0 {
		h.look(s)
	}
	if h.text == "" || h.typed || len(h.wrong) > 0 {
		return enginetest.Answer{Text: "Done."}
	}
	step, said := `{"action":"open_app","text":"Mousepad"}`, ""
	if n := len(s.Results); n > 0 {
		said = s.Results[n-1].Text
	}
	switch {
	case strings.Contains(said, " is in front."):
		text, err := json.Marshal(h.text)
		if err != nil {
			panic(err)
		}
		step = `{"action":"type","text":` + string(text) + `}`
		h.typed = true
	case h.opens >= 5:
		h.wrong = append(h.wrong, "the editor never comes to the front: "+said)
		return enginetest.Answer{Text: "I stopped."}
	}
	h.opens++
	call := enginetest.Does(step)
	call.ID = fmt.Sprint("call_", h.opens)
	return enginetest.Answer{Calls: []enginetest.Call{call}}
}

// look reads the answer to the last call: it wasn't refused, and has a picture that can be seen.
func (h *hand) look(s enginetest.Seen) {
	if len(s.Results) == 0 {
		h.wrong = append(h.wrong, "a call has no answer")
		return
	}
	last := s.Results[len(s.Results)-1]
	var w writer
	if w.size(last.Picture); last.Failed || w.w < deskW/2 {
		h.wrong = append(h.wrong, fmt.Sprintf("a picture %d wide, with %q %v", w.w, last.Text, w.wrong))
	}
}

// keys looks at the command lines of the program that asks: its key is on none.
func (h *hand) keys() {
	lines := processes(h.home)
	if len(lines) == 0 {
		h.wrong = append(h.wrong, "somebody else asks")
	}
	for _, line := range lines {
		if strings.Contains(line, programtest.Key) {
			h.wrong = append(h.wrong, "the key is on a command line: "+line)
		}
	}
}

// processes are the command lines of what runs with a home folder.
func processes(home string) (lines []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, at := range all {
		env, err := os.ReadFile(at)
		if err != nil || valueOf(strings.Split(string(env), "\x00"), "HOME") != home {
			continue
		}
		if line, err := os.ReadFile(filepath.Join(filepath.Dir(at), "cmdline")); err == nil && len(line) > 0 {
			lines = append(lines, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return lines
}

// install puts a program into a folder as a script that says where its company is, and signs in with a key.
func (r real) install(t *testing.T, bin, home string, p *programtest.Provider) {
	t.Helper()
	var script strings.Builder
	script.WriteString("#!/bin/sh\n")
	for _, e := range r.env(t, home, p) {
		fmt.Fprintf(&script, "export '%s'\n", e)
	}
	fmt.Fprintf(&script, "exec '%s' \"$@\"\n", programtest.Path(t, r.program))
	if err := os.WriteFile(filepath.Join(bin, r.program), []byte(script.String()), 0o700); err != nil {
		t.Fatal(err)
	}
}

// The person's own Claude Code and Codex, as npm brings them, do the same with the person's own apps as every other
// model: they are added and chosen on the page, asked about there, and stopped there. What is in the editor in the end
// is the same.
func TestRealPrograms(t *testing.T) {
	bin := t.TempDir()
	all := reals()
	hands, providers := make([]*hand, len(all)), make([]*programtest.Provider, len(all))
	for i, r := range all {
		hands[i] = &hand{home: t.TempDir()}
		providers[i] = r.provider(t, hands[i].think)
		r.install(t, bin, hands[i].home, providers[i])
	}
	if err := xserver.Have("Xvfb", "openbox", "dbus-daemon", "mousepad"); err != nil {
		xtest.Missing(t, err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	d := &desk{t: t, home: filepath.Join(t.TempDir(), "conch")}
	d.start(true)
	b := webtest.Open(t)
	b.Set(webtest.Looks[0])
	d.open(b, "/settings/models")
	env := getter(d.practiceEnv())
	d.connect(env("DISPLAY"), env)
	bus := accessibility(d, env)
	for i, r := range all {
		t.Run(r.kind, func(t *testing.T) {
			one, page := d.as(t), b.For(t)
			one.closeApps(env("DISPLAY"))
			one.takes(page, r)
			e := &editor{d: one, bus: bus}
			one.writes(page, e, hands[i])
			one.cutShort(page, e, hands[i], providers[i])
			one.until("nothing of the program is left", func() bool { return len(processes(hands[i].home)) == 0 })
			if wrong := hands[i].faults(); len(wrong) > 0 {
				t.Errorf("%q", wrong)
			}
		})
	}
	if faults := b.Faults(); faults != "" {
		t.Errorf("the page: %s", faults)
	}
}

// takes adds a program on the page, and makes the first of its models the usual one.
func (d *desk) takes(b *webtest.Browser, r real) {
	d.t.Helper()
	b.Go(d.at("/settings/models"))
	press(b, "[data-add-place]")
	b.Until(`document.getElementById("place-add").open`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const s = document.querySelector("#place-add [name=kind]");
		s.value = "` + r.kind + `";
		s.dispatchEvent(new Event("change", {bubbles: true}));
	}`))
	press(b, "#place-add [value=yes]")
	b.Until(`document.getElementById("place-model").open || document.querySelector("#place-add .wrong").textContent || document.querySelector(".toast")`)
	if got := b.Eval(text("#place-model h2")); got != r.name+" works" {
		d.t.Fatalf("%s: %s", r.kind, b.Eval(`document.body.innerText`))
	}
	press(b, "#place-model [value=yes]")
	b.Until(`document.querySelector("#models-usual select")?.dataset.now.startsWith("` + r.kind + `/")`)
}

// writes has a program's model do the task. The person allows the editor on the chat's page.
func (d *desk) writes(b *webtest.Browser, e *editor, h *hand) {
	d.t.Helper()
	h.begin(accents)
	b.Go(d.at("/"))
	id := write(b, "Open the editor and write the line.")
	q := d.stepwise(id, "a question", func(e chat.Event) bool { return e.Kind == chat.KindAsked || e.Kind == chat.KindEnded })
	if q.Text != "Use Mousepad on your computer?" {
		d.t.Fatalf("it asks %q %q %q; %q", q.Text, q.More, q.State, h.faults())
	}
	b.Until(text("#asking strong") + ` === "Use Mousepad on your computer?"`)
	press(b, "#asking [data-choice=once]")
	end := d.stepwise(id, "an end", func(e chat.Event) bool { return e.Kind == chat.KindEnded })
	if end.State != chat.StateDone {
		d.t.Fatalf("it ended %q (%q %q); %q", end.State, end.Text, end.More, h.faults())
	}
	d.untilSaid(func() string { return "the editor on the accessibility bus" }, func() bool {
		var err error
		e.text, err = find(e.bus, "mousepad", "text")
		return err == nil
	})
	e.holds(accents)
}

// cutShort stops a program's model in the middle of its typing, on the chat's page: nothing more arrives, and nothing
// more is asked of it.
func (d *desk) cutShort(b *webtest.Browser, e *editor, h *hand, p *programtest.Provider) {
	d.t.Helper()
	whole := long(3300)
	h.begin(whole)
	b.Go(d.at("/"))
	id := write(b, "Write more.")
	d.stepwise(id, "a question", func(e chat.Event) bool { return e.Kind == chat.KindAsked })
	b.Until(text("#asking strong") + ` === "Use Mousepad on your computer?"`)
	press(b, "#asking [data-choice=once]")
	d.until("it types", func() bool { return e.read() != accents })
	asked := len(p.Requests())
	press(b, "[data-stop-computer]")
	if end := d.ended(id); end.State != chat.StateStopped {
		d.t.Errorf("it ended %q: %s", end.State, end.Text)
	}
	e.cutOff(accents + whole)
	d.until("the edge is gone", func() bool { return d.edge() == 0 })
	if n := len(p.Requests()) - asked; n != 0 || d.held() {
		d.t.Errorf("%d requests came after it was stopped; something is still held: %v", n, d.held())
	}
	h.begin("")
	d.do(http.MethodPost, "/api/chats/"+id+"/messages", map[string]string{"text": "Are you there?"}, nil)
	d.await(id, "another end", func(e chat.Event) bool { return e.Kind == chat.KindEnded && e.State == chat.StateDone })
	if n := len(p.Requests()) - asked; n != 1 {
		d.t.Errorf("%d requests came for one answer", n)
	}
}

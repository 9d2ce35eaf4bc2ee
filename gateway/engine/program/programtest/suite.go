package programtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
	"conch/gateway/tool"
)

// Case is one engine, for Run.
type Case struct {
	// New makes the engine that runs the program at a path, with more of its environment. The program is the test
	// itself, which plays a script.
	New    func(path string, env []string) engine.Engine
	Model  engine.Model
	Faults []engine.ProblemKind // that its stand-in knows how to say
}

// patience is how long a test waits for what must happen at once, before it fails instead of hanging.
const patience = 30 * time.Second

// Rig is an engine with a scripted stand-in for its program.
type Rig struct {
	engine.Engine
	t      *testing.T
	c      Case
	script Script
}

// NewRig makes an engine whose program plays a script.
func (c Case) NewRig(t *testing.T, s Script) *Rig {
	t.Helper()
	Temp(t)
	dir := t.TempDir()
	s.Report, s.Lock = filepath.Join(dir, "report"), filepath.Join(dir, "lock")
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{s.Lock: nil, filepath.Join(dir, "script"): data, s.Report: []byte("{}")} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &Rig{Engine: c.New(path, []string{scriptVar + "=" + filepath.Join(dir, "script")}), t: t, c: c, script: s}
	t.Cleanup(r.gone)
	return r
}

// Report is what the stand-in was told.
func (r *Rig) Report() Report {
	r.t.Helper()
	var out Report
	data, err := os.ReadFile(r.script.Report)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// gone waits until neither the program nor its child lives any more.
func (r *Rig) gone() {
	f, err := os.OpenFile(r.script.Lock, os.O_RDWR, 0)
	if err != nil {
		r.t.Error(err)
		return
	}
	defer f.Close() //nolint:errcheck // it was only locked
	free := make(chan error, 1)
	go func() { free <- syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }()
	select {
	case err := <-free:
		if err != nil {
			r.t.Error(err)
		}
	case <-time.After(patience):
		r.t.Error("the program, or a child of it, is still there")
	}
}

// Run holds an engine to what every engine that runs a program must hold.
func Run(t *testing.T, c Case) {
	t.Helper()
	for _, one := range []struct {
		name string
		test func(*testing.T, Case)
	}{
		{"text, thinking and usage come as they are written", testText},
		{"nothing that is said is on the command line", testArgs},
		{"a picture comes with a message, after what was said before", testShown},
		{"calls are answered, with pictures and in words", testCall},
		{"the calls of one answer are done in order, and none after one that failed", testCalls},
		{"arguments that are none are answered", testMalformed},
		{"a picture that is the same isn't sent again", testSame},
		{"what nobody knows is passed over", testUnknown},
		{"cut after every line", testCut},
		{"faults are problems in our words", testFaults},
		{"one that nobody is signed in with says so", testSignedOut},
		{"one that isn't there", testAbsent},
		{"stopped in the middle of an answer", testStopStream},
		{"stopped in a call", testStopCall},
		{"stopped while it waits for another try", testStopRetry},
		{"stopped before it began", testStopBefore},
		{"broken off after every event", testBreak},
	} {
		t.Run(one.name, func(t *testing.T) { one.test(t, c) })
	}
}

const hello = "Hello, wörld 👋.\n\nA second line with \"quotes\", a \\ and </tags>."

// note is a call of the plain tool.
func note(id, args string) enginetest.Call {
	return enginetest.Call{ID: id, Name: "note", Args: args}
}

func testText(t *testing.T, c Case) {
	u := engine.Usage{In: 1200, Out: 30, CacheRead: 1000, CacheMade: 150}
	r := c.NewRig(t, Script{Answers: []enginetest.Answer{{Thinking: "Let me see…", Text: hello, Usage: u}}, Child: true})
	k := Drive(r.Turn(t.Context(), Turn(c.Model, "Say hello.")), nil)
	if k.Err != nil || k.Text != hello || k.Thinking != "Let me see…" || len(k.Calls) > 0 || !slices.Equal(k.Usage, []engine.Usage{u}) {
		t.Fatalf("%+v", k)
	}
	s := r.Report()
	if s.Said != "Say hello." || !strings.Contains(s.System, "You are Conch.\n\nA note.") || !slices.Equal(s.Tools, []string{"computer", "note"}) {
		t.Errorf("it was told %+v", s)
	}
}

func testArgs(t *testing.T, c Case) {
	r := c.NewRig(t, Script{Answers: []enginetest.Answer{{Text: "Yes."}}})
	if k := Drive(r.Turn(t.Context(), Turn(c.Model, "A secret.")), nil); k.Err != nil {
		t.Fatalf("%+v", k)
	}
	args := strings.Join(r.Report().Args, " ")
	for _, secret := range []string{"You are", "note.", "secret", "Bearer"} {
		if strings.Contains(args, secret) {
			t.Errorf("%q is in %q", secret, args)
		}
	}
}

func testShown(t *testing.T, c Case) {
	r := c.NewRig(t, Script{Answers: []enginetest.Answer{{Text: "A red square."}}})
	turn := Turn(c.Model, "And what is this?")
	pic := Picture(1)
	turn.Messages[0].Picture = pic
	turn.Messages = append([]engine.Message{{Role: engine.Person, Text: `Two "times" two?`}, {Role: engine.Assistant, Text: "It makes four."}}, turn.Messages...)
	if k := Drive(r.Turn(t.Context(), turn), nil); k.Err != nil || k.Text != "A red square." {
		t.Fatalf("%+v", k)
	}
	s := r.Report()
	for _, said := range []string{"times", "two?", "It makes four.", "And what is this?"} {
		if !strings.Contains(s.Said, said) {
			t.Errorf("%q isn't in %q", said, s.Said)
		}
	}
	if !bytes.Equal(s.Shown, pic.Data) {
		t.Errorf("it was shown %d bytes, not %d", len(s.Shown), len(pic.Data))
	}
}

func testCall(t *testing.T, c Case) {
	look, plain := enginetest.Does(`{"action":"screenshot"}`), note("call_y", `{"text":"ä \"b\" \\ \n👋"}`)
	look.ID = "call_x"
	r := c.NewRig(t, Script{Answers: []enginetest.Answer{{Text: "I look.", Calls: []enginetest.Call{look}}, {Text: "I note.", Calls: []enginetest.Call{plain}}, {Text: "Done."}}})
	pic := Picture(1)
	k := Drive(r.Turn(t.Context(), Turn(c.Model, "Look, and note it.")), func(e engine.ToolCall) tool.Result {
		if e.Name == "note" {
			return tool.Result{Failed: true}
		}
		return tool.Result{Text: "Looked.", Picture: pic}
	})
	if k.Err != nil || k.Text != "I look.I note.Done." || len(k.Calls) != 2 || k.Calls[0].ID == k.Calls[1].ID || k.Calls[0].Name != "computer" || k.Calls[1].Name != "note" {
		t.Fatalf("%+v", k)
	}
	var args struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(k.Calls[1].Args, &args); err != nil || args.Text != "ä \"b\" \\ \n👋" || string(k.Calls[0].Args) != look.Args {
		t.Errorf("%s and %s, %v", k.Calls[0].Args, k.Calls[1].Args, err)
	}
	got := r.Report().Results
	if len(got) != 2 || got[0].Text != "Looked." || !bytes.Equal(got[0].Picture, pic.Data) || got[0].Failed || got[1].Text == "" || !got[1].Failed || len(got[1].Picture) > 0 {
		t.Errorf("%+v", got)
	}
}

func testCalls(t *testing.T, c Case) {
	calls := []enginetest.Call{note("a", `{"text":"1"}`), note("b", `{"text":"2"}`), note("c", `{"text":"3"}`)}
	for failed := range 4 {
		r := c.NewRig(t, Script{Answers: []enginetest.Answer{{Calls: calls}, {Text: "I see."}}})
		k := Drive(r.Turn(t.Context(), Turn(c.Model, "Note.")), func(e engine.ToolCall) tool.Result {
			return tool.Result{Text: string(e.Args), Failed: string(e.Args) == fmt.Sprintf(`{"text":"%d"}`, failed)}
		})
		want := calls
		if failed > 0 {
			want = calls[:failed]
		}
		if k.Err != nil || k.Text != "I see." || len(k.Calls) != len(want) {
			t.Fatalf("%d failed: %+v", failed, k)
		}
		got := r.Report().Results
		for i, call := range calls {
			if done := i < len(want); done != (got[i].Text == call.Args) || done && string(k.Calls[i].Args) != call.Args || got[i].Text == "" {
				t.Errorf("%d failed: call %d was answered with %+v", failed, i+1, got[i])
			}
		}
	}
}

func testMalformed(t *testing.T, c Case) {
	for _, args := range []string{`[1]`, `"x"`, `7`} {
		r := c.NewRig(t, Script{Answers: []enginetest.Answer{{Calls: []enginetest.Call{note("a", args)}}, {Text: "Sorry."}}})
		k := Drive(r.Turn(t.Context(), Turn(c.Model, "Note.")), nil)
		if got := r.Report().Results; k.Err != nil || len(k.Calls) > 0 || k.Text != "Sorry." || len(got) != 1 || !got[0].Failed || got[0].Text == "" {
			t.Errorf("%s: %+v, %+v", args, k, got)
		}
	}
}

func testSame(t *testing.T, c Case) {
	var answers []enginetest.Answer
	for i := range 3 {
		answers = append(answers, enginetest.Answer{Calls: []enginetest.Call{note(fmt.Sprint("call_", i), `{}`)}})
	}
	r := c.NewRig(t, Script{Answers: append(answers, enginetest.Answer{Text: "Done."})})
	n := 0
	k := Drive(r.Turn(t.Context(), Turn(c.Model, "Look.")), func(engine.ToolCall) tool.Result {
		n++
		p := Picture(n / 2)
		p.Same = n != 2 // the first can't be, whatever it says
		return tool.Result{Text: "Looked.", Picture: p}
	})
	got := r.Report().Results
	if k.Err != nil || len(got) != 3 || len(got[0].Picture) == 0 || len(got[1].Picture) == 0 || len(got[2].Picture) > 0 || !strings.Contains(got[2].Text, engine.Unchanged) {
		t.Errorf("%+v: %+v", k, got)
	}
}

func testUnknown(t *testing.T, c Case) {
	r := c.NewRig(t, Script{Unknown: true, Answers: []enginetest.Answer{{Text: hello, Calls: []enginetest.Call{note("a", `{"text":"x"}`)}}, {Text: "!"}}})
	if k := Drive(r.Turn(t.Context(), Turn(c.Model, "Say hello.")), nil); k.Err != nil || k.Text != hello+"!" || len(k.Calls) != 1 {
		t.Fatalf("%+v", k)
	}
}

func testCut(t *testing.T, c Case) {
	for most := 1; ; most++ {
		r := c.NewRig(t, Script{Most: most, Answers: []enginetest.Answer{{Thinking: "Hm.", Text: hello, Calls: []enginetest.Call{note("a", `{"text":"x"}`)}}, {Text: "!"}}})
		k := Drive(r.Turn(t.Context(), Turn(c.Model, "Say hello.")), nil)
		if k.Err == nil && k.Text == hello+"!" && len(k.Calls) == 1 {
			t.Logf("whole after %d lines", most)
			return
		}
		if p := k.Problem(); p == nil || p.Say == "" || p.Next == "" || !strings.HasPrefix(hello+"!", k.Text) || most > 60 {
			t.Fatalf("after line %d: %+v", most, k)
		}
		if t.Failed() {
			return
		}
	}
}

func testFaults(t *testing.T, c Case) {
	for _, kind := range c.Faults {
		r := c.NewRig(t, Script{Fails: true, Fault: kind, Retries: kind == engine.Busy})
		k := Drive(r.Turn(t.Context(), Turn(c.Model, "Hello.")), nil)
		p := k.Problem()
		if p == nil || p.Kind != kind || p.Say == "" || p.Next == "" || strings.Contains(fmt.Sprintf("%v %#v", k.Err, k.Err), "provider-words") || k.Text != "" {
			t.Errorf("%v: %+v", kind, k)
		}
		if kind == engine.Busy && (len(k.Doing) == 0 || k.Doing[0] == "") {
			t.Errorf("nobody is told that it waits: %q", k.Doing)
		}
	}
}

func testSignedOut(t *testing.T, c Case) {
	r := c.NewRig(t, Script{SignedOut: true})
	_, err := r.Engine.(engine.Place).Models(t.Context())
	k := Drive(r.Turn(t.Context(), Turn(c.Model, "Hello.")), nil)
	for _, err := range []error{err, k.Err} {
		if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Kind != engine.BadKey || p.Next == "" {
			t.Errorf("%v", err)
		}
	}
}

func testAbsent(t *testing.T, c Case) {
	Temp(t)
	e := c.New(filepath.Join(t.TempDir(), "none"), nil)
	_, err := e.(engine.Place).Models(t.Context())
	k := Drive(e.Turn(t.Context(), Turn(c.Model, "Hello.")), nil)
	for _, err := range []error{err, k.Err} {
		if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Next == "" {
			t.Errorf("%v", err)
		}
	}
}

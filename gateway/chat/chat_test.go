package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/gateway/engine"
	"conch/gateway/tool"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("CHAT_TEST_WRITE"); path != "" {
		os.Exit(writeForEver(path))
	}
	goleak.VerifyTestMain(m)
}

type scripted func(ctx context.Context, t engine.Turn, yield func(engine.Event, error) bool)

func (scripted) ID() string { return "scripted" }

func (s scripted) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) { s(ctx, t, yield) }
}

// fixture is a store and a runner on it; the events are kept as they are handed out.
type fixture struct {
	t     *testing.T
	path  string
	store *Store
	*Runner

	mu     sync.Mutex
	events []Event
	grew   chan struct{}
}

func newFixture(t *testing.T, e engine.Engine, tools ...tool.Tool) *fixture {
	t.Helper()
	f := &fixture{t: t, path: filepath.Join(t.TempDir(), File), grew: make(chan struct{}, 1)}
	var err error
	f.store, err = Open(t.Context(), f.path, nil, f.took)
	if err != nil {
		t.Fatal(err)
	}
	f.Runner = NewRunner(Options{
		Store: f.store,
		Pick:  func(context.Context, string) (Mind, error) { return Mind{Engine: e}, nil },
		Tools: func(context.Context, string, string) ([]tool.Tool, []string) { return tools, nil },
		Permit: func(context.Context, string, string, tool.Tool, []byte) (string, *tool.Result) {
			return "yes", nil
		},
	})
	t.Cleanup(func() {
		if err := f.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := f.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f *fixture) took(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
	select {
	case f.grew <- struct{}{}:
	default:
	}
}

func (f *fixture) seen() []Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Event(nil), f.events...)
}

// until waits until an event of that kind was handed out.
func (f *fixture) until(kind Kind) Event {
	f.t.Helper()
	late := time.After(20 * time.Second)
	for {
		for _, e := range f.seen() {
			if e.Kind == kind {
				return e
			}
		}
		select {
		case <-f.grew:
		case <-late:
			f.t.Fatalf("no %s: %+v", kind, f.seen())
		}
	}
}

func (f *fixture) say(text string) (chat, turn string) {
	f.t.Helper()
	c, err := f.store.NewChat(f.t.Context(), text)
	if err != nil {
		f.t.Fatal(err)
	}
	turn, err = f.Start(f.t.Context(), c.ID, text)
	if err != nil {
		f.t.Fatal(err)
	}
	return c.ID, turn
}

func call(yield func(engine.Event, error) bool, name string) (got tool.Result) {
	yield(engine.ToolCall{ID: "1", Name: name, Args: []byte(`{"secret":"typed words"}`), Answer: func(r tool.Result) { got = r }}, nil)
	return got
}

func TestTurnIsLogged(t *testing.T) {
	tl := tool.Tool{Name: "computer", Title: "Use your computer", Run: func(_ context.Context, c tool.Call) tool.Result {
		c.Step("Typing in Mousepad")
		return tool.Result{Text: "Typed “typed words”.", Picture: &tool.Picture{MIME: "image/png", Data: []byte("pixels")}}
	}}
	f := newFixture(t, scripted(func(_ context.Context, tr engine.Turn, yield func(engine.Event, error) bool) {
		yield(engine.Text{Piece: "First "}, nil)
		yield(engine.Text{Piece: "this."}, nil)
		if r := call(yield, "computer"); r.Failed || r.Picture == nil {
			t.Errorf("the engine got %+v", r)
		}
		if r := call(yield, "other"); !r.Failed {
			t.Error("a tool that isn't offered was run")
		}
		yield(engine.Text{Piece: "Done."}, nil)
	}), tl)
	id, turn := f.say("please do")
	f.until(KindEnded)
	var got []string
	for _, e := range f.seen() {
		if e.Turn != turn || e.Chat != id {
			t.Errorf("a stray event %+v", e)
		}
		got = append(got, fmt.Sprintf("%s:%s:%s", e.Kind, e.Text, e.State))
	}
	want := []string{
		"said:please do:", "text:First this.:", "step:Use your computer:", "step:Typing in Mousepad:",
		"stepdone:Typing in Mousepad:done", "text:Done.:", "ended::done",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("log:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, name := range []string{f.path, f.path + "-wal"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"typed words", "pixels"} {
			if strings.Contains(string(data), secret) {
				t.Errorf("%s holds %q", filepath.Base(name), secret)
			}
		}
		if info, _ := os.Stat(name); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", filepath.Base(name), info.Mode())
		}
	}
}

func TestTranscriptGoesToTheEngine(t *testing.T) {
	var got []engine.Message
	f := newFixture(t, scripted(func(_ context.Context, tr engine.Turn, yield func(engine.Event, error) bool) {
		got = tr.Messages
		yield(engine.Text{Piece: "answer"}, nil)
	}))
	id, turn := f.say("one")
	f.wait(turn)
	turn, err := f.Start(t.Context(), id, "two")
	if err != nil {
		t.Fatal(err)
	}
	f.wait(turn)
	want := []engine.Message{{Role: engine.Person, Text: "one"}, {Role: engine.Assistant, Text: "answer"}, {Role: engine.Person, Text: "two"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("messages %v", got)
	}
}

// wait waits until a turn isn't running any more.
func (f *fixture) wait(turn string) {
	f.t.Helper()
	late := time.After(20 * time.Second)
	for {
		f.Runner.mu.Lock()
		var done chan struct{}
		for _, t := range f.running {
			if t.id == turn {
				done = t.done
			}
		}
		f.Runner.mu.Unlock()
		if done == nil {
			return
		}
		select {
		case <-done:
		case <-late:
			f.t.Fatal("the turn doesn't end")
		}
	}
}

// blocking is an engine that works until it is stopped.
func blocking(entered chan<- struct{}) scripted {
	return func(ctx context.Context, _ engine.Turn, yield func(engine.Event, error) bool) {
		yield(engine.Text{Piece: "Working"}, nil)
		entered <- struct{}{}
		<-ctx.Done()
		yield(nil, context.Cause(ctx))
	}
}

func TestOneTurnAtATime(t *testing.T) {
	entered := make(chan struct{}, 2)
	f := newFixture(t, blocking(entered))
	id, turn := f.say("one")
	<-entered
	var busy *BusyError
	if _, err := f.Start(t.Context(), id, "two"); !errors.As(err, &busy) || busy.Turn != turn {
		t.Errorf("a second message: %v", err)
	}
	other, _ := f.say("another chat")
	<-entered
	if len(f.All()) != 2 {
		t.Errorf("running %v", f.All())
	}
	if was, err := f.Interrupt(t.Context(), turn); !was || err != nil {
		t.Errorf("interrupt: %v, %v", was, err)
	}
	if _, running := f.Running(id); running {
		t.Error("Interrupt came back before the turn had ended")
	}
	events, _ := f.store.All(t.Context(), id, 0)
	last := events[len(events)-1]
	if last.Kind != KindEnded || last.State != StateStopped {
		t.Errorf("the log ends with %+v", last)
	}
	if text := events[len(events)-2]; text.Kind != KindText || text.Text != "Working" {
		t.Errorf("what was said before Stop is lost: %+v", text)
	}
	if was, err := f.Interrupt(t.Context(), turn); was || err != nil {
		t.Errorf("a second interrupt: %v, %v", was, err)
	}
	if _, running := f.Running(other); !running {
		t.Error("the other chat's turn was stopped too")
	}
}

func TestStopInsideATool(t *testing.T) {
	entered := make(chan struct{})
	tl := tool.Tool{Name: "computer", Title: "Use", Run: func(ctx context.Context, c tool.Call) tool.Result {
		close(entered)
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), ErrStopped) {
			t.Errorf("cause %v", context.Cause(ctx))
		}
		return tool.Result{Failed: true, Text: "Stopped."}
	}}
	f := newFixture(t, scripted(func(_ context.Context, _ engine.Turn, yield func(engine.Event, error) bool) {
		yield(engine.ToolCall{Name: "computer", Answer: func(tool.Result) {}}, nil)
		yield(engine.Text{Piece: "still talking"}, nil)
	}), tl)
	id, turn := f.say("go")
	<-entered
	if _, err := f.Interrupt(t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	events, _ := f.store.All(t.Context(), id, 0)
	var done Event
	for _, e := range events {
		if e.Kind == KindStepDone {
			done = e
		}
	}
	if done.State != StateStopped {
		t.Errorf("the step ended as %+v", done)
	}
	if last := events[len(events)-1]; last.State != StateStopped || strings.Contains(fmt.Sprint(events), "still talking") {
		t.Errorf("after Stop: %+v", events)
	}
}

func TestHowTurnsEnd(t *testing.T) {
	panicking := tool.Tool{Name: "panics", Title: "Panic", Run: func(context.Context, tool.Call) tool.Result { panic("typed words") }}
	tests := map[string]struct {
		engine scripted
		want   string
		text   string
	}{
		"engine fails": {func(_ context.Context, _ engine.Turn, yield func(engine.Event, error) bool) {
			yield(nil, &engine.Problem{Say: "The provider doesn't answer.", Next: "Wait a minute, then try again."})
		}, StateFailed, "The provider doesn't answer."},
		"the key isn't taken": {func(_ context.Context, _ engine.Turn, yield func(engine.Event, error) bool) {
			yield(nil, &engine.Problem{Kind: engine.BadKey, Say: "Anthropic doesn't take this key."})
		}, StateFailed, "doesn't take this key"},
		"engine fails without words": {func(_ context.Context, _ engine.Turn, yield func(engine.Event, error) bool) {
			yield(nil, errors.New("401: typed words"))
		}, StateFailed, "Something went wrong while answering."},
		"engine panics": {func(context.Context, engine.Turn, func(engine.Event, error) bool) { panic("typed words") }, StateFailed, "went wrong"},
		"tool panics": {func(_ context.Context, _ engine.Turn, yield func(engine.Event, error) bool) {
			if r := call(yield, "panics"); !r.Failed || !strings.Contains(r.Text, "may have happened") {
				t.Errorf("the engine got %+v", r)
			}
		}, StateDone, ""},
		"endless answer": {func(_ context.Context, _ engine.Turn, yield func(engine.Event, error) bool) {
			for yield(engine.Text{Piece: strings.Repeat("x", 1<<16)}, nil) {
			}
		}, StateFailed, "too long"},
		"bad bytes": {func(_ context.Context, _ engine.Turn, yield func(engine.Event, error) bool) {
			yield(engine.Text{Piece: "a\xffb"}, nil)
		}, StateDone, ""},
		"nothing": {func(context.Context, engine.Turn, func(engine.Event, error) bool) {}, StateDone, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, tt.engine, panicking)
			_, turn := f.say("go")
			e := f.until(KindEnded)
			if e.State != tt.want || !strings.Contains(e.Text, tt.text) || e.Turn != turn {
				t.Errorf("ended %+v", e)
			}
			if settings := name == "the key isn't taken"; (e.Rule == RuleModels) != settings {
				t.Errorf("what helps isn't told: %+v", e)
			}
			for _, e := range f.seen() {
				if strings.Contains(e.Text+e.More, "typed words") {
					t.Errorf("a panic's value is in the log: %+v", e)
				}
			}
			f.wait(turn)
			if n := len(f.All()); n != 0 {
				t.Errorf("%d turns still run", n)
			}
		})
	}
}

func TestBadMessages(t *testing.T) {
	f := newFixture(t, scripted(func(context.Context, engine.Turn, func(engine.Event, error) bool) {}))
	c, err := f.store.NewChat(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", " \n\t", "\xff", strings.Repeat("x", TextMax+1)} {
		var bad *TextError
		if _, err := f.Start(t.Context(), c.ID, text); !errors.As(err, &bad) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	if _, err := f.Start(t.Context(), "nobody", "hello"); !errors.Is(err, ErrNoChat) {
		t.Errorf("no chat: %v", err)
	}
}

func TestCloseCutsTurnsOff(t *testing.T) {
	entered := make(chan struct{}, 1)
	f := newFixture(t, blocking(entered))
	id, _ := f.say("go")
	<-entered
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	events, _ := f.store.All(t.Context(), id, 0)
	if last := events[len(events)-1]; last.State != StateCut {
		t.Errorf("ended %+v", last)
	}
	if _, err := f.Start(t.Context(), id, "more"); !errors.Is(err, ErrClosing) {
		t.Errorf("after closing: %v", err)
	}
}

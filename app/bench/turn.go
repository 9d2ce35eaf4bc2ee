//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/x11"
	"conch/driver/x11/xserver"
	"conch/gateway/chat"
	"conch/gateway/computer"
	"conch/gateway/computer/policy"
	"conch/gateway/engine"
	"conch/gateway/engine/anthropic"
	"conch/gateway/engine/anthropic/anthropictest"
	"conch/gateway/engine/enginetest"
	"conch/gateway/guard"
	"conch/gateway/models"
	"conch/gateway/tool"
)

// turnSteps is how many steps the measured turn has; as many as a turn may have.
const turnSteps = computer.Steps

// turnModel thinks in the measured turn: it takes every kind of saving and every kind of tool.
const turnModel = "claude-opus-4-8"

// person allows everything, so that what is measured is the work and no question.
type person struct{}

func (person) On() bool                                    { return true }
func (person) Allowed(driver.AppID) bool                   { return true }
func (person) Allow(driver.AppID, string) error            { return nil }
func (person) Taint(context.Context, string, string) error { return nil }
func (person) Turn(string) guard.Turn {
	return guard.Turn{Surface: guard.InChat, Origin: guard.Person, Mode: guard.AskFirst, Attended: true}
}

// writes is a model that writes into an editor, looks now and then, and ends.
func writes(s enginetest.Seen) enginetest.Answer {
	n := len(s.Results)
	does := func(args string) enginetest.Answer {
		return enginetest.Answer{Thinking: "Next.", Calls: []enginetest.Call{enginetest.Does(args)}}
	}
	switch {
	case n >= turnSteps:
		return enginetest.Answer{Text: "Done."}
	case n == 0:
		return does(`{"action":"open_app","text":"Mousepad"}`)
	case n%6 == 5:
		return does(`{"action":"screenshot"}`)
	case n%2 == 0:
		return does(`{"action":"key","text":"Return"}`)
	}
	return does(fmt.Sprintf(`{"action":"type","text":"Line %d of the letter."}`, n))
}

// clock is a transport that waits for whole answers and knows how long each gap between two of them was, without
// the tool's own time in it.
type clock struct {
	http http.Transport

	mu   sync.Mutex
	last time.Time // an answer was there
	tool time.Duration
	gaps []float64
}

func (c *clock) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	if !c.last.IsZero() {
		c.gaps = append(c.gaps, ms(time.Since(c.last)-c.tool))
	}
	c.mu.Unlock()
	res, err := c.http.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	c.mu.Lock()
	c.last, c.tool = time.Now(), 0
	c.mu.Unlock()
	return res, nil
}

// timed is the tool, whose time isn't the engine's; done is told each answer.
func (c *clock) timed(t tool.Tool, done func(tool.Result)) tool.Tool {
	run := t.Run
	t.Run = func(ctx context.Context, call tool.Call) tool.Result {
		begun := time.Now()
		r := run(ctx, call)
		done(r)
		c.mu.Lock()
		c.tool += time.Since(begun)
		c.mu.Unlock()
		return r
	}
	return t
}

// benchTurn lets a model write a letter over sixty steps on a real desktop, through a chat, its log and the computer
// tool, and gives the plain loop the very same answers.
func benchTurn(ctx context.Context, r *report) error {
	s, end, err := scene(ctx, xserver.Options{})
	if err != nil {
		return err
	}
	defer end()
	d, err := x11.Open(ctx, x11.Options{Env: s.Env()})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return asTest(func(t testing.TB) error {
		c := &clock{}
		defer c.http.CloseIdleConnections()
		server := anthropictest.New(t, turnModel, writes)
		answers, err := turnOf(ctx, c, server, d)
		if err != nil {
			return err
		}
		ours := server.Asked()
		plain := anthropictest.New(t, turnModel, writes)
		n, general := 0, new(computer.Computer).Tool()
		anthropictest.Plain(t, plain, models.System(), said, &general, func() tool.Result { n++; return answers[n-1] })
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		theirs := plain.Asked()
		if len(ours) != turnSteps+1 || len(theirs) != turnSteps+1 {
			return fmt.Errorf("%d and %d requests for %d steps; refused: %q", len(ours), len(theirs), turnSteps, server.Refused())
		}
		if !bytes.Equal(newest(ours), newest(theirs)) {
			return errors.New("the last picture isn't the same")
		}
		r.say("turn: %d tokens, the plain loop %d; gaps %v", tokens(ours), tokens(theirs), c.gaps)
		r.figure("turn_tokens_vs_plain", float64(tokens(ours))/float64(tokens(theirs)), "of_plain")
		r.figure("step_overhead_ms", median(c.gaps), "ms")
		return nil
	})
}

const said = "Write a letter of many lines."

// turnOf runs the turn and returns what each step answered.
func turnOf(ctx context.Context, c *clock, server *anthropictest.Server, d driver.Driver) (answers []tool.Result, err error) {
	dir, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := chat.Open(ctx, filepath.Join(dir, "chats.db"), time.Now, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = store.Close() }()
	hands := computer.New(computer.Config{Driver: d, Settings: person{}, Chats: person{}, Desktop: policy.Linux})
	e := anthropic.New(anthropic.Config{Key: anthropictest.Key, Base: server.URL, HTTP: c})
	all, err := e.Models(ctx)
	if err != nil {
		return nil, err
	}
	mind := chat.Mind{Engine: e, System: models.System()}
	for _, m := range all {
		if m.ID == turnModel {
			m.Computer = "" // Conch's own tool, as the plain loop has it
			mind.Model = m
		}
	}
	c.last, c.gaps = time.Time{}, nil // asking for the models is no step
	in, err := store.ClientChat(ctx, "bench", "Bench", chat.Ask)
	if err != nil {
		return nil, err
	}
	runner := chat.NewRunner(chat.Options{
		Store: store, Ending: func(_, turn string) { hands.EndTurn(turn) },
		Use: func(ctx context.Context, id, turn string, m engine.Model, u engine.Usage) error {
			return store.Use(ctx, chat.Usage{Chat: id, Turn: turn, Model: m.ID, In: u.In, Out: u.Out})
		},
	})
	failed := ""
	use := c.timed(hands.Tool(), func(r tool.Result) {
		if r.Failed && failed == "" {
			failed = r.Text
		}
		answers = append(answers, r)
	})
	over, err := runner.Do(ctx, in.ID, said, chat.Job{Mind: mind, Tools: []tool.Tool{use}})
	if err = errors.Join(err, runner.Close(ctx)); err != nil {
		return nil, err
	}
	if over.State != chat.StateDone || failed != "" {
		return nil, fmt.Errorf("the turn ended %q: %s %s; refused: %q", over.State, over.Text, failed, server.Refused())
	}
	return answers, nil
}

func tokens(asked []anthropictest.Asked) (sum int) {
	for _, a := range asked {
		sum += a.In()
	}
	return sum
}

// newest is the last picture that the model was shown.
func newest(asked []anthropictest.Asked) []byte {
	var pic []byte
	for _, r := range asked[len(asked)-1].Seen.Results {
		if r.Picture != nil {
			pic = r.Picture
		}
	}
	return pic
}

// asTest gives the strict servers what they want of a test, outside of one.
func asTest(f func(testing.TB) error) error {
	var once sync.Once
	err := errors.New("a server or the plain loop gave up")
	testing.Benchmark(func(b *testing.B) { once.Do(func() { err = f(b) }) })
	return err
}

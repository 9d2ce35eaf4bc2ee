package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// callsMax is how many tools a turn calls at most: one whose model goes on calling what fails has to end by itself.
const callsMax = 300

// answerMax is the size of the longest answer of one turn, in bytes.
const answerMax = 1 << 20

// running is the state of one turn's loop; one goroutine has it.
type running struct {
	r     *Runner
	t     *turn
	log   context.Context // for writing: a stopped turn still writes how it ended
	tools []tool.Tool
	model engine.Model

	block  strings.Builder // the answer's block that is being written
	blocks int
	size   int
	calls  int
}

// run is the whole life of a turn.
func (r *Runner) run(t *turn) {
	defer r.release(t)
	x := &running{r: r, t: t, log: context.WithoutCancel(t.ctx)}
	end := x.guarded()
	end.Chat, end.Turn = t.chat, t.id
	t.end = end // read once done is closed
	r.opt.Ending(t.chat, t.id)
	if err := r.opt.Store.endTurn(x.log, end); err != nil {
		r.opt.Log.Error("a turn's end could not be written down", "turn", t.id, "err", err)
	}
}

// guarded runs the turn and says how it ended. A panic below is a turn that failed, never a Conch that ends.
func (x *running) guarded() (end Event) {
	defer func() {
		if p := recover(); p != nil {
			x.r.opt.Log.Error("a turn panicked", "turn", x.t.id, "panic", kindOf(p), "stack", string(debug.Stack()))
			end = failed(nil)
		}
	}()
	err := x.all()
	if flushErr := x.flush(); err == nil {
		err = flushErr
	}
	switch cause := context.Cause(x.t.ctx); {
	case errors.Is(cause, ErrStopped):
		return Event{State: StateStopped, Text: "You stopped this."}
	case errors.Is(cause, ErrHungUp):
		return Event{State: StateStopped, Text: "The app went away, so this was stopped."}
	case errors.Is(cause, ErrClosing):
		return Event{State: StateCut, Text: "Conch was closed in the middle of this.", More: "Look at what was done before you try again."}
	case err != nil:
		level := slog.LevelWarn
		if _, told := errors.AsType[*engine.Problem](err); told {
			level = slog.LevelInfo // the person is told, and nothing is wrong with Conch
		}
		x.r.opt.Log.Log(x.t.ctx, level, "a turn failed", "turn", x.t.id, "err", err)
		return failed(err)
	}
	return Event{State: StateDone}
}

// failed puts an error into words. One that wasn't written for a person stays in the program's log.
func failed(err error) Event {
	e := Event{State: StateFailed, Text: "Something inside Conch went wrong.", More: "Look at what was done, then try again."}
	if p, ok := errors.AsType[*engine.Problem](err); ok {
		e.Text = p.Say
		if p.Next != "" {
			e.More = p.Next
		}
		switch p.Kind {
		case engine.BadKey, engine.NoCredit, engine.Unreachable, engine.NoModel, engine.Blind, engine.Limit:
			e.Rule = RuleModels
		case engine.Other, engine.Busy, engine.TooLong, engine.Declined: // nothing that is set there helps
		}
	}
	return e
}

// all ranges over what the engine does.
func (x *running) all() error {
	messages, err := x.transcript()
	if err != nil {
		return err
	}
	mind, notes, err := x.begin()
	if err != nil {
		return err
	}
	x.model = mind.Model
	turn := engine.Turn{Chat: x.t.chat, Model: mind.Model, System: mind.System, Messages: messages, Tools: told(x.tools, mind.Model), Notes: notes}
	for event, err := range mind.Engine.Turn(x.t.ctx, turn) {
		if err != nil {
			return x.said(err)
		}
		if x.t.ctx.Err() != nil {
			return context.Cause(x.t.ctx)
		}
		if err := x.one(event); err != nil {
			return err
		}
	}
	return nil
}

// told are the tools as the model is told of them.
func told(tools []tool.Tool, m engine.Model) []tool.Tool {
	out := slices.Clone(tools)
	for i, t := range out {
		out[i] = t.For(m.OnGrid)
	}
	return out
}

// begin says what thinks for the turn, and what it is offered.
func (x *running) begin() (mind Mind, notes []string, err error) {
	if j := x.t.job; j != nil {
		x.tools = j.Tools
		return j.Mind, nil, nil
	}
	if mind, err = x.r.opt.Pick(x.t.ctx, x.t.chat); err != nil {
		return mind, nil, x.said(err)
	}
	x.tools, notes = x.r.opt.Tools(x.t.ctx, x.t.chat, x.t.id)
	return mind, notes, nil
}

// said is an engine's error as it may be told. The text of one that wasn't written for a person goes nowhere,
// not even into the program's log: it may hold a key, or what was asked.
func (x *running) said(err error) error {
	if p, ok := errors.AsType[*engine.Problem](err); ok {
		return p
	}
	if x.t.ctx.Err() == nil {
		x.r.opt.Log.Error("the engine failed without words for it", "turn", x.t.id, "kind", fmt.Sprintf("%T", err))
	}
	return &engine.Problem{Say: "Something went wrong while answering."}
}

func (x *running) one(event engine.Event) error {
	switch e := event.(type) {
	case engine.Text:
		return x.text(e.Piece)
	case engine.ToolCall:
		if err := x.flush(); err != nil {
			return err
		}
		result, err := x.call(e)
		e.Answer(result)
		return err
	case engine.Confirm:
		if err := x.flush(); err != nil {
			return err
		}
		e.Answer(x.r.opt.Confirm(x.t.ctx, x.t.chat, x.t.id, clip(e.Title, sentenceMax), clip(e.Why, sentenceMax)))
		return nil
	case engine.Usage:
		return x.r.opt.Use(x.log, x.t.chat, x.t.id, x.model, e)
	case engine.Doing:
		x.r.opt.Live(x.t.chat, LiveText{Turn: x.t.id, Doing: true, Text: clip(e.Say, sentenceMax)})
		return nil
	case engine.Thinking:
		return nil // neither shown nor kept
	}
	return fmt.Errorf("the engine did something unknown: %T", event)
}

// text adds a piece of the answer and shows the block so far.
func (x *running) text(piece string) error {
	x.size += len(piece)
	if x.size > answerMax {
		return &engine.Problem{Say: "The answer became too long, so I stopped it.", Next: "Ask for less at a time."}
	}
	x.block.WriteString(strings.ToValidUTF8(piece, "�"))
	x.r.opt.Live(x.t.chat, LiveText{Turn: x.t.id, ID: x.blockID(), Text: x.block.String()})
	return nil
}

func (x *running) blockID() string { return x.t.id + "-t" + strconv.Itoa(x.blocks) }

// flush writes the block down as it is.
func (x *running) flush() error {
	if strings.TrimSpace(x.block.String()) == "" {
		x.block.Reset()
		return nil
	}
	err := x.append(Event{Kind: KindText, ID: x.blockID(), Text: x.block.String()})
	x.block.Reset()
	x.blocks++
	return err
}

// call does one tool call. The error is only for what ends the turn; what went wrong in the tool is its answer.
func (x *running) call(c engine.ToolCall) (tool.Result, error) {
	if x.calls++; x.calls > callsMax {
		return tool.Result{Failed: true, Text: "This turn is over."}, &engine.Problem{
			Say: fmt.Sprintf("Those were %d calls in one reply, so I stopped it.", callsMax), Next: "Say what is still to do, then send it.",
		}
	}
	id := x.t.id + "-s" + strconv.Itoa(x.calls)
	t, ok := find(x.tools, c.Name)
	if !ok {
		return tool.Result{Failed: true, Text: fmt.Sprintf("There is no tool called “%s” in this chat.", clip(c.Name, 40))}, nil
	}
	step := &stepLog{x: x, e: Event{ID: id, Tool: t.Name, Text: t.Title}}
	if err := step.began(); err != nil {
		return tool.Result{Failed: true, Text: "It was not done, since it could not be written down."}, err
	}
	say := step.say
	if j := x.t.job; j != nil && j.Step != nil {
		say = func(text string) { step.say(text); j.Step(text) }
	}
	result := x.permitted(t, tool.Call{Chat: x.t.chat, Turn: x.t.id, Args: c.Args, Step: say, Picture: x.model.Picture, Blind: c.Blind, OnGrid: x.model.OnGrid})
	return result, step.over(result)
}

// permitted runs a call that may be made. A tool that judges its own steps is the one to say so; for any other what
// its answer comes from is noted before the answer is given to anybody.
func (x *running) permitted(t tool.Tool, c tool.Call) tool.Result {
	if t.Steps {
		return x.runTool(t, c)
	}
	rule, refusal := x.r.opt.Permit(x.t.ctx, x.t.chat, x.t.id, t, c.Args)
	if refusal != nil {
		refusal.Rule = rule
		return *refusal
	}
	result := x.runTool(t, c)
	if result.Rule == "" {
		result.Rule = rule
	}
	if t.Outside == "" {
		return result
	}
	if err := x.r.opt.Store.Taint(x.log, x.t.chat, x.t.id, t.Outside); err != nil {
		x.r.opt.Log.Error("what a chat read could not be written down", "turn", x.t.id, "err", err)
		return tool.Result{Failed: true, Rule: rule, Text: "It was done, but Conch couldn't note that this chat read it, so the answer isn't given."}
	}
	return result
}

// runTool runs a tool. A panic in it may have come after it acted, so the answer says so.
func (x *running) runTool(t tool.Tool, c tool.Call) (result tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			x.r.opt.Log.Error("a tool panicked", "tool", t.Name, "turn", x.t.id, "panic", kindOf(p), "stack", string(debug.Stack()))
			result = tool.Result{Failed: true, Text: "Something inside Conch went wrong. It may have happened: look first."}
		}
	}()
	return t.Run(x.t.ctx, c)
}

// transcript is what was said in the chat so far.
func (x *running) transcript() ([]engine.Message, error) {
	events, err := x.r.opt.Store.All(x.log, x.t.chat, 0)
	if err != nil {
		return nil, err
	}
	var out []engine.Message
	for _, e := range events {
		switch e.Kind {
		case KindSaid:
			out = append(out, engine.Message{Role: engine.Person, Text: e.Text})
		case KindText:
			if n := len(out); n > 0 && out[n-1].Role == engine.Assistant {
				out[n-1].Text += "\n\n" + e.Text
				continue
			}
			out = append(out, engine.Message{Role: engine.Assistant, Text: e.Text})
		}
	}
	return out, nil
}

func (x *running) append(e Event) error {
	e.Chat, e.Turn = x.t.chat, x.t.id
	_, err := x.r.opt.Store.Append(x.log, e)
	return err
}

func find(tools []tool.Tool, name string) (tool.Tool, bool) {
	for _, t := range tools {
		if t.Name == name {
			return t, true
		}
	}
	return tool.Tool{}, false
}

// kindOf names a panic without its value, which could hold what was typed or seen. An error of the runtime
// (a nil pointer, an index) holds neither.
func kindOf(p any) string {
	if e, ok := p.(interface {
		error
		RuntimeError()
	}); ok {
		return e.Error()
	}
	return fmt.Sprintf("%T", p)
}

func clip(s string, most int) string {
	if r := []rune(strings.ToValidUTF8(s, "�")); len(r) > most {
		return string(r[:most]) + "…"
	}
	return strings.ToValidUTF8(s, "�")
}

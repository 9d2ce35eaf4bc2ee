// Package byhand is the engine without a model: it does what plain words say, step by step, so that Conch
// works before any key is set and a person can see exactly what each step does.
//
//	open Mousepad then type "héllo" then press ctrl+s
//	click "Save"
//	drag 100,200 to 300,200
//
// It reads the whole message before it does anything, stops at the first step that fails, and never guesses:
// what it can't read it says, with what it can.
package byhand

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/tool"

	"github.com/go-json-experiment/json"
)

// ToolName is the tool that every step goes through.
const ToolName = "computer"

// Engine does what plain words say.
type Engine struct{}

// ID names the engine.
func (Engine) ID() string { return "byhand" }

// Turn reads the last message and does its steps in order.
func (Engine) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		r := &run{ctx: ctx, yield: yield}
		if len(t.Messages) == 0 {
			r.say(Help)
			return
		}
		steps, err := Parse(t.Messages[len(t.Messages)-1].Text)
		if err != nil {
			r.say(err.Error())
			return
		}
		if !offered(t.Tools) {
			r.fail(&engine.Problem{
				Say:  "Using your apps is off, so nothing was done.",
				Next: "Turn on Use your apps in Settings → This computer, then send that again.",
			})
			return
		}
		r.all(steps)
	}
}

func offered(tools []tool.Tool) bool {
	for _, t := range tools {
		if t.Name == ToolName {
			return true
		}
	}
	return false
}

// run is one turn under way. Once over is set nothing may be yielded any more.
type run struct {
	ctx   context.Context
	yield func(engine.Event, error) bool
	calls int
	over  bool
}

func (r *run) say(text string) {
	if !r.over && !r.yield(engine.Text{Piece: text}, nil) {
		r.over = true
	}
}

func (r *run) all(steps []Step) {
	var last tool.Result
	for i, s := range steps {
		if err := r.ctx.Err(); err != nil {
			r.fail(context.Cause(r.ctx))
			return
		}
		res, why := r.step(s)
		switch {
		case r.over:
			return
		case why != "":
			r.say(stopped(why, s, len(steps)-i-1))
			return
		case res.Failed:
			r.say(stopped(res.Person(), s, len(steps)-i-1))
			return
		}
		last = res
	}
	r.say(ended(steps, last))
}

// answers are the actions whose result is what was asked for. What the others did is told step by step already.
var answers = []string{"screenshot", "cursor_position", "list_apps"}

// ended is the last word of a turn in which every step was done.
func ended(steps []Step, last tool.Result) string {
	if slices.Contains(answers, steps[len(steps)-1].call.Action) {
		return last.Text
	}
	if len(steps) == 1 {
		return "Done."
	}
	return fmt.Sprintf("Done, all %d steps.", len(steps))
}

func (r *run) fail(err error) {
	if !r.over {
		r.yield(nil, err)
		r.over = true
	}
}

// stopped says why a step was the last one and how many were not tried.
func stopped(why string, s Step, left int) string {
	if left == 0 {
		return why
	}
	rest := "The step after it was not tried."
	if left > 1 {
		rest = fmt.Sprintf("The %d steps after it were not tried.", left)
	}
	return fmt.Sprintf("%s\n\nI stopped at “%s”. %s", why, s.Said, rest)
}

// step does one step. A sentence instead of a result says why it was not done.
func (r *run) step(s Step) (tool.Result, string) {
	call := s.call
	for _, want := range []struct {
		at    target
		point *[]int
	}{{s.from, &call.StartCoordinate}, {s.at, &call.Coordinate}} {
		if want.at.name == "" {
			continue
		}
		at, why := r.find(want.at.name)
		if why != "" || r.over {
			return tool.Result{}, why
		}
		*want.point = []int{at.X, at.Y}
	}
	return r.call(call), ""
}

// found is a control as the computer tool's find reports it, its point in the latest picture.
type found struct {
	Role string `json:"role"`
	Name string `json:"name"`
	X    int    `json:"x"`
	Y    int    `json:"y"`
}

// find looks a control up by its accessible name. Only one that is plainly meant is taken; otherwise the
// answer asks for a point.
func (r *run) find(name string) (found, string) {
	res := r.call(dialect.Step{Action: "find", Text: name})
	if r.over {
		return found{}, ""
	}
	if res.Failed {
		return found{}, res.Person()
	}
	var data struct {
		Controls []found `json:"controls"`
	}
	if err := json.Unmarshal(res.Data, &data); err != nil || len(data.Controls) == 0 {
		return found{}, fmt.Sprintf("I can't find anything called “%s” in the window in front. Give me a point instead: look, then click 120,300.", name)
	}
	var same []found
	for _, c := range data.Controls {
		if strings.EqualFold(c.Name, name) {
			same = append(same, c)
		}
	}
	if len(same) == 0 {
		same = data.Controls
	}
	if len(same) == 1 {
		return same[0], ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "More than one thing is called “%s”. Which one?", name)
	for _, c := range same[:min(len(same), 8)] {
		fmt.Fprintf(&b, "\n%s “%s”: %d,%d", c.Role, c.Name, c.X, c.Y)
	}
	b.WriteString("\nGive me its point, such as click " + strconv.Itoa(same[0].X) + "," + strconv.Itoa(same[0].Y) + ".")
	return found{}, b.String()
}

func (r *run) call(c dialect.Step) tool.Result {
	args, err := json.Marshal(c)
	if err != nil {
		return tool.Result{Failed: true, Text: "I couldn't put that step into words for the computer."}
	}
	r.calls++
	var res tool.Result
	ev := engine.ToolCall{
		ID: "step-" + strconv.Itoa(r.calls), Name: ToolName, Args: args,
		Answer: func(a tool.Result) { res = a },
	}
	if !r.yield(ev, nil) {
		r.over = true
	}
	return res
}

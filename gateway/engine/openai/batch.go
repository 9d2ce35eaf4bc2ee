package openai

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/openai/openai-go/v3/responses"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/wire"
	"conch/gateway/plain"
)

// errDeclined says that the person said no to a safety check.
var errDeclined = errors.New("the person said no")

// computer answers a call of OpenAI's computer tool: the person is asked about its safety checks, its actions are done
// in order up to the first that fails, and one picture of the screen goes back.
func (a *answering) computer(at int, it responses.ResponseOutputItemUnion) error {
	if a.failed {
		a.told = append(a.told, "- "+notTried)
		if len(it.PendingSafetyChecks) > 0 {
			a.blind = true // nobody was asked about them, so they can't be acknowledged
			return nil
		}
		a.shot(it, []string{notTried}, false)
		return nil
	}
	if len(it.PendingSafetyChecks) > 0 {
		yes, on := a.r.out.Confirm("Go on with this?", reasonsOf(it.PendingSafetyChecks))
		if !on {
			return wire.ErrBroken
		}
		if !yes {
			return errDeclined
		}
	}
	b := readBatch(it)
	var texts []string
	fresh := false
	for i, s := range b.steps {
		looks := i == len(b.steps)-1 && (at >= a.last || a.r.said.last == nil) // each call needs a picture, if an old one
		res, on := a.r.out.Call(engine.ToolCall{ID: stepID(it.CallID, i), Name: dialect.ToolName, Args: s.step.Args(), Blind: !looks})
		if !on {
			return wire.ErrBroken
		}
		if res.Failed {
			a.failed = true
			texts = append(texts, b.stopped(s.action, res.Text))
			break
		}
		texts = append(texts, res.Text)
		if res.Picture != nil && looks {
			fresh = true
			a.r.said.last = res.Picture
		}
	}
	if b.bad != "" && !a.failed {
		a.failed = true
		texts = append(texts, b.stopped(b.badAt, b.bad))
	}
	for _, t := range texts {
		a.told = append(a.told, "- "+t)
	}
	a.shot(it, texts, fresh)
	return nil
}

// stepID tells the steps of one call apart.
func stepID(call string, i int) string {
	if i == 0 {
		return call
	}
	return fmt.Sprintf("%s-%d", call, i+1)
}

// shot puts the call's answer into the round, the person having said yes to its safety checks: a picture, which it must
// have, and then in words what came of the actions, for which it has no place. An older picture is said to be one;
// where there is none, the whole round is told in words instead.
func (a *answering) shot(it responses.ResponseOutputItemUnion, texts []string, fresh bool) {
	said := &a.r.said
	if said.last == nil {
		a.blind = true
		return
	}
	if !fresh {
		texts = append(texts, "The picture is the last one from before this. Take a screenshot to see the screen as it is now.")
	}
	a.round.joined = true
	a.round.items = append(a.round.items,
		item{full: screenshot(it.CallID, said.last, it.PendingSafetyChecks), picture: said.add(said.last)},
		plainItem(message(responses.EasyInputMessageRoleDeveloper, strings.Join(texts, "\n"))))
}

// batch is the actions of one call as steps of Conch's computer tool.
type batch struct {
	actions int
	steps   []batchStep
	bad     string // why the actions from badAt on can't be done
	badAt   int
}

type batchStep struct {
	action int // which action it is part of
	step   dialect.Step
}

// readBatch reads the actions before any of them is done. From the first that can't be, none is.
func readBatch(it responses.ResponseOutputItemUnion) batch {
	var raw []string
	for _, a := range it.Actions {
		raw = append(raw, a.RawJSON())
	}
	if one := it.JSON.Action.Raw(); len(raw) == 0 && it.JSON.Action.Valid() { // the older tool has one action
		raw = []string{one}
	}
	b := batch{actions: len(raw)}
	if len(raw) == 0 { // nothing to do, but a picture is wanted
		b.actions, b.steps = 1, []batchStep{{step: dialect.Step{Action: "screenshot"}}}
	}
	for i, one := range raw {
		var action dialect.OpenAIAction
		steps, err := []dialect.Step(nil), json.Unmarshal([]byte(one), &action)
		if err == nil {
			steps, err = dialect.OpenAI(action)
		}
		if err != nil {
			b.badAt, b.bad = i, "This action can't be read."
			if c, ok := errors.AsType[*dialect.Cannot](err); ok {
				b.bad = c.Say
			}
			return b
		}
		for _, s := range steps {
			b.steps = append(b.steps, batchStep{i, s})
		}
	}
	return b
}

// stopped says which action was the last one, why, and how many after it weren't tried.
func (b batch) stopped(action int, why string) string {
	if b.actions == 1 {
		return why
	}
	say := fmt.Sprintf("Action %d of %d failed: %s", action+1, b.actions, why)
	switch left := b.actions - action - 1; left {
	case 0:
		return say
	case 1:
		return say + " The action after it was not tried."
	default:
		return fmt.Sprintf("%s The %d actions after it were not tried.", say, left)
	}
}

// maxWhy is how much of what the provider asks is shown, in characters.
const maxWhy = 600

// reasonsOf are the provider's own words for what the person should look at.
func reasonsOf(checks []responses.ResponseComputerToolCallPendingSafetyCheck) string {
	var all []string
	for _, c := range checks {
		if say := plain.Line(c.Message); say != "" {
			all = append(all, say)
		}
	}
	if len(all) == 0 {
		return "OpenAI asks you to look at what its model is about to do. It doesn't say why."
	}
	return plain.Clip(strings.Join(all, " "), maxWhy)
}

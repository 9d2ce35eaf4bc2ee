package gateway

import (
	"slices"
	"strings"
	"time"

	"conch/gateway/chat"
	"conch/gateway/web"
)

// fold turns a chat's log into what its page shows. A page and the socket that follows it fold the same
// events, so what is pushed is what a fresh page would show.
type fold struct {
	items []web.PartView
	at    map[string]int // element id → place in items

	started map[string]time.Time // by turn
	steps   map[string]*web.Steps
	after   uint64 // the last event that is in it
}

// change is what one event did to a page.
type change struct {
	part web.PartView
	// to is the element that the part is appended to; empty where it replaces its former self.
	to string
}

func newFold() *fold {
	return &fold{at: map[string]int{}, started: map[string]time.Time{}, steps: map[string]*web.Steps{}}
}

// add takes the next event and says what it changes.
func (f *fold) add(e chat.Event) []change {
	if e.Seq <= f.after {
		return nil
	}
	f.after = e.Seq
	switch e.Kind {
	case chat.KindSaid:
		f.started[e.Turn] = e.At
		return f.put(web.Message{ID: e.ID, Who: web.ByPerson, Text: e.Text, At: e.At.Local()})
	case chat.KindText:
		return append(f.unsay(e), f.put(web.Message{ID: e.ID, Who: web.ByConch, Text: e.Text, At: e.At.Local()})...)
	case chat.KindStep:
		return f.step(e, web.StepDoing)
	case chat.KindStepDone:
		return f.step(e, stepState(e.State))
	case chat.KindAsked:
		return f.put(web.Question{ID: e.ID, What: e.Text, Why: e.More, App: e.App, Always: e.Always, At: e.At.Local()})
	case chat.KindAnswered:
		return f.answered(e)
	case chat.KindTaint:
		return f.put(web.Note{ID: seqID(e), Kind: web.NoteInfo, Text: "Read " + e.Text + "."})
	case chat.KindSkill:
		return f.put(skillNote(e))
	case chat.KindNote:
		return f.put(web.Note{ID: e.ID, Kind: web.NoteInfo, Text: e.Text, Next: e.More})
	case chat.KindEnded:
		return f.ended(e)
	}
	return nil // a mode is for the composer
}

// put places a part at the end, or where it was.
func (f *fold) put(p web.PartView) []change {
	id := p.ElementID()
	if i, had := f.at[id]; had {
		f.items[i] = p
		return []change{{part: p}}
	}
	f.at[id] = len(f.items)
	f.items = append(f.items, p)
	return []change{{part: p, to: web.IDStream}}
}

func (f *fold) step(e chat.Event, state web.StepState) []change {
	kind := e.Act
	if kind == "" {
		kind = e.Tool
	}
	step := web.Step{ID: e.ID, Kind: kind, Text: e.Text, More: e.More, State: state, At: e.At.Local()}
	if state == web.StepDoing {
		step.More = ""
	}
	s := f.steps[e.Turn]
	if s == nil {
		s = &web.Steps{Turn: e.Turn, Running: true}
		f.steps[e.Turn] = s
	}
	if i := slices.IndexFunc(s.Steps, func(o web.Step) bool { return o.ID == e.ID }); i >= 0 {
		step.At = s.Steps[i].At
		s.Steps[i] = step
		f.put(f.snapshot(s))
		return []change{{part: step}}
	}
	s.Steps = append(s.Steps, step)
	if len(s.Steps) == 1 {
		return f.put(f.snapshot(s))
	}
	f.put(f.snapshot(s))
	return []change{{part: step, to: web.StepsID(e.Turn)}}
}

// unsay takes the reason off the turn's last step when an answer begins with the same words: the step is folded
// away, and the answer is what a person reads.
func (f *fold) unsay(answer chat.Event) []change {
	s := f.steps[answer.Turn]
	if s == nil || len(s.Steps) == 0 {
		return nil
	}
	last := &s.Steps[len(s.Steps)-1]
	if last.More == "" || !strings.HasPrefix(answer.Text, last.More) {
		return nil
	}
	last.More = ""
	f.put(f.snapshot(s))
	return []change{{part: *last}}
}

// snapshot is a turn's steps as they are now; the fold goes on changing its own.
func (f *fold) snapshot(s *web.Steps) web.Steps {
	out := *s
	out.Steps = slices.Clone(s.Steps)
	return out
}

func (f *fold) answered(e chat.Event) []change {
	i, had := f.at[web.Question{ID: e.ID}.ElementID()]
	if !had {
		return nil
	}
	q, ok := f.items[i].(web.Question)
	if !ok {
		return nil
	}
	q.Choice = web.Choice(e.State)
	changes := f.put(q)
	if e.More != "" {
		changes = append(changes, f.put(web.Note{ID: seqID(e), Kind: web.NoteFailed, Text: e.More})...)
	}
	return changes
}

func (f *fold) ended(e chat.Event) (changes []change) {
	if s := f.steps[e.Turn]; s != nil {
		s.Running = false
		if from, ok := f.started[e.Turn]; ok {
			s.Took = e.At.Sub(from)
		}
		changes = f.put(f.snapshot(s))
	}
	switch e.State {
	case chat.StateDone:
		return changes
	case chat.StateStopped:
		return append(changes, f.put(web.Note{ID: seqID(e), Kind: web.NoteStopped, Text: e.Text, Next: e.More})...)
	default:
		return append(changes, f.put(web.Note{ID: seqID(e), Kind: web.NoteFailed, Text: e.Text, Next: e.More, Models: e.Rule == chat.RuleModels})...)
	}
}

func stepState(s string) web.StepState {
	switch s {
	case chat.StateDone:
		return web.StepDone
	case chat.StateRefused:
		return web.StepRefused
	case chat.StateStopped:
		return web.StepStopped
	default:
		return web.StepFailed
	}
}

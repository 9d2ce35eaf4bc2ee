package chat

import (
	"sync"

	"conch/gateway/tool"
)

// sentenceMax is how much of a step's sentence is kept, in characters.
const sentenceMax = 300

// stepLog writes one tool step down: that it began, what it says it is doing, how it ended. Only sentences
// that the tool wrote for a person are kept. The answer to the engine may hold what is on the screen, so it
// is kept only where it says why nothing came of the step.
type stepLog struct {
	x *running

	mu    sync.Mutex // a tool may call say from another goroutine
	e     Event
	ended bool
}

func (s *stepLog) began() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(KindStep)
}

// say is the tool's Call.Step.
func (s *stepLog) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = clip(text, sentenceMax)
	if s.ended || text == "" || text == s.e.Text {
		return
	}
	s.e.Text = text
	if err := s.write(KindStep); err != nil {
		// The step's end is written too, and ends the turn when that fails as well.
		s.x.r.opt.Log.Warn("a step could not be written down", "turn", s.x.t.id, "err", err)
	}
}

func (s *stepLog) over(r tool.Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.e.State, s.e.Rule, s.e.Act, s.e.App = StateDone, r.Rule, r.Kind, r.App
	if r.Did != "" {
		s.e.Text = clip(r.Did, sentenceMax)
	}
	switch {
	case s.x.t.ctx.Err() != nil:
		s.e.State = StateStopped
	case r.Failed && r.Refused:
		s.e.State, s.e.More = StateRefused, clip(r.Person(), sentenceMax)
	case r.Failed:
		s.e.State, s.e.More = StateFailed, clip(r.Person(), sentenceMax)
	}
	return s.write(KindStepDone)
}

func (s *stepLog) write(kind Kind) error {
	s.e.Kind = kind
	return s.x.append(s.e)
}

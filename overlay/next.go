package overlay

import "slices"

// Model is all that the overlay knows. The zero value is dark.
type Model struct {
	Turn     string // whose turn is lit; "" dark
	Label    string
	Shown    bool // painted, and seen to be on the screen
	Stopping bool // the person pressed Stop
	Held     Held // the key that works
	Screens  Screens
	Fault    error // why the last turn could not be shown

	// The turns that were interrupted last, so that none is lit or interrupted again by a late call.
	stopped [8]string
}

// Lit says whether a turn is lit, which is also exactly while the Stop key is held.
func (m Model) Lit() bool { return m.Turn != "" }

// Verdict says what someone who asked to light turn should be told; known is false while it is not decided.
func (m Model) Verdict(turn string) (err error, known bool) { //nolint:revive // the error is the value
	switch {
	case slices.Contains(m.stopped[:], turn):
		return ErrStopped, true
	case m.Turn == turn:
		return nil, m.Shown
	case m.Fault != nil:
		return m.Fault, true
	}
	return ErrEnded, true
}

// Event is something that happened.
//
//sumtype:decl
type Event interface{ isEvent() }

type (
	// Began says that a turn starts using the computer.
	Began struct{ Turn, Label string }
	// Step says what a turn is doing.
	Step struct{ Turn, Label string }
	// StopPressed says that the person pressed Stop: the card or the key.
	StopPressed struct{}
	// Ended says that a turn is over.
	Ended struct{ Turn string }
	// ScreensChanged says what there is to paint on from now on.
	ScreensChanged struct{ Screens Screens }
	// KeyChanged says which Stop key works from now on.
	KeyChanged struct{ Held Held }
	// Painted says that the scene of a turn is on the screen.
	Painted struct{ Turn string }
	// PaintFailed says that it is not.
	PaintFailed struct {
		Turn string
		Err  error
	}
	// Lost says that the screen went away for good.
	Lost struct{ Err error }
	// Closed says that Conch is ending.
	Closed struct{}

	// gaveUp says that whoever lit a turn no longer waits for it to be shown.
	gaveUp struct{ Turn string }
)

func (Began) isEvent()          {}
func (Step) isEvent()           {}
func (StopPressed) isEvent()    {}
func (Ended) isEvent()          {}
func (ScreensChanged) isEvent() {}
func (KeyChanged) isEvent()     {}
func (Painted) isEvent()        {}
func (PaintFailed) isEvent()    {}
func (Lost) isEvent()           {}
func (Closed) isEvent()         {}
func (gaveUp) isEvent()         {}

// Effect is something to be done.
//
//sumtype:decl
type Effect interface{ isEffect() }

type (
	// Grab takes the Stop key; a KeyChanged follows.
	Grab struct{}
	// Ungrab gives it back.
	Ungrab struct{}
	// Paint shows a scene; a Painted or a PaintFailed follows.
	Paint struct {
		Turn  string
		Scene Scene
	}
	// Clear takes everything off the screen.
	Clear struct{}
	// Interrupt stops a turn.
	Interrupt struct{ Turn string }
)

func (Grab) isEffect()      {}
func (Ungrab) isEffect()    {}
func (Paint) isEffect()     {}
func (Clear) isEffect()     {}
func (Interrupt) isEffect() {}

// Next is the whole behaviour of the edge and the card.
//
// What always holds: the Stop key is held exactly while a turn is lit; a turn is interrupted at most once;
// the end of a turn that is not the lit one changes nothing; a turn that loses its edge is interrupted, so
// nothing acts without it; and the end of the lit turn always makes it dark.
func Next(m Model, e Event) (Model, []Effect) {
	switch e := e.(type) {
	case Began:
		return m.began(e)
	case Step:
		if e.Turn != m.Turn || m.Stopping || e.Label == m.Label {
			return m, nil
		}
		m.Label = e.Label
		return m, m.repaint()
	case StopPressed:
		if !m.Lit() || m.Stopping {
			return m, nil
		}
		m.Stopping = true
		m = m.stop(m.Turn)
		return m, append([]Effect{Interrupt{m.Turn}}, m.repaint()...)
	case Ended:
		if e.Turn != m.Turn {
			return m, nil
		}
		return m.dark(nil, false)
	case gaveUp:
		if e.Turn != m.Turn || m.Shown {
			return m, nil
		}
		return m.dark(nil, false)
	case ScreensChanged:
		m.Screens = e.Screens
		return m, m.repaint()
	case KeyChanged:
		if !m.Lit() {
			return m, nil
		}
		first := !m.Shown // nothing is painted before the card can name its key
		m.Held = e.Held
		if first {
			return m, []Effect{Paint{m.Turn, m.Scene()}}
		}
		return m, m.repaint()
	case Painted:
		if e.Turn == m.Turn && m.Lit() {
			m.Shown, m.Fault = true, nil
		}
		return m, nil
	case PaintFailed:
		if e.Turn != m.Turn {
			return m, nil
		}
		return m.dark(e.Err, true)
	case Lost:
		return m.dark(e.Err, true)
	case Closed:
		return m.dark(ErrClosed, true)
	}
	return m, nil
}

func (m Model) began(e Began) (Model, []Effect) {
	if e.Turn == "" || slices.Contains(m.stopped[:], e.Turn) {
		return m, nil
	}
	if e.Turn == m.Turn {
		return Next(m, Step(e))
	}
	if !m.Lit() {
		m.Turn, m.Label, m.Shown, m.Held, m.Fault = e.Turn, e.Label, false, Held{}, nil
		return m, []Effect{Grab{}}
	}
	// One turn holds the computer at a time, so the older one should be over. If its end is merely late,
	// this stops nothing; if it is not, it must not go on without an edge of its own.
	var effects []Effect
	if !m.Stopping {
		effects = append(effects, Interrupt{m.Turn})
		m = m.stop(m.Turn)
	}
	m.Turn, m.Label, m.Shown, m.Stopping, m.Fault = e.Turn, e.Label, false, false, nil
	return m, append(effects, Paint{m.Turn, m.Scene()})
}

// repaint paints the scene again if it has been shown before.
func (m Model) repaint() []Effect {
	if !m.Lit() || !m.Shown {
		return nil
	}
	return []Effect{Paint{m.Turn, m.Scene()}}
}

// stop remembers that turn is interrupted.
func (m Model) stop(turn string) Model {
	copy(m.stopped[1:], m.stopped[:len(m.stopped)-1])
	m.stopped[0] = turn
	return m
}

// dark ends the lit turn, if there is one. When it is not over by itself, it is interrupted, unless it was
// never shown and so has done nothing yet.
func (m Model) dark(fault error, interrupt bool) (Model, []Effect) {
	m.Fault = fault
	if !m.Lit() {
		return m, nil
	}
	var effects []Effect
	if interrupt && m.Shown && !m.Stopping {
		effects = append(effects, Interrupt{m.Turn})
		m = m.stop(m.Turn)
	}
	m.Turn, m.Label, m.Shown, m.Stopping, m.Held = "", "", false, false, Held{}
	return m, append(effects, Ungrab{}, Clear{})
}

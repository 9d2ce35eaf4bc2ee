package care

import (
	"context"
	"errors"
	"fmt"

	"conch/driver"
)

// Platform is what a computer can be asked about. A nil part is none, and what it would look at is left out.
type Platform struct {
	Screen Screen
	Left   Left
	Test   Test
	Stop   Stop
	Hands  Hands
	Names  Names
	// Busy says that a turn uses the computer, so that nothing is lifted, tried or taken away beneath it.
	Busy func() bool
}

// Screen is the screen.
type Screen interface {
	// Ready says why the screen can't be used now, as a *driver.Unready; nil when it can.
	Ready(context.Context) error
}

// Waker is a Screen that can be woken.
type Waker interface {
	Wake(context.Context) error
}

// Hands are keys and buttons that programs press.
type Hands interface {
	// Stuck counts those that are down although nobody's finger is on them.
	Stuck(context.Context) (int, error)
	// Lift lifts them.
	Lift(context.Context) error
}

// Names are what things on the screen are called.
type Names interface {
	// Answer says why nothing tells them; nil when something does.
	Answer(context.Context) error
	// Again asks for them anew.
	Again(context.Context) error
}

// Left is an edge that was left on the screen.
type Left interface {
	// Left counts windows of an edge that no turn needs and no living program has.
	Left(context.Context) (int, error)
	Clear(context.Context) error
}

// Test says whether pictures really leave Conch's windows out; nil when they do. It shows something for a moment.
type Test interface{ Test(context.Context) error }

// Stop says which keys would stop a turn now, and why they aren't the usual ones or there are none.
type Stop interface {
	StopKey(context.Context) (keys, why string, err error)
}

// Checks are the checks of a platform.
func (p Platform) Checks() (out []Check) {
	if p.Screen != nil {
		out = append(out, p.screen())
	}
	if p.Left != nil {
		out = append(out, p.left())
	}
	if p.Stop != nil {
		out = append(out, p.stopKey())
	}
	if p.Hands != nil {
		out = append(out, p.hands())
	}
	if p.Names != nil {
		out = append(out, p.names())
	}
	if p.Test != nil {
		out = append(out, p.test())
	}
	return out
}

// while answers for a check while a turn uses the computer, and while there is no screen to look at.
func (p Platform) while(run func(context.Context) Finding) func(context.Context) Finding {
	return func(ctx context.Context) Finding {
		if p.Busy != nil && p.Busy() {
			return Finding{Level: Info, Say: "A chat uses your computer, so this isn’t looked at now.", Unknown: true}
		}
		return run(ctx)
	}
}

// unseen is what a check says of something that can't be looked at.
func unseen(err error) Finding {
	var u *driver.Unready
	if errors.As(err, &u) {
		return Finding{Level: Info, Say: "This can’t be looked at while the screen can’t be used.", Unknown: true}
	}
	return Finding{Level: Warn, Say: "This couldn’t be looked at.", Unknown: true}
}

func (p Platform) screen() Check {
	return Check{ID: "screen", Title: "The screen", Area: Repair, Run: func(ctx context.Context) Finding {
		err := p.Screen.Ready(ctx)
		if err == nil {
			return Finding{Level: OK, Say: "It can be seen and used.", Open: pageComputer}
		}
		var u *driver.Unready
		if !errors.As(err, &u) {
			return Finding{Level: Warn, Say: "It doesn’t answer.", Open: pageComputer}
		}
		f := Finding{Level: Warn, Say: u.Error(), Open: pageComputer}
		if w, ok := p.Screen.(Waker); ok && u.Why == driver.WhyAsleep {
			f.Fix = &Fix{Title: "Wake it", Done: "The screen was asleep, and is awake again.", Do: w.Wake}
		}
		if u.Why == driver.WhyLost || u.Why == driver.WhyNoDisplay {
			// Ready opens it again by itself, so looking once more is all there is to do.
			f.Fix = &Fix{Title: "Look again", Done: "The screen is back.", Do: p.Screen.Ready}
		}
		return f
	}}
}

func (p Platform) left() Check {
	return Check{ID: "edge-left", Title: "An edge left on the screen", Area: Repair, Run: p.while(func(ctx context.Context) Finding {
		n, err := p.Left.Left(ctx)
		switch {
		case err != nil:
			return unseen(err)
		case n == 0:
			return Finding{Level: OK, Say: "There is none."}
		}
		return Finding{
			Level: Bad, Say: "Parts of the glowing edge are still on the screen although nothing uses your computer.",
			Fix: &Fix{Title: "Take them away", Done: "An edge that was left on the screen was taken away.", Do: p.Left.Clear},
		}
	})}
}

func (p Platform) test() Check {
	return Check{ID: "edge-test", Title: "Pictures leave Conch out", Area: Repair, Shows: true, Run: p.while(func(ctx context.Context) Finding {
		err := p.Test.Test(ctx)
		var u *driver.Unready
		switch {
		case err == nil:
			return Finding{Level: OK, Say: "Tried: the edge and the Stop card aren’t in pictures of the screen."}
		case errors.As(err, &u):
			return unseen(err)
		}
		return Finding{Level: Bad, Say: "Tried, and it isn’t sure that pictures leave the edge and the Stop card out. So your apps aren’t used."}
	})}
}

func (p Platform) stopKey() Check {
	return Check{ID: "stop-key", Title: "Stop from anywhere", Area: Repair, Run: func(ctx context.Context) Finding {
		keys, why, err := p.Stop.StopKey(ctx)
		switch {
		case err != nil:
			return unseen(err)
		case keys == "":
			return Finding{Level: Bad, Say: "No keys can be had. " + why, Open: pageComputer}
		case why != "":
			return Finding{Level: Warn, Say: why, Open: pageComputer}
		}
		return Finding{Level: OK, Say: keys + " is free, and stops a turn from any app.", Open: pageComputer}
	}}
}

func (p Platform) hands() Check {
	return Check{ID: "held", Title: "Keys and buttons held down", Area: Repair, Run: p.while(func(ctx context.Context) Finding {
		n, err := p.Hands.Stuck(ctx)
		switch {
		case err != nil:
			return unseen(err)
		case n == 0:
			return Finding{Level: OK, Say: "None is held by a program."}
		}
		return Finding{
			Level: Bad, Say: held(n) + " held down, and no finger is on it. Your own typing may come out wrong.",
			Fix: &Fix{Title: "Let go", Done: held(n) + " held down by a program, and was let go.", Do: p.Hands.Lift},
		}
	})}
}

func held(n int) string {
	if n == 1 {
		return "A key or button was"
	}
	return fmt.Sprintf("%d keys or buttons were", n)
}

func (p Platform) names() Check {
	return Check{ID: "names", Title: "Names of buttons and fields", Area: Repair, Run: func(ctx context.Context) Finding {
		err := p.Names.Answer(ctx)
		var u *driver.Unready
		switch {
		case err == nil:
			return Finding{Level: OK, Say: "Apps can tell what things on the screen are called."}
		case errors.As(err, &u):
			return unseen(err)
		case errors.Is(err, ErrNever):
			return Finding{Level: Info, Say: "This session has no accessibility bus, so things can be clicked by their place but not by their name."}
		}
		return Finding{
			Level: Warn, Say: "The accessibility bus doesn’t answer, so nothing can be clicked by its name.",
			Fix: &Fix{Title: "Connect again", Done: "The accessibility bus answers again.", Do: p.Names.Again},
		}
	}}
}

// ErrNever says that there is nothing here that could tell names, and none to start.
var ErrNever = errors.New("there is no accessibility bus in this session")

package main

import (
	"context"
	"errors"

	"conch/driver"
	"conch/gateway"
)

// x11Switches says of an X11 display what a Mac's switches say of a Mac: whether Conch can see it, and whether
// it can click and type there. X11 asks nobody, so there is nothing to press.
type x11Switches struct {
	ready    func(context.Context) error
	practice bool
}

// newSwitches is what a Linux desktop allows.
func newSwitches(d switchDeps) gateway.Switches { return x11Switches{d.screen.Ready, d.practice} }

// Look asks the display itself.
func (x x11Switches) Look(ctx context.Context) gateway.SystemSwitches {
	see := gateway.SystemSwitch{
		Name: gateway.SwitchSee, State: gateway.SwitchOn, Say: "X11 shows every program the whole screen, so there’s nothing to turn on.",
	}
	click := gateway.SystemSwitch{
		Name: gateway.SwitchClick, State: gateway.SwitchOn, Say: "X11 lets every program click and type, so there’s nothing to turn on.",
	}
	if x.practice {
		see.Say, click.Say = "It sees the practice desktop, and nothing else.", "It clicks and types on the practice desktop, and nowhere else."
	}
	if err := x.ready(ctx); err != nil && !passing(err) {
		say := "The screen can’t be used yet."
		if u, ok := errors.AsType[*driver.Unready](err); ok {
			say = u.Error()
		}
		see.State, see.Say = gateway.SwitchOff, say
		click.State, click.Say = gateway.SwitchOff, say
	}
	return gateway.SystemSwitches{Rows: []gateway.SystemSwitch{see, click}}
}

// passing says that the screen may be used and only can't at this moment.
func passing(err error) bool {
	u, ok := errors.AsType[*driver.Unready](err)
	return ok && (u.Why == driver.WhyLocked || u.Why == driver.WhyAsleep)
}

// Ask has nobody to ask.
func (x11Switches) Ask(context.Context, gateway.SwitchName) error { return errNoSwitch }

// Reopen: nothing here needs it.
func (x11Switches) Reopen(context.Context) error { return errNoSwitch }

package mac

import (
	"context"

	"conch/driver"
)

// Ready says whether the screen can be seen and used right now. The error is a *driver.Unready.
func (d *Driver) Ready(ctx context.Context) error {
	if err := d.open(ctx); err != nil {
		return err
	}
	ds, err := d.sys.displays()
	if err != nil {
		return err
	}
	return ready(d.sys.maySee(), d.sys.mayClick(), d.sys.session(), ds)
}

// ready judges what stands in the way, the most lasting first: who misses a permission must not be sent to wake
// a screen.
func ready(see, click bool, s rawSession, ds []rawDisplay) error {
	switch {
	case !see && !click:
		return permission("Conch may not see this Mac's screen or use it yet.", "Turn on See the screen and Click and type in Settings.")
	case !see:
		return permission("Conch may not see this Mac's screen yet.", "Turn on See the screen in Settings.")
	case !click:
		return permission("Conch may not click and type on this Mac yet.", "Turn on Click and type in Settings.")
	case !s.known:
		return &driver.Unready{
			Why: driver.WhyNoDisplay, Say: "Conch isn't in a session with a screen.",
			Next: "Sign in on this Mac and open Conch there.",
		}
	case s.locked:
		return &driver.Unready{Why: driver.WhyLocked, Say: "The screen is locked.", Next: "Unlock it, then try again."}
	case !s.onConsole:
		return &driver.Unready{
			Why: driver.WhyLocked, Say: "Another person is using this Mac now.",
			Next: "Switch back to your account, then try again.",
		}
	case len(ds) == 0:
		return &driver.Unready{Why: driver.WhyNoDisplay, Say: "No display is connected.", Next: "Open the lid or connect one, then try again."}
	}
	for _, v := range ds {
		if !v.asleep {
			return nil
		}
	}
	return &driver.Unready{Why: driver.WhyAsleep, Say: "The display is asleep.", Next: "Wake it, then try again."}
}

func permission(say, next string) error {
	return &driver.Unready{Why: driver.WhyPermission, Say: say, Next: next}
}

// secureInput says why nothing is typed while some app hears a password: what arrives there can't be seen, and
// what the person types can't be told from it.
func secureInput(s rawSession) error {
	if !s.secure {
		return nil
	}
	who := "An app"
	if s.secureName != "" {
		who = s.secureName
	}
	return &driver.Unready{
		Why: driver.WhySecureInput, Say: who + " is waiting for a password, so Conch doesn't type.",
		Next: "Type it yourself, or leave that field, then try again.",
	}
}

// Displays lists the screens; the main one comes first.
func (d *Driver) Displays(ctx context.Context) ([]driver.Display, error) {
	if err := d.open(ctx); err != nil {
		return nil, err
	}
	raw, err := d.sys.displays()
	if err != nil {
		return nil, err
	}
	return displays(raw), nil
}

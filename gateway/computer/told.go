package computer

import (
	"errors"

	"conch/driver"
	"conch/driver/gesture"
)

const (
	unreadTold  = "That step couldn't be read, so nothing was done."
	mayHaveTold = "It may have happened anyway: look before you try again."
)

// errorTold is errorSay for the person: the model is told what to do next, they are told what happened.
func errorTold(err error, acted bool) string { return inWords(err, acted, whyTold, mayHaveTold) }

func whyTold(err error) string {
	if e, ok := errors.AsType[*sayError](err); ok && e.told != "" {
		return e.told
	}
	if e, ok := errors.AsType[*driver.OutsideError](err); ok {
		return capital(e.Error()) + "."
	}
	if _, ok := errors.AsType[*driver.StaleError](err); ok {
		return "The screen changed size or place since the last picture."
	}
	if _, ok := errors.AsType[*driver.NoKeyError](err); ok {
		return "This keyboard can't make one of those keys or characters."
	}
	if _, ok := errors.AsType[*gesture.StuckError](err); ok {
		return "A key or button may still be held, since the screen didn't answer. Press it once and let go of it."
	}
	switch {
	case errors.Is(err, driver.ErrElsewhere):
		return errBetween.told
	case errors.Is(err, driver.ErrHeldByPerson):
		return "You were holding a key or button, so it would have come out wrong."
	case errors.Is(err, driver.ErrNoApp):
		return "No app is called that here."
	case errors.Is(err, driver.ErrNotBegun):
		return "The screen isn't followed any more."
	case errors.Is(err, errStuck):
		return "The screen doesn't answer, and something from before is still under way."
	case errors.Is(err, errRestless):
		return "A window that is kept away keeps moving, so no picture could be taken without it."
	}
	return why(err)
}

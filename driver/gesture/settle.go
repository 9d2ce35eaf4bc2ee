package gesture

import (
	"context"
	"errors"
	"time"

	"conch/driver"
)

// maxLates bounds how often a late wait is waited out again.
const maxLates = 2

// Settle waits until the screen is still: it returns once nothing changed for quiet, with still true, or after
// most with still false. Where this computer is so busy that the wait itself comes back late, an app may be as
// late with what it draws, so quiet is waited for once or twice more. seen is the count of changes that the caller knows of, so that one between an event and
// the call isn't missed; change is the count at the end. It listens to the driver's changes and looks at nothing.
func Settle(ctx context.Context, d driver.Driver, seen uint64, quiet, most time.Duration) (still bool, change uint64, err error) {
	all, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	// A film changes the screen thousands of times in the time of one answer: rest a little after each change.
	rest := min(quiet/8, 10*time.Millisecond)
	left, lates := quiet, 0
	for change = seen; ; {
		start := time.Now()
		window, stop := context.WithTimeout(all, left)
		now, err := d.Changed(window, change)
		over := window.Err() != nil
		stop()
		switch {
		case err == nil:
			change = now
			if err := sleep(all, rest); err != nil {
				return false, change, ctx.Err()
			}
			left = quiet - rest
		case ctx.Err() != nil:
			return false, change, ctx.Err()
		case !over || !errors.Is(err, context.DeadlineExceeded):
			return false, change, err
		case all.Err() == nil && lates < maxLates && time.Since(start)-left > quiet/8:
			lates++
			left = quiet
		case all.Err() != nil:
			return false, change, nil
		default:
			// A busy app may only not have come to drawing yet. One that doesn't answer at all is as still as it gets.
			n, err := answered(all, d, change)
			switch {
			case ctx.Err() != nil:
				return false, change, ctx.Err()
			case all.Err() != nil:
				return false, change, nil
			case err != nil || n == change:
				return err == nil, change, err
			}
			change, left = n, quiet
		}
	}
}

// answerTime is how long the app in front may take to show that it has nothing more to do.
const answerTime = 500 * time.Millisecond

// answered waits until the app in front has taken all that was sent to it, and counts the changes until then.
func answered(ctx context.Context, d driver.Driver, seen uint64) (uint64, error) {
	wait, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if err := d.Answers(wait); err != nil && wait.Err() == nil {
		return seen, err
	}
	if err := ctx.Err(); err != nil {
		return seen, err
	}
	now, stop := context.WithCancel(ctx)
	stop() // a driver answers an ended context with the count so far
	n, err := d.Changed(now, seen)
	if err != nil && now.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	return n, err
}

// SettleAfter is Settle after an event: it first waits up to first for the app to begin changing anything. What
// takes longer to begin is not waited for: most input that changes anything does so at once.
func SettleAfter(ctx context.Context, d driver.Driver, seen uint64, first, quiet, most time.Duration) (still bool, change uint64, err error) {
	begin, cancel := context.WithTimeout(ctx, first)
	change, err = d.Changed(begin, seen)
	cancel()
	switch {
	case err == nil:
		return Settle(ctx, d, change, quiet, most)
	case ctx.Err() != nil:
		return false, change, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return true, change, nil
	}
	return false, change, err
}

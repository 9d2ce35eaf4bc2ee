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
		default:
			return all.Err() == nil, change, nil
		}
	}
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

package mac

import (
	"math"
	"time"

	"conch/driver"
)

// clicks counts clicks in a row as macOS wants them told: an app hears from the event that a click is the second.
type clicks struct {
	button driver.Button
	at     driver.ScreenPoint
	when   time.Time
	count  int
}

// nearClick is how far, in points, a click may be from the one before and still be its second.
const nearClick = 4

// press returns which click of a row this one is, from 1.
func (c *clicks) press(b driver.Button, at driver.ScreenPoint, now time.Time, within time.Duration) int {
	row := b == c.button && c.count > 0 && now.Sub(c.when) <= within && math.Hypot(at.X-c.at.X, at.Y-c.at.Y) <= nearClick
	if !row {
		c.count = 0
	}
	c.count++
	c.button, c.at, c.when = b, at, now
	return c.count
}

// moved ends a row: what was pressed became a drag.
func (c *clicks) moved(to driver.ScreenPoint) {
	if math.Hypot(to.X-c.at.X, to.Y-c.at.Y) > nearClick {
		c.count = 0
	}
}

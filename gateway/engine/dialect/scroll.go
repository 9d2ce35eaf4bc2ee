package dialect

import "math"

// WheelPixels is how many pixels of scrolling count as one click of the wheel, as in a browser.
const WheelPixels = 100

const maxWheel = 100 // clicks in one step, as the computer tool takes them

// wheel counts pixels of scrolling as clicks of the wheel: the nearest number of them, but never none.
func wheel(pixels float64) int { return clicks(pixels / WheelPixels) }

// clicks is a number of clicks as the computer tool takes it.
func clicks(n float64) int {
	return max(int(math.Round(min(math.Abs(n), maxWheel))), 1)
}

package computer

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"conch/driver"
	"conch/driver/gesture"
	"conch/driver/key"
	"conch/gateway/computer/policy"
)

// doingSay is what the step is doing, for the card, the page and the transcript. Nothing of the screen is in
// it but the app's name.
func doingSay(act Action, app string) string {
	in := inside(app)
	switch a := act.(type) {
	case Click:
		return clickWord(a, "Clicking", "Right-clicking", "Middle-clicking", "Double-clicking", "Triple-clicking") + in
	case Move:
		return "Moving the pointer"
	case Drag:
		return "Dragging" + in
	case Button:
		if a.Down {
			return "Pressing the mouse button" + in
		}
		return "Lifting the mouse button" + in
	case Type:
		return "Typing" + in
	case Keys:
		return "Pressing " + chordsSay(a.Chords) + in
	case Hold:
		return "Holding " + chordsSay([]key.Chord{a.Chord}) + in
	case Scroll:
		return "Scrolling" + in
	case Wait:
		return "Waiting"
	case Zoom:
		return "Looking closely"
	case Open:
		return "Opening " + app
	case List:
		return "Looking which apps there are"
	default:
		return "Looking at the screen"
	}
}

// didSay is what was done, once its input was sent.
func didSay(act Action, app string) string {
	in := inside(app)
	switch a := act.(type) {
	case Click:
		return clickWord(a, "Clicked", "Right-clicked", "Middle-clicked", "Double-clicked", "Triple-clicked") + in + "."
	case Move:
		return "Moved the pointer."
	case Drag:
		return "Dragged to " + app + "."
	case Button:
		if a.Down {
			return "Pressed the left button" + in + ". It stays down until you lift it."
		}
		return "Lifted the left button" + in + "."
	case Keys:
		times := ""
		if a.Repeat > 1 {
			times = fmt.Sprintf(" %d times", a.Repeat)
		}
		return "Pressed " + chordsSay(a.Chords) + times + in + "."
	case Hold:
		return "Held " + chordsSay([]key.Chord{a.Chord}) + " for " + secondsSay(a.For) + in + "."
	case Scroll:
		return fmt.Sprintf("Scrolled %s by %d%s.", direction(a), max(a.DX, -a.DX, a.DY, -a.DY), in)
	case Wait:
		return "Waited " + secondsSay(a.For) + "."
	case Zoom:
		return "This is that part of the picture in full detail."
	default:
		return "This is the screen."
	}
}

// loggedSay is what was done, as the chat's log keeps it: say's first sentence, or words of its own where say
// tells what was seen.
func loggedSay(act Action, say string) string {
	switch act.(type) {
	case Screenshot:
		return "Looked at the screen"
	case Zoom:
		return "Looked closely"
	case Cursor:
		return "Looked where the pointer is"
	case List:
		return "Looked which apps there are"
	case Find:
		return "Looked for something by its name"
	default:
	}
	first, _, _ := strings.Cut(say, ". ")
	return strings.TrimSuffix(first, ".")
}

// wantedSay names a step that was refused before it began. Where it would have gone is in the refusal.
func wantedSay(act Action) string {
	switch a := act.(type) {
	case Click:
		return clickWord(a, "Click", "Right-click", "Middle-click", "Double-click", "Triple-click")
	case Move:
		return "Move the pointer"
	case Drag:
		return "Drag"
	case Button:
		if a.Down {
			return "Press the mouse button"
		}
		return "Lift the mouse button"
	case Type:
		return "Type"
	case Keys:
		return "Press " + chordsSay(a.Chords)
	case Hold:
		return "Hold " + chordsSay([]key.Chord{a.Chord})
	case Scroll:
		return "Scroll"
	case Wait:
		return "Wait"
	case Open:
		return "Open an app"
	case List:
		return "Look which apps there are"
	default:
		return "Look at the screen"
	}
}

func inside(app string) string {
	if app == theDesktop.name {
		return " on " + app
	}
	return " in " + app
}

func clickWord(a Click, left, right, middle, double, triple string) string {
	switch a.Word() {
	case policy.RightClick:
		return right
	case policy.MiddleClick:
		return middle
	case policy.DoubleClick:
		return double
	case policy.TripleClick:
		return triple
	}
	return left
}

func direction(a Scroll) string {
	switch {
	case a.DY < 0:
		return "up"
	case a.DY > 0:
		return "down"
	case a.DX < 0:
		return "left"
	}
	return "right"
}

// chordsSay names keys, but never a run of plain characters: those are text, and text isn't told.
func chordsSay(chords []key.Chord) string {
	if len(chords) == 1 && !plainCharacter(chords[0]) {
		return chords[0].Label(key.Words)
	}
	if len(chords) == 1 {
		return "a key"
	}
	return fmt.Sprintf("%d keys", len(chords))
}

func plainCharacter(c key.Chord) bool {
	_, char := c.Key.Plain().Rune()
	return char && c.Mods&^key.ModShift == 0
}

func typedSay(n int, app string) string {
	if n == 1 {
		return "Typed 1 character" + inside(app) + "."
	}
	return fmt.Sprintf("Typed %d characters%s.", n, inside(app))
}

func secondsSay(d time.Duration) string {
	if d == time.Second {
		return "1 second"
	}
	return fmt.Sprintf("%.4g seconds", d.Seconds())
}

func listSay(apps []listed) string {
	if len(apps) == 0 {
		return "No app that I can open is called that."
	}
	var out []string
	for _, a := range apps[:min(len(apps), maxListed)] {
		name := a.Name
		if name == "" {
			name = a.ID
		}
		if a.Running {
			name += " (open)"
		}
		out = append(out, name)
	}
	more := ""
	if n := len(apps) - maxListed; n > 0 {
		more = fmt.Sprintf(" and %d more; give text to narrow the list", n)
	}
	return "Apps I can open: " + strings.Join(out, ", ") + more + "."
}

func foundSay(cs []control) string {
	if len(cs) == 0 {
		return "Nothing called that can be seen in the window in front. Point at it in the picture instead."
	}
	var out []string
	for _, c := range cs[:min(len(cs), 20)] {
		out = append(out, fmt.Sprintf("%s “%s” at %d,%d", c.Role, c.Name, c.X, c.Y))
	}
	return "Found " + strings.Join(out, "; ") + "."
}

const mayHave = "It may have happened anyway: take a screenshot before you try again."

func stoppedSay(acted bool) string {
	if acted {
		return "Stopped. Part of it may have happened."
	}
	return "Stopped before anything was done."
}

// errorSay puts an error into words for who asked for the step: what happened, whether something may have been
// done, and what to do next. It never shows text that was to be typed.
func errorSay(err error, acted bool) string { return inWords(err, acted, why, mayHave) }

func inWords(err error, acted bool, why func(error) string, may string) string {
	say := why(err)
	if e, ok := errors.AsType[*gesture.ShortError](err); ok {
		cause := "the screen took no more."
		if e.Err != nil {
			cause = why(e.Err)
		}
		if e.Typed == 0 && !acted {
			return cause
		}
		say = fmt.Sprintf("Only %d of %d characters were typed: %s", e.Typed, e.Asked, cause)
	}
	if acted {
		say += " " + may
	}
	return say
}

func why(err error) string {
	if e, ok := errors.AsType[*sayError](err); ok {
		return e.say
	}
	if u, ok := asUnready(err); ok {
		return u.Error()
	}
	if e, ok := errors.AsType[*driver.OutsideError](err); ok {
		return capital(e.Error()) + ". Use points of the last picture."
	}
	if _, ok := errors.AsType[*driver.StaleError](err); ok {
		return "The screen changed size or place since I last looked. Look again first."
	}
	if _, ok := errors.AsType[*driver.NoKeyError](err); ok {
		return "This keyboard can't make one of those keys or characters. Leave it out, or ask the person."
	}
	if e, ok := errors.AsType[*LimitError](err); ok {
		return "The screen didn't answer: " + e.Error() + "."
	}
	if _, ok := errors.AsType[*gesture.StuckError](err); ok {
		return "A key or button may still be held, since the screen didn't answer. Ask the person to press and let go of it."
	}
	switch {
	case errors.Is(err, driver.ErrElsewhere):
		return errBetween.say
	case errors.Is(err, driver.ErrHeldByPerson):
		return "The person is holding a key or button, so it would come out wrong. Wait a moment, then try again."
	case errors.Is(err, driver.ErrNoApp):
		return "No app is called that here. Ask for the list of apps (list_apps) to see which there are."
	case errors.Is(err, driver.ErrNotBegun):
		return "The screen isn't followed any more. Take a screenshot."
	case errors.Is(err, errStuck):
		return "The screen doesn't answer, and something from before is still under way. Stop, and start again in a moment."
	case errors.Is(err, errRestless):
		return "A window that is kept away keeps moving, so I can't take a picture without it. Wait, then look again."
	case errors.Is(err, errTurnOver):
		return "This turn is over, so nothing more is done."
	}
	return "That didn't work."
}

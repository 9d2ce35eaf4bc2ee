package web

import (
	"fmt"
	"html/template"
	"strings"
	"time"
)

// usualTries are the first things to try where the gateway names none. All of them are words that work
// without a model.
var usualTries = []string{
	"look",
	"open Mousepad then type \"hello\"",
	"open Mousepad then type \"hello\" then press ctrl+a",
}

// ownWords are the first things to try where a model thinks.
var ownWords = []string{
	"What is on my screen?",
	"Open Mousepad and write a short shopping list.",
	"Add up 1,250, 380 and 97 in the calculator.",
}

// modeRow is one rung in the mode menu.
type modeRow struct {
	Mode        Mode
	Name, About string
}

var modeRows = []modeRow{
	{ModePlan, "Plan only", "Looks, but never clicks or types."},
	{ModeAsk, "Ask first", "Asks before it uses an app or changes something."},
	{ModeAuto, "Auto", "Does routine work. Asks before each new app and anything serious."},
	{ModeTrust, "Full trust", "Goes ahead with everything that is allowed at all."},
}

func (r *Renderer) funcs() template.FuncMap {
	return template.FuncMap{
		"part": func(v PartView) (template.HTML, error) {
			html, err := r.Part(v)
			return template.HTML(html), err //nolint:gosec // rendered by these very templates
		},
		"asset": r.static.path,
		"tries": func(own []string, thinks bool) []string {
			switch {
			case own != nil:
				return own
			case thinks:
				return ownWords
			}
			return usualTries
		},
		"modes":      func() []modeRow { return modeRows },
		"keys":       func(s string) []string { return strings.Split(s, "+") },
		"clock":      func(t time.Time) string { return t.Format("15:04") },
		"stamp":      func(t time.Time) string { return t.Format(time.RFC3339) },
		"day":        func(t time.Time) string { return t.Format("2 January 2006") },
		"took":       took,
		"count":      count,
		"icon":       icon,
		"stepicon":   func(s Step) (template.HTML, error) { return icon(stepIcon(s)) },
		"noteicon":   func(k NoteKind) (template.HTML, error) { return icon(noteIcon(k)) },
		"choiceicon": func(c Choice) (template.HTML, error) { return icon(choiceIcon(c)) },
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// took says how long something lasted, as precisely as a person cares.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return "under 1 s"
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	default:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
}

func (h Home) frame() Frame             { return h.Frame }
func (c Chat) frame() Frame             { return c.Frame }
func (s Settings) frame() Frame         { return s.Frame }
func (s ComputerSettings) frame() Frame { return s.Frame }
func (n NotFound) frame() Frame         { return n.Frame }

// at is the list with one chat marked as the page's own.
func (c RailChats) at(id string) RailChats {
	days := make([]RailDay, len(c.Days))
	for i, d := range c.Days {
		days[i] = RailDay{Name: d.Name, Chats: append([]RailChat(nil), d.Chats...)}
		for j := range days[i].Chats {
			days[i].Chats[j].current = days[i].Chats[j].ID == id
		}
	}
	return RailChats{Days: days}
}

// The methods below are for the templates.

// Current says that this is the page's own chat.
func (c RailChat) Current() bool { return c.current }

// Watch says that the page looks again by itself: a person is about to turn something on.
func (s Switches) Watch() bool {
	for _, row := range s.Rows {
		if row.State != SwitchOn {
			return true
		}
	}
	return false
}

// StateWord says how the switch stands.
func (r SwitchRow) StateWord() string {
	switch r.State {
	case SwitchOn:
		return "On"
	case SwitchReopen:
		return "On after reopening"
	case SwitchRefused:
		return "On, but refused"
	}
	return "Off"
}

// Icon is the icon of its state.
func (r SwitchRow) Icon() string {
	if r.State == SwitchOn {
		return "check"
	}
	return "warning"
}

// Name is the title, or words for none.
func (c RailChat) Name() string { return orNewChat(c.Title) }

// Thinks says whether a model answers.
func (h Home) Thinks() bool { return h.Model != "" }

// Thinks says whether a model answers.
func (c Chat) Thinks() bool { return c.Composer.Model != "" }

// InChat says whether there is a chat already.
func (Home) InChat() bool { return false }

// InChat says whether there is a chat already.
func (Chat) InChat() bool { return true }

// ID is empty: the chat comes with its first message.
func (Home) ID() string { return "" }

// SendTo is where the composer sends.
func (Home) SendTo() string { return "/api/chats" }

// SendTo is where the composer sends.
func (c Chat) SendTo() string { return "/api/chats/" + c.ID + "/messages" }

// State is the composer's changing part.
func (h Home) State() ComposerState { return ComposerState{Model: h.Model} }

// State is the composer's changing part.
func (c Chat) State() ComposerState {
	s := c.Composer
	s.Chat = c.ID
	return s
}

// ByPerson says who wrote it.
func (m Message) ByPerson() bool { return m.Who == ByPerson }

// ModelName is what answers, for a person.
func (s ComposerState) ModelName() string {
	if s.Model == "" {
		return "Plain words"
	}
	return s.Model
}

// Doing is empty: what an answer waits for comes over the socket.
func (Chat) Doing() Doing { return Doing{} }

// ModeNow is the mode that holds; none set is ModeAsk.
func (s ComposerState) ModeNow() Mode {
	for _, row := range modeRows {
		if row.Mode == s.Mode {
			return s.Mode
		}
	}
	return ModeAsk
}

// ModeName is the mode that holds, for a person.
func (s ComposerState) ModeName() string {
	for _, row := range modeRows {
		if row.Mode == s.ModeNow() {
			return row.Name
		}
	}
	return ""
}

// StateWord says how a step went, where it isn't plain that it was done.
func (s Step) StateWord() string {
	switch s.State {
	case StepRefused:
		return "Refused"
	case StepFailed:
		return "Failed"
	case StepStopped:
		return "Stopped"
	}
	return ""
}

// Trouble says how many steps didn't go as asked, so that a folded turn doesn't hide it.
func (s Steps) Trouble() string {
	var said []string
	for _, of := range []struct {
		state StepState
		word  string
	}{{StepRefused, "refused"}, {StepFailed, "failed"}, {StepStopped, "stopped"}} {
		n := 0
		for _, step := range s.Steps {
			if step.State == of.state {
				n++
			}
		}
		if n > 0 {
			said = append(said, fmt.Sprintf("%d %s", n, of.word))
		}
	}
	return strings.Join(said, ", ")
}

// ChoiceWord is the answer, for a person.
func (q Question) ChoiceWord() string {
	switch q.Choice {
	case ChoiceOnce:
		return "Allowed once"
	case ChoiceAlways:
		return "Always allowed"
	case ChoiceNo:
		return "No"
	case ChoiceExpired:
		return "No answer, so no"
	case ChoiceStopped:
		return "You stopped before answering"
	case ChoiceEnded:
		return "It ended before you answered"
	}
	return ""
}

// Sized says whether the picture's size is known.
func (l Live) Sized() bool { return l.W > 0 && l.H > 0 }

// Ring is the radius of the click's ripple in the picture's pixels.
func (l Live) Ring() int { return max(10, min(l.W, l.H)/28) }

package web

import (
	"fmt"
	"strconv"
	"strings"
)

// PathModels is Settings → Models.
const PathModels = "/settings/models"

// Models is Settings → Models: who thinks for chats, and what it may cost.
type Models struct {
	Frame
	Places ModelPlaces
	Found  ModelsFound
	Usual  ModelUsual
	Limits ModelLimits
	Kinds  []ModelKind // in the order in which they are offered
	Where  string      // where keys are kept: "in your keychain"
	Safe   bool        // the system guards them, beyond the rights of a file
}

// ModelKind is a kind of place that can be added.
type ModelKind struct {
	ID, Name string
	Keys     string // where a person gets a key; empty: it has none
	Key      bool   // it needs one
	Own      bool   // a server of the person's, whose address they give
	Base     string // its usual address; empty: there is none
	Program  bool   // a program of the person's own, which takes neither a key nor an address
	Missing  string // what it lacks on this computer, and what to do; empty: nothing
}

// PlaceState says how a place stands.
type PlaceState string

// The states of a place.
const (
	PlaceNew   PlaceState = "new" // not tested
	PlaceWorks PlaceState = "works"
	PlaceWrong PlaceState = "wrong"
)

// ModelPlace is one place, "place-<id>".
type ModelPlace struct {
	ID, Name string
	Kind     string // "Anthropic"
	At       string // a server's address; empty for an account
	Key      bool   // it needs a key
	Program  bool   // it is a program of the person's own, which takes none
	State    PlaceState
	Models   int    // how many it has
	Say      string // what is wrong
	Next     string // what to do about it
}

// ModelPlaces is the list of places, "model-places".
type ModelPlaces struct {
	Places  []ModelPlace
	Problem string // why the list can't be read; empty when it can
}

// ModelsFound is what runs on this computer and isn't a place yet, "models-found". Without any it is hidden.
type ModelsFound struct{ Kinds []ModelKind }

// ModelChoice is a model that can be chosen.
type ModelChoice struct {
	Name  string // as it is chosen: "anthropic/claude-opus-5-5"
	Label string // "Claude Opus 5.5"
	Sees  bool
	Tools bool
	Local bool
	// What a million tokens cost in dollars, read and written; zero isn't known.
	In, Out float64
}

// ModelGroup is the models of one place.
type ModelGroup struct {
	Place   string // its name
	Choices []ModelChoice
}

// ModelUsual is the model that answers where a chat names none, "models-usual". Without places it is hidden.
type ModelUsual struct {
	Now    string // the name of the one that is chosen; empty: none
	Groups []ModelGroup
	Places int
}

// ModelLimits is what may be spent, in dollars, "models-limits".
type ModelLimits struct {
	Turn, Day float64 // zero: no limit
	Today     Spent
}

// Spent is what something took.
type Spent struct {
	Dollars  float64
	Requests int
	Unknown  int // of them that nobody knows the price of
}

// ModelsRow is the row in Settings.
type ModelsRow struct {
	Places int
	Usual  string // the model's name for a person; empty: none
}

// ChatCost is what a chat has cost, "chat-cost". Without a request it is hidden.
type ChatCost struct{ Chat, Last Spent }

// Doing is what an answer waits for, "doing"; empty hides it.
type Doing struct{ Say string }

func (Models) page() string      { return "models" }
func (Models) title() string     { return "Models" }
func (m Models) frame() Frame    { return m.Frame }
func (ModelPlaces) part() string { return "model-places" }
func (ModelsFound) part() string { return "models-found" }
func (ModelUsual) part() string  { return "models-usual" }
func (ModelLimits) part() string { return "models-limits" }
func (ChatCost) part() string    { return "chat-cost" }
func (Doing) part() string       { return "doing" }

// ElementID is the id of the element that the part renders to.
func (ModelPlaces) ElementID() string { return "model-places" }

// ElementID is the id of the element that the part renders to.
func (ModelsFound) ElementID() string { return "models-found" }

// ElementID is the id of the element that the part renders to.
func (ModelUsual) ElementID() string { return "models-usual" }

// ElementID is the id of the element that the part renders to.
func (ModelLimits) ElementID() string { return "models-limits" }

// ElementID is the id of the element that the part renders to.
func (ChatCost) ElementID() string { return "chat-cost" }

// ElementID is the id of the element that the part renders to.
func (Doing) ElementID() string { return "doing" }

// About is what kind of place it is, under its name.
func (p ModelPlace) About() string {
	switch {
	case p.Program && p.Name == p.Kind:
		return "On your own plan"
	case p.Name == p.Kind && p.At == "":
		return "Your account"
	case p.At == "":
		return p.Kind
	case p.Name == p.Kind:
		return p.At
	}
	return p.Kind + ", " + p.At
}

// Words is how it stands.
func (p ModelPlace) Words() string {
	switch p.State {
	case PlaceWorks:
		if p.Models == 0 {
			return "It answers, but has no model. Get one there, then test again."
		}
		return "Works, " + count(p.Models, "model") + "."
	case PlaceWrong:
		return strings.TrimSpace(p.Say + " " + p.Next)
	}
	return "Not tested."
}

// Icon is the icon of its state; empty is none.
func (p ModelPlace) Icon() string {
	switch {
	case p.State == PlaceWorks && p.Models > 0:
		return "check"
	case p.State == PlaceNew:
		return ""
	}
	return "warning"
}

// Mark is how good that is: "fine", "ask", or empty.
func (p ModelPlace) Mark() string {
	switch p.Icon() {
	case "check":
		return "fine"
	case "warning":
		return "ask"
	}
	return ""
}

// Marks is what to know before choosing a model.
func (c ModelChoice) Marks() string {
	marks := []string{"sees pictures"}
	if !c.Sees {
		marks[0] = "can’t see pictures"
	}
	if !c.Tools {
		marks = append(marks, "can’t use your apps")
	}
	switch {
	case c.Local:
		marks = append(marks, "on this computer")
	case c.In > 0 || c.Out > 0:
		marks = append(marks, price(c.In)+" in, "+price(c.Out)+" out")
	default:
		marks = append(marks, "price not known")
	}
	return strings.Join(marks, " · ")
}

// Gone says that the chosen model is in no list, so that it is named by itself.
func (u ModelUsual) Gone() bool {
	for _, g := range u.Groups {
		for _, c := range g.Choices {
			if c.Name == u.Now {
				return false
			}
		}
	}
	return u.Now != ""
}

// Words is what the row in Settings says at its right.
func (r ModelsRow) Words() string {
	switch {
	case r.Usual != "":
		return r.Usual
	case r.Places > 0:
		return "None chosen"
	}
	return "None yet"
}

// price is a price of a million, without needless zeros: "$3", "$0.25", "$0.075".
func price(dollars float64) string {
	return "$" + strconv.FormatFloat(float64(int(dollars*1000+.5))/1000, 'f', -1, 64)
}

// money is a sum for a person.
func money(dollars float64) string {
	switch {
	case dollars <= 0:
		return "nothing"
	case dollars < .01:
		return "less than a cent"
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// amount is a limit as its field shows it; none is empty.
func amount(dollars float64) string {
	if dollars <= 0 {
		return ""
	}
	if cents := fmt.Sprintf("%.2f", dollars); !strings.HasSuffix(cents, ".00") && strconv.FormatFloat(dollars, 'f', -1, 64)+"0" == cents {
		return cents // half a dollar is 0.50
	}
	return strconv.FormatFloat(dollars, 'f', -1, 64)
}

// TurnAmount is the limit of a reply, as its field shows it.
func (l ModelLimits) TurnAmount() string { return amount(l.Turn) }

// DayAmount is the limit of a day, as its field shows it.
func (l ModelLimits) DayAmount() string { return amount(l.Day) }

// Words is what was spent today.
func (l ModelLimits) Words() string {
	if l.Today.Requests == 0 {
		return "Today nothing was spent."
	}
	if l.Today.Unknown == l.Today.Requests {
		return "What today’s replies cost isn’t known."
	}
	s := "Today’s replies have cost " + money(l.Today.Dollars)
	if l.Today.Unknown > 0 {
		s += ", beside " + unknown(l.Today.Unknown)
	}
	return s + "."
}

func unknown(n int) string {
	if n == 1 {
		return "one request whose price isn’t known"
	}
	return strconv.Itoa(n) + " requests whose price isn’t known"
}

// Words is what a chat and its last reply have cost, in one quiet line.
func (c ChatCost) Words() string {
	switch {
	case c.Chat.Requests == 0:
		return ""
	case c.Chat.Unknown == c.Chat.Requests:
		return "What this chat costs isn’t known."
	}
	s := "This chat has cost " + money(c.Chat.Dollars)
	if c.Chat.Requests > c.Last.Requests && c.Last.Unknown < c.Last.Requests {
		s += ", the last reply " + money(c.Last.Dollars)
	}
	if c.Chat.Unknown > 0 {
		s += ", beside " + unknown(c.Chat.Unknown)
	}
	return s + "."
}

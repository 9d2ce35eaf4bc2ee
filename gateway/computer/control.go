package computer

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rivo/uniseg"

	"conch/driver"
	"conch/driver/key"
	"conch/gateway/ask"
	"conch/gateway/computer/policy"
	"conch/gateway/computer/stakes"
	"conch/gateway/guard"
)

// pressed is what a step would press or type into, as the app itself says.
type pressed struct {
	stakes guard.Stakes
	where  driver.WindowID // of the control with stakes
	secure bool            // keys would go into a password field
	own    bool            // it names Conch's own folder
	unread bool            // nothing told what is there
}

// same says whether what would be pressed is what it was: only of what has stakes the name matters.
func (p pressed) same(now pressed) bool { return p.stakes == now.stakes && p.where == now.where }

// slowLook is how long a look-up takes that nothing more is asked after in this step: an app that hangs costs a
// step no more than one.
const slowLook = driver.LookUp * 3 / 4

// pressing asks what a step would press at points, or with the keys. What is kept away is asked nothing, and what
// can't be read is unread.
func (s *step) pressing(ctx context.Context, p place, next *driver.ScreenPoint) (pressed, error) {
	for _, t := range p.targets {
		if t.touch.Kept.Kind != policy.NotKept {
			return pressed{}, nil
		}
	}
	start := time.Now()
	var out pressed
	var err error
	switch policy.ReachOf(s.act.Word()) {
	case policy.Points:
		at, presses := s.pressesAt(p.points, next)
		if !presses || s.mute {
			return pressed{unread: presses}, nil
		}
		out, err = s.under(ctx, at)
	case policy.Keys:
		if s.mute {
			return pressed{unread: true}, nil
		}
		out, err = s.focused(ctx)
	default:
		return pressed{}, nil
	}
	s.mute = err != nil && time.Since(start) >= slowLook
	if ctx.Err() != nil {
		return pressed{}, ctx.Err()
	}
	if err != nil {
		return pressed{unread: true}, nil
	}
	return out, nil
}

// pressesAt is where a step of the mouse presses something, or lets go over it. A drag does at its end.
func (s *step) pressesAt(points []driver.ScreenPoint, next *driver.ScreenPoint) (driver.ScreenPoint, bool) {
	if len(points) == 0 {
		return driver.ScreenPoint{}, false
	}
	end := points[len(points)-1]
	switch s.act.(type) {
	case Click:
		return points[0], true
	case Button:
		return end, true
	case Drag:
		return end, next == nil || *next == end
	default: // moves, scrolls
		return end, false
	}
}

// under reads what is under a point.
func (s *step) under(ctx context.Context, at driver.ScreenPoint) (pressed, error) {
	c, err := s.c.drv.Control(ctx, at)
	if err != nil {
		return pressed{}, err
	}
	out := s.named(c)
	out.secure = false // a click puts the keys there, which is the person's to use
	out.unread = ownWords(c.Name) == "" && driver.Usable(c.Role) && !c.Secure && !holdsText(c.Role)
	return out, nil
}

// focused reads what has the keys, and what the keys of this step would press.
func (s *step) focused(ctx context.Context) (pressed, error) {
	f, err := s.c.drv.Focus(ctx)
	if err != nil {
		return pressed{}, err
	}
	out := pressed{secure: f.Control.Secure}
	enter, space := activates(s.act, s.part)
	switch {
	case (enter || space) && f.Control.Role != "" && !holdsText(f.Control.Role):
		out = s.named(f.Control)
		if out.stakes == (guard.Stakes{}) && enter && f.Default.Role != "" && f.Control.Role != "button" {
			out = s.named(f.Default)
		}
	case enter && !f.Lines && f.Default.Role != "":
		out = s.named(f.Default)
	}
	out.secure = f.Control.Secure
	return out, nil
}

// named judges a control by its name and its role.
func (s *step) named(c driver.Control) pressed {
	out := pressed{secure: c.Secure, own: s.c.cfg.Own().Folder(c.Name)}
	if !sayable(c) {
		return out
	}
	if k, ok := stakes.Of(c.Name); ok {
		out.stakes, out.where = guard.Stakes{Kind: string(k), Control: ownWords(c.Name)}, c.Window
	}
	return out
}

// holdsText says whether keys are characters to what has this role.
func holdsText(role string) bool {
	switch role {
	case "textbox", "searchbox", "combobox", "spinbutton", "document":
		return true
	}
	return false
}

// sayable says whether a control's name says what pressing it does. Of what isn't made to be pressed, and of what
// holds other people's words, only a short name does: an email about sending isn't a button.
func sayable(c driver.Control) bool {
	n := len(strings.Fields(c.Name))
	if n == 1 {
		n = max(1, len([]rune(c.Name))/8) // no spaces between words
	}
	switch c.Role {
	case "button", "menuitem", "menuitemcheckbox", "menuitemradio", "checkbox", "radio", "switch":
		return true
	case "link", "tab", "option", "gridcell", "treeitem", "row", "columnheader", "rowheader":
		return n <= 5
	case "generic", "text", "img", "group", "heading", "paragraph", "region", "":
		return n <= 3
	}
	return false
}

// ownWords are a control's own words as they are shown to a person: short, and nothing that hides in them.
func ownWords(name string) string {
	return plain(strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Cf, unicode.Me), r == '\u3164', r == '\u115f', r == '\u1160', r == '\u0335', r == '\u0336':
			return -1
		case strings.ContainsRune("“”„‟\"«»", r):
			return '\''
		case r == '_':
			return -1
		}
		return r
	}, name))
}

// activates says whether a step's keys press what has them: Return, or space. part is the part of the step that is
// about to be sent; nil is its beginning.
func activates(act Action, part *part) (enter, space bool) {
	var chords []key.Chord
	switch a := act.(type) {
	case Type:
		text := string(a.Text)
		if part != nil {
			text = part.text
		} else if first := pieces(text); len(first) > 0 {
			text = first[0]
		}
		return strings.Contains(text, "\n"), strings.Contains(text, " ")
	case Keys:
		chords = a.Chords[:1]
		if part != nil {
			chords = []key.Chord{part.chord}
		}
	case Hold:
		chords = []key.Chord{a.Chord}
	default: // has no keys
	}
	for _, c := range chords {
		k := c.Key.Plain()
		enter, space = enter || k == "Return", space || k == "space"
	}
	return enter, space
}

// A part is what of a step is sent between two judgements of its own: one chord, or a piece of text.
type part struct {
	chord key.Chord
	text  string
}

// mostPiece is how many characters are typed before it is asked again where they go: a field that takes the keys
// meanwhile gets no more than these.
const mostPiece = 24

// pieces cuts text so that each Return, each Tab and what follows it is judged by itself.
func pieces(text string) []string {
	var out []string
	start, n := 0, 0
	cut := func(end int) {
		if end > start {
			out = append(out, text[start:end])
		}
		start, n = end, 0
	}
	for g := uniseg.NewGraphemes(text); g.Next(); {
		from, to := g.Positions()
		if s := text[from:to]; strings.ContainsAny(s, "\n\t") {
			cut(from)
			cut(to)
			continue
		}
		if n++; n == mostPiece {
			cut(to)
		}
	}
	cut(len(text))
	return out
}

// allowed says whether the person said yes to just this press. A button of the mouse that goes up over what it was
// allowed to go down on is the other half of the same press.
func (s *step) allowed(p pressed) bool {
	b, ok := s.act.(Button)
	return p.stakes != (guard.Stakes{}) && (s.yes.same(p) || ok && !b.Down && s.t.lifts.same(p))
}

// askStakes asks about the one thing that a step would press. A yes holds for this press and no other.
func (s *step) askStakes(ctx context.Context, p place, v guard.Verdict) error {
	what, app := p.press.stakes, s.presses(p)
	s.app = app.name
	spoke := s.spoke
	s.doing("Asking whether I may press “"+what.Control+"”", true)
	s.spoke = spoke
	answered := s.t.person.asking()
	choice := s.c.cfg.Asker.Put(ctx, ask.Question{
		Chat: s.t.chat, Turn: s.t.id, Title: "Press “" + what.Control + "”" + inside(app.name) + "?", Why: v.Say, App: app.name,
		Same: "press " + what.Control + " in " + string(app.app),
	})
	answered()
	if err := ctx.Err(); err != nil {
		return err
	}
	if choice != ask.Once && choice != ask.Always {
		return &sayError{
			say:  "The person didn't allow pressing “" + what.Control + "”" + inside(app.name) + ". Don't try again unless they ask for it.",
			told: "You didn't allow pressing “" + what.Control + "”" + inside(app.name) + ".",
		}
	}
	s.yes = p.press
	return nil
}

// presses is the app that what has stakes belongs to.
func (s *step) presses(p place) target {
	for _, t := range slices.Backward(p.targets) {
		if t.window == p.press.where {
			return t
		}
	}
	return p.targets[len(p.targets)-1]
}

// mustBe is why a step stops when what it would press isn't what it was judged for.
func mustBe(was, now pressed) error {
	what := was.stakes.Control
	if what == "" {
		what = now.stakes.Control
	}
	return &sayError{
		say:  "What I was about to press changed (“" + what + "”), so I stopped. Take a screenshot and look again.",
		told: "“" + what + "” changed before I pressed it, so I stopped.",
	}
}

// unreadSay is said once in a turn about each app that doesn't tell what its controls are called.
const unreadSay = "I couldn't read what that button is called."

// noteUnread says so after a click that landed in an app, the first time.
func (s *step) noteUnread(say string, p place) string {
	if _, click := s.act.(Click); !click || !p.press.unread || p.targets[0].window == 0 || s.t.unread[p.targets[0].app] {
		return say
	}
	if s.t.unread == nil {
		s.t.unread = map[driver.AppID]bool{}
	}
	s.t.unread[p.targets[0].app] = true
	return say + " " + unreadSay
}

// typed is what a step would type, as far as it is characters.
func typed(act Action, before string) string {
	switch a := act.(type) {
	case Type:
		return before + string(a.Text)
	case Keys:
		var out []rune
		out = append(out, []rune(before)...)
		for range a.Repeat {
			for _, c := range a.Chords {
				if r, ok := c.Key.Plain().Rune(); ok && c.Mods&^key.ModShift == 0 {
					out = append(out, r)
				} else if c.Key == "BackSpace" && len(out) > 0 {
					out = out[:len(out)-1]
				}
			}
		}
		return string(out)
	default: // types nothing
		return before
	}
}

// mostTyped is how much of what a turn typed is remembered, so that a name can't be put together from steps.
const mostTyped = 512

// namesOwn says whether what would be typed names Conch's own folder.
func (s *step) namesOwn() bool {
	if policy.ReachOf(s.act.Word()) != policy.Keys {
		return false
	}
	return s.c.cfg.Own().Folder(typed(s.act, s.typed))
}

// noteTyped remembers what a step typed.
func (s *step) noteTyped() {
	t := []rune(typed(s.act, s.typed))
	s.t.typed = string(t[max(0, len(t)-mostTyped):])
}

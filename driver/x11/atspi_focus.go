//go:build linux

package x11

import (
	"context"
	"time"

	"conch/driver"

	"github.com/godbus/dbus/v5"
)

const ifCollection = "org.a11y.atspi.Collection."

// More state bits (AtspiStateType).
const (
	stateFocused   = 12
	stateMultiLine = 17
	stateDefault   = 39
)

// stateBits are an object's states, 32 to a word.
type stateBits []uint32

func (s stateBits) has(bit int) bool { return bit/32 < len(s) && s[bit/32]&(1<<(bit%32)) != 0 }

func (s stateBits) shown() bool { return s.has(stateShowing) && s.has(stateVisible) }

// matchRule is what a Collection is searched for (org.a11y.atspi.Collection). Empty lists match anything.
type matchRule struct {
	States      []int32 // bits, 32 to a word
	StatesHow   int32
	Attrs       map[string]string
	AttrsHow    int32
	Roles       []int32 // bits, 32 to a word
	RolesHow    int32
	Interfaces  []string
	InterfHow   int32
	InvertMatch bool
}

const (
	matchAll      = int32(1)
	matchAny      = int32(2)
	sortCanonical = uint32(1)
)

func newRule() matchRule {
	return matchRule{
		States: []int32{0, 0}, StatesHow: matchAll, Attrs: map[string]string{}, AttrsHow: matchAll,
		Roles: []int32{}, RolesHow: matchAny, Interfaces: []string{}, InterfHow: matchAll,
	}
}

func ruleForState(bit int) matchRule {
	r := newRule()
	r.States[bit/32] = int32(uint32(1) << (bit % 32))
	return r
}

func ruleForRole(role int) matchRule {
	r := newRule()
	r.Roles = make([]int32, 5)
	r.Roles[role/32] = int32(uint32(1) << (role % 32))
	return r
}

// mostMatches bounds an answer: a page with more password fields than this is no sign-in page.
const mostMatches = 32

func (t *tongue) sendMatches(ctx context.Context, in node, r matchRule) *dbus.Call {
	return t.send(ctx, in, ifCollection+"GetMatches", r, sortCanonical, int32(mostMatches), true)
}

// answerMatches returns what matched; false when the app has no such search.
func answerMatches(c *dbus.Call) (found []node, ok bool) {
	ok = answer(c, &found)
	return found, ok
}

// survey is what is looked for in a window all at once.
type survey struct{ focused, standard, secret []node }

// survey looks through a window, by the app's own search where it has one. An error is the end of the time.
func (t *tongue) survey(ctx context.Context, in frame) (survey, error) {
	calls := [3]*dbus.Call{
		t.sendMatches(ctx, in.node, ruleForState(stateFocused)),
		t.sendMatches(ctx, in.node, ruleForState(stateDefault)),
		t.sendMatches(ctx, in.node, ruleForRole(rolePassword)),
	}
	var s survey
	all := true
	for i, into := range []*[]node{&s.focused, &s.standard, &s.secret} {
		found, ok := answerMatches(calls[i])
		*into, all = found, all && ok
	}
	if all || ctx.Err() != nil {
		return s, ctx.Err()
	}
	return t.surveyByHand(ctx, in)
}

// mostSurveyed bounds a survey by hand.
const mostSurveyed = 1500

// surveyByHand goes through what is shown of a window level by level; all questions about a level are under way
// at once (Qt answers no search).
func (t *tongue) surveyByHand(ctx context.Context, in frame) (survey, error) {
	type asked struct{ role, state, kids *dbus.Call }
	var s survey
	level, seen := []node{in.node}, 0
	for depth := 0; depth < deepest && len(level) > 0; depth++ {
		calls := make([]asked, len(level))
		for i, n := range level {
			calls[i] = asked{
				t.send(ctx, n, ifAccessible+"GetRole"), t.send(ctx, n, ifAccessible+"GetState"), t.send(ctx, n, ifAccessible+"GetChildren"),
			}
		}
		var next []node
		for i, n := range level {
			var role uint32
			var bits stateBits
			var kids []node
			answer(calls[i].role, &role)
			answer(calls[i].state, &bits)
			answer(calls[i].kids, &kids)
			if !bits.shown() && depth > 0 {
				continue
			}
			if bits.has(stateFocused) {
				s.focused = append(s.focused, n)
			}
			if bits.has(stateDefault) {
				s.standard = append(s.standard, n)
			}
			if role == rolePassword {
				s.secret = append(s.secret, n)
			}
			next = append(next, kids[:min(len(kids), mostChildren)]...)
		}
		if err := ctx.Err(); err != nil {
			return s, err
		}
		level = next
		if seen += len(level); seen > mostSurveyed {
			break
		}
	}
	return s, nil
}

// focusKept is how long only what had the keys is asked, and not what else might press a button.
const focusKept = time.Second

// lastFocus is what had the keys when it was asked for last: mostly it still has.
type lastFocus struct {
	at       time.Time
	window   driver.WindowID
	top      frame
	node     node
	standard node // null when there was none
	dialog   bool
}

// Focus says what has the keys in the window w, which has them.
func (a *a11y) Focus(ctx context.Context, w driver.Window) (driver.Focus, error) {
	return ask(ctx, a, driver.LookUp, func(ctx context.Context, t *tongue) (driver.Focus, error) {
		a.lastMu.Lock()
		defer a.lastMu.Unlock()
		if f, ok := t.still(ctx, &a.last, w); ok {
			return f, nil
		}
		a.last = lastFocus{}
		tops, err := t.frames(ctx, w)
		if err != nil {
			return driver.Focus{}, err
		}
		for _, top := range tops {
			s, err := t.survey(ctx, top)
			if err != nil {
				return driver.Focus{}, err
			}
			if f, ok := t.focus(ctx, &a.last, top, s, w); ok {
				return f, nil
			}
		}
		return driver.Focus{}, driver.ErrNoControl
	})
}

// still asks what had the keys whether it has them still.
func (t *tongue) still(ctx context.Context, last *lastFocus, w driver.Window) (f driver.Focus, ok bool) {
	if last.window != w.ID || w.ID == 0 || time.Since(last.at) > focusKept || last.node.isNull() {
		return f, false
	}
	c, bits, ok := t.describe(ctx, last.node, last.top.scale)
	if !ok || !bits.has(stateFocused) || !bits.shown() {
		return f, false
	}
	f.Control, f.Lines = t.named(ctx, last.node, c), bits.has(stateMultiLine)
	f.Control.Window, f.Control.Dialog = w.ID, last.dialog
	if !last.standard.isNull() {
		c, bits, ok := t.describe(ctx, last.standard, last.top.scale)
		if !ok || !bits.has(stateDefault) {
			return driver.Focus{}, false
		}
		f.Default = t.named(ctx, last.standard, c)
		f.Default.Window, f.Default.Dialog = w.ID, last.dialog
	}
	return f, true
}

// focus describes what a survey found, and keeps it.
func (t *tongue) focus(ctx context.Context, last *lastFocus, top frame, s survey, w driver.Window) (f driver.Focus, ok bool) {
	*last = lastFocus{top: top, at: time.Now()}
	if c, _, ok := t.describe(ctx, top.node, top.scale); ok {
		last.dialog = isDialog(c.Role)
	}
	for _, n := range s.focused {
		c, bits, ok := t.describe(ctx, n, top.scale)
		if !ok || !bits.shown() || c.Role == "window" || c.Role == "dialog" {
			continue
		}
		// The innermost comes last; Qt says of a text's inside too that it has the keys.
		if f.Control.Role == "" || driver.Usable(c.Role) || !driver.Usable(f.Control.Role) {
			f.Control, f.Lines, last.node = t.named(ctx, n, c), bits.has(stateMultiLine), n
		}
	}
	for _, n := range s.standard {
		if c, bits, ok := t.describe(ctx, n, top.scale); ok && bits.shown() {
			f.Default, last.standard = t.named(ctx, n, c), n
		}
	}
	for _, c := range []*driver.Control{&f.Control, &f.Default} {
		if c.Role != "" {
			c.Window, c.Dialog, ok = w.ID, last.dialog, true
		}
	}
	if ok {
		last.window = w.ID
	}
	return f, ok
}

// named gives a control the name of its label when it has none.
func (t *tongue) named(ctx context.Context, n node, c driver.Control) driver.Control {
	if c.Name == "" {
		c.Name = t.label(ctx, n)
	}
	return c
}

func isDialog(role string) bool { return role == "dialog" || role == "alert" }

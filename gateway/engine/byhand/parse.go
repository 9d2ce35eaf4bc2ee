package byhand

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"conch/gateway/engine/dialect"
)

// Help says what can be said.
const Help = `Tell me what to do in plain words, one step after another, joined by “then” or on lines of their own:

look
open Mousepad
click 120,300 · click "Save" · double click 40,60 · right click 40,60
type "hello"
press ctrl+s · press Down 3 times · hold shift 2
scroll down 3 · scroll up 5 at 400,300
drag 100,200 to 300,200
wait 2 · move 10,10 · zoom 0,0 to 400,300 · where · apps`

// target is where something should happen: a point of the latest picture, or the name of a control.
type target struct {
	point []int
	name  string
}

// Step is one thing to do.
type Step struct {
	Said string // the person's own words
	call dialect.Step
	from target
	at   target
}

// ReadError says which words could not be read, and what can be.
type ReadError struct {
	Said string
	Why  string
}

func (e *ReadError) Error() string {
	if e.Said == "" {
		return Help
	}
	return fmt.Sprintf("I can't read “%s”: %s Nothing was done.\n\n%s", e.Said, e.Why, Help)
}

// Parse reads a whole message. The error is a *ReadError; then no step is returned.
func Parse(text string) ([]Step, error) {
	var steps []Step
	for _, part := range split(text) {
		s, why := parseStep(part)
		if why != "" {
			return nil, &ReadError{Said: shown(part), Why: why}
		}
		s.Said = shown(part)
		steps = append(steps, s)
	}
	if len(steps) == 0 {
		return nil, &ReadError{}
	}
	return steps, nil
}

// shown is a person's words, short enough to say back.
func shown(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w.quoted {
			b.WriteString("\"" + w.text + "\"")
		} else {
			b.WriteString(w.text)
		}
	}
	r := []rune(b.String())
	if len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return string(r)
}

// A parser reads what follows its words and returns the step, or a sentence that says what is missing.
type parser func(rest []word) (Step, string)

// verbs are all words that a step can begin with, longest first where one begins another.
var verbs = []struct {
	words []string
	read  parser
}{
	{[]string{"take", "a", "screenshot"}, plain("screenshot")},
	{[]string{"screenshot"}, plain("screenshot")},
	{[]string{"look"}, plain("screenshot")},
	{[]string{"where"}, plain("cursor_position")},
	{[]string{"list", "apps"}, plain("list_apps")},
	{[]string{"apps"}, plain("list_apps")},
	{[]string{"open"}, readOpen},
	{[]string{"start"}, readOpen},
	{[]string{"double", "click"}, readClick("double_click")},
	{[]string{"triple", "click"}, readClick("triple_click")},
	{[]string{"right", "click"}, readClick("right_click")},
	{[]string{"middle", "click"}, readClick("middle_click")},
	{[]string{"left", "click"}, readClick("left_click")},
	{[]string{"click", "on"}, readClick("left_click")},
	{[]string{"click"}, readClick("left_click")},
	{[]string{"move", "to"}, readMove},
	{[]string{"move"}, readMove},
	{[]string{"type"}, readType},
	{[]string{"write"}, readType},
	{[]string{"press"}, readPress},
	{[]string{"hold"}, readHold},
	{[]string{"scroll"}, readScroll},
	{[]string{"drag"}, readDrag},
	{[]string{"wait"}, readWait},
	{[]string{"zoom"}, readZoom},
}

func parseStep(words []word) (Step, string) {
	for _, v := range verbs {
		if begins(words, v.words) {
			return v.read(words[len(v.words):])
		}
	}
	return Step{}, "I don't know the word “" + words[0].text + "”."
}

func begins(words []word, with []string) bool {
	if len(words) < len(with) {
		return false
	}
	for i, w := range with {
		if words[i].quoted || !strings.EqualFold(words[i].text, w) {
			return false
		}
	}
	return true
}

func plain(action string) parser {
	return func(rest []word) (Step, string) {
		if len(rest) > 0 {
			return Step{}, "nothing can follow it, and “" + rest[0].text + "” does."
		}
		return Step{call: dialect.Step{Action: action}}, ""
	}
}

func readOpen(rest []word) (Step, string) {
	if len(rest) == 0 {
		return Step{}, "say which app, such as open Mousepad."
	}
	return Step{call: dialect.Step{Action: "open_app", Text: join(rest)}}, ""
}

func readClick(action string) parser {
	return func(rest []word) (Step, string) {
		rest, mods, why := takeMods(rest)
		if why != "" {
			return Step{}, why
		}
		at, why := readTarget(rest)
		if why != "" {
			return Step{}, why
		}
		return Step{call: dialect.Step{Action: action, Coordinate: at.point, Text: mods}, at: at}, ""
	}
}

// takeMods takes a trailing "with ctrl+shift" away.
func takeMods(rest []word) ([]word, string, string) {
	i := slices.IndexFunc(rest, func(w word) bool { return !w.quoted && strings.EqualFold(w.text, "with") })
	if i < 0 {
		return rest, "", ""
	}
	if i != len(rest)-2 {
		return rest, "", "after “with” say the keys to hold, such as with ctrl+shift."
	}
	return rest[:i], rest[i+1].text, ""
}

func readMove(rest []word) (Step, string) {
	at, why := readTarget(rest)
	return Step{call: dialect.Step{Action: "mouse_move", Coordinate: at.point}, at: at}, why
}

func readType(rest []word) (Step, string) {
	if len(rest) == 0 {
		return Step{}, "say what to type, such as type \"hello\"."
	}
	return Step{call: dialect.Step{Action: "type", Text: join(rest)}}, ""
}

func readPress(rest []word) (Step, string) {
	c := dialect.Step{Action: "key"}
	if n := len(rest); n >= 3 && strings.EqualFold(rest[n-1].text, "times") {
		times, err := strconv.Atoi(rest[n-2].text)
		if err != nil || times < 1 || times > 100 {
			return Step{}, "say how often as a number from 1 to 100."
		}
		c.Repeat, rest = times, rest[:n-2]
	}
	if len(rest) == 0 {
		return Step{}, "say which keys, such as press ctrl+s."
	}
	c.Text = join(rest)
	return Step{call: c}, ""
}

func readHold(rest []word) (Step, string) {
	if len(rest) < 2 {
		return Step{}, "say which key and for how many seconds, such as hold shift 2."
	}
	d, why := seconds(rest[1:])
	return Step{call: dialect.Step{Action: "hold_key", Text: rest[0].text, Duration: d}}, why
}

func readScroll(rest []word) (Step, string) {
	c := dialect.Step{Action: "scroll", ScrollAmount: 3}
	if len(rest) == 0 {
		return Step{}, "say which way, such as scroll down 3."
	}
	c.ScrollDirection = strings.ToLower(rest[0].text)
	if !slices.Contains([]string{"up", "down", "left", "right"}, c.ScrollDirection) {
		return Step{}, "say up, down, left or right, such as scroll down 3."
	}
	rest = rest[1:]
	if len(rest) > 0 && !strings.EqualFold(rest[0].text, "at") {
		n, err := strconv.Atoi(rest[0].text)
		if err != nil || n < 1 || n > 100 {
			return Step{}, "say how far as a number of clicks from 1 to 100."
		}
		c.ScrollAmount, rest = n, rest[1:]
	}
	if len(rest) == 0 {
		return Step{call: c}, ""
	}
	if !strings.EqualFold(rest[0].text, "at") {
		return Step{}, "I don't know what to do with “" + rest[0].text + "”."
	}
	at, why := readTarget(rest[1:])
	c.Coordinate = at.point
	return Step{call: c, at: at}, why
}

func readDrag(rest []word) (Step, string) {
	i := slices.IndexFunc(rest, func(w word) bool { return !w.quoted && strings.EqualFold(w.text, "to") })
	if i < 1 || i == len(rest)-1 {
		return Step{}, "say from where to where, such as drag 100,200 to 300,200."
	}
	from, why := readTarget(rest[:i])
	if why != "" {
		return Step{}, why
	}
	to, why := readTarget(rest[i+1:])
	c := dialect.Step{Action: "left_click_drag", StartCoordinate: from.point, Coordinate: to.point}
	return Step{call: c, from: from, at: to}, why
}

func readWait(rest []word) (Step, string) {
	if len(rest) == 0 {
		return Step{call: dialect.Step{Action: "wait", Duration: 1}}, ""
	}
	d, why := seconds(rest)
	return Step{call: dialect.Step{Action: "wait", Duration: d}}, why
}

func readZoom(rest []word) (Step, string) {
	i := slices.IndexFunc(rest, func(w word) bool { return !w.quoted && strings.EqualFold(w.text, "to") })
	if i < 1 {
		return Step{}, "say two corners, such as zoom 0,0 to 400,300."
	}
	a, ok := point(rest[:i])
	b, ok2 := point(rest[i+1:])
	if !ok || !ok2 {
		return Step{}, "say two corners as points, such as zoom 0,0 to 400,300."
	}
	return Step{call: dialect.Step{Action: "zoom", Region: []int{a[0], a[1], b[0], b[1]}}}, ""
}

func seconds(rest []word) (float64, string) {
	const why = "say how many seconds as a number up to 300, such as wait 2."
	t := strings.ToLower(rest[0].text)
	unit := ""
	if len(rest) == 2 {
		unit = strings.ToLower(rest[1].text)
	}
	if len(rest) > 2 || !slices.Contains([]string{"", "s", "sec", "second", "seconds"}, unit) {
		return 0, why
	}
	d, err := strconv.ParseFloat(strings.TrimSuffix(t, "s"), 64)
	if err != nil || !(d > 0 && d <= 300) {
		return 0, why
	}
	return d, ""
}

// readTarget reads a point or a name; a name needs no quotes where nothing else could be meant.
func readTarget(words []word) (target, string) {
	if len(words) == 0 {
		return target{}, "say where: a point such as 120,300, or a name such as \"Save\"."
	}
	if p, ok := point(words); ok {
		return target{point: p}, ""
	}
	name := join(words)
	if strings.IndexFunc(name, unicode.IsLetter) < 0 && !words[0].quoted {
		return target{}, "“" + name + "” is no point. A point is two whole numbers, such as 120,300."
	}
	return target{name: name}, ""
}

// point reads "120,300", "120, 300", "(120 300)".
func point(words []word) ([]int, bool) {
	for _, w := range words {
		if w.quoted {
			return nil, false
		}
	}
	f := strings.FieldsFunc(strings.Trim(join(words), "()[]"), func(r rune) bool { return r == ',' || r == ' ' })
	if len(f) != 2 {
		return nil, false
	}
	x, err := strconv.Atoi(f[0])
	y, err2 := strconv.Atoi(f[1])
	if err != nil || err2 != nil {
		return nil, false
	}
	return []int{x, y}, true
}

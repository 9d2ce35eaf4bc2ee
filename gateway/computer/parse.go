package computer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/driver"
	"conch/driver/key"
	"conch/gateway/computer/policy"
)

// Limits of what a step may ask for. They are told to the model in computer.md and schema.json.
const (
	maxArgs     = 256 << 10 // bytes of arguments
	maxText     = 20_000    // characters typed in one step
	maxName     = 200       // characters of an app's or control's name
	maxScroll   = 100       // clicks of the wheel
	maxRepeat   = 100       // times a key is pressed
	maxSeconds  = 300       // seconds of a wait or a held key
	maxPosition = 100_000   // no picture is wider or higher
)

// ParseError says in words why a step can't be read. It holds nothing of what was to be typed.
type ParseError struct{ Say string }

func (e *ParseError) Error() string { return e.Say }

func bad(format string, args ...any) error { return &ParseError{fmt.Sprintf(format, args...)} }

// wire is a step as a model writes it. Members that are null are absent.
type wire struct {
	Action          string         `json:"action"`
	Coordinate      jsontext.Value `json:"coordinate"`
	StartCoordinate jsontext.Value `json:"start_coordinate"`
	Text            *string        `json:"text"`
	ScrollDirection *string        `json:"scroll_direction"`
	ScrollAmount    *float64       `json:"scroll_amount"`
	Duration        *float64       `json:"duration"`
	Repeat          *float64       `json:"repeat"`
	Region          jsontext.Value `json:"region"`
}

// given lists the members that are there, beside action.
func (w wire) given() []string {
	var out []string
	for _, m := range []struct {
		name string
		set  bool
	}{
		{"coordinate", given(w.Coordinate)},
		{"start_coordinate", given(w.StartCoordinate)},
		{"text", w.Text != nil},
		{"scroll_direction", w.ScrollDirection != nil},
		{"scroll_amount", w.ScrollAmount != nil},
		{"duration", w.Duration != nil},
		{"repeat", w.Repeat != nil},
		{"region", given(w.Region)},
	} {
		if m.set {
			out = append(out, m.name)
		}
	}
	return out
}

func given(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' }

// A word is one action: which members it must and may have, and how they are read.
type word struct {
	must, may []string
	read      func(wire) (Action, error)
}

// words has one row for each action that a model may say.
var words = map[policy.Action]word{
	policy.Screenshot:     {nil, nil, func(wire) (Action, error) { return Screenshot{}, nil }},
	policy.LeftClick:      {nil, []string{"coordinate", "text"}, readClick(driver.Left, 1)},
	policy.RightClick:     {nil, []string{"coordinate", "text"}, readClick(driver.Right, 1)},
	policy.MiddleClick:    {nil, []string{"coordinate", "text"}, readClick(driver.Middle, 1)},
	policy.DoubleClick:    {nil, []string{"coordinate", "text"}, readClick(driver.Left, 2)},
	policy.TripleClick:    {nil, []string{"coordinate", "text"}, readClick(driver.Left, 3)},
	policy.MouseMove:      {[]string{"coordinate"}, nil, readMove},
	policy.LeftClickDrag:  {[]string{"coordinate"}, []string{"start_coordinate", "text"}, readDrag},
	policy.LeftMouseDown:  {nil, []string{"coordinate"}, readButton(true)},
	policy.LeftMouseUp:    {nil, []string{"coordinate"}, readButton(false)},
	policy.Type:           {[]string{"text"}, nil, readType},
	policy.Key:            {[]string{"text"}, []string{"repeat"}, readKeys},
	policy.HoldKey:        {[]string{"text", "duration"}, nil, readHold},
	policy.Scroll:         {[]string{"scroll_direction"}, []string{"coordinate", "scroll_amount", "text"}, readScroll},
	policy.Wait:           {[]string{"duration"}, nil, readWait},
	policy.Zoom:           {[]string{"region"}, nil, readZoom},
	policy.CursorPosition: {nil, nil, func(wire) (Action, error) { return Cursor{}, nil }},
	policy.OpenApp:        {[]string{"text"}, nil, readOpen},
	policy.ListApps:       {nil, []string{"text"}, readList},
	policy.Find:           {[]string{"text"}, nil, readFind},
}

// Parse reads a model's step once: a value or a *ParseError. Points are read forgivingly; members that don't
// exist, that stand twice or that don't belong to the action are refused.
func Parse(raw []byte) (Action, error) {
	if len(raw) > maxArgs {
		return nil, bad("The step is too long: %d bytes, where %d are read. Type long text in parts.", len(raw), maxArgs)
	}
	var in wire
	if err := json.Unmarshal(raw, &in, json.RejectUnknownMembers(true)); err != nil {
		return nil, unreadable(err)
	}
	if in.Action == "" {
		return nil, bad("The step has no action. Say one of: %s.", actionWords())
	}
	w, ok := words[policy.Action(in.Action)]
	if !ok {
		return nil, bad("There is no action %q. Say one of: %s.", short(in.Action), actionWords())
	}
	have := in.given()
	for _, m := range w.must {
		if !slices.Contains(have, m) {
			return nil, bad("%s needs %s.", in.Action, m)
		}
	}
	for _, m := range have {
		if !slices.Contains(w.must, m) && !slices.Contains(w.may, m) {
			return nil, bad("%s takes no %s.", in.Action, m)
		}
	}
	act, err := w.read(in)
	if err != nil {
		return nil, err
	}
	return act, nil
}

// unreadable turns a JSON error into words, without the value that was wrong.
func unreadable(err error) error {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		at := strings.TrimPrefix(string(e.JSONPointer), "/")
		switch {
		case errors.Is(err, json.ErrUnknownName):
			return bad("There is no parameter %q.", short(at))
		case at != "":
			return bad("%s must be %s.", short(at), kindWords[at])
		}
		return bad("The step must be a JSON object with an action.")
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return bad("A parameter stands there twice. Write each once.")
	}
	return bad("The step isn't valid JSON. Write one object, such as {\"action\": \"screenshot\"}.")
}

var kindWords = map[string]string{
	"action": "text", "text": "text", "scroll_direction": "up, down, left or right", "scroll_amount": "a whole number",
	"duration": "a number of seconds", "repeat": "a whole number",
}

func actionWords() string {
	all := policy.Actions()
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = string(a)
	}
	return strings.Join(out, ", ")
}

// short keeps a wrong word from filling an answer.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

func readClick(b driver.Button, times int) func(wire) (Action, error) {
	return func(w wire) (Action, error) {
		at, err := optionalPoint("coordinate", w.Coordinate)
		if err != nil {
			return nil, err
		}
		mods, err := readMods(w.Text)
		return Click{b, times, at, mods}, err
	}
}

func readMove(w wire) (Action, error) {
	at, err := readPoint("coordinate", w.Coordinate)
	return Move{at}, err
}

func readDrag(w wire) (Action, error) {
	from, err := optionalPoint("start_coordinate", w.StartCoordinate)
	if err != nil {
		return nil, err
	}
	to, err := readPoint("coordinate", w.Coordinate)
	if err != nil {
		return nil, err
	}
	mods, err := readMods(w.Text)
	return Drag{from, to, mods}, err
}

func readButton(down bool) func(wire) (Action, error) {
	return func(w wire) (Action, error) {
		at, err := optionalPoint("coordinate", w.Coordinate)
		return Button{down, at}, err
	}
}

func readType(w wire) (Action, error) {
	s := strings.ReplaceAll(strings.ReplaceAll(*w.Text, "\r\n", "\n"), "\r", "\n")
	n := 0
	for _, r := range s {
		n++
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return nil, bad("Character %d of the text can't be typed (U+%04X). Press special keys with the key action.", n, r)
		}
	}
	if n == 0 || n > maxText {
		return nil, bad("text must have 1 to %d characters; this has %d. Type long text in parts.", maxText, n)
	}
	return Type{Text(s)}, nil
}

func readKeys(w wire) (Action, error) {
	chords, err := key.ParseAll(*w.Text)
	if err != nil {
		return nil, keyError(err)
	}
	n, err := whole("repeat", w.Repeat, 1, 1, maxRepeat)
	return Keys{chords, n}, err
}

func readHold(w wire) (Action, error) {
	c, err := key.Parse(*w.Text)
	if err != nil {
		return nil, keyError(err)
	}
	d, err := readSeconds(*w.Duration)
	return Hold{c, d}, err
}

func readScroll(w wire) (Action, error) {
	at, err := optionalPoint("coordinate", w.Coordinate)
	if err != nil {
		return nil, err
	}
	n, err := whole("scroll_amount", w.ScrollAmount, 3, 1, maxScroll)
	if err != nil {
		return nil, err
	}
	mods, err := readMods(w.Text)
	if err != nil {
		return nil, err
	}
	s := Scroll{At: at, Mods: mods}
	switch *w.ScrollDirection {
	case "up":
		s.DY = -n
	case "down":
		s.DY = n
	case "left":
		s.DX = -n
	case "right":
		s.DX = n
	default:
		return nil, bad("scroll_direction must be up, down, left or right.")
	}
	return s, nil
}

func readWait(w wire) (Action, error) {
	d, err := readSeconds(*w.Duration)
	return Wait{d}, err
}

func readOpen(w wire) (Action, error) {
	s, err := readName("text", *w.Text, 1)
	return Open{s}, err
}

func readList(w wire) (Action, error) {
	if w.Text == nil {
		return List{}, nil
	}
	s, err := readName("text", *w.Text, 0)
	return List{s}, err
}

func readFind(w wire) (Action, error) {
	s, err := readName("text", *w.Text, 1)
	return Find{s}, err
}

func readName(member, s string, least int) (Text, error) {
	s = strings.TrimSpace(s)
	if n := utf8.RuneCountInString(s); n < least || n > maxName {
		return "", bad("%s must have %d to %d characters; this has %d.", member, least, maxName, n)
	}
	return Text(s), nil
}

// readMods reads the modifiers that are held during a click or a scroll.
func readMods(text *string) (key.Mods, error) {
	if text == nil || strings.TrimSpace(*text) == "" {
		return 0, nil
	}
	c, err := key.Parse(*text)
	if err != nil {
		return 0, keyError(err)
	}
	if c.Key.Mod() == 0 {
		return 0, bad("Only ctrl, shift, alt and super can be held during this; text named another key.")
	}
	return c.Mods | c.Key.Mod(), nil
}

func keyError(err error) error {
	if e, ok := errors.AsType[*key.ParseError](err); ok {
		return bad("%s", e.Error())
	}
	return bad("That key can't be read.")
}

func readSeconds(s float64) (time.Duration, error) {
	if !(s > 0 && s <= maxSeconds) {
		return 0, bad("duration must be more than 0 and at most %d seconds.", maxSeconds)
	}
	return time.Duration(s * float64(time.Second)), nil
}

// whole reads a whole number within bounds; absent is usual.
func whole(member string, v *float64, usual, low, high int) (int, error) {
	if v == nil {
		return usual, nil
	}
	if n := int(*v); float64(n) == *v && n >= low && n <= high {
		return n, nil
	}
	return 0, bad("%s must be a whole number from %d to %d.", member, low, high)
}

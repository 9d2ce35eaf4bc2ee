package fake

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/tools/txtar"

	"conch/driver"
	"conch/driver/key"
)

// SyntaxError says which line of a screen can't be read.
type SyntaxError struct {
	File string // of the archive
	Line int    // in that file, from 1
	Why  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why) }

// Screen is a desktop as it was written down, ready to be started any number of times.
type Screen struct {
	start   []step
	scripts []script
}

// A step changes the desk, after a wait.
type step struct {
	wait time.Duration
	do   func(*desk)
}

// A script is what happens after something.
type script struct {
	on    string // "click", "type", "key", "open", "look", "scroll"
	what  string
	words string // for "type"
	count int    // for "look"; 0 is each
	steps []step
}

// Parse reads a screen. The error is a *SyntaxError.
func Parse(archive []byte) (*Screen, error) {
	var s Screen
	found := false
	for _, f := range txtar.Parse(archive).Files {
		steps, err := parseSteps(f.Name, string(f.Data))
		if err != nil {
			return nil, err
		}
		if f.Name == "screen" {
			if found {
				return nil, &SyntaxError{f.Name, 1, "the screen is written down twice"}
			}
			found = true
			s.start = steps
			continue
		}
		sc, err := parseTrigger(f.Name)
		if err != nil {
			return nil, &SyntaxError{f.Name, 1, err.Error()}
		}
		sc.steps = steps
		s.scripts = append(s.scripts, sc)
	}
	if !found {
		return nil, &SyntaxError{"screen", 1, "there is no file called “screen”"}
	}
	probe := newDesk()
	for _, st := range s.start {
		if st.do != nil {
			st.do(probe)
		}
	}
	if len(probe.displays) == 0 && probe.unready == nil {
		return nil, &SyntaxError{"screen", 1, "a screen needs a display"}
	}
	return &s, nil
}

func parseTrigger(name string) (script, error) {
	p := &line{words: split(name)}
	if p.word() != "after" {
		return script{}, fmt.Errorf("a file is called “screen” or “after …”, not “%s”", name)
	}
	sc := script{on: p.word()}
	switch sc.on {
	case "click", "open", "scroll":
		sc.what = p.need("what it is about")
	case "type":
		sc.what = p.need("a field")
		sc.words = p.quotedIf()
	case "key":
		c, err := key.Parse(p.need("a chord"))
		if err != nil {
			return script{}, err
		}
		sc.what = c.String()
	case "look":
		if !p.done() {
			sc.count = p.int()
		}
	default:
		return script{}, fmt.Errorf("“after %s” never happens", sc.on)
	}
	p.end()
	return sc, p.err
}

func parseSteps(file, data string) ([]step, error) {
	var out []step
	var wait time.Duration
	lines := strings.Split(data, "\n")
	for i := 0; i < len(lines); i++ {
		first, text := i, lines[i]
		if t := strings.TrimSpace(text); t == "" || t[0] == '#' {
			continue
		}
		for open(text) && i+1 < len(lines) { // controls on lines of their own
			i++
			text += " ; " + lines[i]
		}
		p := &line{words: split(text)}
		verb := p.word()
		if verb == "wait" {
			wait += p.duration()
			p.end()
		} else if do := p.statement(verb); p.err == nil {
			p.end()
			out = append(out, step{wait, do})
			wait = 0
		}
		if p.err != nil {
			return nil, &SyntaxError{file, first + 1, p.err.Error()}
		}
	}
	return out, nil
}

// open says whether a "{" in s is not closed yet.
func open(s string) bool {
	n := 0
	for _, w := range split(s) {
		switch w {
		case "{":
			n++
		case "}":
			n--
		}
	}
	return n > 0
}

// split cuts a line into words; a quoted text is one word that keeps its quotes.
func split(s string) []string {
	var out []string
	for {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		switch {
		case s == "":
			return out
		case strings.ContainsRune("{};", rune(s[0])):
			out, s = append(out, s[:1]), s[1:]
		case s[0] == '"':
			q, err := strconv.QuotedPrefix(s)
			if err != nil {
				return append(out, s) // an open quote: whoever wants it says so
			}
			out, s = append(out, q), s[len(q):]
		default:
			n := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("{};", r) })
			if n < 0 {
				n = len(s)
			}
			out, s = append(out, s[:n]), s[n:]
		}
	}
}

// line reads one line word by word and keeps its first error.
type line struct {
	words []string
	err   error
}

func (p *line) fail(format string, a ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, a...)
	}
	p.words = nil
}

func (p *line) done() bool { return len(p.words) == 0 }

func (p *line) word() string {
	if p.done() {
		return ""
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

func (p *line) need(what string) string {
	if p.done() {
		p.fail("%s is missing", what)
		return ""
	}
	return p.word()
}

// is eats the next word if it is w.
func (p *line) is(w string) bool {
	if p.done() || p.words[0] != w {
		return false
	}
	p.word()
	return true
}

func (p *line) end() {
	if !p.done() {
		p.fail("“%s” isn't expected here", p.words[0])
	}
}

func (p *line) quoted(what string) string {
	w := p.need(what)
	s, err := strconv.Unquote(w)
	if err != nil && p.err == nil {
		p.fail("%s is written in quotes, not as %s", what, w)
	}
	return s
}

func (p *line) quotedIf() string {
	if p.done() || p.words[0][0] != '"' {
		return ""
	}
	return p.quoted("the text")
}

func (p *line) int() int {
	w := p.need("a number")
	n, err := strconv.Atoi(w)
	if err != nil {
		p.fail("“%s” isn't a number", w)
	}
	return n
}

func (p *line) id() driver.WindowID {
	n := p.int()
	if n <= 0 {
		p.fail("a window's number is 1 or more")
	}
	return driver.WindowID(n)
}

func (p *line) duration() time.Duration {
	w := p.need("a duration")
	d, err := time.ParseDuration(w)
	if err != nil || d < 0 {
		p.fail("“%s” isn't a duration such as 200ms", w)
	}
	return d
}

// pair reads "X,Y" or "WxH".
func (p *line) pair(sep, what string) (float64, float64) {
	w := p.need(what)
	a, b, _ := strings.Cut(w, sep)
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil || !(x > -1e6 && x < 1e6 && y > -1e6 && y < 1e6) {
		p.fail("%s is written as 10%s20, not as “%s”", what, sep, w)
	}
	return x, y
}

func (p *line) point() driver.ScreenPoint {
	x, y := p.pair(",", "a place")
	return driver.ScreenPoint{X: x, Y: y}
}

func (p *line) size() (float64, float64) {
	w, h := p.pair("x", "a size")
	if p.err == nil && !(w > 0 && h > 0) {
		p.fail("a size of %gx%g is nothing", w, h)
	}
	return w, h
}

func (p *line) rect() driver.ScreenRect {
	at := p.point()
	w, h := p.size()
	return driver.ScreenRect{X: at.X, Y: at.Y, W: w, H: h}
}

package desktopfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Entry is an application as its file describes it.
type Entry struct {
	ID          string // the file's desktop-file id, without ".desktop"
	Path        string // of the file
	Name        string // in the asked language
	GenericName string // in the asked language; what kind of app it is
	English     string // Name without a language
	Exec        string // the Exec key, its string escapes resolved
	TryExec     string
	Dir         string // the Path key: where to start it
	Icon        string
	Class       string // StartupWMClass
	NoDisplay   bool
	Hidden      bool
	Terminal    bool
	OnlyShowIn  []string
	NotShowIn   []string
}

var (
	// ErrNotApp says that a file describes something else than an application.
	ErrNotApp = errors.New("not an application's entry")
	errLong   = errors.New("a line is too long")
)

// Longest line that is read, in bytes. Real ones are far below, mime type lists included.
const maxLine = 256 << 10

// Parse reads a .desktop file. locales are those of Locales, best first.
func Parse(r io.Reader, locales []string) (Entry, error) {
	keys, err := group(r)
	if err != nil {
		return Entry{}, err
	}
	if keys["Type"] != "Application" {
		return Entry{}, ErrNotApp
	}
	local := func(key string) string {
		for _, l := range locales {
			if v, ok := keys[key+"["+l+"]"]; ok {
				return unescape(v)
			}
		}
		return unescape(keys[key])
	}
	e := Entry{
		Name: local("Name"), GenericName: local("GenericName"), English: unescape(keys["Name"]),
		Exec: unescape(keys["Exec"]), TryExec: unescape(keys["TryExec"]), Dir: unescape(keys["Path"]),
		Icon: local("Icon"), Class: unescape(keys["StartupWMClass"]),
		NoDisplay: keys["NoDisplay"] == "true", Hidden: keys["Hidden"] == "true", Terminal: keys["Terminal"] == "true",
		OnlyShowIn: list(keys["OnlyShowIn"]), NotShowIn: list(keys["NotShowIn"]),
	}
	if e.Name == "" && !e.Hidden {
		return Entry{}, fmt.Errorf("%w: it has no name", ErrNotApp)
	}
	return e, nil
}

// group reads the keys of the [Desktop Entry] group. The first of a repeated key counts.
func group(r io.Reader) (map[string]string, error) {
	keys := map[string]string{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	in := false
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), "\r")
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '[':
			if in {
				return keys, nil // other groups are actions
			}
			in = strings.TrimRight(line, " \t") == "[Desktop Entry]"
			continue
		case !in:
			continue
		}
		k, v, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		k = strings.TrimRight(k, " \t")
		if _, twice := keys[k]; !twice {
			keys[k] = strings.Trim(v, " \t")
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, errLong
	}
	return keys, lines.Err()
}

// unescape resolves the escapes that any string value may have.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 's':
			b.WriteByte(' ')
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case '\\':
			b.WriteByte('\\')
		default: // not an escape: both stay, for the quoting of Exec
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func list(s string) []string {
	var out []string
	for _, v := range strings.Split(s, ";") {
		if v != "" {
			out = append(out, v)
		}
	}
	return out
}

// Shown says whether the entry is meant for a menu of the desktops that XDG_CURRENT_DESKTOP names, best first.
func (e Entry) Shown(desktops string) bool {
	if e.NoDisplay || e.Hidden {
		return false
	}
	for _, d := range strings.Split(desktops, ":") {
		for _, o := range e.OnlyShowIn {
			if o == d {
				return true
			}
		}
		for _, n := range e.NotShowIn {
			if n == d {
				return false
			}
		}
	}
	return len(e.OnlyShowIn) == 0
}

// Locales are the forms of a POSIX locale (lang_COUNTRY.ENCODING@MODIFIER) that keys are looked up with, best
// first.
func Locales(posix string) []string {
	rest, modifier, _ := strings.Cut(posix, "@")
	rest, _, _ = strings.Cut(rest, ".")
	lang, country, _ := strings.Cut(rest, "_")
	if lang == "" || lang == "C" || lang == "POSIX" {
		return nil
	}
	var out []string
	if country != "" && modifier != "" {
		out = append(out, lang+"_"+country+"@"+modifier)
	}
	if country != "" {
		out = append(out, lang+"_"+country)
	}
	if modifier != "" {
		out = append(out, lang+"@"+modifier)
	}
	return append(out, lang)
}

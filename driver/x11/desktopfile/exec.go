package desktopfile

import (
	"fmt"
	"strings"
)

// ExecError says why an Exec line can't be followed.
type ExecError struct{ Say string }

func (e *ExecError) Error() string { return "the app's start line can't be read: " + e.Say }

// Argv turns the Exec line into the arguments to start the app with no file to open: quoting resolved, field
// codes filled in or left out. Nothing of it is for a shell: a "$" or ">" is that character.
func (e Entry) Argv() ([]string, error) {
	var argv []string
	rest := strings.TrimLeft(e.Exec, " \t\n")
	for rest != "" {
		arg, quoted, after, err := word(rest)
		if err != nil {
			return nil, err
		}
		rest = strings.TrimLeft(after, " \t\n")
		full, err := e.fill(arg, quoted)
		if err != nil {
			return nil, err
		}
		argv = append(argv, full...)
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, &ExecError{"it names no program"}
	}
	for _, a := range argv {
		if strings.ContainsRune(a, 0) {
			return nil, &ExecError{"it has a zero byte"}
		}
	}
	return argv, nil
}

// word takes one argument off the front. An argument is quoted as a whole in double quotes, where a backslash
// makes the next character literal. Single quotes, which the specification only reserves, are read as GLib
// reads them, since real files use them.
func word(s string) (arg string, quoted bool, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n':
			return b.String(), quoted, s[i:], nil
		case '"', '\'':
			quoted = true
			n, err := quote(&b, s[i:])
			if err != nil {
				return "", false, "", err
			}
			i += n
		case '\\':
			if i+1 == len(s) {
				return "", false, "", &ExecError{"it ends in a backslash"}
			}
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), quoted, "", nil
}

// quote copies what is between the quote at the front of s and its partner, and returns where that is.
func quote(b *strings.Builder, s string) (end int, err error) {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return i, nil
		case s[i] == '\\' && s[0] == '"' && i+1 < len(s) && strings.IndexByte("\"`$\\", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return 0, &ExecError{"a quote is not closed"}
}

// fill resolves the field codes of one argument: to no, one or two arguments.
func (e Entry) fill(arg string, quoted bool) ([]string, error) {
	switch arg {
	case "%f", "%F", "%u", "%U", "%d", "%D", "%n", "%N", "%v", "%m":
		if !quoted {
			return nil, nil // a file to open, of which there is none, or a code that has gone out of use
		}
	case "%i":
		if e.Icon == "" {
			return nil, nil
		}
		return []string{"--icon", e.Icon}, nil
	}
	var b strings.Builder
	for i := 0; i < len(arg); i++ {
		if arg[i] != '%' {
			b.WriteByte(arg[i])
			continue
		}
		i++
		if i == len(arg) {
			return nil, &ExecError{"it ends in a lone %"}
		}
		switch arg[i] {
		case '%':
			b.WriteByte('%')
		case 'c':
			b.WriteString(e.Name)
		case 'k':
			b.WriteString(e.Path)
		case 'f', 'F', 'u', 'U', 'd', 'D', 'n', 'N', 'v', 'm':
		default:
			return nil, &ExecError{fmt.Sprintf("%%%c means nothing", arg[i])}
		}
	}
	return []string{b.String()}, nil
}

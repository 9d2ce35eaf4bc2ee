package skills

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"conch/gateway/plain"
)

// Limits of a skill's front matter.
const (
	matterMax = 8 << 10 // bytes
	aboutMax  = 1024    // characters of the description
	toolsMax  = 64      // tools on the list
)

var (
	skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	// A tool's name, and what other programs write after one to narrow it.
	toolEntry = regexp.MustCompile(`^([A-Za-z0-9_-]{1,64})(\([^()]{0,200}\))?$`)
)

const nameMax = 64

// Matter is what stands between the lines of three dashes at the top of a SKILL.md.
type Matter struct {
	Name  string
	About string
	// Tools are the tools that a chat with this skill may use without a question of the skill's. Narrowed are
	// those that the skill wants only in part ("Bash(git:*)"): Conch can't hold a tool to a part, so they ask.
	Tools    []string
	Narrowed []string
	Listed   bool // there is a list, be it an empty one
}

// MatterError says what is wrong with a SKILL.md, and where.
type MatterError struct {
	Line int // 0: the file as a whole
	Say  string
}

func (e *MatterError) Error() string {
	if e.Line == 0 {
		return e.Say
	}
	return fmt.Sprintf("Line %d: %s", e.Line, e.Say)
}

func wrong(line int, format string, args ...any) error {
	return &MatterError{Line: line, Say: fmt.Sprintf(format, args...)}
}

// notes are members that other programs write and that change nothing here.
var notes = []string{"license", "compatibility", "metadata", "version"}

// Parse reads a SKILL.md: its front matter and the text below it. What isn't known is refused rather than
// skipped, since it could mean more power in the program that it was written for.
func Parse(file []byte) (Matter, string, error) {
	if !utf8.Valid(file) {
		return Matter{}, "", wrong(0, "SKILL.md isn't text that can be read.")
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(file), "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return Matter{}, "", wrong(1, "A SKILL.md begins with a line of three dashes, then name and description.")
	}
	head, body, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if head, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return Matter{}, "", wrong(1, "The line of three dashes that ends the top part is missing.")
		}
	}
	if len(head) > matterMax {
		return Matter{}, "", wrong(1, "The top part is too long: %d of at most %d bytes.", len(head), matterMax)
	}
	// head begins with the new line of the dashes before it, so the lines that YAML counts are the file's.
	m, err := parseMatter(head)
	return m, strings.TrimSpace(body), err
}

func parseMatter(head string) (Matter, error) {
	var doc yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(head))
	if err := dec.Decode(&doc); err != nil {
		return Matter{}, wrong(1, "The top part isn't YAML that can be read.")
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Matter{}, wrong(1, "The top part holds more than one document.")
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return Matter{}, wrong(1, "The top part is a list of lines such as “name: tidy-notes”.")
	}
	var m Matter
	seen := map[string]bool{}
	pairs := doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		key, value := pairs[i], pairs[i+1]
		if err := flat(key, 0); err != nil {
			return Matter{}, err
		}
		if err := flat(value, 0); err != nil {
			return Matter{}, err
		}
		if seen[key.Value] {
			return Matter{}, wrong(key.Line, "“%s” is there twice.", plain.Clip(plain.Line(key.Value), 40))
		}
		seen[key.Value] = true
		if err := m.member(key, value); err != nil {
			return Matter{}, err
		}
	}
	switch {
	case m.Name == "":
		return Matter{}, wrong(1, "The name is missing: “name: tidy-notes”.")
	case m.About == "":
		return Matter{}, wrong(1, "The description is missing: one sentence that says what the skill is for.")
	}
	return m, nil
}

// flat refuses what makes one text mean another: anchors, aliases, tags, and nesting without end.
func flat(n *yaml.Node, depth int) error {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return wrong(n.Line, "Anchors and aliases (& and *) aren't read here.")
	case n.Style&yaml.TaggedStyle != 0:
		return wrong(n.Line, "Tags (!) aren't read here.")
	case depth > 4:
		return wrong(n.Line, "This is nested too deep.")
	}
	for _, c := range n.Content {
		if err := flat(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (m *Matter) member(key, value *yaml.Node) error {
	switch key.Value {
	case "name":
		if value.Kind != yaml.ScalarNode || len(value.Value) > nameMax || !skillName.MatchString(value.Value) {
			return wrong(value.Line, "A name is small letters, digits and single dashes, at most %d of them.", nameMax)
		}
		m.Name = value.Value
	case "description":
		if value.Kind != yaml.ScalarNode {
			return wrong(value.Line, "The description is one text.")
		}
		m.About = plain.Line(value.Value)
		if n := utf8.RuneCountInString(m.About); n > aboutMax {
			return wrong(value.Line, "The description is too long: %d of at most %d characters.", n, aboutMax)
		}
	case "allowed-tools":
		return m.tools(value)
	default:
		if !slices.Contains(notes, key.Value) {
			return wrong(key.Line, "“%s” isn't known here. A skill has name, description and allowed-tools.", plain.Clip(plain.Line(key.Value), 40))
		}
	}
	return nil
}

// tools reads the list, which other programs write in three ways: a YAML list, commas, or spaces.
func (m *Matter) tools(value *yaml.Node) error {
	m.Listed = true
	var entries []string
	switch {
	case value.Kind == yaml.SequenceNode:
		for _, n := range value.Content {
			if n.Kind != yaml.ScalarNode {
				return wrong(n.Line, "Each tool on the list is one name.")
			}
			entries = append(entries, n.Value)
		}
	case value.Kind == yaml.ScalarNode:
		var err error
		if entries, err = split(value.Value); err != nil {
			return wrong(value.Line, "%s", err)
		}
	default:
		return wrong(value.Line, "allowed-tools is a list of names.")
	}
	if len(entries) > toolsMax {
		return wrong(value.Line, "There are %d tools on the list; at most %d can be.", len(entries), toolsMax)
	}
	for _, e := range entries {
		found := toolEntry.FindStringSubmatch(e)
		if found == nil {
			return wrong(value.Line, "“%s” isn't a tool's name.", plain.Clip(plain.Line(e), 40))
		}
		to := &m.Tools
		if found[2] != "" {
			to = &m.Narrowed
		}
		if !slices.Contains(*to, e) {
			*to = append(*to, e)
		}
	}
	return nil
}

// split cuts a list at its commas and spaces, but not inside parentheses.
func split(s string) ([]string, error) {
	var out []string
	depth, from := 0, 0
	cut := func(to int) {
		if to > from {
			out = append(out, s[from:to])
		}
	}
	for i, r := range s {
		switch {
		case r == '(':
			depth++
		case r == ')':
			if depth--; depth < 0 {
				return nil, errors.New("The parentheses on the list of tools don't match.")
			}
		case depth == 0 && (r == ',' || r == ' ' || r == '\n' || r == '\t'):
			cut(i)
			from = i + 1
		}
	}
	if depth != 0 {
		return nil, errors.New("The parentheses on the list of tools don't match.")
	}
	cut(len(s))
	return out, nil
}

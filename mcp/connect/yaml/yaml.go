// Package yaml finds the place of an entry in a settings file in YAML. It only says where; it never writes
// YAML over YAML. What is spelled in a way in which it can't tell where our entry would end (several
// documents in one file, entries behind an anchor or an alias) is left alone.
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	goyaml "gopkg.in/yaml.v3"

	"conch/mcp/connect/splice"
)

// Syntax is YAML.
type Syntax struct{}

var _ splice.Syntax = Syntax{}

// Tree reads the whole text. Aliases stay names, so that nothing grows by being read.
func (Syntax) Tree(src []byte) (map[string]any, error) {
	root, err := parse(src)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return map[string]any{}, nil
	}
	v, err := tree(root)
	if err != nil {
		return nil, err
	}
	table, ok := v.(map[string]any)
	if !ok {
		return nil, splice.Unreadable("isn't a group of settings")
	}
	return table, nil
}

// parse gives the root, or nil when the file says nothing yet.
func parse(src []byte) (root *goyaml.Node, err error) {
	for _, odd := range []string{"\u0085", "\u2028", "\u2029"} { // readers differ on whether they end a line
		if bytes.Contains(src, []byte(odd)) {
			return nil, splice.Unreadable("has unusual line ends")
		}
	}
	defer func() {
		if r := recover(); r != nil { // the parser has known ways to panic on broken files
			root, err = nil, splice.Unreadable("has a mistake in it")
		}
	}()
	d := goyaml.NewDecoder(bytes.NewReader(src))
	var doc, second goyaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, splice.Unreadable(mistake(err))
	}
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, splice.Unreadable("has several parts, split by ---")
	}
	if len(doc.Content) == 0 || isNothing(doc.Content[0]) {
		return nil, nil
	}
	return doc.Content[0], nil
}

var lineOf = regexp.MustCompile(`^yaml: line (\d+):`)

// mistake never repeats what is in the file: it may be a key or a password.
func mistake(err error) string {
	if m := lineOf.FindStringSubmatch(err.Error()); m != nil {
		return "has a mistake near line " + m[1]
	}
	return "has a mistake in it"
}

// isNothing is a key without a value, as in "extensions:".
func isNothing(n *goyaml.Node) bool {
	return n.Kind == goyaml.ScalarNode && n.Tag == "!!null" && n.Value == "" && n.Anchor == "" && n.Style == 0
}

func tree(n *goyaml.Node) (any, error) {
	switch n.Kind {
	case goyaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			name, err := key(n.Content[i])
			if err != nil {
				return nil, err
			}
			if _, twice := out[name]; twice {
				return nil, splice.Unreadable(fmt.Sprintf("has the same name twice in line %d", n.Content[i].Line))
			}
			if out[name], err = tree(n.Content[i+1]); err != nil {
				return nil, err
			}
		}
		return out, nil
	case goyaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, e := range n.Content {
			var err error
			if out[i], err = tree(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case goyaml.AliasNode:
		return splice.Raw("*" + n.Value), nil
	case goyaml.ScalarNode:
		switch {
		case isNothing(n):
			return nil, nil
		case n.ShortTag() == "!!str":
			return n.Value, nil
		case n.ShortTag() == "!!int" || n.ShortTag() == "!!bool":
			return splice.Raw(n.Value), nil
		default:
			return splice.Raw(n.ShortTag() + " " + n.Value), nil
		}
	default:
		return nil, fmt.Errorf("yaml: an unknown node %d", n.Kind)
	}
}

// key is a name; what is no plain string gets a form that no string has.
func key(n *goyaml.Node) (string, error) {
	switch {
	case n.Kind == goyaml.AliasNode:
		return "\x00*" + n.Value, nil
	case n.Kind != goyaml.ScalarNode:
		return "", splice.Unreadable(fmt.Sprintf("has a name in line %d that is a list or a group", n.Line))
	case n.ShortTag() == "!!str":
		return n.Value, nil
	default:
		return "\x00" + n.ShortTag() + " " + n.Value, nil
	}
}

// member gives the key and the value under name.
func member(m *goyaml.Node, name string) (k, v *goyaml.Node) {
	if m == nil || m.Kind != goyaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if got, err := key(m.Content[i]); err == nil && got == name {
			return m.Content[i], m.Content[i+1]
		}
	}
	return nil, nil
}

func flow(n *goyaml.Node) bool { return n.Style&goyaml.FlowStyle != 0 }

// offset is where a node begins; lines count from 1 and columns are letters.
func offset(src []byte, n *goyaml.Node) (int, bool) {
	at := 0
	for range n.Line - 1 {
		next := splice.NextLine(src, at)
		if next == at {
			return 0, false
		}
		at = next
	}
	col := 1
	for i := range string(src[at:]) {
		if col == n.Column {
			return at + i, true
		}
		col++
	}
	return len(src), col == n.Column
}

// Quote writes a double-quoted string.
func (Syntax) Quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r >= 0x7f && r <= 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// block writes an entry over several lines.
func (s Syntax) block(name string, fields []splice.Field, nl, indent string) string {
	var b strings.Builder
	b.WriteString(name + ":")
	for _, f := range fields {
		b.WriteString(nl + indent + f.Name + ": " + s.value(f.Value))
	}
	return b.String()
}

// flow writes an entry on one line.
func (s Syntax) flow(name string, fields []splice.Field) string {
	var parts []string
	for _, f := range fields {
		parts = append(parts, f.Name+": "+s.value(f.Value))
	}
	return name + ": {" + strings.Join(parts, ", ") + "}"
}

func (s Syntax) value(v any) string {
	switch v := v.(type) {
	case string:
		if plainWord.MatchString(v) {
			return v
		}
		return s.Quote(v)
	case []string:
		var parts []string
		for _, e := range v {
			parts = append(parts, s.Quote(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case splice.Empty:
		return "{}"
	default:
		return fmt.Sprint(v)
	}
}

// plainWord needs no quotes in any reader: none of these is a number, a truth value or a date.
var plainWord = regexp.MustCompile(`^(stdio|conch|conch-assistant)$`)

package yaml

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	goyaml "gopkg.in/yaml.v3"

	"conch/mcp/connect/splice"
)

var (
	// afterKey is what may follow a key whose value is on the next lines.
	afterKey = regexp.MustCompile(`^[ \t]*:[ \t]*(?:[ \t]#.*)?\r?$`)
	// aside is a line that says nothing.
	aside = regexp.MustCompile(`^[ \t]*(?:#.*)?\r?$`)
)

// Place puts a new entry first in its table, so that it needn't be known where the table ends, and a new
// table last in the file.
func (s Syntax) Place(src []byte, at splice.Path, fields []splice.Field) (splice.Spot, error) {
	root, err := parse(src)
	if err != nil {
		return splice.Spot{}, err
	}
	k, v := member(root, at.Parent)
	switch {
	case root != nil && root.Anchor != "":
		return splice.Spot{}, splice.ErrUnproven
	case root != nil && flow(root) && k == nil:
		return s.placeInFlow(src, root, at, fields, true)
	case k == nil:
		return s.placeAtEnd(src, root, at, fields), nil
	case v.Anchor != "" || v.Kind == goyaml.AliasNode || !isNothing(v) && v.Kind != goyaml.MappingNode:
		return splice.Spot{}, splice.ErrUnproven
	case v.Kind == goyaml.MappingNode && flow(v):
		return s.placeInFlow(src, v, at, fields, false)
	case flow(root):
		return splice.Spot{}, splice.ErrUnproven
	default:
		return s.placeInBlock(src, root, k, v, at, fields)
	}
}

func (s Syntax) placeInFlow(src []byte, m *goyaml.Node, at splice.Path, fields []splice.Field, table bool) (splice.Spot, error) {
	open, ok := offset(src, m)
	if !ok || open >= len(src) || src[open] != '{' {
		return splice.Spot{}, splice.ErrUnproven
	}
	spot := splice.Spot{At: open + 1, CommaAt: -1, Entry: s.flow(at.Name, fields), Parent: table}
	if len(m.Content) > 0 {
		spot.Tail = ", "
	}
	if table {
		spot.Lead, spot.Tail = at.Parent+": {", "}"+spot.Tail
	}
	return spot, nil
}

func (s Syntax) placeAtEnd(src []byte, root *goyaml.Node, at splice.Path, fields []splice.Field) splice.Spot {
	nl, unit := splice.Newline(src), unit(root)
	outer := ""
	if root != nil && len(root.Content) > 0 {
		outer = strings.Repeat(" ", root.Content[0].Column-1)
	}
	spot := splice.Spot{
		At: len(src), CommaAt: -1, Parent: true, Tail: nl,
		Lead:  outer + at.Parent + ":" + nl + outer + unit,
		Entry: s.block(at.Name, fields, nl, outer+unit+unit),
	}
	if len(src) > 0 && src[len(src)-1] != '\n' {
		spot.Lead, spot.Tail = nl+spot.Lead, ""
	}
	return spot
}

func (s Syntax) placeInBlock(src []byte, root, k, v *goyaml.Node, at splice.Path, fields []splice.Field) (splice.Spot, error) {
	from, ok := offset(src, k)
	if !ok {
		return splice.Spot{}, splice.ErrUnproven
	}
	end, ok := keyEnd(src, from, k)
	if !ok || !afterKey.Match(src[end:splice.LineEnd(src, end)]) {
		return splice.Spot{}, splice.ErrUnproven
	}
	nl, unit := splice.Newline(src), unit(root)
	indent := strings.Repeat(" ", k.Column-1) + unit
	if len(v.Content) > 0 {
		first, ok := offset(src, v.Content[0])
		if !ok || !splice.Blank(src[splice.LineStart(src, first):first]) {
			return splice.Spot{}, splice.ErrUnproven
		}
		indent = string(src[splice.LineStart(src, first):first])
	}
	spot := splice.Spot{
		At: splice.NextLine(src, end), CommaAt: -1, Lead: indent, Tail: nl,
		Entry: s.block(at.Name, fields, nl, indent+unit),
	}
	if src[spot.At-1] != '\n' { // the key is the end of the file
		spot.Lead, spot.Tail = nl+indent, ""
	}
	return spot, nil
}

// keyEnd is the end of a key, before its colon.
func keyEnd(src []byte, from int, k *goyaml.Node) (int, bool) {
	end, ok := scalarEnd(src, from, k, ":")
	return end, ok
}

// unit is one level of indentation, as the first table in the file shows it.
func unit(root *goyaml.Node) string {
	if root != nil && root.Kind == goyaml.MappingNode && !flow(root) {
		for i := 0; i+1 < len(root.Content); i += 2 {
			v := root.Content[i+1]
			if v.Kind == goyaml.MappingNode && !flow(v) && len(v.Content) > 0 && v.Content[0].Column > root.Content[i].Column {
				return strings.Repeat(" ", v.Content[0].Column-root.Content[i].Column)
			}
		}
	}
	return "  "
}

// scalarEnd is the end of a string that is written on one line from at; a plain one ends before stop.
func scalarEnd(src []byte, at int, n *goyaml.Node, stop string) (int, bool) {
	end := at
	line := splice.LineEnd(src, at)
	switch {
	case at >= line:
		return 0, false
	case src[at] == '"' || src[at] == '\'':
		end = quotedEnd(src, at)
		if end < 0 || end > line {
			return 0, false
		}
	default:
		for end < line && strings.IndexByte(stop, src[end]) < 0 && !bytes.HasPrefix(src[end:], []byte(" #")) {
			end++
		}
		end = splice.BackOverSpace(src, at, end)
	}
	var got string
	if err := goyaml.Unmarshal(src[at:end], &got); err != nil || got != n.Value {
		return 0, false
	}
	return end, true
}

// quotedEnd is the end of the quoted string that begins at at; -1 when it has none.
func quotedEnd(src []byte, at int) int {
	quote := src[at]
	for i := at + 1; i < len(src); i++ {
		switch {
		case src[i] == '\\' && quote == '"':
			i++
		case src[i] != quote:
		case quote == '\'' && i+1 < len(src) && src[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// flowEnd is the end of the { } or [ ] that begins at at; -1 when it has none.
func flowEnd(src []byte, at int) int {
	depth := 0
	for i := at; i < len(src); i++ {
		switch src[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			if strings.IndexByte("{[,: \t\n", src[i-1]) >= 0 { // within a plain word it is a letter
				end := quotedEnd(src, i)
				if end < 0 {
					return -1
				}
				i = end - 1
			}
		case '#':
			if strings.IndexByte(" \t\n", src[i-1]) >= 0 {
				i = splice.LineEnd(src, i) - 1
			}
		}
	}
	return -1
}

// Ranges is one range: from the name to the end of its last line, or of its braces.
func (Syntax) Ranges(src []byte, at splice.Path) ([]splice.Range, error) {
	root, err := parse(src)
	if err != nil {
		return nil, err
	}
	_, table := member(root, at.Parent)
	k, v := member(table, at.Name)
	if k == nil {
		return nil, fmt.Errorf("yaml: no entry %q", at.Name)
	}
	r, ok := entryRange(src, k, v)
	if !ok {
		return nil, splice.ErrUnproven
	}
	return []splice.Range{r}, nil
}

func entryRange(src []byte, k, v *goyaml.Node) (splice.Range, bool) {
	from, ok := offset(src, k)
	if !ok {
		return splice.Range{}, false
	}
	if v.Kind == goyaml.MappingNode && !flow(v) && v.Anchor == "" {
		return splice.Range{Start: from, End: blockEnd(src, from, k.Column-1)}, true
	}
	open, ok := offset(src, v)
	if !ok || v.Kind != goyaml.MappingNode || open >= len(src) || src[open] != '{' {
		return splice.Range{}, false
	}
	end := flowEnd(src, open)
	return splice.Range{Start: from, End: end}, end > 0
}

// blockEnd is the end of the last line that belongs to the key at from, which stands in column indent.
func blockEnd(src []byte, from, indent int) int {
	end := splice.LineEnd(src, from)
	for at := splice.NextLine(src, from); at < len(src); at = splice.NextLine(src, at) {
		line := src[at:splice.LineEnd(src, at)]
		if aside.Match(line) {
			continue
		}
		if len(line)-len(bytes.TrimLeft(line, " ")) <= indent {
			break
		}
		end = at + len(line)
	}
	return end
}

// Without takes the entry's lines out, or its part of a table in braces.
func (Syntax) Without(src []byte, at splice.Path, parent bool) ([]byte, error) {
	out, err := without(src, at.Parent, at.Name)
	if err != nil || !parent {
		return out, err
	}
	root, err := parse(out)
	if err != nil {
		return nil, err
	}
	if k, v := member(root, at.Parent); k != nil && (isNothing(v) || v.Kind == goyaml.MappingNode && len(v.Content) == 0) {
		return withoutNode(out, k, v, flow(root))
	}
	return out, nil
}

func without(src []byte, parent, name string) ([]byte, error) {
	root, err := parse(src)
	if err != nil {
		return nil, err
	}
	_, table := member(root, parent)
	k, v := member(table, name)
	if k == nil {
		return nil, fmt.Errorf("yaml: no entry %q", name)
	}
	return withoutNode(src, k, v, flow(table))
}

func withoutNode(src []byte, k, v *goyaml.Node, inFlow bool) ([]byte, error) {
	var r splice.Range
	var ok bool
	if isNothing(v) {
		if r.Start, ok = offset(src, k); ok {
			r.End = splice.LineEnd(src, r.Start)
		}
	} else {
		r, ok = entryRange(src, k, v)
	}
	if !ok {
		return nil, splice.ErrUnproven
	}
	if inFlow {
		return withoutMember(src, r), nil
	}
	from, to := splice.LineStart(src, r.Start), splice.NextLine(src, r.End)
	if to == len(src) && from > 0 && src[to-1] != '\n' { // the file had no last line end
		from = splice.LineEnd(src, splice.LineStart(src, from-1))
	}
	return slices.Concat(src[:from], src[to:]), nil
}

func withoutMember(src []byte, r splice.Range) []byte {
	i := r.End
	for i < len(src) && strings.IndexByte(" \t\r\n", src[i]) >= 0 {
		i++
	}
	if i < len(src) && src[i] == ',' {
		if i++; i < len(src) && src[i] == ' ' {
			i++
		}
		return slices.Concat(src[:r.Start], src[i:])
	}
	from := splice.BackOverSpace(src, 0, r.Start)
	if from > 0 && src[from-1] == ',' {
		return slices.Concat(src[:from-1], src[r.End:])
	}
	return slices.Concat(src[:r.Start], src[r.End:])
}

// Literal finds a string in an entry.
func (Syntax) Literal(src []byte, at splice.Path, name string, i int) (splice.Range, error) {
	root, err := parse(src)
	if err != nil {
		return splice.Range{}, err
	}
	_, table := member(root, at.Parent)
	_, entry := member(table, at.Name)
	_, v := member(entry, name)
	stop := ""
	if v != nil && flow(entry) || table != nil && flow(table) {
		stop = ",}"
	}
	if i >= 0 && v != nil {
		if v.Kind != goyaml.SequenceNode || i >= len(v.Content) {
			return splice.Range{}, splice.ErrUnproven
		}
		if flow(v) {
			stop = ",]"
		}
		v = v.Content[i]
	}
	if v == nil || v.Kind != goyaml.ScalarNode || v.Anchor != "" {
		return splice.Range{}, splice.ErrUnproven
	}
	from, ok := offset(src, v)
	if !ok {
		return splice.Range{}, splice.ErrUnproven
	}
	end, ok := scalarEnd(src, from, v, stop)
	if !ok {
		return splice.Range{}, splice.ErrUnproven
	}
	return splice.Range{Start: from, End: end}, nil
}

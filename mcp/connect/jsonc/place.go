package jsonc

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"conch/mcp/connect/splice"
)

// style is how a new member is written.
type style struct {
	nl     string // between lines; empty is all on one line
	indent string // of the new member
	unit   string // one level more
	space  string // after a colon or a comma
}

// Place puts a new entry last in its table, and a new table last in the file.
func (s Syntax) Place(src []byte, at splice.Path, fields []splice.Field) (splice.Spot, error) {
	root, parent, err := s.find(src, at.Parent)
	if err != nil {
		return splice.Spot{}, err
	}
	if root == nil {
		return s.placeInNothing(src, at, fields), nil
	}
	if parent != nil {
		if _, ok := parent.Value.(*hujson.Object); !ok {
			return splice.Spot{}, splice.Unreadable("has something else where “" + at.Parent + "” should be a group of entries")
		}
		spot, st := place(src, root, parent)
		spot.Entry = s.render(at.Name, fields, st)
		return spot, nil
	}
	spot, st := place(src, root, root)
	spot.Parent = true
	name := s.Quote(at.Parent) + ":" + st.space
	inner := st
	inner.indent += st.unit
	if st.nl == "" {
		spot.Lead, spot.Tail = spot.Lead+name+"{", "}"+spot.Tail
	} else {
		spot.Lead, spot.Tail = spot.Lead+name+"{"+st.nl+inner.indent, st.nl+st.indent+"}"+spot.Tail
	}
	spot.Entry = s.render(at.Name, fields, inner)
	return spot, nil
}

// placeInNothing is for a file that is empty or not there.
func (s Syntax) placeInNothing(src []byte, at splice.Path, fields []splice.Field) splice.Spot {
	nl := splice.Newline(src)
	spot := splice.Spot{
		CommaAt: -1, Parent: true,
		Lead:  "{" + nl + "  " + s.Quote(at.Parent) + ": {" + nl + "    ",
		Entry: s.render(at.Name, fields, style{nl: nl, indent: "    ", unit: "  ", space: " "}),
		Tail:  nl + "  }" + nl + "}",
	}
	if len(src) == 0 {
		spot.Tail += nl
	}
	return spot
}

// place finds where a new last member of obj goes, and how it is written.
func place(src []byte, root, v *hujson.Value) (splice.Spot, style) {
	obj := v.Value.(*hujson.Object)
	if len(obj.Members) == 0 {
		return placeInEmpty(src, root, v)
	}
	last := obj.Members[len(obj.Members)-1]
	closing, end := v.EndOffset-1, last.Value.EndOffset
	spot := splice.Spot{At: splice.BackOverSpace(src, end, closing), CommaAt: end}
	if last.Value.AfterExtra != nil { // there is a comma after the last member, so ours gets one too
		spot.CommaAt, spot.Tail = -1, ","
	}
	st := style{unit: unit(src, root), space: space(obj)}
	if bytes.ContainsRune(last.Name.BeforeExtra, '\n') || endsInLineComment(src[end:spot.At]) {
		st.nl, st.indent = splice.Newline(src), splice.Indent(src, last.Name.StartOffset)
		spot.Lead = st.nl + st.indent
		return spot, st
	}
	spot.Lead = st.space
	return spot, st
}

func placeInEmpty(src []byte, root, v *hujson.Value) (splice.Spot, style) {
	from, closing := v.StartOffset+1, v.EndOffset-1
	spot := splice.Spot{At: splice.BackOverSpace(src, from, closing), CommaAt: -1}
	outer := splice.Indent(src, v.StartOffset)
	st := style{nl: splice.Newline(src), unit: unit(src, root), space: " "}
	st.indent = outer + st.unit
	switch {
	case bytes.ContainsRune(src[spot.At:closing], '\n'):
		spot.Lead = st.nl + st.indent
	case v != root && !bytes.ContainsRune(src[root.StartOffset:root.EndOffset], '\n'):
		st.nl = "" // the whole file is one line
		st.space = space(root.Value.(*hujson.Object))
	default:
		spot.Lead, spot.Tail = st.nl+st.indent, st.nl+outer
	}
	return spot, st
}

// unit is one level of indentation, as the first member of the file shows it.
func unit(src []byte, root *hujson.Value) string {
	obj := root.Value.(*hujson.Object)
	outer := splice.Indent(src, root.StartOffset)
	for i := range obj.Members {
		if !bytes.ContainsRune(obj.Members[i].Name.BeforeExtra, '\n') {
			continue
		}
		if in := splice.Indent(src, obj.Members[i].Name.StartOffset); len(in) > len(outer) && strings.HasPrefix(in, outer) {
			return in[len(outer):]
		}
		break
	}
	return "  "
}

// space is what follows a colon.
func space(obj *hujson.Object) string {
	if len(obj.Members[0].Value.BeforeExtra) == 0 {
		return ""
	}
	return " "
}

// endsInLineComment says whether extra (space and comments, perhaps a comma) ends inside a // comment.
func endsInLineComment(extra []byte) bool {
	for len(extra) > 0 {
		var end []byte
		switch {
		case bytes.HasPrefix(extra, []byte("//")):
			end = []byte("\n")
		case bytes.HasPrefix(extra, []byte("/*")):
			end = []byte("*/")
		default:
			extra = extra[1:]
			continue
		}
		i := bytes.Index(extra[2:], end)
		if i < 0 {
			return true
		}
		extra = extra[2+i+len(end):]
	}
	return false
}

// Without takes the entry out with its comma, and the space before it.
func (s Syntax) Without(src []byte, at splice.Path, parent bool) ([]byte, error) {
	_, table, i, err := s.entry(src, at)
	if err != nil {
		return nil, err
	}
	out := without(src, table, i)
	if !parent {
		return out, nil
	}
	root, table, err := s.find(out, at.Parent)
	if err != nil || table == nil || !splice.Blank(out[table.StartOffset+1:table.EndOffset-1]) {
		return out, err // something else is in it, or a comment
	}
	return without(out, root, index(root.Value.(*hujson.Object), at.Parent)), nil
}

// without takes member i out of an object.
func without(src []byte, v *hujson.Value, i int) []byte {
	obj := v.Value.(*hujson.Object)
	m := obj.Members[i]
	prev, before := v.StartOffset+1, -1 // the end of what stands before, and where the comma before is
	if i > 0 {
		before = obj.Members[i-1].Value.EndOffset + len(obj.Members[i-1].Value.AfterExtra)
		prev = before + 1
	}
	after := -1 // where the comma after is
	if i < len(obj.Members)-1 || m.Value.AfterExtra != nil {
		after = m.Value.EndOffset + len(m.Value.AfterExtra)
	}
	rest := m.Value.EndOffset
	if after >= 0 {
		rest = after + 1
	}
	if len(obj.Members) == 1 && splice.Blank(src[prev:m.Name.StartOffset]) &&
		splice.Blank(src[rest:v.EndOffset-1]) && splice.Blank(m.Value.AfterExtra) {
		return slices.Concat(src[:v.StartOffset+1], src[v.EndOffset-1:]) // nothing else in it: { }
	}
	from := splice.BackOverSpace(src, prev, m.Name.StartOffset)
	if endsInLineComment(src[prev:from]) && !lineEndsAt(src, rest) {
		from = splice.LineStart(src, m.Name.StartOffset) // what follows mustn't slip into the comment
	}
	switch {
	case after >= 0:
		return slices.Concat(src[:from], src[m.Value.EndOffset:after], src[after+1:])
	case before >= 0:
		return slices.Concat(src[:before], src[before+1:from], src[m.Value.EndOffset:])
	default:
		return slices.Concat(src[:from], src[m.Value.EndOffset:])
	}
}

func lineEndsAt(src []byte, at int) bool {
	rest := bytes.TrimLeft(src[at:], " \t")
	return len(rest) == 0 || rest[0] == '\n' || bytes.HasPrefix(rest, []byte("\r\n"))
}

// Package jsonc finds the place of an entry in a settings file in JSON, with comments and trailing commas
// where the program that owns the file takes them. It only says where; it never writes JSON over JSON.
package jsonc

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"conch/mcp/connect/splice"
)

// Syntax is JSON. Its zero value takes neither comments nor trailing commas.
type Syntax struct {
	Comments bool // the program that owns the file takes comments
	Commas   bool // and a comma after the last member
}

var _ splice.Syntax = Syntax{}

// Tree reads the whole text. A name that is there twice is refused: programs differ in which one counts.
func (s Syntax) Tree(src []byte) (map[string]any, error) {
	root, err := s.parse(src)
	if err != nil || root == nil {
		return map[string]any{}, err
	}
	v, err := tree(root, src)
	if err != nil {
		return nil, err
	}
	table, ok := v.(map[string]any)
	if !ok {
		return nil, splice.Unreadable("isn't a group of settings in { }")
	}
	return table, nil
}

// parse gives nil for an empty text, which programs take as no settings yet.
func (s Syntax) parse(src []byte) (*hujson.Value, error) {
	if splice.Blank(src) {
		return nil, nil
	}
	// The parser wants a line end after a last comment; offsets stay the same.
	v, err := hujson.Parse(append(bytes.Clone(src), '\n'))
	if err != nil {
		return nil, splice.Unreadable(mistake(err, splice.Line(src, len(src))))
	}
	if !s.Comments && bytes.ContainsRune(src, '/') && hasComment(&v) {
		return nil, splice.Unreadable("has comments, which don't belong there")
	}
	if at := lastComma(&v); !s.Commas && at >= 0 {
		return nil, splice.Unreadable("has a comma too many in line " + strconv.Itoa(splice.Line(src, at)))
	}
	return &v, nil
}

// hasComment looks at what stands between the values.
func hasComment(v *hujson.Value) bool {
	for e := range v.All() {
		after := [][]byte{e.BeforeExtra, e.AfterExtra}
		switch w := e.Value.(type) {
		case *hujson.Object:
			after = append(after, w.AfterExtra)
		case *hujson.Array:
			after = append(after, w.AfterExtra)
		}
		if bytes.ContainsRune(bytes.Join(after, nil), '/') {
			return true
		}
	}
	return false
}

// lastComma is the end of a last member that has a comma after it; -1 when there is none.
func lastComma(v *hujson.Value) int {
	for e := range v.All() {
		var last *hujson.Value
		switch w := e.Value.(type) {
		case *hujson.Object:
			if n := len(w.Members); n > 0 {
				last = &w.Members[n-1].Value
			}
		case *hujson.Array:
			if n := len(w.Elements); n > 0 {
				last = &w.Elements[n-1]
			}
		}
		if last != nil && last.AfterExtra != nil {
			return last.EndOffset
		}
	}
	return -1
}

var lineOf = regexp.MustCompile(`^hujson: line (\d+),`)

// mistake never repeats what is in the file: it may be a key or a password.
func mistake(err error, lines int) string {
	if m := lineOf.FindStringSubmatch(err.Error()); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return "has a mistake in line " + strconv.Itoa(min(n, lines))
		}
	}
	return "has a mistake in it"
}

func tree(v *hujson.Value, src []byte) (any, error) {
	switch w := v.Value.(type) {
	case *hujson.Object:
		out := make(map[string]any, len(w.Members))
		for i := range w.Members {
			m := &w.Members[i]
			name := str(m.Name)
			if _, twice := out[name]; twice {
				return nil, splice.Unreadable("has the same name twice in line " + strconv.Itoa(splice.Line(src, m.Name.StartOffset)))
			}
			child, err := tree(&m.Value, src)
			if err != nil {
				return nil, err
			}
			out[name] = child
		}
		return out, nil
	case *hujson.Array:
		out := make([]any, len(w.Elements))
		for i := range w.Elements {
			child, err := tree(&w.Elements[i], src)
			if err != nil {
				return nil, err
			}
			out[i] = child
		}
		return out, nil
	case hujson.Literal:
		if w.Kind() == '"' {
			return w.String(), nil
		}
		return splice.Raw(w), nil
	default:
		return nil, fmt.Errorf("jsonc: an unknown value %T", w)
	}
}

func str(v hujson.Value) string {
	lit, _ := v.Value.(hujson.Literal)
	return lit.String()
}

// find gives the object at the root and, when it is there, the one under key.
func (s Syntax) find(src []byte, key string) (root, parent *hujson.Value, err error) {
	root, err = s.parse(src)
	if err != nil || root == nil {
		return nil, nil, err
	}
	obj, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, nil, splice.Unreadable("isn't a group of settings in { }")
	}
	if i := index(obj, key); i >= 0 {
		return root, &obj.Members[i].Value, nil
	}
	return root, nil, nil
}

func index(obj *hujson.Object, name string) int {
	for i := range obj.Members {
		if str(obj.Members[i].Name) == name {
			return i
		}
	}
	return -1
}

// entry gives the object that holds the entry and its place in it.
func (s Syntax) entry(src []byte, at splice.Path) (root *hujson.Value, parent *hujson.Value, i int, err error) {
	root, parent, err = s.find(src, at.Parent)
	if err != nil {
		return nil, nil, 0, err
	}
	if parent != nil {
		if obj, ok := parent.Value.(*hujson.Object); ok {
			if i = index(obj, at.Name); i >= 0 {
				return root, parent, i, nil
			}
		}
	}
	return nil, nil, 0, fmt.Errorf("jsonc: no entry %q", at.Name)
}

// Ranges is one range, from the name to the end of the value.
func (s Syntax) Ranges(src []byte, at splice.Path) ([]splice.Range, error) {
	_, parent, i, err := s.entry(src, at)
	if err != nil {
		return nil, err
	}
	m := parent.Value.(*hujson.Object).Members[i]
	return []splice.Range{{Start: m.Name.StartOffset, End: m.Value.EndOffset}}, nil
}

// Literal finds a string in an entry.
func (s Syntax) Literal(src []byte, at splice.Path, key string, i int) (splice.Range, error) {
	none := fmt.Errorf("jsonc: no string at %s", key)
	_, parent, at0, err := s.entry(src, at)
	if err != nil {
		return splice.Range{}, err
	}
	obj, ok := parent.Value.(*hujson.Object).Members[at0].Value.Value.(*hujson.Object)
	if !ok {
		return splice.Range{}, none
	}
	k := index(obj, key)
	if k < 0 {
		return splice.Range{}, none
	}
	v := obj.Members[k].Value
	if i >= 0 {
		list, ok := v.Value.(*hujson.Array)
		if !ok || i >= len(list.Elements) {
			return splice.Range{}, none
		}
		v = list.Elements[i]
	}
	return splice.Range{Start: v.StartOffset, End: v.EndOffset}, nil
}

// Quote writes a string of JSON.
func (s Syntax) Quote(text string) string {
	b, err := jsontext.AppendQuote(nil, text)
	if err != nil { // not UTF-8; b has replaced what isn't
		return string(b)
	}
	return string(b)
}

// render writes an entry, over several lines when nl isn't empty.
func (s Syntax) render(name string, fields []splice.Field, st style) string {
	open, sep, end := "{"+st.nl+st.indent+st.unit, ","+st.nl+st.indent+st.unit, st.nl+st.indent+"}"
	if st.nl == "" {
		open, sep, end = "{", ","+st.space, "}"
	}
	var parts []string
	for _, f := range fields {
		parts = append(parts, s.Quote(f.Name)+":"+st.space+s.value(f.Value, st))
	}
	return s.Quote(name) + ":" + st.space + open + strings.Join(parts, sep) + end
}

func (s Syntax) value(v any, st style) string {
	switch v := v.(type) {
	case string:
		return s.Quote(v)
	case []string:
		var parts []string
		for _, e := range v {
			parts = append(parts, s.Quote(e))
		}
		return "[" + strings.Join(parts, ","+st.space) + "]"
	case splice.Empty:
		return "{}"
	default:
		return fmt.Sprint(v)
	}
}

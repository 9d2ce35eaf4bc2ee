// Package toml finds the place of an entry in a settings file in TOML. It only says where; it never writes
// TOML over TOML, so comments, order and spelling stay as the person has them.
package toml

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	gotoml "github.com/pelletier/go-toml/v2"

	"conch/mcp/connect/splice"
)

// Syntax is TOML.
type Syntax struct{}

var _ splice.Syntax = Syntax{}

// Tree reads the whole text.
func (Syntax) Tree(src []byte) (map[string]any, error) {
	var doc map[string]any
	if err := gotoml.Unmarshal(src, &doc); err != nil {
		return nil, splice.Unreadable(mistake(err))
	}
	tree, ok := plain(doc).(map[string]any)
	if !ok {
		return nil, fmt.Errorf("toml: a file that is a %T", doc)
	}
	return tree, nil
}

// mistake never repeats what is in the file: it may be a key or a password.
func mistake(err error) string {
	if de, ok := errors.AsType[*gotoml.DecodeError](err); ok {
		if row, _ := de.Position(); row > 0 {
			return "has a mistake in line " + strconv.Itoa(row)
		}
	}
	return "has a mistake in it"
}

func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = plain(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plain(e)
		}
		return out
	case string:
		return v
	case bool, int64:
		return splice.Raw(fmt.Sprint(v))
	default: // floats, dates and times: never ours, so that their kind is told too
		return splice.Raw(fmt.Sprintf("%T %v", v, v))
	}
}

// Place puts a new entry at the end of the file as a table of its own, or into the inline table that the
// file has for such entries.
func (s Syntax) Place(src []byte, at splice.Path, fields []splice.Field) (splice.Spot, error) {
	exprs, err := scan(src)
	if err != nil {
		return splice.Spot{}, err
	}
	for _, x := range exprs {
		if !x.table && len(x.path) == 1 && x.path[0] == at.Parent {
			if !x.inline {
				return splice.Spot{}, splice.Unreadable("has something else where “" + at.Parent + "” should be a group of entries")
			}
			return s.placeInline(src, x, at, fields), nil
		}
	}
	nl := splice.Newline(src)
	spot := splice.Spot{At: len(src), CommaAt: -1, Tail: nl, Entry: s.render(at, fields, nl)}
	switch {
	case len(src) == 0:
	case src[len(src)-1] != '\n':
		spot.Lead, spot.Tail = nl+nl, ""
	case !strings.HasSuffix(string(src), nl+nl):
		spot.Lead = nl
	}
	return spot, nil
}

func (s Syntax) placeInline(src []byte, x expr, at splice.Path, fields []splice.Field) splice.Spot {
	spot := splice.Spot{CommaAt: -1, Entry: s.key(at.Name) + " = " + s.inline(fields)}
	if len(x.kids) == 0 {
		spot.At, spot.Lead, spot.Tail = x.open+1, " ", " "
		return spot
	}
	end := x.kids[len(x.kids)-1].end
	spot.At, spot.Lead = end, " "
	if comma := skipSpace(src, end); comma < len(src) && src[comma] == ',' {
		spot.At, spot.Tail = comma+1, ","
	} else {
		spot.CommaAt = end
	}
	return spot
}

func (s Syntax) render(at splice.Path, fields []splice.Field, nl string) string {
	var b strings.Builder
	b.WriteString("[" + s.key(at.Parent) + "." + s.key(at.Name) + "]")
	for _, f := range fields {
		b.WriteString(nl + s.key(f.Name) + " = " + s.value(f.Value))
	}
	return b.String()
}

func (s Syntax) inline(fields []splice.Field) string {
	var parts []string
	for _, f := range fields {
		parts = append(parts, s.key(f.Name)+" = "+s.value(f.Value))
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

func (s Syntax) value(v any) string {
	switch v := v.(type) {
	case string:
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

func (s Syntax) key(name string) string {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return s.Quote(name)
		}
	}
	return name
}

// Quote writes a basic string.
func (Syntax) Quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

package toml

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"

	"conch/mcp/connect/splice"
)

// expr is one expression: a header, or a key with its value.
type expr struct {
	table      bool
	path       []string // from the root of the file
	start, end int      // from the [ of a header, or the key, to the end of the ] or the value
	// Of a key with its value:
	inline  bool // the value is an inline table
	open    int  // where the value begins
	kids    []expr
	strings []splice.Range // the string, or the strings in a list; one that is no string has Start -1
	list    bool
}

// scan says where everything is. Keys under a table of an array have a path that is no path from the root.
func scan(src []byte) ([]expr, error) {
	p := unstable.Parser{KeepComments: true}
	p.Reset(src)
	var out []expr
	var under []string
	for p.NextExpression() {
		n := p.Expression()
		switch n.Kind {
		case unstable.Table, unstable.ArrayTable:
			x := header(src, n)
			under = x.path
			out = append(out, x)
		case unstable.KeyValue:
			out = append(out, keyValue(&p, n, under))
		default: // a comment
		}
	}
	if err := p.Error(); err != nil {
		if pe, ok := errors.AsType[*unstable.ParserError](err); ok && len(pe.Highlight) > 0 {
			return nil, splice.Unreadable("has a mistake in line " + strconv.Itoa(p.Shape(p.Range(pe.Highlight)).Start.Line))
		}
		return nil, splice.Unreadable("has a mistake in it")
	}
	return out, nil
}

func header(src []byte, n *unstable.Node) expr {
	x := expr{table: true}
	first, last := -1, 0
	for it := n.Key(); it.Next(); {
		k := it.Node()
		if first < 0 {
			first = int(k.Raw.Offset)
		}
		last = int(k.Raw.Offset + k.Raw.Length)
		x.path = append(x.path, string(k.Data))
	}
	brackets := 1
	if n.Kind == unstable.ArrayTable {
		brackets = 2
	}
	x.start = splice.BackOverSpace(src, 0, first) - brackets
	x.end = skipSpace(src, last) + brackets
	return x
}

func keyValue(p *unstable.Parser, n *unstable.Node, under []string) expr {
	x := expr{path: slices.Clone(under), start: int(n.Raw.Offset), end: int(n.Raw.Offset + n.Raw.Length)}
	for it := n.Key(); it.Next(); {
		x.path = append(x.path, string(it.Node().Data))
	}
	v := n.Value()
	switch v.Kind {
	case unstable.String:
		x.strings = []splice.Range{span(v)}
	case unstable.Array:
		x.list = true
		for it := v.Children(); it.Next(); {
			switch e := it.Node(); e.Kind {
			case unstable.Comment:
			case unstable.String:
				x.strings = append(x.strings, span(e))
			default:
				x.strings = append(x.strings, splice.Range{Start: -1})
			}
		}
	case unstable.InlineTable:
		x.inline, x.open = true, int(v.Raw.Offset)
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				x.kids = append(x.kids, keyValue(p, it.Node(), x.path))
			}
		}
	default:
	}
	return x
}

func span(n *unstable.Node) splice.Range {
	return splice.Range{Start: int(n.Raw.Offset), End: int(n.Raw.Offset + n.Raw.Length)}
}

func skipSpace(src []byte, at int) int {
	for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
		at++
	}
	return at
}

func (x expr) under(at splice.Path) bool {
	return len(x.path) >= 2 && x.path[0] == at.Parent && x.path[1] == at.Name
}

// part is a piece of an entry: lines of its own, or a member of an inline table.
type part struct {
	splice.Range
	table  bool // it begins with a header
	inline bool
}

// parts gives all pieces of an entry, in the order of the file.
func parts(exprs []expr, at splice.Path) []part {
	var out []part
	joined := false // the expression before belongs to the last part
	for _, x := range exprs {
		switch {
		case x.under(at) && joined && (x.table || out[len(out)-1].table):
			out[len(out)-1].End = x.end
			continue
		case x.under(at):
			out = append(out, part{Range: splice.Range{Start: x.start, End: x.end}, table: x.table})
			joined = true
			continue
		}
		joined = false
		if x.inline && len(x.path) == 1 && x.path[0] == at.Parent {
			for _, k := range x.kids {
				if k.under(at) {
					out = append(out, part{Range: splice.Range{Start: k.start, End: k.end}, inline: true})
				}
			}
		}
	}
	return out
}

// Ranges are the entry's tables, or the lines or members that make it up.
func (Syntax) Ranges(src []byte, at splice.Path) ([]splice.Range, error) {
	exprs, err := scan(src)
	if err != nil {
		return nil, err
	}
	var out []splice.Range
	for _, p := range parts(exprs, at) {
		out = append(out, p.Range)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("toml: no entry %q", at.Name)
	}
	return out, nil
}

// Without takes out the entry's lines, and one empty line above a table.
func (Syntax) Without(src []byte, at splice.Path, _ bool) ([]byte, error) {
	exprs, err := scan(src)
	if err != nil {
		return nil, err
	}
	all := parts(exprs, at)
	if len(all) == 0 {
		return nil, fmt.Errorf("toml: no entry %q", at.Name)
	}
	for _, p := range slices.Backward(all) {
		if p.inline {
			src = withoutMember(src, p.Range)
		} else {
			src = withoutLines(src, p)
		}
	}
	return src, nil
}

func withoutLines(src []byte, p part) []byte {
	from, to := splice.LineStart(src, p.Start), splice.NextLine(src, p.End)
	if p.table && from > 0 {
		if above := splice.LineStart(src, from-1); splice.Blank(src[above:from]) {
			from = above
		}
	}
	if to == len(src) && from > 0 && (to == 0 || src[to-1] != '\n') { // the file had no last line end
		from--
		if from > 0 && src[from-1] == '\r' {
			from--
		}
	}
	return slices.Concat(src[:from], src[to:])
}

// withoutMember takes a member out of an inline table, with the comma after it, or else the one before.
func withoutMember(src []byte, r splice.Range) []byte {
	from, to := splice.BackOverSpace(src, 0, r.Start), r.End
	if comma := skipSpace(src, to); comma < len(src) && src[comma] == ',' {
		return slices.Concat(src[:from], src[comma+1:])
	}
	if from > 0 && src[from-1] == ',' {
		from--
	} else if src[to] == ' ' && bytes.HasSuffix(src[:from], []byte("{")) {
		to++
	}
	return slices.Concat(src[:from], src[to:])
}

// Literal finds a string in an entry, however the entry is spelled.
func (Syntax) Literal(src []byte, at splice.Path, key string, i int) (splice.Range, error) {
	exprs, err := scan(src)
	if err != nil {
		return splice.Range{}, err
	}
	want := []string{at.Parent, at.Name, key}
	for x := range deep(exprs) {
		if x.table || !slices.Equal(x.path, want) || x.list != (i >= 0) {
			continue
		}
		if n := max(i, 0); n < len(x.strings) && x.strings[n].Start >= 0 {
			return x.strings[n], nil
		}
	}
	return splice.Range{}, fmt.Errorf("toml: no string at %s", key)
}

func deep(exprs []expr) func(func(expr) bool) {
	return func(yield func(expr) bool) {
		for _, x := range exprs {
			if !yield(x) {
				return
			}
			for k := range deep(x.kids) {
				if !yield(k) {
					return
				}
			}
		}
	}
}

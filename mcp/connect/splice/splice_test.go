package splice_test

import (
	"errors"
	"strings"
	"testing"

	"conch/mcp/connect/jsonc"
	"conch/mcp/connect/splice"
)

var (
	at     = splice.Path{Parent: "servers", Name: "conch"}
	fields = []splice.Field{{Name: "command", Value: "/opt/conch"}}
)

// liar is a syntax that points at wrong places: nothing it says may reach a file.
type liar struct {
	jsonc.Syntax
	spot    func(splice.Spot) splice.Spot
	without func([]byte) []byte
	literal func(splice.Range) splice.Range
}

func (l liar) Place(src []byte, at splice.Path, f []splice.Field) (splice.Spot, error) {
	s, err := l.Syntax.Place(src, at, f)
	if l.spot != nil {
		s = l.spot(s)
	}
	return s, err
}

func (l liar) Without(src []byte, at splice.Path, parent bool) ([]byte, error) {
	if l.without != nil {
		return l.without(src), nil
	}
	return l.Syntax.Without(src, at, parent)
}

func (l liar) Literal(src []byte, at splice.Path, key string, i int) (splice.Range, error) {
	r, err := l.Syntax.Literal(src, at, key, i)
	if l.literal != nil {
		r = l.literal(r)
	}
	return r, err
}

func TestWhatIsNotProvenIsNotDone(t *testing.T) {
	src := []byte(`{"servers": {"a": {"command": "x"}}, "b": 1}`)
	for name, spot := range map[string]func(splice.Spot) splice.Spot{
		"elsewhere":      func(s splice.Spot) splice.Spot { s.At, s.CommaAt = 1, -1; s.Tail = ","; return s },
		"no comma":       func(s splice.Spot) splice.Spot { s.CommaAt = -1; return s },
		"one more":       func(s splice.Spot) splice.Spot { s.Tail = `, "c": 2`; return s },
		"another entry":  func(s splice.Spot) splice.Spot { s.Entry = `"conch": {"command": "/opt/other"}`; return s },
		"over the end":   func(s splice.Spot) splice.Spot { s.Tail = `}}` + s.Tail; return s },
		"another's name": func(s splice.Spot) splice.Spot { s.Entry = strings.Replace(s.Entry, "conch", "a", 1); return s },
	} {
		if a, err := splice.Add(liar{spot: spot}, src, at, fields); !errors.Is(err, splice.ErrUnproven) {
			t.Errorf("%s: %v %s", name, err, a.Text)
		}
	}
	added, err := splice.Add(jsonc.Syntax{}, src, at, fields)
	if err != nil {
		t.Fatal(err)
	}
	for name, without := range map[string]func([]byte) []byte{
		"all":       func([]byte) []byte { return []byte("{}") },
		"nothing":   func(b []byte) []byte { return b },
		"rewritten": func([]byte) []byte { return []byte(`{"servers": {"a": {"command":  "x"}}, "b": 1}`) },
		"broken":    func(b []byte) []byte { return b[:len(b)-1] },
	} {
		if out, err := splice.Remove(liar{without: without}, added.Text, at, nil); !errors.Is(err, splice.ErrUnproven) {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
	for name, literal := range map[string]func(splice.Range) splice.Range{
		"the key":  func(r splice.Range) splice.Range { return splice.Range{Start: 1, End: 10} },
		"too much": func(r splice.Range) splice.Range { return splice.Range{Start: r.Start, End: r.End + 1} },
		"another's": func(splice.Range) splice.Range {
			i := strings.Index(string(added.Text), `"x"`)
			return splice.Range{Start: i, End: i + 3}
		},
	} {
		out, err := splice.Set(liar{literal: literal}, added.Text, at, splice.Assign{Key: "command", Index: -1, To: "/new"})
		if !errors.Is(err, splice.ErrUnproven) {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}

// A trace that doesn't fit (it was kept for another file, or spoiled) is not followed.
func TestForeignTrace(t *testing.T) {
	src := []byte(`{"servers": {"a": {"command": "x"}}, "b": 1}`)
	added, err := splice.Add(jsonc.Syntax{}, src, at, fields)
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range []splice.Trace{
		{},
		{Lead: " ", Comma: -1},
		{Lead: " ", Comma: 1 << 40},
		{Lead: " ", Comma: 12},
		{Lead: strings.Repeat(" ", 1000)},
		{Lead: ` {"a": {"command": "x"}, `, Tail: "}"},
		{Lead: " ", Tail: `}, "b": 1}`},
		{Lead: "\n", Tail: "\n", Parent: true},
	} {
		got, err := splice.Remove(jsonc.Syntax{}, added.Text, at, &trace)
		if err != nil || string(got) != string(src) {
			t.Errorf("%+v: %v %s", trace, err, got)
		}
	}
}

func TestMisuse(t *testing.T) {
	src := []byte(`{"servers": {"conch": 1}}`)
	if _, err := splice.Add(jsonc.Syntax{}, src, at, fields); err == nil {
		t.Error("an entry was written over")
	}
	other := splice.Path{Parent: "servers", Name: "other"}
	if _, err := splice.Remove(jsonc.Syntax{}, src, other, nil); err == nil {
		t.Error("what isn't there was taken out")
	}
	if _, err := splice.Text(jsonc.Syntax{}, src, other); err == nil {
		t.Error("what isn't there was read")
	}
	for _, v := range []splice.Assign{{Key: "command", Index: -1}, {Key: "args", Index: 0}} {
		if _, err := splice.Set(jsonc.Syntax{}, src, at, v); err == nil {
			t.Errorf("%+v was set in an entry that is a number", v)
		}
	}
}

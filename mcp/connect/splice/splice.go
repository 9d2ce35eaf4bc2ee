// Package splice puts one entry into the text of another program's settings file and takes it out again, so
// that every other byte stays as it was: comments, order, indentation, line ends, a byte order mark.
//
// A Syntax knows one kind of file and only says where things are; this package cuts and pastes, and then
// proves the result: the new text must mean what the old one meant plus (or minus) the entry, and taking an
// entry out right after putting it in must give the old text back. What can't be proven is not done. It
// never touches a file and never writes a settings file anew from its meaning.
package splice

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// Path is where an entry is: under Name in the table Parent at the root of the file.
type Path struct{ Parent, Name string }

// Field is one member of an entry. Its value is a string, a bool, an int, a []string or Empty.
type Field struct {
	Name  string
	Value any
}

// Empty is the value of a table without members.
type Empty struct{}

// Raw is a value in a tree that is no string, list or table, as its syntax writes it: true, 1.50, null.
type Raw string

// Range is [Start, End) in a text.
type Range struct{ Start, End int }

// Trace is what a text got around an entry. With it the entry is taken out without a trace, also after the
// entry itself or anything else in the file changed.
type Trace struct {
	Lead   string `json:"lead"`             // directly before the entry
	Tail   string `json:"tail"`             // directly after it
	Comma  int    `json:"comma,omitzero"`   // how far before Lead a comma was put; 0 is none
	Parent bool   `json:"parent,omitempty"` // the table that holds the entry was made too
}

// Spot is where an entry goes and what goes there.
type Spot struct {
	At      int // Lead, Entry and Tail go here
	CommaAt int // a comma goes here, at or before At; -1 is none
	Lead    string
	Entry   string
	Tail    string
	Parent  bool // Lead makes the table that holds the entry
}

// Syntax is one kind of settings file. Texts come without a byte order mark, are valid UTF-8 and end lines
// with LF or CRLF. Errors for people are *UnreadableError.
type Syntax interface {
	// Tree is what the whole text means: tables are map[string]any, lists []any, leaves string or Raw. nil
	// is a key without a value.
	Tree(src []byte) (map[string]any, error)
	// Place says where a new entry goes.
	Place(src []byte, at Path, fields []Field) (Spot, error)
	// Ranges are the bytes of an entry that is there; more than one when it is spread over the file.
	Ranges(src []byte, at Path) ([]Range, error)
	// Without is the text without the entry, as well as that can be told without a Trace; parent says that
	// the table goes too when nothing else is in it.
	Without(src []byte, at Path, parent bool) ([]byte, error)
	// Literal is where the string under key of an entry is written; index is its place in a list, or -1.
	Literal(src []byte, at Path, key string, index int) (Range, error)
	// Quote writes a string.
	Quote(s string) string
}

// UnreadableError says why a settings file is left alone, as half a sentence about the file.
type UnreadableError struct{ Why string }

func (e *UnreadableError) Error() string { return "it " + e.Why }

// Unreadable makes one.
func Unreadable(why string) error { return &UnreadableError{Why: why} }

// ErrUnproven says that an edit would have touched more than the entry, so that it was not made.
var ErrUnproven error = &UnreadableError{Why: "is written in a way in which Conch can't be sure to change only its own entry"}

// errNoEntry is a call for an entry that isn't there.
var errNoEntry = errors.New("splice: no such entry")

// Added is a text with the entry in it.
type Added struct {
	Text  []byte
	Entry string // the entry alone, as it stands in Text
	Trace Trace
}

// Add puts an entry that isn't there yet into src.
func Add(syn Syntax, src []byte, at Path, fields []Field) (Added, error) {
	bom, body, tree, err := open(syn, src)
	if err != nil {
		return Added{}, err
	}
	table, err := tableOf(tree, at.Parent)
	if err != nil {
		return Added{}, err
	}
	if _, taken := table[at.Name]; taken {
		return Added{}, errors.New("splice: the entry is there already")
	}
	spot, err := syn.Place(body, at, fields)
	if err != nil {
		return Added{}, err
	}
	out, trace := spot.paste(body)
	want := withEntry(tree, at, fields)
	if got, err := syn.Tree(out); err != nil || !Equal(got, want) {
		return Added{}, ErrUnproven
	}
	ranges, err := syn.Ranges(out, at)
	if err != nil || len(ranges) != 1 {
		return Added{}, ErrUnproven
	}
	if back, ok := trace.cut(out, ranges[0]); !ok || !bytes.Equal(back, body) {
		return Added{}, ErrUnproven
	}
	return Added{Text: join(bom, out), Entry: spot.Entry, Trace: trace}, nil
}

// Remove takes an entry out of src. trace is what Add gave, or nil when nobody knows.
func Remove(syn Syntax, src []byte, at Path, trace *Trace) ([]byte, error) {
	bom, body, tree, err := open(syn, src)
	if err != nil {
		return nil, err
	}
	if !has(tree, at) {
		return nil, errNoEntry
	}
	ranges, err := syn.Ranges(body, at)
	if err != nil {
		return nil, err
	}
	want := withoutEntry(tree, at)
	proven := func(out []byte) bool {
		got, err := syn.Tree(out)
		return err == nil && Equal(dropEmpty(got, at.Parent), dropEmpty(want, at.Parent))
	}
	if trace != nil && len(ranges) == 1 {
		if out, ok := trace.cut(body, ranges[0]); ok && proven(out) {
			return join(bom, out), nil
		}
	}
	out, err := syn.Without(body, at, trace != nil && trace.Parent)
	if err != nil {
		return nil, err
	}
	if !proven(out) || !subsequence(out, body) {
		return nil, ErrUnproven
	}
	return join(bom, out), nil
}

// Assign is a new string for one value of an entry.
type Assign struct {
	Key   string
	Index int // place in a list, or -1 when the value is the string
	To    string
}

// Set writes new strings into an entry that is there and leaves the rest of the entry as it is.
func Set(syn Syntax, src []byte, at Path, values ...Assign) ([]byte, error) {
	bom, body, tree, err := open(syn, src)
	if err != nil {
		return nil, err
	}
	if !has(tree, at) {
		return nil, errNoEntry
	}
	for _, v := range values {
		r, err := syn.Literal(body, at, v.Key, v.Index)
		if err != nil {
			return nil, err
		}
		body = slices.Concat(body[:r.Start], []byte(syn.Quote(v.To)), body[r.End:])
		if tree = withString(tree, at, v); tree == nil {
			return nil, ErrUnproven
		}
		if got, err := syn.Tree(body); err != nil || !Equal(got, tree) {
			return nil, ErrUnproven
		}
	}
	return join(bom, body), nil
}

// Text is an entry as it stands in src; parts that are spread over the file are joined by an empty line.
func Text(syn Syntax, src []byte, at Path) (string, error) {
	_, body, tree, err := open(syn, src)
	if err != nil {
		return "", err
	}
	if !has(tree, at) {
		return "", errNoEntry
	}
	ranges, err := syn.Ranges(body, at)
	if err != nil {
		return "", err
	}
	var parts [][]byte
	for _, r := range ranges {
		parts = append(parts, body[r.Start:r.End])
	}
	return string(bytes.Join(parts, []byte("\n\n"))), nil
}

// Lines is an entry with its table, for a person to add by hand.
func Lines(syn Syntax, at Path, fields []Field) string {
	a, err := Add(syn, nil, at, fields)
	if err != nil {
		return ""
	}
	text := strings.TrimSuffix(string(a.Text), "\n")
	if in, ok := strings.CutPrefix(text, "{\n"); ok { // the person's file has these braces already
		text = strings.TrimSuffix(in, "\n}")
	}
	return text
}

// Read is what src means.
func Read(syn Syntax, src []byte) (map[string]any, error) {
	_, _, tree, err := open(syn, src)
	return tree, err
}

// paste gives the text with the entry, and what was put around it.
func (s Spot) paste(src []byte) ([]byte, Trace) {
	t := Trace{Lead: s.Lead, Tail: s.Tail, Parent: s.Parent}
	middle := src[:s.At]
	if s.CommaAt >= 0 {
		t.Comma = s.At - s.CommaAt + 1
		middle = slices.Concat(src[:s.CommaAt], []byte(","), src[s.CommaAt:s.At])
	}
	return slices.Concat(middle, []byte(s.Lead), []byte(s.Entry), []byte(s.Tail), src[s.At:]), t
}

// cut takes the entry at r out with all that was put around it, if that is all still there.
func (t Trace) cut(src []byte, r Range) ([]byte, bool) {
	from, to := r.Start-len(t.Lead), r.End+len(t.Tail)
	if from < 0 || to > len(src) || string(src[from:r.Start]) != t.Lead || string(src[r.End:to]) != t.Tail {
		return nil, false
	}
	if t.Comma == 0 {
		return slices.Concat(src[:from], src[to:]), true
	}
	comma := from - t.Comma
	if t.Comma < 0 || comma < 0 || src[comma] != ',' {
		return nil, false
	}
	return slices.Concat(src[:comma], src[comma+1:from], src[to:]), true
}

// open takes the byte order mark off and reads the rest.
func open(syn Syntax, src []byte) (bom, body []byte, tree map[string]any, err error) {
	bom, body = cutBOM(src)
	if err := checkText(body); err != nil {
		return nil, nil, nil, err
	}
	tree, err = syn.Tree(body)
	return bom, body, tree, err
}

func join(bom, body []byte) []byte { return slices.Concat(bom, body) }

// subsequence says whether out is body with bytes left out, and nothing put in.
func subsequence(out, body []byte) bool {
	i := 0
	for _, b := range body {
		if i < len(out) && out[i] == b {
			i++
		}
	}
	return i == len(out)
}

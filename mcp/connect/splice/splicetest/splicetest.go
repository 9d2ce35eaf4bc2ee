// Package splicetest is what every syntax must hold: an entry goes into any settings file and out again, and
// nothing else ever changes. It is for tests only.
package splicetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"testing"

	"conch/mcp/connect/splice"
)

// Fields is an entry of the usual shape.
var Fields = []splice.Field{
	{Name: "command", Value: "/Applications/Conch.app/Contents/MacOS/conch"},
	{Name: "args", Value: []string{"launcher", "--client", "c-1"}},
	{Name: "env", Value: splice.Empty{}},
	{Name: "enabled", Value: true},
	{Name: "timeout", Value: 300},
}

const moved = `/Users/müller/"My" Apps\conch`

// RoundTrip puts an entry into src and takes it out, in every way. It says whether the file took an entry.
// Whatever meaning (a second reader of the same syntax, or nil) says must agree.
func RoundTrip(t *testing.T, syn splice.Syntax, at splice.Path, src []byte, meaning func([]byte) (map[string]any, error)) bool {
	t.Helper()
	tree, err := splice.Read(syn, src)
	if err != nil {
		wantUnreadable(t, src, err)
		return false
	}
	if table, ok := tree[at.Parent].(map[string]any); ok {
		if _, taken := table[at.Name]; taken {
			removeUnknown(t, syn, at, src, tree)
			return false
		}
	}
	a, err := splice.Add(syn, src, at, Fields)
	if err != nil {
		wantUnreadable(t, src, err)
		return false
	}
	outside(t, src, a)
	second(t, at, src, a.Text, meaning)
	same := func(what string, got []byte, err error) {
		t.Helper()
		if err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%s: %v\n--- was ---\n%q\n--- with the entry ---\n%q\n--- without ---\n%q", what, err, src, a.Text, got)
		}
	}
	got, err := splice.Remove(syn, a.Text, at, &a.Trace)
	same("remove", got, err)
	got, err = splice.Remove(syn, a.Text, at, saved(t, a.Trace))
	same("remove with a saved trace", got, err)

	if text, err := splice.Text(syn, a.Text, at); err != nil || text != a.Entry {
		t.Fatalf("text: %v\n%q\nwant\n%q", err, text, a.Entry)
	}
	set, err := splice.Set(syn, a.Text, at, splice.Assign{Key: "command", Index: -1, To: moved}, splice.Assign{Key: "args", Index: 2, To: "c-2"})
	if err != nil {
		t.Fatalf("set: %v\n%q", err, a.Text)
	}
	got, err = splice.Remove(syn, set, at, &a.Trace)
	same("remove after set", got, err)

	full, err := splice.Read(syn, a.Text)
	if err != nil {
		t.Fatal(err)
	}
	removeUnknown(t, syn, at, a.Text, full)
	neighbour(t, syn, at, a, tree)
	return true
}

func wantUnreadable(t *testing.T, src []byte, err error) {
	t.Helper()
	if _, ok := errors.AsType[*splice.UnreadableError](err); !ok {
		t.Fatalf("refused without words: %v\n%q", err, src)
	}
}

// outside says that what is new is the entry and what is around it, in one place, and perhaps a comma.
func outside(t *testing.T, src []byte, a splice.Added) {
	t.Helper()
	chunk := a.Trace.Lead + a.Entry + a.Trace.Tail
	for at := 0; ; at++ {
		i := bytes.Index(a.Text[at:], []byte(chunk))
		if i < 0 {
			t.Fatalf("more than the entry changed\n%q\n%q", src, a.Text)
		}
		at += i
		head := a.Text[:at]
		if n := a.Trace.Comma; n > 0 && n <= at && head[at-n] == ',' {
			head = append(bytes.Clone(head[:at-n]), head[at-n+1:]...)
		}
		if bytes.Equal(append(bytes.Clone(head), a.Text[at+len(chunk):]...), src) {
			return
		}
	}
}

// removeUnknown takes an entry out without knowing how it came in: the rest must mean the same.
func removeUnknown(t *testing.T, syn splice.Syntax, at splice.Path, src []byte, tree map[string]any) {
	t.Helper()
	got, err := splice.Remove(syn, src, at, nil)
	if err != nil {
		wantUnreadable(t, src, err)
		return
	}
	now, err := splice.Read(syn, got)
	if err != nil {
		t.Fatalf("remove without a trace: %v\n%q\n%q", err, src, got)
	}
	want := maps.Clone(tree)
	table := maps.Clone(tree[at.Parent].(map[string]any))
	delete(table, at.Name)
	want[at.Parent] = table
	equal(t, at, now, want, src, got)
}

// neighbour puts a second entry beside ours and then takes ours out first.
func neighbour(t *testing.T, syn splice.Syntax, at splice.Path, a splice.Added, tree map[string]any) {
	t.Helper()
	next := splice.Path{Parent: at.Parent, Name: at.Name + "-assistant"}
	b, err := splice.Add(syn, a.Text, next, Fields)
	if err != nil {
		if table, ok := tree[at.Parent].(map[string]any); ok && table[next.Name] != nil {
			return
		}
		t.Fatalf("a second entry: %v\n%q", err, a.Text)
	}
	one, err := splice.Remove(syn, b.Text, at, &a.Trace)
	if err != nil {
		t.Fatalf("remove the first of two: %v\n%q", err, b.Text)
	}
	none, err := splice.Remove(syn, one, next, &b.Trace)
	if err != nil {
		t.Fatalf("remove the second of two: %v\n%q", err, one)
	}
	now, err := splice.Read(syn, none)
	if err != nil {
		t.Fatalf("%v\n%q", err, none)
	}
	equal(t, at, now, tree, a.Text, none)
}

// equal compares trees; an empty table for entries is as good as none.
func equal(t *testing.T, at splice.Path, got, want map[string]any, src, out []byte) {
	t.Helper()
	got, want = maps.Clone(got), maps.Clone(want)
	for _, m := range []map[string]any{got, want} {
		if v := m[at.Parent]; v == nil {
			delete(m, at.Parent)
		} else if table, ok := v.(map[string]any); ok && len(table) == 0 {
			delete(m, at.Parent)
		}
	}
	if !splice.Equal(got, want) {
		t.Fatalf("the rest means something else now\n--- was ---\n%q\n--- is ---\n%q\n%v\n%v", src, out, want, got)
	}
}

// second asks another reader whether the entry is there and the rest as it was.
func second(t *testing.T, at splice.Path, src, text []byte, meaning func([]byte) (map[string]any, error)) {
	t.Helper()
	if meaning == nil {
		return
	}
	want, err := meaning(src)
	if err != nil {
		t.Fatalf("a second reader can't read what we can: %v\n%q", err, src)
	}
	got, err := meaning(text)
	if err != nil {
		t.Fatalf("a second reader can't read what we wrote: %v\n%q", err, text)
	}
	table, _ := got[at.Parent].(map[string]any)
	entry, _ := table[at.Name].(map[string]any)
	if entry["command"] != Fields[0].Value {
		t.Fatalf("a second reader doesn't see the entry\n%q", text)
	}
	delete(table, at.Name)
	equal(t, at, got, want, src, text)
}

func saved(t *testing.T, trace splice.Trace) *splice.Trace {
	t.Helper()
	text, err := json.Marshal(trace)
	if err != nil {
		t.Fatal(err)
	}
	var back splice.Trace
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	return &back
}

package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func events(r io.Reader) (out []string, err error) {
	for e, err := range Events(r) {
		if err != nil {
			return out, err
		}
		out = append(out, e.Name+"|"+string(e.Data))
	}
	return out, nil
}

func TestEvents(t *testing.T) {
	for in, want := range map[string][]string{
		"data: a\n\n":                         {"|a"},
		"event: x\ndata: a\ndata: b\n\n":      {"x|a\nb"},
		"event:x\r\ndata:a\r\n\r\n":           {"x|a"},
		"event: x\rdata: a\r\rdata: b\r\r":    {"x|a", "|b"},
		"\xef\xbb\xbfdata: a\n\n":             {"|a"},
		": keep alive\n\ndata: a\n\n":         {"|a"},
		"data\n\n":                            {"|"},
		"data:  two spaces\n\n":               {"| two spaces"},
		"event: x\n\ndata: a\n\n":             {"|a"}, // an event without data is none
		"id: 1\nretry: 5\nother\ndata: a\n\n": {"|a"},
		"data: a\n\ndata: b":                  {"|a"},
		"data: a\n\ndata: b\n":                {"|a"},
		"\n\n\ndata: a\n\n\n\n":               {"|a"},
		"data: {\"a\":\"b: c\"}\n\n":          {`|{"a":"b: c"}`},
		"":                                    nil,
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "in bytes": iotest.OneByteReader(strings.NewReader(in))} {
			got, err := events(r)
			if err != nil {
				t.Errorf("%q %s: %v", in, name, err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%q %s: %s", in, name, d)
			}
		}
	}
}

func TestEventsAreBounded(t *testing.T) {
	one := "data: " + strings.Repeat("x", MaxEvent+2<<10)
	if _, err := events(strings.NewReader(one)); !errors.Is(err, ErrStrange) {
		t.Error(err)
	}
	many := strings.NewReader(strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 10))
	if _, err := events(many); !errors.Is(err, ErrStrange) {
		t.Error(err)
	}
	broken := errors.New("broken")
	got, err := events(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Error(got, err)
	}
}

func TestEventsBreakOff(t *testing.T) {
	n := 0
	for _, err := range Events(strings.NewReader("data: a\n\ndata: b\n\n")) {
		if err != nil {
			t.Error(err)
		}
		n++
		break
	}
	for _, err := range Lines(strings.NewReader("1\n2\n")) {
		if err != nil {
			t.Error(err)
		}
		n++
		break
	}
	if n != 2 {
		t.Error(n)
	}
}

func TestLines(t *testing.T) {
	var got []string
	for line, err := range Lines(iotest.OneByteReader(strings.NewReader("{\"a\":1}\r\n\n  \n{\"b\":\"\r\"}\n{\"half\":"))) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(line))
	}
	if d := cmp.Diff([]string{`{"a":1}`, "{\"b\":\"\r\"}"}, got); d != "" {
		t.Error(d)
	}
}

// plainEvents reads the same the slow way, from the whole text.
func plainEvents(in string) (out []string) {
	in = strings.TrimPrefix(in, "\xef\xbb\xbf")
	in = strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n")
	parts := strings.Split(in, "\n")
	name, data := "", []string(nil)
	for _, line := range parts[:len(parts)-1] { // what no line end follows is no line
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				out = append(out, name+"|"+strings.Join(data, "\n"))
			}
			name, data = "", nil
		case field == "event":
			name = value
		case field == "data":
			data = append(data, value)
		}
	}
	return out
}

// FuzzEvents: however a stream is cut into pieces, the same events come, those that the text plainly says.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{"event: x\ndata: a\ndata: b\n\n", "data: a\r\r\ndata", "\xef\xbb\xbf:\n\n", "data:\n\r\n\rdata:b\n\n"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, in string, piece int) {
		want := plainEvents(in)
		for _, r := range []io.Reader{
			strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in)),
			&pieces{[]byte(in), max(piece%17, 1)},
		} {
			got, err := events(r)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%q: %v\n got %q\nwant %q", in, err, got, want)
			}
		}
	})
}

// pieces reads n bytes at a time.
type pieces struct {
	rest []byte
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.n, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

// FuzzFault: whatever a provider writes, nothing of it but plain words is ever printed.
func FuzzFault(f *testing.F) {
	for _, s := range []string{
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, `{"error":"model 'x' not found"}`,
		`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m"}}`, `{"error":{"type":"a b"}}`, `[]`, `{"error":[{}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		fault := ParseFault(body)
		for _, word := range []string{fault.Type, fault.Code} {
			if len(word) > 60 || bytes.ContainsAny([]byte(word), " \n\t\"'<>/:{}") {
				t.Fatalf("%q", word)
			}
		}
	})
}

// FuzzArgs: arguments that are taken are one object.
func FuzzArgs(f *testing.F) {
	for _, s := range []string{"", "{}", `{"a":1}`, `{"a":1}{}`, `[1]`, `{"a":1,"a":2}`, " {\"a\":\"\\ud800\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		args, bad := Args(raw)
		if (args == nil) == (bad == "") {
			t.Fatalf("%q: %q %q", raw, args, bad)
		}
		if args != nil && (args[0] != '{' || args[len(args)-1] != '}') {
			t.Fatalf("%q", args)
		}
	})
}

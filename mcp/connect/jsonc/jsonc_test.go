package jsonc_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"conch/mcp/connect/jsonc"
	"conch/mcp/connect/splice"
	"conch/mcp/connect/splice/splicetest"
)

var at = splice.Path{Parent: "mcpServers", Name: "conch"}

// meaning is another reader: the standard library's.
func meaning(src []byte) (map[string]any, error) {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if splice.Blank(src) {
		return map[string]any{}, nil
	}
	std, err := hujson.Standardize(append(bytes.Clone(src), '\n'))
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(std, &out)
}

func TestThousandFiles(t *testing.T) {
	for name, syns := range map[string][]jsonc.Syntax{"JSON": {{}}, "JSONC": {{Comments: true}, {Comments: true, Commas: true}}} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(1000) {
				syn := syns[int(seed)%len(syns)]
				g := gen{Rand: rand.New(rand.NewPCG(seed, 73)), comments: syn.Comments, commas: syn.Commas}
				src := g.file()
				if !splicetest.RoundTrip(t, syn, at, src, meaning) {
					_, err := splice.Add(syn, src, at, splicetest.Fields)
					t.Fatalf("seed %d: not added: %v\n%s", seed, err, src)
				}
			}
		})
	}
}

// gen makes settings files that people and programs could have written.
type gen struct {
	*rand.Rand
	comments, commas bool
	nl, unit         string
	compact          bool
}

func (g *gen) file() []byte {
	g.nl = []string{"\n", "\n", "\r\n"}[g.IntN(3)]
	g.unit = []string{"  ", "    ", "\t", " ", "   "}[g.IntN(5)]
	g.compact = g.IntN(5) == 0
	var b strings.Builder
	if g.IntN(8) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	if g.IntN(20) == 0 { // empty, or as good as
		b.WriteString([]string{"", g.nl, "  ", g.nl + g.nl}[g.IntN(4)])
		return []byte(b.String())
	}
	b.WriteString(g.extra(""))
	b.WriteString(g.object(0, "", true))
	b.WriteString(g.extra(""))
	if g.IntN(2) == 0 {
		b.WriteString(g.nl)
	}
	return []byte(b.String())
}

// extra is nothing, odd space or, where they may be, comments; indent follows a line end.
func (g *gen) extra(indent string) string {
	var b strings.Builder
	for range g.IntN(4) / 2 {
		switch k := g.IntN(6); {
		case k == 0:
			b.WriteString(" ")
		case k == 1 && !g.compact:
			b.WriteString(g.nl + indent)
		case k == 2 && g.comments && !g.compact:
			b.WriteString(`// "mcpServers": { "conch": {} } */ ,` + g.nl + indent)
		case k == 3 && g.comments:
			b.WriteString(`/* "conch": {"command": "x"}, // } */`)
		case k == 4 && g.comments && !g.compact:
			b.WriteString("/* ünï" + g.nl + " * [ " + g.nl + " */" + g.nl + indent)
		}
	}
	return b.String()
}

func (g *gen) object(depth int, indent string, root bool) string {
	n := g.IntN(5)
	if depth > 2 {
		n = 0
	}
	names := []string{"a", "ключ", "mcp", "🐚", "with \\\"quote", "conch-", "m\\u0063x", "//", "{", "servers"}
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:n]
	if g.IntN(3) == 0 || root && g.IntN(2) == 0 {
		names = append(names, "mcpServers")
	}
	if !root && g.IntN(3) == 0 {
		names = append(names, "conch") // not ours: it is somewhere else
	}
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	inner := indent + g.unit
	nl := g.nl + inner
	end := g.nl + indent
	if g.compact || g.IntN(6) == 0 {
		nl, end = []string{"", " "}[g.IntN(2)], []string{"", " "}[g.IntN(2)]
	}
	if len(names) == 0 {
		return "{" + []string{"", " ", end, g.extra(inner)}[g.IntN(4)] + "}"
	}
	var b strings.Builder
	b.WriteString("{")
	for i, name := range names {
		b.WriteString(nl + g.extra(inner) + `"` + name + `"` + g.extra(inner) + ":" + []string{"", " ", " ", g.extra(inner)}[g.IntN(4)])
		if root && name == "mcpServers" {
			b.WriteString(g.servers(depth+1, inner))
		} else {
			b.WriteString(g.value(depth+1, inner))
		}
		b.WriteString(g.extra(inner))
		if i < len(names)-1 || g.commas && g.IntN(3) == 0 {
			b.WriteString(",")
		}
		b.WriteString(g.extra(inner))
	}
	return b.String() + end + "}"
}

// servers is the table of entries, without one of our name.
func (g *gen) servers(depth int, indent string) string {
	for {
		s := g.object(depth, indent, false)
		tree, err := (jsonc.Syntax{Comments: true, Commas: true}).Tree([]byte(s))
		if err != nil {
			panic(err.Error() + s)
		}
		if _, there := tree["conch"]; !there {
			return s
		}
	}
}

func (g *gen) value(depth int, indent string) string {
	switch g.IntN(7) {
	case 0:
		return []string{"1", "-0.50", "1e+9", "true", "null", "12345678901234567890"}[g.IntN(6)]
	case 1, 2:
		return []string{`""`, `"mcpServers"`, `"\"mcpServers\": {\"conch\": 1}"`, `"// no comment"`, `"{[,"`, `"\ud83d\udc1a ü"`}[g.IntN(6)]
	case 3:
		var parts []string
		for range g.IntN(3) {
			parts = append(parts, g.extra(indent)+g.value(depth+1, indent)+g.extra(indent))
		}
		return "[" + strings.Join(parts, ",") + "]"
	default:
		return g.object(depth, indent, false)
	}
}

func TestRefuses(t *testing.T) {
	both, plain, comments := jsonc.Syntax{Comments: true, Commas: true}, jsonc.Syntax{}, jsonc.Syntax{Comments: true}
	for _, c := range []struct {
		syn       jsonc.Syntax
		src, want string
	}{
		{plain, "{\n  // note\n}", "it has comments, which don't belong there"},
		{plain, `{"a": "//" /**/}`, "it has comments, which don't belong there"},
		{plain, `{"a": {/* c */ "b": 1}}`, "it has comments, which don't belong there"},
		{plain, `{"a": 1,}`, "it has a comma too many in line 1"},
		{comments, "{\n \"a\": [\n  1, // c\n ]}", "it has a comma too many in line 3"},
		{both, "{\n  \"a\": 1\n  \"b\": 2\n}", "it has a mistake in line 3"},
		{both, `{"a": {"b": 1, "b": 2}}`, "it has the same name twice in line 1"},
		{both, `{"mcpServers": {}, "mcp\u0053ervers": {}}`, "it has the same name twice in line 1"},
		{both, `[1]`, "it isn't a group of settings in { }"},
		{both, `{"mcpServers": []}`, "it has something else where “mcpServers” should be a group of entries"},
		{both, `{"mcpServers": null}`, "it has something else where “mcpServers” should be a group of entries"},
		{both, "{\"a\": \"\xff\"}", "it isn't text in UTF-8"},
		{both, "{\r\"a\": 1}", "it has line ends of old Macs"},
		{both, "{\"a\": 1}\x00", "it isn't a text file"},
		{both, strings.Repeat(`{"a":[`, 6000), "it is nested too deeply"},
		{both, `// only a note`, "it has a mistake in line 1"},
		{both, `{"token": "s3cret" oops`, "it has a mistake in line 1"},
	} {
		_, err := splice.Add(c.syn, []byte(c.src), at, splicetest.Fields)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.60q: %v, want %s", c.src, err, c.want)
		}
	}
}

func FuzzJSON(f *testing.F) { fuzz(f, jsonc.Syntax{}) }

func FuzzJSONC(f *testing.F) {
	fuzz(f, jsonc.Syntax{Comments: true}, jsonc.Syntax{Comments: true, Commas: true})
}

func fuzz(f *testing.F, syns ...jsonc.Syntax) {
	for seed := range uint64(40) {
		syn := syns[int(seed)%len(syns)]
		g := gen{Rand: rand.New(rand.NewPCG(seed, 1)), comments: syn.Comments, commas: syn.Commas}
		f.Add(g.file())
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, syn := range syns {
			splicetest.RoundTrip(t, syn, at, src, nil)
		}
	})
}

package toml_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"conch/mcp/connect/splice"
	"conch/mcp/connect/splice/splicetest"
	"conch/mcp/connect/toml"
)

var at = splice.Path{Parent: "mcp_servers", Name: "conch"}

func TestThousandFiles(t *testing.T) {
	for seed := range uint64(1000) {
		g := gen{Rand: rand.New(rand.NewPCG(seed, 73))}
		src := g.file()
		if !splicetest.RoundTrip(t, toml.Syntax{}, at, src, nil) {
			_, err := splice.Add(toml.Syntax{}, src, at, splicetest.Fields)
			t.Fatalf("seed %d: not added: %v\n%s", seed, err, src)
		}
	}
}

// gen makes settings files that people and programs could have written.
type gen struct {
	*rand.Rand
	nl string
}

func (g *gen) file() []byte {
	g.nl = []string{"\n", "\n", "\r\n"}[g.IntN(3)]
	var b strings.Builder
	if g.IntN(10) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	g.gap(&b)
	for i := range g.IntN(4) {
		b.WriteString(g.space() + g.key("k", i) + g.space() + "=" + g.space() + g.value(0) + g.tail() + g.nl)
		g.gap(&b)
	}
	shape := g.IntN(6)
	switch shape {
	case 0: // our table is an inline one
		b.WriteString("mcp_servers = {" + []string{"", " ", ` other = { command = "x" }`, `a={},b = {command="conch"} `}[g.IntN(4)] + "}" + g.tail() + g.nl)
	case 1: // or made of dotted keys
		b.WriteString(`mcp_servers.other.command = "conch" # [mcp_servers.conch]` + g.nl + `mcp_servers."o t".args = ["mcp_servers.conch"]` + g.nl)
	}
	tables := []func(){
		func() { g.table(&b, `[tui]`) },
		func() { g.table(&b, `[projects."/home/ü/mcp_servers"]`) },
		func() { g.table(&b, `[other.mcp_servers.conch]`) },
		func() { g.table(&b, `[[list.mcp_servers]]`); g.table(&b, `[[list.mcp_servers]]`) },
		func() { g.table(&b, `[[profile]]`); g.table(&b, `[profile.mcp_servers]`) },
	}
	if shape > 1 {
		tables = append(tables,
			func() { g.table(&b, `[mcp_servers.other]`); g.table(&b, ` [ mcp_servers . other . env ] `) },
			func() { g.table(&b, `[mcp_servers."ключ"]`) },
			func() { g.table(&b, `["mcp_servers".conch-]`) })
	}
	if shape == 2 {
		tables = append(tables, func() {
			b.WriteString("[mcp_servers]" + g.nl + `inner = { command = "x", args = ["conch"] }` + g.nl)
		})
	}
	g.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
	for _, f := range tables[:g.IntN(len(tables)+1)] {
		f()
	}
	out := b.String()
	if g.IntN(4) == 0 {
		out = strings.TrimRight(out, "\r\n \t")
	}
	return []byte(out)
}

func (g *gen) table(b *strings.Builder, head string) {
	b.WriteString(head + g.tail() + g.nl)
	for i := range g.IntN(3) {
		b.WriteString(g.space() + g.key("t", i) + " = " + g.value(0) + g.tail() + g.nl)
	}
	g.gap(b)
}

func (g *gen) gap(b *strings.Builder) {
	for range g.IntN(3) {
		b.WriteString([]string{"", "  ", "# [mcp_servers.conch] ünï", "\t#"}[g.IntN(4)] + g.nl)
	}
}

func (g *gen) space() string { return []string{"", " ", "\t", "  "}[g.IntN(4)] }

func (g *gen) tail() string { return []string{"", "", " ", ` # mcp_servers.conch = "]"`}[g.IntN(4)] }

func (g *gen) key(p string, i int) string {
	return fmt.Sprintf([]string{"%s%d", `"%s %d ü"`, "'%s.%d'", `%s%d.mcp_servers . "conch"`}[g.IntN(4)], p, i)
}

func (g *gen) value(depth int) string {
	if depth > 2 {
		return "1"
	}
	switch g.IntN(8) {
	case 0:
		return []string{"1", "0x1F", "-0.50", "1e9", "inf", "true", "1979-05-27T07:32:00Z", "07:32:00"}[g.IntN(8)]
	case 1:
		return `"""` + g.nl + `[mcp_servers.conch]` + g.nl + `command = "x" \` + g.nl + `  """`
	case 2:
		return `'''` + g.nl + `[mcp_servers]` + g.nl + `conch = '''`
	case 3:
		return `'[mcp_servers.conch]'`
	case 4:
		return "[" + g.nl + "  " + g.value(depth+1) + ", # ]" + g.nl + "  " + g.value(depth+1) + "," + g.nl + "]"
	case 5:
		return "{ mcp_servers = { conch = 1 }, b." + `"c d" = ` + g.value(3) + " }"
	default:
		return `"\"[mcp_servers.conch]\" \\ \u00fc # ü"`
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"a = 1\nb = \n", "it has a mistake in line 2"},
		{"a = 1\na = 2\n", "it has a mistake in line 2"},
		{"[mcp_servers.x]\na = 1\n[mcp_servers.x]\n", "it has a mistake in line 3"},
		{"mcp_servers = 1\n", "it has something else where “mcp_servers” should be a group of entries"},
		{"[[mcp_servers]]\na = 1\n", "it has something else where “mcp_servers” should be a group of entries"},
		{"token = \"s3cret\" oops\n", "it has a mistake in line 1"},
		{"a = 1\rb = 2\n", "it has line ends of old Macs"},
		{"a = " + strings.Repeat("[", 20000), "it is nested too deeply"},
	} {
		_, err := splice.Add(toml.Syntax{}, []byte(c.src), at, splicetest.Fields)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.60q: %v, want %s", c.src, err, c.want)
		}
	}
}

// An entry that another program spelled in its own way is found whole, and goes whole.
func TestSpellings(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"tables apart", "[mcp_servers.conch]\ncommand = 'x' # c\n\n[a]\n[mcp_servers.conch.env]\nA = '1'\n# b\n[b]\n", "\n[a]\n# b\n[b]\n"},
		{"tables together", "# a\n\n[mcp_servers.conch]\ncommand = 'x'\n\n[mcp_servers.conch.env]\nA = '1'\n\n[b]\n", "# a\n\n[b]\n"},
		{"dotted", "mcp_servers.conch.command = 'x'\nb = 1\nmcp_servers.conch.args = [\n 'conch',\n]\n", "b = 1\n"},
		{"in a table", "[mcp_servers]\na = {}\nconch = { command = 'x' } # c\nb = {}\n", "[mcp_servers]\na = {}\nb = {}\n"},
		{"inline first", "mcp_servers = { conch = { command = 'x' }, b = {} }\n", "mcp_servers = { b = {} }\n"},
		{"inline last", "mcp_servers = { b = {}, conch = { command = 'x' } }\n", "mcp_servers = { b = {} }\n"},
		{"inline alone", "mcp_servers = { conch = { command = 'x' } }\n", "mcp_servers = {}\n"},
		{"no last line end", "a = 1\n\n[mcp_servers.conch]\ncommand = 'x'", "a = 1"},
	} {
		got, err := splice.Remove(toml.Syntax{}, []byte(c.src), at, nil)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%q\nwant\n%q", c.name, err, got, c.want)
		}
		set, err := splice.Set(toml.Syntax{}, []byte(c.src), at, splice.Assign{Key: "command", Index: -1, To: "yy"})
		if want := strings.Replace(c.src, "'x'", `"yy"`, 1); err != nil || string(set) != want {
			t.Errorf("%s: set: %v\n%q\nwant\n%q", c.name, err, set, want)
		}
	}
}

func Fuzz(f *testing.F) {
	for seed := range uint64(40) {
		f.Add((&gen{Rand: rand.New(rand.NewPCG(seed, 1))}).file())
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		splicetest.RoundTrip(t, toml.Syntax{}, at, src, nil)
	})
}

package yaml_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"conch/mcp/connect/splice"
	"conch/mcp/connect/splice/splicetest"
	"conch/mcp/connect/yaml"
)

var at = splice.Path{Parent: "extensions", Name: "conch"}

func TestThousandFiles(t *testing.T) {
	refused := 0
	for seed := range uint64(1000) {
		g := gen{Rand: rand.New(rand.NewPCG(seed, 73))}
		src := g.file()
		if !splicetest.RoundTrip(t, yaml.Syntax{}, at, src, nil) {
			_, err := splice.Add(yaml.Syntax{}, src, at, splicetest.Fields)
			if !g.hard {
				t.Fatalf("seed %d: not added: %v\n%s", seed, err, src)
			}
			refused++
		}
	}
	if refused > 100 {
		t.Errorf("%d files were left alone", refused)
	}
}

// gen makes settings files that people and programs could have written.
type gen struct {
	*rand.Rand
	nl, unit string
	hard     bool // the file has what may be left alone
}

func (g *gen) file() []byte {
	g.nl = []string{"\n", "\n", "\r\n"}[g.IntN(3)]
	g.unit = []string{"  ", "    ", " ", "   "}[g.IntN(4)]
	var b strings.Builder
	if g.IntN(10) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	if g.IntN(5) == 0 {
		b.WriteString("# extensions:" + g.nl + "---" + g.nl)
	}
	if g.IntN(12) == 0 { // all of it in braces
		b.WriteString("{" + []string{"", "a: 1", ` "ü": [1, "}"], b: {extensions: {conch: 1}} `, "extensions: {a: {b: 1}}, c: d"}[g.IntN(4)] + "}" + g.nl)
		return []byte(b.String())
	}
	g.gap(&b, "")
	parts := []func(){
		func() { b.WriteString("GOOSE_MODEL: gpt # extensions: {}" + g.nl) },
		func() { b.WriteString(`"ключ 🐚": 'it''s: #no'` + g.nl) },
		func() { b.WriteString("text: |" + g.nl + "  extensions:" + g.nl + "    conch: 1" + g.nl) },
		func() { b.WriteString("folded: >-" + g.nl + "   a" + g.nl + g.nl + "   # not a comment" + g.nl) },
		func() { b.WriteString("base: &base" + g.nl + "  a: 1" + g.nl + "use: *base" + g.nl) },
		func() {
			b.WriteString("other:" + g.nl + g.unit + "extensions:" + g.nl + g.unit + g.unit + "conch: {a: 1}" + g.nl)
		},
		func() { b.WriteString("flow: {extensions: {conch: [1, '}']}, b: \"]\"}" + g.nl) },
		func() { b.WriteString("multi: {a: 1," + g.nl + "   b: [x," + g.nl + "   y]}" + g.nl) },
		func() { b.WriteString("list:" + g.nl + "- extensions: 1" + g.nl + "- conch" + g.nl) },
		func() { b.WriteString("date: 2026-11-30" + g.nl + "no: off" + g.nl + "tab:\t1\t# c" + g.nl) },
	}
	if g.IntN(4) > 0 {
		parts = append(parts, func() { g.extensions(&b) })
	}
	g.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for _, f := range parts[g.IntN(len(parts)+1):] {
		f()
		g.gap(&b, "")
	}
	out := b.String()
	if g.IntN(4) == 0 {
		out = strings.TrimRight(out, "\r\n \t")
		g.hard = g.hard || strings.Contains(out[strings.LastIndex(out, ":")+1:], "1") // a block text may end there
	}
	return []byte(out)
}

func (g *gen) extensions(b *strings.Builder) {
	head := []string{"extensions:", "extensions :", `"extensions":`, "'extensions':  # ours"}[g.IntN(4)]
	switch g.IntN(8) {
	case 0:
		b.WriteString("extensions: {}" + g.nl)
	case 1:
		b.WriteString("extensions: {other: {cmd: \"a, b}\"}, 'x y': {}} # c" + g.nl)
	case 2:
		b.WriteString(head + g.nl)
	case 3:
		g.hard = true
		b.WriteString([]string{"extensions: &x", "extensions: !!map", "extensions: ~", "extensions: [1]", "extensions: 'no'"}[g.IntN(5)] + g.nl)
		if strings.HasSuffix(b.String(), "x"+g.nl) || strings.HasSuffix(b.String(), "p"+g.nl) {
			b.WriteString("  a: {}" + g.nl)
		}
	default:
		b.WriteString(head + g.nl)
		g.gap(b, g.unit)
		for i := range 1 + g.IntN(3) {
			name := fmt.Sprintf([]string{"ext%d", `"ex t%d"`, "ü%d", "conch%d"}[g.IntN(4)], i)
			if g.IntN(3) == 0 {
				b.WriteString(g.unit + name + ": {enabled: true, cmd: 'conch: x'}" + g.nl)
				continue
			}
			b.WriteString(g.unit + name + ":" + g.nl + g.unit + g.unit + "enabled: true" + g.nl + g.unit + g.unit + "args:" + g.nl)
			b.WriteString(g.unit + g.unit + "- --conch" + g.nl + g.unit + g.unit + "envs: {}" + g.nl)
			g.gap(b, g.unit)
		}
	}
}

func (g *gen) gap(b *strings.Builder, indent string) {
	for range g.IntN(3) {
		b.WriteString([]string{"", "", indent + "# conch: {a: 1} ünï", "# extensions:"}[g.IntN(4)] + g.nl)
	}
}

func TestRefuses(t *testing.T) {
	unproven := splice.ErrUnproven.Error()
	for _, c := range []struct{ src, want string }{
		{"a: 1\nb: [\n", "it has a mistake near line 2"},
		{"a: 1\na: 2\n", "it has the same name twice in line 2"},
		{"- a\n", "it isn't a group of settings"},
		{"a: 1\n---\nb: 2\n", "it has several parts, split by ---"},
		{"extensions: 1\n", "it has something else where “extensions” should be a group of entries"},
		{"extensions: ~\n", "it has something else where “extensions” should be a group of entries"},
		{"extensions: &a\n  b: {}\nc: *a\n", unproven},
		{"a: &a {}\nextensions: *a\n", "it has something else where “extensions” should be a group of entries"},
		{"? extensions\n: a: {}\n", unproven},
		{"a: |\n  no line end", unproven},
		{"a: 1\n...\n", unproven},
		{"&all\na: 1\n", unproven},
		{"a: \u2028 1\n", "it has unusual line ends"},
		{"? [a]\n: 1\n", "it has a name in line 1 that is a list or a group"},
	} {
		_, err := splice.Add(yaml.Syntax{}, []byte(c.src), at, splicetest.Fields)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.src, err, c.want)
		}
	}
}

// An entry that another program spelled in its own way is found whole, and goes whole.
func TestSpellings(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"block list", "extensions:\n  a: {}\n  conch:\n    cmd: x\n    args:\n    - launcher\n    - --client\n    - c\n\n  # b\n  b: {}\n", "extensions:\n  a: {}\n\n  # b\n  b: {}\n"},
		{"last of all", "extensions:\n  a: {}\n  conch:\n    cmd: x", "extensions:\n  a: {}"},
		{"alone", "a: 1\nextensions:\n  conch:\n    cmd: x # c\nb: 1\n", "a: 1\nextensions:\nb: 1\n"},
		{"braces", "extensions: {a: {}, conch: {cmd: x, args: ['}']}, b: 1}\n", "extensions: {a: {}, b: 1}\n"},
		{"last in braces", "extensions: {a: {}, conch: {cmd: x}}\n", "extensions: {a: {}}\n"},
		{"braces in a block", "extensions:\n  conch: {cmd: x,\n    b: 1} # c\n  a: 1\n", "extensions:\n  a: 1\n"},
	} {
		got, err := splice.Remove(yaml.Syntax{}, []byte(c.src), at, nil)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%q\nwant\n%q", c.name, err, got, c.want)
		}
		set, err := splice.Set(yaml.Syntax{}, []byte(c.src), at, splice.Assign{Key: "cmd", Index: -1, To: "yy"})
		if want := strings.Replace(c.src, "cmd: x", `cmd: "yy"`, 1); err != nil || string(set) != want {
			t.Errorf("%s: set: %v\n%q\nwant\n%q", c.name, err, set, want)
		}
	}
}

func Fuzz(f *testing.F) {
	for seed := range uint64(40) {
		f.Add((&gen{Rand: rand.New(rand.NewPCG(seed, 1))}).file())
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		splicetest.RoundTrip(t, yaml.Syntax{}, at, src, nil)
	})
}

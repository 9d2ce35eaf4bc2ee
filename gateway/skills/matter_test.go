package skills

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		file string
		want Matter
		body string
	}{
		"least":      {"---\nname: a\ndescription: b\n---\n", Matter{Name: "a", About: "b"}, ""},
		"no end":     {"---\nname: a\ndescription: b\n---", Matter{Name: "a", About: "b"}, ""},
		"windows":    {"\ufeff---\r\nname: a\r\ndescription: b\r\n---\r\nDo\r\nit.\r\n", Matter{Name: "a", About: "b"}, "Do\nit."},
		"list":       {"---\nname: tidy-2\ndescription: >\n  Tidies\n  notes.\nallowed-tools:\n  - computer\n  - mcp__notes__read\n  - computer\n---\nx", Matter{Name: "tidy-2", About: "Tidies notes.", Tools: []string{"computer", "mcp__notes__read"}, Listed: true}, "x"},
		"commas":     {"---\nname: a\ndescription: b\nallowed-tools: Read, Bash(git add:*, git status:*), Bash(git:*)\n---\nx", Matter{Name: "a", About: "b", Tools: []string{"Read"}, Narrowed: []string{"Bash(git add:*, git status:*)", "Bash(git:*)"}, Listed: true}, "x"},
		"spaces":     {"---\nname: a\ndescription: b\nallowed-tools: Read computer\n---\nx", Matter{Name: "a", About: "b", Tools: []string{"Read", "computer"}, Listed: true}, "x"},
		"empty list": {"---\nname: a\ndescription: b\nallowed-tools: []\n---\nx", Matter{Name: "a", About: "b", Listed: true}, "x"},
		"notes":      {"---\nname: a\ndescription: b\nlicense: MIT\nmetadata:\n  by: me\nversion: 1.0\n---\nx", Matter{Name: "a", About: "b"}, "x"},
		"hidden":     {"---\nname: a\ndescription: \"b\u200bc\u202e\"\n---\nx", Matter{Name: "a", About: "bc"}, "x"},
		"later line": {"---\nname: a\ndescription: b\n---\nx\n---\ny", Matter{Name: "a", About: "b"}, "x\n---\ny"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, body, err := Parse([]byte(tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || body != tt.body {
				t.Errorf("%s\nbody %q, want %q", diff, body, tt.body)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	top := func(lines string) string { return "---\n" + lines + "\n---\nx" }
	tests := map[string]struct {
		file string
		line int
	}{
		"nothing":          {"", 1},
		"no top":           {"name: a", 1},
		"no end":           {"---\nname: a\ndescription: b\n", 1},
		"bytes":            {"---\nname: a\xff\n---\n", 0},
		"not yaml":         {top("name: [a"), 1},
		"a list":           {top("- name"), 1},
		"a text":           {top("name"), 1},
		"empty":            {top(""), 1},
		"no name":          {top("description: b"), 1},
		"no description":   {top("name: a"), 1},
		"description list": {top("name: a\ndescription: [b]"), 3},
		"name twice":       {top("name: a\nname: a\ndescription: b"), 3},
		"capital":          {top("name: Notes\ndescription: b"), 2},
		"path":             {top("name: ../a\ndescription: b"), 2},
		"long name":        {top("name: " + strings.Repeat("a", 65) + "\ndescription: b"), 2},
		"long description": {top("name: a\ndescription: " + strings.Repeat("b", 1025)), 3},
		"long top":         {top("name: a\ndescription: b\nlicense: " + strings.Repeat("b", matterMax)), 1},
		"hooks":            {top("name: a\ndescription: b\nhooks:\n  - x"), 4},
		"other case":       {top("Name: a\ndescription: b"), 2},
		"anchor":           {top("name: &x a\ndescription: *x"), 2},
		"merge":            {top("name: a\ndescription: b\nmetadata:\n  <<: {a: b}\n  c: &d e"), 6},
		"tag":              {top("name: !!str a\ndescription: b"), 2},
		"two documents":    {top("name: a\ndescription: b\n...\n{}"), 1},
		"every tool":       {top("name: a\ndescription: b\nallowed-tools: '*'"), 4},
		"tools by name":    {top("name: a\ndescription: b\nallowed-tools: {computer: yes}"), 4},
		"tool in a list":   {top("name: a\ndescription: b\nallowed-tools:\n  - [computer]"), 5},
		"open parenthesis": {top("name: a\ndescription: b\nallowed-tools: Bash(git"), 4},
		"deep":             {top("name: a\ndescription: b\nmetadata: {a: {a: {a: {a: {a: {a: 1}}}}}}"), 4},
		"many tools":       {top("name: a\ndescription: b\nallowed-tools: " + strings.Repeat("x ", 65)), 4},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m, _, err := Parse([]byte(tt.file))
			var bad *MatterError
			if !errors.As(err, &bad) {
				t.Fatalf("it was read as %+v: %v", m, err)
			}
			if bad.Line != tt.line || !strings.HasSuffix(bad.Say, ".") && !strings.HasSuffix(bad.Say, "”.") {
				t.Errorf("line %d, want %d: %q", bad.Line, tt.line, bad.Say)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\ndescription: b\nallowed-tools: [x, 'Bash(git:*)']\n---\nbody", "---\nname: &a b\n---", "---\n---\n", "\ufeff---\r\na: b\r\n---",
		"---\nname: a\ndescription: |\n  x\n  y\nmetadata: {a: [1, 2]}\n---\n", "---\n? [a]\n: b\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		m, body, err := Parse(file)
		if err != nil {
			var bad *MatterError
			if !errors.As(err, &bad) || bad.Say == "" {
				t.Fatalf("an error without words: %v", err)
			}
			return
		}
		if !skillName.MatchString(m.Name) || m.About == "" || len(m.Tools)+len(m.Narrowed) > toolsMax || len(body) > len(file) {
			t.Errorf("%+v", m)
		}
		for _, name := range m.Tools {
			if strings.ContainsAny(name, "()*. ") {
				t.Errorf("a tool called %q", name)
			}
		}
	})
}

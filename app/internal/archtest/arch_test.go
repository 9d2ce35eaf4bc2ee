package archtest_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"conch/app/internal/archtest"
)

// root is the top of the tree, from this package's folder, where go test runs it.
const root = "../../.."

func TestHouse(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(mod), "\n")
	module := strings.TrimPrefix(first, "module ")
	found, err := archtest.Check(os.DirFS(root), module)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		t.Error(p)
	}
}

// TestDecisions has each decision in the list of documents, by its own title.
func TestDecisions(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(root, "docs", "decisions", "*.md"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no decisions: %v", err)
	}
	for i, at := range all {
		text, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		title, ok := strings.CutPrefix(first, fmt.Sprintf("# %04d: ", i+1))
		if want := fmt.Sprintf("\n%d. [%s](decisions/%s)\n", i+1, title, filepath.Base(at)); !ok || !strings.Contains(string(list), want) {
			t.Errorf("%s begins with %q, and docs/README.md has no line%s", at, first, want)
		}
	}
}

// TestRules runs every case of testdata: a small tree and the rules that it breaks, so that no
// rule can stop finding what it is for.
func TestRules(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	seen := map[string]bool{}
	for _, name := range cases {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := txtar.FS(ar)
			if err != nil {
				t.Fatal(err)
			}
			found, err := archtest.Check(without{tree}, "conch")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range found {
				got = append(got, p.Path+": "+p.Rule)
				seen[p.Rule] = true
			}
			want := strings.FieldsFunc(string(ar.Comment), func(r rune) bool { return r == '\n' })
			if !slices.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
	for _, rule := range []string{"import", "platform", "cgo", "length", "doc", "untagged", "top", "init", "spec"} {
		if !seen[rule] {
			t.Errorf("no case breaks the rule %q", rule)
		}
	}
}

// without stretches files named long.* to more lines than a file may have, so that the case need not be.
type without struct{ fs.FS }

func (w without) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(w.FS, name)
	if err == nil && strings.HasPrefix(filepath.Base(name), "long.") {
		text = append(text, strings.Repeat("//\n", archtest.MaxLines+1)...)
	}
	return text, err
}

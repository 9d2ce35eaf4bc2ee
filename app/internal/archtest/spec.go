package archtest

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	specTest = regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	goTest   = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// checkSpec holds a SPEC.md to its word: each test that it names is in its folder or below, and each test of its own
// folder is named, so that a promise and what keeps it come and go together.
func checkSpec(tree fs.FS, at string) ([]Problem, error) {
	text, err := fs.ReadFile(tree, at)
	if err != nil {
		return nil, err
	}
	var named []string
	for _, m := range specTest.FindAllStringSubmatch(string(text), -1) {
		named = append(named, m[1])
	}
	var found []Problem
	there := map[string]bool{}
	err = fs.WalkDir(tree, path.Dir(at), func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != path.Dir(at) && skip(file, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		for _, m := range goTest.FindAllStringSubmatch(string(src), -1) {
			there[m[1]] = true
			if path.Dir(file) == path.Dir(at) && m[1] != "TestMain" && !slices.Contains(named, m[1]) {
				found = append(found, Problem{at, "spec", "it doesn't say what " + m[1] + " holds"})
			}
		}
		return nil
	})
	for _, name := range named {
		if !there[name] {
			found = append(found, Problem{at, "spec", "it names " + name + ", which isn't there"})
		}
	}
	return found, err
}

package computer

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// SPEC.md and the tests name each other.
func TestSpec(t *testing.T) {
	spec, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllSubmatch(src, -1) {
			have[string(m[1])] = true
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(spec, -1)
	if len(named) < 20 {
		t.Errorf("SPEC.md names %d tests", len(named))
	}
	for _, m := range named {
		if !have[string(m[1])] {
			t.Errorf("SPEC.md names %s, which isn't there", m[1])
		}
		delete(have, string(m[1]))
	}
	delete(have, "TestMain")
	for name := range have {
		t.Errorf("SPEC.md doesn't say what %s holds", name)
	}
}

package overlay

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestSpec checks that each test that SPEC.md names is there.
func TestSpec(t *testing.T) {
	spec, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, dir := range []string{".", "draw", "x11", "mac"} {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(src, -1) {
				have[string(m[1])] = true
			}
		}
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllSubmatch(spec, -1)
	if len(named) < 20 {
		t.Errorf("SPEC.md names %d tests", len(named))
	}
	for _, m := range named {
		if !have[string(m[1])] && string(m[1]) != "TestSpec" {
			t.Errorf("SPEC.md names %s, which isn't there", m[1])
		}
	}
}

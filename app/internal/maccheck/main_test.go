package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestCases runs each module of testdata. Its comment says how the check ends and, one a line, what must be
// in its answer, for both processors.
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range ar.Files {
				at := filepath.Join(dir, filepath.FromSlash(f.Name))
				if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, f.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out, errs bytes.Buffer
			code := run(t.Context(), []string{"-dir", dir, "./..."}, &out, &errs)
			wantCode, wants, _ := strings.Cut(string(ar.Comment), "\n")
			if got := string(rune('0' + code)); got != wantCode {
				t.Errorf("ended with %s, want %s\n%s%s", got, wantCode, &out, &errs)
			}
			for want := range strings.Lines(wants) {
				want = strings.TrimSpace(want)
				count := 2                                                                         // once for each processor
				if code == 2 || strings.Contains(want, ": C: ") || strings.Contains(want, ".m:") { // what is asked of C is looked at once
					count = 1
				}
				if n := strings.Count(out.String()+errs.String(), want); n != count {
					t.Errorf("%q is there %d times, want %d, in:\n%s%s", want, n, count, &out, &errs)
				}
			}
		})
	}
}

func TestBadFlags(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"-nonsense"}, &out, &errs); code != 2 {
		t.Errorf("ended with %d, want 2", code)
	}
}

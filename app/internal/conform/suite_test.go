//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The file in the tree can be read, has every run, and gives each check's reason.
func TestExpectedFile(t *testing.T) {
	e, err := readExpected(filepath.Join("..", "..", "..", expectedFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if e.Runs[r.name].Passes == 0 {
			t.Errorf("it has no run %s", r.name)
		}
	}
	if len(e.Runs) != len(runs) {
		t.Errorf("it has %d runs, and %d are made", len(e.Runs), len(runs))
	}
	for why := range e.Reasons {
		used := false
		for _, r := range e.Runs {
			for _, checks := range r.Fails {
				for _, w := range checks {
					used = used || w == why
				}
			}
		}
		if !used {
			t.Errorf("nothing has the reason %s", why)
		}
	}
}

func TestExpectedFileWithoutReason(t *testing.T) {
	for _, text := range []string{
		"reasons: {a: b}\nruns: {x: {passes: 1, fails: {s: {c: other}}}}",
		"reasons: {a: ''}\nruns: {x: {passes: 1, fails: {s: {c: a}}}}",
		"runs: {x: {fails: [s]}}",
		"run: {}",
	} {
		name := filepath.Join(t.TempDir(), "e.yml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readExpected(name); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestCompare(t *testing.T) {
	want := expectedRun{Passes: 2, Fails: byCheck{"a": {"one": "why"}, "b": {"two": "why"}}}
	for name, c := range map[string]struct {
		passed int
		got    byCheck
		wrong  []string
	}{
		"as expected":          {3, byCheck{"a": {"one": "x"}, "b": {"two": "y"}, "c": {}}, nil},
		"one fails":            {3, byCheck{"a": {"one": "x"}, "b": {"two": "y"}, "c": {"new": "z"}}, []string{"c: new fails: z"}},
		"one more of the same": {3, byCheck{"a": {"one": "x", "more": "z"}, "b": {"two": "y"}}, []string{"a: more fails: z"}},
		"one passes by now":    {3, byCheck{"a": {"one": "x"}, "b": {}}, []string{"b: two passes or is no more"}},
		"fewer are made":       {1, byCheck{"a": {"one": "x"}, "b": {"two": "y"}}, []string{"1 checks pass, and 2 did"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := compare("run", c.passed, c.got, want)
			if len(got) != len(c.wrong) {
				t.Fatalf("%q", got)
			}
			for i := range got {
				if !strings.Contains(got[i], c.wrong[i]) {
					t.Errorf("%q, not %q", got[i], c.wrong[i])
				}
			}
		})
	}
}

func TestResults(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "server-sep-2164-resource-not-found-2026-11-30T12-00-00-000Z")
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	const report = `[{"id":"a","status":"SUCCESS"},{"id":"b","status":"FAILURE","errorMessage":"no"},{"id":"c","status":"WARNING"},{"id":"d","status":"INFO"}]`
	if err := os.WriteFile(filepath.Join(at, "checks.json"), []byte(report), 0o600); err != nil {
		t.Fatal(err)
	}
	failed, passed, err := results(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := byCheck{"sep-2164-resource-not-found": {"b": "no", "c": ""}}
	if diff := cmp.Diff(want, failed); diff != "" || passed != 1 {
		t.Errorf("%d pass: %s", passed, diff)
	}
}

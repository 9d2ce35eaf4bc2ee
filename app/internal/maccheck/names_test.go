package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuards: what is newer than the oldest macOS wants a guard, near and new enough.
func TestGuards(t *testing.T) {
	table := map[string]version{"SCNew": {15, 2}, "SCOld": {14, 0}}
	for name, c := range map[string]struct {
		code string
		want int
	}{
		"old":                  {"SCOld *a;", 0},
		"new":                  {"SCNew *a;", 1},
		"guarded":              {"if (@available(macOS 15.2, *)) {\n  SCNew *a;\n}", 0},
		"guarded by a newer":   {"if (@available(macOS 26, *)) {\n  SCNew *a;\n}", 0},
		"guarded by an older":  {"if (@available(macOS 15.1, *)) {\n  SCNew *a;\n}", 1},
		"guarded far away":     {"if (@available(macOS 15.2, *)) {\n" + strings.Repeat("f();\n", 20) + "SCNew *a;\n}", 1},
		"a guard in a comment": {"// @available(macOS 15.2, *)\nSCNew *a;", 1},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "m_darwin.m"), []byte(c.code), 0o600); err != nil {
			t.Fatal(err)
		}
		r := &report{}
		if err := r.names(&listed{Dir: dir, MFiles: []string{"m_darwin.m"}}, table); err != nil || len(r.problems) != c.want {
			t.Errorf("%s: %v, %q; want %d problems", name, err, r.problems, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	table, err := parseTable(appleTable)
	if err != nil || len(table) < 50 {
		t.Fatalf("%d names, %v", len(table), err)
	}
	for _, bad := range []string{"SCName", "SCName 14.0 more", "SCName fourteen", "A 1.0\nA 1.0", "A 1.x"} {
		if got, err := parseTable(bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

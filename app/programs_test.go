package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/mcp/connect/apps"
)

// This program is among those that run.
func TestProgramsHasItself(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		t.Fatal(err)
	}
	all, err := programs{}.Programs()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(p apps.Program) bool { return p.File == self })
	if i < 0 || !slices.Equal(all[i].Args, os.Args) {
		t.Errorf("%d of %d: %+v", i, len(all), all)
	}
}

func TestMacProgram(t *testing.T) {
	const file = "/Applications/Claude.app/Contents/MacOS/Claude"
	for _, c := range []struct {
		answer string
		want   apps.Program
		ok     bool
	}{
		{"\x02\x00\x00\x00" + file + "\x00\x00\x00Claude\x00--hidden\x00HOME=/Users/anna\x00\x00", apps.Program{File: file, Args: []string{"Claude", "--hidden"}}, true},
		{"\x01\x00\x00\x00/usr/local/bin/node\x00claude\x00", apps.Program{File: "/usr/local/bin/node", Args: []string{"claude"}}, true},
		{"\x03\x00\x00\x00/bin/x\x00x\x00cut o", apps.Program{File: "/bin/x", Args: []string{"x"}}, true},
		{"\x00\x00\x00\x00/bin/x\x00", apps.Program{File: "/bin/x"}, true},
		{"\xff\xff\xff\xff/bin/x\x00x\x00", apps.Program{File: "/bin/x", Args: []string{"x"}}, true},
		{"\x01\x00\x00\x00no end", apps.Program{}, false},
		{"\x01\x00\x00\x00\x00x\x00", apps.Program{}, false},
		{"\x01\x00", apps.Program{}, false},
		{"", apps.Program{}, false},
	} {
		got, ok := macProgram([]byte(c.answer))
		if diff := cmp.Diff(c.want, got); ok != c.ok || diff != "" {
			t.Errorf("%q: %v %s", c.answer, ok, diff)
		}
	}
}

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{"claude\x00\x00\x00\x00": {"claude"}, "a\x00\x00b\x00": {"a", "", "b"}, "a b": {"a b"}} {
		if got := words([]byte(line)); !slices.Equal(got, want) {
			t.Errorf("%q: %q", line, got)
		}
	}
}

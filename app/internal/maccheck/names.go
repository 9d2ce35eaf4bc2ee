package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// oldest is the macOS that Conch has to run on: LSMinimumSystemVersion.
var oldest = version{14, 0}

// appleTable is one name and its first macOS a line.
//
//go:embed apple.txt
var appleTable string

type version struct{ major, minor int }

func (v version) newerThan(o version) bool {
	return v.major > o.major || v.major == o.major && v.minor > o.minor
}

func parseVersion(s string) (version, error) {
	major, minor, _ := strings.Cut(s, ".")
	v := version{}
	var err error
	if v.major, err = strconv.Atoi(major); err != nil {
		return v, fmt.Errorf("%q is no version of macOS", s)
	}
	if minor != "" {
		if v.minor, err = strconv.Atoi(minor); err != nil {
			return v, fmt.Errorf("%q is no version of macOS", s)
		}
	}
	return v, nil
}

func parseTable(text string) (map[string]version, error) {
	out := map[string]version{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
			continue
		case len(f) != 2:
			return nil, fmt.Errorf("the table of macOS's names: %q is not a name and a version", line)
		}
		v, err := parseVersion(f[1])
		if err != nil {
			return nil, err
		}
		if _, twice := out[f[0]]; twice {
			return nil, fmt.Errorf("the table of macOS's names: %s is there twice", f[0])
		}
		out[f[0]] = v
	}
	return out, nil
}

// watchedNames are the names that want a row: those of frameworks whose parts are not as old as Mac OS X.
var watchedNames = regexp.MustCompile(`\b(` +
	`(?:k|err)?(?:SC|AX|TIS|UC|LM|Sec|LA|SM|CM|UN)[A-Z]\w*` +
	`|k?CG(?:Event|Preflight|Request|Session|Window|Display|GetActive|HIDEvent|HeadInsert|Scroll|Mouse|Keyboard)\w*` +
	`|RegisterEventHotKey|UnregisterEventHotKey|InstallEventHandler|RemoveEventHandler|GetEventDispatcherTarget` +
	`|GetEventParameter|CopyEventCGEvent|CopySymbolicHotKeys|kHISymbolic\w*|IsSecureEventInputEnabled|proc_\w+` +
	`)\b`)

// notCode are comments and strings; a name in quotes is data, such as an AXRole.
var notCode = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"`)

var guard = regexp.MustCompile(`@available\(macOS (\d+(?:\.\d+)?)`)

// guardReach is how many lines a guard may stand before what it guards.
const guardReach = 12

// names checks the Objective-C of a package: each name that is watched has a row, and is old enough or guarded.
func (r *report) names(p *listed, table map[string]version) error {
	for _, name := range append(append([]string{}, p.MFiles...), p.HFiles...) {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		code := notCode.ReplaceAllStringFunc(string(text), func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
		said := map[string]bool{}
		lines := strings.Split(code, "\n")
		for i, line := range lines {
			for _, n := range watchedNames.FindAllString(line, -1) {
				since, known := table[n]
				switch {
				case said[n]:
				case !known:
					said[n] = true
					r.problem("%s:%d: %s is not in the table of macOS's names: add it with the macOS that brought it (apple.txt)",
						filepath.Join(p.Dir, name), i+1, n)
				case since.newerThan(oldest) && !guarded(lines[max(0, i-guardReach):i+1], since):
					r.problem("%s:%d: %s came with macOS %d.%d, and Conch runs on %d.%d: it wants @available",
						filepath.Join(p.Dir, name), i+1, n, since.major, since.minor, oldest.major, oldest.minor)
				}
			}
		}
	}
	return nil
}

func guarded(lines []string, since version) bool {
	for _, line := range lines {
		for _, m := range guard.FindAllStringSubmatch(line, -1) {
			if v, err := parseVersion(m[1]); err == nil && !since.newerThan(v) {
				return true
			}
		}
	}
	return false
}

package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The checklist's rows are numbered one by one, and what nobody has seen says so. Whoever sees something writes
// the date and the Mac there; a bare "yes" is no observation.
func TestChecklist(t *testing.T) {
	text, err := os.ReadFile("../docs/mac-checklist.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := regexp.MustCompile(`\d{4}-\d{2}-\d{2}.*macOS \d+`)
	n := 0
	for line := range strings.Lines(string(text)) {
		row := regexp.MustCompile(`^\| (\d+) \|(.+)\|(.+)\|(.+)\|\s*$`).FindStringSubmatch(line)
		if row == nil {
			continue
		}
		n++
		if row[1] != strings.TrimSpace(row[1]) || row[1] != strconv.Itoa(n) {
			t.Errorf("row %s comes after row %d", row[1], n-1)
		}
		state := strings.TrimSpace(row[4])
		if state != "not seen yet" && !seen.MatchString(state) {
			t.Errorf("row %s: %q names no day and no macOS", row[1], state)
		}
	}
	if n < 40 {
		t.Errorf("%d rows", n)
	}
}

// Nobody has run Conch on a Mac, so no page of ours may say that it works there.
func TestNothingClaimsTheMac(t *testing.T) {
	for _, file := range []string{"../README.md", "../docs/mac-checklist.md", "../docs/README.md", "../docs/threat-model.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, claim := range []string{"works on macOS", "works on a Mac", "runs on macOS", "tested on macOS", "tested on a Mac"} {
			if strings.Contains(strings.ToLower(string(text)), strings.ToLower(claim)) {
				t.Errorf("%s says %q", file, claim)
			}
		}
	}
}

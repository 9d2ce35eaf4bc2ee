package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"conch/gateway"
	"conch/gateway/web"
	"conch/mcp/otherapps"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// menuCases are the menus that a person meets.
func menuCases() []struct {
	name  string
	facts menuFacts
} {
	using := gateway.Status{
		State: gateway.Using, On: true, App: "Notes", Title: "Plan the trip", Say: "Typing in Notes for “Plan the trip”",
	}
	return []struct {
		name  string
		facts menuFacts
	}{
		{"just started", menuFacts{}},
		{"idle, off", menuFacts{Status: gateway.Status{State: gateway.Idle}, StopKey: "⌘⎋", Login: loginOff}},
		{"idle, on", menuFacts{Status: gateway.Status{State: gateway.Idle, On: true}, StopKey: "⌘⎋", Login: loginOn}},
		{"idle, no screen", menuFacts{Status: gateway.Status{State: gateway.Idle, On: true, Screen: "The screen is locked."}, Login: loginOff}},
		{"working", menuFacts{Status: gateway.Status{State: gateway.Working, On: true, Title: "Plan the trip", Say: "Working on “Plan the trip”"}, StopKey: "⌘⎋", Login: loginOff}},
		{"using an app", menuFacts{Status: using, StopKey: "⌘⎋", Login: loginOn}},
		{"using, no app yet", menuFacts{Status: gateway.Status{State: gateway.Using, On: true, Say: "Looking at the screen for a chat"}, StopKey: "Super+Esc", Login: loginOff}},
		{"using, no key", menuFacts{Status: using, Login: loginOff}},
		{"asking", menuFacts{Status: gateway.Status{State: gateway.Asking, On: true, Title: "Plan the trip", Say: "Use Notes on your computer?"}, StopKey: "⌃⌘⎋", Login: loginWaits}},
		{"an app asks", menuFacts{
			Status: gateway.Status{State: gateway.Asking, On: true, Title: "Claude Desktop", Client: "Claude Desktop", Say: "Use Notes on your computer?"},
			Apps:   []otherapps.Line{{Name: "Claude Desktop", State: web.AppOn}, {Name: "Cursor", State: web.AppReopen}, {Name: "Zed", State: web.AppConnect}, {Name: "Goose", State: web.AppLost}},
		}},
		{"a hostile title", menuFacts{Status: gateway.Status{
			State: gateway.Using, App: "No\ntes\x1b[31m", Say: "x",
			Title: "Stop\u202egnp  \n" + strings.Repeat("very ", 30) + "long",
		}}},
	}
}

func TestMenuGolden(t *testing.T) {
	var b strings.Builder
	for _, s := range menuCases() {
		fmt.Fprintf(&b, "== %s\n", s.name)
		for _, item := range menuOf(s.facts) {
			b.WriteString(menuText(item))
		}
	}
	const file = "testdata/menu.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("the menu (-golden +now):\n%s", diff)
	}
}

func menuText(item menuItem) string {
	if item.Title == "" {
		return "   ---\n"
	}
	mark := "   "
	switch {
	case item.Off:
		mark = " · "
	case item.Checked:
		mark = " ✓ "
	}
	line := mark + item.Title
	if item.Do != "" {
		line += "  [" + string(item.Do) + "]"
	}
	if item.About != "" {
		line += "\n       " + item.About
	}
	for _, sub := range item.Sub {
		if !sub.Hidden {
			line += "\n   " + strings.TrimRight(menuText(sub), "\n")
		}
	}
	return line + "\n"
}

// Whoever draws the menu changes items where they are, so every state has the same ones.
func TestMenuKeepsItsShape(t *testing.T) {
	shape := func(menu []menuItem) (out []string) {
		for _, item := range menu {
			out = append(out, fmt.Sprint(item.Do, item.Title == "", item.Box, len(item.Sub)))
		}
		return out
	}
	first := shape(menuOf(menuFacts{}))
	for _, s := range menuCases() {
		menu := menuOf(s.facts)
		if diff := cmp.Diff(first, shape(menu)); diff != "" {
			t.Errorf("%s: %s", s.name, diff)
		}
		stoppable := s.facts.Status.State != gateway.Idle && s.facts.Status.State != ""
		for _, item := range menu {
			if item.Do == doStop && item.Off == stoppable {
				t.Errorf("%s: Stop is off: %v", s.name, item.Off)
			}
			if strings.ContainsAny(item.Title, "\n\x1b\u202e") || len([]rune(item.Title)) > 110 {
				t.Errorf("%s: the line is %q", s.name, item.Title)
			}
		}
	}
}

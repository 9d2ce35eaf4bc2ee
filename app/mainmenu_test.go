package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// An unknown selector ends the program on a Mac, so each of ours is one that the page's keeper has, each of
// the keeper's is in the menu, and the others are AppKit's own.
func TestMainMenu(t *testing.T) {
	text, err := os.ReadFile("page_darwin.m")
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^- \(void\)(cn\w+:)\(id\)`).FindAllStringSubmatch(string(text), -1) {
		has[m[1]] = false
	}
	appKit := map[string]bool{
		"hide:": true, "terminate:": true, "performClose:": true, "undo:": true, "redo:": true, "cut:": true,
		"copy:": true, "paste:": true, "selectAll:": true, "performMiniaturize:": true,
	}
	keys := map[string]string{}
	for _, menu := range mainMenu() {
		for _, c := range menu.Items {
			if c.Title == "" {
				continue
			}
			key := c.Key
			if c.Shift {
				key = "⇧" + key
			}
			if other := keys[key]; other != "" || c.Key == "" {
				t.Errorf("%s and %s both have ⌘%s", c.Title, other, key)
			}
			keys[key] = c.Title
			_, own := has[c.Selector]
			switch {
			case strings.HasPrefix(c.Selector, "cn") != c.Page || own != c.Page:
				t.Errorf("%s: the keeper has %s: %v, it is asked for it: %v", c.Title, c.Selector, own, c.Page)
			case own:
				has[c.Selector] = true
			case !appKit[c.Selector]:
				t.Errorf("%s: %s is no action of AppKit's that is known here", c.Title, c.Selector)
			}
		}
	}
	for selector, used := range has {
		if !used {
			t.Errorf("nothing calls %s", selector)
		}
	}
	for _, want := range []string{"c", "v", "x", "a", "z", "w", "n", "q", "+", "-", "0"} {
		if keys[want] == "" {
			t.Errorf("⌘%s does nothing", want)
		}
	}
	if keys["k"] != "" {
		t.Errorf("%s keeps ⌘K from the page", keys["k"])
	}
}

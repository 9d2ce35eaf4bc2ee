package policy

import (
	"testing"

	"conch/driver"
)

var own = NewOwn("/home/anna/.conch", []string{".lock", "access.json", "computer-use.json", "conch.db", "here/key", "mcp/clients.json", "mcp/keys/app.key"})

func TestOwnFilesByTitle(t *testing.T) {
	for title, want := range map[string]bool{
		"computer-use.json - Mousepad":                      true,
		"*computer-use.json (~/.conch) - gedit":             true,
		"Computer-Use.JSON":                                 true,
		"conch.db - DB Browser for SQLite":                  true,
		"clients.json — Kate":                               true,
		"mcp/clients.json":                                  true,
		".conch":                                            true,
		".conch - Thunar":                                   true,
		"/home/anna/.conch/here":                            true,
		"~/.CONCH/skills — Files":                           true,
		"file:///home/anna/%2Econch/access.json — Chromium": true,
		"C:\\Users\\Anna\\.conch":                           true,
		".con\u200bch - Thunar":                             true,
		"here/key - vim":                                    true,
		"notes.txt - Mousepad":                              false,
		"key - Search":                                      false,
		"my-computer-use.jsonl":                             false,
		"shell.conch - Mousepad":                            false,
		"Conch shells - Firefox":                            false,
		".concha - Thunar":                                  false,
		"":                                                  false,
	} {
		k, got := own.KeptAway(driver.Window{Title: title, Class: "Anything"})
		if got != want || got && (k.Kind != OwnFiles || k.Say == "" || k.Name != "Conch's own files") {
			t.Errorf("%q: %v %+v", title, got, k)
		}
		if k := own.KeptAmong([]driver.Window{{ID: 7, Title: title, Class: "Anything"}})[7]; (k.Kind == OwnFiles) != want {
			t.Errorf("%q in a list: %+v", title, k)
		}
	}
	if k, _ := own.KeptAway(driver.Window{Title: "conch.db", AppName: "KeePassXC"}); k.Kind != Passwords {
		t.Errorf("a password manager is %v", k.Kind)
	}
}

func TestOwnFolderInText(t *testing.T) {
	moved := NewOwn("/data/Shell House", nil)
	for text, want := range map[string]bool{
		"/home/anna/.conch":      true,
		"cat ~/.conch/here/key":  true,
		"$HOME/.conch":           true,
		".conch/access.json":     true,
		"/home/anna/./.conch/":   true,
		"file:///x/%2e%63onch":   true,
		"/data/shell house/here": true,
		"we found a conch":       false,
		"a.conch.example":        false,
		"/data/shell houses":     false,
		"100 % .conchology":      false,
	} {
		if got := own.Folder(text) || moved.Folder(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !(Own{}).Folder("~/.conch") || (Own{}).Folder("/") || NewOwn("/", nil).Folder("/x") {
		t.Error("what is known without being told")
	}
}

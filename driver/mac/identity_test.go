package mac

import (
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	conch := Program{10, "/Applications/Conch.app/Contents/MacOS/conch", "io.example.conch", "Conch"}
	bare := Program{10, "/Users/anna/conch/bin/conch", "", ""}
	zsh := Program{9, "/bin/zsh", "", ""}
	login := Program{8, "/usr/bin/login", "", ""}
	terminal := Program{7, "/System/Applications/Utilities/Terminal.app/Contents/MacOS/Terminal", "com.apple.Terminal", "Terminal"}
	signed := Signature{Signed: true, Valid: true, Identifier: "io.example.conch", Bundle: "/Applications/Conch.app"}
	with := func(f func(*Signature)) Signature { s := signed; f(&s); return s }
	for name, c := range map[string]struct {
		chain    []Program
		s        Signature
		who      string
		bundle   string
		own      bool
		problems []string // what each says, in part
	}{
		"the app":            {[]Program{conch}, signed, "Conch", "io.example.conch", true, nil},
		"from a terminal":    {[]Program{bare, zsh, login, terminal}, signed, "Terminal", "com.apple.Terminal", false, []string{"charges what Conch does to “Terminal”"}},
		"the app, by a path": {[]Program{conch, zsh, login, terminal}, signed, "Terminal", "com.apple.Terminal", false, []string{"“Terminal”"}},
		"a helper of an editor": {
			[]Program{bare, zsh, {6, "/Applications/Code.app/Contents/Frameworks/Code Helper.app/Contents/MacOS/Code Helper", "com.microsoft.VSCode.helper", "Code Helper"}, {5, "/Applications/Code.app/Contents/MacOS/Electron", "com.microsoft.VSCode", "Code"}},
			signed, "Code", "com.microsoft.VSCode", false,
			[]string{"“Code”"},
		},
		"through tmux":      {[]Program{bare, zsh, {5, "/opt/homebrew/bin/tmux", "", ""}}, signed, "tmux", "", false, []string{"“tmux”"}},
		"an app unnamed":    {[]Program{bare, {5, "/Applications/iTerm.app/Contents/MacOS/iTerm2", "com.googlecode.iterm2", ""}}, signed, "iTerm", "com.googlecode.iterm2", false, []string{"“iTerm”"}},
		"nothing is known":  {nil, signed, "Conch", "", false, []string{"“Conch”"}},
		"an unreadable one": {[]Program{{10, "", "", ""}}, signed, "the program that started Conch", "", false, []string{"charges"}},
		"from a temporary copy": {
			[]Program{conch},
			with(func(s *Signature) { s.Bundle = "/private/var/folders/x/AppTranslocation/1-2/d/Conch.app" }),
			"Conch", "io.example.conch", true,
			[]string{"temporary copy"},
		},
		"not signed":    {[]Program{conch}, Signature{Bundle: "/Applications/Conch.app"}, "Conch", "io.example.conch", true, []string{"isn't signed"}},
		"signed ad hoc": {[]Program{conch}, with(func(s *Signature) { s.Adhoc = true }), "Conch", "io.example.conch", true, []string{"this build only"}},
		"changed since": {[]Program{conch}, with(func(s *Signature) { s.Valid = false }), "Conch", "io.example.conch", true, []string{"was changed"}},
		"all at once": {
			[]Program{conch, terminal},
			with(func(s *Signature) { s.Adhoc = true; s.Bundle = "/x/AppTranslocation/y" }),
			"Terminal", "com.apple.Terminal", false,
			[]string{"“Terminal”", "temporary", "this build only"},
		},
	} {
		id := identify(c.chain, c.s)
		if id.Name != c.who || id.Bundle != c.bundle || id.Ourselves != c.own || len(id.Problems) != len(c.problems) {
			t.Errorf("%s: %+v", name, id)
			continue
		}
		for i, p := range id.Problems {
			if !strings.Contains(p.Say, c.problems[i]) || p.Next == "" {
				t.Errorf("%s: %+v, want %q", name, p, c.problems[i])
			}
		}
	}
}

package mac

import (
	"path"
	"strings"
)

// Program is a process that runs.
type Program struct {
	PID    int
	Exe    string
	Bundle string // of the app whose main program it is
	Name   string
}

// Signature is how this program is signed.
type Signature struct {
	Signed, Adhoc, Valid bool
	Identifier, Team     string
	Bundle               string // path of the app bundle, or the folder of a bare program
}

// Identity says whom macOS charges permissions to, and what stands in the way of keeping them.
type Identity struct {
	Name      string // as System Settings lists it
	Bundle    string // its bundle id; empty when it has none
	Ourselves bool   // it is Conch.app itself
	Problems  []Problem
}

// Problem is something about how Conch was started or built, with what to do.
type Problem struct{ Say, Next string }

// identify finds the responsible process as macOS does it: an app that LaunchServices started answers for
// itself; what a terminal or another app started is charged to that one, the outermost of the chain. chain is
// this process and those that started it, nearest first.
func identify(chain []Program, s Signature) Identity {
	id := Identity{Name: "Conch"}
	if len(chain) > 0 {
		id = charged(chain)
	}
	id.Problems = problems(id, s)
	return id
}

func charged(chain []Program) Identity {
	for i := len(chain) - 1; i >= 0; i-- {
		if p := chain[i]; p.Bundle != "" {
			return Identity{Name: appName(p), Bundle: p.Bundle, Ourselves: i == 0}
		}
	}
	return Identity{Name: appName(chain[len(chain)-1])}
}

// appName is what a list shows: the app's name, or the program's file name.
func appName(p Program) string {
	if p.Name != "" {
		return p.Name
	}
	for dir := p.Exe; dir != "/" && dir != "." && dir != ""; dir = path.Dir(dir) {
		if strings.HasSuffix(dir, ".app") {
			return strings.TrimSuffix(path.Base(dir), ".app")
		}
	}
	if base := path.Base(p.Exe); base != "." && base != "/" {
		return base
	}
	return "the program that started Conch"
}

// translocated says whether macOS runs the app from a hidden read-only copy (Gatekeeper's path randomization),
// where a permission would be lost with the copy.
func translocated(bundle string) bool { return strings.Contains(bundle, "/AppTranslocation/") }

func problems(id Identity, s Signature) []Problem {
	var out []Problem
	if !id.Ourselves {
		out = append(out, Problem{
			Say:  "macOS charges what Conch does to “" + id.Name + "”, which started it.",
			Next: "Open Conch.app itself to give the permissions to Conch alone.",
		})
	}
	if translocated(s.Bundle) {
		out = append(out, Problem{
			Say:  "macOS runs Conch from a temporary copy, and forgets permissions with it.",
			Next: "Move Conch.app to Applications with the Finder, then open it there.",
		})
	}
	switch {
	case !s.Signed:
		out = append(out, Problem{
			Say:  "This Conch isn't signed, so macOS can't remember its permissions.",
			Next: "Build it with make app, which signs it.",
		})
	case s.Adhoc:
		out = append(out, Problem{
			Say:  "This Conch is signed for this build only, so each new build loses its permissions while System Settings still shows them on.",
			Next: "Sign it with a certificate of your own: make app shows how.",
		})
	case !s.Valid:
		out = append(out, Problem{
			Say:  "Conch.app was changed after it was signed, so macOS may refuse its permissions.",
			Next: "Install it again.",
		})
	}
	return out
}

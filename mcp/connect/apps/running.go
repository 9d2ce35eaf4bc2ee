package apps

import (
	"path/filepath"
	"slices"
	"strings"
)

// Program is something that runs on the computer.
type Program struct {
	File string   // its executable, as the system names it; empty where that can't be read
	Args []string // what it was started with, its own name first
}

// Processes tells what runs.
type Processes interface {
	// Programs lists what runs as the person. An error means that it can't be known.
	Programs() ([]Program, error)
}

// Running says whether an app is open.
type Running int

// The zero value is that it isn't known.
const (
	Unknown Running = iota
	Closed
	Open
)

// Running says whether the app is open now.
func (a App) Running(env Env) Running {
	if env.Processes == nil {
		return Unknown
	}
	all, err := env.Processes.Programs()
	if err != nil {
		return Unknown
	}
	if slices.ContainsFunc(all, a.is) {
		return Open
	}
	return Closed
}

// is says whether a program is the app, by its file, by the name it was started by, or by the script that it runs.
func (a App) is(p Program) bool {
	for _, f := range []string{p.File, p.name(), p.script()} {
		if slices.Contains(a.programs, filepath.Base(f)) || slices.ContainsFunc(a.runs, func(part string) bool { return strings.Contains(f, part) }) {
			return !strings.Contains(p.script(), unpacked)
		}
	}
	return false
}

// unpacked is in the paths of helpers that an app of Electron's starts, and that may outlive it.
const unpacked = "/app.asar.unpacked/"

func (p Program) name() string {
	if len(p.Args) == 0 {
		return ""
	}
	return p.Args[0]
}

// interpreters run apps that are no programs by themselves.
var interpreters = []string{"node", "bun", "sh", "bash", "dash"}

// script is what an interpreter runs; empty for any other program, whose arguments may name anything.
func (p Program) script() string {
	base := filepath.Base(p.File)
	if !slices.Contains(interpreters, base) && !strings.HasPrefix(base, "electron") {
		return ""
	}
	for _, arg := range p.Args[min(1, len(p.Args)):] {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}

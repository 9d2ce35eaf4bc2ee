package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is the number of this Conch; Info.plist says the same, and a test compares them.
const version = "0.1.0"

// versionLine says which Conch this is: its number, and the commit where the build knows it.
func versionLine() string {
	commit := "unknown commit"
	if info, ok := debug.ReadBuildInfo(); ok {
		changed := ""
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = "commit " + s.Value[:min(12, len(s.Value))]
			case "vcs.modified":
				if s.Value == "true" {
					changed = ", changed since"
				}
			}
		}
		commit += changed
	}
	return fmt.Sprintf("conch %s (%s, %s)", version, commit, runtime.Version())
}

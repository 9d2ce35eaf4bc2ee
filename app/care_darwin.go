package main

import "conch/gateway/care"

// platformOf is what repair can look at on a Mac. macOS takes an app's windows, hot keys and listeners away when it
// ends; what it held is of an event source of its own, which should go with it (docs/mac-checklist.md has a row for
// that). The permissions have rows of their own.
func platformOf(s *screen) care.Platform {
	return care.Platform{Screen: s, Test: tendedTest{tended{s}}}
}

func desktopChecks(bool) []care.Check { return nil }

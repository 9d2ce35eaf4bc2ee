package main

import "conch/gateway/care"

// platformOf is what repair can look at on a Mac. macOS takes an app's windows away and lifts its keys when it ends,
// and the permissions have rows of their own.
func platformOf(s *screen) care.Platform {
	return care.Platform{Screen: s, Test: tendedTest{tended{s}}}
}

func desktopChecks(bool) []care.Check { return nil }

package main

import (
	"conch/driver/x11"
)

// helper runs what Conch starts of itself beside it: the guardian that lifts held keys when Conch is killed.
// It is no command for a person.
func helper(args []string) (code int, is bool) {
	if len(args) == 0 || args[0] != x11.GuardianArg {
		return 0, false
	}
	return x11.GuardianMain(args[1:]), true
}

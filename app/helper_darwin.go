package main

import (
	"os"

	"conch/driver/mac"
)

// helper runs what Conch starts of itself beside it: a short look at the permissions, which macOS tells a
// process only at its start. It is no command for a person.
func helper(args []string) (code int, is bool) {
	if len(args) != 1 || args[0] != mac.FreshArg {
		return 0, false
	}
	return mac.FreshMain(os.Stdout), true
}

package main

import (
	"conch/gateway/secrets"
	"conch/gateway/state"
)

// openSecrets keeps keys in the Secret Service of the person's session, where they have one.
func openSecrets(dir *state.Dir, getenv func(string) string) secrets.Secrets {
	if haveBus(getenv) {
		return secrets.Open(dir)
	}
	return secrets.Files(dir)
}

// system is what this computer runs, as models are told.
const system = "linux"

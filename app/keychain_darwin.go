package main

import (
	"conch/gateway/secrets"
	"conch/gateway/state"
)

// openSecrets keeps keys in the login keychain.
func openSecrets(dir *state.Dir, _ func(string) string) secrets.Secrets { return secrets.Open(dir) }

// system is what this computer runs, as models are told.
const system = "mac"

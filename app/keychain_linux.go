package main

import (
	"os"
	"path/filepath"

	"conch/gateway/secrets"
	"conch/gateway/state"
)

// openSecrets keeps keys in the Secret Service of the person's session, where they have one.
func openSecrets(dir *state.Dir, getenv func(string) string) secrets.Secrets {
	if getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return secrets.Open(dir)
	}
	if run := getenv("XDG_RUNTIME_DIR"); run != "" {
		if info, err := os.Stat(filepath.Join(run, "bus")); err == nil && info.Mode().Type() == os.ModeSocket {
			return secrets.Open(dir)
		}
	}
	return secrets.Files(dir)
}

// system is what this computer runs, as models are told.
const system = "linux"

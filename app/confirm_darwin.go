package main

import (
	"conch/driver/mac"
	"conch/gateway/confirm"
)

// confirmPrompt is Touch ID, a watch or the login password.
func confirmPrompt() confirm.Prompt { return mac.Confirm }

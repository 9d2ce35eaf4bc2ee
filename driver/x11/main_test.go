//go:build linux

package x11

import (
	"os"
	"testing"

	"conch/driver/x11/xfixture"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	xfixture.Main()
	if len(os.Args) > 1 && os.Args[1] == GuardianArg {
		os.Exit(GuardianMain(os.Args[2:]))
	}
	if how := os.Getenv(holdEnv); how != "" {
		holdForEver(how)
	}
	goleak.VerifyTestMain(m)
}

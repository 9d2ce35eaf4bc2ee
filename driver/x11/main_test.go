//go:build linux

package x11

import (
	"testing"

	"conch/driver/x11/xfixture"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	xfixture.Main()
	goleak.VerifyTestMain(m)
}

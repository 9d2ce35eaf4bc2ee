//go:build linux

package xtest

import (
	"errors"
	"os"
	"strings"
	"testing"

	"conch/driver/x11/xserver"
)

// Start starts a private desktop that ends with the test. Where a needed program is missing the test is
// skipped, or fails when CONCH_REQUIRE names x11. A program that is there and doesn't come up is a failure.
func Start(t testing.TB, o xserver.Options) *xserver.Server {
	t.Helper()
	s, err := xserver.Start(t.Context(), o)
	if _, missing := errors.AsType[*xserver.MissingError](err); missing {
		Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the private desktop: %v", err)
		}
	})
	return s
}

// Missing skips the test because a part of the system is missing, or fails it when CONCH_REQUIRE names x11.
func Missing(t testing.TB, err error) {
	t.Helper()
	for _, word := range strings.Split(os.Getenv("CONCH_REQUIRE"), ",") {
		if word == "x11" {
			t.Fatalf("x11 is required here: %v", err)
		}
	}
	t.Skipf("needs X11 programs: %v", err)
}

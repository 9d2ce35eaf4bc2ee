// Package leaktest fails a package's tests when they leave a goroutine behind. It is for packages whose tests serve
// HTTP: a connection that is closed early stays for half a second more, by net/http's own doing, and ends by itself. It
// forgives nothing else.
package leaktest

import (
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests, in place of goleak.VerifyTestMain.
func Main(m *testing.M, more ...goleak.Option) {
	goleak.VerifyTestMain(m, append(more, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))...)
}

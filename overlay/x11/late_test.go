//go:build linux

package x11

import (
	"context"
	"errors"
	"testing"

	"conch/driver/x11/xserver"
)

// TestLateAnswer: what a caller asked for and no longer waits for is done without touching anything of the caller's,
// and the next one gets its own answer. Run it with -race.
func TestLateAnswer(t *testing.T) {
	r := newRig(t, xserver.Options{Width: 400, Height: 300})
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		begun, goOn := make(chan struct{}), make(chan struct{})
		go func() {
			<-begun
			cancel()
		}()
		got, err := ask(ctx, r.desk, func() (int, error) {
			close(begun)
			<-goOn
			return 7, nil
		})
		if !errors.Is(err, context.Canceled) || got != 0 {
			t.Fatalf("%d, %v; want nothing, since the caller left", got, err)
		}
		close(goOn)
		if got, err := ask(t.Context(), r.desk, func() (int, error) { return 8, nil }); got != 8 || err != nil {
			t.Fatalf("%d, %v; want the next one's own answer", got, err)
		}
	}
}

//go:build linux

package x11

import (
	"context"
	"errors"
	"testing"

	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
)

// Answers comes back when the app has really taken what was sent: a slow one has its text by then.
func TestAnswers(t *testing.T) {
	k := newDesk(t, xserver.Options{Layout: "us"})
	w := k.sink(xfixture.Spec{Ping: true, SlowMS: 120})
	k.press("a")
	k.press("b")
	if err := k.d.Answers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Text(); err != nil || got != "ab" {
		t.Errorf("after it answered the app has %q, %v", got, err)
	}

	k.press("c")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := k.d.Answers(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	k.sink(xfixture.Spec{})
	if err := k.d.Answers(t.Context()); err != nil {
		t.Errorf("an app that answers no ping: %v", err)
	}
}

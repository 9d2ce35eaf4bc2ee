package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"conch/gateway"
)

// board stands in for a system's notifications, and asks a person first.
type board struct {
	answers  chan error // the person's, to whether they may be shown
	pressed  chan struct{}
	asked    int
	happened []string
	fail     error
}

func (b *board) Allowed(ctx context.Context) error {
	b.asked++
	select {
	case err := <-b.answers:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *board) Notify(_ context.Context, n *notice) error {
	if n == nil {
		b.happened = append(b.happened, "away")
		return nil
	}
	b.happened = append(b.happened, n.Text)
	return b.fail
}

func (b *board) Pressed() <-chan struct{} { return b.pressed }
func (b *board) Close() error             { return nil }

// One notification at a time: the next question takes the place of the last, what is answered goes, and a press
// opens the page. The person is asked whether Conch may when the first question waits; what has gone by the time that
// they answer is never shown, and a No is said once.
func TestNoticing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := &board{answers: make(chan error), pressed: make(chan struct{})}
		var log bytes.Buffer
		opened, done := 0, make(chan struct{})
		n := &noticing{by: b, open: func() { opened++ }, log: slog.New(slog.NewTextHandler(&log, nil))}
		status := make(chan gateway.Status)
		go func() { defer close(done); n.follow(ctx, status) }()
		say := func(what string) {
			s := gateway.Status{State: gateway.Working}
			if what != "" {
				s = gateway.Status{State: gateway.Asking, Say: what}
			}
			status <- s
			synctest.Wait()
		}
		is := func(when, happened string, asked int) {
			t.Helper()
			synctest.Wait()
			if got := strings.Join(b.happened, ", "); got != happened || b.asked != asked {
				t.Errorf("%s: %q after being asked %d times, want %q after %d", when, got, b.asked, happened, asked)
			}
			b.happened = nil
		}
		say("")
		is("no question, nobody is asked", "", 0)
		say("Use Notes?")
		is("the person thinks", "", 1)
		say("")
		b.answers <- nil
		is("the question went meanwhile", "", 1)
		say("Use Mail?")
		say("Use Maps?")
		b.answers <- nil
		is("another took its place meanwhile", "Use Maps?", 2)
		say("Use Maps?")
		is("nothing is new", "", 2)
		say("Use Notes?")
		b.answers <- nil
		is("the next one", "Use Notes?", 3)
		b.pressed <- struct{}{}
		is("a press shows nothing and takes nothing away", "", 3)
		say("")
		is("it was answered", "away", 3)
		if opened != 1 || log.Len() != 0 {
			t.Errorf("opened %d times, logged %q", opened, log.String())
		}
		for i := range 3 {
			say(fmt.Sprint("Use app ", i, "?"))
			b.answers <- fmt.Errorf("%w: denied", errNoNotices)
			say("")
		}
		is("the person said no", "", 6)
		if got := strings.Count(log.String(), "aren't shown as system notifications"); got != 1 {
			t.Errorf("said %d times: %s", got, log.String())
		}
		say("Use Mail?")
		b.answers <- nil
		is("and yes, later", "Use Mail?", 7)
		say("Use Maps?")
		b.answers <- errNoNotices
		is("and no again: the old one goes", "away", 8)
		say("Use Notes?")
		cancel() // while the person is asked
		<-done
	})
}

func TestNoticeOf(t *testing.T) {
	for _, s := range []gateway.State{gateway.Idle, gateway.Working, gateway.Using, ""} {
		if n := noticeOf(gateway.Status{State: s, Say: "x"}); n != nil {
			t.Errorf("%q is notified: %+v", s, n)
		}
	}
	n := noticeOf(gateway.Status{State: gateway.Asking, Client: "Cursor\n" + strings.Repeat("x", 500), Say: strings.Repeat("y", 5000)})
	if n == nil || strings.Contains(n.Title, "\n") || len([]rune(n.Title)) > lineMost+20 || len([]rune(n.Text)) > 2*lineMost {
		t.Errorf("%+v", n)
	}
}

package main

import (
	"context"
	"errors"

	"conch/gateway"
)

// notice is a system notification about a question that waits.
type notice struct{ Title, Text string }

// noticeOf is what is notified while things are as they are; nil is nothing. What is asked for names the app, and
// holds nothing of the screen.
func noticeOf(s gateway.Status) *notice {
	if s.State != gateway.Asking {
		return nil
	}
	who := "Your assistant"
	if s.Client != "" {
		who = clip(s.Client, lineMost)
	}
	return &notice{Title: who + " needs your OK", Text: clip(s.Say, 2*lineMost)}
}

// notifier shows one notification at a time; nil takes it away. open is what a press on it does.
type notifier interface {
	Notify(ctx context.Context, n *notice, open func()) error
	Close() error
}

// errNoNotices says that nothing can be notified here.
var errNoNotices = errors.New("there are no system notifications here")

// notices tells the person of each question that waits, by the system, until ctx ends. Pages, the menu and the edge's
// card say so as well.
func (d *desk) notices(ctx context.Context) {
	by, err := newNotifier(ctx, d.c.getenv)
	if err != nil {
		d.log.Info("questions aren't shown as system notifications", "why", err)
		return
	}
	defer func() { _ = by.Close() }()
	status := make(chan gateway.Status, 1)
	unsubscribe := d.gw.Subscribe(func(s gateway.Status) {
		select {
		case <-status: // only the newest matters
		default:
		}
		status <- s
	})
	defer unsubscribe()
	var shown *notice
	none := false // that nobody shows notifications has been said
	for {
		select {
		case s := <-status:
			n := noticeOf(s)
			if n == nil && shown == nil || n != nil && shown != nil && *n == *shown {
				continue
			}
			err := by.Notify(ctx, n, func() { d.press(ctx, doOpen) })
			switch {
			case err == nil:
				none = false
			case ctx.Err() != nil:
			case !errors.Is(err, errNoNotices):
				d.log.Warn("a question could not be shown as a system notification", "err", err)
			case !none:
				none = true // what shows them may be started later, so each question tries again
				d.log.Info("questions aren't shown as system notifications", "why", err)
			}
			shown = n
		case <-ctx.Done():
			return
		}
	}
}

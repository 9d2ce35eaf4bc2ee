package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"conch/gateway"
)

// notice is a system notification about a question that waits.
type notice struct{ Title, Text string }

// noticeOf is what is notified while things are as they are; nil is nothing. What is asked for names the app, and at most
// the control that would be pressed.
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

func sameNotice(a, b *notice) bool { return a == b || a != nil && b != nil && *a == *b }

// notifier shows one notification at a time.
type notifier interface {
	// Allowed returns nil once notifications may be shown. The system may ask the person first, and takes as long as
	// they do.
	Allowed(context.Context) error
	// Notify shows n in place of the one that is shown; nil takes that away.
	Notify(ctx context.Context, n *notice) error
	// Pressed is told of presses on the one that is shown.
	Pressed() <-chan struct{}
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
	n := noticing{by: by, open: func() { d.press(ctx, doOpen) }, log: d.log}
	n.follow(ctx, status)
}

// noticing keeps the one notification as things are.
type noticing struct {
	by   notifier
	open func() // brings up the page; a press answers nothing
	log  *slog.Logger

	want, shown *notice
	none        bool // that nothing can be notified has been said
}

// follow goes by status until ctx ends. Whether notifications are allowed is asked when the first question waits, and
// again for each, since that may change; meanwhile the question may have gone, or be another one.
func (n *noticing) follow(ctx context.Context, status <-chan gateway.Status) {
	var person sync.WaitGroup
	defer person.Wait()
	allowed, asking := make(chan error, 1), false
	for {
		select {
		case s := <-status:
			was := n.want
			n.want = noticeOf(s)
			switch {
			case n.want == nil:
				n.show(ctx)
			case !sameNotice(n.want, was) && !asking:
				asking = true
				person.Go(func() { allowed <- n.by.Allowed(ctx) })
			}
		case err := <-allowed:
			asking = false
			if err != nil {
				n.failed(ctx, err)
				n.want = nil // and what is shown is out of date
			}
			n.show(ctx)
		case <-n.by.Pressed():
			n.open()
		case <-ctx.Done():
			return
		}
	}
}

// show makes what is shown what is wanted.
func (n *noticing) show(ctx context.Context) {
	if sameNotice(n.want, n.shown) {
		return
	}
	n.shown = n.want
	if err := n.by.Notify(ctx, n.want); err != nil {
		n.failed(ctx, err)
		return
	}
	n.none = false
}

// failed says why nothing is shown, and that nothing ever is only once: what shows notifications may be started or
// allowed later, so each question tries again.
func (n *noticing) failed(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case !errors.Is(err, errNoNotices):
		n.log.Warn("a question could not be shown as a system notification", "err", err)
	case !n.none:
		n.none = true
		n.log.Info("questions aren't shown as system notifications", "why", err)
	}
}

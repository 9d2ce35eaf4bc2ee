package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"conch/driver/mac"
)

// macNotices shows notifications by macOS's notification center.
type macNotices struct{}

// newNotifier needs the app in its bundle: macOS shows none of a bare program.
func newNotifier(context.Context, func(string) string) (notifier, error) {
	if !mac.CanNotify() {
		return nil, errNoNotices
	}
	mac.Unnotify() // what a Conch that was killed left
	return macNotices{}, nil
}

// Allowed has macOS ask the person, the first time.
func (macNotices) Allowed(ctx context.Context) error {
	err := mac.MayNotify(ctx)
	if errors.Is(err, mac.ErrNoNotices) {
		return fmt.Errorf("%w: %w", errNoNotices, err)
	}
	return err
}

// noticeWithin is how long macOS may take to show one.
const noticeWithin = 5 * time.Second

// Notify shows n in place of the one that is shown, or takes that away.
func (macNotices) Notify(ctx context.Context, n *notice) error {
	if n == nil {
		mac.Unnotify()
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, noticeWithin)
	defer cancel()
	return mac.Notify(ctx, n.Title, n.Text)
}

// Pressed is told of presses on it.
func (macNotices) Pressed() <-chan struct{} { return mac.NoticePressed() }

// Close takes away what is shown.
func (macNotices) Close() error {
	mac.Unnotify()
	return nil
}

package main

import "context"

// newNotifier has none: the library for windows and menus has no notifications of macOS 11 and later. The menu, the card
// and the page show what waits.
func newNotifier(context.Context, func(string) string) (notifier, error) { return nil, errNoNotices }

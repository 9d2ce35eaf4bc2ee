package xraw

import (
	"context"
	"net"
)

// Open opens the socket of display ("" is getenv's DISPLAY) without speaking on it yet. It also returns the
// bytes that a client sends first, with the display's cookie in them, and the screen number that display
// asks for. It is for clients with a protocol reader of their own; all others use Dial.
func Open(ctx context.Context, display string, getenv func(string) string) (nc net.Conn, hello []byte, screen int, err error) {
	if display == "" {
		display = getenv("DISPLAY")
	}
	a, err := parseDisplay(display)
	if err != nil {
		return nil, nil, 0, err
	}
	if nc, err = a.dial(ctx); err != nil {
		return nil, nil, 0, err
	}
	return nc, greeting(cookieFor(a, getenv)), a.screen, nil
}

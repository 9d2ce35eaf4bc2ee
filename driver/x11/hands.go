//go:build linux

package x11

import (
	"context"
	"errors"

	"conch/driver"
	"conch/driver/key"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// hands presses keys and buttons and moves the pointer.
type hands struct{}

func newHands(conn *xgb.Conn, screen *xproto.ScreenInfo, display string) (*hands, error) {
	return nil, errors.New("not built yet")
}

func (h *hands) Move(ctx context.Context, p driver.ScreenPoint) error         { return nil }
func (h *hands) Button(ctx context.Context, b driver.Button, down bool) error { return nil }
func (h *hands) Scroll(ctx context.Context, dx, dy int) error                 { return nil }
func (h *hands) Key(ctx context.Context, k key.Key, down bool) error          { return nil }
func (h *hands) Text(ctx context.Context, s string) (int, error)              { return 0, nil }
func (h *hands) Release(ctx context.Context) error                            { return nil }
func (h *hands) close() error                                                 { return nil }

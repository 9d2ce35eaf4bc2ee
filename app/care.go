package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"conch/driver"
	"conch/gateway/care"
)

// mends is what repair can do with an opened screen. A nil part can't be done on this platform.
type mends struct {
	left  care.Left
	hands care.Hands
	names care.Names
	test  func(context.Context) error
	stop  func(context.Context) (keys, why string, err error)
	wake  func(context.Context) error
}

// staleFiles are files of the program's own that nothing needs once they are that old: the page that opens Conch
// leads nowhere after two minutes.
var staleFiles = map[string]time.Duration{openName: 5 * time.Minute}

// tended is the screen as repair looks at it: the one that is open now, which may be another than a moment ago.
type tended struct{ screen *screen }

var errCantTell = errors.New("this screen can't tell")

// withMends does something with the parts of the opened screen.
func withMends[T any](ctx context.Context, t tended, do func(mends) (T, error)) (T, error) {
	return with(ctx, t.screen, func(d driver.Driver) (T, error) {
		shown, ok := d.(*display)
		if !ok {
			var none T
			return none, errCantTell
		}
		return do(shown.mends)
	})
}

func doMends(ctx context.Context, t tended, do func(mends) error) error {
	_, err := withMends(ctx, t, func(m mends) (struct{}, error) { return struct{}{}, do(m) })
	return err
}

// tendedTest tries whether pictures leave Conch's windows out.
type tendedTest struct{ tended }

func (t tendedTest) Test(ctx context.Context) error {
	return doMends(ctx, t.tended, func(m mends) error { return m.test(ctx) })
}

// checks are those of the program itself.
func (c *call) checks(set settings, port int, practice bool) []care.Check {
	return append([]care.Check{portCheck(set.port, port)}, desktopChecks(practice)...)
}

// portCheck says whether Conch answers at its usual port.
func portCheck(usual, port int) care.Check {
	return care.Check{ID: "port", Title: "Where Conch answers", Area: care.Repair, Run: func(ctx context.Context) care.Finding {
		if port == usual {
			return care.Finding{Level: care.OK, Say: fmt.Sprintf("At port %d, as usual.", port)}
		}
		var lc net.ListenConfig
		ln, err := lc.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(usual)))
		if err != nil {
			return care.Finding{Level: care.Info, Say: fmt.Sprintf("At port %d today, because another program has port %d.", port, usual)}
		}
		_ = ln.Close()
		return care.Finding{Level: care.Info, Say: fmt.Sprintf("At port %d today. Port %d is free again: quit Conch and open it to go back.", port, usual)}
	}}
}

//go:build linux

package x11

import (
	"errors"
	"fmt"
	"testing"

	driverx11 "conch/driver/x11"
	"conch/driver/x11/xserver"

	"github.com/jezek/xgb/xproto"

	"conch/driver"
	"conch/overlay"
)

// TestSelfTest runs the test of pictures for real: a panel of ours on the screen, a driver that leaves our windows
// out, and one that takes none of them for ours.
func TestSelfTest(t *testing.T) {
	for _, compositor := range []bool{false, true} {
		t.Run(fmt.Sprintf("compositor %v", compositor), func(t *testing.T) {
			r := newRig(t, xserver.Options{Width: 900, Height: 600, Compositor: compositor, Background: 0x3a5a6a})
			before := r.topLevels()
			for name, c := range map[string]struct {
				own  func(driver.Window) bool
				want error
			}{
				"ours left out":   {nil, nil},
				"taken for other": {func(driver.Window) bool { return false }, overlay.ErrSeen},
			} {
				d, err := driverx11.Open(within(t), driverx11.Options{Env: r.srv.Env(), Own: c.own})
				if err != nil {
					t.Fatal(err)
				}
				if err := overlay.SelfTest(within(t), r.desk, d); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
					t.Errorf("%s: the test says %v, want %v", name, err, c.want)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}
			if after := r.topLevels(); after != before {
				t.Errorf("%d windows after the test, %d before", after, before)
			}
		})
	}
}

// topLevels counts the windows that belong to the overlay.
func (r *rig) topLevels() (n int) {
	r.t.Helper()
	tree, err := xproto.QueryTree(r.other, r.root).Reply()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, w := range tree.Children {
		if r.desk.ours(w) {
			n++
		}
	}
	return n
}

package mac

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"conch/driver"
	"conch/driver/drivertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSuite holds the driver to what every driver promises, on Macs with other displays.
func TestSuite(t *testing.T) {
	main := driver.ScreenRect{W: 800, H: 600}
	for i, ds := range [][]rawDisplay{
		{{id: 1, main: true, scale: 2, bounds: main}},
		{{id: 7, scale: 2, bounds: driver.ScreenRect{X: -800, Y: -300, W: 800, H: 600}}, {id: 3, main: true, scale: 1, bounds: main}},
		{{id: 3, main: true, scale: 1, bounds: main}, {id: 4, scale: 1.5, bounds: driver.ScreenRect{X: 0, Y: -600, W: 800, H: 600}}},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			drivertest.Run(t, func(t *testing.T) drivertest.Rig {
				s := newSim(ds...)
				d := s.driver()
				t.Cleanup(func() { _ = d.Close() })
				return drivertest.Rig{Driver: d, Desk: s, Named: true}
			})
		})
	}
}

package mac

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/foundation"
	"github.com/progrium/darwinkit/objc"

	"conch/driver"
	"conch/overlay"
)

// Screens says what displays there are and whether the person wants reduced motion.
func (d *Desktop) Screens(ctx context.Context) (overlay.Screens, error) {
	return askMain(ctx, func() (overlay.Screens, error) { return screensNow(), nil })
}

// screensNow asks AppKit. On the main thread only.
func screensNow() overlay.Screens {
	s := overlay.Screens{Blend: true, Zoom: 1, Still: reducedMotion()}
	all := appkit.Screen_Screens()
	for i, screen := range all {
		f := screen.Frame()
		box := driver.AppKitRect{X: f.Origin.X, Y: f.Origin.Y, W: f.Size.Width, H: f.Size.Height}
		s.Displays = append(s.Displays, driver.Display{
			ID: displayID(screen), Name: screen.LocalizedName(), Bounds: box.Screen(mainHeight(all)),
			Scale: screen.BackingScaleFactor(), Main: i == 0,
		})
	}
	return s
}

// mainHeight is the height of the main display: the first screen, not NSScreen.mainScreen, which is the one with
// the keyboard.
func mainHeight(all []appkit.Screen) float64 {
	if len(all) == 0 {
		return 0
	}
	return all[0].Frame().Size.Height
}

// displayID is the CGDirectDisplayID, in decimal.
func displayID(s appkit.Screen) string {
	about := objc.Call[objc.Object](s, objc.Sel("deviceDescription"))
	if about.IsNil() {
		return ""
	}
	number := objc.Call[objc.Object](about, objc.Sel("objectForKey:"), foundation.String_StringWithString("NSScreenNumber"))
	if number.IsNil() {
		return ""
	}
	return strconv.FormatUint(objc.Call[uint64](number, objc.Sel("unsignedLongValue")), 10)
}

func reducedMotion() bool {
	w := appkit.Workspace_SharedWorkspace()
	return objc.Call[uint64](w, objc.Sel("accessibilityDisplayShouldReduceMotion"))&0xff != 0
}

// Paint makes the screen show s and returns once the window server has every panel of it on the screen.
func (d *Desktop) Paint(ctx context.Context, s overlay.Scene) error {
	numbers, err := askMain(ctx, func() ([]uint32, error) { return d.ui.show(s, d.pen), nil })
	if err != nil {
		return err
	}
	if s.Dark() {
		d.card.Store(nil)
		d.aside.Store(nil)
		return nil
	}
	d.card.Store(&s.Card)
	return seen(ctx, numbers)
}

// seenLimit is how long panels may take to appear; the window server needs a frame or two.
const seenLimit = 2 * time.Second

// seen returns once the window server has all of these windows on the screen.
func seen(ctx context.Context, numbers []uint32) error {
	if len(numbers) == 0 {
		return overlay.ErrNoScreen
	}
	ctx, cancel := context.WithTimeout(ctx, seenLimit)
	defer cancel()
	tick := time.NewTicker(15 * time.Millisecond)
	defer tick.Stop()
	for {
		shown := panelsShown(numbers)
		if shown == len(numbers) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("macOS shows %d of the %d parts of the glowing edge and its card: %w", shown, len(numbers), ctx.Err())
		}
	}
}

// Aside lets presses at p through the card while Conch itself presses there. Away from the card it costs nothing.
func (d *Desktop) Aside(ctx context.Context, p driver.ScreenPoint) error {
	c := d.card.Load()
	if c == nil || !c.Bounds.Contains(p) {
		return nil
	}
	d.aside.Store(&c.Stop)
	err := onMain(ctx, func() { d.ui.letThrough(true) })
	if err != nil { // it may still be done, and then nothing was pressed that would bring the card back
		d.aside.Store(nil)
		soon(func() { d.ui.letThrough(false) })
	}
	return err
}

// Back makes the card take presses again.
func (d *Desktop) Back() {
	if d.aside.Swap(nil) == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), mainLimit)
	defer cancel()
	_ = onMain(ctx, func() { d.ui.letThrough(false) })
}

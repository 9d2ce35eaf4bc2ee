package mac

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"

	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/foundation"

	"conch/driver"
	"conch/overlay"
)

// ShowProbe shows p in a panel that is made in the same way as those of the edge.
func (d *Desktop) ShowProbe(ctx context.Context, p overlay.Probe) (at driver.ScreenRect, err error) {
	var numbers []uint32
	err = onMain(ctx, func() error {
		if at = overlay.ProbeBounds(screensNow().Displays); at.Empty() {
			return overlay.ErrNoScreen
		}
		var picture bytes.Buffer
		if err := png.Encode(&picture, chequers(p)); err != nil {
			return err
		}
		d.ui.hideProbe()
		numbers = append(numbers, d.ui.showProbe(at, picture.Bytes()))
		return nil
	})
	if err != nil {
		return at, err
	}
	return at, seen(ctx, numbers)
}

// HideProbe takes the probe's panel away.
func (d *Desktop) HideProbe(ctx context.Context) error {
	return onMain(ctx, func() error {
		d.ui.hideProbe()
		return nil
	})
}

func (u *ui) showProbe(at driver.ScreenRect, picture []byte) uint32 {
	p := newPanel(at.AppKit(mainHeight(appkit.Screen_Screens())), "Conch probe")
	size := foundation.Size{Width: at.W, Height: at.H}
	img := appkit.NewImageWithData(picture)
	img.SetSize(size)
	view := appkit.NewImageViewWithFrame(foundation.Rect{Size: size})
	view.SetImage(img)
	p.SetContentView(view)
	p.OrderFrontRegardless()
	u.probe = &p
	return uint32(p.WindowNumber())
}

// chequers is the probe at one pixel a point.
func chequers(p overlay.Probe) image.Image {
	img := image.NewGray(image.Rect(0, 0, overlay.ProbeW*overlay.ProbeCell, overlay.ProbeH*overlay.ProbeCell))
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if p.White(x/overlay.ProbeCell, y/overlay.ProbeCell) {
				img.SetGray(x, y, color.Gray{Y: 255})
			}
		}
	}
	return img
}

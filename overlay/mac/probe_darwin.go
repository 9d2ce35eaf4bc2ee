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
func (d *Desktop) ShowProbe(ctx context.Context, p overlay.Probe) (driver.ScreenRect, error) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, chequers(p)); err != nil {
		return driver.ScreenRect{}, err
	}
	type panel struct {
		at     driver.ScreenRect
		number uint32
	}
	made, err := askMain(ctx, func() (panel, error) {
		at := overlay.ProbeBounds(screensNow().Displays)
		if at.Empty() {
			return panel{}, overlay.ErrNoScreen
		}
		d.ui.hideProbe()
		return panel{at, d.ui.showProbe(at, picture.Bytes())}, nil
	})
	if err != nil {
		return driver.ScreenRect{}, err
	}
	return made.at, seen(ctx, []uint32{made.number})
}

// HideProbe takes the probe's panel away.
func (d *Desktop) HideProbe(ctx context.Context) error { return onMain(ctx, d.ui.hideProbe) }

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

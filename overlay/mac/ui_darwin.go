package mac

import (
	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/foundation"

	"conch/driver"
	"conch/overlay"
	"conch/overlay/draw"
)

// ui is what is on the screen. Only the main thread touches it, within an autorelease pool.
type ui struct {
	scene overlay.Scene
	edge  []glow
	card  *card
	probe *appkit.Panel

	through bool // presses go through the card
}

// glow is one panel of the edge and the layer that turns in it.
type glow struct {
	panel appkit.Panel
	wheel wheel
}

// show makes the screen show s and returns the numbers of its windows. Panels are new each time the edge lights:
// one that was kept would stay on the Space that it was made on.
func (u *ui) show(s overlay.Scene, pen *draw.Pen) []uint32 {
	switch {
	case s.Dark():
		u.clear()
		return nil
	case !u.same(s):
		u.clear()
		u.build(s, pen)
	default:
		if s.Still != u.scene.Still {
			u.hold(s.Still)
		}
		u.card.says(s.Card)
	}
	u.scene = s
	var numbers []uint32
	for _, g := range u.edge {
		numbers = append(numbers, uint32(g.panel.WindowNumber()))
	}
	return append(numbers, uint32(u.card.panel.WindowNumber()))
}

// same says whether the panels of the scene that is shown fit another one.
func (u *ui) same(s overlay.Scene) bool {
	if u.card == nil || len(u.scene.Edges) != len(s.Edges) || u.scene.Card.Bounds != s.Card.Bounds || u.scene.Card.Stop != s.Card.Stop {
		return false
	}
	for i, e := range s.Edges {
		if u.scene.Edges[i] != e {
			return false
		}
	}
	return u.scene.Blend == s.Blend
}

func (u *ui) build(s overlay.Scene, pen *draw.Pen) {
	height := mainHeight(appkit.Screen_Screens())
	now := uptime()
	for _, e := range s.Edges {
		for _, p := range panels(e, height) {
			made := newPanel(p.frame, "Conch edge")
			view := appkit.NewViewWithFrame(foundation.Rect{Size: foundation.Size{Width: p.frame.W, Height: p.frame.H}})
			view.SetWantsLayer(true)
			w := newWheel(e, p, s.Blend)
			view.Layer().AddSublayer(w.holder)
			w.hold(s.Still, now)
			made.SetContentView(view)
			made.OrderFrontRegardless()
			u.edge = append(u.edge, glow{made, w})
		}
	}
	u.card = newCard(s, height, pen)
	u.letThrough(u.through)
}

// hold makes the glow stand still, or turn again.
func (u *ui) hold(still bool) {
	now := uptime()
	for _, g := range u.edge {
		g.wheel.hold(still, now)
	}
}

// letThrough makes the card take presses, or not.
func (u *ui) letThrough(through bool) {
	u.through = through
	if u.card != nil {
		u.card.panel.SetIgnoresMouseEvents(through)
	}
}

// clear takes everything off the screen.
func (u *ui) clear() {
	for _, g := range u.edge {
		closePanel(g.panel)
	}
	if u.card != nil {
		u.card.close()
	}
	u.edge, u.card, u.scene, u.through = nil, nil, overlay.Scene{}, false
	u.hideProbe()
}

func (u *ui) hideProbe() {
	if u.probe != nil {
		closePanel(*u.probe)
		u.probe = nil
	}
}

// newPanel makes a panel that lets every press through, on every Space and beside full-screen apps, above
// everything, without a window of any app losing the keyboard. It is retained, and closePanel ends it.
func newPanel(at driver.AppKitRect, title string) appkit.Panel {
	p := appkit.NewPanelWithContentRectStyleMaskBackingDefer(rectOf(at),
		appkit.WindowStyleMaskBorderless|appkit.WindowStyleMaskNonactivatingPanel, appkit.BackingStoreBuffered, false)
	p.Retain()
	p.SetReleasedWhenClosed(false)
	p.SetFloatingPanel(true) // before the level, since it sets one itself
	p.SetLevel(appkit.ScreenSaverWindowLevel)
	p.SetCollectionBehavior(appkit.WindowCollectionBehaviorCanJoinAllSpaces |
		appkit.WindowCollectionBehaviorFullScreenAuxiliary |
		appkit.WindowCollectionBehaviorStationary | appkit.WindowCollectionBehaviorIgnoresCycle)
	p.SetTitle(title)
	p.SetOpaque(false)
	p.SetBackgroundColor(appkit.Color_ClearColor())
	p.SetHasShadow(false)
	p.SetIgnoresMouseEvents(true)
	p.SetBecomesKeyOnlyIfNeeded(true)
	p.SetWorksWhenModal(true)
	p.SetHidesOnDeactivate(false) // which panels do by themselves
	p.SetCanHide(false)
	p.SetAnimationBehavior(appkit.WindowAnimationBehaviorNone)
	// A second layer only: what keeps our windows out of pictures is the driver's filter, since macOS 15 and
	// later may ignore this.
	p.SetSharingType(appkit.WindowSharingNone)
	return p
}

func closePanel(p appkit.Panel) {
	p.OrderOut(nil)
	p.Close()
	p.Release()
}

func rectOf(r driver.AppKitRect) foundation.Rect {
	return foundation.Rect{Origin: foundation.Point{X: r.X, Y: r.Y}, Size: foundation.Size{Width: r.W, Height: r.H}}
}

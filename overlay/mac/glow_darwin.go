package mac

import (
	"image/color"

	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/corefoundation"
	"github.com/progrium/darwinkit/macos/coregraphics"
	"github.com/progrium/darwinkit/macos/foundation"
	"github.com/progrium/darwinkit/macos/quartzcore"
	"github.com/progrium/darwinkit/objc"

	"conch/driver"
	"conch/overlay"
)

// wheel is the part of the pearl spectrum that one panel shows: a conic gradient about the display's middle, seen
// through the panel's fades. Its time is the machine's, so that the wheels of all panels turn as one.
type wheel struct {
	holder quartzcore.Layer
	conic  quartzcore.GradientLayer
}

func newWheel(e overlay.Edge, p panel, blend bool) wheel {
	w := wheel{quartzcore.NewLayer(), quartzcore.NewGradientLayer()}
	size := driver.AppKitRect{W: p.frame.W, H: p.frame.H}
	w.holder.SetFrame(boxOf(size))
	w.holder.SetMasksToBounds(true)
	w.holder.SetMask(mask(size, p.fades, e.Depth, blend))
	side := span(e.Display)
	w.conic.SetType(quartzcore.KGradientLayerConic)
	w.conic.SetBounds(boxOf(driver.AppKitRect{W: side, H: side}))
	w.conic.SetPosition(coregraphics.Point{X: p.centre.X, Y: p.centre.Y})
	w.conic.SetStartPoint(coregraphics.Point{X: .5, Y: .5})
	w.conic.SetEndPoint(coregraphics.Point{X: .5, Y: 1})
	setStops(w.conic, pearlStops())
	w.conic.AddAnimationForKey(turning(), "turn")
	w.holder.AddSublayer(w.conic)
	return w
}

// mask is a layer that is opaque where any of the fades is.
func mask(size driver.AppKitRect, fades []fade, depth float64, blend bool) quartzcore.Layer {
	m := quartzcore.NewLayer()
	m.SetFrame(boxOf(size))
	stops := fadeStops(depth, blend)
	for _, f := range fades {
		g := quartzcore.NewGradientLayer()
		g.SetFrame(boxOf(f.at))
		start, end := f.ends()
		g.SetStartPoint(coregraphics.Point{X: start.X, Y: start.Y})
		g.SetEndPoint(coregraphics.Point{X: end.X, Y: end.Y})
		setStops(g, stops)
		m.AddSublayer(g)
	}
	return m
}

// turning is the animation of one turn of the spectrum, without end. It began when the machine's clock was at one
// second, so every layer that has it is at the same place.
func turning() quartzcore.BasicAnimation {
	a := quartzcore.BasicAnimation_AnimationWithKeyPath("transform.rotation.z")
	a.SetFromValue(foundation.Number_NumberWithDouble(0))
	a.SetToValue(foundation.Number_NumberWithDouble(turnBy))
	a.SetRemovedOnCompletion(false)
	a.SetPreferredFrameRateRange(quartzcore.FrameRateRange{Minimum: rateMin, Maximum: rateMax, Preferred: rate})
	timing := quartzcore.MediaTimingObject{Object: a.Object} // CAAnimation has CAMediaTiming, darwinkit's doesn't
	timing.SetBeginTime(1)
	timing.SetDuration(turnTime)
	timing.SetRepeatCount(1e9)
	return a
}

// hold stops the wheel where it is at the uptime now, or lets it turn on as if it had never stopped.
func (w wheel) hold(still bool, now float64) {
	timing := quartzcore.MediaTimingObject{Object: w.conic.Object}
	if still {
		timing.SetSpeed(0)
		timing.SetTimeOffset(corefoundation.TimeInterval(now))
		return
	}
	timing.SetTimeOffset(0)
	timing.SetSpeed(1)
}

// uptime is the machine's clock as Core Animation counts it, in seconds.
func uptime() float64 {
	info := foundation.ProcessInfo_ProcessInfo()
	return objc.Call[float64](info, objc.Sel("systemUptime"))
}

func setStops(g quartzcore.GradientLayer, stops []stop) {
	var colours []objc.IObject
	var places []foundation.INumber
	for _, s := range stops {
		colours = append(colours, cgColour(s.colour))
		places = append(places, foundation.Number_NumberWithDouble(s.at))
	}
	g.SetColors(colours)
	g.SetLocations(places)
}

// cgColour is a CGColor as an object, which lives as long as the pool.
func cgColour(c color.RGBA) objc.Object {
	return objc.Call[objc.Object](colour(c), objc.Sel("CGColor"))
}

func colour(c color.RGBA) appkit.Color {
	part := func(v uint8) float64 { return float64(v) / 255 }
	return appkit.Color_ColorWithSRGBRedGreenBlueAlpha(part(c.R), part(c.G), part(c.B), part(c.A))
}

func boxOf(r driver.AppKitRect) coregraphics.Rect {
	return coregraphics.Rect{
		Origin: coregraphics.Point{X: r.X, Y: r.Y}, Size: coregraphics.Size{Width: r.W, Height: r.H},
	}
}

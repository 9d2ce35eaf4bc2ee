package driver

// AppKitRect is an area in the space of a Mac's windows and views: X right, Y up, in points, with the origin at
// the bottom left of the main display. X and Y are the area's bottom left. Everything else on a Mac (events,
// the window list, accessibility, ScreenCaptureKit) counts down from the main display's top left, as ScreenRect
// does, so this type stands only at the border to AppKit.
type AppKitRect struct{ X, Y, W, H float64 }

// AppKitPoint is a place in the same space.
type AppKitPoint struct{ X, Y float64 }

// AppKit turns an area of the desktop into AppKit's space. mainHeight is the height in points of the main
// display, which is NSScreen.screens[0], not NSScreen.mainScreen.
func (r ScreenRect) AppKit(mainHeight float64) AppKitRect {
	return AppKitRect{X: r.X, Y: mainHeight - r.Y - r.H, W: r.W, H: r.H}
}

// Screen turns an area of AppKit's space into one of the desktop; mainHeight as for AppKit.
func (r AppKitRect) Screen(mainHeight float64) ScreenRect {
	return ScreenRect{X: r.X, Y: mainHeight - r.Y - r.H, W: r.W, H: r.H}
}

// AppKit turns a place on the desktop into AppKit's space; mainHeight as for ScreenRect.AppKit.
func (p ScreenPoint) AppKit(mainHeight float64) AppKitPoint {
	return AppKitPoint{X: p.X, Y: mainHeight - p.Y}
}

// Screen turns a place in AppKit's space into one on the desktop; mainHeight as for ScreenRect.AppKit.
func (p AppKitPoint) Screen(mainHeight float64) ScreenPoint {
	return ScreenPoint{X: p.X, Y: mainHeight - p.Y}
}

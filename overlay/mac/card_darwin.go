package mac

import (
	"bytes"
	"image"
	"image/color"
	"image/png"

	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/foundation"
	"github.com/progrium/darwinkit/objc"

	"conch/driver"
	"conch/overlay"
	"conch/overlay/draw"
)

// card is the Stop card: text and a picture of AppKit's own, and over the red part a button that takes the press.
type card struct {
	panel                  appkit.Panel
	red                    appkit.View
	title, step, word, key appkit.TextField
}

// newCard makes the card's panel and shows it. The panel keeps every view in it.
func newCard(s overlay.Scene, mainHeight float64, pen *draw.Pen) *card {
	c, l, look := s.Card, layOut(s.Card), draw.CardColors()
	k := &card{panel: newPanel(c.Bounds.AppKit(mainHeight), "Conch")}
	k.panel.SetIgnoresMouseEvents(false)
	k.panel.SetHasShadow(true)
	body := block(driver.AppKitRect{W: c.Bounds.W, H: c.Bounds.H}, look.Surface, l.radius)
	body.Layer().SetBorderWidth(1)
	body.Layer().SetBorderColor(colour(look.Border).CGColor())
	k.panel.SetContentView(body)
	if shell, ok := shellView(pen, l.icon, scaleOf(s)); ok {
		body.AddSubview(shell)
	}
	k.red = block(l.stop, look.Stop, l.stopRadius)
	body.AddSubview(k.red)
	k.title = label(look.Ink, l.titleSize, appkit.FontWeightSemibold)
	k.step = label(look.Muted, l.stepSize, appkit.FontWeightRegular)
	k.word = label(look.OnStop, l.wordSize, appkit.FontWeightSemibold)
	k.key = label(look.OnStop, l.keySize, appkit.FontWeightRegular)
	k.word.SetAlignment(appkit.TextAlignmentCenter)
	k.key.SetAlignment(appkit.TextAlignmentCenter)
	for _, t := range []appkit.TextField{k.title, k.step, k.word, k.key} {
		body.AddSubview(t)
	}
	button := objc.ObjectFrom(newButton(l.stop.W, l.stop.H))
	press := appkit.ViewFrom(button.Ptr())
	press.SetFrame(rectOf(l.stop))
	body.AddSubview(press)
	button.Release() // the card has it now
	k.says(c)
	k.panel.OrderFrontRegardless()
	return k
}

// says puts the words of c on the card.
func (k *card) says(c overlay.Card) {
	l, look := layOut(c), draw.CardColors()
	place := func(t appkit.TextField, at driver.AppKitRect, text string) {
		t.SetFrame(rectOf(at))
		t.SetStringValue(draw.OneLine(text)) // AppKit ends a program that gives it what isn't UTF-8
	}
	fill, on := look.Stop, look.OnStop
	key := c.Key
	if c.Stopping {
		fill, on, key = look.StopIdle, look.Muted, ""
	}
	paint(k.red, fill)
	k.word.SetTextColor(colour(on))
	k.key.SetTextColor(colour(on))
	place(k.title, l.title, c.Title)
	place(k.step, l.step, c.Step)
	place(k.word, l.word, "Stop")
	place(k.key, l.key, key)
}

func (k *card) close() { closePanel(k.panel) }

// block is a plain rounded box.
func block(at driver.AppKitRect, fill color.RGBA, radius float64) appkit.View {
	v := appkit.NewViewWithFrame(rectOf(at))
	v.SetWantsLayer(true)
	v.Layer().SetCornerRadius(radius)
	paint(v, fill)
	return v
}

func paint(v appkit.View, fill color.RGBA) {
	v.Layer().SetBackgroundColor(colour(fill).CGColor())
}

// label is one line of text that ends in "…" where it is too long. What it says is plain text: nothing in it is
// read as a link or a style.
func label(ink color.RGBA, size float64, weight appkit.FontWeight) appkit.TextField {
	t := appkit.TextField_LabelWithString("")
	t.SetFont(appkit.Font_SystemFontOfSizeWeight(size, weight))
	t.SetTextColor(colour(ink))
	t.SetMaximumNumberOfLines(1)
	t.SetUsesSingleLineMode(true)
	objc.Call[objc.Void](t, objc.Sel("setLineBreakMode:"), appkit.LineBreakByTruncatingTail)
	return t
}

// shellView is the shell in as many pixels as the display has for it.
func shellView(pen *draw.Pen, at driver.AppKitRect, scale float64) (appkit.ImageView, bool) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.Image(pen.Mark(at.W*scale))); err != nil {
		return appkit.ImageView{}, false // a card without its picture still stops
	}
	img := appkit.NewImageWithData(b.Bytes())
	img.SetSize(foundation.Size{Width: at.W, Height: at.H})
	v := appkit.NewImageViewWithFrame(rectOf(at))
	v.SetImage(img)
	return v, true
}

// scaleOf is how many pixels a point has on the card's display.
func scaleOf(s overlay.Scene) float64 {
	middle := driver.ScreenPoint{X: s.Card.Bounds.X + s.Card.Bounds.W/2, Y: s.Card.Bounds.Y + s.Card.Bounds.H/2}
	for _, e := range s.Edges {
		if e.Display.Bounds.Contains(middle) && e.Display.Scale > 0 {
			return e.Display.Scale
		}
	}
	return 2
}

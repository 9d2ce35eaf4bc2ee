package e2e

import (
	"strings"
	"testing"

	"conch/driver/x11/xserver"
	"conch/gateway"
	"conch/gateway/web/webtest"

	"github.com/chromedp/chromedp"
)

// Line 8 of what issue 2 must show, with the pages as the program serves them in the middle of its work:
// narrow and wide, light and dark, judged by axe where it is there and kept where CONCH_SHOTS says.
func TestWalk(t *testing.T) {
	t.Parallel()
	d := newDesk(t, xserver.Options{WindowManager: "openbox", Bus: true, Background: 0xC9D3DA}, "mousepad", "xterm", "galculator")
	if err := d.x.Start(d.x.Command("xterm", "-geometry", "60x12+700+420")); err != nil {
		t.Fatal(err)
	}
	e := newEditor(d)
	d.start(true, mousepad)
	b := webtest.Open(t)

	d.open(b, "/")
	walkFresh := fresh(t)
	d.ended(d.say(sentence + ` then press End then click 900,560 then look`))
	stopped := d.say(`open Mousepad then type " and more" then wait 30`)
	d.until("it waits", func() bool { return strings.HasSuffix(e.read(), " and more") })
	if _, err := d.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.ended(stopped)
	many := d.say(sentence + ` then press End then click 900,560 then look`)
	d.ended(many)
	d.ended(d.say("make me a sandwich"))
	asking := d.say(`look then open Mousepad then type hello then open Galculator`)
	d.until("it asks", func() bool { return d.status().State == gateway.Asking })

	pictured := func(b *webtest.Browser) { b.Until(`document.querySelector("#live .shot")?.naturalWidth > 0`) }
	unfolded := func(b *webtest.Browser) {
		b.Do(chromedp.Evaluate[chromedp.Void](`for (const d of document.querySelectorAll("details.steps, details.reason")) d.open = true`))
	}
	webtest.Walk(t, b, []webtest.Stop{
		{Name: "real-home", URL: d.at("/")},
		{Name: "real-asking", URL: d.at("/chats/" + asking), Before: pictured},
		{Name: "real-steps", URL: d.at("/chats/" + many), Before: unfolded},
		{Name: "real-stopped", URL: d.at("/chats/" + stopped), Before: unfolded},
		{Name: "real-settings", URL: d.at("/settings")},
		{Name: "real-computer", URL: d.at("/settings/computer")},
		{Name: "real-activity", URL: d.at("/activity"), Before: unfolded},
		{Name: "real-nothing", URL: d.at("/chats/none")},
		{Name: "real-here", URL: d.at("/here?next=/settings")},
		// Under its other name the browser has shown nothing, as a stranger's hasn't.
		{Name: "real-refused", URL: d.URL + "/settings"},
	})
	if d.status().State != gateway.Asking {
		t.Error("the question didn't wait while all pages were looked at")
	}
	walkFresh()
}

// fresh photographs the first pages of a Conch that was never turned on.
func fresh(t *testing.T) func() {
	d := newDesk(t, xserver.Options{})
	d.start(false)
	return func() {
		b := webtest.Open(t)
		d.open(b, "/")
		webtest.Walk(t, b, []webtest.Stop{
			{Name: "real-first-home", URL: d.at("/")},
			{Name: "real-first-computer", URL: d.at("/settings/computer"), Before: func(b *webtest.Browser) {
				press(b, "[data-computer-switch]")
				b.Until(`document.getElementById("computer-confirm").open`)
			}},
			{Name: "real-first-activity", URL: d.at("/activity")},
		})
	}
}

package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
	"conch/gateway"
	"conch/gateway/web/webtest"

	"github.com/chromedp/chromedp"
)

// TestOnThePage does what a person does first: opens the page, turns using apps on, says what to do, allows
// the app, watches the picture change, and presses Stop while it types. CONCH_SHOTS names a folder for
// photographs of the way.
func TestOnThePage(t *testing.T) {
	if err := xserver.Have("Xvfb", "openbox", "dbus-daemon", "mousepad"); err != nil {
		xtest.Missing(t, err)
	}
	b := webtest.Open(t)
	b.Set(webtest.Look{W: 1280, H: 900})
	c := startConch(t)

	// Without a display the file is named, for a person to open.
	_, file, found := strings.Cut(c.run("open", "computer"), "within two minutes: ")
	if !found {
		t.Fatal("conch open names no file")
	}
	b.Do(chromedp.Navigate("file://" + strings.TrimSpace(file)))
	b.Until(`location.hostname === "localhost" && location.pathname === "/settings/computer" && "ready" in document.body.dataset`)
	if hash := b.Eval(`location.hash`); hash != "" {
		t.Errorf("the code is still in the address: %s", hash)
	}
	origin := b.Eval(`location.origin`)

	b.Do(chromedp.Click(`[data-computer-switch]`))
	b.Do(chromedp.Click(`#computer-confirm button[value="yes"]`))
	b.Until(`document.querySelector("[data-computer-switch]").ariaChecked === "true"`)
	shoot(t, b, "computer")

	b.Go(origin + "/")
	b.Until(`document.querySelector("#practice .shot:not([hidden])")?.naturalWidth === 1280`)
	shoot(t, b, "practice")

	long := strings.Repeat("Stop is one press away. ", 400)
	b.Do(chromedp.SendKeys(`#box`, "open Mousepad then type "))
	b.Eval(fmt.Sprintf(`(box => { box.value += '%q'; box.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#box"))`, long))
	b.Do(chromedp.SendKeys(`#box`, " then press ctrl+a\r"))
	b.Until(`location.pathname.startsWith("/chats/")`)
	b.Until(`document.querySelector("#stream .question.waiting")?.innerText.includes("Use Mousepad on your computer?")`)
	b.Do(chromedp.Click(`#stream .question [data-choice="once"]`))
	b.Until(`document.querySelector("#live .live-step")?.innerText.includes("Typing in Mousepad")`)
	b.Until(`document.querySelector("#live .shot")?.src`)
	first := b.Eval(`document.querySelector("#live .shot").src`)
	shoot(t, b, "live")
	b.Do(chromedp.Click(`[data-stop-computer]`))
	b.Until(`document.querySelector("#live").hidden`)
	b.Until(`document.querySelector("#stream").innerText.includes("You stopped this")`)
	shoot(t, b, "stopped")

	// The picture is gone with the turn, and nothing uses the computer.
	b.Eval(fmt.Sprintf(`void fetch(%q).then(r => { window.after = r.status })`, first))
	b.Until(`window.after === 404`)
	var s gateway.Status
	if err := c.ask(http.MethodGet, "/api/status", nil, &s); err != nil || s.State != gateway.Idle {
		t.Errorf("afterwards: %+v, %v", s, err)
	}
	if faults := b.Faults(); faults != "" {
		t.Errorf("on the page: %s", faults)
	}
}

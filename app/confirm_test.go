package main

import (
	"context"
	"net/http/httptest"
	"testing"

	"conch/gateway"
	"conch/gateway/engine/byhand"
	"conch/gateway/web/webtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestConfirmPage sets a Conch password and is asked for it before Full trust, in a real browser.
func TestConfirmPage(t *testing.T) {
	b := webtest.Open(t)
	b.Set(webtest.Looks[0])
	gw, err := gateway.New(t.Context(), gateway.Config{Home: t.TempDir(), Engine: byhand.Engine{}, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(gw.Handler())
	defer srv.Close()
	defer func() {
		b.Go("about:blank")
		if err := gw.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	on := `document.querySelector("[data-confirm-switch]")?.ariaChecked`
	b.Go(srv.URL + "/settings#here=" + gw.NewCode())
	b.Until(on + ` === "false"`)
	b.Ready() // the page was loaded anew, with the cookie
	shoot(t, b, "confirm-row")
	b.Do(chromedp.Click(`[data-confirm-switch]`))
	b.Until(`document.querySelector("#confirm-set").open && document.activeElement.type === "password"`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`!document.querySelector("#confirm-set").open && ` + on + ` === "false" && !document.querySelector("[data-confirm-switch][aria-busy]")`)
	b.Do(chromedp.Click(`[data-confirm-switch]`), chromedp.SendKeys(`#confirm-set input`, "correct horse"))
	shoot(t, b, "confirm-set")
	b.Do(chromedp.Click(`#confirm-set [value=yes]`))
	b.Until(on + ` === "true"`)

	b.Go(srv.URL + "/")
	b.Do(chromedp.SendKeys(`#box`, "nonsense\r"))
	b.Until(`location.pathname.startsWith("/chats/") && document.querySelector(".mode summary") !== null && document.querySelector("#stream .message.conch, #stream .note") !== null`)
	b.Ready()
	mode := `document.querySelector("input[name=mode][checked]")?.value`
	pick := func() {
		t.Helper()
		b.Do(chromedp.Click(`.mode summary`), chromedp.Click(`input[name=mode][value=trust]`), chromedp.Click(`#trust-confirm [value=yes]`))
		b.Until(`document.querySelector("#confirm-you").open`)
	}
	pick()
	b.Do(chromedp.SendKeys(`#confirm-you input`, "wrong horse\r"))
	b.Until(`document.querySelector("#confirm-you .wrong").textContent.includes("That isn’t the password.")`)
	shoot(t, b, "confirm-wrong")
	b.Do(chromedp.Click(`#confirm-you [data-cancel]`))
	b.Until(`!document.querySelector("#confirm-you").open && ` + mode + ` === "ask"`)
	b.Eval(`document.querySelector("details.mode").open = false`)
	pick()
	b.Do(chromedp.SendKeys(`#confirm-you input`, "correct horse\r"))
	b.Until(mode + ` === "trust"`)

	// Confirmed a moment ago, so turning it off asks nothing more.
	b.Go(srv.URL + "/settings")
	b.Do(chromedp.Click(`[data-confirm-switch]`))
	b.Until(on + ` === "false"`)
	b.Set(webtest.Looks[3])
	b.Go(srv.URL + "/settings")
	shoot(t, b, "confirm-row-390-dark")
}

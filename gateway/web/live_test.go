package web_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"

	"conch/gateway/web"
	"conch/gateway/web/webtest"
)

// The parts of TestBehaviour in which the page follows what happens.

func updates(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-empty")
	hello := web.Message{ID: "m1", Who: web.ByPerson, Text: "<b>hi</b>"}
	g.push(
		t,
		g.appended(t, web.IDStream, hello, 42),
		g.appended(t, web.IDStream, hello, 42), // twice does no harm
		g.appended(t, web.IDStream, web.Steps{Turn: "t7", Running: true}, 43),
		g.appended(t, web.StepsID("t7"), web.Step{ID: "s1", Text: "Looked", State: web.StepDone}, 44),
		g.appended(t, web.StepsID("t7"), web.Step{ID: "s2", Text: "Typing", State: web.StepDoing}, 45),
		g.replaced(t, web.Step{ID: "s2", Text: "Typed hello", State: web.StepDone}, 46),
		g.replaced(t, web.RailChats{Days: []web.RailDay{{Name: "Today", Chats: []web.RailChat{{ID: "c3", Title: "Hi"}}}}}, 0),
	)
	b.Until(`document.querySelectorAll("#stream > .message").length === 1 && !document.getElementById("welcome")`)
	b.Until(`document.querySelector("#steps-t7 .steps-count").textContent === "2 steps"`)
	b.Until(`document.getElementById("step-s2").textContent.includes("Typed hello")`)
	b.Until(`document.querySelector("#rail-c3 a").getAttribute("aria-current") === "page"`)
	b.Until(`document.getElementById("polite").textContent.includes("Typed hello")`)

	// A fold that the person opened stays open when the turn ends.
	g.push(t, g.replaced(t, web.Steps{Turn: "t7", Steps: []web.Step{{ID: "s1", Text: "Looked"}}}, 47))
	b.Until(`!document.getElementById("steps-t7").open`)
	b.Do(chromedp.Click(chromedp.CSS("#steps-t7 summary")))
	g.push(t, g.replaced(t, web.Steps{Turn: "t7", Steps: []web.Step{{ID: "s1", Text: "Looked again"}}}, 48))
	b.Until(`document.getElementById("step-s1").textContent.includes("again") && document.getElementById("steps-t7").open`)

	g.push(t, web.Remove("message-m1", 49))
	b.Until(`!document.getElementById("message-m1")`)
	// The words in the box outlive every update.
	b.Do(chromedp.SendKeys(chromedp.CSS("#box"), "draft"))
	g.push(t, g.replaced(t, web.ComposerState{Chat: "c3", Running: true}, 0))
	b.Until(`document.querySelector(".composer-stop") && document.getElementById("box").value === "draft" && document.activeElement.id === "box"`)
}

func liveCard(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-empty")
	first := web.Live{On: true, Shot: "p1", W: 1280, H: 800, Step: "Looking", N: 1, Max: 60}
	g.push(t, g.replaced(t, first, 0))
	b.Until(`document.querySelector("#live .shot")?.naturalWidth === 1280`)
	// From here on, the card must never be without a picture that is loaded.
	b.Do(chromedp.Evaluate[chromedp.Void](`window.gaps = 0;
		new MutationObserver(() => {
			const shot = document.querySelector("#live .shot");
			if (!shot || !shot.complete || !shot.naturalWidth) window.gaps++;
		}).observe(document.getElementById("live"), {childList: true, subtree: true})`))
	for n := 2; n <= 6; n++ {
		next := first
		next.Shot, next.N, next.Step = fmt.Sprintf("p%d", n), n, "Typing in Mousepad"
		next.Click = &web.Click{X: 100 * n, Y: 50}
		g.push(t, g.replaced(t, next, 0))
	}
	b.Until(`document.querySelector("#live .shot").getAttribute("src").endsWith("/p6")`)
	b.Until(`document.querySelector("#live .live-count").textContent === "step 6 of 60"`)
	b.Until(`document.querySelector("#live circle").getAttribute("cx") === "600"`)
	if gaps := b.Eval("window.gaps"); gaps != "0" {
		t.Errorf("the picture was away %s times", gaps)
	}
	g.push(t, g.replaced(t, web.Live{}, 0))
	b.Until(`document.getElementById("live").hidden && !document.querySelector("#live .shot")`)
	// One that comes while another fades wins.
	g.push(t, g.replaced(t, first, 0), g.replaced(t, web.Live{}, 0), g.replaced(t, first, 0))
	b.Until(`document.querySelector("#live .live-card:not(.leaving) .shot")?.naturalWidth === 1280`)
	b.Until(`getComputedStyle(document.querySelector("#live .live-card")).opacity === "1"`)
}

// A page that comes when its picture has just gone shows words, not a broken picture.
func lostPicture(t *testing.T, b *webtest.Browser, g *gateway) {
	g.set(func() { g.noShots = true })
	b.Go(g.URL + "/sample/chat-running")
	b.Until(`document.querySelector("#live .frame-wait")?.textContent === "Waiting for the next picture…"`)
	g.set(func() { g.noShots = false })
	g.push(t, g.replaced(t, web.Live{On: true, Shot: "p8", W: 1280, H: 800}, 0))
	b.Until(`document.querySelector("#live .shot")?.naturalWidth === 1280`)
}

func withoutSocket(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-empty")
	g.push(t, g.appended(t, web.IDStream, web.Message{ID: "m1", Who: web.ByConch, Text: "one"}, 77))
	b.Until(`document.getElementById("message-m1")`)
	g.set(func() { g.deaf = true })
	g.drop()
	b.Until(`!document.getElementById("offline").hidden`)
	if got := b.Eval(`document.getElementById("offline").textContent.trim()`); got != "Not live. Reconnecting…" {
		t.Errorf("it says %q", got)
	}
	// What happens meanwhile is read from the page itself.
	g.set(func() {
		c := g.pages["chat-empty"].(web.Chat)
		c.Items = []web.PartView{web.Message{ID: "m2", Who: web.ByConch, Text: "two"}}
		c.After = 80
		g.pages["chat-empty"] = c
	})
	b.Until(`document.getElementById("message-m2")`)
	g.set(func() { g.deaf = false })
	b.Until(`document.getElementById("offline").hidden`)
	g.until(t, "it asks for what came after 80", func() bool {
		last, _ := url.ParseQuery(g.asked[len(g.asked)-1])
		return last.Get("after") == "80" && last.Get("chat") == "c3"
	})
}

func practice(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/home-practice")
	ready := `document.getElementById("practice").dataset.state === "ready" && document.querySelector("#practice .shot").naturalWidth === 1280`
	b.Until(ready)
	was := b.Eval(`document.querySelector("#practice .shot").src`)
	g.set(func() { g.shot = 9 })
	b.Until(`document.querySelector("#practice .shot").src !== "` + was + `"`)
	b.Do(chromedp.Click(chromedp.CSS("[data-practice-fold]")))
	b.Until(`document.querySelector("[data-practice-fold]").getAttribute("aria-expanded") === "false"`)
	b.Go(g.URL + "/sample/chat-stopped")
	b.Until(`document.querySelector("[data-practice-fold]").textContent === "Show"`)
	b.Do(chromedp.Click(chromedp.CSS("[data-practice-fold]")))
	b.Until(ready)
	g.Config.Handler = nil // every address is 404 from now on
	b.Until(`document.getElementById("practice").dataset.state === "broken"`)
}

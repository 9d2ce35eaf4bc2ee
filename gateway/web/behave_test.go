package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"conch/gateway/web"
	"conch/gateway/web/webtest"
)

const shift, ctrl = 8, 2 // the protocol's bits of modifiers

// replaced and appended are updates of a part, or the end of the test.
func (g *gateway) replaced(t *testing.T, v web.PartView, seq uint64) web.Update {
	t.Helper()
	u, err := g.r.Replace(v, seq)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (g *gateway) appended(t *testing.T, to string, v web.PartView, seq uint64) web.Update {
	t.Helper()
	u, err := g.r.Append(to, v, seq)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestBehaviour uses the pages as a person does, in one browser.
func TestBehaviour(t *testing.T) {
	b := webtest.Open(t)
	for _, c := range []struct {
		name string
		run  func(*testing.T, *webtest.Browser, *gateway)
	}{
		{"a new chat", newChat},
		{"sending", sending},
		{"what is refused keeps the draft", refusedKeepsDraft},
		{"updates", updates},
		{"the live card", liveCard},
		{"questions", questions},
		{"stop", stops},
		{"without the socket", withoutSocket},
		{"the switch", theSwitch},
		{"removing an app", removing},
		{"full trust", fullTrust},
		{"a one-time code", oneTimeCode},
		{"the drawer", drawer},
		{"practice", practice},
		{"reduced motion", reducedMotion},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := b.For(t)
			g := serve(t)
			b.Set(webtest.Looks[0])
			c.run(t, b, g)
			if faults := b.Faults(); faults != "" && c.name != "practice" && c.name != "without the socket" {
				t.Error(faults)
			}
			b.Go("about:blank")
		})
	}
}

func newChat(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/")
	b.Until(`document.querySelector(".composer-send").disabled`)
	b.Do(chromedp.Click(chromedp.CSS(`[data-try="look"]`)))
	b.Until(`document.activeElement.id === "box" && document.getElementById("box").value === "look"`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	g.called(t, `POST /api/chats {"text":"look"}`)
	b.Until(`location.pathname === "/chats/c1"`)
}

func sending(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-empty")
	b.Do(
		chromedp.SendKeys(chromedp.CSS("#box"), "look"),
		chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(shift)),
		chromedp.KeyEvent("x"),
	)
	b.Until(`document.getElementById("box").value === "look\nx"`)
	b.Do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(ctrl)))
	g.called(t, `POST /api/chats/c3/messages {"text":"look\nx"}`)
	b.Until(`document.getElementById("box").value === ""`)

	// While a turn runs Enter sends nothing and stops nothing; the words stay.
	g.push(t, g.replaced(t, web.ComposerState{Chat: "c3", Running: true}, 0))
	b.Until(`document.querySelector(".composer-stop")`)
	b.Do(chromedp.SendKeys(chromedp.CSS("#box"), "more"), chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector(".toast")`)
	if got := b.Eval(`document.getElementById("box").value`); got != "more" {
		t.Errorf("the draft is %q", got)
	}
	g.set(func() {
		if len(g.calls) != 1 {
			t.Errorf("calls: %q", g.calls)
		}
	})
}

func refusedKeepsDraft(t *testing.T, b *webtest.Browser, g *gateway) {
	g.set(func() {
		g.fail["/api/chats/c3/messages"] = `{"code":"busy","say":"Another chat <b>uses</b> the computer.","next":"Stop it first."}`
	})
	b.Go(g.URL + "/sample/chat-empty")
	b.Do(chromedp.SendKeys(chromedp.CSS("#box"), "look"), chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector(".toast[role=alert]")?.textContent.includes("Another chat <b>uses</b> the computer. Stop it first.")`)
	if got := b.Eval(`document.getElementById("box").value`); got != "look" {
		t.Errorf("the draft is %q", got)
	}
	b.Do(chromedp.Reload())
	b.Until(`document.getElementById("box")?.value === "look"`)
	b.Do(chromedp.Evaluate[chromedp.Void](`sessionStorage.clear()`))
}

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

func questions(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-asking")
	focus := func(choice string) {
		b.Do(chromedp.Focus(chromedp.CSS(`#asking [data-choice="` + choice + `"]`)))
	}
	for _, choice := range []string{"once", "always"} {
		focus(choice)
		b.Do(chromedp.KeyEvent(kb.Enter))
		b.Until(`document.getElementById("assertive").textContent === "Press Space to allow."`)
		b.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById("assertive").textContent = ""`))
	}
	g.set(func() {
		if len(g.calls) > 0 {
			t.Errorf("Enter allowed: %q", g.calls)
		}
	})
	// No is one Tab back from the box, so that a hurried person meets it first.
	b.Do(chromedp.Focus(chromedp.CSS("#question-q1 [data-choice=no]")), chromedp.KeyEvent(kb.Enter))
	g.called(t, `POST /api/questions/q1 {"choice":"no"}`)
	b.Until(`[...document.querySelectorAll("[data-question=q1]")].every(b => b.disabled)`)
	b.Until(`document.activeElement.id === "box"`)
	answered := question()
	answered.Choice = web.ChoiceNo
	g.push(t, g.replaced(t, answered, 50), g.replaced(t, web.Asking{}, 0))
	b.Until(`document.getElementById("asking").hidden && !document.querySelector("[data-choice]")`)

	q := question()
	q.ID = "q2"
	g.push(t, g.appended(t, web.IDStream, q, 51), g.replaced(t, web.Asking{Questions: []web.Question{q}}, 0))
	b.Until(`document.getElementById("assertive").textContent.includes("Use Galculator")`)
	if got := b.Eval(`document.activeElement.id`); got != "box" {
		t.Errorf("a question took the focus to %q", got)
	}
	b.Do(chromedp.Focus(chromedp.CSS(`#asking [data-choice="always"]`)), chromedp.KeyEvent(" "))
	g.called(t, `POST /api/questions/q2 {"choice":"always"}`)

	// Another answer came first: the buttons come back and the reason is said.
	g.set(func() { g.fail["/api/questions/q3"] = `{"code":"gone","say":"This was answered already."}` })
	q.ID = "q3"
	g.push(t, g.replaced(t, web.Asking{Questions: []web.Question{q}}, 0))
	b.Do(chromedp.Click(chromedp.CSS(`#asking [data-question="q3"][data-choice="once"]`)))
	b.Until(`document.querySelector(".toast")?.textContent.includes("This was answered already.")`)
	b.Until(`!document.querySelector('[data-question="q3"]').disabled`)
}

func stops(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-running")
	b.Do(chromedp.Click(chromedp.CSS("[data-stop-computer]")))
	g.called(t, "POST /api/computer-use/stop {}")
	b.Until(`document.querySelector("[data-stop-computer]").textContent === "Stopping…"`)
	b.Do(chromedp.Click(chromedp.CSS("[data-stop]")))
	g.called(t, "POST /api/chats/c1/stop {}")
	g.push(t, g.replaced(t, web.ComposerState{Chat: "c1"}, 0), g.replaced(t, web.Live{}, 0))
	b.Until(`document.querySelector(".composer-send") && document.getElementById("live").hidden`)

	g.set(func() { g.fail["/api/computer-use/stop"] = `{"code":"x","say":"Nothing runs."}` })
	g.push(t, g.replaced(t, web.Live{On: true}, 0))
	b.Do(chromedp.Click(chromedp.CSS("[data-stop-computer]")))
	b.Until(`document.querySelector(".toast")?.textContent.includes("Nothing runs.")`)
	b.Until(`document.querySelector("[data-stop-computer]").textContent === "Stop"`)
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

func theSwitch(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/computer-off")
	press := chromedp.Click(chromedp.CSS("[data-computer-switch]"))
	b.Do(press)
	b.Until(`document.getElementById("computer-confirm").open && document.activeElement.value === "no"`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`!document.getElementById("computer-confirm").open`)
	b.Do(press, chromedp.Click(chromedp.CSS("#computer-confirm [value=no]")))
	b.Until(`!document.getElementById("computer-confirm").open`)
	g.set(func() {
		if len(g.calls) > 0 {
			t.Errorf("Cancel turned it on: %q", g.calls)
		}
		// What shows afterwards is what the gateway says, so here nothing may change yet.
	})
	b.Do(press, chromedp.Click(chromedp.CSS("#computer-confirm [value=yes]")))
	g.called(t, `POST /api/computer-use {"on":true}`)
	if got := b.Eval(`document.querySelector("[data-computer-switch]").getAttribute("aria-checked")`); got != "false" {
		t.Errorf("it says on before the gateway did")
	}
	g.set(func() { g.pages["computer-off"] = g.pages["computer-on"] })
	g.push(t, g.replaced(t, web.Switch{On: true}, 0))
	b.Until(`document.querySelector("[data-computer-switch]").getAttribute("aria-checked") === "true" && !document.querySelector("[aria-busy]")`)
	b.Do(press) // off needs no sheet
	g.called(t, `POST /api/computer-use {"on":false}`)
}

func removing(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/computer-on")
	remove := chromedp.Click(chromedp.CSS(`[data-remove-app="org.xfce.mousepad"]`))
	b.Do(remove)
	b.Until(`document.querySelector(".toast")?.textContent.includes("Removing Mousepad.")`)
	b.Do(chromedp.Click(chromedp.CSS(".toast-action")))
	b.Until(`!document.querySelector(".going") && !document.querySelector(".toast")`)
	g.set(func() {
		if len(g.calls) > 0 {
			t.Errorf("Undo came too late: %q", g.calls)
		}
	})
	b.Do(remove)
	b.Until(`document.querySelector(".going")`)
	b.Go(g.URL + "/settings") // leaving sends it
	g.called(t, "DELETE /api/computer-use/apps/org.xfce.mousepad")
}

func fullTrust(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-empty")
	pick := func(mode string) { b.Do(chromedp.Click(chromedp.CSS(`input[value="` + mode + `"]`))) }
	b.Do(chromedp.Click(chromedp.CSS(".mode summary")))
	pick("plan")
	g.called(t, `POST /api/chats/c3/mode {"mode":"plan"}`)
	b.Until(`document.querySelector(".mode summary span").textContent === "Plan only"`)
	pick("trust")
	b.Do(chromedp.Click(chromedp.CSS("#trust-confirm [value=no]")))
	b.Until(`document.querySelector("input[value=plan]").checked`)
	pick("trust")
	b.Do(chromedp.Click(chromedp.CSS("#trust-confirm [value=yes]")))
	g.called(t, `POST /api/chats/c3/mode {"mode":"trust"}`)
	g.set(func() {
		if len(g.calls) != 2 {
			t.Errorf("calls: %q", g.calls)
		}
	})
}

func oneTimeCode(t *testing.T, b *webtest.Browser, g *gateway) {
	for _, page := range []string{"refused", "here", "home"} {
		b.Go("about:blank")
		b.Go(g.URL + "/sample/" + page + "#here=code-" + page)
		g.called(t, `POST /api/here {"code":"code-`+page+`"}`)
		b.Until(`location.hash === ""`)
	}
	g.set(func() {
		g.fail["/api/here"] = `{"code":"proof","say":"That code is too old.","next":"Choose Open again."}`
	})
	b.Go("about:blank")
	b.Go(g.URL + "/sample/refused#here=old")
	b.Until(`document.getElementById("here-say").textContent === "That code is too old. Choose Open again."`)
	if got := b.Eval(`location.href`); strings.Contains(got, "old") {
		t.Errorf("the code stayed in the address: %s", got)
	}
}

func drawer(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Set(webtest.Looks[2])
	b.Go(g.URL + "/sample/home")
	b.Until(`getComputedStyle(document.getElementById("rail")).visibility === "hidden"`)
	b.Do(chromedp.Click(chromedp.CSS("[data-rail=open]")))
	b.Until(`document.getElementById("rail").contains(document.activeElement) && document.querySelector(".page").inert`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`document.activeElement.dataset.rail === "open" && !document.querySelector(".page").inert`)
	small := b.Eval(`[...document.querySelectorAll("button, a.button, summary, .rail-link")]
		.filter(e => e.checkVisibility() && !e.classList.contains("try") && e.getBoundingClientRect().height < 43.5)
		.map(e => e.outerHTML.slice(0, 80)).join("; ")`)
	if small != "" {
		t.Errorf("smaller than a finger: %s", small)
	}
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
	b.Go("about:blank")
	g.set(func() { g.pages["gone"] = g.pages["home-practice"] })
	b.Go(g.URL + "/sample/home-practice")
	b.Until(ready)
	g.Config.Handler = nil // every address is 404 from now on
	b.Until(`document.getElementById("practice").dataset.state === "broken"`)
}

func reducedMotion(t *testing.T, b *webtest.Browser, g *gateway) {
	still := webtest.Looks[0]
	still.Still = true
	b.Set(still)
	b.Go(g.URL + "/sample/chat-running")
	if got := b.Eval(`document.getAnimations().length`); got != "0" {
		t.Errorf("%s things move", got)
	}
	b.Set(webtest.Looks[0])
	b.Until(`document.getAnimations().length > 0`)
}

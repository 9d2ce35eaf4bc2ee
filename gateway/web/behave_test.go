package web_test

import (
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

// wantsFaults are the parts in which the browser can't load something, on purpose.
var wantsFaults = map[string]bool{"practice": true, "without the socket": true, "a lost picture": true}

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
		{"an update that says nothing new", sameAgain},
		{"the live card", liveCard},
		{"a lost picture", lostPicture},
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
			if faults := b.Faults(); faults != "" && !wantsFaults[c.name] {
				t.Error(faults)
			}
			b.Go("about:blank")
		})
	}
}

// sameAgain: a press that has begun on a part isn't lost when that part comes again as it is.
func sameAgain(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-empty")
	running := web.ComposerState{Chat: "c3", Running: true}
	g.push(t, g.replaced(t, running, 0))
	b.Until(`document.querySelector(".composer-stop")`)
	b.Eval(`window.pressed = document.querySelector(".composer-stop")`)
	g.push(t, g.replaced(t, running, 0), g.replaced(t, web.RailChats{}, 0))
	b.Until(`!document.querySelector("#rail-chats a")`)
	if b.Eval(`window.pressed.isConnected`) != "true" {
		t.Error("what was the same was replaced")
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
	// What gets the focus in the stream isn't under the dock, however low the window is.
	b.Do(chromedp.Focus(chromedp.CSS("#question-q1 [data-choice=always]")))
	b.Until(`document.activeElement.getBoundingClientRect().bottom <= document.querySelector(".dock").getBoundingClientRect().top`)
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

func reducedMotion(t *testing.T, b *webtest.Browser, g *gateway) {
	still := webtest.Looks[0]
	still.Still = true
	b.Set(still)
	b.Go(g.URL + "/sample/chat-running")
	const longest = `Math.max(0, ...document.getAnimations().map(a => a.effect.getComputedTiming().endTime))`
	if got := b.Eval(longest); got != "0" {
		t.Errorf("something moves for %s ms", got)
	}
	// Without that wish a click's ripple does move, so the line above can fail.
	b.Set(webtest.Looks[0])
	b.Do(chromedp.Evaluate[chromedp.Void](`{const c = document.querySelector("#live circle"); c.replaceWith(c.cloneNode())}`))
	b.Until(longest + " > 0")
}

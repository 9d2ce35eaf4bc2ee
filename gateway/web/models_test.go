package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"conch/gateway/web"
	"conch/gateway/web/webtest"
)

// What the stand-in for the gateway answers about places.
const (
	modelsAnswer = `{"usual":"Claude Opus 5.5","places":[{"id":"anthropic","name":"Anthropic","works":true,"models":[
		{"name":"anthropic/claude-opus-5-5","label":"Claude Opus 5.5","marks":"sees pictures · $5 in, $25 out"},
		{"name":"anthropic/claude-haiku-5","label":"Claude <b>Haiku</b> 5","marks":"sees pictures · $1 in, $5 out"}]},
		{"id":"server","name":"Attic","works":false,"models":[]}]}`
	worksAnswer = `{"id":"openai","name":"OpenAI","works":true,"say":"OpenAI works: 2 models.","models":[
		{"name":"openai/gpt-6","label":"GPT-6","marks":"sees pictures · $2 in, $8 out"},
		{"name":"openai/gpt-6-mini","label":"GPT-6 mini","marks":"can’t see pictures · price not known"}]}`
	wrongAnswer = `{"id":"anthropic","name":"Anthropic","works":false,"say":"Anthropic doesn't take this key.","next":"Put a new one in Settings → Models.","models":[]}`
)

func modelKinds() []web.ModelKind {
	return []web.ModelKind{
		{ID: "anthropic", Name: "Anthropic", Keys: "console.anthropic.com, Settings, API keys", Key: true},
		{ID: "openai", Name: "OpenAI", Keys: "platform.openai.com, API keys", Key: true},
		{ID: "ollama", Name: "Ollama", Own: true, Base: "http://127.0.0.1:11434"},
		{ID: "server", Name: "Another server", Own: true},
		{ID: "claude-code", Name: "Claude Code", Program: true},
		{ID: "codex", Name: "Codex", Program: true, Missing: "Codex isn't on this computer. Install it, then try again."},
	}
}

func places() web.ModelPlaces {
	return web.ModelPlaces{Places: []web.ModelPlace{
		{ID: "anthropic", Name: "Anthropic", Kind: "Anthropic", Key: true, State: web.PlaceWorks, Models: 12},
		{ID: "openai", Name: "Work", Kind: "OpenAI", Key: true, State: web.PlaceWrong, Say: "OpenAI doesn't take this key.", Next: "Put a new one here."},
		{ID: "ollama", Name: "Ollama", Kind: "Ollama", At: "http://127.0.0.1:11434", State: web.PlaceWorks},
		{ID: "server", Name: "The one in the attic", Kind: "Another server", At: "http://attic.local:8080/v1", State: web.PlaceNew},
		{ID: "codex", Name: "Codex", Kind: "Codex", Program: true, State: web.PlaceWrong, Say: "Codex isn't on this computer.", Next: "Install it, then try again."},
	}}
}

func usualModel() web.ModelUsual {
	return web.ModelUsual{Now: "anthropic/claude-opus-5-5", Places: 5, Groups: []web.ModelGroup{
		{Place: "Anthropic", Choices: []web.ModelChoice{
			{Name: "anthropic/claude-opus-5-5", Label: "Claude Opus 5.5", Sees: true, Tools: true, In: 5, Out: 25},
			{Name: "anthropic/claude-haiku-5", Label: "Claude Haiku 5", Sees: true, Tools: true, In: .075, Out: .3},
		}},
		{Place: "Ollama", Choices: []web.ModelChoice{
			{Name: "ollama/qwen3:4b", Label: "qwen3:4b", Tools: true, Local: true},
			{Name: "ollama/odd", Label: "odd", Sees: true},
		}},
	}}
}

func costs() web.ChatCost {
	return web.ChatCost{Chat: web.Spent{Dollars: .42, Requests: 9}, Last: web.Spent{Dollars: .031, Requests: 3}}
}

func modelParts() map[string]web.PartView {
	gone := usualModel()
	gone.Groups = gone.Groups[1:]
	return map[string]web.PartView{
		"places": places(), "places none": web.ModelPlaces{}, "places broken": web.ModelPlaces{Problem: "A newer Conch wrote models.json."},
		"found": web.ModelsFound{Kinds: modelKinds()[2:3]}, "found nothing": web.ModelsFound{},
		"usual": usualModel(), "usual none": web.ModelUsual{}, "usual not tested": web.ModelUsual{Places: 1}, "usual gone": gone,
		"limits": web.ModelLimits{Turn: .5, Day: 10, Today: web.Spent{Dollars: 1.2, Requests: 5, Unknown: 1}}, "limits none": web.ModelLimits{},
		"limits unknown": web.ModelLimits{Today: web.Spent{Requests: 2, Unknown: 2}},
		"cost":           costs(), "cost none": web.ChatCost{},
		"cost first":   web.ChatCost{Chat: web.Spent{Dollars: .004, Requests: 1}, Last: web.Spent{Dollars: .004, Requests: 1}},
		"cost local":   web.ChatCost{Chat: web.Spent{Requests: 4}, Last: web.Spent{Requests: 1}},
		"cost unknown": web.ChatCost{Chat: web.Spent{Requests: 4, Unknown: 4}, Last: web.Spent{Requests: 1, Unknown: 1}},
		"cost partly":  web.ChatCost{Chat: web.Spent{Dollars: 1, Requests: 4, Unknown: 2}, Last: web.Spent{Requests: 1, Unknown: 1}},
		"doing":        web.Doing{Say: "Waiting for Anthropic, which is busy"}, "doing nothing": web.Doing{},
		"note models":    web.Note{ID: "n4", Kind: web.NoteFailed, Text: "Anthropic doesn't take this key.", Next: "Put a new one in Settings → Models.", Models: true},
		"composer model": web.ComposerState{Chat: "c1", Mode: web.ModeAsk, Model: "Claude Opus 5.5", ModelOwn: "anthropic/claude-opus-5-5"},
	}
}

func modelSamples(frame web.Frame) map[string]web.PageView {
	ready := web.Computer{On: true, Screen: web.Screen{Ready: true}}
	composer := web.ComposerState{Mode: web.ModeAsk, Model: "Claude Opus 5.5"}
	waits := composer
	waits.Running = true
	return map[string]web.PageView{
		"models": web.Models{
			Frame: frame, Places: places(), Usual: usualModel(), Kinds: modelKinds(), Where: "in your keychain", Safe: true,
			Limits: web.ModelLimits{Turn: .5, Today: web.Spent{Dollars: 1.2, Requests: 5}},
		},
		"models-empty": web.Models{Frame: frame, Found: web.ModelsFound{Kinds: modelKinds()[2:3]}, Kinds: modelKinds(), Where: "in files that only your account can read (this computer has no keychain)"},
		"chat-costs": web.Chat{
			Frame: frame, ID: "c1", Title: "Write hello in Mousepad", Computer: ready, Composer: composer, Cost: costs(),
			Items: append(said(), web.Note{ID: "n4", Kind: web.NoteFailed, Text: "Anthropic doesn't take this key.", Next: "Put a new one in Settings → Models.", Models: true}),
		},
		"chat-model":    web.Chat{Frame: frame, ID: "c1", Title: "Write hello in Mousepad", Computer: ready, Composer: waits, Items: said()[:1]},
		"home-model":    web.Home{Frame: frame, Computer: ready, Model: "Claude Opus 5.5"},
		"settings-used": web.Settings{Frame: frame, Computer: ready, Version: "0.1.0", Folder: "~/.conch", Rows: web.Assistant{Models: web.ModelsRow{Places: 2, Usual: "Claude Opus 5.5 with a name that goes on"}}},
	}
}

func hostileModels(frame web.Frame, s string) web.Models {
	kind := web.ModelKind{ID: s, Name: s, Keys: s, Base: s, Program: true, Missing: s}
	choice := web.ModelChoice{Name: s, Label: s}
	return web.Models{
		Frame: frame, Where: s, Kinds: []web.ModelKind{kind}, Found: web.ModelsFound{Kinds: []web.ModelKind{kind}},
		Places: web.ModelPlaces{Places: []web.ModelPlace{{ID: "a", Name: s, Kind: s, At: s, State: web.PlaceWrong, Say: s, Next: s}}},
		Usual:  web.ModelUsual{Now: s + "x", Places: 1, Groups: []web.ModelGroup{{Place: s, Choices: []web.ModelChoice{choice}}}},
	}
}

func hostileChatModel(frame web.Frame, s string) web.Chat {
	return web.Chat{Frame: frame, ID: "c1", Title: s, Composer: web.ComposerState{Model: s, ModelOwn: s}}
}

func TestModelParts(t *testing.T) { checkParts(t, "testdata/models.txtar", modelParts()) }

// TestModelPages uses the page and the chip in a chat as a person does.
func TestModelPages(t *testing.T) {
	b := webtest.Open(t)
	for _, c := range []struct {
		name string
		run  func(*testing.T, *webtest.Browser, *gateway)
	}{
		{"adding", addingModels},
		{"testing", testingModels},
		{"a key", changingKeys},
		{"removing", removingModels},
		{"found and limits", foundAndLimits},
		{"in a chat", chatModel},
		{"in a new chat", newChatModel},
		{"waiting", doing},
		{"touch", modelsTouch},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := b.For(t)
			g := serve(t)
			b.Set(webtest.Looks[0])
			c.run(t, b, g)
			if faults := b.Faults(); faults != "" {
				t.Error(faults)
			}
			b.Go("about:blank")
		})
	}
}

func addingModels(t *testing.T, b *webtest.Browser, g *gateway) {
	g.set(func() { g.place = worksAnswer })
	b.Go(g.URL + "/sample/models-empty")
	g.called(t, "GET /api/models")
	g.called(t, "POST /api/models/find {}")
	b.Do(press("[data-add-place]"))
	b.Until(`document.getElementById("place-add").open`)
	pick := func(kind string) {
		b.Do(chromedp.Evaluate[chromedp.Void](`{const s = document.querySelector("[name=kind]"); s.value = "` + kind + `"; s.dispatchEvent(new Event("change", {bubbles: true}))}`))
	}
	pick("ollama")
	if got := b.Eval(`[document.querySelector("[name=key]").required, document.querySelector("[data-address]").hidden, document.querySelector("[name=address]").placeholder].join()`); got != `false,false,http://127.0.0.1:11434` {
		t.Errorf("a server of one's own asks for %s", got)
	}
	for kind, want := range map[string]string{
		"claude-code": `true,true,"It thinks on your own plan, as you are signed in with it, and needs no key here.","Claude Code"`,
		"codex":       `true,true,"Codex isn't on this computer. Install it, then try again.","Codex (not on this computer)"`,
	} {
		pick(kind)
		if got := b.Eval(`[!document.querySelector("[name=key]").checkVisibility(), document.querySelector("[data-address]").hidden,
			...[document.querySelector("[data-keys-at]").textContent, document.querySelector("[name=kind]").selectedOptions[0].label].map((s) => JSON.stringify(s))].join()`); got != want {
			t.Errorf("%s: a program asks for %s", kind, got)
		}
	}
	pick("openai")
	if got := b.Eval(`[document.querySelector("[name=key]").required, document.querySelector("[data-address]").hidden, document.querySelector("#place-add [name=key]").type].join()`); got != `true,true,password` {
		t.Errorf("an account asks for %s", got)
	}
	b.Until(`document.querySelector("[data-keys-at]").textContent === "Get one at platform.openai.com, API keys."`)
	b.Do(chromedp.Focus(chromedp.CSS("#place-add [name=key]")), chromedp.KeyEvent("sk-1"), chromedp.KeyEvent(kb.Enter))
	g.called(t, `POST /api/models {"kind":"openai","address":"","name":"","key":"sk-1"}`)
	// What it has is offered at once, and the key isn't in the page any more.
	b.Until(`document.getElementById("place-model").open && document.querySelector("#place-model h2").textContent === "OpenAI works"`)
	if got := b.Eval(`[...document.querySelectorAll("input")].map(e => e.value).join("") + document.querySelector("[name=model]").options.length`); got != "2" {
		t.Errorf("left in the page: %s", got)
	}
	b.Do(press("#place-model [value=yes]"))
	g.called(t, `POST /api/models/usual {"model":"openai/gpt-6"}`)
	b.Until(idle)
	// A refusal stays in the sheet, with what was typed.
	g.set(func() {
		g.fail["/api/models"] = `{"code":"invalid","say":"That isn't a key.","next":"Copy it again, and only it."}`
	})
	b.Do(press("[data-add-place]"), chromedp.Focus(chromedp.CSS("#place-add [name=key]")), chromedp.KeyEvent("x y"), chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector("#place-add .wrong").textContent === "That isn't a key. Copy it again, and only it." && document.getElementById("place-add").open`)
	b.Do(press("#place-add [data-cancel]"))
	b.Until(idle)
}

func testingModels(t *testing.T, b *webtest.Browser, g *gateway) {
	g.set(func() { g.place = wrongAnswer })
	b.Go(g.URL + "/sample/models")
	b.Do(press("#place-anthropic [data-do=test]"))
	g.called(t, `POST /api/models/anthropic/test {}`)
	b.Until(`document.querySelector(".toast[role=alert]")?.textContent.includes("doesn't take this key. Put a new one") && ` + idle)
	b.Until(`document.querySelector("#place-anthropic [data-do=test]").textContent === "Test"`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{const s = document.querySelector("[name=usual]"); s.value = "ollama/qwen3:4b"; s.dispatchEvent(new Event("change", {bubbles: true}))}`))
	g.called(t, `POST /api/models/usual {"model":"ollama/qwen3:4b"}`)
}

func changingKeys(t *testing.T, b *webtest.Browser, g *gateway) {
	g.set(func() { g.place = worksAnswer })
	b.Go(g.URL + "/sample/models")
	b.Do(press("#place-openai [data-do=key]"))
	b.Until(`document.querySelector("#place-key h2").textContent === "Change the key of Work" && document.activeElement.name === "key" && document.activeElement.required`)
	b.Do(chromedp.KeyEvent("sk-2"), chromedp.KeyEvent(kb.Enter))
	g.called(t, `POST /api/models/openai/key {"key":"sk-2"}`)
	g.called(t, `POST /api/models/openai/test {}`)
	b.Until(idle + ` && document.querySelector("#place-key [name=key]").value === ""`)
}

func removingModels(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/models")
	b.Do(press("#place-server [data-do=remove]"))
	b.Until(`document.getElementById("place-remove").open && document.activeElement.value === "no"`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(idle)
	g.set(func() {
		if calls := strings.Join(g.calls, "\n"); strings.Contains(calls, "DELETE") {
			t.Errorf("Enter removed it: %s", calls)
		}
	})
	b.Do(press("#place-server [data-do=remove]"), press("#place-remove [value=yes]"))
	g.called(t, `DELETE /api/models/server`)
	b.Until(idle)
}

func foundAndLimits(t *testing.T, b *webtest.Browser, g *gateway) {
	g.set(func() { g.place = worksAnswer })
	b.Go(g.URL + "/sample/models-empty")
	b.Do(press("[data-find-places]"))
	b.Until(`document.querySelector(".toast")?.textContent.includes("Nothing new runs on this computer.") && ` + idle)
	b.Do(press(".toast .quiet"))
	b.Do(press("[data-found=ollama]"))
	g.called(t, `POST /api/models {"kind":"ollama"}`)
	b.Until(`document.getElementById("place-model").open`)
	b.Do(press("#place-model [value=no]"))
	b.Until(idle)
	b.Do(chromedp.Focus(chromedp.CSS("[name=turn]")), chromedp.KeyEvent("0.25"), chromedp.KeyEvent(kb.Enter))
	g.called(t, `POST /api/models/limits {"turn":0.25,"day":0}`)
}

func chatModel(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-costs")
	if got := b.Eval(`document.getElementById("chat-cost").textContent`); got != "This chat has cost $0.42, the last reply $0.03." {
		t.Errorf("the cost: %q", got)
	}
	b.Do(press(".model summary"))
	b.Until(`document.querySelector("[name=chat-model]").options.length === 3 && document.activeElement.name === "chat-model"`)
	if got := b.Eval(`[...document.querySelectorAll("[name=chat-model] > *")].map(e => e.label).join("; ")`); got != "The usual one: Claude Opus 5.5; Anthropic; Attic can’t be used now" {
		t.Errorf("offered: %s", got)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`{const s = document.querySelector("[name=chat-model]"); s.value = "anthropic/claude-haiku-5"; s.dispatchEvent(new Event("change", {bubbles: true}))}`))
	g.called(t, `POST /api/chats/c1/model {"model":"anthropic/claude-haiku-5"}`)
	b.Until(`!document.querySelector(".model").open`)
	// What changes comes over the socket.
	g.push(t, g.replaced(t, web.ComposerState{Chat: "c1", Model: "Claude Haiku 5"}, 0), g.replaced(t, web.ChatCost{}, 0))
	b.Until(`document.querySelector(".model summary").textContent.includes("Haiku") && document.getElementById("chat-cost").hidden`)
}

// What is picked before the first message goes with it, and outlives a look at the page as it is now.
func newChatModel(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/home-model")
	b.Do(press("#mode summary"), press("#mode input[value=auto]"))
	b.Until(`document.querySelector("#mode summary").getAttribute("aria-label").endsWith(": Auto")`)
	b.Do(press(".model summary"))
	b.Until(`document.activeElement.name === "chat-model"`)
	pick := func(model string) {
		b.Do(chromedp.Evaluate[chromedp.Void](`{const s = document.querySelector("[name=chat-model]"); s.value = "` + model + `"; s.dispatchEvent(new Event("change", {bubbles: true}))}`))
	}
	pick("anthropic/claude-haiku-5")
	b.Until(`document.activeElement.closest("#model") && !document.getElementById("model").open && document.querySelector("#model bdi").textContent === "Claude <b>Haiku</b> 5"`)
	g.set(func() {
		home := g.pages["home-model"].(web.Home)
		home.Model = "Claude Sonnet 5"
		g.pages["home-model"] = home
	})
	b.Eval(`import(document.querySelector("script[type=module]").src.replace(/[^/]*$/, "apply.js")).then(m => m.refresh()).then(() => { window.reread = true })`)
	b.Until(`window.reread && document.querySelector("#mode summary").textContent.includes("Auto") && document.querySelector("#model bdi").textContent === "Claude <b>Haiku</b> 5"`)
	b.Do(press(".model summary"))
	b.Until(`document.activeElement.name === "chat-model" && document.activeElement.value === "anthropic/claude-haiku-5"`)
	pick("")
	b.Until(`document.querySelector("#model bdi").textContent === "Claude Sonnet 5"`)
	b.Do(press(".model summary"))
	b.Until(`document.activeElement.name === "chat-model"`)
	pick("anthropic/claude-haiku-5")
	b.Do(chromedp.SendKeys(chromedp.CSS("#box"), "look"), chromedp.KeyEvent(kb.Enter))
	g.called(t, `POST /api/chats {"text":"look","mode":"auto","model":"anthropic/claude-haiku-5"}`)
	b.Until(`location.pathname === "/chats/c1"`)
	g.set(func() {
		for _, c := range g.calls {
			if strings.Contains(c, "/mode ") || strings.Contains(c, "/model ") {
				t.Errorf("a pick changed something by itself: %s", c)
			}
		}
	})
}

func doing(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-model")
	g.push(t, g.replaced(t, web.Doing{Say: "Waiting for Anthropic, which is busy"}, 0))
	b.Until(`document.getElementById("doing").textContent.includes("which is busy…") && document.getElementById("doing").getBoundingClientRect().top > document.getElementById("stream").lastElementChild.getBoundingClientRect().top`)
	g.push(t, g.replaced(t, web.Doing{}, 0))
	b.Until(`document.getElementById("doing").hidden`)
}

func modelsTouch(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Set(webtest.Looks[2])
	for _, page := range []string{"models", "models-empty", "chat-costs"} {
		b.Go(g.URL + "/sample/" + page)
		small := b.Eval(`[...document.querySelectorAll("main button:not(.switch), main select, main input, .composer summary")]
			.filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 43.5).map(e => e.outerHTML.slice(0, 80)).join("; ")`)
		if small != "" {
			t.Errorf("%s: smaller than a finger: %s", page, small)
		}
	}
}

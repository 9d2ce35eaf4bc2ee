package web_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/net/html"

	"conch/gateway/web"
	"conch/gateway/web/webtest"
)

func palette() web.Palette {
	return web.Palette{Practice: true, Apps: []web.AppName{{ID: "claude-desktop", Name: "Claude Desktop"}, {ID: "cursor", Name: "Cursor"}, {ID: "vscode", Name: "VS Code"}}}
}

// TestPaletteHasEveryPage looks for each page that the rail and Settings lead to, and for each part of a page that the
// palette leads to.
func TestPaletteHasEveryPage(t *testing.T) {
	r := renderer(t)
	var to []string
	for _, p := range palette().Places() {
		to = append(to, p.To)
	}
	links := 0
	for d := range parsed(t, render(t, r, samples()["settings"])).Descendants() {
		class := " " + attribute(d, "class") + " "
		if d.Data != "a" || !strings.Contains(class, " row ") && !strings.Contains(class, " rail-link ") || attribute(d, "data-rail-chat") != "" {
			continue
		}
		links++
		if href := attribute(d, "href"); !slices.Contains(to, href) {
			t.Errorf("the palette doesn't lead to %s", href)
		}
	}
	if links < 8 {
		t.Errorf("only %d links were found", links)
	}
	shows := map[string]string{
		web.PathHome: "home-practice", web.PathSettings: "settings", web.PathComputer: "computer-on", web.PathModels: "models-empty",
		web.PathSkills: "skills-empty", web.PathApps: "apps",
	}
	for _, p := range palette().Places() {
		path, part, _ := strings.Cut(p.To, "#")
		if part == "" || part == "known-claude-desktop" {
			continue
		}
		page := string(render(t, r, samples()[shows[path]]))
		if !strings.Contains(page, `id="`+part+`"`) {
			t.Errorf("%s: %s has no part %q", p.Title, path, part)
		}
	}
}

// Without a page for other apps, or a practice desktop, nothing leads there.
func TestPaletteLeadsOnlyToWhatIsThere(t *testing.T) {
	for _, p := range (web.Palette{}).Places() {
		if strings.HasPrefix(p.To, web.PathApps) || strings.Contains(p.To, "practice") {
			t.Errorf("%s leads to %s", p.Title, p.To)
		}
	}
}

func openPalette(b *webtest.Browser, query string) {
	b.Do(chromedp.KeyEvent("k", chromedp.KeyModifiers(ctrl)))
	b.Until(`document.getElementById("palette").open && document.activeElement.id === "palette-query"`)
	if query != "" {
		b.Do(chromedp.SendKeys(chromedp.CSS("#palette-query"), query))
		b.Until(fmt.Sprintf(`document.getElementById("palette-query").value === %q`, query))
	}
}

const (
	paletteShut  = `!document.getElementById("palette").open`
	activeTitle  = `document.querySelector("#palette-list [aria-selected=true] .palette-title")?.textContent`
	paletteTitle = `[...document.querySelectorAll("#palette-list .palette-title")].map(e => e.textContent).join("|")`
)

// TestPalette goes from place to place by keys, by hand, and where it must not.
func TestPalette(t *testing.T) {
	b := webtest.Open(t)
	for _, c := range []struct {
		name string
		run  func(*testing.T, *webtest.Browser, *gateway)
	}{
		{"keys", paletteKeys},
		{"what it finds", paletteFinds},
		{"to a part of this page", paletteHere},
		{"other ways in", paletteWays},
		{"never over a sheet", paletteSheet},
		{"input methods", paletteComposing},
		{"on a phone", palettePhone},
		{"without the socket", paletteAlone},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := b.For(t)
			g := serve(t)
			b.Set(webtest.Looks[0])
			c.run(t, b, g)
			if faults := b.Faults(); faults != "" && c.name != "without the socket" {
				t.Error(faults)
			}
			b.Go("about:blank")
		})
	}
}

func paletteKeys(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-empty")
	b.Do(chromedp.SendKeys(chromedp.CSS("#box"), "draft"))
	openPalette(b, "")
	press := func(key, title string) {
		t.Helper()
		b.Do(chromedp.KeyEvent(key))
		if got := b.Eval(activeTitle); got != title {
			t.Errorf("%q: %q is active, want %q", key, got, title)
		}
		if same := b.Eval(`document.activeElement.id === "palette-query" && document.activeElement.getAttribute("aria-activedescendant") === document.querySelector("#palette-list [aria-selected=true]").id`); same != "true" {
			t.Errorf("%q: the field doesn't name what is active", key)
		}
	}
	// The page's own chat isn't among the last ones.
	if got, want := b.Eval(paletteTitle), "New chat|Write hello in Mousepad|Add up the receipts in the calculator and write the sum down|Sort the downloads folder|مرحبا بالعالم|Settings|"; !strings.HasPrefix(got, want) {
		t.Errorf("it shows %q, want %q first", got, want)
	}
	press(kb.ArrowDown, "Write hello in Mousepad")
	press(kb.ArrowUp, "New chat")
	press(kb.ArrowUp, "Other apps") // round
	press(kb.Home, "New chat")
	press(kb.End, "Other apps")
	press(kb.ArrowDown, "New chat")

	// Tab stays in.
	b.Do(chromedp.KeyEvent(kb.Tab))
	b.Until(`document.activeElement.dataset.palette === "close"`)
	b.Do(chromedp.KeyEvent(kb.Tab))
	b.Until(`document.activeElement.id === "palette-query"`)

	b.Do(chromedp.SendKeys(chromedp.CSS("#palette-query"), "zzz"))
	b.Until(`!document.getElementById("palette-none").hidden && document.getElementById("palette-list").hidden && document.getElementById("palette-query").ariaExpanded === "false"`)
	b.Until(`document.querySelector("#palette [data-say=polite]").textContent === "Nothing is called that."`)
	b.Do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.ArrowDown))
	if open := b.Eval(`document.getElementById("palette").open && !document.getElementById("palette-query").hasAttribute("aria-activedescendant")`); open != "true" {
		t.Error("something is active where there is nothing")
	}

	// Escape and the keys close it, and the focus is back where it was.
	back := paletteShut + ` && document.activeElement.id === "box" && document.getElementById("box").value === "draft"`
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(back)
	openPalette(b, "")
	if got := b.Eval(`document.getElementById("palette-query").value`); got != "" {
		t.Errorf("it still says %q", got)
	}
	b.Do(chromedp.KeyEvent("k", chromedp.KeyModifiers(ctrl)))
	b.Until(back)
	openPalette(b, "mode")
	b.Until(`document.querySelector("#palette [data-say=polite]").textContent === "1 found."`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(back)

	// Enter goes there.
	openPalette(b, "settings")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`location.pathname === "/settings"`)
	b.Ready()
	openPalette(b, "hello mouse")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`location.pathname === "/chats/c1"`)
	b.Ready()
	g.set(func() {
		if len(g.calls) > 0 {
			t.Errorf("it did something: %q", g.calls)
		}
	})
}

// paletteFinds are words that a person may have for a place.
func paletteFinds(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/home")
	for query, want := range map[string]string{
		"other apps": "Other apps", "Claude Desktop": "Claude Desktop", "cursor": "Cursor", "vs code": "VS Code", "vscode": "VS Code",
		"MCP server": "Other apps", "api key": "Models", "password": "Confirm that it’s you", "phone": "Other devices",
		"memory": "What Conch knows", "fix": "Repair everything", "practice": "Practice desktop", "budget": "What it may cost",
		"history": "Activity", "checkup": "Security checkup", "this comp": "This computer", "receipts": "Add up the receipts in the calculator and write the sum down",
	} {
		openPalette(b, query)
		if got := b.Eval(activeTitle); got != want {
			t.Errorf("%q finds %q first, want %q", query, got, want)
		}
		b.Do(chromedp.KeyEvent(kb.Escape))
	}
	openPalette(b, "a")
	if got := b.Eval(`document.querySelectorAll("#palette-list [role=option]").length`); got != "12" {
		t.Errorf("%s are shown", got)
	}
	b.Until(`/^\d+ found, 12 are shown\.$/.test(document.querySelector("#palette [data-say=polite]").textContent)`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	// A chat is found by the name that it has now.
	g.push(t, g.replaced(t, web.RailChats{Days: []web.RailDay{{Name: "Today", Chats: []web.RailChat{{ID: "c1", Title: "<b>Zebra</b>"}}}}}, 0))
	b.Until(`document.querySelector("#rail-c1 bdi").textContent === "<b>Zebra</b>"`)
	openPalette(b, "zebra")
	if got := b.Eval(activeTitle); got != "<b>Zebra</b>" {
		t.Errorf("%q is active", got)
	}
}

func paletteHere(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Set(webtest.Look{W: 1280, H: 320}) // so low that the part comes to the top
	b.Go(g.URL + "/settings")
	openPalette(b, "confirm")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(paletteShut + ` && location.hash === "#confirm-row" && document.activeElement.id === "confirm-row"`)
	b.Until(`document.getElementById("confirm-row").getBoundingClientRect().top >= document.querySelector(".top").getBoundingClientRect().bottom`)
	g.set(func() {
		if len(g.calls) > 0 {
			t.Errorf("it did something: %q", g.calls)
		}
	})
}

func paletteWays(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/computer-on")
	b.Until(`document.querySelector(".rail-go kbd").textContent === "Ctrl K"`)
	b.Do(chromedp.Click(chromedp.CSS(".rail-go")))
	b.Until(`document.getElementById("palette").open`)
	b.Do(chromedp.Click(chromedp.CSS("#palette [data-palette=close]")))
	b.Until(paletteShut + ` && document.activeElement.classList.contains("rail-go")`)
	openPalette(b, "")
	b.Do(chromedp.MouseClickXY(40, 700)) // beside it
	b.Until(paletteShut)
	// A menu that is open below it stays so.
	b.Go(g.URL + "/sample/chat-empty")
	b.Do(chromedp.Click(chromedp.CSS(".mode summary")))
	openPalette(b, "")
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(paletteShut + ` && document.querySelector("details.mode").open`)
	openPalette(b, "settings")
	b.Do(chromedp.Click(chromedp.CSS(`#palette-list [href="/settings"]`)))
	b.Until(`location.pathname === "/settings"`)
	b.Ready()
	// A layout without Latin letters, and what is another key's.
	key := func(init string) string {
		return b.Eval(`(document.body.dispatchEvent(new KeyboardEvent("keydown", {bubbles: true, cancelable: true, ` + init + `})), document.getElementById("palette").open)`)
	}
	for init, want := range map[string]string{
		`key: "л", code: "KeyK", ctrlKey: true`:                 "true",
		`key: "K", code: "KeyK", ctrlKey: true`:                 "true", // Caps Lock
		`key: "t", code: "KeyK", ctrlKey: true`:                 "false",
		`key: "k", code: "KeyK", metaKey: true`:                 "false",
		`key: "k", code: "KeyK", ctrlKey: true, shiftKey: true`: "false",
		`key: "k", code: "KeyK", ctrlKey: true, repeat: true`:   "false",
		`key: "k", code: "KeyK"`:                                "false",
	} {
		if got := key(init); got != want {
			t.Errorf("%s: open is %s", init, got)
		}
		b.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById("palette").close()`))
	}
	platform(b, "MacIntel")
	defer platform(b, "Linux x86_64")
	b.Go(g.URL + "/sample/home")
	b.Until(`document.querySelector(".rail-go kbd").textContent === "⌘K"`)
	if got := key(`key: "k", code: "KeyK", ctrlKey: true`); got != "false" {
		t.Error("Ctrl+K is an edit on a Mac")
	}
	if got := key(`key: "k", code: "KeyK", metaKey: true`); got != "true" {
		t.Error("⌘K doesn't open it")
	}
}

// platform has the browser say that it is on another kind of computer.
func platform(b *webtest.Browser, name string) {
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return t.Call(ctx, "Emulation.setUserAgentOverride", map[string]any{"userAgent": "test", "platform": name}, nil)
	}))
}

func paletteSheet(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/computer-off")
	b.Do(chromedp.Click(chromedp.CSS("[data-computer-switch]")))
	b.Until(`document.getElementById("computer-confirm").open`)
	b.Do(chromedp.KeyEvent("k", chromedp.KeyModifiers(ctrl)))
	if b.Eval(paletteShut) != "true" {
		t.Error("it opened over a sheet")
	}
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`!document.getElementById("computer-confirm").open`)
	openPalette(b, "")
}

// What an input method does with Enter, the arrows and Escape is its own.
func paletteComposing(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/home")
	openPalette(b, "")
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return t.Call(ctx, "Input.imeSetComposition", map[string]any{"text": "せって", "selectionStart": 3, "selectionEnd": 3}, nil)
	}))
	b.Until(`document.getElementById("palette-query").value === "せって"`)
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return t.Call(ctx, "Input.imeSetComposition", map[string]any{"text": "set", "selectionStart": 3, "selectionEnd": 3}, nil)
	}))
	b.Until(activeTitle + ` === "Settings"`)
	for _, how := range []string{"isComposing: true", "keyCode: 229"} {
		for _, key := range []string{"Enter", "ArrowDown", "Escape", "Tab"} {
			got := b.Eval(`document.getElementById("palette-query").dispatchEvent(new KeyboardEvent("keydown", {bubbles: true, cancelable: true, key: "` + key + `", ` + how + `})) && document.getElementById("palette").open && ` + activeTitle)
			if got != "Settings" {
				t.Errorf("%s with %s: %s", key, how, got)
			}
		}
	}
	b.Do(chromedp.KeyEvent(kb.Escape))
}

func palettePhone(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Set(webtest.Looks[2])
	b.Go(g.URL + "/settings")
	b.Do(chromedp.Click(chromedp.CSS("[data-rail=open]")))
	b.Until(`document.querySelector(".page").inert`)
	b.Settle() // the drawer slides
	b.Do(chromedp.Click(chromedp.CSS(".rail-go")))
	b.Until(`document.getElementById("palette").open && !document.body.hasAttribute("data-rail-open") && document.activeElement.id === "palette-query"`)
	small := b.Eval(`[...document.querySelectorAll("#palette button, #palette [role=option]")].filter(e => e.getBoundingClientRect().height < 43.5).length`)
	if small != "0" {
		t.Errorf("%s are smaller than a finger", small)
	}
	b.Do(chromedp.Click(chromedp.CSS("#palette [data-palette=close]")))
	b.Until(paletteShut + ` && document.activeElement.dataset.rail === "open" && !document.querySelector(".page").inert`)
}

func paletteAlone(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/chat-empty")
	g.set(func() { g.deaf = true })
	g.drop()
	b.Until(`!document.getElementById("offline").hidden`)
	openPalette(b, "settings")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`location.pathname === "/settings"`)
	b.Ready()
}

func parsed(t *testing.T, page []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

package web_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"conch/gateway/web/webtest"
)

// TestMatching asks match.js itself.
func TestMatching(t *testing.T) {
	b := webtest.Open(t)
	g := serve(t)
	b.Go(g.URL + "/sample/home")
	b.Do(chromedp.Evaluate[chromedp.Void](`import("/static/match.js").then(m => { window.match = m; })`, chromedp.EvalAwaitPromise))
	b.Until(`window.match`)
	for _, c := range []struct{ query, things, want string }{
		{"mod", "Models|Other", "Models"},
		{"MODELS", "models", "models"},
		{"odel", "Models", "Models"},
		{"zzz", "Models", ""},
		{"", "Models", ""},
		{" - ", "Models", ""},
		{"api key", "Skills|Models=API key", "Models"},
		{"key api", "Models=API key", "Models"},              // in any order
		{"api zebra", "Models=API key", ""},                  // every word
		{"cafe", "Café Zoë|Cafeteria", "Café Zoë|Cafeteria"}, // accents don't count, nor do they in what is typed
		{"ZOË", "Zoe", "Zoe"},
		{"strasse", "Straße", "Straße"},
		{"oredev", "Øredev", "Øredev"},
		{"οδος", "ΟΔΟΣ", "ΟΔΟΣ"},
		{"its you", "Confirm that it’s you", "Confirm that it’s you"},
		{"it's", "Confirm that it’s you", "Confirm that it’s you"},
		{"مرحبا", "مرحبا بالعالم", "مرحبا بالعالم"},
		{"мир", "Привет, мир 👋", "Привет, мир 👋"},
		{"👋", "Привет 👋", "Привет 👋"},
		{"語", "日本語", "日本語"},
		{"mcp-server", "Other apps=MCP server", "Other apps"},
		// The better first: the whole title, its start, a word's start, inside it.
		{"app", "Whatsapp|Mine=what happened|Use your apps|Apps|Other=apps|App", "App|Apps|Use your apps|Other|Whatsapp"},
		{"use app", "Because of apps|Use your apps", "Use your apps|Because of apps"},
		// What fits equally well keeps its order.
		{"chat", "chat b|chat a|chat c", "chat b|chat a|chat c"},
	} {
		got := b.Eval(fmt.Sprintf(`window.match.best(%q, %q.split("|").map(t => ({title: t.split("=")[0], words: t.split("=")[1] ?? ""}))).map(t => t.title).join("|")`, c.query, c.things))
		if got != c.want {
			t.Errorf("%q among %q: %q, want %q", c.query, c.things, got, c.want)
		}
	}
}

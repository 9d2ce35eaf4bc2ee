package web_test

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"conch/gateway/web/webtest"
)

// TestScreens looks at every page at 390 and 1280 px, light and dark.
func TestScreens(t *testing.T) {
	b := webtest.Open(t)
	g := serve(t)
	g.set(func() { g.shot = 5 })
	var stops []webtest.Stop
	for name := range g.pages {
		stop := webtest.Stop{Name: name, URL: g.URL + "/sample/" + name}
		if name == "home-practice" || name == "chat-stopped" {
			stop.Before = func(b *webtest.Browser) { b.Until(`document.getElementById("practice").dataset.state === "ready"`) }
		}
		stops = append(stops, stop)
	}
	click := func(css string) func(*webtest.Browser) {
		return func(b *webtest.Browser) { b.Do(chromedp.Click(chromedp.CSS(css))) }
	}
	stops = append(
		stops,
		webtest.Stop{Name: "sheet", URL: g.URL + "/sample/computer-off", Before: click("[data-computer-switch]")},
		webtest.Stop{Name: "removing", URL: g.URL + "/sample/computer-on", Before: click("[data-remove-app]")},
		webtest.Stop{Name: "add-models", URL: g.URL + "/sample/models-empty", Before: click("[data-add-place]")},
		webtest.Stop{Name: "model-menu", URL: g.URL + "/sample/chat-costs", Before: func(b *webtest.Browser) {
			b.Do(chromedp.Click(chromedp.CSS(".model summary")))
			b.Until(`!document.querySelector("select[name=chat-model]").disabled`)
		}},
		webtest.Stop{Name: "confirm", URL: g.URL + "/sample/home", Before: func(b *webtest.Browser) {
			b.Eval(`document.getElementById("confirm-you").showModal(), document.querySelector("#confirm-you details").open = true`)
		}},
		webtest.Stop{Name: "mode", URL: g.URL + "/sample/chat-empty", Before: click(".mode summary")},
		webtest.Stop{Name: "words", URL: g.URL + "/sample/home", Before: click(".words summary")},
		webtest.Stop{Name: "drawer", URL: g.URL + "/sample/home", Only: "390-light", Before: click("[data-rail=open]")},
		webtest.Stop{Name: "drawer", URL: g.URL + "/sample/home", Only: "390-dark", Before: click("[data-rail=open]")},
	)
	for name, query := range map[string]string{"palette": "", "palette-found": "app", "palette-none": "elephant"} {
		stops = append(stops, webtest.Stop{Name: name, URL: g.URL + "/sample/chat-empty", Before: func(b *webtest.Browser) { openPalette(b, query) }})
	}
	slices.SortFunc(stops, func(a, b webtest.Stop) int { return len(a.Name) - len(b.Name) })
	webtest.Walk(t, b, stops)
}

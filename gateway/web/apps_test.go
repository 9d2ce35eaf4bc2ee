package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"conch/gateway/web"
	"conch/gateway/web/webtest"
)

func appScopes() []web.AppScope {
	return []web.AppScope{
		{ID: "memory.read", Name: "What Conch knows", About: "It looks facts about you up."},
		{ID: "memory.write", Name: "Suggest memories", About: "Each one waits for your OK."},
		{ID: "skills", Name: "Skills", About: "It reads how you want work done."},
		{ID: "computer", Name: "Use your apps", About: "Under the glowing edge, asking you as in a chat."},
		{ID: "browser", Name: "The browser", Later: true},
		{ID: "app:", Name: "Apps such as mail and calendar", Later: true},
	}
}

func pairedCursor() *web.PairedApp {
	return &web.PairedApp{ID: "p1", Name: "Cursor", Uses: []string{"What Conch knows", "Skills"}, Scopes: []string{"memory.read", "skills"}, Mode: web.ModeAsk, Since: noon, Log: "c7"}
}

func appList() web.AppList {
	zed := &web.PairedApp{ID: "p2", Name: "Zed", Mode: web.ModeAuto, Uses: []string{"Use your apps"}, Scopes: []string{"computer"}, Since: noon}
	return web.AppList{
		Fixed: []string{"The settings of Zed started Conch from where it no longer is, and now point to where it is."},
		Found: []web.AppRow{
			{App: "claude-desktop", Name: "Claude Desktop", State: web.AppReopen, Paired: &web.PairedApp{ID: "p0", Name: "Claude Desktop", Mode: web.ModeAsk, Since: noon}},
			{App: "cursor", Name: "Cursor", State: web.AppOn, Paired: pairedCursor()},
			{App: "zed", Name: "Zed", State: web.AppLost, Say: "Conch’s lines are gone from them.", Paired: zed},
			{App: "vscode", Name: "VS Code", State: web.AppConnect},
			{App: "goose", Name: "Goose", State: web.AppOff, Say: "Switch Conch on in Goose.", Paired: &web.PairedApp{ID: "p5", Name: "Goose", Mode: web.ModePlan, Since: noon}},
			{App: "lm-studio", Name: "LM Studio", State: web.AppWaits, Say: "Say yes in LM Studio, where it asks to add Conch.", Paired: &web.PairedApp{ID: "p6", Name: "LM Studio", Mode: web.ModeAsk, Since: noon}},
		},
		Away: []string{"Claude Code", "Windsurf", "Codex"},
		Others: []web.PairedApp{
			{ID: "p3", Name: "Home <b>lab</b> مرحبا", HTTP: true, Remote: true, Uses: []string{"Skills"}, Scopes: []string{"skills"}, Mode: web.ModeAsk, Since: noon},
			{ID: "p4", Name: "An editor of mine", Mode: web.ModeTrust, Since: noon},
		},
		Elsewhere: web.AppsElsewhere{URL: "https://conch.example.org:4779", On: true},
	}
}

func needsOK() web.NeedsOK {
	return web.NeedsOK{Questions: []web.AppQuestion{
		{ID: "q1", App: "Claude Desktop", What: "Use Mousepad on your computer?", Why: "Typing “hello”. It hasn’t used Mousepad yet.", Chat: "c7"},
		{ID: "q2", App: "Cursor", What: "Suggest a memory?", Chat: "c8", Late: true, Until: at(600)},
	}}
}

func appSamples(frame web.Frame) map[string]web.PageView {
	needs := frame
	needs.Needs = needsOK()
	return map[string]web.PageView{
		"apps":        web.OtherApps{Frame: frame, List: appList(), Scopes: appScopes()},
		"apps-first":  web.OtherApps{Frame: frame, List: web.AppList{Away: []string{"Claude Desktop", "Cursor"}}, Scopes: appScopes()},
		"apps-broken": web.OtherApps{Frame: frame, List: web.AppList{Problem: "The list of paired apps can’t be read, so none is let in.", Found: appList().Found[3:4]}, Scopes: appScopes()},
		"needs-ok":    web.Home{Frame: needs, Computer: web.Computer{On: true, Screen: web.Screen{Ready: true}}},
	}
}

func appParts() map[string]web.PartView {
	return map[string]web.PartView{"apps": appList(), "apps none": web.AppList{}, "needs": needsOK(), "needs none": web.NeedsOK{}}
}

func TestAppParts(t *testing.T) { checkParts(t, "testdata/apps.txtar", appParts()) }

// TestOtherAppsPage connects, changes and removes as a person does.
func TestOtherAppsPage(t *testing.T) {
	b := webtest.Open(t)
	b.Set(webtest.Looks[2])
	g := serve(t)
	g.set(func() {
		g.answer = map[string]string{
			"/api/other-apps/plan": `{"plan":"new1","file":"/home/ada/.config/Code/User/mcp.json","create":true,"lines":"\"conch\": {}","first":"","link":true,"bundle":false}`,
			"/api/other-apps":      `{"id":"new1","say":"VS Code is connected."}`,
			"/api/other-apps/p1":   `{"say":"Cursor was removed.","next":""}`,
		}
	})
	called := func(call string) {
		t.Helper()
		g.until(t, call, func() bool {
			for _, c := range g.calls {
				if strings.HasPrefix(c, call) {
					return true
				}
			}
			return false
		})
	}
	b.Go(g.URL + "/sample/apps")
	b.Do(chromedp.Click(chromedp.CSS(`[data-connect-app="vscode"]`)))
	b.Until(`document.getElementById("app-sheet").open && document.querySelector("[data-plan=lines]").textContent.includes("conch")`)
	if got := b.Eval(`document.querySelectorAll("#app-sheet [name=scope]:checked").length`); got != "0" {
		t.Errorf("%s scopes are ticked before the person did", got)
	}
	b.Do(chromedp.Click(chromedp.CSS(`#app-sheet [value="memory.read"]`)), chromedp.Click(chromedp.CSS(`#app-sheet [value="yes"]`)))
	called(`POST /api/other-apps {"plan":"new1","way":"settings","scopes":["memory.read"],"mode":"ask"}`)
	b.Until(`!document.getElementById("app-sheet").open && document.getElementById("toasts").textContent.includes("VS Code is connected.")`)

	// An app that sends its key: the key shows once, and goes with the sheet.
	g.set(func() {
		g.answer["/api/other-apps"] = `{"id":"n2","say":"Lab is paired.","address":"http:` + `//127.0.0.1:4778/mcp","header":"Authorization: Bearer cmcp.x.y"}`
	})
	b.Do(chromedp.Click(chromedp.CSS(`[data-add-app]`)))
	b.Until(`document.getElementById("app-sheet").open`)
	b.Do(chromedp.SendKeys(chromedp.CSS(`#app-sheet [name=name]`), "Lab"), chromedp.Click(chromedp.CSS(`#app-sheet [value=http]`)), chromedp.Click(chromedp.CSS(`#app-sheet [value="yes"]`)))
	called(`POST /api/other-apps {"way":"http","name":"Lab","scopes":[],"mode":"ask"}`)
	b.Until(`document.getElementById("app-done").open && document.getElementById("app-header").textContent.includes("cmcp.")`)
	b.Do(chromedp.Click(chromedp.CSS(`#app-done [value="yes"]`)))
	b.Until(`!document.body.innerHTML.includes("cmcp.")`)

	// What is refused stays in the sheet, with what to do.
	g.set(func() {
		g.fail["/api/other-apps/p1"] = `{"code":"invalid","say":"That mode isn’t known.","next":"Pick another."}`
	})
	b.Do(chromedp.Click(chromedp.CSS(`[data-change-app="p1"]`)))
	b.Until(`document.querySelector('#app-sheet [value="skills"]').checked && document.getElementById("app-sheet-title").textContent.includes("Cursor")`)
	b.Do(chromedp.Click(chromedp.CSS(`#app-sheet [value="yes"]`)))
	b.Until(`document.querySelector("#app-sheet .wrong").textContent === "That mode isn’t known. Pick another."`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`!document.getElementById("app-sheet").open`)

	g.set(func() { delete(g.fail, "/api/other-apps/p1") })
	b.Do(chromedp.Click(chromedp.CSS(`[data-remove-paired="p1"]`)))
	b.Until(`document.getElementById("app-remove").open`)
	b.Do(chromedp.Click(chromedp.CSS(`#app-remove [value="yes"]`)))
	called("DELETE /api/other-apps/p1")
	b.Until(`document.getElementById("toasts").textContent.includes("Cursor was removed.")`)

	// A question of another app comes to any page, and is answered there.
	b.Go(g.URL + "/sample/settings")
	g.push(t, g.replaced(t, needsOK(), 0))
	b.Until(`document.getElementById("assertive").textContent.includes("Cursor needed your OK")`)
	b.Do(chromedp.Click(chromedp.CSS(`#needs-q2 [data-choice="once"]`)))
	called(`POST /api/questions/q2 {"choice":"once"}`)
}

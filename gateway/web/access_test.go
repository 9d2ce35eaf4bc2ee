package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"conch/gateway/web"
	"conch/gateway/web/webtest"
)

// TestSigningIn is a browser elsewhere: a wrong password, too many, the right one, waiting, and going on by itself.
func TestSigningIn(t *testing.T) {
	b := webtest.Open(t)
	b.Set(webtest.Looks[2])
	g := serve(t)
	url := g.URL + "/sample/signin"
	g.set(func() {
		g.device = "" // 401
		g.fail["/api/sign-in"] = `{"code":"not-you","say":"That isn’t the password.","next":"Try again."}`
	})
	press := func(word string) {
		t.Helper()
		b.Do(chromedp.SetValue(chromedp.CSS("#signin-form input"), word), chromedp.Click(chromedp.CSS("#signin-form button")))
	}
	shows := func(css, words string) {
		t.Helper()
		b.Until(`document.querySelector("` + css + `").textContent.includes("` + words + `")`)
	}

	b.Go(url)
	press("guess")
	shows("#signin-wrong", "That isn’t the password. Try again.")
	g.set(func() {
		g.fail["/api/sign-in"] = `{"code":"too-many","say":"Too many wrong passwords.","next":"Wait a few minutes, then try again."}`
	})
	press("guess")
	shows("#signin-wrong", "Wait a few minutes")
	g.set(func() { delete(g.fail, "/api/sign-in"); g.device = `{"state":"waiting","number":"0417"}` })
	press("correct horse")
	shows("#signin-number", "0417")
	b.Until(`document.getElementById("signin-form").hidden && !document.getElementById("signin-wait").hidden`)
	if got := b.Eval(`document.querySelector("#signin-form input").value`); got != "" {
		t.Error("the password stays in the page")
	}
	g.set(func() { g.device = "" }) // it was refused
	shows("#signin-wrong", "This device was not let in")
	g.set(func() { g.device = `{"state":"waiting","number":"0417"}` })
	press("correct horse")
	b.Until(`!document.getElementById("signin-wait").hidden`)
	g.set(func() {
		g.pages["signin"] = g.pages["home"] // what the address shows to a device that was let in
		g.device = `{"state":"in","number":"0417"}`
	})
	b.Until(`document.getElementById("rail") !== null`)
	if faults := b.Faults(); faults != "" {
		t.Error(faults)
	}
}

// TestOtherDevices turns the address on, lets a device in, and removes one.
func TestOtherDevices(t *testing.T) {
	b := webtest.Open(t)
	b.Set(webtest.Looks[0])
	g := serve(t)
	g.set(func() {
		g.pages["devices-first"] = web.DevicesPage{Address: web.Address{Local: true, Password: true}, Devices: web.Devices{Local: true}}
	})
	b.Go(g.URL + "/sample/devices-first")
	click := func(css string) { t.Helper(); b.Do(chromedp.Click(chromedp.CSS(css))) }
	g.set(func() {
		g.fail["/api/address"] = `{"code":"invalid","say":"The certificate isn’t for conch.test.","next":"Use one that is."}`
	})
	click("[data-address-switch]")
	b.Do(
		chromedp.SetValue(chromedp.CSS("#address-set [name=name]"), "conch.test"),
		chromedp.SetValue(chromedp.CSS("#address-set [name=certificate]"), "/a.pem"),
		chromedp.SetValue(chromedp.CSS("#address-set [name=key]"), "/b.pem"),
	)
	click("#address-set .primary")
	b.Until(`document.querySelector("#address-set .wrong").textContent.includes("isn’t for conch.test")`)
	g.set(func() { g.fail["/api/address"] = `{"code":"confirm-password","say":"Confirm that it’s you first."}` })
	click("#address-set .primary")
	b.Until(`document.getElementById("confirm-you").open`)
	g.set(func() { delete(g.fail, "/api/address") })
	b.Do(chromedp.SetValue(chromedp.CSS("#confirm-you input"), "correct horse"))
	click("#confirm-you .primary")
	g.called(t, `POST /api/confirm {"what":"address","password":"correct horse"}`)
	b.Until(`!document.getElementById("address-set").open`)
	g.called(t, `POST /api/address {"name":"conch.test","port":0,"proxy":false,"certificate":"/a.pem","key":"/b.pem"}`)
	click("[data-set-password]")
	b.Do(chromedp.SetValue(chromedp.CSS("#password-set input"), "another horse"))
	click("#password-set .primary")
	g.called(t, `POST /api/password {"password":"another horse"}`)
	b.Until(`!document.getElementById("password-set").open`)

	g.set(func() { g.pages["devices-first"] = g.pages["devices"] })
	b.Go(g.URL + "/sample/devices-first")
	click("[data-let-in=d3]")
	g.called(t, "POST /api/devices/d3 {}")
	click("[data-refuse-device=d3]")
	g.called(t, "DELETE /api/devices/d3")
	click("[data-remove-device=d1]")
	g.called(t, "DELETE /api/devices/d1")
	click("[data-address-switch]")
	g.called(t, "DELETE /api/address")
	b.Until(`!document.querySelector("[aria-busy=true]")`)
	if faults := b.Faults(); faults != "" && !strings.Contains(faults, "409") {
		t.Error(faults)
	}
	// A device that waits shows as soon as it does.
	none := devices()
	none.Waiting = append(none.Waiting, web.Device{ID: "d9", Name: "Edge on Windows", Number: "3141", From: "192.168.1.24", Since: noon})
	u, err := renderer(t).Replace(none, 0)
	if err != nil {
		t.Fatal(err)
	}
	g.push(t, u)
	b.Until(`document.querySelector("[data-let-in=d9]")`)
}

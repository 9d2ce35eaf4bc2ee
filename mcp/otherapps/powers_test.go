package otherapps

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"conch/gateway/access"
	"conch/gateway/chat"
	"conch/mcp/pair"
)

// A script with Conch's own key, a program without any, and the assistant can pair nothing and widen nothing.
func TestPowersArePagesOnly(t *testing.T) {
	r := newRig(t)
	r.write("cursor", cursorHad)
	var p planAnswer
	r.press("POST", "/api/other-apps/plan", `{"app":"cursor"}`, http.StatusOK, &p)
	key, err := r.dir.Secret("here/key", access.KeySize)
	if err != nil {
		t.Fatal(err)
	}
	script := http.Header{access.HeaderHere: {access.EncodeKey(key)}}
	pairs := `{"plan":"` + p.Plan + `","way":"settings","scopes":[],"mode":"ask"}`
	other := `{"way":"http","name":"x","scopes":[],"mode":"ask"}`
	plain := &http.Client{Transport: &http.Transport{}}
	defer plain.CloseIdleConnections()
	for _, body := range []string{pairs, other} {
		if status, data := r.do(plain, "POST", "/api/other-apps", body, script); status != http.StatusForbidden || !strings.Contains(data, "page-only") {
			t.Errorf("a script pairs: %d %s", status, data)
		}
		if status, _ := r.do(plain, "POST", "/api/other-apps", body, nil); status != http.StatusUnauthorized {
			t.Errorf("anybody pairs: %d", status)
		}
	}
	c, _, err := r.reg.Pair(pair.Client{Name: "Lab", Kind: pair.HTTP, Mode: "ask", Scopes: []string{pair.Skills}})
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{"scopes":["skills","computer"],"mode":"ask"}`, `{"scopes":["skills"],"mode":"auto"}`, `{"scopes":["skills"],"mode":"ask","remote":true}`,
	} {
		if status, data := r.do(plain, "POST", "/api/other-apps/"+c.ID, body, script); status != http.StatusForbidden {
			t.Errorf("a script widens with %s: %d %s", body, status, data)
		}
	}
	if status, _ := r.do(plain, "POST", "/api/other-apps/elsewhere", `{"on":true}`, script); status != http.StatusForbidden {
		t.Errorf("a script lets apps in: %d", status)
	}
	if status, _ := r.do(plain, "GET", "/api/other-apps/"+c.ID+"/bundle", "", script); status != http.StatusForbidden {
		t.Errorf("a script downloads: %d", status)
	}
	if now, _ := r.reg.Get(c.ID); now.Mode != "ask" || now.Remote || len(now.Scopes) != 1 || len(r.reg.List()) != 1 || r.reg.Elsewhere() {
		t.Fatalf("%+v, %v", now, r.reg.List())
	}
	for _, tool := range r.gw.KnownTools() {
		if strings.Contains(tool.Name+string(tool.Schema), "pair") {
			t.Errorf("the tool %s pairs", tool.Name)
		}
	}
	// Taking away needs no more than a sign-in.
	if status, data := r.do(plain, "POST", "/api/other-apps/"+c.ID, `{"scopes":[],"mode":"plan"}`, script); status != http.StatusNoContent {
		t.Errorf("a script narrows: %d %s", status, data)
	}
	if status, data := r.do(plain, "DELETE", "/api/other-apps/"+c.ID, "", script); status != http.StatusOK {
		t.Errorf("a script removes: %d %s", status, data)
	}
}

// power is something that lets an app in or gives it more.
type power struct {
	name string
	path string
	body func() string
	want int // what is answered to who confirmed
}

// powers are all of them: each way to pair, connecting again, and each step that widens lab, which has skills and asks.
func (r *rig) powers(lab string) (all []power) {
	planned := func(app, way string) func() string {
		return func() string {
			var p planAnswer
			r.press("POST", "/api/other-apps/plan", `{"app":"`+app+`"}`, http.StatusOK, &p)
			return `{"plan":"` + p.Plan + `","way":"` + way + `","scopes":["skills"],"mode":"ask"}`
		}
	}
	plain := func(body string) func() string { return func() string { return body } }
	pairs := func(name string, body func() string) {
		all = append(all, power{name: name, path: "/api/other-apps", body: body, want: http.StatusOK})
	}
	pairs("connect", planned("cursor", "settings"))
	pairs("connect again", planned("cursor", "settings"))
	pairs("a link", planned("lm-studio", "link"))
	pairs("a bundle", planned("claude-desktop", "bundle"))
	pairs("by hand", planned("zed", "hand"))
	pairs("another app", plain(`{"way":"launcher","name":"Editor","scopes":[],"mode":"plan"}`))
	pairs("another app with a key", plain(`{"way":"http","name":"Far","scopes":[],"mode":"plan"}`))
	widens := func(name, body string) {
		all = append(all, power{name: name, path: "/api/other-apps/" + lab, body: plain(body), want: http.StatusNoContent})
	}
	for _, scope := range []string{pair.MemoryRead, pair.MemoryWrite, pair.Computer} {
		widens("the scope "+scope, `{"scopes":["skills","`+scope+`"],"mode":"ask"}`)
	}
	widens("one scope for another", `{"scopes":["computer"],"mode":"plan"}`)
	for _, mode := range []chat.Mode{chat.Auto, chat.Trust} {
		widens("the mode "+string(mode), `{"scopes":["skills"],"mode":"`+string(mode)+`"}`)
	}
	widens("the address, for one app", `{"scopes":["skills"],"mode":"ask","remote":true}`)
	return append(all, power{ // there is no address here, which is said to who confirmed
		name: "the address, for apps", path: "/api/other-apps/elsewhere", body: plain(`{"on":true}`), want: http.StatusBadRequest,
	})
}

// Pairing and widening always take a confirmation, whether or not the person turned on that they are asked; and only
// one of the last ten minutes, from the same browser. What is refused changes nothing.
func TestPowersAreConfirmed(t *testing.T) {
	r := openRig(t, nil)
	cursor := r.write("cursor", cursorHad)
	r.write("lm-studio", `{}`)
	r.write("zed", `{ oops`)
	lab, _, err := r.reg.Pair(pair.Client{Name: "Lab", Kind: pair.HTTP, Mode: chat.Ask, Scopes: []string{pair.Skills}})
	if err != nil {
		t.Fatal(err)
	}
	stand := func() string { return fmt.Sprintf("%+v %v %s", r.reg.List(), r.reg.Elsewhere(), r.read(cursor)) }
	refused := func(when, code string) {
		t.Helper()
		before := stand()
		for _, p := range r.powers(lab.ID) {
			status, data := r.do(r.page, "POST", p.path, p.body(), nil)
			if status != http.StatusForbidden || !strings.Contains(data, `"code":"`+code+`"`) {
				t.Errorf("%s, %s: %d %s", when, p.name, status, data)
			}
		}
		if after := stand(); after != before {
			t.Fatalf("%s: it was %s\nand is %s", when, before, after)
		}
	}
	refused("without a password", "confirm-set")
	r.press("POST", "/api/password", `{"password":"correct horse"}`, http.StatusNoContent, nil)
	refused("with a password that nobody gave", "confirm-password")
	r.press("POST", "/api/password", `{"password":"another horse"}`, http.StatusForbidden, nil)

	confirmed := r.page
	confirm := func() {
		t.Helper()
		r.press("POST", "/api/confirm", `{"what":"pair","password":"correct horse"}`, http.StatusNoContent, nil)
	}
	confirm()
	r.page = r.browser()
	refused("from another browser", "confirm-password")
	r.page = confirmed
	r.later.Store(int64(10 * time.Minute))
	refused("after ten minutes", "confirm-password")

	confirm()
	for _, p := range r.powers(lab.ID) {
		if status, data := r.do(r.page, "POST", p.path, p.body(), nil); status != p.want {
			t.Errorf("%s, confirmed: %d %s", p.name, status, data)
		}
		if _, err := r.reg.Change(lab.ID, func(c *pair.Client) { *c = lab }, func(_, _ pair.Client) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.reg.List()); n != 7 { // Lab, and each that was paired, Cursor once
		t.Errorf("%d apps are paired", n)
	}
}

// Narrowing and removing need only a sign-in: no password is asked for, and none is set.
func TestNarrowingAsksNothing(t *testing.T) {
	r := openRig(t, nil)
	lab, _, err := r.reg.Pair(pair.Client{Name: "Lab", Kind: pair.HTTP, Mode: chat.Trust, Remote: true, Scopes: []string{pair.Skills, pair.Computer}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.reg.SetElsewhere(true); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{"scopes":["skills","computer"],"mode":"trust","remote":true}`, // the same
		`{"scopes":["skills"],"mode":"trust","remote":true}`,
		`{"scopes":["skills"],"mode":"auto","remote":true}`,
		`{"scopes":["skills"],"mode":"ask","remote":false}`,
		`{"scopes":[],"mode":"plan"}`,
	} {
		r.press("POST", "/api/other-apps/"+lab.ID, body, http.StatusNoContent, nil)
	}
	r.press("POST", "/api/other-apps/elsewhere", `{"on":false}`, http.StatusNoContent, nil)
	r.press("DELETE", "/api/other-apps/"+lab.ID, "", http.StatusOK, nil)
	if len(r.reg.List()) != 0 || r.reg.Elsewhere() {
		t.Errorf("%v %v", r.reg.List(), r.reg.Elsewhere())
	}
}

// browser is another of the person's own.
func (r *rig) browser() *http.Client {
	r.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		r.t.Fatal(err)
	}
	c := &http.Client{Jar: jar, Transport: &http.Transport{}}
	r.t.Cleanup(c.CloseIdleConnections)
	if status, data := r.do(c, "POST", "/api/here", `{"code":"`+r.gw.NewCode()+`"}`, nil); status != http.StatusNoContent {
		r.t.Fatal(status, data)
	}
	return c
}

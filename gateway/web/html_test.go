package web_test

import (
	"bytes"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"conch/gateway/engine/byhand"
	"conch/gateway/web"
	"conch/gateway/web/webtest"
)

// pagePaths are the pages that pages link to, as the gateway serves them.
var pagePaths = []string{
	"GET " + web.PathHome + "{$}", "GET " + web.PathChat + "{id}", "GET " + web.PathSettings,
	"GET " + web.PathComputer, "GET " + web.PathDevices, "GET " + web.PathActivity, "GET " + web.PathCheckup, "GET " + web.PathRepair, "GET " + web.PathStatic,
	"GET " + web.PathApps, "GET " + web.PathMemory, "GET " + web.PathModels, "GET " + web.PathSkills, "GET " + web.PathSkills + "/{name}",
}

func served() func(method, path string) bool {
	return webtest.Served(slices.Concat(web.Endpoints, web.AppEndpoints, pagePaths)...)
}

func renderer(t *testing.T) *web.Renderer {
	t.Helper()
	r, err := web.New(web.Assets())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func render(t *testing.T, r *web.Renderer, v web.PageView) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.Page(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPagesAreClean(t *testing.T) {
	r := renderer(t)
	for name, v := range samples() {
		webtest.CheckHTML(t, name, render(t, r, v), true, served())
	}
}

func TestPartsAreClean(t *testing.T) {
	r := renderer(t)
	all := parts()
	maps.Copy(all, assistantParts())
	maps.Copy(all, appParts())
	maps.Copy(all, modelParts())
	for name, v := range all {
		part, err := r.Part(v)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		webtest.CheckHTML(t, name, part, false, served())
		one := elements(t, part)
		if len(one) != 1 {
			t.Errorf("%s: a part is one element, this is %d", name, len(one))
			continue
		}
		if got := id(one[0]); got != v.ElementID() {
			t.Errorf("%s: the element's id is %q, its view says %q", name, got, v.ElementID())
		}
	}
}

// The checker itself must see each fault, or a clean page proves nothing.
func TestCheckerSeesFaults(t *testing.T) {
	for name, source := range map[string]string{
		"external script":   `<script src="https://cdn.test/x.js"></script>`,
		"other scheme":      `<img alt="" src="//cdn.test/x.png">`,
		"inline script":     `<script>1</script>`,
		"inline style":      `<p style="color:red">x</p>`,
		"style element":     `<style>p{}</style>`,
		"handler":           `<p onclick="x()">x</p>`,
		"unnamed button":    `<button type="button"><svg></svg></button>`,
		"unnamed input":     `<input type="text">`,
		"picture, no words": `<img src="/static/x.svg">`,
		"double id":         `<p id="a">x</p><p id="a">y</p>`,
		"unknown path":      `<a href="/nowhere">x</a>`,
		"unknown endpoint":  `<form method="post" action="/api/nothing"></form>`,
		"dangling label":    `<p aria-labelledby="gone">x</p>`,
		"refused value":     `<a href="#ZgotmplZ">x</a>`,
		"submit by default": `<button>x</button>`,
	} {
		if len(webtest.Faults([]byte(source), false, served())) == 0 {
			t.Errorf("%s: not seen", name)
		}
	}
}

func TestEveryElementOfTheContractIsInAPage(t *testing.T) {
	r := renderer(t)
	chat := string(render(t, r, samples()["chat-running"]))
	computer := string(render(t, r, samples()["computer-on"]))
	for _, v := range []web.PartView{web.RailChats{}, web.Asking{}, web.Live{}, web.ComposerState{}, web.Doing{}, web.ChatCost{}} {
		if !strings.Contains(chat, `id="`+v.ElementID()+`"`) {
			t.Errorf("a chat has no %q to replace", v.ElementID())
		}
	}
	for _, v := range []web.PartView{web.Switch{}, web.Screen{}, web.Pause{}, web.Switches{}, web.AllowedApps{}} {
		if !strings.Contains(computer, `id="`+v.ElementID()+`"`) {
			t.Errorf("the settings have no %q to replace", v.ElementID())
		}
	}
	for _, to := range []string{web.IDStream, web.StepsID("t1")} {
		if !strings.Contains(chat, `id="`+to+`"`) {
			t.Errorf("a chat has no %q to append to", to)
		}
	}
}

// Each path that a script names is one that the gateway serves, and each endpoint is called by something.
func TestScriptsCallOnlyWhatIsServed(t *testing.T) {
	known := served()
	var all strings.Builder
	eachStatic(t, ".js", func(name, text string) {
		all.WriteString(text)
		for _, p := range webtest.Paths(text) {
			ok := false
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
				ok = ok || known(method, p)
			}
			if !ok {
				t.Errorf("%s calls %s, which nobody serves", name, p)
			}
		}
		for _, no := range []string{"eval(", "new Function", "document.write", "http://", "https://", "localStorage", "insertAdjacentHTML"} {
			if strings.Contains(text, no) {
				t.Errorf("%s has %s", name, no)
			}
		}
		if strings.Count(text, "innerHTML") > 0 && name != "apply.js" {
			t.Errorf("%s sets HTML; only apply.js may, with what the gateway rendered", name)
		}
	})
	eachTemplate(t, func(_, text string) { all.WriteString(text) })
	for _, e := range slices.Concat(web.Endpoints, web.AppEndpoints) {
		_, p, _ := strings.Cut(e, " ")
		fixed, _, _ := strings.Cut(p, "{")
		if !strings.Contains(all.String(), fixed) {
			t.Errorf("nothing calls %s", e)
		}
	}
}

func TestScriptPathsAreFound(t *testing.T) {
	got := webtest.Paths("call(\"POST\", \"/api/chats\"); fetch(`/api/questions/${id(q)}`); new URL('/live', x); a = b / c; \"/\"")
	want := []string{"/api/chats", "/api/questions/x", "/live", "/"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestStylesStayHere(t *testing.T) {
	eachStatic(t, ".css", func(name, text string) {
		for _, no := range []string{"url(", "@import", "backdrop-filter", "blur(", "http:", "https:"} {
			if strings.Contains(text, no) {
				t.Errorf("%s has %s", name, no)
			}
		}
		// Colours are tokens; only the sheet's shade and a dot's line are worked out in place.
		if name != "tokens.css" && strings.Count(text, "oklch(") > 4 {
			t.Errorf("%s has colours of its own", name)
		}
	})
}

// What the pages say can be typed is what the engine without a model reads.
func TestWordsCanBeRead(t *testing.T) {
	page := render(t, renderer(t), web.Home{})
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for d := range root.Descendants() {
		words := ""
		if d.Data == "dt" {
			words = visible(t, []byte(d.FirstChild.Data))
		}
		for _, a := range d.Attr {
			if a.Key == "data-try" {
				words = a.Val
			}
		}
		if words == "" {
			continue
		}
		n++
		if steps, err := byhand.Parse(words); err != nil || len(steps) == 0 {
			t.Errorf("%q: %v", words, err)
		}
	}
	if n < 10 {
		t.Errorf("only %d suggestions found", n)
	}
}

func TestHostileWords(t *testing.T) {
	const evil = "</p></textarea><script>alert(1)</script><img src=x onerror=alert(1)>\"'` onclick=x \u202Egnp.exe {{.}} javascript:alert(1)"
	r := renderer(t)
	want := map[string]int{}
	for name, v := range hostile("plain") {
		want[name] = count(t, render(t, r, v))
	}
	for name, v := range hostile(evil) {
		page := render(t, r, v)
		webtest.CheckHTML(t, name, page, true, served())
		if got := count(t, page); got != want[name] {
			t.Errorf("%s: %d elements, but %d with plain words", name, got, want[name])
		}
		if !strings.Contains(visible(t, page), "<script>alert(1)</script>") {
			t.Errorf("%s: the words aren't shown as they were written", name)
		}
	}
}

// hostile is every page with s in the place of each text that comes from outside.
func hostile(s string) map[string]web.PageView {
	frame := web.Frame{
		Rail:    web.RailChats{Days: []web.RailDay{{Name: s, Chats: []web.RailChat{{ID: "c1", Title: s}}}}},
		Palette: web.Palette{Apps: []web.AppName{{ID: s, Name: s}}},
	}
	screen := web.Screen{Say: s, Next: s}
	q := web.Question{ID: "q", What: s, Why: s, App: s, Always: true}
	old := q
	old.ID, old.Choice = "q2", web.ChoiceNo
	return map[string]web.PageView{
		"home": web.Home{Frame: frame, Computer: web.Computer{On: true, Screen: screen}, Try: []string{s}},
		"chat": web.Chat{
			Frame: frame, ID: "c1", Title: s, Asking: web.Asking{Questions: []web.Question{q}},
			Live: web.Live{On: true, Step: s, Shot: "s"},
			Items: []web.PartView{
				web.Message{ID: "m", Who: web.ByPerson, Text: s},
				web.Message{ID: "n", Who: web.ByConch, Text: s},
				web.Steps{Turn: "t", Steps: []web.Step{{ID: "s", Kind: s, Text: s, More: s}}},
				q, old,
				web.Note{ID: "o", Text: s, Next: s},
			},
		},
		"settings": web.Settings{Frame: frame, Version: s, Folder: s, Confirm: web.Confirm{Locked: s}},
		"computer": web.ComputerSettings{
			Frame: frame, Switch: web.Switch{Locked: s}, Screen: screen, Stop: web.StopKey{Say: s},
			Allowed: web.AllowedApps{Apps: []web.AllowedApp{{ID: s, Name: s}}},
			Switches: web.Switches{
				App: s, Notes: []web.SwitchNote{{Say: s, Next: s}},
				Rows: []web.SwitchRow{{ID: s, Name: s, State: web.SwitchState(s), Say: s, Steps: []string{s}, Button: s}},
			},
		},
		"activity": web.Activity{Frame: frame, List: web.ActivityList{Days: []web.ActivityDay{{Name: s, Entries: []web.ActivityEntry{{ID: "a", Text: s, More: s, Chat: "c", Title: s}}}}}},
		"devices": web.DevicesPage{
			Frame: frame, Address: web.Address{On: true, Local: true, URL: s, Broken: s, Name: s, Certificate: s, Key: s},
			Devices: web.Devices{Local: true, Waiting: []web.Device{{ID: s, Name: s, Number: s, From: s}}, In: []web.Device{{ID: s, Name: s, Number: s, Seen: s}}},
		},
		"signin": web.SignIn{Waiting: true, Number: s},
		"models": hostileModels(frame, s), "chat-model": hostileChatModel(frame, s),
		"memory": hostileMemory(frame, s),
		"skills": hostileSkills(frame, s),
		"skill":  hostileSkill(frame, s),
		"broken": web.Broken{Say: s, Next: s},
	}
}

func TestHeaders(t *testing.T) {
	h := http.Header{}
	web.Headers(h)
	csp := h.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") {
		t.Errorf("the policy is too wide: %s", csp)
	}
}

func TestStatic(t *testing.T) {
	r := renderer(t)
	page := string(render(t, r, web.Refused{}))
	i := strings.Index(page, web.PathStatic)
	kept := page[i : i+strings.IndexByte(page[i:], '"')] // the first one, with the hash in it
	get := func(method, p, tag string) *httptest.ResponseRecorder {
		req := httptest.NewRequest(method, p, nil)
		if tag != "" {
			req.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		r.Static().ServeHTTP(w, req)
		return w
	}
	w := get(http.MethodGet, kept, "")
	if w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") || w.Header().Get("ETag") == "" {
		t.Errorf("%s: %d %v", kept, w.Code, w.Header())
	}
	if again := get(http.MethodGet, kept, w.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("unchanged: %d, want 304", again.Code)
	}
	plain := get(http.MethodGet, web.PathStatic+path.Base(kept), "")
	if plain.Code != http.StatusOK || plain.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("without the hash: %d %v", plain.Code, plain.Header())
	}
	for _, p := range []string{"", "0123456789abcdef/tokens.css", "../templates/shell.html", "%2e%2e/views.go", "/etc/passwd"} {
		if got := get(http.MethodGet, web.PathStatic+p, ""); got.Code != http.StatusNotFound {
			t.Errorf("%q: %d, want 404", p, got.Code)
		}
	}
	if got := get(http.MethodPost, kept, ""); got.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d, want 405", got.Code)
	}
}

func TestMistakesInAssetsAreSaid(t *testing.T) {
	if _, err := web.New(emptyFS{}); err == nil {
		t.Error("no assets, and no error")
	}
}

type emptyFS struct{}

func (emptyFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func eachStatic(t *testing.T, ext string, do func(name, text string)) {
	t.Helper()
	each(t, "static", ext, do)
}

func eachTemplate(t *testing.T, do func(name, text string)) {
	t.Helper()
	each(t, "templates", ".html", do)
}

func each(t *testing.T, dir, ext string, do func(name, text string)) {
	t.Helper()
	names, err := fs.Glob(web.Assets(), dir+"/*"+ext)
	if err != nil || len(names) == 0 {
		t.Fatalf("no %s in %s: %v", ext, dir, err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(web.Assets(), name)
		if err != nil {
			t.Fatal(err)
		}
		do(path.Base(name), string(text))
	}
}

func elements(t *testing.T, part []byte) []*html.Node {
	t.Helper()
	nodes, err := html.ParseFragment(bytes.NewReader(part), &html.Node{Type: html.ElementNode, Data: "ul", DataAtom: atom.Ul})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(nodes, func(n *html.Node) bool { return n.Type != html.ElementNode })
}

func id(n *html.Node) string {
	for _, a := range n.Attr {
		if a.Key == "id" {
			return a.Val
		}
	}
	return ""
}

func count(t *testing.T, page []byte) int {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for d := range root.Descendants() {
		if d.Type == html.ElementNode {
			n++
		}
	}
	return n
}

func visible(t *testing.T, page []byte) string {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for d := range root.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

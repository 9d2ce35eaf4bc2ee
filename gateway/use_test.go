package gateway

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/fake"
	"conch/gateway/chat"
	"conch/gateway/engine/byhand"
	"conch/gateway/web"

	"github.com/go-json-experiment/json"
)

// desk is a desktop with an editor, and a password manager that is opened by nobody here.
const desk = `
-- screen --
display main 1280x800 at 0,0 main
app org.xfce.mousepad "Mousepad"
window 3 "Vault" org.keepassxc.KeePassXC 900,500 300x250 name "KeePassXC" { field secret 920,550 200x30 label "Password" secure text "hunter2" }
-- after open org.xfce.mousepad --
window 7 "Untitled 1 - Mousepad" org.xfce.mousepad 100,80 600x400 name "Mousepad" front { field body 120,120 560x340 focused; button save "Save" 620,90 60x24 }
`

// shine is an edge that remembers what it was told.
type shine struct {
	mu  sync.Mutex
	lit map[string]bool
	log []string
}

func (s *shine) Light(_ context.Context, turn, _ string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lit == nil {
		s.lit = map[string]bool{}
	}
	s.lit[turn] = true
	s.log = append(s.log, "light")
	return nil
}

func (s *shine) Step(_, label string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, label)
}

func (s *shine) Dark(turn string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lit, turn)
	s.log = append(s.log, "dark")
}

func (s *shine) on() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lit) > 0
}

func newDeskRig(t *testing.T, change func(*Config)) (*rig, *fake.Driver, *shine) {
	t.Helper()
	d, edge := fake.New(t, desk), &shine{}
	cfg := Config{Engine: byhand.Engine{}, Driver: d, Edge: edge}
	if change != nil {
		change(&cfg)
	}
	return newRig(t, cfg), d, edge
}

// allow answers the question that waits in a chat.
func (r *rig) allow(chatID, choice string) chat.Event {
	r.t.Helper()
	q := r.until(chatID, func(e chat.Event) bool { return e.Kind == chat.KindAsked })
	r.do("POST", "/api/questions/"+q.ID, `{"choice":"`+choice+`"}`, http.StatusNoContent)
	return q
}

func TestUseAnAppFromEndToEnd(t *testing.T) {
	r, d, edge := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	const secret = "héllo, мир 👋 typed-words"
	id, _ := r.say(`open Mousepad then type "` + secret + `"`)
	tab := r.openTab("chat=" + id)
	q := r.allow(id, "always")
	if q.App != "Mousepad" || !q.Always || !strings.Contains(q.Text, "Mousepad") {
		t.Errorf("question %+v", q)
	}
	shot := tab.until(func(u web.Update) bool { return u.ID == "live" && strings.Contains(u.HTML, "/api/computer-use/shot/") })
	r.look(shot.HTML)
	if e := r.ended(id); e.State != chat.StateDone {
		t.Fatalf("ended %+v\n%s", e, r.transcript(id))
	}
	if got := d.Value("body"); got != secret {
		t.Errorf("the editor holds %q", got)
	}
	if e := r.until(id, func(e chat.Event) bool { return e.Kind == chat.KindStepDone && e.Act == "type" }); e.Text != "Typed 24 characters in Mousepad" {
		t.Errorf("the step is kept as %q", e.Text)
	}
	if edge.on() || d.Begun() || len(d.Held()) > 0 {
		t.Errorf("left behind: edge %v, following %v, held %v", edge.on(), d.Begun(), d.Held())
	}
	if !r.g.use.Allowed("org.xfce.mousepad") {
		t.Error("Always wasn't remembered")
	}
	page := r.do("GET", "/settings/computer", "", http.StatusOK)
	if !strings.Contains(page, "Mousepad") {
		t.Error("the settings don't list Mousepad")
	}
	r.do("DELETE", "/api/computer-use/apps/org.xfce.mousepad", "", http.StatusNoContent)
	if r.g.use.Allowed("org.xfce.mousepad") {
		t.Error("taking back did nothing")
	}
	r.do("GET", "/activity", "", http.StatusOK)
	r.nothingOfTheScreen(id, secret)
}

// look fetches the live card's picture.
func (r *rig) look(html string) {
	r.t.Helper()
	_, rest, _ := strings.Cut(html, "/api/computer-use/shot/")
	id, _, _ := strings.Cut(rest, `"`)
	req, err := http.NewRequestWithContext(r.t.Context(), "GET", r.srv.URL+"/api/computer-use/shot/"+id, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := r.page.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, _ := io.ReadAll(res.Body)
	if res.StatusCode == http.StatusNotFound {
		return // a newer one took its place meanwhile
	}
	if _, _, err := image.Decode(bytes.NewReader(data)); err != nil || res.Header.Get("Cache-Control") != "no-store" {
		r.t.Errorf("shot: %v, %v", err, res.Header)
	}
}

// nothingOfTheScreen searches everything that was written for typed text, titles and pictures. The person's
// own message may hold the text: it is theirs.
func (r *rig) nothingOfTheScreen(id, typed string) {
	r.t.Helper()
	for _, line := range strings.Split(r.transcript(id), "\n") {
		var e chat.Event
		if line == "" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			r.t.Fatal(err)
		}
		if e.Kind == chat.KindSaid || e.Kind == chat.KindText {
			continue
		}
		for _, secret := range []string{typed, "typed-words", "hunter2", "Untitled 1", "Vault"} {
			if strings.Contains(line, secret) {
				r.t.Errorf("the log holds %q: %s", secret, line)
			}
		}
	}
	for _, secret := range []string{"typed-words", "hunter2", "Untitled 1", "Vault"} {
		if strings.Contains(r.log.String(), secret) {
			r.t.Errorf("the program's log holds %q", secret)
		}
	}
	r.end()
	err := filepath.WalkDir(r.g.home, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, secret := range []string{"hunter2", "Untitled 1", "Vault", "\x89PNG", "\xff\xd8\xff"} {
			if bytes.Contains(data, []byte(secret)) {
				r.t.Errorf("%s holds %q", path, secret)
			}
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			r.t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func TestStopWhileTyping(t *testing.T) {
	r, d, edge := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	if err := d.Apply("slow text 5ms"); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("abcdefghi ", 400)
	id, _ := r.say(`open Mousepad then type "` + text + `" then press ctrl+s`)
	r.allow(id, "once")
	waitFor(t, "typing", func() bool { return len(d.Value("body")) > 20 })
	if s := r.g.Status(); s.State != Using || s.Chat != id || !strings.Contains(s.Say, "Mousepad") {
		t.Errorf("status while it types: %+v", s)
	}
	if got := r.do("POST", "/api/computer-use/stop", `{}`, http.StatusOK); !strings.Contains(got, "true") {
		t.Errorf("stop: %s", got)
	}
	typed := len(d.Value("body"))
	if typed >= len(text) {
		t.Errorf("all %d were typed", typed)
	}
	if edge.on() || d.Begun() || len(d.Held()) > 0 {
		t.Errorf("left behind: edge %v, following %v, held %v", edge.on(), d.Begun(), d.Held())
	}
	d.Forget()
	if e := r.ended(id); e.State != chat.StateStopped || e.Text != "You stopped this." {
		t.Errorf("ended %+v", e)
	}
	if s := r.g.Status(); s.State != Idle {
		t.Errorf("status %+v", s)
	}
	if got := len(d.Value("body")); got != typed || len(d.Events()) != 0 {
		t.Errorf("typing went on after Stop: %d, then %d, %v", typed, got, d.Events())
	}
}

func waitFor(t *testing.T, what string, so func() bool) {
	t.Helper()
	late := time.After(20 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-late:
			t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

// TestOffMeansOff goes over the ways in which using apps is off.
func TestOffMeansOff(t *testing.T) {
	tests := map[string]struct {
		change func(*Config)
		on     bool
	}{
		"never turned on": {nil, false},
		"no screen": {func(c *Config) {
			c.Driver, c.NoDriver = nil, &driver.Unready{Why: driver.WhyNoDisplay, Say: "There is no screen.", Next: "Log in first."}
		}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r, d, edge := newDeskRig(t, tt.change)
			if tt.on {
				r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
			}
			id, _ := r.say("open Mousepad")
			r.ended(id)
			if got := r.transcript(id); !strings.Contains(got, "Use your apps") || len(d.Events()) > 0 || edge.on() {
				t.Errorf("it was used, or nothing was said: %s", got)
			}
		})
	}
}

// TestOffInTheMiddle turns the switch off while a turn waits for an answer: the turn ends and the answer comes
// too late.
func TestOffInTheMiddle(t *testing.T) {
	r, d, _ := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	id, _ := r.say("open Mousepad")
	q := r.until(id, func(e chat.Event) bool { return e.Kind == chat.KindAsked })
	r.do("POST", "/api/computer-use", `{"on":false}`, http.StatusNoContent)
	r.do("POST", "/api/questions/"+q.ID, `{"choice":"once"}`, http.StatusConflict)
	if e := r.ended(id); e.State != chat.StateStopped {
		t.Errorf("ended %+v", e)
	}
	if ws, _ := d.Windows(t.Context()); len(ws) != 1 {
		t.Errorf("it was opened: %s", r.transcript(id))
	}
}

// TestOffStopsWhatRuns turns the switch off while a turn types.
func TestOffStopsWhatRuns(t *testing.T) {
	r, d, edge := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	if err := d.Apply("slow text 5ms"); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("abcdefghi ", 400)
	id, _ := r.say(`open Mousepad then type "` + text + `"`)
	r.allow(id, "once")
	waitFor(t, "typing", func() bool { return len(d.Value("body")) > 20 })
	r.do("POST", "/api/computer-use", `{"on":false}`, http.StatusNoContent)
	if len(d.Value("body")) >= len(text) || edge.on() || d.Begun() || len(d.Held()) > 0 {
		t.Errorf("it went on: typed %d, edge %v, held %v", len(d.Value("body")), edge.on(), d.Held())
	}
	if e := r.ended(id); e.State != chat.StateStopped {
		t.Errorf("ended %+v", e)
	}
}

// TestPracticeDesktopIsLive watches the practice desktop as a page does.
func TestPracticeDesktopIsLive(t *testing.T) {
	r, d, _ := newDeskRig(t, func(c *Config) { c.Practice = true })
	if d.Begun() {
		t.Error("the screen is followed though no page watches")
	}
	get := func(etag string) (status int, newTag string, data []byte) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "GET", r.srv.URL+"/api/practice/shot", nil)
		if err != nil {
			t.Fatal(err)
		}
		if etag != "" {
			req.Header.Set("If-None-Match", etag)
		}
		res, err := r.page.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		data, _ = io.ReadAll(res.Body)
		return res.StatusCode, res.Header.Get("ETag"), data
	}
	status, etag, data := get("")
	if _, _, err := image.Decode(bytes.NewReader(data)); err != nil || status != http.StatusOK {
		t.Fatalf("%d, %v", status, err)
	}
	waitFor(t, "a second look", func() bool { status, _, _ := get(etag); return status == http.StatusNotModified })
	if err := d.Apply("window 9 \"New\" org.new 10,10 400x300 front"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the new window is shown", func() bool { status, _, _ := get(etag); return status == http.StatusOK })
	r.g.practice.rest() // what its timer does
	if d.Begun() {
		t.Error("the screen is still followed")
	}
	// A screen that gives no picture is no mistake of Conch's, and what the driver says of it stays in the log.
	if err := d.Apply("fail look \"broken inside\""); err != nil {
		t.Fatal(err)
	}
	if status, _, data := get(""); status != http.StatusServiceUnavailable || !bytes.Contains(data, []byte("no picture this time")) || bytes.Contains(data, []byte("broken inside")) {
		t.Errorf("%d %s", status, data)
	}
	if err := d.Apply("unready lost \"The screen is gone.\""); err != nil {
		t.Fatal(err)
	}
	if status, _, data := get(""); status != http.StatusServiceUnavailable || !bytes.Contains(data, []byte("The screen is gone.")) {
		t.Errorf("%d %s", status, data)
	}
}

// TestFollowersDontEndEachOther is about a page that watches while a turn comes and goes.
func TestFollowersDontEndEachOther(t *testing.T) {
	d := fake.New(t, desk)
	all := newFollowing(d)
	a, b := all.follower(), all.follower()
	ctx := t.Context()
	for _, step := range []struct {
		do    func() error
		begun bool
	}{
		{func() error { return a.End(ctx) }, false},
		{func() error { return errors.Join(a.Begin(ctx), a.Begin(ctx)) }, true},
		{func() error { return b.Begin(ctx) }, true},
		{func() error { return errors.Join(a.End(ctx), a.End(ctx)) }, true},
		{func() error { return b.End(ctx) }, false},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if d.Begun() != step.begun {
			t.Errorf("begun %v, want %v", d.Begun(), step.begun)
		}
	}
}

// TestRefusedStepsNameTheirRule reads Activity after steps that rules refused.
func TestRefusedStepsNameTheirRule(t *testing.T) {
	r, d, _ := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	id, _ := r.say("look then click 1000,600") // into the password manager
	r.ended(id)
	if got := d.Clicked("secret"); got != 0 || len(d.Landed(3)) > 0 {
		t.Errorf("a click landed in what is kept away: %v", d.Landed(3))
	}
	e := r.until(id, func(e chat.Event) bool { return e.Kind == chat.KindStepDone && e.State != chat.StateDone })
	if e.State != chat.StateRefused || e.Rule == "" || e.More == "" {
		t.Errorf("the step ended as %+v", e)
	}
	page := r.do("GET", "/activity", "", http.StatusOK)
	if !strings.Contains(page, "<code>"+e.Rule+"</code>") {
		t.Errorf("Activity doesn't name the rule %s", e.Rule)
	}
	r.do("POST", "/api/chats/"+id+"/mode", `{"mode":"plan"}`, http.StatusNoContent)
	r.do("POST", "/api/chats/"+id+"/messages", `{"text":"open Mousepad"}`, http.StatusOK)
	plan := r.until(id, func(n chat.Event) bool { return n.Seq > e.Seq && n.Kind == chat.KindStepDone })
	if plan.State != chat.StateRefused || plan.Rule != "plan" {
		t.Errorf("in Plan only: %+v", plan)
	}
}

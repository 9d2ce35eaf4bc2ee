package gateway

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"conch/gateway/access"
	"conch/gateway/chat"
	"conch/gateway/web"

	"github.com/go-json-experiment/json"
)

type activityAnswer struct {
	Entries []activityLine `json:"entries"`
	Older   uint64         `json:"older"`
}

func (r *rig) activity(query string) (a activityAnswer) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.do("GET", "/api/activity?"+query, "", http.StatusOK)), &a); err != nil {
		r.t.Fatal(err)
	}
	return a
}

func (a activityAnswer) texts() (out []string) {
	for _, e := range a.Entries {
		out = append(out, e.Text)
	}
	return out
}

// TestActivityHoldsNothingOfTheScreen drives a turn that types a secret, and searches what Activity shows of it.
func TestActivityHoldsNothingOfTheScreen(t *testing.T) {
	r, d, _ := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	const secret = "tops3cret-words"
	id, _ := r.say(`open Mousepad then type "` + secret + `" then look`)
	tab := r.openTab("activity=")
	r.allow(id, "once")
	r.ended(id)
	if got := d.Value("body"); got != secret {
		t.Fatalf("the editor holds %q, so nothing is proven", got)
	}
	last := tab.until(func(u web.Update) bool { return strings.Contains(u.HTML, "Looked at the screen") })
	if last.Op != web.OpPrepend || last.ID != web.ActivityDayID(time.Now().Format(time.DateOnly)) {
		t.Errorf("the new entry came as %s to %s", last.Op, last.ID)
	}
	key, err := r.g.dir.Secret(keyName, access.KeySize)
	if err != nil {
		t.Fatal(err)
	}
	page, answer := r.do("GET", "/activity", "", http.StatusOK), r.do("GET", "/api/activity", "", http.StatusOK)
	for name, text := range map[string]string{"page": page, "answer": answer, "socket": fmt.Sprint(tab.shown)} {
		if !strings.Contains(text, "Typed 15 characters in Mousepad") {
			t.Errorf("the %s doesn't tell of the typing, so nothing is proven:\n%s", name, text)
		}
		for _, hidden := range []string{secret, "s3cret", "hunter2", "Untitled 1", "Vault", "/shot/", "data:image", "<img alt", access.EncodeKey(key)} {
			if strings.Contains(text, hidden) {
				t.Errorf("the %s holds %q", name, hidden)
			}
		}
	}
}

var moment = regexp.MustCompile(`href="(/chats/[^"]*)#([^"]+)"`)

// TestActivityLeadsToItsMoments follows every entry to what it is about.
func TestActivityLeadsToItsMoments(t *testing.T) {
	r, _, _ := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	for _, answer := range []string{"once", "no"} {
		id, _ := r.say("open Mousepad")
		r.allow(id, answer)
		r.ended(id)
	}
	id, _ := r.say("open Mousepad")
	r.until(id, func(e chat.Event) bool { return e.Kind == chat.KindAsked })
	r.do("POST", "/api/chats/"+id+"/stop", "{}", http.StatusOK)
	r.ended(id)
	page := r.do("GET", "/activity", "", http.StatusOK)
	found := moment.FindAllStringSubmatch(page, -1)
	if len(found) < 8 {
		t.Fatalf("only %d entries:\n%s", len(found), page)
	}
	for _, m := range found {
		if there := r.do("GET", m[1], "", http.StatusOK); !strings.Contains(there, `id="`+m[2]+`"`) {
			t.Errorf("%s has no %s", m[1], m[2])
		}
	}
	if n := strings.Count(page, ">Asked: Use Mousepad on your computer?<"); n != 3 {
		t.Errorf("%d questions are listed, want 3", n)
	}
	for _, want := range []string{"You allowed it once.", "You said no.", "You stopped before answering, so it was no."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestActivityFilters(t *testing.T) {
	r, _, _ := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	first, _ := r.say("open Mousepad")
	r.allow(first, "once")
	r.ended(first)
	second, _ := r.say("open Mousepad")
	r.allow(second, "no")
	r.ended(second)
	tests := map[string][]string{
		"":                          {"Open an app", "You said no.", "Asked: Use Mousepad on your computer?", "Mousepad is in front", "You allowed it once.", "Asked: Use Mousepad on your computer?"},
		"what=done":                 {"Mousepad is in front"},
		"what=refused":              {"Open an app"},
		"what=asked&chat=" + second: {"You said no.", "Asked: Use Mousepad on your computer?"},
		"app=Mousepad&what=done":    {"Mousepad is in front"},
		"app=Galculator":            nil,
		"day=2001-02-03":            nil,
		"what=done&day=" + time.Now().Format(time.DateOnly): {"Mousepad is in front"},
	}
	for query, want := range tests {
		got := r.activity(query).texts()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
		page := r.do("GET", "/activity?"+query, "", http.StatusOK)
		if n := strings.Count(page, `class="row activity"`); n != len(want) {
			t.Errorf("%q: the page lists %d, want %d", query, n, len(want))
		}
	}
	var all []string
	before, pages := "", 0
	for {
		a := r.activity("limit=4" + before)
		all = append(all, a.texts()...)
		pages++
		if a.Older == 0 {
			break
		}
		before = fmt.Sprintf("&before=%d", a.Older)
	}
	if whole := r.activity("").texts(); pages != 2 || fmt.Sprint(all) != fmt.Sprint(whole) {
		t.Errorf("%d pages with %q, want %q", pages, all, whole)
	}
	for _, bad := range []string{"what=everything", "day=today", "before=-1", "limit=0", "limit=1000", "before=x", "chat=" + strings.Repeat("x", 101)} {
		r.do("GET", "/api/activity?"+bad, "", http.StatusBadRequest)
		r.do("GET", "/activity?"+bad, "", http.StatusBadRequest)
		if _, err := followActivity(url.Values{"activity": {bad}}); err == nil {
			t.Errorf("a socket follows %q", bad)
		}
	}
}

// TestActivityFollowsItsFilter opens a page that shows refusals alone, and one that lost its line meanwhile.
func TestActivityFollowsItsFilter(t *testing.T) {
	r, _, _ := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	end, err := r.g.store.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tab := r.openTab("activity=" + url.QueryEscape("what=refused"))
	id, _ := r.say("open Mousepad")
	r.allow(id, "no")
	r.ended(id)
	u := tab.until(func(u web.Update) bool { return u.Op == web.OpPrepend })
	if !strings.Contains(u.HTML, "You didn&#39;t allow using Mousepad.") {
		t.Errorf("the first entry that came is %s", u.HTML)
	}
	late := r.openTab(fmt.Sprintf("activity=&after=%d", end))
	late.until(func(u web.Update) bool { return u.ID == "rail-chats" })
	var came []string
	for id := range late.shown {
		if strings.HasPrefix(id, "activity-e") {
			came = append(came, id)
		}
	}
	if len(came) != 3 {
		t.Errorf("what was missed came as %v", late.shown)
	}
}

// TestNoSentenceTwice reads a chat in which the person said no.
func TestNoSentenceTwice(t *testing.T) {
	r, _, _ := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	id, _ := r.say("open Mousepad then look")
	tab := r.openTab("chat=" + id)
	r.allow(id, "no")
	r.ended(id)
	const why = "You didn&#39;t allow using Mousepad."
	page := r.do("GET", "/chats/"+id, "", http.StatusOK)
	if n := strings.Count(page, why); n != 1 {
		t.Errorf("it is said %d times", n)
	}
	for _, word := range []string{"try again unless", "The person"} {
		if strings.Contains(page, word) {
			t.Errorf("the page speaks to a model: %q", word)
		}
	}
	tab.until(func(u web.Update) bool { return u.Seq > 0 && strings.Contains(u.HTML, "I stopped at") })
	n := 0
	for id, html := range tab.shown {
		if !strings.HasPrefix(id, "steps-") { // appended as its parts
			if c := strings.Count(html, why); c > 0 {
				n += c
				t.Log(id, html)
			}
		}
	}
	if n != 1 {
		t.Errorf("over the socket it is shown %d times", n)
	}
}

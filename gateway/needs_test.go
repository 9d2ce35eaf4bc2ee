package gateway

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"conch/gateway/chat"
	"conch/gateway/web"
)

// A paired app's question comes to every page with the app's name and into the status; given up, it can be answered
// for when the app asks again.
func TestAppsQuestionsReachEveryPage(t *testing.T) {
	r, _, _ := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	tab := r.openTab("")
	ctx, hangUp := context.WithCancelCause(t.Context())
	defer hangUp(nil)
	c := Client{ID: "claude", Name: "Claude Desktop", Mode: chat.Ask, Scopes: []string{"computer"}}
	ended := make(chan error, 1)
	go func() {
		_, err := r.g.ClientCall(ctx, c, "computer", []byte(`{"action":"open_app","text":"Mousepad"}`), nil)
		ended <- err
	}()
	tab.until(func(u web.Update) bool {
		return u.ID == "needs-ok" && strings.Contains(u.HTML, "<bdi>Claude Desktop</bdi> needs your OK") && strings.Contains(u.HTML, "Allow once")
	})
	if s := r.g.Status(); s.State != Asking || s.Client != "Claude Desktop" {
		t.Errorf("%+v", s)
	}
	page := r.do("GET", "/settings", "", http.StatusOK)
	if !strings.Contains(page, `data-choice="once"`) || strings.Contains(page, `data-choice="always"`) {
		t.Error("a fresh page doesn't ask, or offers Always")
	}
	if own := r.g.needsOK(t.Context(), r.g.ClientLog(t.Context(), c.ID)); len(own.Questions) != 0 {
		t.Errorf("the app's own log says it twice: %+v", own)
	}
	q := r.g.desk.Waiting()[0]
	hangUp(nil)
	if err := <-ended; err != nil {
		t.Logf("the call that was hung up on: %v", err)
	}
	tab.until(func(u web.Update) bool {
		return u.ID == "needs-ok" && strings.Contains(u.HTML, "Allow when it asks again") && strings.Contains(u.HTML, "needed your OK")
	})
	r.do("POST", "/api/questions/"+q.ID, `{"choice":"once"}`, http.StatusNoContent)
	tab.until(func(u web.Update) bool { return u.ID == "needs-ok" && strings.Contains(u.HTML, "hidden") })
	// It asks again, and goes ahead by that answer.
	res, err := r.g.ClientCall(t.Context(), c, "computer", []byte(`{"action":"open_app","text":"Mousepad"}`), nil)
	if err != nil || res.Refused {
		t.Errorf("asked again: %+v, %v", res, err)
	}
}

// What can be used at all may be different after each change of the settings.
func TestToolsChangedIsTold(t *testing.T) {
	var told atomic.Int32
	r, _, _ := newDeskRig(t, func(c *Config) { c.ToolsChanged = func() { told.Add(1) } })
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	on := told.Load()
	r.do("POST", "/api/computer-use", `{"on":false}`, http.StatusNoContent)
	if on == 0 || told.Load() == on {
		t.Errorf("told %d, then %d times", on, told.Load())
	}
}

package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
)

// What widens for good asks for a confirmation, once the person turned that on; what narrows never does.
func TestConfirmingOverHTTP(t *testing.T) {
	r := newRig(t, Config{})
	id, _ := r.say("hello")
	r.ended(id)
	mode := func(m string, want int) string {
		t.Helper()
		return r.do("POST", "/api/chats/"+id+"/mode", `{"mode":"`+m+`"}`, want)
	}
	mode("trust", http.StatusNoContent)
	mode("ask", http.StatusNoContent)
	r.do("POST", "/api/confirm/on", `{"password":"short"}`, http.StatusBadRequest)
	r.do("POST", "/api/confirm/on", `{"password":"correct horse"}`, http.StatusNoContent)
	if body := mode("trust", http.StatusForbidden); !strings.Contains(body, `"confirm-password"`) {
		t.Errorf("it is refused with %s", body)
	}
	mode("auto", http.StatusNoContent) // less than Full trust
	mode("ask", http.StatusNoContent)
	r.do("POST", "/api/confirm/off", `{}`, http.StatusForbidden)
	r.do("POST", "/api/confirm", `{"what":"everything","password":"correct horse"}`, http.StatusBadRequest)
	r.do("POST", "/api/confirm", `{"what":"trust","password":"wrong"}`, http.StatusForbidden)
	mode("trust", http.StatusForbidden)
	r.do("POST", "/api/confirm", `{"what":"trust","password":"correct horse"}`, http.StatusNoContent)
	mode("trust", http.StatusNoContent)
	mode("ask", http.StatusNoContent)

	// Another browser of the same person didn't confirm.
	first := r.page
	jar, _ := cookiejar.New(nil)
	r.page = &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	r.do("POST", "/api/here", `{"code":"`+r.g.NewCode()+`"}`, http.StatusNoContent)
	mode("trust", http.StatusForbidden)
	r.page = first
	r.do("POST", "/api/confirm/off", `{}`, http.StatusNoContent)
	mode("trust", http.StatusNoContent)
	if log := r.log.String(); strings.Contains(log, "correct horse") || strings.Contains(log, "wrong") {
		t.Error("a password is in the log")
	}
}

func TestConfirmingBySystem(t *testing.T) {
	var reasons []string
	answer := errors.New("cancelled")
	r := newRig(t, Config{Confirm: func(_ context.Context, reason string) error {
		reasons = append(reasons, reason)
		return answer
	}})
	id, _ := r.say("hello")
	r.ended(id)
	r.do("POST", "/api/confirm/on", `{}`, http.StatusNoContent)
	if body := r.do("POST", "/api/chats/"+id+"/mode", `{"mode":"trust"}`, http.StatusForbidden); !strings.Contains(body, `"confirm-system"`) {
		t.Errorf("it is refused with %s", body)
	}
	r.do("POST", "/api/confirm", `{"what":"trust"}`, http.StatusForbidden)
	answer = nil
	r.do("POST", "/api/confirm", `{"what":"trust"}`, http.StatusNoContent)
	r.do("POST", "/api/chats/"+id+"/mode", `{"mode":"trust"}`, http.StatusNoContent)
	if len(reasons) != 2 || !strings.Contains(reasons[1], "Full trust") {
		t.Errorf("the person read %q", reasons)
	}
}

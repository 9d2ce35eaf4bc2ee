package mcp

import (
	"net/http"
	"strings"
	"testing"

	"conch/gateway/access"
	"conch/mcp/pair"
	"conch/mcp/wire"
)

// Both eras list what the person ticked and call it, and what is taken away is gone from the next list and call.
func TestBothEras(t *testing.T) {
	r := newRig(t)
	r.press("POST", "/api/computer-use", `{"on":true}`)
	r.watch()
	c, key := r.pair(pair.Launcher, pair.Computer)
	token := r.prove(c, key)
	list := func() (legacy, new string) {
		_, legacy, _ = r.send("POST", wire.PathDoor, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, as(token))
		_, new, _ = r.send("POST", wire.PathDoor, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}`, modern(token, "tools/list", ""))
		return legacy, new
	}
	if status, body, h := r.send("POST", wire.PathDoor, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, as(token)); status != 200 || !strings.Contains(body, `"protocolVersion":"2025-11-25"`) || h.Get("Mcp-Session-Id") != "" {
		t.Errorf("initialize: %d %s %v", status, body, h)
	}
	if status, body, _ := r.send("POST", wire.PathDoor, `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{`+meta+`}}`, modern(token, "server/discover", "")); status != 200 || !strings.Contains(body, "2026-07-28") {
		t.Errorf("discover: %d %s", status, body)
	}
	legacy, new := list()
	for _, body := range []string{legacy, new} {
		if !strings.Contains(body, `"name":"computer"`) || strings.Contains(body, "memory") {
			t.Errorf("the list is %s", body)
		}
	}
	if !strings.Contains(new, `"cacheScope":"private"`) {
		t.Errorf("the list may be cached for others: %s", new)
	}
	look := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"computer","arguments":{"action":"screenshot"}}}`
	if _, body, _ := r.send("POST", wire.PathDoor, look, as(token)); !strings.Contains(body, `"type":"image"`) || strings.Contains(body, `"isError":true`) {
		t.Errorf("a look answers %.300s", body)
	}
	lookNew := strings.Replace(look, `"params":{`, `"params":{`+meta+`,`, 1)
	if _, body, _ := r.send("POST", wire.PathDoor, lookNew, modern(token, "tools/call", "computer")); !strings.Contains(body, `"type":"image"`) || !strings.Contains(body, `"resultType":"complete"`) {
		t.Errorf("a look answers %.300s", body)
	}
	if _, err := r.reg.Change(c.ID, func(c *pair.Client) { c.Scopes = nil }, func(pair.Client, pair.Client) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if legacy, new = list(); strings.Contains(legacy+new, `"name":"computer"`) {
		t.Errorf("a scope that was taken away is listed: %s %s", legacy, new)
	}
	if _, body, _ := r.send("POST", wire.PathDoor, look, as(token)); strings.Contains(body, "image") || !strings.Contains(body, `"error"`) {
		t.Errorf("a scope that was taken away is used: %.300s", body)
	}
}

// An app that asks to hear of progress hears all of it, the last before the answer too.
func TestProgress(t *testing.T) {
	r := newRig(t)
	r.press("POST", "/api/computer-use", `{"on":true}`)
	r.watch()
	_, key := r.pair(pair.HTTP, pair.Computer)
	status, body, h := r.send("POST", wire.PathDoor,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"computer","arguments":{"action":"screenshot"}}}`, as(string(key)))
	events := strings.Split(strings.TrimSpace(body), "\n\n")
	if status != 200 || h.Get("Content-Type") != "text/event-stream" || len(events) < 2 {
		t.Fatalf("%d %v %.500s", status, h, body)
	}
	for i, e := range events[:len(events)-1] {
		if !strings.Contains(e, "notifications/progress") || !strings.Contains(e, `"progressToken":"p"`) {
			t.Errorf("event %d is %.200s", i, e)
		}
	}
	if last := events[len(events)-1]; !strings.Contains(last, `"id":2`) || !strings.Contains(last, `"result"`) {
		t.Errorf("the last event is %.200s", last)
	}
}

// The threats of record 0073, row by row. Each is refused, and nobody learns more than that.
func TestThreats(t *testing.T) {
	r := newRig(t)
	r.press("POST", "/api/computer-use", `{"on":true}`)
	r.watch()
	c, key := r.pair(pair.Launcher, pair.Computer)
	web, webKey := r.pair(pair.HTTP, pair.Computer)
	token := r.prove(c, key)
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	with := func(h map[string]string, k, v string) map[string]string { h[k] = v; return h }
	for name, row := range map[string]struct {
		method, path, body string
		h                  map[string]string
		status             int
	}{
		"a program that nobody paired":     {"POST", wire.PathDoor, list, map[string]string{"Accept": both}, 401},
		"a guess":                          {"POST", wire.PathDoor, list, as("cmcp." + web.ID + "." + strings.Repeat("A", 43)), 401},
		"a launcher's key as a bearer":     {"POST", wire.PathDoor, list, as(string(key)), 401},
		"a web page with a stolen token":   {"POST", wire.PathDoor, list, with(as(token), "Origin", "https://evil.test"), 403},
		"a page of our own origin":         {"POST", wire.PathDoor, list, with(as(token), "Origin", r.srv.URL), 403},
		"a page without an origin":         {"POST", wire.PathDoor, list, with(as(token), "Sec-Fetch-Site", "cross-site"), 403},
		"a page of the same site":          {"POST", wire.PathDoor, list, with(as(token), "Sec-Fetch-Site", "same-origin"), 403},
		"a form":                           {"POST", wire.PathDoor, list, with(as(token), "Content-Type", "text/plain"), 415},
		"DNS rebinding":                    {"POST", wire.PathDoor, list, with(as(token), "Host", "evil.test"), 421},
		"behind a proxy":                   {"POST", wire.PathDoor, list, with(as(token), "X-Forwarded-For", "203.0.113.9"), 401},
		"an app of elsewhere":              {"POST", wire.PathDoor, list, with(as(string(webKey)), "X-Forwarded-For", "203.0.113.9"), 401},
		"a preflight":                      {"OPTIONS", wire.PathDoor, "", with(as(token), "Origin", "https://evil.test"), 403},
		"a stream to listen on":            {"GET", wire.PathDoor, "", as(token), 405},
		"ending a session":                 {"DELETE", wire.PathDoor, "", as(token), 405},
		"a session that isn't there":       {"POST", wire.PathDoor, list, with(as(token), "Mcp-Session-Id", "x"), 404},
		"an answer it can't read":          {"POST", wire.PathDoor, list, with(as(token), "Accept", "application/json"), 406},
		"two messages in one":              {"POST", wire.PathDoor, "[" + list + "]", as(token), 400},
		"a member twice":                   {"POST", wire.PathDoor, `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, as(token), 400},
		"too long":                         {"POST", wire.PathDoor, `{"x":"` + strings.Repeat("x", bodyMax) + `"}`, as(token), 413},
		"a proof of nothing":               {"POST", wire.PathSession, `{"client":"` + c.ID + `","nonce":"","proof":""}`, nil, 401},
		"a nonce for elsewhere":            {"POST", wire.PathHello, `{"client":"` + c.ID + `"}`, map[string]string{"X-Forwarded-For": "203.0.113.9"}, 401},
		"the key of this computer instead": {"POST", wire.PathDoor, list, map[string]string{"Accept": both, "X-Conch-Here": "x"}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			r.door.fails = access.NewThrottle(limitDoor, nil)
			status, body, h := r.send(row.method, row.path, row.body, row.h)
			if status != row.status {
				t.Errorf("%d %s", status, body)
			}
			if strings.Contains(body, "tools") || strings.Contains(body, "Cursor") || strings.Contains(body, c.ID) || h.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("it tells %s %v", body, h)
			}
		})
	}
	for _, secret := range []string{string(key)[22:], string(webKey)[22:], token} {
		if strings.Contains(r.log.String(), secret) {
			t.Error("a secret is in the log")
		}
	}
	if status, _, _ := r.send("POST", wire.PathDoor, list, as(token)); status != http.StatusOK {
		t.Errorf("the right one, after all that: %d", status)
	}
	if was, err := r.reg.Remove(c.ID); !was || err != nil {
		t.Fatal(was, err)
	}
	if status, _, _ := r.send("POST", wire.PathDoor, list, as(token)); status != http.StatusUnauthorized {
		t.Errorf("a removed app's session: %d", status)
	}
}

// Guesses are throttled, and proof still passes while they are.
func TestGuesses(t *testing.T) {
	r := newRig(t)
	c, key := r.pair(pair.Launcher)
	token := r.prove(c, key)
	last := 0
	for range limitDoor.Each + 1 {
		last, _, _ = r.send("POST", wire.PathDoor, `{}`, as("guess"))
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("guess %d gets %d", limitDoor.Each+1, last)
	}
	if status, _, _ := r.send("POST", wire.PathDoor, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, as(token)); status != http.StatusOK {
		t.Errorf("a proven app gets %d while somebody guesses", status)
	}
}

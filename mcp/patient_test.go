package mcp

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"conch/mcp/pair"
	"conch/mcp/wire"
)

// An answer that takes longer than the server allows others still comes, and so does what is told on a stream.
func TestAnswersThatTakeLong(t *testing.T) {
	const allowed = 200 * time.Millisecond
	r := newRigServed(t, allowed)
	r.press("POST", "/api/computer-use", `{"on":true}`)
	r.watch()
	c, key := r.pair(pair.HTTP, pair.Computer)
	wait := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"computer","arguments":{"action":"wait","duration":1}}}`

	begun := time.Now()
	if status, body, _ := r.send("POST", wire.PathDoor, wait, as(string(key))); status != http.StatusOK || !strings.Contains(body, `"result"`) {
		t.Errorf("it answers %d %.300s", status, body)
	}
	if time.Since(begun) < allowed {
		t.Error("it took no time, so nothing is shown")
	}
	follow := strings.Replace(wait, `"params":{`, `"params":{"_meta":{"progressToken":1},`, 1)
	if status, body, _ := r.send("POST", wire.PathDoor, follow, as(string(key))); status != http.StatusOK || !strings.Contains(body, `"result"`) || !strings.Contains(body, "notifications/progress") {
		t.Errorf("with progress it answers %d %.300s", status, body)
	}

	req, err := http.NewRequestWithContext(t.Context(), "POST", r.srv.URL+wire.PathDoor,
		strings.NewReader(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{`+meta+`,"notifications":{"toolsListChanged":true}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range modern(string(key), "subscriptions/listen", "") {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	in := bufio.NewReader(res.Body)
	hear := func(what string) {
		t.Helper()
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				t.Fatalf("the stream ended before %s: %v", what, err)
			}
			if strings.Contains(line, what) {
				return
			}
		}
	}
	hear("acknowledged")
	<-time.After(2 * allowed) // what is shown is that this time does no harm
	if _, err := r.reg.Change(c.ID, func(c *pair.Client) { c.Scopes = nil }, func(pair.Client, pair.Client) error { return nil }); err != nil {
		t.Fatal(err)
	}
	hear("list_changed")
}

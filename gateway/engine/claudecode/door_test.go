package claudecode

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/tool"
)

// TestDoor: nobody but the claude that was told the key comes in, and from no web page.
func TestDoor(t *testing.T) {
	d, err := openDoor(t.Context(), []tool.Tool{{Name: "note", Title: "Note", About: "Writes a note.", Schema: []byte(`{"type":"object"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	at := "http://" + d.listener.Addr().String()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, c := range []struct {
		name, method, path, body string
		change                   func(*http.Request)
		status                   int
		says                     string
	}{
		{"as it is", "POST", "/mcp", ping, nil, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"what is only told", "POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		{"tools", "POST", "/mcp", `{"jsonrpc":"2.0","id":"a","method":"tools/list"}`, nil, 200, `"name":"note"`},
		{"a version that isn't known", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2099-01-01"}}`, nil, 200, newest},
		{"an older version", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`, nil, 200, "2025-03-26"},
		{"another method", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, nil, 200, "-32601"},
		{"a call that is none", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, nil, 200, "-32602"},
		{"no message", "POST", "/mcp", `nonsense`, nil, 400, ""},
		{"too long", "POST", "/mcp", strings.Repeat(" ", maxBody+1), nil, 413, ""},
		{"a stream", "GET", "/mcp", "", nil, 405, ""},
		{"another path", "POST", "/", ping, nil, 404, ""},
		{"no key", "POST", "/mcp", ping, func(r *http.Request) { r.Header.Del("Authorization") }, 401, ""},
		{"another key", "POST", "/mcp", ping, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401, ""},
		{"a web page", "POST", "/mcp", ping, func(r *http.Request) { r.Header.Set("Origin", at) }, 401, ""},
		{"another name", "POST", "/mcp", ping, func(r *http.Request) { r.Host = "localhost" }, 401, ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, at+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+d.key)
		if c.change != nil {
			c.change(r)
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != c.status || !strings.Contains(string(body), c.says) {
			t.Errorf("%s: %d %s, %v", c.name, res.StatusCode, body, err)
		}
		if bytes.Contains(body, []byte(d.key)) {
			t.Errorf("%s: the answer holds the key", c.name)
		}
	}
}

// TestLongCall: claude hears of a call that takes long, and then gets its answer; none once the turn is over.
func TestLongCall(t *testing.T) {
	const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"note","arguments":{}}}`
	for _, over := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d := &door{calls: make(chan call), ctx: ctx, key: "key"}
			w := httptest.NewRecorder()
			go func() {
				c := <-d.calls
				time.Sleep(3*aliveIn - time.Second)
				if over {
					cancel()
					return
				}
				c.answer <- tool.Result{Text: "Noted."}
			}()
			var m message
			if err := json.Unmarshal([]byte(body), &m); err != nil {
				t.Fatal(err)
			}
			d.stream(w, httptest.NewRequest(http.MethodPost, "/mcp", nil), m)
			said, want := w.Body.String(), "Noted."
			if over {
				want = "The turn is over."
			}
			if !strings.HasPrefix(said, ": waiting\n\n: waiting\n\nevent: message\ndata: {") || !strings.HasSuffix(said, "}\n\n") || !strings.Contains(said, want) {
				t.Errorf("%q", said)
			}
		})
	}
}

// FuzzLine: whatever claude writes, a line is read, passed over, or can't be read; and what isn't JSON is never read.
func FuzzLine(f *testing.F) {
	for _, s := range []string{
		`{"type":"system","subtype":"init","tools":["mcp__conch__note"],"mcp_servers":[{"name":"conch","status":"connected"}]}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}},"parent_tool_use_id":null}`,
		`{"type":"result","subtype":"success","is_error":true,"api_error_status":null,"result":"x"}`, `{"type":7}`, `{}`, `warning`, `{"type":"assistant","error":{"a":1}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := readLine(data)
		if l.Type != "" && (err != nil || !jsontext.Value(data).IsValid(lax) || !known[l.Type]) {
			t.Fatalf("%q is read as %+v, %v", data, l, err)
		}
	})
}

package compatibletest_test

import (
	"strings"
	"testing"

	"conch/gateway/engine/compatible/compatibletest"
)

const (
	pic    = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
	image  = `{"type":"image_url","image_url":{"url":"` + pic + `","detail":"high"}}`
	system = `{"role":"system","content":"You are Conch."}`
	asked  = `{"role":"user","content":"Click, and note x."}`
	calls  = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"computer","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"note","arguments":"{}"}}]}`
	shot   = `{"role":"tool","content":"Clicked.\nThe picture follows.","tool_call_id":"a"}`
	noted  = `{"role":"tool","content":"Noted.","tool_call_id":"b"}`
	seen   = `{"role":"user","content":[{"type":"text","text":"This is it."},` + image + `]}`
)

func body(messages ...string) string {
	return `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"note","description":"","parameters":{"type":"object"}}}],"messages":[` +
		strings.Join(messages, ",") + `]}`
}

func TestStrict(t *testing.T) {
	good := body(system, asked, calls, shot, noted, seen)
	change := func(s, old, to string) string {
		if !strings.Contains(s, old) {
			t.Fatalf("%q isn't in %s", old, s)
		}
		return strings.Replace(s, old, to, 1)
	}
	for _, c := range []struct{ name, body, say string }{
		{"as it should be", good, ""},
		{"in the other order", body(system, asked, calls, noted, shot, seen), ""},
		{"no answer to a call", body(system, asked, calls, shot, seen), "must be followed by tool messages"},
		{"no answer to the last call", body(system, asked, calls, shot), "must be followed by tool messages"},
		{"another id", change(good, `"tool_call_id":"b"`, `"tool_call_id":"c"`), "must be a response to a preceding message"},
		{"answered twice", body(system, asked, calls, shot, shot, noted, seen), "must be a response to a preceding message"},
		{"a picture in an answer", change(good, `"content":"Noted."`, `"content":[`+image+`]`), "must be text"},
		{"an answer in parts", change(good, `"content":"Noted."`, `"content":[{"type":"text","text":"Noted."}]`), "must be text"},
		{"a picture between the answers", body(system, asked, calls, shot, seen, noted), "must be followed by tool messages"},
		{"a picture that isn't there", body(system, asked, calls, shot, noted, asked), "Invalid content"},
		{"a picture of nothing", change(good, "The picture follows.", ""), "belong to no answer"},
		{"a picture elsewhere", change(good, pic, "https://example.com/a.png"), "data URL"},
		{"no picture at all", change(good, pic, "data:image/png;base64,AAAA"), "cannot identify"},
		{"a system message in the middle", body(system, asked, system), "must be text, and the first"},
		{"no system message", body(asked, asked), "no system message"},
		{"two messages of a person's", body(system, asked, asked), "must alternate"},
		{"an empty message", body(system, `{"role":"user","content":""}`), "Invalid content"},
		{"an empty answer", body(system, asked, `{"role":"assistant","content":null}`, asked), "needs text or calls"},
		{"the model's word last", body(system, asked, `{"role":"assistant","content":"Hi."}`), "must not be the assistant's"},
		{"a call of what no tool is called", change(good, `"name":"note","arguments"`, `"name":"functions.note","arguments"`), "Invalid tool call"},
		{"the same id twice", change(good, `"id":"b"`, `"id":"a"`), "Invalid tool call"},
		{"a schema's own name", change(good, `{"type":"object"}`, `{"$schema":"x","type":"object"}`), "Invalid schema"},
		{"a member that there isn't", change(good, `"stream":true`, `"stream":true,"store":false`), "Extra inputs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := compatibletest.Read([]byte(c.body))
			if (err == nil) != (c.say == "") || err != nil && !strings.Contains(err.Error(), c.say) {
				t.Error(err)
			}
		})
	}
}

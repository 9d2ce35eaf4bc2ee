package codex

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// TestBatch: in whatever order calls come, each is done only after all that the model made before it.
func TestBatch(t *testing.T) {
	ids := []string{"a", "b", "c"}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		b := batch{calls: ids}
		last := -1
		for _, n := range order {
			if b.turnOf(ids[n]) != "" {
				continue
			}
			if n != last+1 {
				t.Errorf("%v: %d is done after %d", order, n, last)
			}
			last = n
		}
		if last < 0 {
			t.Errorf("%v: none is done", order)
		}
		for _, id := range ids {
			if b.turnOf(id) == "" && last == len(ids)-1 {
				t.Errorf("%v: %s is done again", order, id)
			}
		}
	}
	b := batch{calls: ids}
	if b.turnOf("script") != "" || b.turnOf("a") != "" {
		t.Error("a script's call isn't done")
	}
	b.from(b.next)
	if b.turnOf("b") == "" || b.turnOf("c") == "" {
		t.Error("one is done after one that failed")
	}
}

// FuzzTold: whatever codex tells, it is taken in, passed over or can't be read.
func FuzzTold(f *testing.F) {
	for method, params := range map[string]string{
		"item/agentMessage/delta":   `{"threadId":"t","itemId":"i","delta":"a"}`,
		"error":                     `{"threadId":"t","willRetry":true,"error":{"codexErrorInfo":{"x":{"httpStatusCode":503}}}}`,
		"turn/completed":            `{"threadId":"t","turn":{"status":"failed","error":{"codexErrorInfo":"other"}}}`,
		"item/started":              `{"threadId":"t","item":{"type":"commandExecution"}}`,
		"rawResponseItem/completed": `{"threadId":"t","item":{"type":"function_call","name":"note","call_id":"c"}}`,
		"thread/tokenUsage/updated": `{"threadId":"t","tokenUsage":{"total":{"totalTokens":1},"last":{}}}`,
		"weather":                   `7`,
	} {
		f.Add(method, []byte(params))
	}
	f.Fuzz(func(t *testing.T, method string, params []byte) {
		r := newRun(engine.Turn{Tools: []tool.Tool{{Name: "note"}}}, wire.NewOut(context.Background(), func(engine.Event, error) bool { return true }))
		r.id = "t"
		_ = r.tells(message{Method: method, Params: jsontext.Value(params)}) // which must not panic
		if r.over && method != "turn/completed" {
			t.Fatalf("%s ends the turn", method)
		}
	})
}

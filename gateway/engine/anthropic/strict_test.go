package anthropic_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/engine/anthropic"
	"conch/gateway/engine/anthropic/anthropictest"
	"conch/gateway/engine/enginetest"
	"conch/gateway/tool"
)

// keeps remembers the last request that went through it, with its headers.
type keeps struct {
	*http.Transport
	mu     sync.Mutex
	body   []byte
	header http.Header
}

func (k *keeps) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		k.mu.Lock()
		k.body, k.header = body, r.Header.Clone()
		k.mu.Unlock()
	}
	return k.Transport.RoundTrip(r)
}

type object = map[string]any

func list(v any) []any     { return v.([]any) }
func members(v any) object { return v.(map[string]any) }

// last are the blocks of the nth message from the end.
func last(r object, n int) []any {
	m := list(r["messages"])
	return list(members(m[len(m)-n])["content"])
}

// TestTheServerIsStrict: what the real API refuses is refused here, one thing at a time, in a request that is
// otherwise the engine's own.
func TestTheServerIsStrict(t *testing.T) {
	does := enginetest.Does
	script := enginetest.Steps([]enginetest.Call{does(`{"action":"screenshot"}`), does(`{"action":"left_click","coordinate":[1,2]}`), {Name: "note", Args: `{"text":"a"}`}}, "Done.")
	var big bytes.Buffer
	if err := png.Encode(&big, image.NewGray(image.Rect(0, 0, 2600, 900))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, model string
		change      func(r object, h http.Header)
		says        string
	}{
		{"as it is", "claude-opus-5-5", func(object, http.Header) {}, ""},
		{"as it is", "claude-sonnet-4-6", func(object, http.Header) {}, ""},
		{"another key", "claude-opus-5-5", func(_ object, h http.Header) { h.Set("X-Api-Key", "sk-other") }, "invalid x-api-key"},
		{"no version", "claude-opus-5-5", func(_ object, h http.Header) { h.Del("Anthropic-Version") }, "anthropic-version"},
		{"no beta header", "claude-sonnet-4-6", func(_ object, h http.Header) { h.Del("Anthropic-Beta") }, "beta header"},
		{"another model", "claude-opus-5-5", func(r object, _ http.Header) { r["model"] = "claude-x" }, "model: claude-x"},
		{"an unknown member", "claude-opus-5-5", func(r object, _ http.Header) { r["more"] = 1 }, "more"},
		{"too many tokens", "claude-opus-5-5", func(r object, _ http.Header) { r["max_tokens"] = 1_000_000 }, "max_tokens"},
		{"thinking enabled", "claude-opus-5-5", func(r object, _ http.Header) { r["thinking"] = object{"type": "enabled", "budget_tokens": 2000} }, "thinking.type"},
		{"thinking disabled", "claude-opus-5-5", func(r object, _ http.Header) { r["thinking"] = object{"type": "disabled"} }, "thinking.type"},
		{"tool_choice any", "claude-opus-5-5", func(r object, _ http.Header) { r["tool_choice"] = object{"type": "any"} }, "tool_choice"},
		{"a size in the toolset", "claude-opus-5-5", func(r object, _ http.Header) { members(list(r["tools"])[0])["display_width_px"] = 1280 }, "display_width_px"},
		{"a name of the toolset", "claude-opus-5-5", func(r object, _ http.Header) { members(list(r["tools"])[0])["name"] = "computer" }, "name"},
		{"an unknown member of the toolset", "claude-opus-5-5", func(r object, _ http.Header) {
			members(list(r["tools"])[0])["configs"] = object{"teleport": object{"enabled": false}}
		}, "configs.teleport"},
		{"an older tool", "claude-opus-5-5", func(r object, h http.Header) {
			list(r["tools"])[0] = object{"type": "computer_20251124", "name": "computer", "display_width_px": 9, "display_height_px": 9}
			h.Set("Anthropic-Beta", "computer-use-2025-11-24")
		}, "not supported on this model"},
		{"a tool of the toolset's name", "claude-opus-5-5", func(r object, _ http.Header) {
			r["tools"] = append(list(r["tools"]), object{"name": "computer", "input_schema": object{"type": "object"}})
		}, "unique"},
		{"no toolset_name", "claude-opus-5-5", func(r object, _ http.Header) { delete(members(last(r, 3)[0]), "toolset_name") }, "toolset_name"},
		{"toolset_name of a plain tool", "claude-opus-5-5", func(r object, _ http.Header) { members(last(r, 1)[0])["toolset_name"] = "computer" }, "toolset_name"},
		{"no result", "claude-opus-5-5", func(r object, _ http.Header) {
			last(r, 1)[0] = object{"type": "text", "text": "hello"}
		}, "`tool_use` ids were found without"},
		{"a result of nothing", "claude-opus-5-5", func(r object, _ http.Header) { members(last(r, 1)[0])["tool_use_id"] = "toolu_9" }, "must answer"},
		{"words before a result", "claude-opus-5-5", func(r object, _ http.Header) {
			m := members(list(r["messages"])[len(list(r["messages"]))-1])
			m["content"] = append([]any{object{"type": "text", "text": "hello"}}, list(m["content"])...)
		}, "first in its message"},
		{"a picture in an error", "claude-opus-5-5", func(r object, _ http.Header) { members(last(r, 3)[0])["is_error"] = true }, "is_error"},
		{"an empty error", "claude-opus-5-5", func(r object, _ http.Header) {
			b := members(last(r, 1)[0])
			b["is_error"], b["content"] = true, []any{}
		}, "cannot be empty"},
		{"a screenshot without a picture", "claude-opus-5-5", func(r object, _ http.Header) {
			b := members(last(r, 5)[0])
			b["content"] = list(b["content"])[:1]
		}, "needs an image"},
		{"a picture that is too large", "claude-opus-5-5", func(r object, _ http.Header) {
			b := members(list(members(last(r, 3)[0])["content"])[1])
			members(b["source"])["data"] = base64.StdEncoding.EncodeToString(big.Bytes())
		}, "larger than this model looks at"},
		{"a picture that isn't one", "claude-opus-5-5", func(r object, _ http.Header) {
			members(members(list(members(last(r, 3)[0])["content"])[1])["source"])["media_type"] = "image/jpeg"
		}, "image/jpeg"},
		{"changed thinking", "claude-sonnet-4-6", func(r object, _ http.Header) { members(last(r, 2)[0])["thinking"] = "Another." }, "signature"},
		{"unsigned thinking", "claude-opus-5-5", func(r object, _ http.Header) { delete(members(last(r, 2)[0]), "signature") }, "signature"},
		{"no thinking", "claude-opus-5-5", func(r object, _ http.Header) {
			m := members(list(r["messages"])[len(list(r["messages"]))-2])
			m["content"] = list(m["content"])[1:]
		}, "cannot be modified"},
		{"a changed past", "claude-opus-5-5", func(r object, _ http.Header) {
			b := members(last(r, 3)[0])
			b["content"] = []any{object{"type": "text", "text": engine.Gone}}
		}, "signature"},
		{"a changed system", "claude-opus-5-5", func(r object, _ http.Header) { members(list(r["system"])[0])["text"] = "Else." }, "signature"},
		{"binding without its header", "claude-opus-5-5", func(r object, _ http.Header) {
			members(r["thinking"])["block_binding"] = object{"prefix_mismatch_behavior": "drop_block"}
		}, "block_binding"},
		{"clearing without its header", "claude-opus-5-5", func(r object, _ http.Header) {
			r["context_management"] = object{"edits": []any{}}
		}, "context_management"},
		{"five marks", "claude-opus-5-5", func(r object, _ http.Header) {
			for _, tool := range list(r["tools"]) {
				members(tool)["cache_control"] = object{"type": "ephemeral"}
			}
		}, "maximum of 4"},
		{"an empty text", "claude-opus-5-5", func(r object, _ http.Header) { members(last(r, 7)[0])["text"] = " " }, "non-whitespace"},
		{"the model has the last word", "claude-opus-5-5", func(r object, _ http.Header) {
			r["messages"] = append(list(r["messages"]), object{"role": "assistant", "content": "So"})
		}, "prefill"},
	} {
		t.Run(c.name+" "+c.model, func(t *testing.T) {
			s := anthropictest.New(t, c.model, script)
			via := &keeps{Transport: &http.Transport{}}
			t.Cleanup(via.CloseIdleConnections)
			e := anthropic.New(anthropic.Config{Key: anthropictest.Key, Base: s.URL, HTTP: via})
			d := drive(t, e, turnOf(modelOf(t, e, c.model)), func(call engine.ToolCall) tool.Result {
				if call.Name == "note" {
					return tool.Result{Text: "Noted."}
				}
				return tool.Result{Text: "Done.", Picture: screen(1)}
			})
			if d.err != nil || len(s.Refused()) > 0 {
				t.Fatal(d.err, s.Refused())
			}
			var r object
			if err := json.Unmarshal(via.body, &r); err != nil {
				t.Fatal(err)
			}
			h := via.header.Clone()
			c.change(r, h)
			body, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/messages", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header = h
			res, err := via.Transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			said, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if c.says == "" {
				if res.StatusCode != http.StatusOK {
					t.Fatalf("%d %s", res.StatusCode, said)
				}
				return
			}
			if res.StatusCode < 400 || !strings.Contains(string(said), c.says) {
				t.Errorf("%d %.300s", res.StatusCode, said)
			}
		})
	}
}

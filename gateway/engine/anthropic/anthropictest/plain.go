package anthropictest

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/tool"
)

// Plain is the loop that everybody writes first: each request says all that was said and shown before, nothing is
// left out and nothing is marked for the cache. What an engine takes is measured against it. The model has the
// toolset, or, where a computer tool is given, that.
func Plain(t testing.TB, s *Server, system, said string, computer *tool.Tool, do func() tool.Result) {
	t.Helper()
	tools := []any{map[string]any{"type": Toolset}}
	if computer != nil {
		tools = []any{map[string]any{"name": computer.Name, "description": computer.About, "input_schema": jsontext.Value(computer.Schema)}}
	}
	messages := []any{map[string]any{"role": "user", "content": said}}
	for {
		content := plainAsk(t, s, map[string]any{
			"model": s.model.ID, "max_tokens": 8000, "stream": true, "tools": tools, "messages": messages,
			"system": []any{map[string]any{"type": "text", "text": system}},
		})
		var results []any
		for _, b := range content {
			if b["type"] == "tool_use" {
				results = append(results, plainResult(b, do()))
			}
		}
		if len(results) == 0 {
			return
		}
		messages = append(messages, map[string]any{"role": "assistant", "content": content}, map[string]any{"role": "user", "content": results})
	}
}

func plainResult(call map[string]any, r tool.Result) any {
	content := []any{map[string]any{"type": "text", "text": r.Text}}
	if r.Picture != nil {
		content = append(content, map[string]any{"type": "image", "source": map[string]any{
			"type": "base64", "media_type": r.Picture.MIME, "data": base64.StdEncoding.EncodeToString(r.Picture.Data),
		}})
	}
	out := map[string]any{"type": "tool_result", "tool_use_id": call["id"], "content": content}
	if set, ok := call["toolset_name"]; ok {
		out["toolset_name"] = set
	}
	return out
}

// plainAsk sends one request and puts the blocks of its answer together.
func plainAsk(t testing.TB, s *Server, request map[string]any) []map[string]any {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", Key)
	req.Header.Set("Anthropic-Version", "2023-06-01")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("refused: %v", s.Refused())
	}
	var content []map[string]any
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type  string         `json:"type"`
			Index int            `json:"index"`
			Block map[string]any `json:"content_block"`
			Delta map[string]any `json:"delta"`
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "content_block_start":
			content = append(content, e.Block)
		case "content_block_delta":
			for _, m := range [][2]string{{"text", "text"}, {"thinking", "thinking"}, {"signature", "signature"}, {"partial_json", "json"}} {
				if piece, ok := e.Delta[m[0]]; ok {
					content[e.Index][m[1]] = fmt.Sprint(orNothing(content[e.Index][m[1]]), piece)
				}
			}
		}
	}
	for _, b := range content {
		if input, ok := b["json"].(string); ok {
			b["input"] = jsontext.Value(input)
			delete(b, "json")
		}
	}
	return content
}

func orNothing(v any) any {
	if v == nil {
		return ""
	}
	return v
}

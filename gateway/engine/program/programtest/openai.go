package programtest

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/openai/openaitest"
)

// NewOpenAI starts OpenAI as the real codex talks to it. A model calls the turn's tools as functions; where codex
// doesn't offer it any but a script, from that.
func NewOpenAI(t testing.TB, brain enginetest.Brain) *Provider {
	t.Helper()
	return newProvider(t, &Provider{path: "/v1/responses", read: ReadOpenAI, answer: func(s enginetest.Seen) [][]byte {
		a := brain(s)
		a.Usage = engine.Usage{In: 100 + len(s.Results), Out: 7, CacheRead: 10}
		style := openaitest.Style{Number: len(s.Results)}
		if len(a.Calls) == 0 || slices.Contains(s.Tools, a.Calls[0].Name) {
			frames, _ := openaitest.Encode(a, style)
			return frames
		}
		call := a.Calls[0]
		a.Calls = nil
		frames, _ := openaitest.Encode(a, style)
		return slices.Insert(frames, 1, script(call))
	}})
}

// script calls a tool as codex's models are told to, and shows themselves the picture.
func script(c enginetest.Call) []byte {
	item, err := json.Marshal(map[string]any{
		"type": "response.output_item.done", "output_index": 0, "item": map[string]any{
			"type": "custom_tool_call", "id": "ct_" + c.ID, "call_id": c.ID, "name": "exec", "namespace": "functions", "status": "completed",
			"input": fmt.Sprintf(`const r = await tools.%s(%s); const i = r.lastIndexOf("\ndata:image/"); text(i < 0 ? r : r.slice(0, i)); if (i >= 0) image(r.slice(i + 1));`, c.Name, c.Args),
		},
	})
	if err != nil {
		panic(err)
	}
	return []byte("event: response.output_item.done\ndata: " + string(item) + "\n\n")
}

// CodexEnv has the real codex talk to a provider as somebody who has a home folder. They have an MCP server of their own
// set up, which makes a file "started" in that folder and must not be started.
func CodexEnv(t testing.TB, home string, p *Provider) []string {
	t.Helper()
	folder := filepath.Join(home, ".codex")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "CODEX_HOME=" + folder}
	if p == nil {
		return env
	}
	config := fmt.Sprintf("model_provider = \"here\"\n[model_providers.here]\nname = \"here\"\nbase_url = %q\nenv_key = \"CONCH_TEST_KEY\"\nwire_api = \"responses\"\n"+
		"[mcp_servers.other]\ncommand = \"/usr/bin/touch\"\nargs = [%q]\n", p.URL+"/v1", filepath.Join(home, "started"))
	if err := os.WriteFile(filepath.Join(folder, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(home, "started")); err == nil {
			t.Error("an MCP server of the person's own was started")
		}
	})
	return append(env, "CONCH_TEST_KEY="+Key)
}

type piece struct {
	Text  string `json:"text"`
	Image string `json:"image_url"`
}

func parts(v jsontext.Value) (text string, picture []byte) {
	if json.Unmarshal(v, &text) == nil {
		return text, nil
	}
	var all []piece
	_ = json.Unmarshal(v, &all) // none fail the test
	for _, p := range all {
		text += p.Text
		if _, data, ok := strings.Cut(p.Image, ";base64,"); ok {
			picture, _ = base64.StdEncoding.DecodeString(data) // another picture fails the test
		}
	}
	return text, picture
}

type offered struct {
	Type  string    `json:"type"`
	Name  string    `json:"name"`
	Tools []offered `json:"tools"`
}

// ReadOpenAI says what a request of the real codex holds.
func ReadOpenAI(body []byte) (s enginetest.Seen, err error) {
	var q struct {
		Tools        []offered `json:"tools"`
		Instructions string    `json:"instructions"`
		Input        []struct {
			Type    string         `json:"type"`
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
			Output  jsontext.Value `json:"output"`
			Tools   []offered      `json:"tools"`
		} `json:"input"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return s, err
	}
	s.System = q.Instructions
	offers := q.Tools
	for _, it := range q.Input {
		text, picture := parts(it.Content)
		switch {
		case it.Type == "additional_tools":
			for _, space := range it.Tools {
				offers = append(offers, space.Tools...)
			}
		case strings.HasSuffix(it.Type, "_call_output"):
			text, picture := parts(it.Output)
			s.Results = append(s.Results, enginetest.Result{Text: text, Picture: picture})
		case it.Role == "developer":
			s.System += text + "\n"
		case it.Role == "user":
			s.Said += text + "\n"
			s.Shown = picture
		case it.Role == "assistant":
			s.Said += "(" + text + ")\n"
		}
	}
	for _, o := range offers {
		s.Tools = append(s.Tools, o.Name)
	}
	return s, nil
}

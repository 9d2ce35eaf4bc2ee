package programtest

import (
	"encoding/base64"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/anthropic/anthropictest"
	"conch/gateway/engine/enginetest"
)

// NewAnthropic starts Anthropic as the real claude talks to it.
func NewAnthropic(t testing.TB, brain enginetest.Brain) *Provider {
	t.Helper()
	return newProvider(t, &Provider{path: "/v1/messages", read: ReadAnthropic, answer: func(s enginetest.Seen) [][]byte {
		a := brain(s)
		a.Usage = engine.Usage{In: 100 + len(s.Results), Out: 7, CacheRead: 10, CacheMade: 5}
		for i := range a.Calls {
			a.Calls[i].Name = "mcp__conch__" + a.Calls[i].Name
		}
		return anthropictest.Encode(a, "")
	}})
}

// ClaudeEnv has the real claude talk to a provider as somebody who has a home folder.
func ClaudeEnv(home string, p *Provider) []string {
	return []string{"HOME=" + home, "ANTHROPIC_BASE_URL=" + p.URL, "ANTHROPIC_API_KEY=" + Key}
}

type block struct {
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	Content jsontext.Value `json:"content"`
	Failed  bool           `json:"is_error"`
	Source  struct {
		Data string `json:"data"`
	} `json:"source"`
}

func (b block) picture() []byte {
	data, _ := base64.StdEncoding.DecodeString(b.Source.Data) // another picture fails the test
	return data
}

func blocks(v jsontext.Value) []block {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var out []block
	_ = json.Unmarshal(v, &out) // none fail the test
	return out
}

// ReadAnthropic says what a request of the real claude holds.
func ReadAnthropic(body []byte) (s enginetest.Seen, err error) {
	var q struct {
		System   jsontext.Value `json:"system"`
		Messages []struct {
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return s, err
	}
	for _, b := range blocks(q.System) {
		s.System += b.Text + "\n"
	}
	for _, t := range q.Tools {
		s.Tools = append(s.Tools, t.Name)
	}
	for _, m := range q.Messages {
		for _, b := range blocks(m.Content) {
			switch {
			case b.Type == "tool_result":
				res := enginetest.Result{Failed: b.Failed}
				for _, c := range blocks(b.Content) {
					res.Text += c.Text
					if c.Type == "image" {
						res.Picture = c.picture()
					}
				}
				s.Results = append(s.Results, res)
			case m.Role == "user" && b.Type == "image":
				s.Shown = b.picture()
			case m.Role == "user" && b.Type == "text":
				s.Said += b.Text + "\n"
			}
		}
	}
	return s, nil
}

package anthropictest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// fault is why a request is refused.
type fault struct {
	status int // 0: 400
	kind   string
	say    string
}

func (f *fault) Error() string { return f.say }

func bad(format string, args ...any) error { return &fault{say: fmt.Sprintf(format, args...)} }

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

type request struct {
	Model     string           `json:"model"`
	MaxTokens int              `json:"max_tokens"`
	Stream    bool             `json:"stream"`
	System    []block          `json:"system"`
	Messages  []message        `json:"messages"`
	Tools     []jsontext.Value `json:"tools"`
	Choice    *struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Parallel bool   `json:"disable_parallel_tool_use"`
	} `json:"tool_choice"`
	Thinking *struct {
		Type    string `json:"type"`
		Display string `json:"display"`
		Budget  int    `json:"budget_tokens"`
		Binding *struct {
			Behavior string `json:"prefix_mismatch_behavior"`
		} `json:"block_binding"`
	} `json:"thinking"`
	Context *struct {
		Edits []edit `json:"edits"`
	} `json:"context_management"`
}

type count struct {
	Type  string `json:"type"`
	Value int    `json:"value"`
}

type edit struct {
	Type    string   `json:"type"`
	Keep    *count   `json:"keep"`
	Trigger *count   `json:"trigger"`
	Least   *count   `json:"clear_at_least"`
	Exclude []string `json:"exclude_tools"`
	Inputs  bool     `json:"clear_tool_inputs"`
}

type message struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`
}

type source struct {
	Type  string `json:"type"`
	Media string `json:"media_type"`
	Data  string `json:"data"`
}

type block struct {
	Type  string        `json:"type"`
	Cache *cacheControl `json:"cache_control"`

	Text      string         `json:"text"`
	Citations jsontext.Value `json:"citations"`

	Source          *source `json:"source"`
	Transformations *struct {
		Oversized string `json:"oversized_image"`
	} `json:"transformations"`

	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Input   jsontext.Value `json:"input"`
	Toolset *string        `json:"toolset_name"`

	Use     string         `json:"tool_use_id"`
	IsError bool           `json:"is_error"`
	Content jsontext.Value `json:"content"`

	Thinking  *string `json:"thinking"`
	Signature *string `json:"signature"`
	Data      *string `json:"data"`

	inner []block // of a result
	call  *block  // that a result answers
	img   picture
}

// parsed is a request that was read and found right.
type parsed struct {
	request
	model    Model
	messages []said
	native   string // the computer tool in it
	tools    []string
	drops    bool
	prefixes []string
}

type said struct {
	role   string
	blocks []block
	raw    jsontext.Value // its content
}

// read reads a request as strictly as the API does.
func read(body []byte, betas []string, m Model) (*parsed, error) {
	p := &parsed{model: m}
	if err := json.Unmarshal(body, &p.request, json.RejectUnknownMembers(true)); err != nil {
		return nil, bad("%v", err)
	}
	if p.Model != m.ID {
		return nil, &fault{404, "not_found_error", "model: " + p.Model}
	}
	for _, check := range []func(*parsed, []string) error{
		(*parsed).checkTop, (*parsed).checkTools, (*parsed).checkMessages, (*parsed).checkResults, (*parsed).checkPictures, (*parsed).checkCache,
	} {
		if err := check(p, betas); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *parsed) checkTop(betas []string) error {
	switch {
	case p.MaxTokens < 1 || p.MaxTokens > p.model.Out:
		return bad("max_tokens: %d > %d", p.MaxTokens, p.model.Out)
	case !p.Stream:
		return bad("this server streams only")
	}
	for i, b := range p.System {
		if b.Type != "text" || strings.TrimSpace(b.Text) == "" {
			return bad("system.%d: text content blocks must be non-empty", i)
		}
	}
	if c := p.Choice; c != nil && c.Type != "auto" && c.Type != "none" && p.model.Binds {
		return bad("tool_choice: %s is not supported on this model", c.Type)
	}
	if t := p.Thinking; t != nil {
		switch {
		case t.Type != "adaptive" && p.model.Binds:
			return bad("thinking.type: %s is not supported on this model", t.Type)
		case t.Type == "adaptive" && !p.model.Adaptive:
			return bad("adaptive thinking is not supported on this model")
		case t.Display != "" && !slices.Contains([]string{"summarized", "omitted"}, t.Display):
			return bad("thinking.display: %s", t.Display)
		case t.Binding != nil && !slices.Contains(betas, "thinking-binding-controls-2026-08-01"):
			return bad("thinking.block_binding: Extra inputs are not permitted")
		}
		p.drops = t.Binding != nil && t.Binding.Behavior == "drop_block"
	}
	if c := p.Context; c != nil {
		if !slices.Contains(betas, "context-management-2025-06-27") {
			return bad("context_management: Extra inputs are not permitted")
		}
		for _, e := range c.Edits {
			if e.Type != "clear_tool_uses_20250919" || e.Keep == nil || e.Keep.Type != "tool_uses" || e.Keep.Value < 0 ||
				e.Trigger == nil || e.Trigger.Type != "tool_uses" || e.Trigger.Value < 1 {
				return bad("context_management.edits: %+v", e)
			}
		}
	}
	return nil
}

func (p *parsed) checkMessages([]string) error {
	for i, m := range p.request.Messages {
		var blocks []block
		if m.Content.Kind() == '"' {
			var text string
			if err := json.Unmarshal(m.Content, &text); err != nil {
				return bad("%v", err)
			}
			blocks = []block{{Type: "text", Text: text}}
		} else if err := json.Unmarshal(m.Content, &blocks, json.RejectUnknownMembers(true)); err != nil {
			return bad("messages.%d.content: %v", i, err)
		}
		if len(blocks) == 0 {
			return bad("messages.%d: all messages must have non-empty content", i)
		}
		for n, b := range blocks {
			if err := checkBlock(m.Role, b); err != nil {
				return bad("messages.%d.content.%d: %v", i, n, err)
			}
		}
		p.messages = append(p.messages, said{m.Role, blocks, m.Content})
	}
	n := len(p.messages)
	switch {
	case n == 0 || p.messages[0].role != "user":
		return bad("messages: first message must use the \"user\" role")
	case p.messages[n-1].role != "user" && p.model.Adaptive:
		return bad("this model does not support assistant message prefill")
	}
	return nil
}

// checkBlock checks one block by itself.
func checkBlock(role string, b block) error {
	users := []string{"text", "image", "tool_result"}
	models := []string{"text", "thinking", "redacted_thinking", "tool_use"}
	switch {
	case role == "user" && !slices.Contains(users, b.Type), role == "assistant" && !slices.Contains(models, b.Type), role != "user" && role != "assistant":
		return bad("%s is not permitted in a message of the role %s", b.Type, role)
	case b.Type == "text" && strings.TrimSpace(b.Text) == "":
		return bad("text content blocks must contain non-whitespace text")
	case b.Type == "image" && b.Source == nil:
		return bad("source: Field required")
	case b.Type == "tool_use" && (b.ID == "" || b.Name == "" || b.Input.Kind() != '{'):
		return bad("tool_use needs id, name and an object as its input")
	case (b.Type == "thinking" || b.Type == "redacted_thinking") && b.Cache != nil:
		return bad("thinking blocks cannot be cached")
	}
	return nil
}

// canonical is JSON in one order, without marks for the cache.
func canonical(raw jsontext.Value) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return string(raw)
	}
	out, err := json.Marshal(unmarked(v), json.Deterministic(true))
	if err != nil {
		return string(raw)
	}
	return string(out)
}

func unmarked(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "cache_control")
		for k := range v {
			v[k] = unmarked(v[k])
		}
	case []any:
		for i := range v {
			v[i] = unmarked(v[i])
		}
	}
	return v
}

// prefix is a digest of all that comes before a message.
func (p *parsed) prefix(before int) string {
	if p.prefixes == nil {
		var b strings.Builder
		for _, t := range p.request.Tools {
			b.WriteString(canonical(t))
		}
		for _, s := range p.System {
			b.WriteString("|" + s.Text)
		}
		so := digest(b.String())
		p.prefixes = append(p.prefixes, so)
		for _, m := range p.messages {
			so = digest(so + "|" + m.role + canonical(m.raw))
			p.prefixes = append(p.prefixes, so)
		}
	}
	return p.prefixes[before]
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

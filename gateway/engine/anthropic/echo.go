package anthropic

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine/wire"
)

// args are the arguments of a tool's use, or what the model is told of them.
func (b *block) args() (args []byte, bad string) {
	raw := b.input
	if len(raw) == 0 {
		raw = b.begun["input"] // whole from the beginning
	}
	return wire.Args(raw)
}

// echo is the block as it is sent back: what it began with, and all that was added to it, unchanged. It is nil for one
// that may not be sent back, which is text without a letter.
func (b *block) echo() (jsontext.Value, error) {
	more := map[string]any{}
	switch b.kind {
	case "text":
		if strings.TrimSpace(string(b.text)) == "" {
			return nil, nil
		}
		more["text"] = string(b.text)
		if len(b.citations) > 0 {
			more["citations"] = b.citations
		}
	case "thinking":
		more["thinking"], more["signature"] = string(b.thinking), string(b.signature)
	case "tool_use", "server_tool_use", "mcp_tool_use":
		args, bad := b.args()
		if bad != "" {
			args = []byte("{}") // nothing else can be sent; the answer says what was wrong
		}
		more["input"] = jsontext.Value(args)
	}
	all := make(map[string]jsontext.Value, len(b.begun)+len(more))
	for k, v := range b.begun {
		all[k] = v
	}
	for k, v := range more {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		all[k] = raw
	}
	return json.Marshal(all, json.Deterministic(true))
}

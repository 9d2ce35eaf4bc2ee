package wire

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// maxArgs is the size of the longest arguments of a call, in bytes.
const maxArgs = 1 << 20

// Args checks the arguments of a tool call as a model wrote them: one JSON object, no name twice. None are {}. When
// they can't be used, the sentence is the answer to the model, and the tool isn't called.
func Args(raw []byte) (args []byte, bad string) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return []byte("{}"), ""
	}
	if len(raw) > maxArgs {
		return nil, "The arguments of this call are too long, so nothing was done. Use shorter ones."
	}
	if v := jsontext.Value(raw); !v.IsValid() || v.Kind() != '{' {
		return nil, "The arguments of this call aren't a JSON object, so nothing was done. Write them again."
	}
	return bytes.Clone(raw), ""
}

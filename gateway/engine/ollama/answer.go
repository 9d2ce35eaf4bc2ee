package ollama

import (
	"bytes"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// The shapes of the API, as far as they are read.
type (
	chunk struct {
		Message struct {
			Content  string           `json:"content"`
			Thinking string           `json:"thinking"`
			Calls    []jsontext.Value `json:"tool_calls"`
		} `json:"message"`
		Done   bool           `json:"done"`
		Reason string         `json:"done_reason"`
		In     int            `json:"prompt_eval_count"`
		Out    int            `json:"eval_count"`
		Error  jsontext.Value `json:"error"`
	}
	call struct {
		ID       string `json:"id"`
		Function struct {
			Name string         `json:"name"`
			Args jsontext.Value `json:"arguments"`
		} `json:"function"`
	}
)

// answer is one answer of the model.
type answer struct {
	text, thinking bytes.Buffer
	calls          []call
	raw            []jsontext.Value // the calls as they came
	reason         string
	usage          engine.Usage
}

// read reads a stream of lines. An answer without its last line isn't whole.
func (a *answer) read(out *wire.Out) func(io.Reader) (bool, error) {
	return func(body io.Reader) (shown bool, err error) {
		*a = answer{} // what a broken try had said counts no more
		done := false
		for line, err := range wire.Lines(body) {
			if err != nil {
				return shown, err
			}
			var c chunk
			if json.Unmarshal(line, &c) != nil {
				return shown, wire.ErrStrange
			}
			if len(c.Error) > 0 {
				return shown, wire.ParseFault(line)
			}
			said, err := a.chunk(c, out)
			if shown = shown || said; err != nil {
				return shown, err
			}
			done = done || c.Done
		}
		if !done {
			return shown, wire.ErrCut
		}
		return shown, nil
	}
}

// chunk takes one line in, and says whether something was shown.
func (a *answer) chunk(c chunk, out *wire.Out) (shown bool, err error) {
	for _, raw := range c.Message.Calls {
		var one call
		if json.Unmarshal(raw, &one) != nil {
			return false, wire.ErrStrange
		}
		one.Function.Args = bytes.Clone(one.Function.Args)
		a.calls, a.raw = append(a.calls, one), append(a.raw, bytes.Clone(raw))
	}
	if c.Done {
		a.reason, a.usage = c.Reason, engine.Usage{In: c.In, Out: c.Out}
	}
	if t := c.Message.Thinking; t != "" {
		a.thinking.WriteString(t)
		if shown = true; !out.Event(engine.Thinking{Piece: t}) {
			return true, wire.ErrBroken
		}
	}
	if t := c.Message.Content; t != "" {
		a.text.WriteString(t)
		if shown = true; !out.Text(t) {
			return true, wire.ErrBroken
		}
	}
	return shown, nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

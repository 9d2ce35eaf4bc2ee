package anthropic

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

const maxBlocks = 2000 // in one answer

// usage is what the API counts, for the whole message each time.
type usage struct {
	In    int `json:"input_tokens"`
	Out   int `json:"output_tokens"`
	Read  int `json:"cache_read_input_tokens"`
	Wrote int `json:"cache_creation_input_tokens"`
}

// answer is one message of the model's, as far as it has come.
type answer struct {
	blocks []*block
	stop   string // why it ended
	usage  usage
	shown  bool // some of its text has been yielded
}

// block is one block of content. What it began with is kept as it came, since it is sent back.
type block struct {
	kind  string
	begun map[string]jsontext.Value
	whole bool

	text, thinking, signature, input []byte
	citations                        []jsontext.Value

	id, name, toolset string // of a tool's use
}

// read reads an answer's events and yields what can be shown. It is nil only for a whole answer.
func (a *answer) read(body io.Reader, out *wire.Out) error {
	for ev, err := range wire.Events(body) {
		if err != nil {
			return err
		}
		done, err := a.event(ev.Data, out)
		if done || err != nil {
			return err
		}
	}
	return wire.ErrCut
}

// event takes one event. Kinds that aren't known are passed over.
func (a *answer) event(data []byte, out *wire.Out) (done bool, err error) {
	var kind struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(data, &kind) != nil {
		return false, wire.ErrStrange
	}
	switch kind.Type {
	case "message_start":
		return false, a.messageStart(data)
	case "content_block_start":
		return false, a.blockStart(data, out)
	case "content_block_delta":
		return false, a.blockDelta(data, out)
	case "content_block_stop":
		b, err := a.open(data)
		if err == nil {
			b.whole = true
		}
		return false, err
	case "message_delta":
		return false, a.messageDelta(data)
	case "message_stop":
		for _, b := range a.blocks {
			if !b.whole {
				return false, wire.ErrStrange
			}
		}
		if a.stop == "" {
			return false, wire.ErrStrange
		}
		return true, nil
	case "error":
		return false, wire.ParseFault(data)
	}
	return false, nil
}

func (a *answer) messageStart(data []byte) error {
	var in struct {
		Message struct {
			Usage usage `json:"usage"`
		} `json:"message"`
	}
	if json.Unmarshal(data, &in) != nil || len(a.blocks) > 0 {
		return wire.ErrStrange
	}
	a.usage = in.Message.Usage
	return nil
}

func (a *answer) messageDelta(data []byte) error {
	var in struct {
		Delta struct {
			Stop string `json:"stop_reason"`
		} `json:"delta"`
		Usage jsontext.Value `json:"usage"`
	}
	if json.Unmarshal(data, &in) != nil {
		return wire.ErrStrange
	}
	if in.Delta.Stop != "" {
		a.stop = in.Delta.Stop
	}
	// Numbers that aren't there stay as the message began with; null is one that isn't there.
	more := a.usage
	if len(in.Usage) > 0 && json.Unmarshal(in.Usage, &more) != nil {
		return wire.ErrStrange
	}
	keep := func(had, has int) int { return max(had, has) }
	a.usage = usage{keep(a.usage.In, more.In), keep(a.usage.Out, more.Out), keep(a.usage.Read, more.Read), keep(a.usage.Wrote, more.Wrote)}
	return nil
}

func (a *answer) blockStart(data []byte, out *wire.Out) error {
	var in struct {
		Index int                       `json:"index"`
		Block map[string]jsontext.Value `json:"content_block"`
	}
	if json.Unmarshal(data, &in) != nil || in.Index != len(a.blocks) || in.Index >= maxBlocks {
		return wire.ErrStrange
	}
	b := &block{begun: in.Block}
	for _, m := range []struct {
		name string
		to   *string
	}{{"type", &b.kind}, {"id", &b.id}, {"name", &b.name}, {"toolset_name", &b.toolset}} {
		if v := in.Block[m.name]; v.Kind() == '"' && json.Unmarshal(v, m.to) != nil {
			return wire.ErrStrange
		}
	}
	if b.kind == "" || b.kind == "tool_use" && (b.id == "" || b.name == "") {
		return wire.ErrStrange
	}
	a.blocks = append(a.blocks, b)
	var begin struct {
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
		Sign     string `json:"signature"`
	}
	if b.kind == "text" || b.kind == "thinking" {
		raw, err := json.Marshal(in.Block)
		if err != nil || json.Unmarshal(raw, &begin) != nil {
			return wire.ErrStrange
		}
	}
	b.signature = append(b.signature, begin.Sign...)
	if !a.thinking(b, begin.Thinking, out) || !a.text(b, begin.Text, out) {
		return wire.ErrBroken
	}
	return nil
}

func (a *answer) blockDelta(data []byte, out *wire.Out) error {
	b, err := a.open(data)
	if err != nil {
		return err
	}
	var in struct {
		Delta struct {
			Type      string         `json:"type"`
			Text      string         `json:"text"`
			Partial   string         `json:"partial_json"`
			Thinking  string         `json:"thinking"`
			Signature string         `json:"signature"`
			Citation  jsontext.Value `json:"citation"`
		} `json:"delta"`
	}
	if json.Unmarshal(data, &in) != nil {
		// A delta of a kind that isn't known may have anything in it.
		var kind struct {
			Delta struct {
				Type string `json:"type"`
			} `json:"delta"`
		}
		if json.Unmarshal(data, &kind) == nil && kind.Delta.Type != "" && !knownDelta(kind.Delta.Type) {
			return nil
		}
		return wire.ErrStrange
	}
	on := true
	switch d := in.Delta; d.Type {
	case "text_delta":
		on = a.text(b, d.Text, out)
	case "thinking_delta":
		on = a.thinking(b, d.Thinking, out)
	case "signature_delta":
		b.signature = append(b.signature, d.Signature...)
	case "input_json_delta":
		b.input = append(b.input, d.Partial...)
	case "citations_delta":
		b.citations = append(b.citations, d.Citation.Clone())
	}
	if !on {
		return wire.ErrBroken
	}
	return nil
}

func knownDelta(kind string) bool {
	switch kind {
	case "text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta":
		return true
	}
	return false
}

// open is the block that an event is about, which must be one that isn't whole yet.
func (a *answer) open(data []byte) (*block, error) {
	var in struct {
		Index *int `json:"index"`
	}
	if json.Unmarshal(data, &in) != nil || in.Index == nil || *in.Index < 0 || *in.Index >= len(a.blocks) || a.blocks[*in.Index].whole {
		return nil, wire.ErrStrange
	}
	return a.blocks[*in.Index], nil
}

func (a *answer) text(b *block, piece string, out *wire.Out) bool {
	if piece == "" {
		return true
	}
	b.text = append(b.text, piece...)
	a.shown = true
	return out.Text(piece)
}

func (*answer) thinking(b *block, piece string, out *wire.Out) bool {
	if piece == "" {
		return true
	}
	b.thinking = append(b.thinking, piece...)
	return out.Event(engine.Thinking{Piece: piece})
}

// calls are the tools' uses in it.
func (a *answer) calls() []*block {
	var out []*block
	for _, b := range a.blocks {
		if b.kind == "tool_use" {
			out = append(out, b)
		}
	}
	return out
}

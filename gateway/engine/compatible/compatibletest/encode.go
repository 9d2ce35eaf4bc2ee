package compatibletest

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine/enginetest"
)

type object = map[string]any

func marshal(v any) []byte {
	out, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return out
}

func frame(data []byte) []byte { return fmt.Appendf(nil, "data: %s\n\n", data) }

// encoder writes one answer as a stream.
type encoder struct {
	style  Style
	frames [][]byte
}

func (e *encoder) chunk(delta object, finish any, usage object) {
	c := object{
		"id": fmt.Sprintf("chatcmpl-%d", e.style.Number), "object": "chat.completion.chunk", "model": "m",
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
	}
	if usage != nil {
		c["usage"] = usage
	}
	e.frames = append(e.frames, frame(marshal(c)))
	if e.style.Empty && finish == nil {
		c["choices"] = []object{{"index": 0, "delta": object{"content": "", "tool_calls": nil}, "finish_reason": ""}}
		e.frames = append(e.frames, frame(marshal(c)))
	}
}

// Encode is an answer as a server streams it.
func Encode(a enginetest.Answer, style Style) [][]byte {
	e := &encoder{style: style}
	e.chunk(object{"role": "assistant", "content": ""}, nil, nil)
	e.thinks(a.Thinking)
	for _, piece := range split(a.Text) {
		e.chunk(object{"content": e.content(piece)}, nil, nil)
	}
	if a.Refused {
		e.chunk(object{"refusal": "I can't help with that."}, nil, nil)
	}
	for i, c := range a.Calls {
		e.call(i, c)
	}
	e.end(a)
	return e.frames
}

func (e *encoder) content(text string) any {
	if e.style.Parts {
		return []object{{"type": "text", "text": text}}
	}
	return text
}

func (e *encoder) thinks(thought string) {
	if thought == "" {
		return
	}
	switch e.style.Thinks {
	case InText:
		for _, piece := range split("<think>" + thought + "</think>\n\n") {
			e.chunk(object{"content": e.content(piece)}, nil, nil)
		}
	case InReasoning:
		for _, piece := range split(thought) {
			e.chunk(object{"reasoning": piece, "reasoning_details": []object{{"type": "reasoning.text", "text": piece}}}, nil, nil)
		}
	default:
		for _, piece := range split(thought) {
			e.chunk(object{"reasoning_content": piece}, nil, nil)
		}
	}
}

func (e *encoder) call(i int, c enginetest.Call) {
	begin := object{"type": "function"}
	name := object{"name": c.Name}
	if !e.style.NoIDs {
		begin["id"] = c.ID
	}
	if e.style.Signed {
		begin["extra_content"] = signature(c.ID)
	}
	pieces := split(c.Args)
	switch {
	case e.style.Object && jsontext.Value(c.Args).IsValid():
		name["arguments"], pieces = jsontext.Value(c.Args), nil
	case e.style.Whole:
		name["arguments"], pieces = c.Args, nil
	default:
		name["arguments"] = ""
	}
	begin["function"] = name
	for _, o := range append([]object{begin}, arguments(pieces)...) {
		switch {
		case e.style.OneSlot:
			o["index"] = 0
		case !e.style.NoIndex:
			o["index"] = i
		}
		e.chunk(object{"tool_calls": []object{o}}, nil, nil)
	}
}

func arguments(pieces []string) []object {
	var out []object
	for _, p := range pieces {
		out = append(out, object{"function": object{"arguments": p}})
	}
	return out
}

func (e *encoder) end(a enginetest.Answer) {
	finish := "stop"
	if len(a.Calls) > 0 && !e.style.Stop {
		finish = "tool_calls"
	}
	if a.Full {
		finish = "length"
	}
	usage := object{
		"prompt_tokens": a.Usage.In, "completion_tokens": a.Usage.Out, "total_tokens": a.Usage.In + a.Usage.Out,
		"prompt_tokens_details": object{"cached_tokens": a.Usage.CacheRead, "cache_write_tokens": a.Usage.CacheMade},
	}
	switch e.style.Usage {
	case WithFinish:
		e.chunk(object{}, finish, usage)
	case InItsOwn:
		e.chunk(object{}, finish, nil)
		e.frames = append(e.frames, frame(marshal(object{"object": "chat.completion.chunk", "choices": []any{}, "usage": usage})))
	default:
		e.chunk(object{}, finish, nil)
	}
	if !e.style.NoDone {
		e.frames = append(e.frames, frame([]byte("[DONE]")))
	}
}

// InOnePiece is an answer of a server that doesn't stream.
func InOnePiece(a enginetest.Answer) []byte {
	calls := []object{}
	for _, c := range a.Calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args}})
	}
	return marshal(object{
		"object":  "chat.completion",
		"choices": []object{{"index": 0, "message": object{"role": "assistant", "content": a.Text, "tool_calls": calls}, "finish_reason": "stop"}},
		"usage":   object{"prompt_tokens": a.Usage.In, "completion_tokens": a.Usage.Out},
	})
}

// split cuts text into the pieces in which it is sent.
func split(text string) []string {
	var out []string
	for r := []rune(text); len(r) > 0; {
		n := min(28, len(r))
		out, r = append(out, string(r[:n])), r[n:]
	}
	return out
}

// same says whether two texts are the same JSON.
func same(a, b string) bool {
	x, y := jsontext.Value(a), jsontext.Value(b)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && string(x) == string(y)
}
